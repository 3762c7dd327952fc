// SPDX-License-Identifier: Apache-2.0
/*
 * pages.h - the files of the web pages, in memory.
 *
 * in     a folder
 * out    files by their address, also compressed
 * knows  file systems, content types
 * not    HTTP, what the pages do
 *
 * A request never touches the file system: an address is looked up in a table that was made
 * when the folder was read, so no address can leave the folder.
 */
#ifndef WEFT_SERVER_PAGES_H
#define WEFT_SERVER_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct PageFile {
    const char    *path;            /* "/vectors/cloud.js"                                */
    const char    *type;            /* of its content                                     */
    const uint8_t *data;
    size_t         size;
    const uint8_t *packed;          /* gzip; NULL: it would not be smaller                */
    size_t         packed_size;
    char           etag[36];        /* with its quotes                                    */
} PageFile;

typedef struct Pages Pages;

/* Reads all files below `folder`. NULL: `why`. */
Pages *pages_open(const char *folder, char *why, size_t size);
void   pages_close(Pages *pages);   /* NULL allowed                                       */

/* The file at an address: "/" and "/gpu-test/" mean index.html there, "/vectors" means
 * /vectors.html. NULL: none, or `pages` is NULL. */
const PageFile *pages_find(const Pages *pages, const char *path);

/* share/weft/web beside the folder of the running command. False: it has no such folder. */
bool pages_default_folder(char *out, size_t size);

#endif
