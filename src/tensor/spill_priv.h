// SPDX-License-Identifier: Apache-2.0
/*
 * spill_priv.h - files that hold tensors which left the device: the one place of this layer
 * that touches the file system.
 */
#ifndef WEFT_TENSOR_SPILL_PRIV_H
#define WEFT_TENSOR_SPILL_PRIV_H

#include "context/context.h"

/* A new file in `dir` with these bytes; its path, to be freed. NULL with the error set. */
char *spill_write(weft_context *ctx, const char *dir, const void *data, uint64_t bytes);
/* Exactly `bytes` bytes of the file, to be freed. NULL with the error set. */
void *spill_read(weft_context *ctx, const char *path, uint64_t bytes);
void  spill_remove(const char *path);

#endif
