#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# test.sh - the tests of the package with mix, in a folder of the build.
#
#   bindings/elixir/test.sh LIBDIR FOLDER [MIX TEST OPTION...]
#
# LIBDIR has libweft.so; FOLDER gets what mix builds. Without Elixir they are left out.
set -eu
lib=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
cd "$(dirname "$0")"
for tool in mix erl cc; do
    command -v $tool >/dev/null && continue
    echo "left out: $tool is missing; tools/setup integration installs it"
    exit 0
done
[ -e "$(erl -noshell -eval 'io:put_chars(code:root_dir()), halt().')/usr/include/erl_nif.h" ] || {
    echo "left out: erl_nif.h is missing; tools/setup integration installs it"
    exit 0
}
export WEFT_INCLUDE="$PWD/../../include" WEFT_LIB_DIR="$lib" MIX_BUILD_PATH="$folder/test"
export MIX_ENV=test MIX_HOME="$folder/mix" HEX_OFFLINE=1 LC_ALL=C.UTF-8
[ -n "${WEFT_WEBGPU:-}${WEFT_TEST_BACKEND:-}" ] || export WEFT_ADAPTER=cpu
exec mix test "$@"
