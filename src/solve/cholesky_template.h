// SPDX-License-Identifier: Apache-2.0
/*
 * cholesky_template.h - the Cholesky factorisation for one type of numbers: REAL, vectors WIDE
 * of LANES of them, and NAME() for the functions. cholesky.c includes it for each type.
 *
 * Panels of PANEL columns: the triangle on the diagonal is factorised, rows below are solved
 * LANES at a time as vectors, and the rest is updated by tiles of ROWS x LANES that stay in
 * registers.
 */

#define PANEL 48u
#define ROWS  6u

/* The triangle on the diagonal, [size][row]. */
WIDE_INLINE bool NAME(triangle)(REAL *a, uint32_t size, size_t row)
{
    for (uint32_t k = 0; k < size; k++) {
        REAL pivot = a[k * row + k];
        if (!(pivot > 0) || !isfinite((double)pivot))
            return false;
        REAL root = (REAL)sqrt((double)pivot), inverse = 1 / root;
        a[k * row + k] = root;
        for (uint32_t i = k + 1; i < size; i++)
            a[i * row + k] *= inverse;
        for (uint32_t i = k + 1; i < size; i++) {
            REAL factor = a[i * row + k];
            for (uint32_t j = k + 1; j <= i; j++)
                a[i * row + j] -= factor * a[j * row + k];
        }
    }
    return true;
}

/* Solves up to LANES rows of a panel, x transpose(L) = a, and packs them: p[size][LANES]. */
WIDE_INLINE void NAME(solve_rows)(REAL *p, REAL *a, const REAL *l, uint32_t size, uint32_t count,
                                  size_t row)
{
    for (uint32_t k = 0; k < size; k++)
        for (uint32_t i = 0; i < LANES; i++)
            p[k * LANES + i] = i < count ? a[i * row + k] : 0;
    for (uint32_t k = 0; k < size; k++) {
        WIDE x = *(const WIDE *)(p + k * LANES), y = x - x;
        uint32_t j = 0;
        for (; j + 1 < k; j += 2) {
            x -= l[k * row + j] * *(const WIDE *)(p + j * LANES);
            y += l[k * row + j + 1] * *(const WIDE *)(p + (j + 1) * LANES);
        }
        for (; j < k; j++)
            x -= l[k * row + j] * *(const WIDE *)(p + j * LANES);
        *(WIDE *)(p + k * LANES) = (x - y) * (1 / l[k * row + k]);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < size; k++)
            a[i * row + k] = p[k * LANES + i];
}

/* c[ROWS][LANES] -= a[ROWS][size] p[size][LANES] */
WIDE_INLINE void NAME(tile)(REAL *c, const REAL *a, const REAL *p, uint32_t size, size_t row)
{
    WIDE sum[ROWS];
    for (uint32_t i = 0; i < ROWS; i++)
        sum[i] = *(const WIDE *)(c + i * row);
    for (uint32_t k = 0; k < size; k++) {
        WIDE b = *(const WIDE *)(p + k * LANES);
        for (uint32_t i = 0; i < ROWS; i++)
            sum[i] -= a[i * row + k] * b;
    }
    for (uint32_t i = 0; i < ROWS; i++)
        *(WIDE *)(c + i * row) = sum[i];
}

WIDE_INLINE void NAME(tile_few)(REAL *c, const REAL *a, const REAL *p, uint32_t size,
                                uint32_t count, size_t row)
{
    for (uint32_t i = 0; i < count; i++) {
        WIDE sum = *(const WIDE *)(c + i * row);
        for (uint32_t k = 0; k < size; k++)
            sum -= a[i * row + k] * *(const WIDE *)(p + k * LANES);
        *(WIDE *)(c + i * row) = sum;
    }
}

typedef struct NAME(Step) {
    REAL    *a;                     /* the whole matrix                                     */
    uint32_t n, at, size;           /* the panel: columns at ... at + size - 1              */
    size_t   row;
    REAL    *packed;                /* rows below the panel, LANES at a time                */
} NAME(Step);

WIDE_CODE static void NAME(solve_group)(const NAME(Step) *s, uint32_t group)
{
    uint32_t first = s->at + s->size + group * LANES;
    uint32_t count = s->n - first < LANES ? s->n - first : LANES;
    NAME(solve_rows)(s->packed + (size_t)group * s->size * LANES, s->a + first * s->row + s->at,
                     s->a + s->at * s->row + s->at, s->size, count, s->row);
}

/* Columns first ... first + LANES - 1 of what is below and right of the panel. */
WIDE_CODE static void NAME(update_group)(const NAME(Step) *s, uint32_t group)
{
    uint32_t first = s->at + s->size + group * LANES, i = first;
    const REAL *p = s->packed + (size_t)group * s->size * LANES;
    for (; i + ROWS <= s->n; i += ROWS)
        NAME(tile)(s->a + i * s->row + first, s->a + i * s->row + s->at, p, s->size, s->row);
    NAME(tile_few)(s->a + i * s->row + first, s->a + i * s->row + s->at, p, s->size, s->n - i,
                   s->row);
}

WIDE_CODE static bool NAME(factor_triangle)(REAL *a, uint32_t size, size_t row)
{
    return NAME(triangle)(a, size, row);
}

static void NAME(solve_task)(void *context, uint32_t i, uint32_t member)
{
    (void)member;
    NAME(solve_group)(context, i);
}

static void NAME(update_task)(void *context, uint32_t i, uint32_t member)
{
    (void)member;
    NAME(update_group)(context, i);
}

bool NAME(dense_cholesky)(REAL *a, uint32_t n, uint32_t columns, size_t row, REAL *scratch,
                          Team *team)
{
    for (uint32_t at = 0; at < columns; at += PANEL) {
        uint32_t size = columns - at < PANEL ? columns - at : PANEL;
        if (!NAME(factor_triangle)(a + at * row + at, size, row))
            return false;
        uint32_t below = n - at - size, groups = (below + LANES - 1) / LANES;
        NAME(Step) step = {a, n, at, size, row, scratch};
        /* some hundred thousand multiplications are worth waking other threads */
        bool large = (uint64_t)below * below * size > 1000000;
        team_run(large ? team : NULL, NAME(solve_task), &step, groups);
        team_run(large ? team : NULL, NAME(update_task), &step, groups);
    }
    return true;
}

WIDE_CODE static void NAME(substitute_forward)(const REAL *l, uint32_t n, size_t row, REAL *x)
{
    for (uint32_t i = 0; i < n; i++) {
        REAL part[8] = {0}, sum = x[i];
        uint32_t k = 0;
        for (; k + 8 <= i; k += 8)
            for (uint32_t j = 0; j < 8; j++)
                part[j] += l[i * row + k + j] * x[k + j];
        for (; k < i; k++)
            sum -= l[i * row + k] * x[k];
        for (uint32_t j = 0; j < 8; j++)
            sum -= part[j];
        x[i] = sum / l[i * row + i];
    }
}

WIDE_CODE static void NAME(substitute_backward)(const REAL *l, uint32_t n, size_t row, REAL *x)
{
    for (uint32_t i = n; i-- > 0;) {
        x[i] /= l[i * row + i];
        for (uint32_t k = 0; k < i; k++)
            x[k] -= l[i * row + k] * x[i];
    }
}

void NAME(dense_forward)(const REAL *l, uint32_t n, size_t row, REAL *x)
{
    NAME(substitute_forward)(l, n, row, x);
}

void NAME(dense_backward)(const REAL *l, uint32_t n, size_t row, REAL *x)
{
    NAME(substitute_backward)(l, n, row, x);
}

#undef PANEL
#undef ROWS
