// SPDX-License-Identifier: Apache-2.0
/*
 * folder.h - files in a folder of the user's, each found by a number.
 */
#ifndef WEFT_COMPILE_FOLDER_H
#define WEFT_COMPILE_FOLDER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CacheFolder {
    char    *path;                  /* malloc'ed; NULL: none                      */
    uint64_t limit;                 /* bytes of all files                         */
    _Atomic uint64_t unseen;        /* bytes written since the files were counted  */
} CacheFolder;

#define FOLDER_LIMIT (UINT64_C(256) << 20)      /* unless there is another wish   */

/* Makes the folder if it is not there. A folder that cannot be used, or that
 * others may write to, is not used. `folder` NULL: the user's. */
void folder_init(CacheFolder *d, const char *folder, uint64_t limit);
void folder_fini(CacheFolder *d);

/* The whole file, malloc'ed; NULL: not there, or not the user's. */
void *folder_read(const CacheFolder *d, uint64_t name, size_t *size);
/* Best effort: a full disk is no error. The oldest files go beyond the limit, which is
 * looked at now and then: a folder may exceed it by a 64th for each that writes to it. */
void  folder_write(CacheFolder *d, uint64_t name, const void *bytes, size_t size);

uint64_t bytes_hash(const void *bytes, size_t size);

#endif
