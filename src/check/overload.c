// SPDX-License-Identifier: Apache-2.0
/*
 * overload.c - which row of overloads fits a call.
 *
 * in     rows (overload_priv.h), read as they stand in the table; argument types
 * out    the preferred row, the types its parameters then have, its result
 * knows  WGSL 6.1.2 (conversion rank), 6.1.3 (overload resolution)
 * not    messages (overload_text.c), trees, constants
 *
 * A row is tried in three steps. Every argument narrows what the variables may
 * be; then each scalar variable takes the preferred scalar of those left; then
 * the types of the parameters are built and the conversions ranked.
 */
#include "check/overload_match_priv.h"

/* ---- reading patterns ---- */

static bool is_space(char c)
{
    return c == ' ';
}

static Str trim(Str s)
{
    while (s.len && is_space(s.data[0])) {
        s.data++;
        s.len--;
    }
    while (s.len && is_space(s.data[s.len - 1]))
        s.len--;
    return s;
}

Str pattern_next(Str *list)
{
    uint32_t depth = 0, at = 0;
    for (; at < list->len; at++) {
        char c = list->data[at];
        if (c == ',' && depth == 0)
            break;
        depth += c == '<';
        depth -= c == '>';
    }
    Str item = {list->data, at};
    uint32_t used = at < list->len ? at + 1 : at;
    list->data += used;
    list->len -= used;
    return trim(item);
}

Str pattern_head(Str pattern, Str *inner)
{
    uint32_t at = 0;
    while (at < pattern.len && pattern.data[at] != '<')
        at++;
    *inner = (Str){0};
    if (at < pattern.len)
        *inner = (Str){pattern.data + at + 1, pattern.len - at - 2};
    return (Str){pattern.data, at};
}

static int64_t read_int(const char **p)
{
    bool negative = **p == '-';
    int64_t n = 0;
    *p += negative;
    for (; **p >= '0' && **p <= '9'; ++*p)
        n = n * 10 + (**p - '0');
    return negative ? -n : n;
}

/* Takes " {low..high}" or " [low..high]" off the end of a type. */
static void read_range(Param *p)
{
    uint32_t at = 0;
    while (at < p->type.len && p->type.data[at] != '{' && p->type.data[at] != '[')
        at++;
    if (at == p->type.len)
        return;
    const char *text = p->type.data + at + 1;
    p->has_range = true;
    p->must_be_const = p->type.data[at] == '{';
    p->low = read_int(&text);
    text += 2;                          /* ".." */
    p->high = read_int(&text);
    p->type = trim((Str){p->type.data, at});
}

static Param read_param(Str item)
{
    Param p = {.type = item};
    for (uint32_t at = 0; at < item.len && item.data[at] != '<'; at++) {
        if (item.data[at] == ':') {
            p.name = (Str){item.data, at};
            p.type = trim((Str){item.data + at + 1, item.len - at - 1});
            break;
        }
    }
    read_range(&p);
    return p;
}

uint32_t overload_param_count(const Overload *row)
{
    Str list = str_of(row->params);
    uint32_t n = 0;
    for (; list.len; n++)
        pattern_next(&list);
    return n;
}

Param overload_param(const Overload *row, uint32_t i)
{
    Str list = str_of(row->params);
    Str item = pattern_next(&list);
    while (i--)
        item = pattern_next(&list);
    return read_param(item);
}

/* ---- names in patterns ---- */

