// SPDX-License-Identifier: Apache-2.0
/*
 * gen_path.c - variables, the ways to their parts, and indices.
 */
#include "gen_priv.h"

Var *var_add(Gen *g, Var v)
{
    VEC_PUSH(g->arena, &g->vars, v);
    return &g->vars.data[g->vars.len - 1];
}

/* ---- indices ---- */

/* A counter of a loop around that stays below `count`. */
static const char *counter_below(Gen *g, uint32_t count)
{
    for (uint32_t i = g->vars.len; i-- > 0;) {
        const Var *v = &g->vars.data[i];
        if (v->below && v->below <= count && (v->uniform || !g->want_uniform))
            return v->text;
    }
    return NULL;
}

/* Numbers that step from invocation to invocation. A large array has four elements
 * an invocation, and 64 more. */
static const char *index_affine(Gen *g)
{
    const char *counter = counter_below(g, 64);
    switch (pick(g, 8)) {
    case 0:  return put(g, "me + %uu", pick(g, 64));
    case 1:  return put(g, "me * %uu + %uu", 1 + pick(g, 4), pick(g, chance(g, 50) ? 4 : 64));
    case 2:  return put(g, "%uu - me", g->total + pick(g, 64));
    case 3:  return put(g, "me / %uu", 1 + pick(g, 9));
    case 4:  return put(g, "(me ^ %uu) & %uu", pick(g, 4), 63u);
    case 5:  return put(g, "(me << 1u) | %uu", pick(g, 2));
    case 6:  return counter ? put(g, "me * %uu + u32(%s)", 1 + pick(g, 4), counter) : "me";
    default: return "me";
    }
}

const char *index_below(Gen *g, uint32_t count, bool large)
{
    const char *counter = counter_below(g, count);
    if (large && !g->want_uniform && chance(g, 60))
        return index_affine(g);
    if (counter && chance(g, 50))
        return counter;
    if (g->fuel <= 0 || chance(g, 30))
        return put(g, "%u", pick(g, MIN_OF(count, 100u)));
    const Ty *u = ty_vector(g, KIND_U32, 1), *i = ty_vector(g, KIND_I32, 1);
    const char *x = expr_unknown(g, u, 2).text;
    bool power = (count & (count - 1)) == 0;
    switch (pick(g, 4)) {
    case 0:  return put(g, "min(%s, %uu)", x, count - 1);
    case 1:  return put(g, "clamp(%s, 0, %u)", expr_unknown(g, i, 2).text, count - 1);
    case 2:  if (power) return put(g, "(%s & %uu)", x, count - 1);
             FALL_THROUGH;
    default: return put(g, "(%s %% %uu)", x, count);
    }
}

/* ---- parts ---- */

typedef struct Step {
    const char *text;
    const Ty   *type;
} Step;

/* One step further in, at random. */
static Step step_in(Gen *g, Step s, bool large)
{
    const Ty *t = s.type;
    uint32_t i;
    switch (t->form) {
    case FORM_STRUCT:
        i = pick(g, t->nfields);
        return (Step){put(g, "%s.f%u", s.text, i), t->fields[i]};
    case FORM_ARRAY:
        return (Step){put(g, "%s[%s]", s.text, index_below(g, t->count, large)), t->of};
    case FORM_MATRIX:
        return (Step){put(g, "%s[%s]", s.text, index_below(g, t->cols, false)),
                      ty_vector(g, t->kind, t->width)};
    case FORM_VECTOR:
        break;
    }
    const Ty *scalar = ty_vector(g, t->kind, 1);
    if (chance(g, 50))
        return (Step){put(g, "%s.%c", s.text, "xyzw"[pick(g, t->width)]), scalar};
    return (Step){put(g, "%s[%s]", s.text, index_below(g, t->width, false)), scalar};
}

static bool is_scalar(const Ty *t)
{
    return t->form == FORM_VECTOR && t->width == 1;
}

/* Can a part of `t` be of this type? */
static bool holds(Gen *g, const Ty *t, const Ty *want)
{
    if (t == want)
        return true;
    switch (t->form) {
    case FORM_ARRAY:  return holds(g, t->of, want);
    case FORM_MATRIX: return want->form == FORM_VECTOR && want->kind == t->kind &&
                             (want->width == t->width ||
                              (want->width == 1 && !g->whole_vectors));
    case FORM_VECTOR: return is_scalar(want) && want->kind == t->kind && !g->whole_vectors;
    case FORM_STRUCT: break;
    }
    for (uint32_t i = 0; i < t->nfields; i++)
        if (holds(g, t->fields[i], want))
            return true;
    return false;
}

static Step first_step(Gen *g, const Var *v)
{
    Step s = {v->text, v->type};
    if (v->slot) {
        const char *index = index_below(g, v->type->count, false), *at = strstr(v->slot, "%s");
        size_t before = (size_t)(at - v->slot);
        s.text = put(g, "%.*s%s%s", (int)before, v->slot, index, at + 2);
        s.type = v->type->of;
    }
    return s;
}

static bool usable(const Gen *g, const Var *v, bool write)
{
    return (!write || v->write) && (!g->want_uniform || v->uniform);
}

/* A walk into `v` that ends at a part of type `want`; NULL: it lost its way. */
static const char *walk_to(Gen *g, const Var *v, const Ty *want)
{
    Step s = first_step(g, v);
    for (bool first = true; s.type != want; first = false) {
        if (is_scalar(s.type) || !holds(g, s.type, want))
            return NULL;
        Step next = {0};
        for (int tries = 0; tries < 4; tries++) {
            next = step_in(g, s, first && v->large);
            if (holds(g, next.type, want))
                break;
        }
        s = next;
    }
    return s.text;
}

const char *path_to(Gen *g, const Ty *want, bool write)
{
    g->fuel--;
    for (int tries = 0; tries < 6 && g->vars.len; tries++) {
        /* Newer ones are likelier. */
        uint32_t n = g->vars.len, back = MIN_OF(pick(g, n), pick(g, n));
        Var v = g->vars.data[chance(g, 50) ? n - 1 - back : pick(g, n)];
        if (!usable(g, &v, write) || !holds(g, v.type, want))
            continue;
        const char *text = walk_to(g, &v, want);
        if (text)
            return text;
    }
    return NULL;
}

const char *path_any(Gen *g, bool write, const Ty **type)
{
    for (int tries = 0; tries < 8 && g->vars.len; tries++) {
        Var v = g->vars.data[pick(g, g->vars.len)];
        if (!usable(g, &v, write))
            continue;
        Step s = first_step(g, &v);
        bool first = true;
        while (!is_scalar(s.type) && (chance(g, 60) || (first && v.large))) {
            s = step_in(g, s, first && v.large);
            first = false;
        }
        *type = s.type;
        return s.text;
    }
    return NULL;
}

static bool is_taken(const char *name, const char **not, uint32_t nnot)
{
    for (uint32_t i = 0; i < nnot; i++)
        if (not[i] && strcmp(not[i], name) == 0)
            return true;
    return false;
}

const char *path_in_space(Gen *g, const Ty *want, Space space, const char **not, uint32_t nnot)
{
    const char *text = NULL;
    bool before = g->whole_vectors;
    g->whole_vectors = true;
    for (uint32_t i = g->vars.len; i-- > 0 && !text;) {
        Var v = g->vars.data[i];
        if (v.space == space && !is_taken(v.text, not, nnot) && holds(g, v.type, want))
            text = walk_to(g, &v, want);
        if (text)
            not[nnot] = v.text;
    }
    g->whole_vectors = before;
    return text;
}
