// SPDX-License-Identifier: Apache-2.0
/*
 * result.c - outputs of a job as they are stored.
 *
 * in     outputs, or the stored bytes
 * out    bytes, or outputs that point into them
 */
#include "server/jobs/jobs.h"

void result_pack_begin(Pack *p, uint32_t count)
{
    pack_u32(p, count);
}

void result_pack(Pack *p, const JobOutput *o)
{
    pack_text(p, o->name);
    pack_u32(p, o->scalar);
    pack_u32(p, o->dims);
    for (uint32_t i = 0; i < o->dims; i++)
        pack_u64(p, o->shape[i]);
    pack_bytes(p, o->bytes, o->size);
}

uint32_t result_unpack(StoreBlob blob, JobOutput *out, uint32_t room)
{
    Unpack   u = {.data = blob.data, .size = blob.data ? blob.size : 0};
    uint32_t count = blob.data ? unpack_u32(&u) : 0, n = 0;
    for (; n < count && n < room && !u.failed; n++) {
        JobOutput *o = &out[n];
        *o = (JobOutput){.name = unpack_text(&u, WIRE_MAX_NAME)};
        o->scalar = (WireScalar)unpack_u32(&u);
        o->dims = unpack_u32(&u);
        if (o->dims > WIRE_MAX_DIMS)
            return n;
        for (uint32_t i = 0; i < o->dims; i++)
            o->shape[i] = unpack_u64(&u);
        o->bytes = unpack_bytes(&u, &o->size);
    }
    return u.failed && n ? n - 1 : n;
}
