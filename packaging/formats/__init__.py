"""The formats in which `packaging/build` delivers `ns`, one module each."""
