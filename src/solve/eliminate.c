// SPDX-License-Identifier: Apache-2.0
/*
 * eliminate.c - the Schur complement in numbers: its blocks, its factor, solutions.
 *
 * in     a Schur (schur.c), normal equations, damping, right sides
 * out    solutions
 * knows  schur_priv.h, dense_priv.h, sparse_priv.h, the rows of points
 * not    which blocks are eliminated
 *
 * With an eliminated block e, its diagonal block V = L transpose(L) and its connections W to
 * other blocks, F = inverse(L) W: the complement is U - sum of transpose(F) F.
 */
#include "solve/schur_priv.h"

#include <math.h>
#include <string.h>

#include "base/macro.h"
#include "base/wide.h"

/* ---- factorisation ---- */

static bool small_cholesky(double *l, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        double pivot = l[(size_t)k * n + k];
        for (uint32_t j = 0; j < k; j++)
            pivot -= l[(size_t)k * n + j] * l[(size_t)k * n + j];
        if (!(pivot > 0) || !isfinite(pivot))
            return false;
        pivot = l[(size_t)k * n + k] = sqrt(pivot);
        for (uint32_t i = k + 1; i < n; i++) {
            double sum = l[(size_t)i * n + k];
            for (uint32_t j = 0; j < k; j++)
                sum -= l[(size_t)i * n + j] * l[(size_t)k * n + j];
            l[(size_t)i * n + k] = sum / pivot;
        }
    }
    return true;
}

/* F = inverse(L) W, [size][row]. */
WIDE_CODE static void solve_connection(double *f, const double *l, const double *w, uint32_t size,
                                       uint32_t other, uint32_t row, bool turned)
{
    for (uint32_t i = 0; i < size; i++) {
        double *to = f + (size_t)i * row;
        for (uint32_t k = 0; k < other; k++)
            to[k] = turned ? w[(size_t)k * size + i] : w[(size_t)i * other + k];
        for (uint32_t j = 0; j < i; j++) {
            const double *from = f + (size_t)j * row;
            double factor = l[(size_t)i * size + j];
            for (uint32_t k = 0; k < row; k++)
                to[k] -= factor * from[k];
        }
        double inverse = 1 / l[(size_t)i * size + i];
        for (uint32_t k = 0; k < row; k++)
            to[k] *= inverse;
    }
}

/* The same for blocks of three columns, such as points, from rows instead of W. */
typedef struct PointLink {
    const double *point, *other;    /* [depth] rows of `stride` numbers                     */
    uint32_t      depth, stride;
} PointLink;

#define SOLVE_POINT(TYPE, OFFSET)                                                            \
    do {                                                                                     \
        TYPE s0 = {0}, s1 = {0}, s2 = {0};                                                   \
        for (uint32_t i = 0; i < count; i++) {                                               \
            const double *p = list[i].point, *o = list[i].other + (OFFSET);                  \
            for (uint32_t d = list[i].depth; d-- > 0; p += list[i].stride, o += list[i].stride) { \
                s0 += p[0] * *(const TYPE *)o;                                               \
                s1 += p[1] * *(const TYPE *)o;                                               \
                s2 += p[2] * *(const TYPE *)o;                                               \
            }                                                                                \
        }                                                                                    \
        s0 *= i0;                                                                            \
        s1 = (s1 - l[3] * s0) * i1;                                                          \
        s2 = (s2 - l[6] * s0 - l[7] * s1) * i2;                                              \
        *(TYPE *)(f + (OFFSET)) = s0;                                                        \
        *(TYPE *)(f + row + (OFFSET)) = s1;                                                  \
        *(TYPE *)(f + 2 * (size_t)row + (OFFSET)) = s2;                                      \
    } while (0)

