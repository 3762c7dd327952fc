// SPDX-License-Identifier: Apache-2.0
/*
 * fold_vector.c - products of vectors and matrices, and the builtin functions
 * made of them.
 *
 * in     vectors and matrices in e->args, accepted by type checking
 * out    the value, or NULL after a diagnostic
 * knows  the formulas of WGSL 15.7.4: each step is rounded to the type, and an
 *        overflow in any step is an error
 */
#include <math.h>

#include "check/fold_priv.h"

/* Numbers out of a float vector; a scalar counts as one component. */
typedef struct Vec {
    uint32_t width;
    double   at[4];
} Vec;

/* at[column][row] */
typedef struct Mat {
    uint32_t columns, rows;
    double   at[4][4];
} Mat;

static Vec vec_of(Eval *e, const Value *v)
{
    if (type_is_scalar(v->type))
        return (Vec){.width = 1, .at = {v->real}};
    Vec out = {.width = v->type->vector.width};
    for (uint32_t i = 0; i < out.width; i++)
        out.at[i] = fold_part(e, v, i)->real;
    return out;
}

static Mat mat_of(Eval *e, const Value *v)
{
    Mat out = {.columns = v->type->matrix.columns, .rows = v->type->matrix.rows};
    for (uint32_t i = 0; i < out.columns; i++) {
        Vec column = vec_of(e, fold_part(e, v, i));
        memcpy(out.at[i], column.at, sizeof column.at);
    }
    return out;
}

/* ---- results: NULL if a step overflowed ---- */

static const Value *real_value(Eval *e, const Steps *s, double x)
{
    if (s->overflowed) {
        fold_overflow(e, s->type);
        return NULL;
    }
    return value_real(e->f->arena, s->type, x);
}

static const Value *vec_value(Eval *e, const Steps *s, const Type *result, const Vec *v)
{
    const Value *parts[4] = {0};
    for (uint32_t i = 0; i < v->width; i++) {
        parts[i] = real_value(e, s, v->at[i]);
        if (!parts[i])
            return NULL;
    }
    return value_composite(e->f->arena, result, parts);
}

static const Value *mat_value(Eval *e, const Steps *s, const Type *result, const Mat *m)
{
    const Type *column_type = type_element(e->f->types, result);
    const Value *columns[4] = {0};
    for (uint32_t i = 0; i < m->columns; i++) {
        Vec column = {.width = m->rows};
        memcpy(column.at, m->at[i], sizeof column.at);
        columns[i] = vec_value(e, s, column_type, &column);
        if (!columns[i])
            return NULL;
    }
    return value_composite(e->f->arena, result, columns);
}

/* ---- steps ---- */

static double mul(Steps *s, double x, double y) { return fold_step(s, x * y); }
static double add(Steps *s, double x, double y) { return fold_step(s, x + y); }
static double sub(Steps *s, double x, double y) { return fold_step(s, x - y); }

static double dot(Steps *s, const Vec *x, const Vec *y)
{
    double sum = mul(s, x->at[0], y->at[0]);
    for (uint32_t i = 1; i < x->width; i++)
        sum = add(s, sum, mul(s, x->at[i], y->at[i]));
    return sum;
}

static double length(Steps *s, const Vec *x)
{
    if (x->width == 1)
        return fabs(x->at[0]);
    return fold_step(s, sqrt(dot(s, x, x)));
}

/* ---- products ---- */

/* Integers wrap around in every step; abstract ones must not overflow in any. */
static const Value *int_dot(Eval *e, const Type *result)
{
    const Value *x = e->args[0], *y = e->args[1];
    Value sum = {.type = result}, product = {.type = result};
    for (uint32_t i = 0; i < x->type->vector.width; i++) {
        int64_t a = fold_part(e, x, i)->integer, b = fold_part(e, y, i)->integer;
        if (!fold_int_mul(e, a, b, &product)
                || !fold_int_add(e, sum.integer, product.integer, &sum))
            return NULL;
    }
    return fold_keep(e, sum);
}

const Value *fold_dot(Eval *e, const Type *result)
{
    if (type_is_integer_scalar(result))
        return int_dot(e, result);
    Steps s = {.type = result};
    Vec x = vec_of(e, e->args[0]), y = vec_of(e, e->args[1]);
    return real_value(e, &s, dot(&s, &x, &y));
}

