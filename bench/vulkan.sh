#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# vulkan.sh - Weft's Vulkan device on the two drivers that need no GPU, beside Vulkan
# written by hand and beside the WebGPU that others have on the same driver: Dawn on
# SwiftShader, wgpu on lavapipe.
#
#   bench/vulkan.sh [--cpu-time] [--small] [NAME...]     default: the set `common`
#
# Dawn comes as the npm package `webgpu`, wgpu inside of Deno as `@deno/linux-x64-glibc`;
# both are unpacked below build/dawn and nothing is installed. Without them, or without a
# driver, the rest is compared. DAWN and DENO name what to use instead: the folder of a
# node package, and a program.
set -eu
cd "$(dirname "$0")/.."
. bench/dawn/fetch.sh

command -v node >/dev/null || skip "no node"
mkdir -p "$here/data"
tools/build release bench_kernels bench_vulkan
driver() { sed -n "s/^WEFT_$1:FILEPATH=//p" build/release/CMakeCache.txt; }
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$here}"

# compare TITLE DRIVER OTHER ...
compare() {
    if [ ! -f "$2" ]; then
        echo "$1: left out: the driver is missing"
        return
    fi
    printf '%s: ' "$1"
    driver=$2
    shift 2
    VK_ICD_FILENAMES=$driver VK_DRIVER_FILES=$driver node bench/vulkan/compare.mjs \
        build/release/bench/kernels build/release/bench/vulkan "$here/data" "$@"
}

# have NAME PACKAGE PATH: NAME=PATH, or `none`.
have() {
    [ -e "$3" ] || (npm_package "$2") >&2
    if [ -e "$3" ]; then echo "$1=$3"; else echo none; fi
}

bad=0
dawn=$(have Dawn webgpu "${DAWN:-$here/node_modules/webgpu}")
wgpu=$(have wgpu @deno/linux-x64-glibc "${DENO:-$here/node_modules/@deno/linux-x64-glibc/deno}")
compare SwiftShader "$(driver SWIFTSHADER)" "$dawn" "$@" || bad=1
echo
compare lavapipe "$(driver LAVAPIPE)" "$wgpu" "$@" || bad=1
exit $bad
