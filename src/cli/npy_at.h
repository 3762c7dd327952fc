// SPDX-License-Identifier: Apache-2.0
/*
 * npy_at.h - the numbers of a .npy file.
 */
#ifndef WEFT_CLI_NPY_AT_H
#define WEFT_CLI_NPY_AT_H

#include "store/npy.h"

/* Integers above 2^53 are not exact. */
double npy_at(const Npy *npy, uint64_t index);

#endif
