# SPDX-License-Identifier: Apache-2.0
#
# fetch.sh - brings Dawn and SwiftShader below build/dawn; read by other scripts with `.`.
#
# in     the root of the tree as working directory; DAWN and SWIFTSHADER name folders to
#        use instead
# out    $here, the folder; functions that set the environment up. Where something
#        cannot be had, the script says so and succeeds.
here=$PWD/build/dawn
swiftshader=${SWIFTSHADER:-$here/swiftshader}

skip() {
    echo "$(basename "$0"): left out: $*"
    exit 0
}

# npm_package NAME [VERSION]: into $here/node_modules.
npm_package() {
    [ -d "$here/node_modules/$1" ] && return
    command -v npm >/dev/null || skip "no npm"
    echo "$(basename "$0"): fetching the npm package $1"
    mkdir -p "$here"
    (cd "$here" && { [ -f package.json ] || echo '{"private": true}' >package.json; } &&
        npm install --no-audit --no-fund --loglevel=error --ignore-scripts "$1${2:+@$2}") >&2 ||
        skip "npm has no package $1"
}

# libvk_swiftshader.so of Chromium, and the Vulkan loader.
unpack_swiftshader() {
    command -v apt-get >/dev/null || skip "no apt-get to take SwiftShader from"
    echo "$(basename "$0"): fetching SwiftShader (chromium-common) and the Vulkan loader"
    mkdir -p "$here/deb"
    (cd "$here/deb" && apt-get -o Acquire::Retries=3 download chromium-common libvulkan1) >"$here/apt.log" 2>&1 ||
        skip "the archive has no chromium-common"
    for deb in "$here"/deb/*.deb; do
        dpkg-deb -x "$deb" "$here/deb/files"
    done
    mkdir -p "$swiftshader"
    find "$here/deb/files" \( -name libvk_swiftshader.so -o -name vk_swiftshader_icd.json \
        -o -name 'libvulkan.so.1*' \) -exec cp -a {} "$swiftshader" \;
    rm -rf "$here/deb"
}

# Vulkan is SwiftShader, for everything that this script starts.
use_swiftshader() {
    [ -f "$swiftshader/libvk_swiftshader.so" ] || unpack_swiftshader
    # Chromium's names its library by a path relative to itself.
    icd=$here/icd.json
    mkdir -p "$here"
    echo '{"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0",' \
        "\"library_path\": \"$swiftshader/libvk_swiftshader.so\"}}" >"$icd"
    export VK_ICD_FILENAMES="$icd" VK_DRIVER_FILES="$icd"
    export LD_LIBRARY_PATH="$swiftshader${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

# Dawn as a library with today's webgpu.h: $dawn, by way of today.c. DAWN_C names the folder
# of a package to use instead.
use_dawn() {
    package=${DAWN_C:-$here/node_modules/bun-webgpu-linux-x64}
    [ -n "${DAWN_C:-}" ] || npm_package bun-webgpu-linux-x64 0.1.7
    dawn=$here/libdawn_today.so
    mkdir -p "$here"
    ${CC:-cc} -std=c11 -Wall -Wextra -O2 -fPIC -shared -Iinclude -o "$dawn.$$" \
        bench/dawn/today.c -Wl,--no-as-needed "$package/libwebgpu_wrapper.so" \
        -Wl,-rpath,"$package"
    mv "$dawn.$$" "$dawn"
    export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$here}"
}
