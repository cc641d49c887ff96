"""Numbers as pages and terminals write them; the templates use these functions as filters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from maxmargin.certificates import Certificate, FitCertificate
from maxmargin.wording import number_text, score_text

__all__ = [
    "cost",
    "counted",
    "fraction",
    "machine_name",
    "measured",
    "number_text",
    "params_text",
    "percent",
    "reached",
    "rounded",
    "score_text",
    "seconds",
    "share",
    "small",
    "thousands",
]

cost = "{:.4f}".format
percent = "{:.2%}".format
share = "{:.0%}".format
thousands = "{:,}".format


def measured(value: float) -> str:
    """Return a measurement with four digits."""
    return f"{value:.4g}" if np.isfinite(value) else "none"


def small(value: float) -> str:
    """Return a gap or violation; a gap that rounding makes negative counts as zero."""
    if -1e-9 <= value <= 0:
        return "0"
    return f"{value:.2g}" if 0.01 <= abs(value) < 100 else f"{value:.1e}"


def fraction(value: float) -> str:
    """Return a fraction in percent with three digits, however small: '0.123%', '97%'."""
    return f"{100 * value:.3g}%"


def counted(n: int, what: str, many: str | None = None) -> str:
    """Return how many there are of something: '1 row', '4,000 rows'."""
    return f"{n:,} {what if n == 1 else many or what + 's'}"


def machine_name(certificate: Certificate, alone: str) -> str:
    """Return what one of the machines of a model separates; a machine without classes is alone."""
    names = ["the rest" if label is None else str(label) for label in certificate.classes]
    if not names:
        return alone
    return " against ".join(names) if len(names) == 2 else f"{', '.join(names)} at once"


def params_text(params: Mapping[str, Any]) -> str:
    """Return parameters in one line."""
    listed = ", ".join(f"{name} = {number_text(value)}" for name, value in params.items())
    return listed or "default parameters"


def reached(certificate: FitCertificate | Certificate) -> float:
    """Return the smallest tolerance to which everything in a certificate holds."""
    return max(abs(certificate.relative_gap), certificate.kkt_violation, certificate.feasibility)


def rounded(text: str) -> str:
    """Return a text with its numbers rounded to four digits."""
    return re.sub(r"\d+\.\d{4,}(e[-+]?\d+)?", lambda found: f"{float(found[0]):.4g}", text)


def seconds(value: float) -> str:
    """Return a time in milliseconds, seconds or minutes."""
    if value < 1.0:
        return f"{1000 * value:.2g} ms" if value < 0.01 else f"{1000 * value:.0f} ms"
    return f"{value:.1f} s" if value < 600.0 else f"{value / 60:.1f} min"
