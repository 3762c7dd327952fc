#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# wheel_test.sh - installs the wheel of bindings/python in a bare Debian, without LLVM and compiler,
# and runs a kernel, tensors and a fit there.
#
#   tests/bindings/wheel_test.sh BUILD
set -eu
build=${1:?usage: tests/bindings/wheel_test.sh BUILD}
cd "$(dirname "$0")/../.."
left_out() { echo "left out: $*"; exit 0; }
export PYTHONDONTWRITEBYTECODE=1

[ "$(id -u)" = 0 ] || left_out "debootstrap needs root"
command -v debootstrap >/dev/null || left_out "no debootstrap"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
timeout 400 debootstrap --variant=minbase --include=python3,python3-pip,python3-wheel \
    bookworm "$work/tree" >"$work/log" 2>&1 ||
    left_out "debootstrap cannot make a tree: $(tail -1 "$work/log")"

bindings/python/wheel.py "$build" "$work/wheel"
cp "$work"/wheel/*.whl "$work/tree/tmp/"
cp bindings/python/examples/fit.py bindings/python/examples/saxpy.py \
    bindings/python/examples/tensors.py "$work/tree/tmp/"
inside() { chroot "$work/tree" env -i PATH=/usr/bin:/bin HOME=/tmp WEFT_ADAPTER=cpu "$@"; }

for name in cc gcc clang ld llvm-config; do
    ! inside sh -c "command -v $name" || { echo "the tree has $name"; exit 1; }
done
[ -z "$(find "$work/tree/usr/lib" -name 'libLLVM*')" ] || { echo "the tree has LLVM"; exit 1; }
inside sh -c 'pip install --quiet --no-index --break-system-packages /tmp/*.whl 2>&1'
inside python3 /tmp/saxpy.py | tee "$work/out"
grep -q 'y\[10\] = 21.0' "$work/out"
inside python3 /tmp/tensors.py | grep 'rows sum to'
inside python3 /tmp/fit.py | grep 'r2 = 0.99.*, converged'
echo "the wheel works in a bare tree"