WIDE_CODE static void solve_point(double *f, const double *l, const PointLink *list,
                                  uint32_t count, uint32_t row)
{
    const double i0 = 1 / l[0], i1 = 1 / l[4], i2 = 1 / l[8];
    for (uint32_t k = 0; k + 8 <= row; k += 8)
        SOLVE_POINT(Wide8, k);
    if (row % 8 == 1)
        SOLVE_POINT(double, row - 1);
}

#define POINT_LINKS 4u              /* more instances of one camera and point use W         */

/* The instances that connect a point with another block; 0: too many, or it is no point. */
static uint32_t point_links(const Schur *s, const Eliminated *e, const Connection *w,
                            PointLink *out)
{
    const Normal *n = s->n;
    uint32_t count = 0;
    if (e->size != 3)
        return 0;
    for (uint64_t i = n->start[w->pair]; i < n->start[w->pair + 1]; i++) {
        const Link *by = &n->contributors[i];
        if (by->by == NO_LINK)
            continue;
        if (count == POINT_LINKS)
            return 0;
        const Instance *in = &n->rows->instances[by->by];
        const double *j = n->rows->values + in->value;
        out[count++] = (PointLink){j + (w->turned ? by->b : by->a),
                                   j + (w->turned ? by->a : by->b), in->outputs, in->width};
    }
    return count;
}

void schur_leave_out(const Schur *s, bool *pairs)
{
    PointLink list[POINT_LINKS];
    for (uint32_t e = 0; e < s->count; e++)
        for (uint64_t c = s->eliminated[e].links; c < s->eliminated[e + 1].links; c++)
            if (point_links(s, &s->eliminated[e], &s->links[c], list) > 0)
                pairs[s->links[c].pair] = true;
}

static void eliminate_connection(const Schur *s, const Eliminated *e, const Connection *w)
{
    const BlockMatrix *m = &s->n->m;
    uint32_t other = block_size(&s->s, w->other), row = padded(other);
    PointLink list[POINT_LINKS];
    uint32_t count = point_links(s, e, w, list);
    if (count > 0)
        solve_point(s->f + w->at, s->l + e->l, list, count, row);
    else
        solve_connection(s->f + w->at, s->l + e->l, m->values + m->at[w->pair], e->size, other,
                         row, w->turned);
}

#define TASK 256u                   /* eliminated blocks that a thread takes at a time      */

static void eliminate_task(void *context, uint32_t task, uint32_t member)
{
    Schur *s = context;
    const BlockMatrix *m = &s->n->m;
    uint32_t end = MIN_OF((task + 1) * TASK, s->count);
    (void)member;
    for (uint32_t i = task * TASK; i < end; i++) {
        const Eliminated *e = &s->eliminated[i];
        double *l = s->l + e->l;
        memcpy(l, m->values + m->at[m->row_start[e->block]],
               (size_t)e->size * e->size * sizeof *l);
        for (uint32_t k = 0; s->damping && k < e->size; k++)
            l[(size_t)k * e->size + k] += s->damping[e->first + k];
        /* any thread may say so: the flag only ever becomes false */
        if (!small_cholesky(l, e->size)) {
            s->ok = false;
            return;
        }
        for (uint64_t c = e->links; c < e[1].links; c++)
            eliminate_connection(s, e, &s->links[c]);
    }
}

/* The products of a list are far apart in memory: those that come next are fetched while those
 * before are summed. */
static void subtract_products(const Schur *s, double *h, uint64_t begin, uint64_t end,
                              uint32_t rows, uint32_t columns)
{
    Product lists[2][PRODUCT_LIST];
    uint32_t counts[2] = {0}, now = 0;
    for (uint64_t i = begin; i < end || counts[now ^ 1] > 0; now ^= 1) {
        for (counts[now] = 0; i < end && counts[now] < PRODUCT_LIST; i++) {
            const Link *p = &s->products[i];
            const double *a = s->f + s->links[p->a].at, *b = s->f + s->links[p->b].at;
            for (uint32_t line = 0; line < 4; line++) {
                WIDE_PREFETCH(a + 8 * line);
                WIDE_PREFETCH(b + 8 * line);
            }
            lists[now][counts[now]++] = (Product){a, b, s->eliminated[p->by].size, padded(rows),
                                                  padded(columns)};
        }
        products_sum(h, lists[now ^ 1], counts[now ^ 1], rows, columns, -1);
    }
}

