// SPDX-License-Identifier: Apache-2.0
/*
 * einsum.c - sums of products over named axes: "bij,bjk->bik".
 *
 * in     an equation, tensors
 * out    diagonals, sums, and one product of matrices for each pair of operands
 * knows  weft/tensor.h alone
 *
 * Axes are numbered: letters, then those that "..." stands for, counted from the last, which
 * broadcast. Each operand is a tensor with one such number for each of its axes.
 */
#include <string.h>

#include "tensor/compose_priv.h"

#define ELLIPSIS 64u                /* number of the last axis of "..."                     */
#define AXES     (ELLIPSIS + MAX_RANK)

typedef struct Operand {
    weft_tensor *t;
    uint32_t     rank;
    uint8_t      axis[2 * MAX_RANK];
} Operand;

static bool wrong(weft_context *ctx, const char *equation, const char *why)
{
    return context_fail(ctx, WEFT_ERROR_SHAPE, "einsum \"%.80s\": %s", equation, why);
}

/* ---- reading the equation ---- */

static int letter(char c)
{
    return c >= 'a' && c <= 'z' ? c - 'a' : c >= 'A' && c <= 'Z' ? c - 'A' + 26 : -1;
}

/* The axes of one term; `rank` tells how many "..." stands for. Returns false if it does not fit;
 * *end is behind the term. */
static bool read_term(Operand *o, const char *text, const char **end, uint32_t rank)
{
    uint32_t letters = 0, dots = 0;
    const char *p;
    for (p = text; *p && *p != ',' && *p != '-'; p++) {
        letters += letter(*p) >= 0;
        dots += *p == '.';
    }
    *end = p;
    if ((dots != 0 && dots != 3) || letters > rank || letters > MAX_RANK
        || (dots == 0 && letters != rank) || rank > MAX_RANK)
        return false;
    o->rank = 0;
    for (p = text; p < *end; p++) {
        if (letter(*p) >= 0) {
            o->axis[o->rank++] = (uint8_t)letter(*p);
        } else if (p[0] == '.' && p[1] == '.' && p[2] == '.') {
            for (uint32_t i = rank - letters; i-- > 0;)
                o->axis[o->rank++] = (uint8_t)(ELLIPSIS + i);
            p += 2;
        } else if (*p != ' ') {
            return false;
        }
    }
    return o->rank == rank;
}

static int find_axis(const Operand *o, uint32_t axis)
{
    for (uint32_t i = 0; i < o->rank; i++)
        if (o->axis[i] == axis)
            return (int)i;
    return -1;
}

/* The result's axes: given, or every axis that occurs once, letters in order, after "...". */
static bool read_result(Operand *out, const char *text, const Operand *list, uint32_t count)
{
    uint32_t uses[AXES] = {0}, dots = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < list[i].rank; k++) {
            uses[list[i].axis[k]]++;
            if (list[i].axis[k] >= ELLIPSIS)
                dots = MAX_OF(dots, list[i].axis[k] - ELLIPSIS + 1);
        }
    *out = (Operand){.rank = 0};
    if (text) {
        const char *end;
        uint32_t    letters = 0;
        bool        has_dots = strchr(text, '.') != NULL;
        for (const char *p = text; *p; p++)
            letters += letter(*p) >= 0;
        if (letters + dots > MAX_RANK
            || !read_term(out, text, &end, letters + (has_dots ? dots : 0)) || *end)
            return false;
        for (uint32_t i = 0; i < out->rank; i++)
            if (!uses[out->axis[i]] || find_axis(out, out->axis[i]) != (int)i)
                return false;
        return true;
    }
    for (uint32_t i = dots; i-- > 0;)
        out->axis[out->rank++] = (uint8_t)(ELLIPSIS + i);
    for (uint32_t a = 0; a < 26; a++)
        for (uint32_t upper = 2; upper-- > 0;)          /* A before a */
            if (uses[a + 26 * upper] == 1) {
                if (out->rank == MAX_RANK)
                    return false;
                out->axis[out->rank++] = (uint8_t)(a + 26 * upper);
            }
    return out->rank <= MAX_RANK;
}

/* ---- one operand ---- */

