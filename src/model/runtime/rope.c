// SPDX-License-Identifier: Apache-2.0
/*
 * rope.c - tables of rotations for the positions of a batch.
 *
 * in     positions; base, factors and scaling of a model
 * out    cosines and sines on the device, computed in f64
 * knows  linear scaling, yarn, long and short factors
 */
#include "model/runtime/runtime_priv.h"

#include <math.h>
#include <stdlib.h>

typedef struct Rope {
    const Params *p;
    const float  *factors;              /* NULL: none                              */
    double        base, factor;
    weft_model_scaling scaling;
    double        low, high;            /* yarn: dimensions between which it blends */
    double        magnitude;
} Rope;

/* The dimension that turns `turns` times within the original context. */
static double yarn_dimension(const Rope *r, double turns)
{
    return r->p->rotated * log(r->p->original_context / (turns * 2 * 3.14159265358979)) /
           (2 * log(r->base));
}

static void set_yarn(Rope *r)
{
    r->low = fmax(0, floor(yarn_dimension(r, 32)));
    r->high = fmin(r->p->rotated - 1.0, ceil(yarn_dimension(r, 1)));
    r->magnitude = (r->p->yarn_attention > 0 ? r->p->yarn_attention : 1) *
                   (1 + 0.1 * log(r->factor));
}

static Rope rope_of(const weft_model_session *s, double base, bool local)
{
    const weft_model *m = s->model;
    const Weights    *w = &m->weights;
    Rope r = {.p = &m->params, .base = base, .factor = s->desc.rope_factor, .magnitude = 1,
              .scaling = s->desc.rope_scaling};
    if (local && m->params.local_unscaled) {
        r.factor = 1;
        r.scaling = WEFT_MODEL_SCALING_NONE;
    }
    r.factors = w->rope_factors;
    if (w->rope_long && w->rope_short) {
        bool is_long = s->desc.context > m->params.original_context;
        r.factors = is_long ? w->rope_long : w->rope_short;
        double ratio = (double)m->params.context / m->params.original_context;
        r.magnitude = m->params.yarn_attention > 0 ? m->params.yarn_attention
                      : ratio <= 1 ? 1 : sqrt(1 + log(ratio) / log(m->params.original_context));
    } else if (r.scaling == WEFT_MODEL_SCALING_YARN) {
        set_yarn(&r);
    }
    return r;
}

/* The angle of pair i at a position. */
static double angle(const Rope *r, uint32_t i, double position)
{
    double theta = position * pow(r->base, -2.0 * i / r->p->rotated);
    if (r->factors)
        theta /= r->factors[i];
    if (r->scaling == WEFT_MODEL_SCALING_LINEAR)
        return theta / r->factor;
    if (r->scaling != WEFT_MODEL_SCALING_YARN)
        return theta;
    double span = fmax(0.001, r->high - r->low);
    double blend = 1 - fmin(1, fmax(0, (i - r->low) / span));   /* 1: as trained */
    return theta / r->factor * (1 - blend) + theta * blend;
}

/* Writes the table to all devices. */
static bool write_table(weft_model_session *s, bool local, const Rope *r,
                        const uint32_t *positions, uint32_t rows)
{
    uint32_t half = r->p->rotated / 2;
    uint64_t bytes = (uint64_t)rows * half * 2 * sizeof(float);
    float   *table = malloc(bytes);
    if (!table)
        return context_fail(s->model->ctx, WEFT_ERROR_MEMORY, "no memory for a table of rotations");
    for (uint32_t t = 0; t < rows; t++)
        for (uint32_t i = 0; i < half; i++) {
            double a = angle(r, i, positions[t]);
            table[(t * half + i) * 2] = (float)(cos(a) * r->magnitude);
            table[(t * half + i) * 2 + 1] = (float)(sin(a) * r->magnitude);
        }
    bool ok = true;
    for (uint32_t i = 0; i < s->model->nstages && ok; i++)
        ok = weft_buffer_write(local ? s->scratch[i].table_local : s->scratch[i].table, 0, table,
                               bytes);
    free(table);
    return ok;
}

bool rope_tables(weft_model_session *s, const uint32_t *positions, uint32_t rows)
{
    const Params *p = &s->model->params;
    if (p->arch->rope == ROPE_NONE)
        return true;
    Rope all = rope_of(s, s->desc.rope_base, false);
    if (!write_table(s, false, &all, positions, rows))
        return false;
    if (!p->local_rope)
        return true;
    Rope local = rope_of(s, p->rope_base_local, true);
    return write_table(s, true, &local, positions, rows);
}