#define NAME(text) {text, sizeof text - 1}
static const PatternName names[] = {
    {NAME("S"),                             PATTERN_SCALAR_VAR, VAR_S, 0},
    {NAME("W"),                             PATTERN_SCALAR_VAR, VAR_W, 0},
    {NAME("C"),                             PATTERN_SCALAR_VAR, VAR_C, 0},
    {NAME("A"),                             PATTERN_SCALAR_VAR, VAR_A, 0},
    {NAME("L"),                             PATTERN_SCALAR_VAR, VAR_L, 0},
    {NAME("CF"),                            PATTERN_CHANNEL, 0, 0},
    {NAME("E"),                             PATTERN_ANY,     0, 0},
    {NAME("bool"),                          PATTERN_SCALAR,  SCALAR_BOOL, 0},
    {NAME("i32"),                           PATTERN_SCALAR,  SCALAR_I32, 0},
    {NAME("u32"),                           PATTERN_SCALAR,  SCALAR_U32, 0},
    {NAME("f32"),                           PATTERN_SCALAR,  SCALAR_F32, 0},
    {NAME("f16"),                           PATTERN_SCALAR,  SCALAR_F16, 0},
    {NAME("f64"),                           PATTERN_SCALAR,  SCALAR_F64, 0},
    {NAME("abstract_int"),                  PATTERN_SCALAR,  SCALAR_ABSTRACT_INT, 0},
    {NAME("ptr"),                           PATTERN_POINTER, 0, 0},
    {NAME("atomic"),                        PATTERN_ATOMIC,  0, 0},
    {NAME("array"),                         PATTERN_ARRAY,   0, 0},
    {NAME("buffer"),                        PATTERN_BUFFER,  0, 0},
    {NAME("sampler"),                       PATTERN_SAMPLER, false, 0},
    {NAME("sampler_comparison"),            PATTERN_SAMPLER, true, 0},
    {NAME("texture_1d"),                    PATTERN_TEXTURE, TEXTURE_SAMPLED, DIM_1D},
    {NAME("texture_2d"),                    PATTERN_TEXTURE, TEXTURE_SAMPLED, DIM_2D},
    {NAME("texture_2d_array"),              PATTERN_TEXTURE, TEXTURE_SAMPLED, DIM_2D_ARRAY},
    {NAME("texture_3d"),                    PATTERN_TEXTURE, TEXTURE_SAMPLED, DIM_3D},
    {NAME("texture_cube"),                  PATTERN_TEXTURE, TEXTURE_SAMPLED, DIM_CUBE},
    {NAME("texture_cube_array"),            PATTERN_TEXTURE, TEXTURE_SAMPLED, DIM_CUBE_ARRAY},
    {NAME("texture_multisampled_2d"),       PATTERN_TEXTURE, TEXTURE_MULTISAMPLED, DIM_2D},
    {NAME("texture_depth_2d"),              PATTERN_TEXTURE, TEXTURE_DEPTH, DIM_2D},
    {NAME("texture_depth_2d_array"),        PATTERN_TEXTURE, TEXTURE_DEPTH, DIM_2D_ARRAY},
    {NAME("texture_depth_cube"),            PATTERN_TEXTURE, TEXTURE_DEPTH, DIM_CUBE},
    {NAME("texture_depth_cube_array"),      PATTERN_TEXTURE, TEXTURE_DEPTH, DIM_CUBE_ARRAY},
    {NAME("texture_depth_multisampled_2d"), PATTERN_TEXTURE, TEXTURE_DEPTH_MULTISAMPLED, DIM_2D},
    {NAME("texture_storage_1d"),            PATTERN_TEXTURE, TEXTURE_STORAGE, DIM_1D},
    {NAME("texture_storage_2d"),            PATTERN_TEXTURE, TEXTURE_STORAGE, DIM_2D},
    {NAME("texture_storage_2d_array"),      PATTERN_TEXTURE, TEXTURE_STORAGE, DIM_2D_ARRAY},
    {NAME("texture_storage_3d"),            PATTERN_TEXTURE, TEXTURE_STORAGE, DIM_3D},
    {NAME("texture_external"),              PATTERN_TEXTURE, TEXTURE_EXTERNAL, DIM_2D},
    {NAME("frexp_result"),                  PATTERN_RESULT,  RESULT_FREXP, 0},
    {NAME("modf_result"),                   PATTERN_RESULT,  RESULT_MODF, 0},
    {NAME("atomic_compare_exchange_result"), PATTERN_RESULT, RESULT_ATOMIC_COMPARE_EXCHANGE, 0},
};
#undef NAME

