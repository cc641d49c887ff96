"""Tests of the compiled core, through `maxmargin.kernels.blocks`."""
