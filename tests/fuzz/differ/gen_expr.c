// SPDX-License-Identifier: Apache-2.0
/*
 * gen_expr.c - values of any type: leaves, parts, selections, calls.
 */
#include "gen_priv.h"

Ex ex_of(const char *text)
{
    return (Ex){.text = text};
}

/* ---- leaves ---- */

/* Overrides are known when the pipeline is made, and as good. */
static const char *override_of(Gen *g, Kind kind)
{
    if (!g->overrides.len || !chance(g, 40))
        return NULL;
    const Override *o = &g->overrides.data[pick(g, g->overrides.len)];
    return o->kind == kind ? o->name : NULL;
}

static const char *literal_scalar(Gen *g, Kind kind, double *max)
{
    const char *name = override_of(g, kind);
    if (name) {
        *max = MAX_OF(*max, 8);
        return name;
    }
    uint32_t n = number(g);
    double   f;
    switch (kind) {
    case KIND_BOOL: return n & 1 ? "true" : "false";
    case KIND_U32:  return put(g, "%uu", n);
    case KIND_I32:
        if (n == 0x80000000u)
            return "i32(-2147483648)";
        return (int32_t)n < 0 ? put(g, "(%di)", (int32_t)n) : put(g, "%ui", n);
    case KIND_F16:
        f = (int)pick(g, 17) - 8;
        break;
    default:
        f = ((int)pick(g, 129) - 64) / (chance(g, 50) ? 8.0 : 1.0);
        break;
    }
    *max = MAX_OF(*max, f < 0 ? -f : f);
    return put(g, f < 0 ? "(%.3f%s)" : "%.3f%s", f, kind_suffix(kind));
}

Ex expr_literal(Gen *g, const Ty *t)
{
    Ex x = {.literal = true, .frac = 3};
    if (t->kind == KIND_F16)
        x.frac = 0;
    x.text = literal_scalar(g, t->kind, &x.max);
    if (t->width == 1)
        return x;
    char *list = put(g, "%s(%s", t->name, x.text);
    for (uint32_t i = 1; i < t->width; i++)
        list = put(g, "%s, %s", list, literal_scalar(g, t->kind, &x.max));
    x.text = put(g, "%s)", list);
    return x;
}

Ex expr_runtime(Gen *g, const Ty *t)
{
    const char *u = g->want_uniform ? "cfg.f0" : "me";
    const char *x = NULL;
    switch (t->kind) {
    case KIND_BOOL: x = put(g, "(%s %% 3u == 1u)", u);          break;
    case KIND_I32:  x = put(g, "i32(%s)", u);                   break;
    case KIND_U32:  x = u;                                      break;
    case KIND_F32:  x = put(g, "f32(%s & 15u)", u);             break;
    case KIND_F64:  x = put(g, "f64(%s & 15u)", u);             break;
    default:        x = put(g, "f16(%s & 15u)", u);             break;
    }
    if (t->width > 1)
        x = put(g, "%s(%s)", t->name, x);
    return (Ex){.text = x, .max = 15};
}

Ex expr_leaf(Gen *g, const Ty *t)
{
    const char *path = chance(g, 80) ? path_to(g, t, false) : NULL;
    return path ? ex_loaded(t, path) : expr_literal(g, t);
}

Ex expr_unknown(Gen *g, const Ty *t, int depth)
{
    Ex x = expr(g, t, depth);
    return x.literal ? expr_runtime(g, t) : x;
}

/* ---- parts of vectors ---- */

static void widen(Ex *x, Ex by)
{
    x->max = MAX_OF(x->max, by.max);
    x->frac = MAX_OF(x->frac, by.frac);
    x->literal &= by.literal;
}

static Ex build_vector(Gen *g, const Ty *t, int depth)
{
    Ex x = {.literal = true};
    char *list = put(g, "%s(", t->name);
    for (uint32_t have = 0; have < t->width;) {
        uint32_t n = 1 + pick(g, t->width - have);
        n = n == t->width ? 1 : n;
        Ex part = expr(g, ty_vector(g, t->kind, n), depth - 1);
        list = put(g, "%s%s%s", list, have ? ", " : "", part.text);
        widen(&x, part);
        have += n;
    }
    x.text = put(g, "%s)", list);
    return x;
}

static Ex swizzle(Gen *g, const Ty *t, int depth)
{
    uint32_t from = 2 + pick(g, 3);
    Ex x = expr(g, ty_vector(g, t->kind, from), depth - 1);
    char letters[5] = {0};
    for (uint32_t i = 0; i < t->width; i++)
        letters[i] = "xyzw"[pick(g, from)];
    x.text = put(g, "(%s).%s", x.text, letters);
    return x;
}

static Ex component(Gen *g, const Ty *t, int depth)
{
    uint32_t from = 2 + pick(g, 3);
    Ex x = expr_unknown(g, ty_vector(g, t->kind, from), depth - 1);
    x.text = put(g, "(%s)[%s]", x.text, index_below(g, from, false));
    return x;
}

