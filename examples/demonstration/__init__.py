"""The parts of examples/demo.py.

::

    worked      the three worked examples and their known solutions
    real_data   fits on data bundled with scikit-learn
    pictures    every figure, for light and for dark pages
    terminal    the tables that are printed
    report      the page, with report.html and report.css
"""
