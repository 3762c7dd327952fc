// SPDX-License-Identifier: Apache-2.0
/*
 * frontal.c - multifrontal Cholesky factorisation: columns of equal structure are eliminated
 * together, in dense matrices.
 *
 * in     a BlockMatrix
 * out    its factor, front by front; solutions
 * knows  order.c, dense_priv.h
 * not    where the matrix comes from
 */
#include "solve/sparse_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "solve/dense_priv.h"

/* ---- structure ---- */

/* Rows of one front while fronts are found. */
typedef struct Shape {
    uint32_t  first, blocks;
    uint32_t  columns, below_rows;
    uint32_t *below;
    uint32_t  below_count;
    uint64_t  exact;                /* entries that are not zero                            */
    bool      merged;               /* into the front of its parent                         */
    uint32_t  child, sibling;
} Shape;

static uint32_t width(const Frontal *f, uint32_t block)
{
    return f->columns[block + 1] - f->columns[block];
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

typedef struct Finding {
    Frontal           *f;
    const BlockMatrix *m;
    Shape             *shapes;      /* [blocks] by their last block                         */
    uint64_t          *start;       /* neighbours with larger numbers, by blocks            */
    uint32_t          *neighbour;
    uint32_t          *mark, *list; /* [blocks]                                             */
} Finding;

/* Neighbours with larger new numbers. */
static bool find_neighbours(Finding *w)
{
    const Order *o = &w->f->order;
    const BlockMatrix *m = w->m;
    w->start = calloc(o->count + 2ull, sizeof *w->start);
    w->neighbour = malloc((m->pair_count + 1ull) * sizeof *w->neighbour);
    if (!w->start || !w->neighbour)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t p = 0; p < m->pair_count; p++) {
            uint32_t a = o->new_of[m->row[p]], b = o->new_of[m->column[p]];
            if (a == b)
                continue;
            if (pass == 0)
                w->start[MIN_OF(a, b) + 2]++;
            else
                w->neighbour[w->start[MIN_OF(a, b) + 1]++] = MAX_OF(a, b);
        }
        for (uint32_t i = 0; pass == 0 && i < o->count; i++)
            w->start[i + 2] += w->start[i + 1];
    }
    return true;
}

static void add_rows(Finding *w, uint32_t *count, uint32_t block, const uint32_t *rows,
                     uint32_t row_count)
{
    for (uint32_t i = 0; i < row_count; i++)
        if (rows[i] > block && w->mark[rows[i]] != block) {
            w->mark[rows[i]] = block;
            w->list[(*count)++] = rows[i];
        }
}

static uint64_t entries(uint64_t columns, uint64_t below)
{
    return columns * (columns + 1) / 2 + columns * below;
}

/* The front of one block: its neighbours, and what its children leave. */
static bool shape_block(Finding *w, uint32_t block)
{
    Shape *s = &w->shapes[block];
    uint32_t count = 0;
    add_rows(w, &count, block, w->neighbour + w->start[block],
             (uint32_t)(w->start[block + 1] - w->start[block]));
    for (uint32_t c = s->child; c != NO_PARENT; c = w->shapes[c].sibling)
        add_rows(w, &count, block, w->shapes[c].below, w->shapes[c].below_count);
    qsort(w->list, count, sizeof *w->list, compare_u32);
    s->first = block;
    s->blocks = 1;
    s->columns = width(w->f, block);
    s->below = malloc((count + 1ull) * sizeof *s->below);
    s->below_count = count;
    for (uint32_t i = 0; s->below && i < count; i++) {
        s->below[i] = w->list[i];
        s->below_rows += width(w->f, w->list[i]);
    }
    s->exact = entries(s->columns, s->below_rows);
    return s->below != NULL;
}

/* A child joins its parent if the two have (nearly) one structure: few zeros are stored. */
static bool worth_merging(const Shape *child, const Shape *parent)
{
    uint64_t columns = (uint64_t)child->columns + parent->columns;
    uint64_t apart = child->exact + parent->exact;
    uint64_t together = entries(columns, parent->below_rows);
    return columns <= 12 ? together <= 2 * apart + 32
         : columns <= 48 ? together * 4 <= apart * 5 : together * 20 <= apart * 21;
}

