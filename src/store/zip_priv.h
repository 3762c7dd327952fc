// SPDX-License-Identifier: Apache-2.0
/*
 * zip_priv.h - the members of a zip archive.
 */
#ifndef WEFT_STORE_ZIP_PRIV_H
#define WEFT_STORE_ZIP_PRIV_H

#include "store/store_priv.h"

typedef struct ZipReader {
    weft_store *store;
    Mapping    *file;
    uint64_t    count;                  /* of members                                  */
    uint64_t    at, size;               /* of the rest of the directory                */
} ZipReader;

typedef struct ZipMember {
    const char *name;
    uint32_t    flags, method, crc;
    uint64_t    packed, unpacked;       /* bytes                                       */
    uint64_t    local, data;            /* offsets in the file                         */
} ZipMember;

bool zip_open(ZipReader *z, weft_store *s, Mapping *file);
/* Call it `count` times. */
bool zip_next(ZipReader *z, ZipMember *m);

#endif
