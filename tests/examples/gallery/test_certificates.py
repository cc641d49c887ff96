import numpy as np


def test_the_gap_bounds_the_distance_of_another_library(run):
    shown = run("certificates/certify_another_library")
    for certificate in shown.certificates:
        # The bound is at least the true excess, up to the accuracy of the optimum itself.
        assert -1e-7 * shown.optimum <= certificate.primal - shown.optimum
        assert certificate.primal - shown.optimum <= certificate.gap + 1e-7 * shown.optimum
    # If no point violates its condition by more than tol, each adds at most C tol to the gap.
    for tol, certificate in zip(shown.tolerances, shown.certificates, strict=True):
        assert certificate.gap <= 100 * len(shown.y) * tol * (1 + 1e-6)


def test_an_interrupted_run_is_as_good_as_its_gap_says(run):
    shown = run("certificates/stop_at_any_time")
    for certificate in shown.certificates:
        assert certificate.primal - shown.optimum + 1e-7 * shown.optimum >= 0
        assert certificate.primal - shown.optimum <= certificate.gap + 1e-7 * shown.optimum
    gaps = [certificate.gap for certificate in shown.certificates]
    assert gaps == sorted(gaps, reverse=True)
    for solution in (shown.model.machines_[0].solution, *shown.runs.values()):
        assert np.all(np.asarray(solution.trace.dual) <= shown.optimum * (1 + 1e-7))


def test_each_point_is_in_one_of_three_cases(run):
    shown = run("certificates/kkt_conditions")
    assert shown.done.holds(1e-6)
    assert shown.early.kkt_violation > 0.05
    a = np.array([row.multiplier for row in shown.done.table()])
    margin = np.array([row.margin for row in shown.done.table()])
    beyond, short = margin > 1 + 1e-5, margin < 1 - 1e-5
    assert np.all(np.abs(a[beyond]) < 1e-5)
    assert np.all(np.abs(a[short] - 2) < 1e-5)
    assert beyond.any()
    assert short.any()
    assert not (beyond | short).all()
