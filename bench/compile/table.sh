#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# table.sh - all figures of compile time in one table: families, single kernels, common
# kernels, the shaders of three libraries; then the speed of kernels beside an older commit.
#
#   bench/compile/table.sh [--no-speed]
#
# The shaders are those that bench/libraries.sh makes the libraries compile; they come from
# npm once, and are kept below build/shaders. SHADERS names a folder that has them.
set -eu
cd "$(dirname "$0")/../.."

speed=yes
for word; do
    case $word in
        --no-speed) speed= ;;
        *) echo "usage: bench/compile/table.sh [--no-speed]" >&2; exit 2 ;;
    esac
done
tools/build release weft
if [ -z "${SHADERS:-}" ]; then
    SHADERS=$PWD/build/shaders
    [ -d "$SHADERS" ] || { mkdir -p "$SHADERS"; KERNELS=$SHADERS bench/libraries.sh --turns=1 >/dev/null || true; }
fi
status=0
bench/compile/run.py --shaders "$SHADERS" || status=1
[ -z "$speed" ] || bench/speed.sh --parts=base --cpu-time
exit $status
