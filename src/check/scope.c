// SPDX-License-Identifier: Apache-2.0
/*
 * scope.c - from names to declarations, and suggestions for misspelt names.
 *
 * in     Name.bound, the list of bindings
 * out    the declaration a name means; diagnostics redeclared, unresolved_name
 * knows  WGSL 5 (declaration and scope)
 * not    what declarations mean
 *
 * Name.bound is the innermost declaration in scope: module-scope names are
 * bound once by order.c; a function's scopes bind on top and undo it.
 */
#include "base/near.h"
#include "check/predeclared_priv.h"

Decl *scope_find(Checker *c, const Name *name)
{
    (void)c;
    return name->bound;
}

uint32_t scope_enter(Checker *c)
{
    return c->bindings.len;
}

void scope_leave(Checker *c, uint32_t mark)
{
    while (c->bindings.len > mark) {
        Binding *b = &c->bindings.data[--c->bindings.len];
        b->name->bound = b->hidden;
    }
}

void scope_bind(Checker *c, Decl *decl)
{
    Name *name = decl->ident.name;
    decl->bound_at = c->bindings.len;
    Binding b = {.name = name, .hidden = name->bound, .decl = decl};
    VEC_PUSH(c->arena, &c->bindings, b);
    name->bound = decl;
}

void scope_redeclared(Checker *c, Ident again, const Decl *first)
{
    Diagnostic *d = diag_add(c->diag, DIAG_redeclared, again.span,
                             "'%.*s' is already declared in this scope",
                             STR_ARG(again.name->text));
    diag_note(c->diag, d, first->ident.span, "it is first declared here");
}

void scope_declare(Checker *c, uint32_t mark, Decl *decl)
{
    Decl *other = decl->ident.name->bound;
    if (other && decl->ident.name != c->nameless && !other->is_global && other->bound_at >= mark)
        scope_redeclared(c, decl->ident, other);
    else
        scope_bind(c, decl);
}

/* ---- suggestions ---- */

#define MAX_SUGGESTIONS 16          /* a module; the rest get none               */
#define MAX_COMPARED    2000        /* names a suggestion                        */

typedef struct Search {
    Near     near;
    uint32_t compared;
    const Decl *decl;               /* of what is found; NULL: predeclared      */
} Search;

static void consider(Search *s, Str candidate, const Decl *decl)
{
    if (near_consider(&s->near, candidate))
        s->decl = decl;
}

static void search(Checker *c, Search *s)
{
    for (uint32_t i = c->bindings.len; i-- > 0 && s->compared < MAX_COMPARED;) {
        const Decl *d = c->bindings.data[i].decl;
        s->compared++;
        consider(s, d->ident.name->text, d);
    }
    for (uint32_t i = 0; i < c->module->decls.len && s->compared < MAX_COMPARED; i++) {
        const Decl *d = c->module->decls.data[i];
        s->compared++;
        if (d->ident.name)
            consider(s, d->ident.name->text, d);
    }
    for (uint32_t i = 0; predeclared_name(i); i++)
        if (predeclared_is_available(c, i))
            consider(s, str_of(predeclared_name(i)), NULL);
}

/* May one more suggestion be made, for this word? */
static bool begin_search(Checker *c, Search *s, Str word)
{
    *s = (Search){.near = near_begin(word)};
    if (c->suggestions >= MAX_SUGGESTIONS || s->near.limit == 0)
        return false;
    c->suggestions++;
    return true;
}

Str scope_nearest_member(Checker *c, const Decl *structure, Str word)
{
    Search s;
    if (begin_search(c, &s, word))
        for (uint32_t i = 0; i < structure->structure.nmembers && i < MAX_COMPARED; i++)
            consider(&s, structure->structure.members[i].ident.name->text, NULL);
    return s.near.found;
}

static bool is_reported(const Checker *c, Span span)
{
    for (uint32_t i = 0; i < c->diag->list.len; i++)
        if (c->diag->list.data[i].span.start == span.start &&
            c->diag->list.data[i].span.end == span.end)
            return true;
    return false;
}

