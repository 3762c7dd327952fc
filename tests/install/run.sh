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
cp "$here/check_weft.c" check_weft.c
cp "$here/check_weft.c" check_weft.cpp
warnings='-Wall -Wextra -Werror'

# ---- what is exported ----

foreign() { grep -v -E ' (wgpu[A-Za-z0-9]*|weft_[a-z0-9_]*|julia_webgpu_execute)$' | grep . ; }
for name in libwebgpu_weft libweft; do
    if nm -D --defined-only "$lib/$name.so" | foreign; then
        fail "$name.so exports the names above"
    fi
    if nm -g --defined-only "$lib/$name.a" | grep ' [A-Za-z] ' | foreign; then
        fail "$name.a exports the names above"
    fi
done

# ---- pkg-config ----

flags=$(pkg-config --cflags webgpu_weft)
shared=$(pkg-config --libs webgpu_weft)
static=$(pkg-config --static --libs webgpu_weft | sed 's/-lwebgpu_weft/-l:libwebgpu_weft.a/')
weft_flags=$(pkg-config --cflags weft)
weft_shared=$(pkg-config --libs weft)
weft_static=$(pkg-config --static --libs weft | sed -e 's/-lwebgpu_weft/-l:libwebgpu_weft.a/' \
    -e 's/-lweft/-l:libweft.a/')
# shellcheck disable=SC2086  # flags are split on purpose
{
    $cc  -std=c11   $warnings $weft_flags check_weft.c   -o c_weft_shared   $weft_shared
    $cxx -std=c++17 $warnings $weft_flags check_weft.cpp -o cxx_weft_shared $weft_shared
    $cc  -std=c11   $warnings $weft_flags check_weft.c   -o c_weft_static   $weft_static
    $cxx -std=c++17 $warnings $weft_flags check_weft.cpp -o cxx_weft_static $weft_static
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

for program in c_weft_shared cxx_weft_shared; do
    LD_LIBRARY_PATH=$lib ./$program || fail "$program failed"
    readelf -d $program | grep -q 'NEEDED.*libweft' || fail "$program is not shared"
done
for program in c_weft_static cxx_weft_static; do
    ./$program || fail "$program failed"
    readelf -d $program | grep -q 'NEEDED.*lib.*weft' && fail "$program is not static"
done

# ---- CMake ----

cp "$here/project/CMakeLists.txt" .
cmake -S . -B out -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$temp/log" 2>&1 &&
    cmake --build out >"$temp/log" 2>&1 || { cat "$temp/log"; exit 1; }
for program in c_webgpu c_webgpu_static cxx_webgpu cxx_webgpu_static \
        c_weft c_weft_static cxx_weft cxx_weft_static; do
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
    node -e 'const { tensor } = require("weft-gpu/tensor");
        tensor([1, 2]).matmul([[1], [1]]).item().then((n) => process.exit(n === 3 ? 0 : 1));' ||
        fail "tensors of the package for Node.js"
fi
