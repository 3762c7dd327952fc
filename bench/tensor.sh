#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tensor.sh - operations on tensors beside PyTorch and ONNX Runtime, two threads, in one run.
#
#     bench/tensor.sh [part of a row's name]
#
# PYTHON names a Python with torch, onnx and onnxruntime (pip install them); a rival that is
# not installed has no column.
set -eu
cd "$(dirname "$0")/.."
build/release/bench/tensor "$@" | "${PYTHON:-python3}" bench/tensor/rivals.py