/* The child that precedes its parent directly, if they become one front; its children become
 * the parent's. */
static void merge_child(Finding *w, uint32_t block)
{
    Shape *p = &w->shapes[block];
    while (p->first > 0) {
        uint32_t c = p->first - 1, *link = &p->child;
        while (*link != NO_PARENT && *link != c)
            link = &w->shapes[*link].sibling;
        if (*link == NO_PARENT || !worth_merging(&w->shapes[c], p))
            return;
        Shape *s = &w->shapes[c];
        *link = s->sibling;
        for (uint32_t g = s->child, next; g != NO_PARENT; g = next) {
            next = w->shapes[g].sibling;
            w->shapes[g].sibling = p->child;
            p->child = g;
        }
        p->first = s->first;
        p->blocks += s->blocks;
        p->columns += s->columns;
        p->exact += s->exact;
        s->merged = true;
        free(s->below);
        s->below = NULL;
    }
}

static bool find_shapes(Finding *w)
{
    const Order *o = &w->f->order;
    for (uint32_t i = 0; i < o->count; i++) {
        w->mark[i] = NO_PARENT;
        w->shapes[i].child = w->shapes[i].sibling = NO_PARENT;
    }
    for (uint32_t i = 0; i < o->count; i++) {
        if (!shape_block(w, i))
            return false;
        merge_child(w, i);
        uint32_t parent = o->parent[i];
        if (parent != NO_PARENT) {
            w->shapes[i].sibling = w->shapes[parent].child;
            w->shapes[parent].child = i;
        }
    }
    return true;
}

static bool make_fronts(Finding *w)
{
    Frontal *f = w->f;
    uint32_t *number = w->list;
    for (uint32_t i = 0; i < f->order.count; i++)
        f->count += !w->shapes[i].merged;
    f->fronts = calloc(f->count + 1ull, sizeof *f->fronts);
    if (!f->fronts)
        return false;
    for (uint32_t i = 0, at = 0; i < f->order.count; i++) {
        Shape *s = &w->shapes[i];
        if (s->merged)
            continue;
        number[i] = at;
        Front *front = &f->fronts[at++];
        *front = (Front){.first = s->first, .blocks = s->blocks, .columns = s->columns,
                         .size = s->columns + s->below_rows, .below = s->below,
                         .below_count = s->below_count, .at = f->factor_size,
                         .parent = NO_PARENT, .child = NO_PARENT, .sibling = NO_PARENT};
        s->below = NULL;
        f->factor_size += (uint64_t)front->size * front->columns;
        f->largest = MAX_OF(f->largest, front->size);
        double below = front->size - front->columns, c = front->columns;
        f->work += c * c * c / 6 + c * c * below / 2 + c * below * below / 2;
        for (uint32_t child = s->child; child != NO_PARENT; child = w->shapes[child].sibling) {
            Front *under = &f->fronts[number[child]];
            under->parent = at - 1;
            under->sibling = front->child;
            front->child = number[child];
        }
    }
    return true;
}

/* Pairs of the matrix by the front that eliminates one of their blocks first. */
static bool assign_pairs(Frontal *f, const BlockMatrix *m)
{
    const Order *o = &f->order;
    uint32_t *front_of = malloc((o->count + 1ull) * sizeof *front_of);
    f->pair = malloc((m->pair_count + 1ull) * sizeof *f->pair);
    uint64_t *start = calloc(f->count + 2ull, sizeof *start);
    bool ok = front_of && f->pair && start;
    for (uint32_t i = 0; ok && i < f->count; i++)
        for (uint32_t b = 0; b < f->fronts[i].blocks; b++)
            front_of[f->fronts[i].first + b] = i;
    for (int pass = 0; ok && pass < 2; pass++) {
        for (uint32_t p = 0; p < m->pair_count; p++) {
            uint32_t a = o->new_of[m->row[p]], b = o->new_of[m->column[p]];
            uint32_t front = front_of[MIN_OF(a, b)];
            if (pass == 0)
                start[front + 2]++;
            else
                f->pair[start[front + 1]++] = p;
        }
        for (uint32_t i = 0; pass == 0 && i < f->count; i++)
            start[i + 2] += start[i + 1];
    }
    for (uint32_t i = 0; ok && i <= f->count; i++)
        f->fronts[i].pairs = start[i];
    free(front_of);
    free(start);
    return ok;
}

