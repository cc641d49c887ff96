#!/usr/bin/env bash
# Build and check what a release uploads: the sdist, a wheel made from the sdist alone, and that wheel
# in an environment with nothing else in it. Usage: tools/release.sh [folder]; by default dist.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-dist}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rm -rf "$out"
"${PYTHON:-python3}" -m venv "$work/tools"
python=$work/tools/bin/python
"$python" -m pip install --quiet --upgrade pip
"$python" -m pip install --quiet build twine check-wheel-contents auditwheel

# Without --wheel or --sdist the wheel is built from the sdist.
"$python" -m build --outdir "$out" .
"$python" -m twine check --strict "$out"/*
"$python" -m check_wheel_contents "$out"/*.whl
"$python" tests/distribution/contents.py "$out"
if [ "$(uname)" = Linux ]; then "$python" -m auditwheel show "$out"/*.whl; fi

"${PYTHON:-python3}" -m venv "$work/clean"
"$work/clean/bin/python" -m pip install --quiet "$out"/*.whl
# From elsewhere and isolated, so that nothing of the repository is imported.
smoke=$PWD/tests/distribution/smoke.py
(cd "$work" && "$work/clean/bin/python" -I "$smoke")
