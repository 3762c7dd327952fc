#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh - installs a build into a new place and uses it from there, as a user
# would: pkg-config and CMake, shared and static, C and C++; then the program in
# README.md, and the command.
#
#   tests/install/run.sh BUILD
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD}" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
cc=${CC:-cc}
cxx=${CXX:-c++}

fail() { echo "install: $*" >&2; exit 1; }

# Installed, then moved: nothing may remember the first place.
cmake --install "$build" --prefix "$temp/first" >"$temp/log" || { cat "$temp/log"; exit 1; }
mv "$temp/first" "$temp/prefix"
prefix=$temp/prefix
pc=$(find "$prefix" -name webgpu_weft.pc)
lib=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH="${pc%/*}"
cd "$temp"
cp "$here/check.c" check.c
cp "$here/check.c" check.cpp
warnings='-Wall -Wextra -Werror'

# ---- what is exported ----

foreign() { grep -v -E ' (wgpu[A-Za-z0-9]*|weft_[a-z0-9_]*)$' | grep . ; }
if nm -D --defined-only "$lib/libwebgpu_weft.so" | foreign; then
    fail "libwebgpu_weft.so exports the names above"
fi
if nm -g --defined-only "$lib/libwebgpu_weft.a" | grep ' [A-Za-z] ' | foreign; then
    fail "libwebgpu_weft.a exports the names above"
fi

# ---- pkg-config ----

flags=$(pkg-config --cflags webgpu_weft)
shared=$(pkg-config --libs webgpu_weft)
static=$(pkg-config --static --libs webgpu_weft | sed 's/-lwebgpu_weft/-l:libwebgpu_weft.a/')
# shellcheck disable=SC2086  # flags are split on purpose
{
    $cc  -std=c11   $warnings $flags check.c   -o c_shared   $shared
    $cxx -std=c++17 $warnings $flags check.cpp -o cxx_shared $shared
    $cc  -std=c11   $warnings $flags check.c   -o c_static   $static
    $cxx -std=c++17 $warnings $flags check.cpp -o cxx_static $static
    for header in "$prefix"/include/*/*.h; do
        $cc  -std=c11   $warnings $flags -fsyntax-only -x c   "$header"
        $cxx -std=c++17 $warnings $flags -fsyntax-only -x c++ "$header"
    done
}
for program in c_shared cxx_shared; do
    LD_LIBRARY_PATH=$lib ./$program || fail "$program failed"
    readelf -d $program | grep -q 'NEEDED.*libwebgpu_weft' || fail "$program is not shared"
done
for program in c_static cxx_static; do
    ./$program || fail "$program failed"
    readelf -d $program | grep -q 'NEEDED.*libwebgpu_weft' && fail "$program is not static"
done

# ---- CMake ----

cp "$here/project/CMakeLists.txt" .
cmake -S . -B out -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$temp/log" 2>&1 &&
    cmake --build out >"$temp/log" 2>&1 || { cat "$temp/log"; exit 1; }
for program in c_webgpu c_webgpu_static cxx_webgpu cxx_webgpu_static; do
    out/$program || fail "$program failed"
done

# ---- the program in README.md, and the command ----

sed -n '/^```c$/,/^```$/p' "$top/README.md" | sed '/^```/d' >readme.c
grep -q 'int main' readme.c || fail "README.md shows no program"
# shellcheck disable=SC2086
$cc -std=c11 $warnings $flags readme.c -o readme $shared
LD_LIBRARY_PATH=$lib ./readme >readme.out || fail "the program in README.md failed"
[ -s readme.out ] || fail "the program in README.md printed nothing"
"$prefix/bin/weft" check "$top"/examples/*.wgsl || fail "the command failed"

# ---- the package for Node.js, if there is one with its headers ----

if command -v node >/dev/null && [ -e "$build/bindings/node/weft.node" ]; then
    mkdir package
    (cd "$top/bindings/node" &&
        cp -r package.json $(node -p 'require("./package.json").files.join(" ")') "$temp/package")
    cd package
    CC=$cc node scripts/build.js || fail "the addon for Node.js does not build"
    sed -n '/^```js$/,/^```$/p' README.md | sed '/^```/d' >readme.mjs
    grep -q "$(node readme.mjs)\$" readme.mjs || fail "the program of bindings/node/README.md"
fi
