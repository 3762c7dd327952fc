#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# dawn.sh - Weft beside Dawn, the WebGPU of Chromium, on the same CPU.
#
#   bench/dawn.sh [--cpu-time] [--json] [NAME...]        default: the set `common`
#
# Dawn comes as the npm package `webgpu`, SwiftShader (Vulkan on the CPU) from
# Debian's package of Chromium; both are unpacked below build/dawn and nothing is
# installed. Without node, npm or apt-get there is nothing to compare with, and the
# script says so and succeeds. DAWN and SWIFTSHADER name folders to use instead.
set -eu
cd "$(dirname "$0")/.."
. bench/dawn/fetch.sh

command -v node >/dev/null || skip "no node"
[ -n "${DAWN:-}" ] || npm_package webgpu
mkdir -p "$here/data"
use_swiftshader
tools/build release bench_kernels
exec node bench/dawn/compare.mjs build/release/bench/kernels \
    "${DAWN:-$here/node_modules/webgpu}" "$here/data" "$@"
