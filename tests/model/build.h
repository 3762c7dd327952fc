// SPDX-License-Identifier: Apache-2.0
/*
 * build.h - GGUF files made byte by byte, right or wrong, for tests.
 */
#ifndef WEFT_TESTS_MODEL_BUILD_H
#define WEFT_TESTS_MODEL_BUILD_H

#include <weft/model.h>

#include "base/arena.h"

typedef struct Build {
    Arena *arena;
    VEC(uint8_t) bytes;
} Build;

void build_bytes(Build *b, const void *data, size_t size);
void build_u32(Build *b, uint32_t value);
void build_u64(Build *b, uint64_t value);
void build_string(Build *b, const char *text);
void build_pad(Build *b, uint32_t alignment);

/* "GGUF", the version and the counts. */
void build_header(Build *b, uint32_t version, uint64_t tensors, uint64_t values);
/* Values with their keys. */
void build_text(Build *b, const char *key, const char *text);
void build_number(Build *b, const char *key, uint32_t value);
void build_flag(Build *b, const char *key, bool value);
void build_texts(Build *b, const char *key, const char *const *texts, size_t count);
void build_floats(Build *b, const char *key, const float *values, size_t count);
void build_ints(Build *b, const char *key, const int32_t *values, size_t count);
/* An entry of the tensor list, of one dimension. */
void build_tensor(Build *b, const char *name, uint64_t elements, uint32_t type, uint64_t offset);

#endif
