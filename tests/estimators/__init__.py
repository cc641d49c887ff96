"""Tests of the scikit-learn estimators."""
