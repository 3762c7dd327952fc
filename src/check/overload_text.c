// SPDX-License-Identifier: Apache-2.0
/*
 * overload_text.c - overloads in words: signatures, and why one does not fit.
 *
 * in     rows, the types of the arguments of a call that no row fits
 * out    texts for messages
 * not    diagnostics: call.c and operator.c decide which texts are worth reading
 */
#include "check/overload_match_priv.h"

/* ---- sets of scalars ---- */

static const char *const scalar_names[] = {
    "bool", "abstract-int", "i32", "u32", "abstract-float", "f32", "f16", "f64",
};

/* "i32, u32 or f32". */
static void print_set(Text *out, uint32_t set)
{
    uint32_t left = 0, n = 0;
    for (uint32_t i = 0; i < COUNTOF(scalar_names); i++)
        left += set >> i & 1;
    for (uint32_t i = 0; i < COUNTOF(scalar_names); i++) {
        if (!(set >> i & 1))
            continue;
        left--;
        text_printf(out, "%s%s", n++ == 0 ? "" : left ? ", " : " or ", scalar_names[i]);
    }
}

/* The same without abstract types, which a user cannot write, unless there is
 * nothing else. */
static void print_written(Text *out, uint32_t set)
{
    uint32_t concrete = set & ~(uint32_t)SCALAR_ABSTRACT;
    print_set(out, concrete ? concrete : set);
}

/* ---- signatures ---- */

/* Does a word of a list of types name this variable? */
static bool list_uses(const char *text, const char *variable)
{
    size_t len = strlen(variable);
    for (const char *p = text; *p;) {
        size_t word = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        if (word == len && memcmp(p, variable, len) == 0 && p[word] != ':')
            return true;
        p += word ? word : 1;
    }
    return false;
}

static bool row_uses(const Overload *row, const char *variable)
{
    return list_uses(row->template_, variable) || list_uses(row->params, variable)
        || list_uses(row->result, variable);
}

static void print_where_item(Text *out, bool *first)
{
    text_printf(out, "%s", *first ? ", where " : "; ");
    *first = false;
}

static void print_where_set(Text *out, bool *first, const char *variable, uint32_t set)
{
    print_where_item(out, first);
    text_printf(out, "%s is ", variable);
    print_set(out, set);
}

static void print_where(Text *out, const Overload *row, bool f64)
{
    uint32_t shown = f64 ? SCALAR_ALL : SCALAR_ALL & ~SCALAR_F64;
    static const struct { const char *name; uint32_t set; } integers[] = {
        {"W", WHERE_WORD}, {"C", WHERE_INTEGER}, {"A", WHERE_INTEGER}, {"L", WHERE_INTEGER},
    };
    static const struct { const char *name, *text; } shaped[] = {
        {"TB", "bool"}, {"TU", "u32"}, {"TI", "i32"}, {"TA", "abstract-int"}, {"TW", "W"},
    };
    bool first = true;
    if (row_uses(row, "T")) {
        print_where_item(out, &first);
        text_printf(out, "T is S or vecN<S>");
    }
    for (uint32_t i = 0; i < COUNTOF(shaped); i++) {
        if (row_uses(row, shaped[i].name)) {
            print_where_item(out, &first);
            text_printf(out, "%s is %s or vecN<%s>", shaped[i].name, shaped[i].text,
                        shaped[i].text);
        }
    }
    if (row->where & shown)
        print_where_set(out, &first, "S", row->where & shown);
    for (uint32_t i = 0; i < COUNTOF(integers); i++)
        if (row_uses(row, integers[i].name) || (i == 0 && row_uses(row, "TW")))
            print_where_set(out, &first, integers[i].name, integers[i].set);
    if (row_uses(row, "AR")) {
        print_where_item(out, &first);
        text_printf(out, "AR is read or read_write");
    }
    if (row_uses(row, "AW")) {
        print_where_item(out, &first);
        text_printf(out, "AW is write or read_write");
    }
    if (row_uses(row, "CF")) {
        print_where_item(out, &first);
        text_printf(out, "CF is the channel type of F");
    }
}

void overload_print(Text *out, const char *name, const Overload *row, bool f64)
{
    text_printf(out, "%s", name);
    if (row->template_[0])
        text_printf(out, "<%s>", row->template_);
    text_char(out, '(');
    uint32_t n = overload_param_count(row);
    for (uint32_t i = 0; i < n; i++) {
        Param p = overload_param(row, i);
        text_printf(out, "%s%.*s: %.*s", i ? ", " : "", STR_ARG(p.name), STR_ARG(p.type));
    }
    text_char(out, ')');
    if (row->result[0])
        text_printf(out, " -> %s", row->result);
    print_where(out, row, f64);
}

void overload_print_operator(Text *out, const char *op, const Overload *row, bool f64)
{
    Param last = overload_param(row, overload_param_count(row) - 1);
    if (overload_param_count(row) == 2) {
        Param first = overload_param(row, 0);
        text_printf(out, "%.*s %s %.*s", STR_ARG(first.type), op, STR_ARG(last.type));
    } else {
        text_printf(out, "%s%.*s", op, STR_ARG(last.type));
    }
    text_printf(out, " -> %s", row->result);
    print_where(out, row, f64);
}

/* ---- what a parameter expects ---- */

static uint32_t known_dim(Env *env, uint8_t letter)
{
    return letter >= '2' && letter <= '4' ? (uint32_t)(letter - '0')
                                          : *env_dim(env, (char)letter);
}

static bool is_one(uint32_t set)
{
    return set && (set & (set - 1)) == 0;
}

