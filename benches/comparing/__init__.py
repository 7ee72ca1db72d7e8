"""The parts of compare.py: one file for each mode, and what they share."""
