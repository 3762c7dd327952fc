/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/runfile.c - reading the comments of run tests; buffers from and to
 * numbers.
 *
 * in     a checked module with `// run:` comments
 * out    cases; the bytes of their buffers; what is not as expected
 * knows  the layout of WGSL types
 * not    who runs the kernel
 */
#include "support/runfile.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- scalars of a type ---- */

typedef struct Scalar {
    TypeKind kind;
    uint64_t offset;                    /* bytes                                  */
} Scalar;

/* Scalars in a type; of one element, for a runtime-sized array. */
static uint64_t scalar_count(const Type *t)
{
    switch (t->kind) {
    case TYPE_VECTOR: return t->vector.width;
    case TYPE_MATRIX: return (uint64_t)t->matrix.columns * t->matrix.rows;
    case TYPE_ATOMIC: return 1;
    case TYPE_ARRAY: {
        uint64_t one = scalar_count(t->array.of);
        return t->array.count_kind == COUNT_RUNTIME ? one : one * t->array.count;
    }
    case TYPE_BUFFER: return t->array.count / 4;
    case TYPE_STRUCT: {
        const Decl *d = t->structure.decl;
        uint64_t n = 0;
        for (uint32_t i = 0; i < d->structure.nmembers; i++)
            n += scalar_count(d->structure.members[i].type);
        return n;
    }
    default: return 1;
    }
}

static uint32_t size_of(const Type *scalar)
{
    return scalar->kind == TYPE_F16 ? 2 : scalar->kind == TYPE_F64 ? 8 : 4;
}

static Scalar scalar_at(const Type *t, uint64_t i, uint64_t base);

static Scalar member_at(const Type *t, uint64_t i, uint64_t base)
{
    const Decl *d = t->structure.decl;
    uint32_t last = d->structure.nmembers - 1;
    for (uint32_t k = 0;; k++) {
        const Member *m = &d->structure.members[k];
        uint64_t n = scalar_count(m->type);
        if (i < n || k == last)
            return scalar_at(m->type, i, base + m->offset);
        i -= n;
    }
}

/* Scalar number i of a value of type t at byte `base`. */
static Scalar scalar_at(const Type *t, uint64_t i, uint64_t base)
{
    switch (t->kind) {
    case TYPE_VECTOR:
        return (Scalar){t->vector.of->kind, base + i * size_of(t->vector.of)};
    case TYPE_MATRIX: {
        uint32_t rows = t->matrix.rows, size = size_of(t->matrix.of);
        uint64_t stride = (rows == 3 ? 4u : rows) * size;
        return (Scalar){t->matrix.of->kind, base + i / rows * stride + i % rows * size};
    }
    case TYPE_ATOMIC: return scalar_at(t->atomic.of, i, base);
    case TYPE_ARRAY: {
        uint64_t n = scalar_count(t->array.of);
        return scalar_at(t->array.of, i % n, base + i / n * t->array.stride);
    }
    case TYPE_STRUCT: return member_at(t, i, base);
    case TYPE_BUFFER: return (Scalar){TYPE_U32, base + i * 4};
    default:          return (Scalar){t->kind, base};
    }
}

/* ---- numbers and bytes ---- */

static uint32_t half_bits(double x)
{
    uint32_t sign = signbit(x) ? 0x8000u : 0;
    double m = fabs(x);
    if (isnan(x))
        return 0x7e00u;
    if (m >= 65520)
        return sign | 0x7c00u;
    int e = m >= 0x1p-14 ? ilogb(m) : -14;
    return sign | ((uint32_t)nearbyint(ldexp(m, 10 - e)) + ((uint32_t)(e + 14) << 10));
}

static double half_value(uint32_t bits)
{
    int e = (int)(bits >> 10 & 31);
    double m = bits & 1023;
    double x = e == 31 ? (m != 0 ? (double)NAN : (double)INFINITY)
             : e == 0  ? ldexp(m, -24)
                       : ldexp(m + 1024, e - 25);
    return bits & 0x8000 ? -x : x;
}

