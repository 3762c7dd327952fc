// SPDX-License-Identifier: Apache-2.0
/*
 * entry.c - the elements of an entry, as tensors have them.
 *
 * in     bytes in a mapped file, of any alignment and order
 * out    host memory, or tensors that read the mapping when they are used
 * knows  which types tensors have
 * not    where entries come from
 */
#include <stdlib.h>

#include "store/store_priv.h"

bool entry_count(uint64_t *out, uint32_t rank, const uint64_t *shape)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank; i++)
        if (shape[i] == 0) {
            *out = 0;
            return true;
        }
    for (uint32_t i = 0; i < rank; i++) {
        if (shape[i] > ((uint64_t)1 << 62) / count)
            return false;
        count *= shape[i];
    }
    *out = count;
    return true;
}

uint64_t entry_tensor_bytes(const Entry *e)
{
    return weft_dtype_bytes(e->dtype, e->count);
}

/* ---- converting ---- */

static void swap_elements(uint8_t *data, uint64_t count, uint32_t size)
{
    for (uint64_t i = 0; i < count; i++, data += size)
        for (uint32_t k = 0; k < size / 2; k++) {
            uint8_t byte = data[k];
            data[k] = data[size - 1 - k];
            data[size - 1 - k] = byte;
        }
}

static void widen(uint8_t *out, const uint8_t *from, uint64_t count, bool is_signed, bool swapped)
{
    for (uint64_t i = 0; i < count; i++, from += 2, out += 4) {
        uint32_t value = swapped ? (uint32_t)from[0] << 8 | from[1]
                                 : (uint32_t)from[1] << 8 | from[0];
        if (is_signed && value >= 0x8000)
            value |= 0xffff0000u;
        memcpy(out, &value, sizeof value);
    }
}

static void convert(uint8_t *out, const uint8_t *from, const Entry *e)
{
    uint64_t bytes = entry_tensor_bytes(e);
    switch (e->convert) {
    case CONVERT_NONE:
    case CONVERT_SWAP:
        memcpy(out, from, (size_t)bytes);
        if (e->convert == CONVERT_SWAP)
            swap_elements(out, e->count, (uint32_t)weft_dtype_bytes(e->dtype, 1));
        break;
    case CONVERT_I16:
    case CONVERT_U16:
        widen(out, from, e->count, e->convert == CONVERT_I16, e->swapped);
        break;
    case CONVERT_BOOL:
        for (uint64_t i = 0; i < e->count; i++)
            out[i] = from[i] != 0;
        break;
    }
}

/* ---- loading ---- */

static bool check_readable(weft_store *s, const Entry *e)
{
    const char *names[] = {e->name, NULL};
    return e->dtype != WEFT_DTYPE_NONE
        || context_fail_names(s->ctx, WEFT_ERROR_TYPE, names,
                              "'%s' is of type %s, which tensors do not have", e->name, e->type);
}

static bool check_sum(weft_store *s, const Entry *e)
{
    if (!s->desc.verify)
        return true;
    if (e->sha256) {
        Sha256 sum;
        char   hex[SHA256_HEX];
        sha256_init(&sum);
        sha256_add(&sum, e->file->data + e->offset, e->bytes);
        sha256_hex(hex, &sum);
        if (strcmp(hex, e->sha256) != 0)
            return store_fail_format(s, s->desc.path, e->name, "its checksum is wrong");
    }
    if (s->desc.format == WEFT_STORE_NPZ && !e->deflated
        && zip_crc(0, e->file->data + e->member, e->unpacked) != e->crc)
        return store_fail_format(s, s->desc.path, e->name, "its checksum is wrong");
    return true;
}

/* All bytes of the member, malloc'ed; NULL with the error set. */
static uint8_t *unpack(weft_store *s, const Entry *e)
{
    uint8_t *all = malloc((size_t)e->unpacked + 1);
    if (!all) {
        context_fail(s->ctx, WEFT_ERROR_MEMORY, "'%s': no memory for %llu bytes", e->name,
                     (unsigned long long)e->unpacked);
        return NULL;
    }
    if (zip_unpack(s, e, all, e->unpacked) && (zip_crc(0, all, e->unpacked) == e->crc
        || store_fail_format(s, s->desc.path, e->name, "its checksum is wrong")))
        return all;
    free(all);
    return NULL;
}