Ex expr_parts(Gen *g, const Ty *t, int depth)
{
    if (t->width > 1 && chance(g, 50))
        return build_vector(g, t, depth);
    if (t->width == 1 && chance(g, 50))
        return component(g, t, depth);
    return swizzle(g, t, depth);
}

Ex expr_select(Gen *g, const Ty *t, int depth)
{
    uint32_t width = chance(g, 50) ? 1 : t->width;
    Ex no = expr(g, t, depth - 1), yes = expr(g, t, depth - 1);
    Ex x = expr_unknown(g, ty_vector(g, KIND_BOOL, width), depth - 1);
    x.text = put(g, "select(%s, %s, %s)", no.text, yes.text, x.text);
    x.max = MAX_OF(no.max, yes.max);
    x.frac = MAX_OF(no.frac, yes.frac);
    return x;
}

/* ---- calls ---- */

bool call_fits(const Gen *g, const Fn *fn)
{
    if (fn->syncs || g->want_uniform)
        return false;
    return g->cost + g->repeats * fn->cost < MAX_COST &&
           g->statements + fn->size < MAX_STATEMENTS;
}

/* What a pointer leads to: a part of a variable that is there, or a new one. */
static const char *pointer_argument(Gen *g, const Ty *t, Space space, const char **taken,
                                    uint32_t n)
{
    const char *path = path_in_space(g, t, space, taken, n);
    if (path || space != SPACE_FUNCTION || g->no_prelude)
        return path;
    const char *name = name_new(g, "t");
    line(g, "var %s : %s;", name, t->name);
    var_add(g, (Var){.text = name, .type = t, .write = true, .space = SPACE_FUNCTION});
    taken[n] = name;
    return name;
}

const char *call_text(Gen *g, const Fn *fn, int depth)
{
    const char *taken[MAX_PARAMS] = {0};
    char *list = put(g, "%s(", fn->name);
    for (uint32_t i = 0; i < fn->nparams; i++) {
        const char *arg;
        if (fn->spaces[i]) {
            arg = pointer_argument(g, fn->params[i], fn->spaces[i], taken, i);
            if (!arg)
                return NULL;
            arg = put(g, "&%s", arg);
        } else {
            arg = ex_stored(g, fn->params[i], expr(g, fn->params[i], depth - 1)).text;
        }
        list = put(g, "%s%s%s", list, i ? ", " : "", arg);
    }
    g->cost += g->repeats * fn->cost;
    g->statements += fn->size;
    return put(g, "%s)", list);
}

Ex expr_call(Gen *g, const Ty *t, int depth)
{
    for (int tries = 0; tries < 3 && g->fns.len; tries++) {
        const Fn fn = g->fns.data[pick(g, g->fns.len)];
        if (fn.result != t || !call_fits(g, &fn))
            continue;
        const char *text = call_text(g, &fn, depth);
        if (text)
            return ex_loaded(t, text);
    }
    return ex_of(NULL);
}

/* ---- any type ---- */

/* Arrays and structures: made of values that may be stored. */
static Ex aggregate(Gen *g, const Ty *t, int depth)
{
    const char *path = chance(g, 60) ? path_to(g, t, false) : NULL;
    uint32_t n = t->form == FORM_ARRAY ? t->count : t->nfields;
    if (path)
        return ex_of(path);
    if (depth <= 0 || g->fuel <= 0 || chance(g, 10))
        return ex_of(put(g, "%s()", t->name));
    char *list = put(g, "%s(", t->name);
    for (uint32_t i = 0; i < n; i++) {
        const Ty *part = t->form == FORM_ARRAY ? t->of : t->fields[i];
        Ex x = ex_stored(g, part, expr(g, part, depth - 2));
        list = put(g, "%s%s%s", list, i ? ", " : "", x.text);
    }
    return ex_of(put(g, "%s)", list));
}

Ex expr(Gen *g, const Ty *t, int depth)
{
    bool leaf = depth <= 0 || g->fuel-- <= 0;
    Ex x = {0};
    if (!leaf && chance(g, 10))
        x = expr_call(g, t, depth);
    if (!leaf && !x.text && chance(g, 12))
        x = expr_subgroup(g, t, depth);
    if (x.text)
        return x;
    if (t->form == FORM_ARRAY || t->form == FORM_STRUCT)
        return aggregate(g, t, leaf ? 0 : depth);
    if (t->form == FORM_MATRIX)
        return expr_matrix(g, t, leaf ? 0 : depth);
    if (leaf)
        return expr_leaf(g, t);
    if (t->kind == KIND_BOOL)
        return expr_bool(g, t, depth);
    return ty_is_int(t) ? expr_int(g, t, depth) : expr_float(g, t, depth);
}

const char *expr_text(Gen *g, const Ty *t, int depth)
{
    return ex_stored(g, t, expr(g, t, depth)).text;
}
