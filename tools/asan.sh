#!/usr/bin/env bash
# Build the native module with the address and undefined-behaviour sanitizers, in a virtual
# environment of its own, and run the native and the engine's tests against it.
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
    "$venv/bin/python" -m pytest -p no:cacheprovider -k "not as_fast" \
    tests/native tests/solvers/test_engine.py tests/streams/test_libsvm.py tests/streams/test_libsvm_files.py