const Value *fold_cross(Eval *e, const Type *result)
{
    Steps s = {.type = type_scalar_of(result)};
    Vec x = vec_of(e, e->args[0]), y = vec_of(e, e->args[1]);
    Vec out = {.width = 3};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        out.at[i] = sub(&s, mul(&s, x.at[j], y.at[k]), mul(&s, x.at[k], y.at[j]));
    }
    return vec_value(e, &s, result, &out);
}

static Vec row_of(const Mat *m, uint32_t row)
{
    Vec out = {.width = m->columns};
    for (uint32_t i = 0; i < m->columns; i++)
        out.at[i] = m->at[i][row];
    return out;
}

static Vec column_of(const Mat *m, uint32_t column)
{
    Vec out = {.width = m->rows};
    memcpy(out.at, m->at[column], sizeof out.at);
    return out;
}

static Vec mat_times_vec(Steps *s, const Mat *m, const Vec *v)
{
    Vec out = {.width = m->rows};
    for (uint32_t i = 0; i < m->rows; i++) {
        Vec row = row_of(m, i);
        out.at[i] = dot(s, &row, v);
    }
    return out;
}

static Vec vec_times_mat(Steps *s, const Vec *v, const Mat *m)
{
    Vec out = {.width = m->columns};
    for (uint32_t i = 0; i < m->columns; i++) {
        Vec column = column_of(m, i);
        out.at[i] = dot(s, v, &column);
    }
    return out;
}

const Value *fold_matrix_product(Eval *e, const Type *result)
{
    const Value *x = e->args[0], *y = e->args[1];
    Steps s = {.type = type_scalar_of(result)};
    if (x->type->kind == TYPE_VECTOR) {
        Vec v = vec_of(e, x);
        Mat m = mat_of(e, y);
        Vec out = vec_times_mat(&s, &v, &m);
        return vec_value(e, &s, result, &out);
    }
    Mat left = mat_of(e, x);
    if (y->type->kind == TYPE_VECTOR) {
        Vec v = vec_of(e, y);
        Vec out = mat_times_vec(&s, &left, &v);
        return vec_value(e, &s, result, &out);
    }
    Mat right = mat_of(e, y), out = {.columns = right.columns, .rows = left.rows};
    for (uint32_t i = 0; i < right.columns; i++) {
        Vec column = column_of(&right, i);
        Vec product = mat_times_vec(&s, &left, &column);
        memcpy(out.at[i], product.at, sizeof product.at);
    }
    return mat_value(e, &s, result, &out);
}

/* ---- geometry ---- */

const Value *fold_length(Eval *e, const Type *result)
{
    Steps s = {.type = result};
    Vec x = vec_of(e, e->args[0]);
    return real_value(e, &s, length(&s, &x));
}

const Value *fold_distance(Eval *e, const Type *result)
{
    Steps s = {.type = result};
    Vec x = vec_of(e, e->args[0]), y = vec_of(e, e->args[1]);
    for (uint32_t i = 0; i < x.width; i++)
        x.at[i] = sub(&s, x.at[i], y.at[i]);
    return real_value(e, &s, length(&s, &x));
}

const Value *fold_normalize(Eval *e, const Type *result)
{
    Steps s = {.type = type_scalar_of(result)};
    Vec x = vec_of(e, e->args[0]);
    double len = length(&s, &x);
    if (len == 0) {
        fold_fail(e, DIAG_domain, "%s is not defined: the length is zero in '%s'",
                  fold_what(e), fold_type_text(e, s.type));
        return NULL;
    }
    for (uint32_t i = 0; i < x.width; i++)
        x.at[i] = fold_step(&s, x.at[i] / len);
    return vec_value(e, &s, result, &x);
}

const Value *fold_face_forward(Eval *e, const Type *result)
{
    Steps s = {.type = type_scalar_of(result)};
    Vec out = vec_of(e, e->args[0]);
    Vec incident = vec_of(e, e->args[1]), normal = vec_of(e, e->args[2]);
    if (!(dot(&s, &incident, &normal) < 0))
        for (uint32_t i = 0; i < out.width; i++)
            out.at[i] = -out.at[i];
    return vec_value(e, &s, result, &out);
}

