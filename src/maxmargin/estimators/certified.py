"""The attributes that hold a fit's proof."""

from __future__ import annotations

from typing import Any

from maxmargin.estimators.proof import FitCertificate, Proof, Proved
from maxmargin.typing import Floats

__all__ = ["Certified"]


class Certified:
    """An estimator whose `fit` leaves a `Proof` in `_proof`."""

    @property
    def certificate_(self) -> FitCertificate:
        """What is proved about the fit; made when first asked for."""
        return self._proved("certificate_").certificate

    @property
    def slack_(self) -> Floats:
        """How far each training point is on the wrong side of its margin."""
        slack = self._proved("slack_").slack
        return slack[:, 0] if slack.shape[1] == 1 else slack

    @property
    def margin_(self) -> Any:
        """Distance of the margin plane from the boundary; in regression the tube's half-width."""
        margin = self._proved("margin_").margin
        return float(margin[0]) if len(margin) == 1 else margin

    def _proved(self, name: str) -> Proved:
        proof: Proof | None = self.__dict__.get("_proof")
        if proof is None:
            raise AttributeError(f"{type(self).__name__} has no {name} before fit.")
        return proof.result()
