// SPDX-License-Identifier: Apache-2.0
/*
 * rows.c - evaluates residuals and Jacobian, and expresses the Jacobian in columns of steps.
 *
 * in     a problem, its space, parameters
 * out    rows: residuals and derivatives by steps, corrected for robust losses; the cost
 * knows  weft/grad.h, loss.c, space.c
 * not    linear systems
 */
#include "solve/rows_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/matrix_priv.h"

/* ---- structure ---- */

/* What is needed to find the parameters of a term's instances. */
typedef struct Places {
    const Term      *t;
    const uint32_t  *index;
    weft_grad_block *blocks;
} Places;

static bool places_make(Places *at, const Term *t)
{
    *at = (Places){t, NULL, NULL};
    if (t->kind == TERM_FUNCTION)
        return true;
    at->index = weft_grad_batch_index(t->batch);
    at->blocks = malloc((t->blocks + 1u) * sizeof *at->blocks);
    for (uint32_t b = 0; at->blocks && b < t->blocks; b++)
        if (!weft_grad_batch_block(&at->blocks[b], t->batch, b))
            return false;
    return at->blocks != NULL;
}

/* parameter[inputs] of one instance. */
static void places_get(const Places *at, uint32_t *parameter, uint32_t instance)
{
    const Term *t = at->t;
    if (t->kind == TERM_FUNCTION) {
        memcpy(parameter, t->function.index, t->inputs * sizeof *parameter);
        return;
    }
    for (uint32_t b = 0; b < t->blocks; b++) {
        const weft_grad_block *block = &at->blocks[b];
        for (uint32_t i = 0; !block->fixed && i < block->size; i++)
            parameter[block->input + i] = at->index[(size_t)instance * t->blocks + b] + i;
    }
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The columns that an instance's parameters move, ascending; returns how many. */
static uint32_t collect(const Space *s, uint32_t *columns, const uint32_t *parameter,
                        uint32_t inputs)
{
    uint32_t count = 0, kept = 0;
    bool sorted = true;
    for (uint32_t c = 0; c < inputs; c++) {
        int32_t column = s->column[parameter[c]];
        const Curve *v = COLUMN_IS_CURVE(column) ? &s->curves[COLUMN_CURVE_OF(column)] : NULL;
        /* neighbours of one manifold add its columns once */
        if (column == COLUMN_FIXED || (v && count > 0 && columns[count - 1] + 1 ==
                                       v->at + v->c.tangent))
            continue;
        for (uint32_t i = 0; i < (v ? v->c.tangent : 1); i++)
            columns[count++] = (v ? v->at : (uint32_t)column) + i;
    }
    for (uint32_t i = 1; sorted && i < count; i++)
        sorted = columns[i - 1] < columns[i];
    if (sorted)
        return count;
    qsort(columns, count, sizeof *columns, compare_u32);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || columns[i] != columns[i - 1])
            columns[kept++] = columns[i];
    return kept;
}