/* x - 2 * dot(y, x) * y */
const Value *fold_reflect(Eval *e, const Type *result)
{
    Steps s = {.type = type_scalar_of(result)};
    Vec x = vec_of(e, e->args[0]), y = vec_of(e, e->args[1]);
    double twice = mul(&s, 2, dot(&s, &y, &x));
    for (uint32_t i = 0; i < x.width; i++)
        x.at[i] = sub(&s, x.at[i], mul(&s, twice, y.at[i]));
    return vec_value(e, &s, result, &x);
}

/* z * x - (z * dot(y, x) + sqrt(k)) * y, k = 1 - z * z * (1 - dot(y, x)^2);
 * zero if k is negative. */
const Value *fold_refract(Eval *e, const Type *result)
{
    Steps s = {.type = type_scalar_of(result)};
    Vec x = vec_of(e, e->args[0]), y = vec_of(e, e->args[1]);
    double ratio = e->args[2]->real;
    double cosine = dot(&s, &y, &x);
    double sine = sub(&s, 1, mul(&s, cosine, cosine));
    double k = sub(&s, 1, mul(&s, mul(&s, ratio, ratio), sine));
    if (k < 0) {
        x = (Vec){.width = x.width};
        return vec_value(e, &s, result, &x);
    }
    double along = add(&s, mul(&s, ratio, cosine), fold_step(&s, sqrt(k)));
    for (uint32_t i = 0; i < x.width; i++)
        x.at[i] = sub(&s, mul(&s, ratio, x.at[i]), mul(&s, along, y.at[i]));
    return vec_value(e, &s, result, &x);
}

/* ---- matrices ---- */

const Value *fold_transpose(Eval *e, const Type *result)
{
    Steps s = {.type = type_scalar_of(result)};
    Mat m = mat_of(e, e->args[0]), out = {.columns = m.rows, .rows = m.columns};
    for (uint32_t i = 0; i < m.columns; i++)
        for (uint32_t j = 0; j < m.rows; j++)
            out.at[j][i] = m.at[i][j];
    return mat_value(e, &s, result, &out);
}

/* `m` without its first row and without `column`. */
static Mat minor_of(const Mat *m, uint32_t column)
{
    Mat out = {.columns = m->columns - 1, .rows = m->rows - 1};
    for (uint32_t i = 0, to = 0; i < m->columns; i++) {
        if (i == column)
            continue;
        for (uint32_t j = 1; j < m->rows; j++)
            out.at[to][j - 1] = m->at[i][j];
        to++;
    }
    return out;
}

/* By the first row; the depth is at most 4. */
static double determinant(Steps *s, const Mat *m)
{
    if (m->columns == 2)
        return sub(s, mul(s, m->at[0][0], m->at[1][1]), mul(s, m->at[1][0], m->at[0][1]));
    double sum = 0;
    for (uint32_t i = 0; i < m->columns; i++) {
        Mat minor = minor_of(m, i);
        double term = mul(s, m->at[i][0], determinant(s, &minor));
        sum = i % 2 ? sub(s, sum, term) : add(s, sum, term);
    }
    return sum;
}

const Value *fold_determinant(Eval *e, const Type *result)
{
    Steps s = {.type = result};
    Mat m = mat_of(e, e->args[0]);
    return real_value(e, &s, determinant(&s, &m));
}

/* ---- truth ---- */

static const Value *truth(Eval *e, bool all)
{
    const Value *x = e->args[0];
    bool found = x->type->kind == TYPE_BOOL ? x->boolean : all;
    if (x->type->kind == TYPE_VECTOR)
        for (uint32_t i = 0; i < x->type->vector.width; i++)
            if (fold_part(e, x, i)->boolean != all)
                found = !all;
    return value_bool(e->f->arena, e->f->types, found);
}

const Value *fold_all(Eval *e, const Type *result)
{
    (void)result;
    return truth(e, true);
}

const Value *fold_any(Eval *e, const Type *result)
{
    (void)result;
    return truth(e, false);
}
