#!/usr/bin/env bash
# Build the native module with the address and undefined-behaviour sanitizers, in a virtual
# environment of its own, and run against it the tests of all compiled code: kernels,
# decomposition, the linear solvers and the online learners. Tests that measure time, and the real data, are left out.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.venv-asan
[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --upgrade pip
"$venv/bin/python" -m pip install --quiet '.[test]' \
    -C cmake.define.MAXMARGIN_SANITIZE=ON -C build-dir=build/asan

preload=""
for library in libasan.so libubsan.so libstdc++.so; do
    preload+="$(${CXX:-g++} -print-file-name="$library") "
done
# Python itself leaks by design; the sanitizers must be loaded before the interpreter.
LD_PRELOAD="$preload" \
ASAN_OPTIONS=detect_leaks=0 \
UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
    "$venv/bin/python" -m pytest -p no:cacheprovider -n "${JOBS:-2}" -m "not data" \
    -k "not time_limit and not interrupt and not seconds and not memory_does_not and not as_fast" \
    tests/native tests/solvers/kernel tests/solvers/linear tests/solvers/online \
    tests/properties/test_linear_machines.py tests/estimators/test_online.py \
    tests/estimators/test_online_invariances.py tests/estimators/test_online_streams.py \
    tests/estimators/test_online_outlier.py \
    tests/streams/test_libsvm.py tests/streams/test_libsvm_files.py
