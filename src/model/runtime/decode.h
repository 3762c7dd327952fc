/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.h - a batch on its way, part by part.
 *
 *     decode_begin(&d, s, batch);
 *     while (ok && !decode_is_done(&d))
 *         ok = decode_record(&d, &r) && <read r> && decode_take(&d, &r, data);
 *     decode_end(&d, ok);
 */
#ifndef WEFT_MODEL_RUNTIME_DECODE_H
#define WEFT_MODEL_RUNTIME_DECODE_H

#include "model/runtime/runtime_priv.h"

typedef struct Decode {
    weft_model_session *s;
    Plan     plan;
    size_t   at;                        /* tokens that are done                    */
    uint32_t rows;                      /* tokens of the part under way            */
    uint32_t outputs;                   /* rows of results so far                  */
    double   start;
} Decode;

/* Results of a part on the device: rows of n floats, `stride` apart. */
typedef struct Readback {
    weft_buffer *buffer;
    uint32_t     rows, stride, n;
    bool         hidden;                /* hidden states instead of logits         */
} Readback;

static inline uint64_t readback_bytes(const Readback *r)
{
    return (uint64_t)r->rows * r->stride * sizeof(float);
}

/* After an error there is nothing to end. */
bool decode_begin(Decode *d, weft_model_session *s, const weft_model_batch *batch);
bool decode_is_done(const Decode *d);
/* Records the next part; nothing is to be read if out->rows is 0. */
bool decode_record(Decode *d, Readback *out);
bool decode_take(Decode *d, const Readback *r, const float *data);
void decode_end(Decode *d, bool ok);

/* Is the batch one for logits? */
bool decode_check(weft_model_session *s, const weft_model_batch *batch);

#endif