/* What T with a second letter is made of. */
static Str shaped_of(Str head)
{
    if (head.len == 1)
        return STR("S");
    switch (head.data[1]) {
    case 'B': return STR("bool");
    case 'U': return STR("u32");
    case 'I': return STR("i32");
    case 'A': return STR("abstract_int");
    case 'W': return STR("W");
    default:  return (Str){0};
    }
}

static bool is_dim(char c)
{
    return c == 'N' || c == 'C' || c == 'R' || c == 'K' || (c >= '2' && c <= '4');
}

Pattern pattern_of(Str text)
{
    Pattern p = {.kind = PATTERN_NONE};
    Str head = pattern_head(text, &p.inner);
    if (head.len <= 2 && head.len && head.data[0] == 'T') {
        p.kind = PATTERN_SHAPED;
        p.inner = shaped_of(head);
    } else if (head.len == 4 && memcmp(head.data, "vec", 3) == 0 && is_dim(head.data[3])) {
        p.kind = PATTERN_VECTOR;
        p.a = (uint8_t)head.data[3];
    } else if (head.len == 6 && memcmp(head.data, "mat", 3) == 0
               && is_dim(head.data[3]) && is_dim(head.data[5])) {
        p.kind = PATTERN_MATRIX;
        p.a = (uint8_t)head.data[3];
        p.b = (uint8_t)head.data[5];
    }
    for (uint32_t i = 0; p.kind == PATTERN_NONE && i < COUNTOF(names); i++) {
        if (str_eq(head, names[i].name)) {
            p.kind = names[i].kind;
            p.a = names[i].a;
            p.b = names[i].b;
        }
    }
    return p;
}

const char *pattern_texture_name(TextureKind kind, TextureDim dim)
{
    for (uint32_t i = 0; i < COUNTOF(names); i++)
        if (names[i].kind == PATTERN_TEXTURE && names[i].a == kind && names[i].b == dim)
            return names[i].name.data;
    return "texture";
}

/* ---- scalars ---- */

static uint32_t scalar_bit(TypeKind kind)
{
    switch (kind) {
    case TYPE_BOOL:           return SCALAR_BOOL;
    case TYPE_ABSTRACT_INT:   return SCALAR_ABSTRACT_INT;
    case TYPE_ABSTRACT_FLOAT: return SCALAR_ABSTRACT_FLOAT;
    case TYPE_I32:            return SCALAR_I32;
    case TYPE_U32:            return SCALAR_U32;
    case TYPE_F32:            return SCALAR_F32;
    case TYPE_F16:            return SCALAR_F16;
    case TYPE_F64:            return SCALAR_F64;
    default:                  return 0;
    }
}

uint32_t scalar_conversions(const Type *scalar)
{
    switch (scalar->kind) {
    case TYPE_ABSTRACT_INT:   return WHERE_NUMBER;
    case TYPE_ABSTRACT_FLOAT: return WHERE_FLOAT;
    default:                  return scalar_bit(scalar->kind);
    }
}

const Type *scalar_preferred(const TypeTable *t, uint32_t set)
{
    switch (set & (~set + 1)) {
    case SCALAR_BOOL:           return t->boolean;
    case SCALAR_ABSTRACT_INT:   return t->abstract_int;
    case SCALAR_I32:            return t->i32;
    case SCALAR_U32:            return t->u32;
    case SCALAR_ABSTRACT_FLOAT: return t->abstract_float;
    case SCALAR_F32:            return t->f32;
    case SCALAR_F16:            return t->f16;
    case SCALAR_F64:            return t->f64;
    default:                    return NULL;
    }
}

/* ---- matching ---- */

