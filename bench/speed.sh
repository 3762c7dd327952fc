#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# speed.sh - how fast kernels are on the CPU device, for processors with AVX2 and with
# AVX-512, beside C and OpenBLAS, and beside an older commit.
#
#   bench/speed.sh [--base=COMMIT] [--cpu=NAME,...] [--turns=N] [--cpu-time]
#
# --cpu names the processors to compile for (default: x86-64-v3,x86-64-v4); one that this
# machine cannot run is compiled for, and not timed. The older commit knows this machine
# alone, so it is beside kernels for this machine. Libraries come as for libraries.sh.
set -eu
cd "$(dirname "$0")/.."

base=7a87752 cpus=x86-64-v3,x86-64-v4 turns=2 clock=
for word; do
    case $word in
        --base=*) base=${word#--base=} ;;
        --cpu=*) cpus=${word#--cpu=} ;;
        --turns=*) turns=${word#--turns=} ;;
        --cpu-time) clock=$word ;;
        *) sed -n 's/^#   bench/usage: bench/p' bench/speed.sh >&2; exit 2 ;;
    esac
done
if [ -z "${BASE:-}" ]; then
    BASE=$PWD/build/base
    [ -d "$BASE" ] || git clone --quiet --shared . "$BASE"
    git -C "$BASE" checkout --quiet "$base"
    (cd "$BASE" && tools/build release weft_node bench_kernels)
fi
export BASE
tools/build release weft weft_node bench_kernels

figures=build/speed.jsonl
: >$figures
say() { echo "speed.sh: $*" >&2; }
# kernels WHO TREE OPTION...: lines of JSON that say who measured
kernels() {
    who=$1 tree=$2
    shift 2
    lines=$PWD/build/speed.lines
    (cd "$tree" && build/release/bench/kernels --json --turns=3 --seconds=0.3 \
        ${clock:+--cpu-time --threads=1} "$@" >"$lines") || return 1
    sed "s/^{/{\"who\":\"$who\",/" "$lines" >>$figures
}

i=0
while [ $i -lt "$turns" ]; do
    i=$((i + 1))
    say "kernels, turn $i of $turns: base, Weft"
    kernels base "$BASE" common more blas compile
    kernels here "$PWD" common more blas compile
    for cpu in $(echo "$cpus" | tr , ' '); do
        say "kernels, turn $i of $turns: $cpu"
        if ! kernels "$cpu" "$PWD" --cpu="$cpu" common more blas 2>build/speed.err; then
            for file in bench/kernels/*.wgsl; do
                build/release/bin/weft compile --cpu="$cpu" "$file" >/dev/null
            done
            echo "{\"who\":\"$cpu\",\"compiles\":$(ls bench/kernels/*.wgsl | wc -l)}" >>$figures
        fi
    done
done
say "libraries: base, Weft"
bench/libraries.sh --turns="$turns" $clock >build/speed.libraries ||
    say "some rows of libraries fail"
node bench/speed.mjs build/speed.libraries ${clock:+--cpu-time} <$figures
