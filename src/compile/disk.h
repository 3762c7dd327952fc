// SPDX-License-Identifier: Apache-2.0
/*
 * disk.h - compiled objects in a folder, found by what they were made from.
 */
#ifndef WEFT_COMPILE_DISK_H
#define WEFT_COMPILE_DISK_H

#include "compile/folder.h"
#include "compile/pipeline.h"

/* What an object was made from, all of it, and a hash that names its file. */
typedef struct KernelKey {
    uint8_t *bytes;                 /* malloc'ed                                  */
    size_t   size;
    uint64_t hash;
} KernelKey;

/* False: not there, damaged, or of other origin. */
bool disk_cache_read(const CacheFolder *d, const KernelKey *key, CompiledObject *out);
/* Best effort: a full disk is no error. */
void disk_cache_write(CacheFolder *d, const KernelKey *key, const CompiledObject *o);

#endif