void env_init(Env *env, const OverloadQuery *q, const Overload *row)
{
    uint32_t mask = SCALAR_ALL;
    if (!q->all_const)
        mask &= ~(uint32_t)SCALAR_ABSTRACT;
    if (!q->f16)
        mask &= ~(uint32_t)SCALAR_F16;
    if (!q->f64)
        mask &= ~(uint32_t)SCALAR_F64;
    *env = (Env){.types = q->types, .where = row->where, .mask = mask};
    env->set[VAR_S] = row->where & mask;
    env->set[VAR_W] = WHERE_WORD;
    env->set[VAR_C] = WHERE_INTEGER;
    env->set[VAR_A] = WHERE_INTEGER;
    env->set[VAR_L] = WHERE_INTEGER;
}

uint32_t *env_dim(Env *env, char letter)
{
    return &env->dim[letter == 'N' ? 0 : letter == 'C' ? 1 : letter == 'R' ? 2 : 3];
}

static bool bind_dim(Env *env, char letter, uint32_t value)
{
    if (letter >= '2' && letter <= '4')
        return value == (uint32_t)(letter - '0');
    uint32_t *dim = env_dim(env, letter);
    if (*dim == 0)
        *dim = value;
    return *dim == value;
}

/* The scalars a scalar pattern still allows; *set is where to narrow them, or
 * NULL for a pattern that names one. */
uint32_t env_scalars(Env *env, Str pattern, uint32_t **set)
{
    Pattern p = pattern_of(pattern);
    *set = NULL;
    switch (p.kind) {
    case PATTERN_SCALAR:
        return p.a & env->mask;
    case PATTERN_CHANNEL:
        return env->has_format
            ? scalar_bit(texel_format_channel((TexelFormat)env->format)) : WHERE_TEXEL;
    case PATTERN_SCALAR_VAR:
        *set = &env->set[p.a];
        return **set;
    default:
        return 0;
    }
}

static bool match_scalar(Env *env, Str pattern, const Type *t)
{
    uint32_t *set;
    uint32_t fits = env_scalars(env, pattern, &set) & scalar_conversions(t);
    if (fits && set)
        *set = fits;
    return fits != 0;
}

static bool match_space(Env *env, Str name, AddressSpace space)
{
    env->space = space;
    if (str_eq(name, STR("workgroup")))
        return space == SPACE_WORKGROUP;
    return space == SPACE_STORAGE || space == SPACE_UNIFORM || space == SPACE_WORKGROUP;
}

static bool match_access(Env *env, Str name, Access access)
{
    env->access = access;
    if (str_eq(name, STR("AR")))
        return access != ACCESS_WRITE;
    if (str_eq(name, STR("AW")))
        return access != ACCESS_READ;
    if (str_eq(name, STR("read_write")))
        return access == ACCESS_READ_WRITE;
    return true;
}

static bool match_texture(Env *env, const Pattern *p, const Type *t)
{
    if (t->kind != TYPE_TEXTURE || t->texture.kind != (TextureKind)p->a
        || t->texture.dim != (TextureDim)p->b)
        return false;
    if (p->a == TEXTURE_SAMPLED || p->a == TEXTURE_MULTISAMPLED)
        return match_scalar(env, p->inner, t->texture.of);
    if (p->a != TEXTURE_STORAGE)
        return true;
    Str list = p->inner;
    pattern_next(&list);                /* F */
    env->has_format = true;
    env->format = t->texture.format;
    return match_access(env, pattern_next(&list), t->texture.access);
}

static bool match_pointer(Env *env, Str inner, const Type *t)
{
    if (t->kind != TYPE_POINTER)
        return false;
    Str space = pattern_next(&inner), of = pattern_next(&inner);
    return match_space(env, space, t->pointer.space) && env_match(env, of, t->pointer.of)
        && match_access(env, pattern_next(&inner), t->pointer.access);
}

