#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# test.sh - the tests of the crates with the oldest compiler that is installed.
#
#   bindings/rust/test.sh LIBDIR TARGETDIR [--example | CARGO OPTION...]
#
# LIBDIR has libweft.so, TARGETDIR gets what cargo builds. Without cargo they are left out.
set -eu
lib=$(cd "$1" && pwd)
mkdir -p "$2"
target=$(cd "$2" && pwd)
shift 2
cd "$(dirname "$0")"
if [ -x /usr/bin/cargo ] && [ -x /usr/bin/rustc ] && [ -x /usr/bin/rustdoc ]; then
    cargo=/usr/bin/cargo                    # the distribution's is the older one
    export RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc
elif command -v cargo >/dev/null; then
    cargo=cargo
else
    echo "left out: cargo is missing; tools/setup integration installs it"
    exit 0
fi
export WEFT_LIB_DIR="$lib" CARGO_TARGET_DIR="$target" LD_LIBRARY_PATH="$lib"
[ -n "${WEFT_WEBGPU:-}${WEFT_TEST_BACKEND:-}" ] || export WEFT_ADAPTER=cpu
"$cargo" --version
if [ "${1:-}" = --example ]; then
    "$cargo" run --offline --quiet --example mandelbrot | tee /dev/stderr | grep -q '@@@@'
    exit
fi
exec "$cargo" test --offline "$@"
