#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# dawn.sh - Weft beside Dawn, the WebGPU of Chromium, on the same CPU.
#
#   bench/dawn.sh [--cpu-time] [NAME...]        default: the set `common`
#
# Dawn comes as the npm package `webgpu`, SwiftShader (Vulkan on the CPU) from
# Debian's package of Chromium; both are unpacked below build/dawn and nothing is
# installed. Without node, npm or apt-get there is nothing to compare with, and the
# script says so and succeeds. DAWN and SWIFTSHADER name folders to use instead.
set -eu
cd "$(dirname "$0")/.."
here=$PWD/build/dawn
dawn=${DAWN:-$here/node_modules/webgpu}
swiftshader=${SWIFTSHADER:-$here/swiftshader}

skip() {
    echo "dawn.sh: left out: $*"
    exit 0
}

unpack_dawn() {
    command -v npm >/dev/null || skip "no npm"
    echo "dawn.sh: fetching the npm package webgpu"
    (cd "$here" && echo '{"private": true}' >package.json &&
        npm install --no-audit --no-fund --loglevel=error webgpu) >&2 ||
        skip "npm has no package webgpu"
}

# libvk_swiftshader.so of Chromium, and the Vulkan loader.
unpack_swiftshader() {
    command -v apt-get >/dev/null || skip "no apt-get to take SwiftShader from"
    echo "dawn.sh: fetching SwiftShader (chromium-common) and the Vulkan loader"
    mkdir -p "$here/deb"
    (cd "$here/deb" && apt-get download chromium-common libvulkan1) >"$here/apt.log" 2>&1 ||
        skip "the archive has no chromium-common"
    for deb in "$here"/deb/*.deb; do
        dpkg-deb -x "$deb" "$here/deb/files"
    done
    mkdir -p "$swiftshader"
    find "$here/deb/files" \( -name libvk_swiftshader.so -o -name vk_swiftshader_icd.json \
        -o -name 'libvulkan.so.1*' \) -exec cp -a {} "$swiftshader" \;
    rm -rf "$here/deb"
}

command -v node >/dev/null || skip "no node"
mkdir -p "$here/data"
[ -d "$dawn" ] || unpack_dawn
[ -f "$swiftshader/libvk_swiftshader.so" ] || unpack_swiftshader
tools/build release bench_kernels

# Chromium's names its library by a path relative to itself.
icd=$here/icd.json
echo '{"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0",' \
    "\"library_path\": \"$swiftshader/libvk_swiftshader.so\"}}" >"$icd"
export VK_ICD_FILENAMES="$icd" VK_DRIVER_FILES="$icd"
export LD_LIBRARY_PATH="$swiftshader${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec node bench/dawn/compare.mjs build/release/bench/kernels "$dawn" "$here/data" "$@"