static bool match_any(Env *env, const Type *t)
{
    env->element = t;
    return !(env->where & WHERE_CONSTRUCTIBLE) || type_is_constructible(t);
}

bool env_match(Env *env, Str pattern, const Type *t)
{
    Pattern p = pattern_of(pattern);
    switch (p.kind) {
    case PATTERN_SCALAR:
    case PATTERN_SCALAR_VAR:
    case PATTERN_CHANNEL:
        return match_scalar(env, pattern, t);
    case PATTERN_SHAPED:
        if (t->kind != TYPE_VECTOR)
            return bind_dim(env, 'N', 1) && match_scalar(env, p.inner, t);
        return bind_dim(env, 'N', t->vector.width) && match_scalar(env, p.inner, t->vector.of);
    case PATTERN_VECTOR:
        return t->kind == TYPE_VECTOR && bind_dim(env, (char)p.a, t->vector.width)
            && match_scalar(env, p.inner, t->vector.of);
    case PATTERN_MATRIX:
        return t->kind == TYPE_MATRIX && bind_dim(env, (char)p.a, t->matrix.columns)
            && bind_dim(env, (char)p.b, t->matrix.rows)
            && match_scalar(env, p.inner, t->matrix.of);
    case PATTERN_POINTER:
        return match_pointer(env, p.inner, t);
    case PATTERN_ATOMIC:
        return t->kind == TYPE_ATOMIC && match_scalar(env, p.inner, t->atomic.of);
    case PATTERN_ARRAY:
        return t->kind == TYPE_ARRAY && t->array.count_kind == COUNT_RUNTIME;
    case PATTERN_BUFFER:
        return t->kind == TYPE_BUFFER;
    case PATTERN_SAMPLER:
        return t->kind == TYPE_SAMPLER && t->sampler.comparison == (p.a != 0);
    case PATTERN_TEXTURE:
        return match_texture(env, &p, t);
    case PATTERN_ANY:
        return match_any(env, t);
    case PATTERN_RESULT:
    case PATTERN_NONE:
        break;
    }
    BUG("'%.*s' is not the type of a parameter", STR_ARG(pattern));
}

/* ---- building ---- */

static uint32_t dim_of(Env *env, uint8_t letter)
{
    return letter >= '2' && letter <= '4' ? (uint32_t)(letter - '0')
                                          : *env_dim(env, (char)letter);
}

static const Type *build_scalar(Env *env, Str pattern)
{
    uint32_t *set;
    const Type *t = scalar_preferred(env->types, env_scalars(env, pattern, &set));
    BUG_IF(!t, "'%.*s' is not settled", STR_ARG(pattern));
    return t;
}

static const Type *build_texture(Env *env, const Pattern *p)
{
    bool sampled = p->a == TEXTURE_SAMPLED || p->a == TEXTURE_MULTISAMPLED;
    return type_texture(env->types, (TextureKind)p->a, (TextureDim)p->b,
                        sampled ? build_scalar(env, p->inner) : NULL,
                        (TexelFormat)env->format,
                        p->a == TEXTURE_STORAGE ? env->access : ACCESS_NONE);
}

