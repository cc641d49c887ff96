"""Support vectors are points: how many there are, of which kind, and on which side."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import SVC, SVR, LinearSVR, OneClassSVM
from maxmargin.certificates import analyse_support

T = np.linspace(0, 6, 80)[:, None]


@pytest.mark.parametrize("model", [SVR(epsilon=0.1), SVR(epsilon=0.0, C=0.1), LinearSVR()])
def test_a_support_vector_of_a_tube_is_one_point_whatever_its_sides(model: SVR) -> None:
    fitted = model.fit(T, np.sin(T[:, 0]))
    total = analyse_support(fitted).total
    assert total.n_points == 80
    assert total.n_support == len(fitted.machines_[0].solution.support)


def test_each_side_of_a_tube_has_all_points() -> None:
    found = analyse_support(SVR().fit(T, np.sin(T[:, 0])))
    assert [side.n_points for side in found.sides.values()] == [80, 80]


def test_sides_are_listed_only_if_there_are_two() -> None:
    alone = OneClassSVM(nu=0.2).fit(T)
    assert len(str(analyse_support(alone)).splitlines()) == 1
    both = SVC().fit(T, T[:, 0] > 3)
    assert len(str(analyse_support(both)).splitlines()) == 3


def test_a_machine_is_chosen_by_any_whole_number() -> None:
    model = SVC().fit(T, np.floor(T[:, 0] / 2.1))
    assert analyse_support(model, np.int64(2)) == analyse_support(model, 2)
    assert analyse_support(model, -1) == analyse_support(model, 2)
