#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# languages.sh - what Rust, Node.js and Elixir add to a call of the library.
#
#   bench/bindings/languages.sh [BUILD]         default: build/release
#
# Microseconds of an execution of a small known kernel, and beyond those of C in the same run; 64 MB
# read back to a Rust slice. Languages that are not installed are left out.
set -eu
cd "$(dirname "$0")/../.."
build=$(cd "${1:-build/release}" && pwd)
export WEFT_ADAPTER=cpu WEFT_LIB_DIR="$build/lib" LD_LIBRARY_PATH="$build/lib"
{
    if command -v cargo >/dev/null; then
        (cd bindings/rust && CARGO_TARGET_DIR="$build/rust" cargo run --offline --quiet --release \
            --example measure)
    fi
    if [ -e "$build/bindings/node/weft.node" ]; then
        WEFT_NODE_ADDON="$build/bindings/node/weft.node" node bench/bindings/execute.mjs
    fi
    if command -v mix >/dev/null; then
        (cd bindings/elixir && WEFT_INCLUDE="$PWD/../../include" LC_ALL=C.UTF-8 MIX_ENV=prod \
            MIX_BUILD_PATH="$build/elixir-bench" mix run ../../bench/bindings/execute.exs)
    fi
} | awk '
    /^64/ { print; next }
    NF == 2 && $2 + 0 > 0 {
        if ($1 == "C") c = $2
        printf "%-20s %8.1f us   beyond C %+7.1f us\n", $1, $2, $2 - c
    }'
