"""What scikit-learn's own tests expect of the configuration."""

import pytest

from .sklearn_suite import reason_against


def pytest_configure(config):
    config.addinivalue_line("markers", "thread_unsafe: set by scikit-learn on its tests")


@pytest.fixture
def global_random_seed():
    return 42


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.stem.startswith("test_sklearn_"):
            reason = reason_against(item.path.stem.replace("sklearn_", ""), item.name)
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=reason))