/* What other languages call it. */
static const struct { const char *theirs, *ours; } foreign[] = {
    {"double", "f64"},       {"double2", "vec2d"},    {"double3", "vec3d"},
    {"double4", "vec4d"},    {"dvec2", "vec2d"},      {"dvec3", "vec3d"},
    {"dvec4", "vec4d"},      {"dmat2", "mat2x2d"},    {"dmat3", "mat3x3d"},
    {"dmat4", "mat4x4d"},
    {"float", "f32"},        {"double", "f32"},       {"half", "f16"},
    {"int", "i32"},          {"uint", "u32"},         {"uint32_t", "u32"},
    {"int32_t", "i32"},      {"float2", "vec2f"},     {"float3", "vec3f"},
    {"float4", "vec4f"},     {"int2", "vec2i"},       {"int3", "vec3i"},
    {"int4", "vec4i"},       {"uint2", "vec2u"},      {"uint3", "vec3u"},
    {"uint4", "vec4u"},      {"ivec2", "vec2i"},      {"ivec3", "vec3i"},
    {"ivec4", "vec4i"},      {"uvec2", "vec2u"},      {"uvec3", "vec3u"},
    {"uvec4", "vec4u"},      {"mat2", "mat2x2f"},     {"mat3", "mat3x3f"},
    {"mat4", "mat4x4f"},     {"float3x3", "mat3x3f"}, {"float4x4", "mat4x4f"},
    {"lerp", "mix"},         {"frac", "fract"},       {"rsqrt", "inverseSqrt"},
    {"mad", "fma"},          {"ddx", "dpdx"},         {"ddy", "dpdy"},
    {"barrier", "workgroupBarrier"},                  {"__syncthreads", "workgroupBarrier"},
    {"GroupMemoryBarrierWithGroupSync", "workgroupBarrier"},
    {"floatBitsToUint", "bitcast"},                   {"uintBitsToFloat", "bitcast"},
    {"asfloat", "bitcast"},  {"asuint", "bitcast"},   {"asint", "bitcast"},
    {"imageStore", "textureStore"},                   {"texelFetch", "textureLoad"},
};

static bool is_available(const Checker *c, const char *name)
{
    for (uint32_t i = 0; predeclared_name(i); i++)
        if (strcmp(predeclared_name(i), name) == 0)
            return predeclared_is_available(c, i);
    return true;
}

static Str translated(const Checker *c, Str word)
{
    for (size_t i = 0; i < COUNTOF(foreign); i++)
        if (str_eq(word, str_of(foreign[i].theirs)) && is_available(c, foreign[i].ours))
            return str_of(foreign[i].ours);
    return (Str){0};
}

void scope_unknown(Checker *c, Ident ident, const char *what)
{
    Str text = ident.name->text;
    Search s;
    Diagnostic *d;
    if (is_reported(c, ident.span))
        return;                     /* a reserved word: the parser has said so */
    if (begin_search(c, &s, text))
        search(c, &s);
    Str word = translated(c, text);
    if (word.data && !s.decl)
        s.near.found = word;
    if (predeclared_needs_f64(c, ident.name) && !s.decl)
        d = diag_add(c->diag, DIAG_unresolved_name, ident.span,
                     "there is no %s named '%.*s' without 'enable weft_f64;' at the start of "
                     "the module", what, STR_ARG(text));
    else if (s.near.found.data)
        d = diag_add(c->diag, DIAG_unresolved_name, ident.span,
                     "there is no %s named '%.*s'; is '%.*s' meant?", what,
                     STR_ARG(text), STR_ARG(s.near.found));
    else
        d = diag_add(c->diag, DIAG_unresolved_name, ident.span,
                     "there is no %s named '%.*s'", what, STR_ARG(text));
    if (s.near.found.data && s.decl)
        diag_note(c->diag, d, s.decl->ident.span, "'%.*s' is declared here",
                  STR_ARG(s.near.found));
}
