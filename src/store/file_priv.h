// SPDX-License-Identifier: Apache-2.0
/*
 * file_priv.h - files of the store: mapped to read, replaced in one step, locked.
 */
#ifndef WEFT_STORE_FILE_PRIV_H
#define WEFT_STORE_FILE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "context/context.h"

/* ---- reading ---- */

typedef struct Mapping {
    uint32_t       refs;
    const uint8_t *data;                /* [size]                                      */
    uint64_t       size;
} Mapping;

/* NULL with the error set. */
Mapping *mapping_open(weft_context *ctx, const char *path);
Mapping *mapping_retain(Mapping *m);
void     mapping_release(Mapping *m);

/* ---- writing ---- */

/* A new file beside the old one; file_replace() puts it in its place, durably. */
typedef struct OutFile {
    weft_context *ctx;
    int           fd;                   /* -1: not open                                */
    char         *path, *temporary;
    uint64_t      size;
} OutFile;

bool file_begin(OutFile *f, weft_context *ctx, const char *path);
bool file_write(OutFile *f, const void *data, uint64_t size);
/* Bytes of another open file. */
bool file_write_from(OutFile *f, int from, uint64_t offset, uint64_t size);
bool file_replace(OutFile *f);
/* Keeps the temporary file: *path, malloc'ed, names it. */
bool file_keep(OutFile *f, char **path);
void file_abandon(OutFile *f);          /* after the others it does nothing            */

/* A file without a name, for elements until the commit; -1 with the error set. */
int  spool_open(weft_context *ctx, const char *path);
bool spool_append(weft_context *ctx, int fd, uint64_t at, const void *data, uint64_t size);
bool spool_read(weft_context *ctx, int fd, uint64_t at, void *out, uint64_t size);
void spool_close(int fd);

/* ---- folders ---- */

bool folder_make(weft_context *ctx, const char *path);
bool folder_sync(weft_context *ctx, const char *path);
bool file_exists(const char *path);
bool path_is_folder(const char *path);
bool file_move(weft_context *ctx, const char *from, const char *to);
bool file_remove(weft_context *ctx, const char *path);
void file_touch(const char *path);

typedef struct FileInfo {
    const char *name;                   /* in the folder                               */
    uint64_t    size;
    int64_t     changed;                /* seconds since 1970                          */
} FileInfo;

typedef VEC(FileInfo) FileList;

/* Regular files, or folders, sorted by name; a folder that does not exist is empty. */
bool folder_list(FileList *out, Arena *arena, weft_context *ctx, const char *path,
                 bool folders);

/* Excludes other processes until file_unlock(); -1 with the error set. */
int  file_lock(weft_context *ctx, const char *path);
void file_unlock(int lock);

int64_t file_now(void);                 /* seconds since 1970                          */
/* Part of the name of a temporary file: which process made it. */
bool    file_maker_is_gone(const char *name);

#endif
