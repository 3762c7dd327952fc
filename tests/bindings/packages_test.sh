#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# packages_test.sh - installs the wheel of bindings/python and the npm package of bindings/node in a
# bare Debian, without LLVM and compiler, and runs kernels and tensors there.
#
#   tests/bindings/packages_test.sh BUILD
set -eu
build=${1:?usage: tests/bindings/packages_test.sh BUILD}
cd "$(dirname "$0")/../.."
left_out() { echo "left out: $*"; exit 0; }
export PYTHONDONTWRITEBYTECODE=1

[ "$(id -u)" = 0 ] || left_out "debootstrap needs root"
command -v debootstrap >/dev/null || left_out "no debootstrap"
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT INT TERM     # nothing of what is mounted there
tree=$work/tree
timeout 600 debootstrap --variant=minbase \
    --include=python3,python3-pip,python3-wheel,nodejs bookworm "$tree" >"$work/log" 2>&1 ||
    left_out "debootstrap cannot make a tree: $(tail -1 "$work/log")"
inside() { chroot "$tree" env -i PATH=/usr/bin:/bin HOME=/tmp WEFT_ADAPTER=cpu "$@"; }

for name in cc gcc clang ld llvm-config; do
    ! inside sh -c "command -v $name" || { echo "the tree has $name"; exit 1; }
done
[ -z "$(find "$tree/usr/lib" -name 'libLLVM*')" ] || { echo "the tree has LLVM"; exit 1; }

# ---- Python ----

bindings/python/wheel.py "$build" "$work/wheel"
cp "$work"/wheel/*.whl bindings/python/examples/fit.py bindings/python/examples/saxpy.py \
    bindings/python/examples/tensors.py "$tree/tmp/"
inside sh -c 'pip install --quiet --no-index --break-system-packages /tmp/*.whl 2>&1'
inside python3 /tmp/saxpy.py | tee "$work/out"
grep -q 'y\[10\] = 21.0' "$work/out"
inside python3 /tmp/tensors.py | grep 'rows sum to'
inside python3 /tmp/fit.py | grep 'r2 = 0.99.*, converged'
echo "the wheel works in a bare tree"

# ---- Node.js: npm itself stays outside, what it runs at the end of an installation does not ----

command -v npm >/dev/null || left_out "no npm"
bindings/node/scripts/pack.js "$build" "$work/npm"
mkdir "$tree/tmp/app"
echo '{ "private": true }' >"$tree/tmp/app/package.json"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$tree/tmp/app" \
    "$work"/npm/weft-gpu-*.tgz >"$work/log" 2>&1 ||
    left_out "npm cannot install what the package depends on: $(tail -1 "$work/log")"
cp tests/bindings/packages_test.mjs "$tree/tmp/app/test.mjs"
inside node /tmp/app/node_modules/weft-gpu/scripts/build.js
[ ! -e "$tree/tmp/app/node_modules/weft-gpu/build" ] || { echo "it was compiled"; exit 1; }
inside node /tmp/app/test.mjs
echo "the npm package works in a bare tree"
