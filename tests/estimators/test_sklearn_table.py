"""The page on what differs from scikit-learn lists the tests that cannot pass, and no other."""

import re

from .sklearn_suite import CANNOT_PASS


def test_the_page_lists_the_tests_that_cannot_pass(root):
    page = (root / "docs/howto/coming-from-scikit-learn.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(test_[^`]+)` \| (.+) \|$", page, flags=re.MULTILINE))
    assert rows == CANNOT_PASS