/* Has everything in the pattern one value by now? */
static bool is_settled(Env *env, Str pattern)
{
    Pattern p = pattern_of(pattern);
    uint32_t *set;
    switch (p.kind) {
    case PATTERN_SCALAR:
    case PATTERN_SCALAR_VAR:
    case PATTERN_CHANNEL:
        return is_one(env_scalars(env, pattern, &set));
    case PATTERN_SHAPED:
        return env->dim[0] && is_settled(env, p.inner);
    case PATTERN_VECTOR:
        return known_dim(env, p.a) && is_settled(env, p.inner);
    case PATTERN_MATRIX:
        return known_dim(env, p.a) && known_dim(env, p.b) && is_settled(env, p.inner);
    case PATTERN_SAMPLER:
        return true;
    case PATTERN_TEXTURE:
        if (p.a == TEXTURE_SAMPLED || p.a == TEXTURE_MULTISAMPLED)
            return is_settled(env, p.inner);
        return p.a != TEXTURE_STORAGE;
    default:
        return false;
    }
}

static void print_expected(Text *out, Env *env, Str pattern);

static void print_scalars(Text *out, Env *env, Str pattern)
{
    uint32_t *set;
    print_written(out, env_scalars(env, pattern, &set));
}

static void print_shaped(Text *out, Env *env, Str scalar)
{
    if (env->dim[0] > 1)
        text_printf(out, "a vec%u of ", env->dim[0]);
    print_scalars(out, env, scalar);
    if (env->dim[0] == 0)
        text_printf(out, ", or a vector of these");
}

static void print_vector(Text *out, Env *env, const Pattern *p)
{
    uint32_t width = known_dim(env, p->a);
    if (width)
        text_printf(out, "a vec%u of ", width);
    else
        text_printf(out, "a vector of ");
    print_scalars(out, env, p->inner);
}

static void print_matrix(Text *out, Env *env, const Pattern *p)
{
    uint32_t columns = known_dim(env, p->a), rows = known_dim(env, p->b);
    if (columns && rows)
        text_printf(out, "a mat%ux%u of ", columns, rows);
    else if (columns)
        text_printf(out, "a matrix with %u columns of ", columns);
    else if (rows)
        text_printf(out, "a matrix with %u rows of ", rows);
    else
        text_printf(out, "a %smatrix of ", p->a == p->b ? "square " : "");
    print_scalars(out, env, p->inner);
}

static void print_pointer(Text *out, Env *env, Str inner)
{
    Str space = pattern_next(&inner), of = pattern_next(&inner);
    text_printf(out, "a pointer to ");
    print_expected(out, env, of);
    if (str_eq(space, STR("AS")))
        text_printf(out, " in the address space storage, uniform or workgroup");
    else
        text_printf(out, " in the address space %.*s", STR_ARG(space));
}

static void print_texture(Text *out, const Pattern *p)
{
    const char *name = pattern_texture_name((TextureKind)p->a, (TextureDim)p->b);
    text_printf(out, "a %s", name);
    Str list = p->inner;
    pattern_next(&list);
    Str access = pattern_next(&list);
    if (str_eq(access, STR("AR")))
        text_printf(out, " that can be read");
    else if (str_eq(access, STR("AW")))
        text_printf(out, " that can be written");
}

static void print_expected(Text *out, Env *env, Str pattern)
{
    Pattern p = pattern_of(pattern);
    if (is_settled(env, pattern)) {
        text_printf(out, "'%s'", type_string(out->arena, env_build(env, pattern)));
        return;
    }
    switch (p.kind) {
    case PATTERN_SCALAR:
    case PATTERN_SCALAR_VAR:
    case PATTERN_CHANNEL: print_scalars(out, env, pattern); break;
    case PATTERN_SHAPED:  print_shaped(out, env, p.inner); break;
    case PATTERN_VECTOR:  print_vector(out, env, &p); break;
    case PATTERN_MATRIX:  print_matrix(out, env, &p); break;
    case PATTERN_POINTER: print_pointer(out, env, p.inner); break;
    case PATTERN_TEXTURE: print_texture(out, &p); break;
    case PATTERN_ATOMIC:  text_printf(out, "an atomic"); break;
    case PATTERN_ARRAY:   text_printf(out, "a runtime-sized array"); break;
    case PATTERN_BUFFER:  text_printf(out, "a buffer"); break;
    case PATTERN_ANY:
        text_printf(out, env->where & WHERE_CONSTRUCTIBLE ? "a constructible type"
                                                          : "a type");
        break;
    default:
        text_printf(out, "'%.*s'", STR_ARG(pattern));
        break;
    }
}

OverloadMiss overload_miss(const OverloadQuery *q, const Overload *row, Arena *arena)
{
    OverloadMiss miss = {.row = row, .kind = MISS_COUNT, .expected = ""};
    uint32_t n = overload_param_count(row);
    Env env;
    env_init(&env, q, row);
    Text text = {.arena = arena};
    if (q->explicit_ && row->template_[0]) {
        Env before = env;
        if (!env_match(&env, str_of(row->template_), q->explicit_)) {
            miss.kind = MISS_TEMPLATE;
            print_expected(&text, &before, str_of(row->template_));
            miss.expected = text.data;
            return miss;
        }
    }
    for (uint32_t i = 0; i < MIN_OF(n, q->nargs); i++) {
        Env before = env;
        Str pattern = overload_param(row, i).type;
        miss.argument = i;
        if (!env_match(&env, pattern, q->args[i])) {
            miss.kind = n == q->nargs ? MISS_ARGUMENT : MISS_COUNT;
            print_expected(&text, &before, pattern);
            miss.expected = text.data;
            return miss;
        }
    }
    miss.argument = MIN_OF(n, q->nargs);
    return miss;
}