/* Axes that occur twice become diagonals; axes that occur once are summed. */
static bool reduce_operand(Temps *t, Operand *o, const bool *kept)
{
    for (uint32_t i = 0; i < o->rank; i++)
        for (uint32_t k = i + 1; k < o->rank; k++)
            if (o->axis[i] == o->axis[k]) {
                uint8_t axis = o->axis[i];
                o->t = compose_temp(t, weft_tensor_diagonal(o->t, (int)i, (int)k, 0));
                memmove(o->axis + k, o->axis + k + 1, o->rank - k - 1);
                memmove(o->axis + i, o->axis + i + 1, o->rank - i - 2);
                o->rank--;
                o->axis[o->rank - 1] = axis;            /* the diagonal is the last axis */
                i = UINT32_MAX;                         /* from the start */
                break;
            }
    weft_axes sums = {.none = true};
    uint32_t  left = 0;
    for (uint32_t i = 0; i < o->rank; i++)
        if (kept[o->axis[i]])
            o->axis[left++] = o->axis[i];
        else
            sums.axes[sums.count++] = (int)i;
    o->rank = left;
    if (sums.count)
        o->t = compose_temp(t, weft_tensor_sum(o->t, &sums));
    return o->t != NULL;
}

/* ---- two operands ---- */

/* o with the axes in the order of `list`, as one tensor [batch, rows, columns]; axes that it does
 * not have get size 1. */
static weft_tensor *as_matrices(Temps *t, const Operand *o, const uint8_t *list,
                                const uint32_t counts[3], const uint64_t *size)
{
    int      order[MAX_RANK];
    uint64_t shape[3] = {1, 1, 1};
    uint32_t n = 0, at = 0;
    bool     has_batch = true;
    for (uint32_t part = 0; part < 3; part++)
        for (uint32_t i = 0; i < counts[part]; i++, at++) {
            int k = find_axis(o, list[at]);
            if (k < 0) {
                has_batch = false;
                continue;
            }
            order[n++] = k;
            uint64_t own = weft_tensor_size(o->t, k);
            has_batch &= part > 0 || own == size[list[at]];
            shape[part] *= own;
        }
    weft_tensor *x = compose_temp(t, weft_tensor_permute(o->t, order));
    if (has_batch)
        return x ? compose_temp(t, weft_tensor_reshape(x, 3, shape)) : NULL;
    /* Batches broadcast: expand them before they become one axis. */
    uint64_t wide[2 * MAX_RANK], full[2 * MAX_RANK];
    uint32_t rank = 0;
    at = 0;
    shape[0] = 1;
    for (uint32_t i = 0; i < counts[0]; i++, at++) {
        int k = find_axis(o, list[at]);
        wide[rank] = k < 0 ? 1 : weft_tensor_size(o->t, k);
        full[rank++] = size[list[at]];
        shape[0] *= size[list[at]];
    }
    wide[rank] = full[rank] = shape[1];
    rank++;
    wide[rank] = full[rank] = shape[2];
    rank++;
    if (rank > MAX_RANK)
        return compose_fail(o->t, WEFT_ERROR_SHAPE, "einsum: more than 8 axes on the way");
    x = compose_temp(t, weft_tensor_reshape(x, rank, wide));
    x = compose_temp(t, weft_tensor_expand(x, rank, full));
    return compose_temp(t, weft_tensor_reshape(x, 3, shape));
}

typedef struct Pair {
    uint8_t  axes[4][MAX_RANK];     /* batch, rows of a, sum, columns of b                  */
    uint32_t count[4];
    uint64_t size[AXES];
} Pair;

static bool pair_add(Pair *p, uint32_t kind, uint8_t axis)
{
    if (p->count[kind] == MAX_RANK)
        return false;
    p->axes[kind][p->count[kind]++] = axis;
    return true;
}

/* Sizes must agree; "..." broadcasts. */
static bool pair_of(Pair *p, const Operand *a, const Operand *b, const bool *kept)
{
    bool ok = true;
    memset(p, 0, sizeof *p);
    for (uint32_t i = 0; i < a->rank && ok; i++) {
        uint8_t  axis = a->axis[i];
        int      k = find_axis(b, axis);
        uint64_t m = weft_tensor_size(a->t, (int)i), n = k < 0 ? m : weft_tensor_size(b->t, k);
        bool     stretch = m == 1 || n == 1;
        p->size[axis] = m == 1 ? n : m;
        ok = m == n || stretch;
        /* A sum over an axis that one side repeats is a batch first, then summed. */
        ok = ok && pair_add(p, k < 0 ? 1 : kept[axis] || m != n ? 0 : 2, axis);
    }
    for (uint32_t i = 0; i < b->rank && ok; i++)
        if (find_axis(a, b->axis[i]) < 0) {
            p->size[b->axis[i]] = weft_tensor_size(b->t, (int)i);
            ok = pair_add(p, 3, b->axis[i]);
        }
    return ok && p->count[0] + p->count[1] + p->count[3] <= MAX_RANK;
}

