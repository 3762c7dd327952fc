# SPDX-License-Identifier: Apache-2.0
#
# The short way in. Every target does its own set-up: what is missing is
# installed, what is stale is rebuilt.
#
#   make           build the library and the command
#   make run       start the compute server, with a job and word vectors
#   make demo      draw a picture with a kernel on this CPU
#   make test      every build, every test
#   make check     the release build and its tests: the quick one
#   make test-LAYER        the tests of one folder, such as test-tensor
#   make test-integration  tests that fetch npm packages and browsers
#   make stress    hostile mode: its build and its tests
#   make fuzz      each fuzzer, FUZZ_SECONDS=60
#   make soak      the compute server under load with faults, SOAK_SECONDS=3600
#   make bench     Weft beside C
#   make conformance   the WebGPU suite: CTS=DIR QUERIES=FILE ONLY=A1,B2 ADAPTER=NAME TIMEOUT=600
#   make install   headers, libraries, command: PREFIX=/usr/local DESTDIR=
#   make format    clang-format over the lines you changed
#   make clean     remove build/
#   make help      this list
#
# JOBS=N limits how many processes run at a time.

PREFIX       ?= /usr/local
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 3600
export JOBS  ?= $(shell nproc 2>/dev/null || echo 2)

# The longest first: the others' builds and tests go on beside it.
PRESETS      := release debug stress fuzz tsan

.PHONY: all run demo test test-integration check stress fuzz soak bench conformance install format clean help setup setup-build setup-integration

all: setup-build
	@tools/build release weft webgpu_weft webgpu_weft_static libweft libweft_static

setup:
	@tools/setup

setup-integration:
	@tools/setup integration

setup-build:
	@tools/setup build

run: setup-build
	@command -v npm >/dev/null || tools/setup run
	@tools/fetch-web
	@tools/build release weft
	@tools/run-server build/release/bin/weft build/demo-data

demo: setup-build
	@tools/build release weft
	@tools/demo build/release/bin/weft build/mandelbrot.png

check: setup
	@tools/run-tests release

test: setup
	@tools/run-tests $(PRESETS)

test-integration: setup-integration
	@tools/run-tests --integration release

test-%: setup
	@tools/run-tests --layer $* release

stress: setup
	@tools/run-tests stress

soak: all
	python3 -W ignore tests/server/soak.py build/release/bin/weft $(SOAK_SECONDS)
	python3 -W ignore tests/server/cluster_soak.py build/release/bin/weft $(SOAK_SECONDS)

fuzz: setup
	@tools/build fuzz
	@tools/fuzz $(FUZZ_SECONDS)

bench: setup
	@tools/build release
	@build/release/bench/kernels
	@build/release/bench/calls
	@build/release/bench/front

conformance: setup
	@tools/build release weft_node
	@node bindings/node/conformance/run.js --cts "$(CTS)" --jobs $(JOBS) \
	    $(if $(QUERIES),--queries "$(QUERIES)") $(if $(ONLY),--only "$(ONLY)") \
	    $(if $(ADAPTER),--adapter "$(ADAPTER)") $(if $(TIMEOUT),--timeout "$(TIMEOUT)")

format: setup
	@git clang-format --extensions c,h HEAD

install: all
	@cmake --install build/release --prefix "$(PREFIX)"

clean:
	rm -rf build

help:
	@sed -n 's/^#   make/make/p' Makefile
