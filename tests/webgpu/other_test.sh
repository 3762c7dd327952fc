#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# other_test.sh - examples/c/on runs a program on another library, or says why not.
#
#   tests/webgpu/other_test.sh BUILD
#
# The other library is Weft itself, from another place, so that the test needs
# nothing. With WEFT_DAWN=LIBRARY[:LIBRARY...] set all examples run on that as well.
# Left out are `threads`, because a device of Dawn's belongs to one thread unless
# it is asked for more in a way of its own, and `deadline`, which is about Weft.
set -eu
build=${1:?usage: other_test.sh BUILD}
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
on=examples/c/on

fail() { echo "other: $*" >&2; exit 1; }

# ---- a library that has nothing of webgpu.h ----

none=$(ldd "$build/examples/hello" | sed -n 's/.*libc\.so[^ ]* => \([^ ]*\).*/\1/p')
[ -e "$none" ] || fail "no libc to try"
"$on" "$none" "$build/examples/hello" >"$temp/out" 2>&1 && fail "it ran without webgpu.h"
grep -q '^wgpuCreateInstance$' "$temp/out" || fail "it does not say what is missing"
"$on" "$none" >"$temp/out" 2>&1 && fail "it ran nothing"

# ---- a library that has all of it ----

cp "$build"/lib/libwebgpu_weft.so.*.* "$temp/other.so"
"$on" "$temp/other.so" "$build/examples/saxpy" >"$temp/out" || fail "saxpy failed"
grep -q '^right$' "$temp/out" || fail "saxpy has no verdict"
# Which of the two was it?
LD_DEBUG=bindings "$on" "$temp/other.so" "$build/examples/saxpy" 2>&1 |
    grep -q "binding file .*saxpy .* to .*other.so .*wgpuCreateInstance" ||
    fail "saxpy did not run on the other library"

# ---- Dawn ----

[ -n "${WEFT_DAWN-}" ] || exit 0
for program in "$build"/examples/*; do
    name=$(basename "$program")
    case $name in threads | deadline) continue ;; esac
    [ -x "$program" ] && [ -f "$program" ] || continue
    echo "$name"
    "$on" "$WEFT_DAWN" "$program" >"$temp/out" 2>&1 || { cat "$temp/out"; fail "$name failed"; }
done
