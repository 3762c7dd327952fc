// SPDX-License-Identifier: Apache-2.0
/*
 * disk.h - compiled objects in a folder, found by what they were made from.
 */
#ifndef WEFT_COMPILE_DISK_H
#define WEFT_COMPILE_DISK_H

#include "compile/pipeline.h"

/* What an object was made from, all of it, and a hash that names its file. */
typedef struct KernelKey {
    uint8_t *bytes;                 /* malloc'ed                                  */
    size_t   size;
    uint64_t hash;
} KernelKey;

uint64_t bytes_hash(const void *bytes, size_t size);

typedef struct DiskCache {
    char    *folder;                /* malloc'ed; NULL: none                      */
    uint64_t limit;                 /* bytes of all files                         */
} DiskCache;

/* Makes the folder if it is not there. A folder that cannot be used, or that
 * others may write to, is not used. */
void disk_cache_init(DiskCache *d, const char *folder, uint64_t limit);
void disk_cache_fini(DiskCache *d);

/* False: not there, damaged, or of other origin. */
bool disk_cache_read(const DiskCache *d, const KernelKey *key, CompiledObject *out);
/* Best effort: a full disk is no error. */
void disk_cache_write(const DiskCache *d, const KernelKey *key, const CompiledObject *o);

#endif
