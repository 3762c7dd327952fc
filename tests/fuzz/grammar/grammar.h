// SPDX-License-Identifier: Apache-2.0
/*
 * grammar.h - random WGSL modules of all stages, valid by construction, and texts
 * that are almost such modules.
 *
 * in     a string of choices: a fuzzer's bytes
 * out    a text that the front end must accept; or one with small mistakes
 * knows  rules.def, the grammar
 * not    what such a module does when it runs: see differ/gen.h for that
 */
#ifndef WEFT_FUZZ_GRAMMAR_H
#define WEFT_FUZZ_GRAMMAR_H

#include "base/arena.h"
#include "base/str.h"

/* A valid module. After the end of the bytes every choice is the first. */
Str grammar_module(Arena *a, const uint8_t *bytes, size_t size);

/* The text with `count` of its tokens removed, doubled, exchanged or changed. */
Str grammar_mutate(Arena *a, Str text, uint32_t seed, uint32_t count);

#endif