bool entry_elements(weft_store *s, const Entry *e, void *out)
{
    if (!check_readable(s, e) || !check_sum(s, e))
        return false;
    if (!e->deflated) {
        convert(out, e->file->data + e->offset, e);
        return true;
    }
    uint8_t *all = unpack(s, e);
    if (all)
        convert(out, all + e->head, e);
    free(all);
    return all != NULL;
}

/* From the order of Fortran to the order of C. */
static void reorder(uint8_t *out, const uint8_t *from, const Entry *e, uint64_t item)
{
    uint64_t at[WEFT_MAX_RANK] = {0}, step[WEFT_MAX_RANK], total = 1;
    for (uint32_t i = 0; i < e->rank; i++) {
        step[i] = total;
        total *= e->shape[i];
    }
    for (uint64_t n = 0; n < e->count; n++) {
        uint64_t index = 0;
        for (uint32_t i = 0; i < e->rank; i++)
            index += at[i] * step[i];
        memcpy(out + n * item, from + index * item, (size_t)item);
        for (uint32_t i = e->rank; i-- > 0 && ++at[i] == e->shape[i];)
            at[i] = 0;
    }
}

bool entry_read(weft_store *s, const Entry *e, void *out)
{
    if (!e->fortran)
        return entry_elements(s, e, out);
    uint8_t *middle = malloc((size_t)entry_tensor_bytes(e) + 1);
    bool     ok = middle ? entry_elements(s, e, middle)
                         : context_fail(s->ctx, WEFT_ERROR_MEMORY, "'%s': no memory", e->name);
    if (ok)
        reorder(out, middle, e, weft_dtype_bytes(e->dtype, 1));
    free(middle);
    return ok;
}

/* ---- tensors ---- */

static bool is_plain(const Entry *e)
{
    if (e->deflated || e->convert == CONVERT_SWAP || e->convert == CONVERT_I16
        || e->convert == CONVERT_U16)
        return false;
    uint8_t any = 0;
    for (uint64_t i = 0; e->convert == CONVERT_BOOL && i < e->count; i++)
        any |= e->file->data[e->offset + i];
    return any <= 1;
}

static void end_mapping(void *user)
{
    mapping_release(user);
}

/* The tensor borrows `data`; `end` gets `user` when it does not need it any more. */
static weft_tensor *borrowing(weft_store *s, const Entry *e, const void *data,
                              void (*end)(void *), void *user)
{
    weft_tensor_desc d = {.dtype = e->dtype, .rank = e->rank, .label = e->name,
                          .data = e->count ? data : NULL, .borrow = e->count != 0,
                          .borrow_end = end, .borrow_user = user};
    for (uint32_t i = 0; i < e->rank; i++)
        d.shape[i] = e->shape[e->fortran ? e->rank - 1 - i : i];
    weft_tensor *t = weft_tensor_create(s->ctx, &d);
    if (!t || !e->count)
        end(user);
    if (!t || !e->fortran)
        return t;
    weft_tensor *turned = weft_tensor_permute(t, NULL);
    weft_tensor_release(t);
    return turned;
}

weft_tensor *entry_tensor(weft_store *s, const Entry *e)
{
    if (!check_readable(s, e))
        return NULL;
    if (is_plain(e))
        return check_sum(s, e) ? borrowing(s, e, e->file->data + e->offset, end_mapping,
                                           mapping_retain(e->file)) : NULL;
    uint8_t *own = malloc((size_t)entry_tensor_bytes(e) + 1);
    if (!own)
        context_fail(s->ctx, WEFT_ERROR_MEMORY, "'%s': no memory", e->name);
    if (own && entry_elements(s, e, own))
        return borrowing(s, e, own, free, own);
    free(own);
    return NULL;
}
