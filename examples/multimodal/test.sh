#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# test.sh - the multimodal example against its references.
#
#   examples/multimodal/test.sh CHECK VISION [MULTIMODAL]
#
# CHECK and MULTIMODAL are the programs, VISION the folder of SqueezeNet. With MULTIMODAL the data
# of the text encoder is fetched, and the programs in C and JavaScript must print the same table.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
check=$1 vision=$2 multimodal=${3:-}
[ -d "$vision" ] || { echo "left out: there is no $vision"; exit 0; }
if [ -z "$multimodal" ]; then
    exec "$check" "$vision"
fi

data=$top/build/multimodal
"$top/examples/multimodal/fetch.sh" "$data" >&2 || { echo "left out: the data cannot be fetched"; exit 0; }
"$check" "$vision" "$data/minilm" "$top/examples/multimodal/reference.json"

pictures="$data/pictures/chelsea.png $data/pictures/coffee.png $data/pictures/motorcycle_left.png"
# shellcheck disable=SC2086  # paths without spaces
table=$("$multimodal" "$data" "$vision" $pictures -- 'a cat' 'a cup of coffee' 'a motorcycle')
echo "$table"
# shellcheck disable=SC2086
"$multimodal" "$data" "$vision" "$data/none.png" 2>/dev/null && { echo "a missing picture is no error"; exit 1; }

# Each picture has its own sentence: the largest number of a row is on the diagonal.
echo "$table" | awk 'NR > 1 { best = 2; for (i = 3; i <= 4; i++) if ($i > $best) best = i;
    if (best != NR) { print "row " NR - 1 ": " $0; bad = 1 } } END { exit bad }'

if command -v node >/dev/null && [ -e "${check%/examples/*}/bindings/node/weft.node" ]; then
    export WEFT_NODE_ADDON="${check%/examples/*}/bindings/node/weft.node"
    MULTIMODAL_DATA=$data node --test "$top/examples/multimodal/js/check.test.mjs" >"$data/log" || { cat "$data/log"; exit 1; }
    # shellcheck disable=SC2086
    other=$(node "$top/examples/multimodal/js/main.mjs" --data "$data" --vision "$vision" $pictures \
        --text 'a cat' --text 'a cup of coffee' --text 'a motorcycle')
    [ "$table" = "$other" ] || { echo "JavaScript prints another table:"; echo "$other"; exit 1; }
fi