/* a and b as one operand. */
static bool multiply(Temps *t, Operand *a, const Operand *b, const bool *kept)
{
    Pair     p;
    uint8_t  list[3 * MAX_RANK];
    uint64_t shape[MAX_RANK];
    if (!pair_of(&p, a, b, kept))
        return context_fail(weft_tensor_context(a->t), WEFT_ERROR_SHAPE, "einsum: the sizes of an "
                            "axis differ, or there are more than 8 axes on the way");
    memcpy(list, p.axes[0], p.count[0]);
    memcpy(list + p.count[0], p.axes[1], p.count[1]);
    memcpy(list + p.count[0] + p.count[1], p.axes[2], p.count[2]);
    weft_tensor *x = as_matrices(t, a, list, (uint32_t[]){p.count[0], p.count[1], p.count[2]},
                                 p.size);
    memcpy(list + p.count[0], p.axes[2], p.count[2]);
    memcpy(list + p.count[0] + p.count[2], p.axes[3], p.count[3]);
    weft_tensor *y = as_matrices(t, b, list, (uint32_t[]){p.count[0], p.count[2], p.count[3]},
                                 p.size);
    weft_tensor *z = x && y ? compose_temp(t, weft_tensor_matmul(x, y)) : NULL;
    Operand out = {.rank = 0};
    for (uint32_t kind = 0; kind < 4; kind++)
        for (uint32_t i = 0; i < p.count[kind] && kind != 2; i++) {
            shape[out.rank] = p.size[p.axes[kind][i]];
            out.axis[out.rank++] = p.axes[kind][i];
        }
    out.t = z ? compose_temp(t, weft_tensor_reshape(z, out.rank, shape)) : NULL;
    *a = out;
    return out.t != NULL;
}

/* ---- the operator ---- */

static weft_tensor *arranged(Temps *t, const Operand *o, const Operand *result)
{
    int order[MAX_RANK];
    for (uint32_t i = 0; i < result->rank; i++) {
        order[i] = find_axis(o, result->axis[i]);
        if (order[i] < 0)
            return compose_fail(o->t, WEFT_ERROR_SHAPE, "einsum: an axis of the result is missing");
    }
    return compose_temp(t, weft_tensor_permute(o->t, order));
}

/* Axes that the result or an operand after `from` needs. */
static void find_kept(bool *kept, const Operand *list, uint32_t from, uint32_t count,
                      const Operand *result)
{
    memset(kept, 0, AXES * sizeof *kept);
    for (uint32_t i = 0; i < result->rank; i++)
        kept[result->axis[i]] = true;
    for (uint32_t i = from; i < count; i++)
        for (uint32_t k = 0; k < list[i].rank; k++)
            kept[list[i].axis[k]] = true;
}

static weft_tensor *contract(Temps *t, Operand *list, uint32_t count, const Operand *result)
{
    bool kept[AXES];
    for (uint32_t i = 0; i < count; i++) {
        find_kept(kept, list, i + 1, count, result);
        for (uint32_t k = 0; k < (i ? list[0].rank : 0); k++)
            kept[list[0].axis[k]] = true;
        Operand own = list[i];
        if (!reduce_operand(t, &own, kept))
            return NULL;
        find_kept(kept, list, i + 1, count, result);
        if (i == 0)
            list[0] = own;
        else if (!multiply(t, &list[0], &own, kept) || !reduce_operand(t, &list[0], kept))
            return NULL;
    }
    return arranged(t, &list[0], result);
}

weft_tensor *weft_tensor_einsum(const char *equation, weft_tensor *const *tensors, uint32_t count)
{
    Temps   t = {0};
    Operand list[4], result;
    if (!tensors || count == 0 || !tensor_args("einsum", tensors, count))
        return NULL;
    weft_context *ctx = weft_tensor_context(tensors[0]);
    if (!equation || count > COUNTOF(list)) {
        context_fail(ctx, WEFT_ERROR_INVALID, "einsum: no equation, or more than %u tensors",
                     (uint32_t)COUNTOF(list));
        return NULL;
    }
    const char *p = equation;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = (Operand){.t = tensors[i]};
        bool last = i + 1 == count;
        if (!read_term(&list[i], p, &p, weft_tensor_rank(tensors[i]))
            || (last ? *p && (p[0] != '-' || p[1] != '>') : *p != ',')) {
            wrong(ctx, equation, "it does not name the axes of the operands");
            return NULL;
        }
        p += last ? 0 : 1;
    }
    if (!read_result(&result, *p ? p + 2 : NULL, list, count)) {
        wrong(ctx, equation, "the result has unknown or repeated axes");
        return NULL;
    }
    return compose_end(&t, contract(&t, list, count, &result));
}
