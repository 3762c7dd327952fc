// SPDX-License-Identifier: Apache-2.0
/*
 * gguf_type.c - kinds of metadata, element types of tensors, and elements as f32.
 *
 * in     numbers of types as files have them; blocks
 * out    their names and sizes; f32
 * knows  gguf_types.def
 * not    how a file is laid out
 */
#include "context/context.h"
#include "model/dequant.h"
#include "model/gguf_priv.h"

typedef struct TypeRow {
    const char   *name;
    uint32_t      elements, bytes;
    DequantReader reader;
} TypeRow;

static const TypeRow types[] = {
#define GGUF_TYPE(name, number, elements, bytes, reader)                                 \
    [number] = {#name, elements, bytes, reader},
#include "model/gguf_types.def"
#undef GGUF_TYPE
};

/* The numbers of the public enumeration are those of the table. */
#define GGUF_TYPE(name, number, elements, bytes, reader) \
    _Static_assert(WEFT_GGUF_TYPE_##name == number, #name);
#include "model/gguf_types.def"
#undef GGUF_TYPE

static const TypeRow *row(weft_gguf_type type)
{
    static const TypeRow none = {0};
    return (uint32_t)type < COUNTOF(types) ? &types[type] : &none;
}

const char *weft_gguf_type_name(weft_gguf_type type)
{
    return row(type)->name;
}

uint32_t weft_gguf_type_elements(weft_gguf_type type)
{
    return row(type)->elements;
}

uint32_t weft_gguf_type_bytes(weft_gguf_type type)
{
    return row(type)->bytes;
}

bool weft_gguf_type_readable(weft_gguf_type type)
{
    return row(type)->reader != NULL;
}

bool weft_gguf_dequantize(float *out, const void *blocks, weft_gguf_type type, uint64_t count)
{
    const TypeRow *t = row(type);
    if (!t->reader || count % t->elements)
        return false;
    t->reader(out, blocks, count / t->elements);
    return true;
}

/* Elements `first` to `first + count` of a tensor whose blocks are at `data`. */
static void read_elements(float *out, const TypeRow *t, const uint8_t *data, uint64_t first,
                          uint64_t count)
{
    float    block[256];
    uint64_t skip = first % t->elements;
    data += first / t->elements * t->bytes;
    if (skip) {
        uint64_t take = MIN_OF(count, t->elements - skip);
        t->reader(block, data, 1);
        memcpy(out, block + skip, (size_t)take * sizeof *out);
        data += t->bytes;
        out += take;
        count -= take;
    }
    uint64_t whole = count / t->elements;
    t->reader(out, data, whole);
    if (count % t->elements) {
        t->reader(block, data + whole * t->bytes, 1);
        memcpy(out + whole * t->elements, block, (size_t)(count % t->elements) * sizeof *out);
    }
}

bool weft_gguf_read(float *out, const weft_gguf *file, const weft_gguf_tensor *tensor,
                    uint64_t first, uint64_t count)
{
    const uint8_t *data = weft_gguf_data(file, tensor);
    if (!data)
        return false;
    const TypeRow *t = row(tensor->type);
    if (!t->reader)
        return context_fail(file->ctx, WEFT_ERROR_UNSUPPORTED,
                            "tensor '%s': elements of type %s cannot be read",
                            tensor->name, t->name);
    if (first > tensor->elements || count > tensor->elements - first)
        return context_fail(file->ctx, WEFT_ERROR_INVALID,
                            "tensor '%s' has %llu elements; asked for %llu from %llu on",
                            tensor->name, (unsigned long long)tensor->elements,
                            (unsigned long long)count, (unsigned long long)first);
    read_elements(out, t, data, first, count);
    return true;
}

uint32_t gguf_kind_size(weft_gguf_kind kind)
{
    switch (kind) {
    case WEFT_GGUF_U8: case WEFT_GGUF_I8: case WEFT_GGUF_BOOL:  return 1;
    case WEFT_GGUF_U16: case WEFT_GGUF_I16:                     return 2;
    case WEFT_GGUF_U32: case WEFT_GGUF_I32: case WEFT_GGUF_F32: return 4;
    case WEFT_GGUF_U64: case WEFT_GGUF_I64: case WEFT_GGUF_F64: return 8;
    default:                                                    return 0;
    }
}

const char *gguf_file_type_name(uint64_t number)
{
    static const char *const names[] = {
        [0] = "F32", [1] = "F16", [2] = "Q4_0", [3] = "Q4_1", [7] = "Q8_0", [8] = "Q5_0",
        [9] = "Q5_1", [10] = "Q2_K - medium", [11] = "Q3_K - small", [12] = "Q3_K - medium",
        [13] = "Q3_K - large", [14] = "Q4_K - small", [15] = "Q4_K - medium",
        [16] = "Q5_K - small", [17] = "Q5_K - medium", [18] = "Q6_K", [19] = "IQ2_XXS",
        [20] = "IQ2_XS", [21] = "Q2_K - small", [22] = "IQ3_XS", [23] = "IQ3_XXS", [24] = "IQ1_S",
        [25] = "IQ4_NL", [26] = "IQ3_S", [27] = "IQ3_S mix", [28] = "IQ2_S", [29] = "IQ2_M",
        [30] = "IQ4_XS", [31] = "IQ1_M", [32] = "BF16", [36] = "TQ1_0", [37] = "TQ2_0",
        [38] = "MXFP4 experts", [39] = "NVFP4", [40] = "Q1_0", [41] = "Q2_0",
    };
    return number < COUNTOF(names) ? names[number] : NULL;
}