static void complement_task(void *context, uint32_t p, uint32_t member)
{
    Schur *s = context;
    const BlockMatrix *m = &s->n->m;
    uint64_t begin = s->start[p], end = s->start[p + 1];
    double *h = s->s.values + s->s.at[p];
    size_t size = s->s.at[p + 1] - s->s.at[p];
    (void)member;
    if (s->products[begin].by == NO_LINK) {
        memcpy(h, m->values + m->at[s->products[begin].a], size * sizeof *h);
        begin++;
    } else
        memset(h, 0, size * sizeof *h);
    subtract_products(s, h, begin, end, block_size(&s->s, s->s.row[p]),
                      block_size(&s->s, s->s.column[p]));
}

#define GROUP 8u

static void complement_group(void *context, uint32_t group, uint32_t member)
{
    const Schur *s = context;
    uint32_t end = MIN_OF((group + 1) * GROUP, s->s.pair_count);
    for (uint32_t p = group * GROUP; p < end; p++)
        complement_task(context, p, member);
}

static void kept_damping(const Schur *s, double *out)
{
    const BlockMatrix *m = &s->n->m;
    for (uint32_t b = 0; b < s->s.block_count; b++)
        for (uint32_t i = 0; i < block_size(&s->s, b); i++)
            out[s->s.first[b] + i] = s->damping ? s->damping[m->first[s->kept[b]] + i] : 0;
}

bool schur_factor(Schur *s, const double *damping, Team *team)
{
    s->damping = damping;
    s->ok = true;
    team_run(team, eliminate_task, s, (s->count + TASK - 1) / TASK);
    if (!s->ok)
        return false;
    team_run(team, complement_group, s, (s->s.pair_count + GROUP - 1) / GROUP);
    kept_damping(s, s->x);
    if (s->s.dims == 0)
        return true;
    if (!s->dense)
        return frontal_factor(&s->fronts, &s->s, s->x, team);
    matrix_dense(&s->s, s->a, s->row, s->x);
    if (!s->mixed)
        return dense_cholesky(s->a, s->s.dims, s->s.dims, s->row, s->pack, team);
    for (uint32_t i = 0; i < s->s.dims; i++)
        for (uint32_t k = 0; k <= i; k++)
            s->a32[i * s->row + k] = (float)s->a[i * s->row + k];
    return dense_cholesky_f32(s->a32, s->s.dims, s->s.dims, s->row, (float *)(void *)s->pack,
                              team);
}

/* ---- solution ---- */

/* Lower triangles of a few rows, in place. */
static void small_forward(const double *l, uint32_t n, double *y)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < i; j++)
            y[i] -= l[(size_t)i * n + j] * y[j];
        y[i] /= l[(size_t)i * n + i];
    }
}

static void small_backward(const double *l, uint32_t n, double *y)
{
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t j = i + 1; j < n; j++)
            y[i] -= l[(size_t)j * n + i] * y[j];
        y[i] /= l[(size_t)i * n + i];
    }
}

/* y = inverse(L) right */
static void forward_task(void *context, uint32_t task, uint32_t member)
{
    const Schur *s = context;
    uint32_t end = MIN_OF((task + 1) * TASK, s->count);
    (void)member;
    for (uint32_t i = task * TASK; i < end; i++) {
        const Eliminated *e = &s->eliminated[i];
        memcpy(s->y + e->first, s->right + e->first, e->size * sizeof *s->y);
        small_forward(s->l + e->l, e->size, s->y + e->first);
    }
}

/* The right side of a block of the complement loses transpose(F) y. The products of its diagonal
 * pair have all its connections. */
