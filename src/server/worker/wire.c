// SPDX-License-Identifier: Apache-2.0
/*
 * wire.c - packs and unpacks the messages of worker processes.
 *
 * in     fields, or bytes that may be hostile
 * out    bytes, or fields; `failed` after anything that does not fit
 * not    sockets, JSON
 */
#include "server/worker/wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

static const struct { const char *name; uint32_t size; } scalars[] = {
    [WIRE_ANY] = {"bytes", 0}, [WIRE_F32] = {"f32", 4}, [WIRE_I32] = {"i32", 4},
    [WIRE_U32] = {"u32", 4},   [WIRE_F16] = {"f16", 2}, [WIRE_U8] = {"u8", 1},
};

uint32_t wire_scalar_size(WireScalar scalar)
{
    return scalar < COUNTOF(scalars) ? scalars[scalar].size : 0;
}

const char *wire_scalar_name(WireScalar scalar)
{
    return scalar < COUNTOF(scalars) ? scalars[scalar].name : "bytes";
}

WireScalar wire_scalar_find(const char *name)
{
    for (uint32_t i = 1; i < COUNTOF(scalars); i++)
        if (strcmp(scalars[i].name, name) == 0)
            return (WireScalar)i;
    return WIRE_ANY;
}

/* ---- packing ---- */

static uint8_t *pack_room(Pack *p, size_t size)
{
    if (p->failed || size > SIZE_MAX / 4 - p->size) {
        p->failed = true;
        return NULL;
    }
    if (p->size + size > p->room) {
        size_t   room = MAX_OF(p->room * 2, p->size + size + 256);
        uint8_t *data = realloc(p->data, room);
        if (!data) {
            p->failed = true;
            return NULL;
        }
        p->data = data;
        p->room = room;
    }
    uint8_t *at = p->data + p->size;
    p->size += size;
    return at;
}

void pack_raw(Pack *p, const void *bytes, size_t size)
{
    uint8_t *at = pack_room(p, size);
    if (at && size)
        memcpy(at, bytes, size);
}

void pack_u32(Pack *p, uint32_t value)
{
    pack_raw(p, &value, sizeof value);
}

void pack_u64(Pack *p, uint64_t value)
{
    pack_raw(p, &value, sizeof value);
}

void pack_text(Pack *p, const char *text)
{
    size_t size = strlen(text);
    pack_u32(p, (uint32_t)size);
    pack_raw(p, text, size + 1);
}

void pack_bytes(Pack *p, const void *bytes, uint64_t size)
{
    static const uint8_t zeros[8] = {0};
    pack_u64(p, size);
    pack_raw(p, zeros, (8 - p->size % 8) % 8);
    pack_raw(p, bytes, size);
}

void pack_fini(Pack *p)
{
    free(p->data);
    *p = (Pack){0};
}

/* ---- unpacking ---- */

const void *unpack_raw(Unpack *u, size_t size)
{
    if (u->failed || size > u->size - u->at) {
        u->failed = true;
        return NULL;
    }
    const void *at = u->data + u->at;
    u->at += size;
    return at;
}

uint32_t unpack_u32(Unpack *u)
{
    uint32_t    value = 0;
    const void *at = unpack_raw(u, sizeof value);
    if (at)
        memcpy(&value, at, sizeof value);
    return value;
}

uint64_t unpack_u64(Unpack *u)
{
    uint64_t    value = 0;
    const void *at = unpack_raw(u, sizeof value);
    if (at)
        memcpy(&value, at, sizeof value);
    return value;
}

const char *unpack_text(Unpack *u, size_t limit)
{
    uint32_t size = unpack_u32(u);
    if (size > limit)
        u->failed = true;
    const char *text = unpack_raw(u, (size_t)size + 1);
    if (text && (text[size] != '\0' || strlen(text) != size)) {
        u->failed = true;
        text = NULL;
    }
    return text ? text : "";
}

const uint8_t *unpack_bytes(Unpack *u, uint64_t *size)
{
    *size = unpack_u64(u);
    unpack_raw(u, (8 - u->at % 8) % 8);
    const uint8_t *bytes = unpack_raw(u, *size);
    if (u->failed)
        *size = 0;
    return bytes;
}

/* ---- job specs ---- */

/* Marks the number of the format. Format 2 has none: it begins with the length of its WGSL,
 * which is smaller. */
#define NUMBERED 0x80000000u

static uint32_t format_of(Unpack u)
{
    uint32_t first = unpack_u32(&u);
    return first & NUMBERED ? first & ~NUMBERED : 2;
}

