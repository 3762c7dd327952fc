// SPDX-License-Identifier: Apache-2.0
/*
 * front.h - a text through the whole front end, for the fuzzers.
 *
 * in     any bytes
 * out    whether they are a valid module; aborts if the front end breaks a promise
 * knows  check/check.h and weft/wgsl.h
 * not    where the text came from
 */
#ifndef WEFT_FUZZ_FRONT_H
#define WEFT_FUZZ_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* The modules: parse, check, dump; an accepted module is as the headers say. If
 * `why` is given and the text is refused, it gets the first message, malloc'ed. */
bool front_check(Str text, char **why);

/* The public API: diagnostics, reflection, specialisation. `choice` chooses a
 * memory limit, a limit of diagnostics and the values of overrides. */
bool front_wgsl(Str text, uint8_t choice);

#endif
