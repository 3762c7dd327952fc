// SPDX-License-Identifier: Apache-2.0
/*
 * store_priv.h - the parts of a store, for the files of this folder.
 *
 *   store.c        the API: opening, listing, reading, putting, committing
 *   entry.c        elements of an entry as tensors have them
 *   safetensors.c  one file, and an index of several
 *   npz.c          npy and npz; npy.c reads the head of an array, zip.c the archive
 *   folder.c       objects and manifests; clean.c deletes unreferenced objects
 *   file.c         the operating system
 */
#ifndef WEFT_STORE_STORE_PRIV_H
#define WEFT_STORE_STORE_PRIV_H

#include <weft/store.h>

#include "store/file_priv.h"
#include "store/sha256.h"

/* How the elements in a file become those of a tensor. */
typedef enum Convert {
    CONVERT_NONE, CONVERT_SWAP,         /* bytes in the other order                    */
    CONVERT_I16, CONVERT_U16,           /* to 32 bits                                  */
    CONVERT_BOOL,                       /* anything but zero is 1                      */
} Convert;

/* One tensor of a file. */
typedef struct Entry {
    const char *name, *type;
    weft_dtype  dtype;                  /* WEFT_DTYPE_NONE: not readable               */
    Convert     convert;
    bool        fortran;                /* the first axis is the fastest               */
    bool        swapped;                /* with I16, U16                               */
    uint32_t    rank;
    uint64_t    shape[WEFT_MAX_RANK];
    uint64_t    count;                  /* elements                                    */
    uint64_t    bytes;                  /* of the elements in the file                 */
    Mapping    *file;                   /* the store's                                 */
    uint64_t    offset;                 /* in the file                                 */
    /* zip: the member around it */
    bool        deflated;
    uint32_t    crc;
    uint64_t    member, packed, unpacked;   /* offset and sizes of its data            */
    uint64_t    head;                   /* bytes before the elements, unpacked         */
    /* folder */
    const char *sha256;                 /* hex                                         */
} Entry;

/* What was put since the last commit. */
typedef struct Put {
    const char *name;
    bool        removed;
    weft_dtype  dtype;
    uint32_t    rank;
    uint64_t    shape[WEFT_MAX_RANK];
    uint64_t    bytes, at;              /* at: in the spool                            */
    char       *temporary;              /* folder: the file of the object, malloc'ed   */
    char        sha256[SHA256_HEX];
} Put;

typedef struct Pair {
    const char *key, *value;
} Pair;

typedef VEC(Entry) Entries;
typedef VEC(Put)   Puts;
typedef VEC(Pair)  Pairs;

struct weft_store {
    weft_context     *ctx;
    uint32_t          refs;
    Arena             arena;            /* of what was read: until the next commit     */
    Arena             changes;          /* of what was put                             */
    weft_store_desc   desc;             /* resolved; its texts are malloc'ed           */
    Entries           entries;          /* sorted by name                              */
    Pairs             metadata;
    VEC(Mapping *)    files;            /* of the entries                              */
    Puts              puts;
    Pairs             new_metadata;     /* value NULL: removed                         */
    int               spool;            /* -1: none                                    */
    uint64_t          spooled;
    VEC(weft_store_model) models;       /* of the last listing                         */
    Arena             listing;
    int64_t           created;          /* of the model; 0: it is new                  */
};

/* A wrong file: always false. `field` is the tensor or the part of the file. */
bool store_fail_format(weft_store *s, const char *path, const char *field, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* Checks shape, type and size of an entry and adds it; false with the error set. */
bool store_add_entry(weft_store *s, const char *path, const Entry *e);
/* Entries by name; a name that is there twice is an error. */
bool store_sort(weft_store *s, const char *path);
const Entry *store_find_entry(const weft_store *s, const char *name);
/* Maps a file of the store; NULL with the error set. */
Mapping *store_map(weft_store *s, const char *path);
void     store_add_metadata(weft_store *s, const char *key, const char *value);

/* ---- entries ---- */

/* The product of the sizes; false if it is above 2^62. */
bool entry_count(uint64_t *out, uint32_t rank, const uint64_t *shape);
/* Bytes of the elements as a tensor has them. */
uint64_t entry_tensor_bytes(const Entry *e);
/* Elements as a tensor has them, but in the order of the file. */
bool entry_elements(weft_store *s, const Entry *e, void *out);
/* The same in the order of C. */
bool entry_read(weft_store *s, const Entry *e, void *out);
weft_tensor *entry_tensor(weft_store *s, const Entry *e);

/* ---- committing: what the new file contains ---- */

/* Either an old entry or a put; sorted by name. */
typedef struct Item {
    const char  *name;
    const Entry *entry;                 /* NULL: put                                   */
    const Put   *put;
} Item;

typedef VEC(Item) Items;

/* The elements of an item, as tensors have them, in the order of C, into the file. */
bool item_write(weft_store *s, OutFile *f, const Item *item);
uint64_t item_bytes(const Item *item);
weft_dtype item_dtype(const Item *item);
const uint64_t *item_shape(const Item *item, uint32_t *rank);
/* The metadata with its changes, in `arena`. */
void store_new_metadata(Pairs *out, Arena *arena, const weft_store *s);

/* ---- formats: read fills entries and metadata; write makes the new file ---- */

bool safetensors_read(weft_store *s);
bool safetensors_write(weft_store *s, const Items *items, Arena *arena);
bool sharded_read(weft_store *s);
bool sharded_write(weft_store *s, const Items *items, Arena *arena);
bool npy_read(weft_store *s);
bool npy_write(weft_store *s, const Items *items, Arena *arena);
bool npz_read(weft_store *s);
bool npz_write(weft_store *s, const Items *items, Arena *arena);
bool models_read(weft_store *s);
bool models_write(weft_store *s, const Items *items, Arena *arena);

/* Whether a type can be written; false with the error set. */
bool safetensors_can_write(weft_store *s, const char *name, weft_dtype dtype);
bool npy_can_write(weft_store *s, const char *name, weft_dtype dtype);

/* ---- zip ---- */

/* Unpacks the first `size` bytes of a deflated member. */
bool zip_unpack(weft_store *s, const Entry *e, void *out, uint64_t size);
uint32_t zip_crc(uint32_t crc, const void *data, uint64_t size);

/* ---- the folder ---- */

/* Opens the file of an entry's object, the first time. */
bool  folder_map_object(weft_store *s, Entry *e);
/* Puts elements into a file of their own, named by their checksum. */
bool  folder_put(weft_store *s, Put *put, const void *data);
char *folder_object_path(Arena *arena, const weft_store *s, const char *sha256);
char *folder_manifest_path(Arena *arena, const weft_store *s, const char *model);
/* Reads a manifest: `tensor` is called for each one; false with the error set. */
typedef bool (*FolderTensor)(void *user, const char *name, const char *dtype,
                             const uint64_t *shape, uint32_t rank, const char *sha256);
typedef struct Manifest {
    const char *model;
    int64_t     created;
    Pairs       metadata;
} Manifest;
bool folder_read_manifest(weft_store *s, Arena *arena, const char *path, Manifest *out,
                          FolderTensor tensor, void *user);
int  folder_lock(weft_store *s);
/* Objects by name (their checksum) and size. */
bool folder_objects(FileList *out, Arena *arena, weft_store *s);

#endif
