"""What is on some axes, as numbers."""

import numpy as np
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.contour import ContourSet


def levels(ax):
    """The levels of the contour lines."""
    return sorted({float(level) for contour in lines(ax) for level in contour.levels})


def lines(ax):
    """The contour lines."""
    return [c for c in ax.collections if isinstance(c, ContourSet) and not c.filled]


def areas(ax):
    """The shaded areas."""
    return [c for c in ax.collections if isinstance(c, ContourSet) and c.filled]


def line_at(ax, level):
    """The places of the contour lines at a level."""
    found = [path.vertices for c in lines(ax) for path in c.get_paths() if level in c.levels]
    return np.concatenate(found)


def places(ax, label):
    """The places of the points with a label."""
    found = [c for c in ax.collections if isinstance(c, PathCollection) and c.get_label() == label]
    return np.concatenate([np.empty((0, 2)), *(c.get_offsets() for c in found)])


def colour(ax, label):
    """The colour of the points with a label."""
    (found,) = [c for c in ax.collections if c.get_label() == label]
    return tuple(found.get_facecolor()[0][:3])


def slack_segments(ax):
    """The ends of the segments, shape (n, 2, 2)."""
    for collection in ax.collections:
        if isinstance(collection, LineCollection) and collection.get_label() == "slack":
            return np.array(collection.get_segments())
    return np.empty((0, 2, 2))


def same_rows(one, other, atol=1e-9):
    """Whether two sets of rows are equal in some order."""
    one, other = (np.array(sorted(map(tuple, np.asarray(rows)))) for rows in (one, other))
    return one.shape == other.shape and np.allclose(one, other, atol=atol)