static void put(uint8_t *data, Scalar s, double x)
{
    float f = (float)x;
    int32_t i = x < 0 ? (int32_t)x : (int32_t)(uint32_t)x;
    uint16_t h = (uint16_t)half_bits(x);
    switch (s.kind) {
    case TYPE_F32: memcpy(data + s.offset, &f, 4); break;
    case TYPE_F16: memcpy(data + s.offset, &h, 2); break;
    case TYPE_F64: memcpy(data + s.offset, &x, 8); break;
    default:       memcpy(data + s.offset, &i, 4); break;
    }
}

static double get(const uint8_t *data, Scalar s)
{
    float f;
    int32_t i;
    uint32_t u;
    uint16_t h;
    double d;
    switch (s.kind) {
    case TYPE_F64: memcpy(&d, data + s.offset, 8); return d;
    case TYPE_F32: memcpy(&f, data + s.offset, 4); return (double)f;
    case TYPE_F16: memcpy(&h, data + s.offset, 2); return half_value(h);
    case TYPE_I32: memcpy(&i, data + s.offset, 4); return i;
    default:       memcpy(&u, data + s.offset, 4); return u;
    }
}

/* The runtime-sized array at the end of a type; NULL: none. */
static const Type *trailing_array(const Type *t)
{
    if (t->kind == TYPE_STRUCT) {
        const Decl *d = t->structure.decl;
        t = d->structure.members[d->structure.nmembers - 1].type;
    }
    bool open = t->kind == TYPE_ARRAY && t->array.count_kind == COUNT_RUNTIME;
    return open ? t : NULL;
}

/* Bytes for a binding of the type with at least `numbers` scalars. */
static uint64_t bytes_for(const Type *t, uint64_t numbers)
{
    uint64_t least = (type_min_binding_size(t) + 3) / 4 * 4;
    const Type *array = trailing_array(t);
    if (numbers == 0 || (!array && t->kind != TYPE_BUFFER))
        return least;
    Scalar last = scalar_at(t, numbers - 1, 0);
    uint64_t end = last.offset + (last.kind == TYPE_F64 ? 8 : 4);
    if (array) {
        uint64_t before = scalar_count(t) - scalar_count(array);
        uint64_t start = scalar_at(t, before, 0).offset;
        uint64_t elements = (end - start + array->array.stride - 1) / array->array.stride;
        end = start + elements * array->array.stride;
    }
    return MAX_OF(least, (end + 3) / 4 * 4);
}

void runfile_fill(Arena *a, RunCase *c)
{
    for (uint32_t i = 0; i < c->buffers.len; i++) {
        RunBuffer *b = &c->buffers.data[i];
        uint32_t longest = MAX_OF(b->in.len, b->out.len);
        b->size = (uint32_t)bytes_for(b->var->type, longest);
        b->data = arena_alloc(a, b->size);
        for (uint32_t k = 0; k < b->in.len; k++)
            put(b->data, scalar_at(b->var->type, k, 0), b->in.data[k].value);
    }
}

static bool is_equal(const RunCase *c, TypeKind kind, double want, double found)
{
    if (kind != TYPE_F32 && kind != TYPE_F16 && kind != TYPE_F64)
        return want == found || (want < 0 && found == want + 4294967296.0);
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(found) : want == found;
    double within = kind == TYPE_F16   ? MAX_OF(c->within, 1e-3)
                    : kind == TYPE_F64 ? MIN_OF(c->within, 1e-15)
                                       : c->within;
    return fabs(want - found) <= within * MAX_OF(fabs(want), 1e-300) || want == found
        || fabs(want - found) <= c->absolute;
}

const char *runfile_difference(Arena *a, const RunCase *c)
{
    for (uint32_t i = 0; i < c->buffers.len; i++) {
        const RunBuffer *b = &c->buffers.data[i];
        for (uint32_t k = 0; b->has_out && k < b->out.len; k++) {
            Scalar s = scalar_at(b->var->type, k, 0);
            RunNumber want = b->out.data[k];
            double found = get(b->data, s);
            if (!want.any && !is_equal(c, s.kind, want.value, found))
                return arena_printf(a, "%.*s: number %u is %.17g, and should be %.17g",
                                    STR_ARG(b->var->ident.name->text), k, found,
                                    want.value);
        }
    }
    return NULL;
}

