"""Strings: the speed of their Gram matrices, and studies of what machines on them learn."""
