// SPDX-License-Identifier: Apache-2.0
/*
 * verify.h - is a checked module what module.h and ast.h say it is?
 */
#ifndef WEFT_TESTS_CHECK_VERIFY_H
#define WEFT_TESTS_CHECK_VERIFY_H

#include "check/check.h"

/* What is wrong with the typed tree of a module without errors; NULL: nothing. */
const char *verify_module(const Module *m);

#endif
