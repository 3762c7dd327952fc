#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# headers.sh - each public header alone, and all of them at once, as C11 and as C++11.
#
#   headers.sh CC FOLDER HEADER...      FOLDER has all_headers.h
set -eu
cc=$1
folder=$2
shift 2
cd "$(dirname "$0")/../.."
for language in "c -std=c11" "c++ -std=c++11"; do
    for header in all_headers.h "$@"; do
        # shellcheck disable=SC2086
        printf '#include <%s>\nextern int unused;\n' "$header" |
            "$cc" -x $language -Wall -Wextra -Werror -pedantic -fsyntax-only \
                -Iinclude -I"$folder" - || {
            echo "<$header> does not compile as $language" >&2
            exit 1
        }
    done
done