static void reduce_task(void *context, uint32_t block, uint32_t member)
{
    const Schur *s = context;
    uint64_t pair = s->s.row_start[block];
    uint32_t size = block_size(&s->s, block), row = padded(size), count = 0;
    double *x = s->x + s->s.first[block], *sum = x + s->s.dims;
    Product list[PRODUCT_LIST];
    (void)member;
    memset(sum, 0, size * sizeof *sum);
    for (uint64_t i = s->start[pair]; i < s->start[pair + 1]; i++) {
        const Link *p = &s->products[i];
        if (p->by == NO_LINK)
            continue;
        const Eliminated *e = &s->eliminated[p->by];
        list[count++] = (Product){s->f + s->links[p->a].at, s->y + e->first, e->size, row, 1};
        if (count == PRODUCT_LIST) {
            products_vectors(sum, list, count, size);
            count = 0;
        }
    }
    products_vectors(sum, list, count, size);
    for (uint32_t k = 0; k < size; k++)
        x[k] -= sum[k];
}

/* The eliminated part: inverse(transpose(L)) (y - F x). */
static void expand_task(void *context, uint32_t task, uint32_t member)
{
    const Schur *s = context;
    uint32_t end = MIN_OF((task + 1) * TASK, s->count);
    (void)member;
    for (uint32_t i = task * TASK; i < end; i++) {
        const Eliminated *e = &s->eliminated[i];
        double *y = s->y + e->first;
        for (uint64_t c = e->links; c < e[1].links; c++) {
            const Connection *w = &s->links[c];
            uint32_t other = block_size(&s->s, w->other), row = padded(other);
            const double *from = s->x + s->s.first[w->other], *f = s->f + w->at;
            for (uint32_t d = 0; d < e->size; d++, f += row) {
                double sum = 0;
                for (uint32_t k = 0; k < other; k++)
                    sum += f[k] * from[k];
                y[d] -= sum;
            }
        }
        small_backward(s->l + e->l, e->size, y);
    }
}

/* Right sides of the complement in place; f32 factors are refined in f64 by the caller. */
static bool solve_complement(Schur *s, double *x)
{
    uint32_t n = s->s.dims;
    if (!s->dense) {
        frontal_solve(&s->fronts, &s->s, x, s->x + n);
        return vector_finite(x, n);
    }
    if (!s->mixed) {
        dense_forward(s->a, n, s->row, x);
        dense_backward(s->a, n, s->row, x);
        return vector_finite(x, n);
    }
    float *y = (float *)(void *)(s->x + n);
    for (uint32_t i = 0; i < n; i++)
        y[i] = (float)x[i];
    dense_forward_f32(s->a32, n, s->row, y);
    dense_backward_f32(s->a32, n, s->row, y);
    for (uint32_t i = 0; i < n; i++)
        x[i] = y[i];
    return vector_finite(x, n);
}

bool schur_solve(Schur *s, double *x, Team *team)
{
    const BlockMatrix *m = &s->n->m;
    uint32_t tasks = (s->count + TASK - 1) / TASK;
    for (uint32_t b = 0; b < s->s.block_count; b++)
        memcpy(s->x + s->s.first[b], x + m->first[s->kept[b]],
               block_size(&s->s, b) * sizeof *x);
    s->right = x;
    team_run(team, forward_task, s, tasks);
    team_run(team, reduce_task, s, s->s.block_count);
    if (!solve_complement(s, s->x))
        return false;
    team_run(team, expand_task, s, tasks);
    for (uint32_t i = 0; i < s->count; i++)
        memcpy(x + s->eliminated[i].first, s->y + s->eliminated[i].first,
               s->eliminated[i].size * sizeof *x);
    for (uint32_t b = 0; b < s->s.block_count; b++)
        memcpy(x + m->first[s->kept[b]], s->x + s->s.first[b],
               block_size(&s->s, b) * sizeof *x);
    return vector_finite(x, m->dims);
}
