"""Linear machines that learn from rows one after the other, in compiled code.

::

    descent  OnlineDescent: the solver, pass after pass over rows in memory
    learner  OnlineLearner: the state of the machines, and how they learn
    rows     Rows: what they learn from
    stream   StreamCertificate: how good a machine is on a stream
    dual     multipliers for weights that were found without any
"""

from maxmargin.solvers.online.descent import OnlineDescent
from maxmargin.solvers.online.learner import Learnt, OnlineLearner, OnlineRule
from maxmargin.solvers.online.rows import Rows
from maxmargin.solvers.online.stream import StreamCertificate, StreamSums

__all__ = [
    "Learnt",
    "OnlineDescent",
    "OnlineLearner",
    "OnlineRule",
    "Rows",
    "StreamCertificate",
    "StreamSums",
]
