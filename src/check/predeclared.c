// SPDX-License-Identifier: Apache-2.0
/*
 * predeclared.c - what names mean that no declaration of the module binds.
 *
 * in     predeclared.def, texel.def, builtins.def
 * out    Name.predeclared, and the row behind it
 * not    how a type is made of it (typexpr.c)
 */
#include "check/predeclared_priv.h"

#include "syntax/syntax.h"

typedef struct Row {
    const char *name;
    Predeclared is;
} Row;

static const Row rows[] = {
#define SCALAR(name, of)               {#name, {PRE_SCALAR, PRE_OF_##of, 0, 0}},
#define VECTOR(name, width, of)        {#name, {PRE_VECTOR, PRE_OF_##of, width, 0}},
#define MATRIX(name, columns, rows, of) \
    {#name, {PRE_MATRIX, PRE_OF_##of, columns, rows}},
#define TEXTURE(name, kind, dim) \
    {#name, {PRE_TEXTURE, PRE_OF_NONE, TEXTURE_##kind, DIM_##dim}},
#define SAMPLER(name, comparison)      {#name, {PRE_SAMPLER, PRE_OF_NONE, comparison, 0}},
#define GENERATOR(name, kind)          {#name, {PRE_##kind, PRE_OF_NONE, 0, 0}},
#define SPACE(name, space)             {#name, {PRE_SPACE, PRE_OF_NONE, SPACE_##space, 0}},
#define ACCESS_MODE(name, access)      {#name, {PRE_ACCESS, PRE_OF_NONE, ACCESS_##access, 0}},
#include "check/predeclared.def"
#define TEXEL(name, channel, tier1)    {#name, {PRE_TEXEL, PRE_OF_NONE, TEXEL_##name, 0}},
#include "check/texel.def"
};
#undef SCALAR
#undef VECTOR
#undef MATRIX
#undef TEXTURE
#undef SAMPLER
#undef GENERATOR
#undef SPACE
#undef ACCESS_MODE
#undef TEXEL

_Static_assert(COUNTOF(rows) + BUILTIN_ID_COUNT < UINT16_MAX - 1,
               "Name.predeclared has 16 bits");

void predeclared_bind(Module *m)
{
    for (uint32_t i = 0; predeclared_name(i); i++)
        syntax_name(m, str_of(predeclared_name(i)))->predeclared = (uint16_t)(i + 1);
}

const char *predeclared_name(uint32_t i)
{
    if (i < COUNTOF(rows))
        return rows[i].name;
    i -= (uint32_t)COUNTOF(rows);
    return i < BUILTIN_ID_COUNT ? builtin_name((BuiltinId)i) : NULL;
}

/* Some names exist only where a language feature or an extension of Weft's does. */
static bool available(const Checker *c, const Predeclared *p)
{
    if (p->of == PRE_OF_F64)
        return feature_enabled(c, ENABLE_weft_f64);
    switch (p->kind) {
    case PRE_BUFFER:
        return feature_language(c, LANGUAGE_buffer_view);
    case PRE_SPACE:
        return p->a != SPACE_IMMEDIATE ||
               feature_language(c, LANGUAGE_immediate_address_space);
    case PRE_TEXEL:
        return !texel_format_is_tier1((TexelFormat)p->a) ||
               feature_language(c, LANGUAGE_texture_formats_tier1);
    default:
        return true;
    }
}

bool predeclared_is_available(const Checker *c, uint32_t i)
{
    return i >= COUNTOF(rows) || available(c, &rows[i].is);
}

bool predeclared_find(const Checker *c, const Name *name, Predeclared *out)
{
    if (name->predeclared == 0 || name->predeclared == UINT16_MAX)
        return false;
    uint32_t i = name->predeclared - 1u;
    if (i < COUNTOF(rows))
        *out = rows[i].is;
    else
        *out = (Predeclared){.kind = PRE_BUILTIN, .a = i - (uint32_t)COUNTOF(rows)};
    return available(c, out);
}

bool predeclared_needs_f64(const Checker *c, const Name *name)
{
    Predeclared p = {0};
    return !predeclared_find(c, name, &p) && p.of == PRE_OF_F64;
}

const char *predeclared_what(const Predeclared *p)
{
    switch (p->kind) {
    case PRE_SCALAR:
    case PRE_SAMPLER:
        return "a type";
    case PRE_VECTOR:
    case PRE_MATRIX:
        return p->of == PRE_OF_NONE ? "a type generator" : "a type";
    case PRE_TEXTURE:
        return p->a == TEXTURE_DEPTH || p->a == TEXTURE_DEPTH_MULTISAMPLED ||
                       p->a == TEXTURE_EXTERNAL
                   ? "a type"
                   : "a type generator";
    case PRE_ARRAY:
    case PRE_ATOMIC:
    case PRE_PTR:
        return "a type generator";
    case PRE_BUFFER:
        return "a type";
    case PRE_SPACE:
        return "an address space";
    case PRE_ACCESS:
        return "an access mode";
    case PRE_TEXEL:
        return "a texel format";
    case PRE_BUILTIN:
        return "a builtin function";
    }
    BUG("a predeclared name of no kind");
}
