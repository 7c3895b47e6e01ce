#!/usr/bin/env bash
# Build the extension in place (src/widemargin/_core*.so); then run with PYTHONPATH=src.
set -e
cd "$(dirname "$0")"
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_LIBRARY_OUTPUT_DIRECTORY="$PWD/src/widemargin" \
  -DPython_EXECUTABLE="$(command -v python)" >/dev/null
cmake --build build
cp build/_core.pyi src/widemargin/
