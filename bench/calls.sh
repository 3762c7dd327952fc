#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# calls.sh - programs in C on Weft and on Dawn: what the calls cost, or what comes out.
#
#   bench/calls.sh                  the calls, by turns
#   bench/calls.sh --examples       examples/c, all of them, on Dawn
#
# Dawn comes as a library for C in the npm package `bun-webgpu-linux-x64`, SwiftShader
# as in dawn.sh. DAWN_C and SWIFTSHADER name folders to use instead.
set -eu
cd "$(dirname "$0")/.."
. bench/dawn/fetch.sh

use_dawn
use_swiftshader
on_dawn() { examples/c/on "$dawn:$package/libwebgpu_wrapper.so" "$@"; }

if [ "${1:-}" = --examples ]; then
    tools/build release
    bad=0
    for source in examples/c/*.c; do
        name=$(basename "$source" .c)
        if on_dawn "build/release/examples/$name" >"$here/$name.txt" 2>&1; then
            printf '%-12s %s\n' "$name" "$(tail -n 1 "$here/$name.txt")"
        else
            printf '%-12s FAILED\n' "$name"
            tail -n 5 "$here/$name.txt"
            bad=1
        fi
    done
    exit $bad
fi

tools/build release bench_calls
: >"$here/weft.tsv"
: >"$here/dawn.tsv"
for turn in 1 2 3; do
    build/release/bench/calls --tsv >>"$here/weft.tsv"
    on_dawn build/release/bench/calls --tsv >>"$here/dawn.tsv"
done
# The median of the three medians.
awk -F '\t' '
    function middle(list,    v) {
        split(list, v, " ")
        if (v[1] > v[2]) { t = v[1]; v[1] = v[2]; v[2] = t }
        return v[3] + 0 < v[1] + 0 ? v[1] : v[3] + 0 > v[2] + 0 ? v[2] : v[3]
    }
    FNR == 1 { player++ }
    player == 1 && !($1 in weft) { name[++count] = $1 }
    player == 1 { weft[$1] = weft[$1] " " $2 }
    player == 2 { dawn[$1] = dawn[$1] " " $2 }
    END {
        printf "%-54s%10s%10s%12s\n", "microseconds", "Dawn", "Weft", "Dawn / Weft"
        for (i = 1; i <= count; i++) {
            d = middle(dawn[name[i]]); w = middle(weft[name[i]])
            printf "%-54s%10.2f%10.2f%12.2f\n", name[i], d, w, d / w
        }
    }' "$here/weft.tsv" "$here/dawn.tsv"
