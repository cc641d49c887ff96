"""Strings: the speed of their Gram matrices, and studies of what machines learn from them.

::

    gram_matrices   Gram matrices against other libraries
    promoters       promoters of E. coli, leave-one-out
    splice          splice junctions, ten folds
    surnames        surnames of 18 nations, against n-grams in a linear machine
    spam            text messages, by letters and by words
    report          how kernels are written, and the tables of searches
"""
