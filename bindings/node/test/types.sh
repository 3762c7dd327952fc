#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# types.sh - the compiler of TypeScript accepts the package's declarations, and a program with them.
#
#   bindings/node/test/types.sh FOLDER          what npm installs goes there
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
cd "$1"
[ -e package.json ] || echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund typescript@5 @webgpu/types@0.1 @types/node@20 >&2 ||
    { echo "left out: npm cannot install TypeScript"; exit 0; }
mkdir -p node_modules/weft-gpu
cp "$top"/package.json "$top"/*.d.ts node_modules/weft-gpu/
cp "$top/test/types.mts" types.mts
# The same as CommonJS, where await needs a function.
{
    sed -n '/^import/,/^import { defaultContext/p' types.mts
    echo 'export const run = async () => {'
    sed '1,/^import { defaultContext/d; /^export {/d' types.mts
    echo '};'
} >types.cts
npx --no-install tsc --noEmit --strict --target es2022 --module node16 --moduleResolution node16 \
    --lib es2022,dom --types @webgpu/types,node types.mts types.cts
