"""What the scripts of examples/gallery claim, asserted."""