static uint32_t place_in(const uint32_t *columns, uint32_t count, uint32_t column)
{
    uint32_t low = 0, high = count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (columns[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void map_inputs(const Space *s, int32_t *map, const uint32_t *parameter, uint32_t inputs,
                       const uint32_t *columns, uint32_t count)
{
    for (uint32_t c = 0; c < inputs; c++) {
        int32_t column = s->column[parameter[c]];
        if (COLUMN_IS_CURVE(column))
            column = (int32_t)s->curves[COLUMN_CURVE_OF(column)].at;
        map[c] = column == COLUMN_FIXED ? -1
                                        : (int32_t)place_in(columns, count, (uint32_t)column);
    }
}

/* Most columns of one instance: each input may move all of a manifold's step. */
static uint32_t most_columns(const Space *s, uint32_t inputs)
{
    uint32_t most = 1;
    for (uint32_t v = 0; v < s->curve_count; v++)
        most = s->curves[v].c.tangent > most ? s->curves[v].c.tangent : most;
    return inputs * most;
}

static bool is_plain(const Space *s, const uint32_t *parameter, uint32_t inputs)
{
    for (uint32_t c = 0; c < inputs; c++)
        if (s->column[parameter[c]] < 0 ||
            (c > 0 && s->column[parameter[c]] <= s->column[parameter[c - 1]]))
            return false;
    return true;
}

typedef struct Making {
    Rows     *r;
    uint64_t  room;                 /* of Rows.columns                                      */
    uint32_t *parameter, *columns;  /* of one instance                                      */
} Making;

static bool push_columns(Making *m, uint32_t count)
{
    Rows *r = m->r;
    if (r->column_count + count > m->room) {
        uint64_t room = 2 * (r->column_count + count) + 1024;
        uint32_t *more = realloc(r->columns, room * sizeof *more);
        if (!more)
            return false;
        r->columns = more;
        m->room = room;
    }
    memcpy(r->columns + r->column_count, m->columns, count * sizeof *m->columns);
    r->column_count += count;
    return true;
}

/* Whether every instance of a term is plain. */
static bool term_plain(Making *m, const Places *at)
{
    for (uint32_t i = 0; i < at->t->count; i++) {
        places_get(at, m->parameter, i);
        if (!is_plain(m->r->space, m->parameter, at->t->inputs))
            return false;
    }
    return true;
}

static bool add_instances(Making *m, RowsTerm *rt, const Places *at)
{
    Rows *r = m->r;
    uint32_t inputs = at->t->inputs;
    for (uint32_t i = 0; i < at->t->count; i++) {
        places_get(at, m->parameter, i);
        uint32_t count = collect(r->space, m->columns, m->parameter, inputs);
        r->instances[rt->first + i] = (Instance){
            r->value_count, r->residual_count, at->t->outputs, count, r->column_count};
        r->value_count += (uint64_t)at->t->outputs * count;
        r->residual_count += at->t->outputs;
        if (!push_columns(m, count))
            return false;
        if (rt->plain)
            continue;
        memcpy(rt->parameter + (size_t)i * inputs, m->parameter, inputs * sizeof *m->parameter);
        map_inputs(r->space, rt->map + (size_t)i * inputs, m->parameter, inputs, m->columns,
                   count);
    }
    return true;
}

static bool add_term(Making *m, RowsTerm *rt, const Term *t)
{
    Rows *r = m->r;
    Places at;
    bool ok = places_make(&at, t);
    uint32_t *more = realloc(m->parameter, (t->inputs + 1u) * sizeof *more);
    m->parameter = more ? more : m->parameter;
    ok = ok && more;
    more = realloc(m->columns, (most_columns(r->space, t->inputs) + 1ull) * sizeof *more);
    m->columns = more ? more : m->columns;
    ok = ok && more;
    size_t each = (size_t)t->count * t->inputs;
    *rt = (RowsTerm){.term = t, .first = r->count, .residual = r->residual_count,
                     .value = r->value_count};
    if (ok && !(rt->plain = term_plain(m, &at))) {
        rt->map = malloc((each + 1) * sizeof *rt->map);
        rt->parameter = malloc((each + 1) * sizeof *rt->parameter);
        rt->raw = malloc((each * t->outputs + 1) * sizeof *rt->raw);
        ok = rt->map && rt->parameter && rt->raw;
    }
    ok = ok && add_instances(m, rt, &at);
    r->count += t->count;
    free(at.blocks);
    return ok;
}

static bool allocate(Rows *r)
{
    r->values = malloc((r->value_count + PRODUCT_SLACK) * sizeof *r->values);
    r->next_values = malloc((r->value_count + PRODUCT_SLACK) * sizeof *r->values);
    r->residuals = malloc((r->residual_count + 1) * sizeof *r->residuals);
    r->next_residuals = malloc((r->residual_count + 1) * sizeof *r->residuals);
    return r->values && r->next_values && r->residuals && r->next_residuals;
}

bool rows_make(Rows *r, weft_solve_problem *p, Space *space)
{
    *r = (Rows){.p = p, .space = space};
    uint64_t instances = 0;
    for (uint32_t i = 0; i < p->terms.len; i++)
        instances += p->terms.data[i].kind == TERM_OBJECTIVE ? 0 : p->terms.data[i].count;
    r->terms = calloc(p->terms.len + 1u, sizeof *r->terms);
    r->instances = instances < UINT32_MAX ? malloc((instances + 1) * sizeof *r->instances) : NULL;
    Making m = {.r = r};
    bool ok = r->terms && r->instances;
    for (uint32_t i = 0; ok && i < p->terms.len; i++)
        if (p->terms.data[i].kind != TERM_OBJECTIVE)
            ok = add_term(&m, &r->terms[r->term_count++], &p->terms.data[i]);
    free(m.parameter);
    free(m.columns);
    if (ok && allocate(r))
        return true;
    rows_fini(r);
    return context_fail(p->ctx, WEFT_ERROR_MEMORY,
                        "%s: no memory for the Jacobian of %llu instances", p->label,
                        (unsigned long long)instances);
}

void rows_fini(Rows *r)
{
    for (uint32_t i = 0; i < r->term_count; i++) {
        free(r->terms[i].map);
        free(r->terms[i].parameter);
        free(r->terms[i].raw);
    }
    free(r->terms);
    free(r->instances);
    free(r->columns);
    free(r->values);
    free(r->next_values);
    free(r->residuals);
    free(r->next_residuals);
    *r = (Rows){0};
}

/* ---- evaluation ---- */

/* One instance: columns of inputs become columns of steps. */
static void convert(const Rows *r, const RowsTerm *rt, uint32_t i, double *to)
{
    const Space *s = r->space;
    const Instance *in = &r->instances[rt->first + i];
    uint32_t inputs = rt->term->inputs;
    const int32_t *map = rt->map + (size_t)i * inputs;
    const uint32_t *parameter = rt->parameter + (size_t)i * inputs;
    const double *raw = rt->raw + (size_t)i * in->outputs * inputs;
    memset(to, 0, (size_t)in->outputs * in->width * sizeof *to);
    for (uint32_t c = 0; c < inputs; c++) {
        int32_t column = s->column[parameter[c]];
        if (map[c] < 0)
            continue;
        if (!COLUMN_IS_CURVE(column)) {
            for (uint32_t o = 0; o < in->outputs; o++)
                to[(size_t)o * in->width + (uint32_t)map[c]] += raw[(size_t)o * inputs + c];
            continue;
        }
        const Curve *v = &s->curves[COLUMN_CURVE_OF(column)];
        const double *j = s->jacobians + v->jacobian +
                          (size_t)(parameter[c] - v->c.first) * v->c.tangent;
        for (uint32_t o = 0; o < in->outputs; o++)
            for (uint32_t t = 0; t < v->c.tangent; t++)
                to[(size_t)o * in->width + (uint32_t)map[c] + t] +=
                    raw[(size_t)o * inputs + c] * j[t];
    }
}

/* Residuals and Jacobian of an instance with a robust loss: the Gauss-Newton step of these is
 * the step of the loss (Triggs et al., Bundle Adjustment - A Modern Synthesis, 4.3). */
static double robust(const weft_solve_loss *loss, const Instance *in,
                     double *residual, double *values)
{
    double s = 0, rho[3];
    for (uint32_t o = 0; o < in->outputs; o++)
        s += residual[o] * residual[o];
    loss_at(rho, loss, s);
    if (!values)
        return rho[0] / 2;
    double root = sqrt(rho[1]), scale = root, alpha = 0;
    if (s > 0 && rho[2] > 0) {
        double d = sqrt(1 + 2 * s * rho[2] / rho[1]);
        alpha = (1 - d) / s;
        scale = root / d;
    }
    for (uint32_t c = 0; c < in->width; c++) {
        double along = 0;
        for (uint32_t o = 0; alpha != 0 && o < in->outputs; o++)
            along += residual[o] * values[(size_t)o * in->width + c];
        for (uint32_t o = 0; o < in->outputs; o++) {
            double *v = &values[(size_t)o * in->width + c];
            *v = root * (*v - alpha * residual[o] * along);
        }
    }
    for (uint32_t o = 0; o < in->outputs; o++)
        residual[o] *= scale;
    return rho[0] / 2;
}

static bool evaluate_raw(Rows *r, RowsTerm *rt, bool *defined, const double *x, bool residuals,
                         bool jacobian)
{
    const Term *t = rt->term;
    double *values = r->next_residuals + rt->residual;
    double *j = !jacobian ? NULL : rt->plain ? r->next_values + rt->value : rt->raw;
    if (t->kind != TERM_FUNCTION)
        return weft_grad_batch_evaluate(t->batch, &(weft_grad_evaluation){
            .x = x, .values = residuals ? values : NULL, .jacobian = j});
    double *own = malloc(t->inputs * sizeof *own);
    if (!own)
        return context_fail(r->p->ctx, WEFT_ERROR_MEMORY, "%s: no memory", t->function.label);
    for (uint32_t i = 0; i < t->inputs; i++)
        own[i] = x[t->function.index[i]];
    if (!t->function.evaluate(t->function.user, values, j, own))
        *defined = false;
    free(own);
    return true;
}

/* The rows of a term in the coordinates of steps, corrected; its cost is added. */
static void finish_term(Rows *r, RowsTerm *rt, bool jacobian)
{
    for (uint32_t i = 0; i < rt->term->count; i++) {
        const Instance *in = &r->instances[rt->first + i];
        double *values = jacobian ? r->next_values + in->value : NULL;
        double *residual = r->next_residuals + in->residual;
        if (jacobian && !rt->plain)
            convert(r, rt, i, values);
        if (rt->term->loss) {
            r->next_cost += robust(rt->term->loss, in, residual, values);
            continue;
        }
        double s = 0;
        for (uint32_t o = 0; o < in->outputs; o++)
            s += residual[o] * residual[o];
        r->next_cost += s / 2;
    }
}

bool rows_evaluate(Rows *r, bool *defined, const double *x, bool jacobian)
{
    *defined = true;
    r->next_cost = 0;
    r->next_jacobian = jacobian;
    if (jacobian)
        space_linearise(r->space, x);
    for (uint32_t i = 0; i < r->term_count; i++) {
        if (!evaluate_raw(r, &r->terms[i], defined, x, true, jacobian))
            return false;
        if (!*defined)
            return true;
        finish_term(r, &r->terms[i], jacobian);
    }
    *defined = isfinite(r->next_cost);
    return true;
}

bool rows_complete(Rows *r, bool *defined, const double *x)
{
    *defined = true;
    return r->next_jacobian || rows_evaluate(r, defined, x, true);
}

void rows_accept(Rows *r)
{
    double *values = r->values, *residuals = r->residuals;
    r->values = r->next_values;
    r->residuals = r->next_residuals;
    r->next_values = values;
    r->next_residuals = residuals;
    r->cost = r->next_cost;
    r->next_jacobian = false;
}

void rows_multiply(const Rows *r, double *out, const double *step)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const Instance *in = &r->instances[i];
        const uint32_t *columns = r->columns + in->column;
        for (uint32_t o = 0; o < in->outputs; o++) {
            const double *row = r->values + in->value + (size_t)o * in->width;
            double sum = 0;
            for (uint32_t c = 0; c < in->width; c++)
                sum += row[c] * step[columns[c]];
            out[in->residual + o] = sum;
        }
    }
}
