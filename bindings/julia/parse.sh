#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# parse.sh - gets tree-sitter-julia by npm and runs parse.mjs.
#
#   bindings/julia/parse.sh FOLDER          what npm installs goes there
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v npm >/dev/null || { echo "left out: npm is missing"; exit 0; }
mkdir -p "$1"
cd "$1"
[ -e package.json ] || echo '{ "private": true }' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts tree-sitter-julia@0.23.1 \
    web-tree-sitter@0.24.7 >&2 || { echo "left out: npm cannot install tree-sitter-julia"; exit 0; }
node "$here/parse.mjs" .