uint32_t job_spec_format(const void *bytes, size_t size)
{
    return format_of((Unpack){.data = bytes, .size = size});
}

static void pack_output(Pack *p, const WireOutput *o)
{
    pack_text(p, o->name);
    pack_text(p, o->buffer ? o->buffer : "");
    pack_u32(p, o->scalar);
    pack_u64(p, o->size);
    pack_u32(p, o->dims);
    for (uint32_t i = 0; i < o->dims; i++)
        pack_u64(p, o->shape[i]);
}

void job_spec_pack(Pack *p, const JobSpec *s)
{
    pack_u32(p, NUMBERED | WIRE_SPEC_FORMAT);
    pack_text(p, s->profile ? s->profile : "");
    pack_text(p, s->wgsl);
    pack_text(p, s->entry);
    pack_text(p, s->runner);
    pack_text(p, s->publish ? s->publish : "");
    pack_raw(p, s->groups, sizeof s->groups);
    pack_u32(p, s->portable);
    pack_u64(p, s->memory_limit);
    pack_u64(p, s->ops_limit);
    pack_u64(p, s->time_limit);
    pack_u32(p, s->input_count);
    pack_u32(p, s->output_count);
    pack_u32(p, s->constant_count);
    for (uint32_t i = 0; i < s->input_count; i++) {
        pack_text(p, s->inputs[i].name);
        pack_u32(p, s->inputs[i].kind);
        pack_bytes(p, s->inputs[i].data, s->inputs[i].size);
    }
    for (uint32_t i = 0; i < s->output_count; i++)
        pack_output(p, &s->outputs[i]);
    for (uint32_t i = 0; i < s->constant_count; i++) {
        pack_text(p, s->constants[i].name);
        pack_raw(p, &s->constants[i].value, sizeof(double));
    }
    /* What follows a spec in a message is aligned again. */
    static const uint8_t zeros[8] = {0};
    pack_raw(p, zeros, (8 - p->size % 8) % 8);
}

static void unpack_output(Unpack *u, WireOutput *o)
{
    o->name = unpack_text(u, WIRE_MAX_NAME);
    o->buffer = unpack_text(u, WIRE_MAX_NAME);
    o->scalar = (WireScalar)unpack_u32(u);
    o->size = unpack_u64(u);
    o->dims = unpack_u32(u);
    if (o->dims > WIRE_MAX_DIMS || o->scalar >= COUNTOF(scalars)) {
        u->failed = true;
        o->dims = 0;
    }
    for (uint32_t i = 0; i < o->dims; i++)
        o->shape[i] = unpack_u64(u);
}

bool job_spec_unpack(Unpack *u, JobSpec *s)
{
    uint32_t format = format_of(*u);
    *s = (JobSpec){.profile = ""};
    if (format < 2 || format > WIRE_SPEC_FORMAT)
        return false;
    if (format > 2) {
        unpack_u32(u);
        s->profile = unpack_text(u, WIRE_MAX_NAME);
    }
    s->wgsl = unpack_text(u, UINT32_MAX);
    s->entry = unpack_text(u, WIRE_MAX_NAME);
    s->runner = unpack_text(u, WIRE_MAX_NAME);
    s->publish = unpack_text(u, WIRE_MAX_NAME);
    for (int i = 0; i < 3; i++)
        s->groups[i] = unpack_u32(u);
    s->portable = unpack_u32(u) != 0;
    s->memory_limit = unpack_u64(u);
    s->ops_limit = unpack_u64(u);
    s->time_limit = unpack_u64(u);
    s->input_count = unpack_u32(u);
    s->output_count = unpack_u32(u);
    s->constant_count = unpack_u32(u);
    if (s->input_count > WIRE_MAX_INPUTS || s->output_count > WIRE_MAX_INPUTS
        || s->constant_count > WIRE_MAX_INPUTS)
        return false;
    for (uint32_t i = 0; i < s->input_count; i++) {
        s->inputs[i].name = unpack_text(u, WIRE_MAX_NAME * 2);
        s->inputs[i].kind = (WireData)unpack_u32(u);
        s->inputs[i].data = unpack_bytes(u, &s->inputs[i].size);
    }
    for (uint32_t i = 0; i < s->output_count; i++)
        unpack_output(u, &s->outputs[i]);
    for (uint32_t i = 0; i < s->constant_count; i++) {
        s->constants[i].name = unpack_text(u, WIRE_MAX_NAME);
        const void *value = unpack_raw(u, sizeof(double));
        if (value)
            memcpy(&s->constants[i].value, value, sizeof(double));
    }
    unpack_raw(u, (8 - u->at % 8) % 8);
    return !u->failed;
}
