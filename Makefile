# SPDX-License-Identifier: Apache-2.0
#
# The short way in. Every target does its own set-up: what is missing is
# installed, what is stale is rebuilt.
#
#   make           build it                    make check     release tests only
#   make run       show it at work             make test      all builds, all tests
#   make install PREFIX=/usr/local             make stress    hostile mode
#   make fuzz FUZZ_SECONDS=60                  make format    clang-format your changes
#   make bench     Weft beside C               make clean

PREFIX       ?= /usr/local
FUZZ_SECONDS ?= 60
export JOBS  ?= $(shell nproc 2>/dev/null || echo 2)

PRESETS      := release debug tsan stress fuzz

.PHONY: all run test check stress fuzz bench format install clean setup

all: setup
	@tools/build release

setup:
	@tools/setup

run: all
	@tools/demo build/release/bin/weft build/mandelbrot.png

check: setup
	@tools/run-tests release

test: setup
	@tools/run-tests $(PRESETS)

stress: setup
	@tools/run-tests stress

fuzz: setup
	@tools/build fuzz
	@tools/fuzz $(FUZZ_SECONDS)

bench: all
	@build/release/bench/kernels
	@build/release/bench/calls
	@build/release/bench/front

format: setup
	@git clang-format --extensions c,h HEAD

install: all
	@cmake --install build/release --prefix "$(PREFIX)"

clean:
	rm -rf build
