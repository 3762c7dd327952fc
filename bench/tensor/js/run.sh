#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh - tensors in JavaScript beside C and ONNX Runtime, two threads, in one run.
#
#   bench/tensor/js/run.sh [small] [models] [cold]
#
# small    microseconds of a small operation from JavaScript and from C
# models   MiniLM 1x128 and SqueezeNet end to end, beside ONNX Runtime on the same weights
# cold     the multimodal example with an empty cache of kernels, and again
# PYTHON names a Python with onnx and onnxruntime; examples/multimodal/fetch.sh gets the data.
set -eu
cd "$(dirname "$0")/../../.."
parts=${*:-small models cold}
python=${PYTHON:-python3}
data=${MULTIMODAL_DATA:-build/multimodal}
vision=../shared/data/vision/squeezenet1.1
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

wants() { case " $parts " in *" $1 "*) true ;; *) false ;; esac; }

if wants small; then
    build/release/bench/tensor_small >"$temp/c"
    node bench/tensor/js/small.mjs >"$temp/js"
    echo "small operation      C us    JavaScript us    more us"
    paste -d ' ' "$temp/c" "$temp/js" |
        awk '{ printf "%-16s %8.2f %16.2f %10.2f\n", $1, $2, $4, $4 - $2 }'
fi

# The shorter of two turns each, one after the other.
shorter() { sort -k1,1 -k2,2n "$@" | awk '$1 != last { print } { last = $1 }'; }

if wants models; then
    has_rival=$("$python" -c 'import onnx, onnxruntime; print(1)' 2>/dev/null || true)
    [ "$has_rival" ] || echo "no onnxruntime in $python: PYTHON names one that has it" >&2
    for turn in 1 2; do
        node bench/tensor/js/models.mjs "$data" "$vision" >"$temp/js$turn"
        if [ "$has_rival" ]; then
            "$python" bench/tensor/js/rivals.py "$data" "$vision" >"$temp/ort$turn"
        else
            awk '{ print $1, "-", $3 }' "$temp/js$turn" >"$temp/ort$turn"
        fi
    done
    shorter "$temp/js1" "$temp/js2" >"$temp/js"
    shorter "$temp/ort1" "$temp/ort2" >"$temp/ort"
    echo "model            Weft ms    ONNX Runtime ms    ratio"
    paste -d ' ' "$temp/js" "$temp/ort" | awk '
        $3 - $6 > 0.01 || $6 - $3 > 0.01 { print $1 ": the results differ: " $3 " " $6; bad = 1 }
        { printf "%-16s %7.2f %18s %8s\n", $1, $2, $5, $5 == "-" ? "-" : sprintf("%.2f", $2 / $5) }
        END { exit bad }'
fi

if wants cold; then
    echo "first result of the example, seconds"
    for what in cold warm; do
        start=$(date +%s.%N)
        XDG_CACHE_HOME=$temp/cache node examples/multimodal/js/main.mjs --data "$data" >/dev/null
        date +%s.%N | awk -v s="$start" -v w="$what" '{ printf "%-16s %7.2f\n", w, $1 - s }'
    done
fi
