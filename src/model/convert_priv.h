/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert_priv.h - a folder on its way to become a GGUF file.
 */
#ifndef WEFT_MODEL_CONVERT_PRIV_H
#define WEFT_MODEL_CONVERT_PRIV_H

#include "model/gguf_write.h"
#include "model/value.h"

typedef struct Convert {
    weft_context *ctx;
    Arena        *arena;
    const char   *dir, *path, *name;
    bool          f32;                  /* matrices in f32, whatever they are      */
    Value         config;
    uint32_t      layers;
    GgufWriter    writer;
    weft_progress progress;
    void         *user;
    bool          ok;
} Convert;

/* The contents of a file of the folder. False without an error if it is not there and not
 * needed. */
bool convert_read(Str *out, Convert *c, const char *name, bool needed);
/* None if it is not there and not needed; false after an error. */
bool convert_read_json(Value *out, Convert *c, const char *name, bool needed);
const Value *convert_member(Value dict, const char *name);      /* NULL: none      */

/* Puts the WordPiece vocabulary of the folder: tokenizer.json, or vocab.txt. */
bool convert_vocabulary(Convert *c);

#endif
