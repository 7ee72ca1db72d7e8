skip