const Type *env_build(Env *env, Str pattern)
{
    Pattern p = pattern_of(pattern);
    switch (p.kind) {
    case PATTERN_SCALAR:
    case PATTERN_SCALAR_VAR:
    case PATTERN_CHANNEL:
        return build_scalar(env, pattern);
    case PATTERN_SHAPED:
        if (env->dim[0] <= 1)
            return build_scalar(env, p.inner);
        return type_vector(env->types, build_scalar(env, p.inner), env->dim[0]);
    case PATTERN_VECTOR:
        return type_vector(env->types, build_scalar(env, p.inner), dim_of(env, p.a));
    case PATTERN_MATRIX:
        return type_matrix(env->types, build_scalar(env, p.inner), dim_of(env, p.a),
                           dim_of(env, p.b));
    case PATTERN_POINTER: {
        Str list = p.inner;
        pattern_next(&list);
        return type_pointer(env->types, env_build(env, pattern_next(&list)), env->space,
                            env->access);
    }
    case PATTERN_ATOMIC:
        return type_atomic(env->types, build_scalar(env, p.inner));
    case PATTERN_SAMPLER:
        return type_sampler(env->types, p.a != 0);
    case PATTERN_TEXTURE:
        return build_texture(env, &p);
    case PATTERN_ANY:
        return env->element;
    case PATTERN_RESULT:
        return type_result_struct(env->types, (ResultKind)p.a, env_build(env, p.inner));
    case PATTERN_ARRAY:
    case PATTERN_BUFFER:
    case PATTERN_NONE:
        break;
    }
    BUG("'%.*s' cannot be built", STR_ARG(pattern));
}

/* What an argument of type `t` converts to. Pointers are passed as they are:
 * nothing in them is left to the row. */
static const Type *param_type(Env *env, Str pattern, const Type *t)
{
    return t->kind == TYPE_POINTER ? t : env_build(env, pattern);
}

/* ---- resolving ---- */

typedef struct Candidate {
    const Overload *row;
    Env             env;
    const Type     *params[OVERLOAD_MAX_PARAMS];
    uint32_t        rank[OVERLOAD_MAX_PARAMS];
    bool            exact;              /* nothing is converted */
} Candidate;

static bool candidate_fits(Candidate *c, const OverloadQuery *q, const Overload *row)
{
    Str list = str_of(row->params), types[OVERLOAD_MAX_PARAMS];
    if (overload_param_count(row) != q->nargs || (row->template_[0] != '\0') != !!q->explicit_)
        return false;
    c->row = row;
    env_init(&c->env, q, row);
    if (q->explicit_ && !env_match(&c->env, str_of(row->template_), q->explicit_))
        return false;
    for (uint32_t i = 0; i < q->nargs; i++) {
        types[i] = read_param(pattern_next(&list)).type;
        if (!env_match(&c->env, types[i], q->args[i]))
            return false;
    }
    c->exact = true;
    for (uint32_t i = 0; i < q->nargs; i++) {
        c->params[i] = param_type(&c->env, types[i], q->args[i]);
        c->rank[i] = type_conversion_rank(q->args[i], c->params[i]);
        c->exact &= c->rank[i] == 0;
        BUG_IF(c->rank[i] == RANK_INFINITE, "a row fits, but its conversion is not feasible");
    }
    return true;
}

/* Is x at least as good as y everywhere, and better somewhere? */
static bool is_preferred(const Candidate *x, const Candidate *y, uint32_t nargs)
{
    bool better = false;
    for (uint32_t i = 0; i < nargs; i++) {
        if (x->rank[i] > y->rank[i])
            return false;
        better |= x->rank[i] < y->rank[i];
    }
    return better;
}

bool overload_resolve(const OverloadQuery *q, Overloads set, OverloadMatch *out)
{
    Candidate best = {0}, next;
    bool alone = true;                  /* best is preferred over all tried */
    /* Nothing is preferred over a row that needs no conversion, and no two rows
     * take the same types. */
    for (uint32_t i = 0; i < set.count && !(best.row && best.exact); i++) {
        if (!candidate_fits(&next, q, &set.rows[i]))
            continue;
        if (!best.row || is_preferred(&next, &best, q->nargs)) {
            best = next;
            alone = true;
        } else if (!is_preferred(&best, &next, q->nargs)) {
            alone = false;
        }
    }
    if (!best.row || !alone)
        return false;
    *out = (OverloadMatch){.row = best.row};
    for (uint32_t i = 0; i < q->nargs; i++)
        out->params[i] = best.params[i];
    out->result = best.row->result[0] ? env_build(&best.env, str_of(best.row->result))
                                      : q->types->void_;
    return true;
}
