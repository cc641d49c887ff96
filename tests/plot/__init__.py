"""Tests of maxmargin.plot: statements about what is drawn."""
