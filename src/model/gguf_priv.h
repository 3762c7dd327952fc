// SPDX-License-Identifier: Apache-2.0
/*
 * gguf_priv.h - the insides of a GGUF file: parts, metadata, tensors.
 *
 *   gguf.c          the public object: opening, split models, looking things up
 *   gguf_parse.c    bytes of one part into metadata and a list of tensors
 *   gguf_file.c     files: mapping and reading (the only one that knows the system)
 *   gguf_type.c     element types, weft_gguf_read()
 */
#ifndef WEFT_MODEL_GGUF_PRIV_H
#define WEFT_MODEL_GGUF_PRIV_H

#include <stdatomic.h>

#include <weft/model.h>

#include "base/arena.h"

/* One file of a model. */
typedef struct GgufPart {
    const char    *name;            /* for messages                                */
    const uint8_t *data;
    uint64_t       size;
    void          *owned;           /* malloc'ed copy, or NULL                     */
    void          *mapped;          /* mapping, or NULL                            */
} GgufPart;

/* What one part holds. In the file's arena. */
typedef struct GgufContents {
    uint32_t          version, alignment;
    uint64_t          nvalues, ntensors;
    weft_gguf_value  *values;       /* [nvalues]                                   */
    weft_gguf_tensor *tensors;      /* [ntensors]                                  */
} GgufContents;

struct weft_gguf {
    atomic_uint       refs;
    weft_context     *ctx;
    Arena             arena;        /* of everything below but file contents       */
    GgufPart         *parts;        /* [nparts]                                    */
    uint32_t          nparts;
    bool              header_only;
    GgufContents      all;          /* of all parts together                       */
    const weft_gguf_value  **by_key;    /* [nvalues] sorted                            */
    const weft_gguf_tensor **by_name;   /* [ntensors] sorted                       */
    weft_gguf_info    info;
};

/* Reads part `index` of `file`. False after an error. Under arena_try(). */
bool gguf_parse(weft_gguf *file, uint32_t index, GgufContents *out);
/* Fails with kind "format"; `field` is the name of what is wrong, `at` its place. */
bool gguf_fail(const weft_gguf *file, const GgufPart *part, uint64_t at, const char *field,
               const char *fmt, ...) PRINTF_LIKE(5, 6);

/* Makes the contents of a file available; false after an error. */
bool gguf_file_open(GgufPart *part, weft_context *ctx, const char *path, bool copy,
                    weft_progress progress, void *user);
void gguf_file_close(GgufPart *part);
/* Gives the memory of these bytes back to the system, where the file is mapped: they are read
 * again when they are used. */
void gguf_file_forget(const GgufPart *part, uint64_t offset, uint64_t size);

/* Bytes of an element of metadata; 0: strings, arrays, unknown kinds. */
uint32_t gguf_kind_size(weft_gguf_kind kind);
/* "Q4_K - medium" of general.file_type; NULL: unknown. */
const char *gguf_file_type_name(uint64_t number);

#endif