static bool allocate(Frontal *f)
{
    size_t row = dense_row(f->largest);
    f->factor = malloc((f->factor_size + 1) * sizeof *f->factor);
    f->front = calloc(((size_t)f->largest + 1) * row, sizeof *f->front);
    f->scratch = malloc(dense_scratch(f->largest) * sizeof *f->scratch);
    f->where = malloc((f->order.count + 1ull) * sizeof *f->where);
    f->rows = malloc((f->largest + 1ull) * sizeof *f->rows);
    return f->factor && f->front && f->scratch && f->where && f->rows;
}

bool frontal_make(Frontal *f, const BlockMatrix *m)
{
    *f = (Frontal){.dims = m->dims};
    Finding w = {.f = f, .m = m};
    bool ok = order_make(&f->order, m);
    uint64_t n = m->block_count;
    f->columns = malloc((n + 1) * sizeof *f->columns);
    w.shapes = calloc(n + 1, sizeof *w.shapes);
    w.mark = malloc((n + 1) * sizeof *w.mark);
    w.list = malloc((n + 1) * sizeof *w.list);
    ok = ok && f->columns && w.shapes && w.mark && w.list;
    for (uint32_t i = 0, at = 0; ok && i <= n; i++) {
        f->columns[i] = at;
        at += i < n ? block_size(m, f->order.old_of[i]) : 0;
    }
    ok = ok && find_neighbours(&w) && find_shapes(&w) && make_fronts(&w) &&
         assign_pairs(f, m) && allocate(f);
    for (uint32_t i = 0; w.shapes && i < n; i++)
        free(w.shapes[i].below);
    free(w.shapes);
    free(w.start);
    free(w.neighbour);
    free(w.mark);
    free(w.list);
    if (!ok)
        frontal_fini(f);
    return ok;
}

void frontal_fini(Frontal *f)
{
    for (uint32_t i = 0; f->fronts && i < f->count; i++) {
        free(f->fronts[i].below);
        free(f->fronts[i].update);
    }
    free(f->fronts);
    free(f->pair);
    free(f->columns);
    free(f->factor);
    free(f->front);
    free(f->scratch);
    free(f->where);
    free(f->rows);
    order_fini(&f->order);
    *f = (Frontal){0};
}

/* ---- factorisation ---- */

/* Where the blocks of a front are among its rows. */
static void place_blocks(Frontal *f, const Front *front)
{
    uint32_t row = 0;
    for (uint32_t b = 0; b < front->blocks; b++) {
        f->where[front->first + b] = row;
        row += width(f, front->first + b);
    }
    for (uint32_t b = 0; b < front->below_count; b++) {
        f->where[front->below[b]] = row;
        row += width(f, front->below[b]);
    }
}

static void add_pair(const Frontal *f, const BlockMatrix *m, uint32_t p, size_t row)
{
    uint32_t a = f->order.new_of[m->row[p]], b = f->order.new_of[m->column[p]];
    uint32_t rows = block_size(m, m->row[p]), columns = block_size(m, m->column[p]);
    uint32_t at = f->where[a], to = f->where[b];
    const double *h = m->values + m->at[p];
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < columns; k++) {
            uint32_t x = at + i, y = to + k;
            if (a != b || x <= y)
                f->front[MAX_OF(x, y) * row + MIN_OF(x, y)] += h[(size_t)i * columns + k];
        }
}

/* What a child leaves, added to the front of its parent. */
static void add_child(Frontal *f, Front *child, size_t row)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < child->below_count; b++)
        for (uint32_t i = 0; i < width(f, child->below[b]); i++)
            f->rows[count++] = f->where[child->below[b]] + i;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= i; k++)
            f->front[f->rows[i] * row + f->rows[k]] += child->update[(size_t)i * count + k];
    free(child->update);
    child->update = NULL;
}

