#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# speed.sh - how fast kernels are on the CPU device, for processors with AVX2 and with
# AVX-512, beside C and OpenBLAS, and beside an older commit.
#
#   bench/speed.sh [--base=COMMIT] [--cpu=NAME,...] [--turns=N] [--cpu-time] [--quick]
#                  [--parts=base,cpus,libraries] [--rows=NAME,...]
#
# --cpu names the processors to compile for (default: x86-64-v3,x86-64-v4); one that this
# machine cannot run is compiled for, and not timed. The older commit knows this machine
# alone, so it is beside kernels for this machine. Libraries come as for libraries.sh, ggml
# from a build of llama.cpp (cmake -DWEFT_GGML=FOLDER).
#
# --parts leaves out what it does not name: kernels beside the older commit, beside C for each
# processor, libraries. --rows names kernels and sets of bench/kernels instead of all. --quick
# measures each a tenth of a second in one turn. What was not measured is `-` in the table.
set -eu
cd "$(dirname "$0")/.."

base=7a87752 cpus=x86-64-v3,x86-64-v4 turns=2 clock= seconds=0.3
parts=base,cpus,libraries rows=common,more,blas,quant
for word; do
    case $word in
        --base=*) base=${word#--base=} ;;
        --cpu=*) cpus=${word#--cpu=} ;;
        --turns=*) turns=${word#--turns=} ;;
        --cpu-time) clock=$word ;;
        --quick) turns=1 seconds=0.1 ;;
        --parts=*) parts=${word#--parts=} ;;
        --rows=*) rows=${word#--rows=} ;;
        *) sed -n -e 's/^#   bench/usage: bench/p' -e 's/^#    *\[/           [/p' bench/speed.sh >&2; exit 2 ;;
    esac
done
rows=$(echo "$rows" | tr , ' ')
# has PART: was it asked for?
has() { case ",$parts," in *",$1,"*) ;; *) return 1 ;; esac; }
if [ -z "${BASE:-}" ] && { has base || has libraries; }; then
    BASE=$PWD/build/base
    [ -d "$BASE" ] || git clone --quiet --shared . "$BASE"
    git -C "$BASE" checkout --quiet "$base"
    (cd "$BASE" && tools/build release weft_node bench_kernels)
fi
[ -z "${BASE:-}" ] || export BASE
tools/build release weft weft_node bench_kernels

figures=build/speed.jsonl
: >$figures
say() { echo "speed.sh: $*" >&2; }
# kernels WHO TREE OPTION...: lines of JSON that say who measured
kernels() {
    who=$1 tree=$2
    shift 2
    lines=$PWD/build/speed.lines
    (cd "$tree" && build/release/bench/kernels --json --turns=3 --seconds=$seconds \
        ${clock:+--cpu-time --threads=1} "$@" >"$lines") || return 1
    sed "s/^{/{\"who\":\"$who\",/" "$lines" >>$figures
}

# beside_base: kernels that both commits have
beside_base() {
    both=$({ "$BASE/build/release/bench/kernels" --list; build/release/bench/kernels --list; } |
        awk -v rows=" $rows " '(index(rows, " " $1 " ") || index(rows, " " $2 " ")) && n[$1]++ { print $1 }')
    kernels base "$BASE" $both compile
    kernels here "$PWD" $both compile
}

i=0
while [ $i -lt "$turns" ]; do
    i=$((i + 1))
    if has base; then
        say "kernels, turn $i of $turns: base, Weft"
        beside_base
    fi
    has cpus || continue
    for cpu in $(echo "$cpus" | tr , ' '); do
        say "kernels, turn $i of $turns: $cpu"
        if ! kernels "$cpu" "$PWD" --cpu="$cpu" $rows 2>build/speed.err; then
            for file in bench/kernels/*.wgsl; do
                build/release/bin/weft compile --cpu="$cpu" "$file" >/dev/null
            done
            echo "{\"who\":\"$cpu\",\"compiles\":$(ls bench/kernels/*.wgsl | wc -l)}" >>$figures
        fi
    done
done
rm -f build/speed.libraries
if has libraries; then
    say "libraries: base, Weft"
    bench/libraries.sh --turns="$turns" $clock >build/speed.libraries ||
        say "some rows of libraries fail"
fi
node bench/speed.mjs build/speed.libraries ${clock:+--cpu-time} <$figures
