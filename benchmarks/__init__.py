"""Measurements against peers: kernel blocks (`kernel_blocks`) and whole fits (`engine`)."""