static bool store_front(Frontal *f, Front *front, size_t row)
{
    uint32_t columns = front->columns, below = front->size - columns;
    double *to = f->factor + front->at;
    for (uint32_t i = 0; i < front->size; i++)
        memcpy(to + (size_t)i * columns, f->front + i * row, columns * sizeof *to);
    if (below == 0)
        return true;
    front->update = malloc((size_t)below * below * sizeof *front->update);
    for (uint32_t i = 0; front->update && i < below; i++)
        memcpy(front->update + (size_t)i * below, f->front + (columns + i) * row + columns,
               (i + 1) * sizeof *to);
    return front->update != NULL;
}

static bool factor_front(Frontal *f, Front *front, const BlockMatrix *m, const double *damping,
                         Team *team)
{
    size_t row = dense_row(front->size);
    for (uint32_t i = 0; i < front->size; i++)
        memset(f->front + i * row, 0, (i + 1) * sizeof *f->front);
    place_blocks(f, front);
    for (uint64_t p = front->pairs; p < front[1].pairs; p++)
        add_pair(f, m, f->pair[p], row);
    for (uint32_t b = 0; damping && b < front->blocks; b++) {
        uint32_t old = m->first[f->order.old_of[front->first + b]];
        for (uint32_t i = 0; i < width(f, front->first + b); i++) {
            uint32_t at = f->where[front->first + b] + i;
            f->front[at * row + at] += damping[old + i];
        }
    }
    for (uint32_t c = front->child; c != NO_PARENT; c = f->fronts[c].sibling)
        add_child(f, &f->fronts[c], row);
    return dense_cholesky(f->front, front->size, front->columns, row, f->scratch, team) &&
           store_front(f, front, row);
}

bool frontal_factor(Frontal *f, const BlockMatrix *m, const double *damping, Team *team)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < f->count; i++)
        ok = factor_front(f, &f->fronts[i], m, damping, team);
    for (uint32_t i = 0; !ok && i < f->count; i++) {
        free(f->fronts[i].update);
        f->fronts[i].update = NULL;
    }
    return ok;
}

/* ---- solution ---- */

static void forward(const Frontal *f, const Front *front, double *y)
{
    const double *l = f->factor + front->at;
    double *own = y + f->columns[front->first];
    uint32_t row = front->columns;
    dense_forward(l, front->columns, front->columns, own);
    for (uint32_t b = 0; b < front->below_count; b++)
        for (uint32_t i = 0; i < width(f, front->below[b]); i++, row++) {
            double sum = 0;
            for (uint32_t k = 0; k < front->columns; k++)
                sum += l[(size_t)row * front->columns + k] * own[k];
            y[f->columns[front->below[b]] + i] -= sum;
        }
}

static void backward(const Frontal *f, const Front *front, double *y)
{
    const double *l = f->factor + front->at;
    double *own = y + f->columns[front->first];
    uint32_t row = front->columns;
    for (uint32_t b = 0; b < front->below_count; b++)
        for (uint32_t i = 0; i < width(f, front->below[b]); i++, row++) {
            double x = y[f->columns[front->below[b]] + i];
            for (uint32_t k = 0; k < front->columns; k++)
                own[k] -= l[(size_t)row * front->columns + k] * x;
        }
    dense_backward(l, front->columns, front->columns, own);
}

static void permute(const Frontal *f, const BlockMatrix *m, double *ordered, double *plain,
                    bool back)
{
    for (uint32_t b = 0; b < f->order.count; b++) {
        double *o = ordered + f->columns[b], *p = plain + m->first[f->order.old_of[b]];
        if (back)
            memcpy(p, o, width(f, b) * sizeof *p);
        else
            memcpy(o, p, width(f, b) * sizeof *o);
    }
}

void frontal_solve(const Frontal *f, const BlockMatrix *m, double *x, double *scratch)
{
    permute(f, m, scratch, x, false);
    for (uint32_t i = 0; i < f->count; i++)
        forward(f, &f->fronts[i], scratch);
    for (uint32_t i = f->count; i-- > 0;)
        backward(f, &f->fronts[i], scratch);
    permute(f, m, scratch, x, true);
}
