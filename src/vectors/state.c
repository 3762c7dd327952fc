// SPDX-License-Identifier: Apache-2.0
/*
 * state.c - numbers as bytes, little-endian on every machine.
 *
 * in     numbers, or bytes from outside
 * out    bytes, or numbers and whether they were there
 */
#include <math.h>
#include <string.h>

#include "vectors/vectors_priv.h"

static void put(StateWriter *w, uint64_t v, uint32_t bytes)
{
    BUG_IF((size_t)(w->end - w->at) < bytes, "a state is larger than its size");
    for (uint32_t i = 0; i < bytes; i++)
        *w->at++ = (uint8_t)(v >> (8 * i));
}

void state_put_u32(StateWriter *w, uint32_t v)
{
    put(w, v, 4);
}

void state_put_u64(StateWriter *w, uint64_t v)
{
    put(w, v, 8);
}

void state_put_f64(StateWriter *w, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put(w, bits, 8);
}

void state_put_floats(StateWriter *w, const float *v, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        put(w, bits, 4);
    }
}

static uint64_t get(StateReader *r, uint32_t bytes)
{
    uint64_t v = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < bytes; i++)
        v |= (uint64_t)*r->at++ << (8 * i);
    return v;
}

uint32_t state_get_u32(StateReader *r)
{
    return (uint32_t)get(r, 4);
}

uint64_t state_get_u64(StateReader *r)
{
    return get(r, 8);
}

double state_get_f64(StateReader *r)
{
    uint64_t bits = get(r, 8);
    double   v;
    memcpy(&v, &bits, sizeof v);
    r->failed = r->failed || !isfinite(v);
    return v;
}

bool state_get_floats(StateReader *r, float *out, uint64_t count)
{
    if ((uint64_t)(r->end - r->at) / 4 < count)
        r->failed = true;
    for (uint64_t i = 0; !r->failed && i < count; i++) {
        uint32_t bits = (uint32_t)get(r, 4);
        memcpy(&out[i], &bits, sizeof bits);
        r->failed = !isfinite(out[i]);
    }
    return !r->failed;
}
