// SPDX-License-Identifier: Apache-2.0
/*
 * data_fuzz.c - data from outside into buffers: any bytes as a .npy file, as text of
 * numbers, as what stands on the command line.
 *
 * The first byte chooses how the rest is read, the second one for which type. What is
 * accepted must fill a buffer of just the size that was measured.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST ((uint64_t)1 << 20)        /* bytes of a buffer                         */

static const weft_type f32 = {WEFT_TYPE_SCALAR, "f32", WEFT_SCALAR_F32, 4, 4, NULL, 0, 0, NULL};
static const weft_type f16 = {WEFT_TYPE_SCALAR, "f16", WEFT_SCALAR_F16, 2, 2, NULL, 0, 0, NULL};
static const weft_type u32 = {WEFT_TYPE_SCALAR, "u32", WEFT_SCALAR_U32, 4, 4, NULL, 0, 0, NULL};
static const weft_type i32 = {WEFT_TYPE_SCALAR, "i32", WEFT_SCALAR_I32, 4, 4, NULL, 0, 0, NULL};
static const weft_type vec3h = {WEFT_TYPE_VECTOR, "vec3h", WEFT_SCALAR_F16, 8, 6, &f16, 3, 2, NULL};
static const weft_type floats = {WEFT_TYPE_ARRAY, "array<f32>", 0, 4, 0, &f32, 0, 4, NULL};
static const weft_type ints = {WEFT_TYPE_ARRAY, "array<i32, 3>", 0, 4, 12, &i32, 3, 4, NULL};
static const weft_type halves = {WEFT_TYPE_ARRAY, "array<vec3h>", 0, 8, 0, &vec3h, 0, 8, NULL};
static const weft_type bytes = {WEFT_TYPE_BYTES, "buffer", 0, 0, 0, NULL, 0, 0, NULL};
static const weft_member members[] = {
    {"count", "u32", 0, 4, 4, &u32}, {"all", "array<vec3h>", 8, 0, 8, &halves},
};
static const weft_struct counted = {"Counted", 8, 8, members, 2};
static const weft_type structure = {WEFT_TYPE_STRUCT, "Counted", 0, 8, 0, NULL, 0, 0, &counted};

static const weft_type *const types[] = {&f32, &vec3h, &floats, &ints, &halves, &bytes,
                                         &structure};

/* False: the bytes are refused. */
static bool take_in(Value *v, Arena *arena, uint8_t how, const uint8_t *data, size_t size)
{
    const char *why = NULL;
    *v = (Value){.arena = arena};
    switch (how % 4) {
    case 0:
        v->kind = VALUE_NPY;
        v->path = "fuzz.npy";
        if (npy_open(&v->npy, arena, data, size, &why))
            return true;
        BUG_IF(!why, "refused without a reason");
        return false;
    case 1:
        v->kind = VALUE_TEXT;
        v->file.name = "fuzz.txt";
        v->list = (Str){(const char *)data, (uint32_t)size};
        return true;
    case 2:
        v->kind = VALUE_RAW;
        v->path = "fuzz.bin";
        v->file = (Source){.text = arena_copy(arena, data, size), .size = size};
        return true;
    default:
        break;
    }
    char *text = arena_printf(arena, "%.*s", (int)size, (const char *)data);
    if (value_parse(v, arena, text))
        return !v->path;                /* a file of that name is no business of ours */
    BUG_IF(!v->why, "refused without a reason");
    return false;
}

static void fill(Value *v, Arena *arena, const weft_type *type)
{
    Shape       s = data_shape(arena, type);
    uint64_t    count = 0;
    const char *why = NULL;
    if (!data_measure(&s, v, arena, &count, &why)) {
        BUG_IF(!why, "refused without a reason");
        return;
    }
    uint64_t size = shape_size(&s, count);
    if (size > MOST)
        return;
    BUG_IF(s.tail && data_shape_count(&s, size) != count, "the size has another count");
    uint8_t *buffer = calloc(1, size ? size : 1);
    if (buffer && !data_fill(&s, v, count, buffer, &why))
        BUG_IF(!why, "refused without a reason");
    free(buffer);
}

typedef struct Input {
    Arena          arena;
    const uint8_t *data;
    size_t         size;
} Input;

static void run(void *context)
{
    Input *in = context;
    Value  v;
    if (take_in(&v, &in->arena, in->data[0], in->data + 2, in->size - 2))
        fill(&v, &in->arena, types[in->data[1] % COUNTOF(types)]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Input in = {.data = data, .size = size};
    if (size < 2)
        return 0;
    arena_init(&in.arena, (size_t)64 << 20);
    if (!arena_try(&in.arena, run, &in)) {
        /* Running out of memory is an answer. */
    }
    arena_fini(&in.arena);
    return 0;
}