/* ---- reading ---- */

typedef struct Reader {
    Arena        *a;
    const Module *m;
    const char   *at, *end;
    uint32_t      line;
    RunFile      *file;
    jmp_buf       escape;
} Reader;

static NORETURN void fail(Reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void fail(Reader *r, const char *fmt, ...)
{
    char message[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    r->file->error = arena_printf(r->a, "line %u: %s", r->line, message);
    longjmp(r->escape, 1);
}

/* Blanks, and the start of the next line of the comment. */
static void skip(Reader *r)
{
    while (r->at < r->end) {
        if (*r->at == '\n') {
            const char *p = r->at + 1;
            while (p < r->end && (*p == ' ' || *p == '\t'))
                p++;
            bool goes_on = r->end - p >= 2 && p[0] == '/' && p[1] == '/';
            bool starts = r->end - p >= 7 && memcmp(p, "// run:", 7) == 0;
            if (!goes_on || starts)
                return;
            r->line++;
            r->at = p + 2;
        } else if (isspace((unsigned char)*r->at)) {
            r->at++;
        } else {
            return;
        }
    }
}

static bool take(Reader *r, char c)
{
    skip(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static void expect(Reader *r, char c)
{
    if (!take(r, c))
        fail(r, "'%c' is missing", c);
}

static Str word(Reader *r)
{
    skip(r);
    const char *start = r->at;
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_'))
        r->at++;
    if (r->at == start)
        fail(r, "a name is missing");
    return (Str){start, (uint32_t)(r->at - start)};
}

static bool at_number(Reader *r)
{
    skip(r);
    return r->at < r->end
        && (isdigit((unsigned char)*r->at) || strchr("-+.in", *r->at) != NULL);
}

static double number(Reader *r)
{
    char text[64];
    size_t n = 0;
    skip(r);
    while (r->at < r->end && n < sizeof text - 1
           && (isalnum((unsigned char)*r->at) || strchr("+-.", *r->at))
           && !(r->at[0] == '.' && r->at + 1 < r->end && r->at[1] == '.'))
        text[n++] = *r->at++;
    text[n] = 0;
    char *stop;
    double x = strtod(text, &stop);
    if (n == 0 || *stop)
        fail(r, "'%s' is not a number", text);
    return x;
}

/* The numbers of a list, one after the other. */
typedef VEC(RunNumber) Numbers;

/* For so many more: a vector that grows one by one takes the square of that in memory. */
static void make_room(Reader *r, Numbers *out, double more)
{
    uint32_t cap = out->len + (uint32_t)fmin(fmax(more, 0), 1 << 24);
    RunNumber *data = ARENA_ARRAY(r->a, RunNumber, cap + 1);
    if (out->len)
        memcpy(data, out->data, out->len * sizeof *data);
    out->data = data;
    out->cap = cap + 1;
}

static void item(Reader *r, Numbers *out)
{
    if (take(r, '_')) {
        VEC_PUSH(r->a, out, ((RunNumber){.any = true}));
        return;
    }
    double x = number(r);
    if (take(r, '*')) {
        RunNumber repeated = {0};
        if (take(r, '_'))
            repeated.any = true;
        else
            repeated.value = number(r);
        make_room(r, out, x);
        for (double i = 0; i < x; i++)
            VEC_PUSH(r->a, out, repeated);
    } else if (r->end - r->at >= 2 && r->at[0] == '.' && r->at[1] == '.') {
        r->at += 2;
        double last = number(r);
        make_room(r, out, last - x + 1);
        for (double i = x; i <= last; i++)
            VEC_PUSH(r->a, out, ((RunNumber){.value = i}));
    } else {
        VEC_PUSH(r->a, out, ((RunNumber){.value = x}));
    }
}

static Numbers list(Reader *r)
{
    Numbers out = {0};
    expect(r, '=');
    expect(r, '[');
    while (!take(r, ']')) {
        item(r, &out);
        take(r, ',');
    }
    return out;
}

static RunBuffer *find_buffer(Reader *r, RunCase *c, Str name)
{
    for (uint32_t i = 0; i < c->buffers.len; i++)
        if (str_eq(c->buffers.data[i].var->ident.name->text, name))
            return &c->buffers.data[i];
    fail(r, "the entry point uses no buffer '%.*s'", STR_ARG(name));
}

static void add_buffers(Reader *r, RunCase *c)
{
    const FnInfo *info = c->entry->fn.info;
    for (uint32_t i = 0; i < info->globals.len; i++) {
        const Decl *d = info->globals.data[i];
        if (d->kind == DECL_VAR && (d->var.has_binding || d->var.space == SPACE_IMMEDIATE))
            VEC_PUSH(r->a, &c->buffers, ((RunBuffer){.var = d}));
    }
}

static void contents(Reader *r, RunCase *c, bool after)
{
    if (!c->entry && r->m->info->entry_points.len)
        c->entry = r->m->info->entry_points.data[0];
    if (!c->entry)
        fail(r, "there is no entry point");
    if (!c->buffers.len)
        add_buffers(r, c);
    RunBuffer *b = find_buffer(r, c, word(r));
    Numbers n = list(r);
    RunNumber *data = n.data;
    if (after) {
        b->out.data = data;
        b->out.len = n.len;
        b->has_out = true;
    } else {
        b->in.data = data;
        b->in.len = n.len;
    }
}

static void clause(Reader *r, RunCase *c)
{
    Str what = word(r);
    if (str_eq(what, STR("entry"))) {
        Str name = word(r);
        c->entry = module_find_entry_point(r->m, name);
        if (!c->entry)
            fail(r, "there is no entry point '%.*s'", STR_ARG(name));
    } else if (str_eq(what, STR("groups"))) {
        for (int i = 0; i < 3 && at_number(r); i++)
            c->groups[i] = (uint32_t)number(r);
    } else if (str_eq(what, STR("override"))) {
        Str key = word(r);
        expect(r, '=');
        VEC_PUSH(r->a, &c->overrides, ((OverrideSetting){key, number(r)}));
    } else if (str_eq(what, STR("within"))) {
        c->within = number(r);
    } else if (str_eq(what, STR("elsewhere"))) {
        c->elsewhere = number(r);
    } else if (str_eq(what, STR("subgroup"))) {
        c->subgroup_size = (uint32_t)number(r);
    } else if (str_eq(what, STR("in")) || str_eq(what, STR("out"))) {
        contents(r, c, what.len == 3);
    } else {
        fail(r, "'%.*s' is no clause of a run", STR_ARG(what));
    }
}

static void one_case(Reader *r)
{
    RunCase c = {.line = r->line, .groups = {1, 1, 1}, .within = 1e-6, .subgroup_size = 8};
    for (;;) {
        skip(r);
        if (r->at == r->end || *r->at == '\n')
            break;
        clause(r, &c);
        take(r, ',');
    }
    bool checks = false;
    for (uint32_t i = 0; i < c.buffers.len; i++)
        checks |= c.buffers.data[i].has_out;
    if (!checks)
        fail(r, "nothing is expected of this run");
    VEC_PUSH(r->a, &r->file->cases, c);
}

RunFile runfile_parse(Arena *a, const Module *m)
{
    RunFile file = {0};
    Reader *const r = ARENA_NEW(a, Reader);
    r->a = a;
    r->m = m;
    r->at = m->source.data;
    r->end = r->at + m->source.len;
    r->line = 1;
    r->file = &file;
    if (setjmp(r->escape))
        return file;
    while (r->at < r->end) {
        if (r->end - r->at >= 7 && memcmp(r->at, "// run:", 7) == 0) {
            r->at += 7;
            one_case(r);
        } else if (*r->at++ == '\n') {
            r->line++;
        }
    }
    return file;
}
