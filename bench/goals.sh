#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# goals.sh - how fast the CPU device is meant to be, and how fast it is: every figure
# beside its goal, in one table.
#
#   bench/goals.sh [--cpu-time]     --cpu-time: one thread, on a machine that is busy
#                                   (an empty launch and threads need one that is not)
#
# Dawn comes as for dawn.sh; without it, its line says so.
set -eu
cd "$(dirname "$0")/.."
clock=${1:-}
case $clock in
'' | --cpu-time) ;;
*) echo "usage: bench/goals.sh [--cpu-time]" >&2 && exit 2 ;;
esac

tools/build release bench_kernels
kernels=build/release/bench/kernels
figures=build/goals.jsonl
say() { echo "goals.sh: $*" >&2; }

say "kernels beside C, OpenBLAS and intrinsics; compiling"
$kernels common blas compile --json ${clock:+--cpu-time --threads=1} >$figures
say "an empty launch, threads"
$kernels launch threads --json >>$figures
say "Dawn on SwiftShader"
bench/dawn.sh --json $clock >>$figures
node bench/goals.mjs <$figures
