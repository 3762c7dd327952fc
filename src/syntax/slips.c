// SPDX-License-Identifier: Apache-2.0
/*
 * slips.c - what people write who come from other languages.
 *
 * in     the token at which the parser stumbled, its message
 * out    a note that says how WGSL writes it
 * knows  habits from GLSL, HLSL, C and JavaScript
 * not    WGSL's grammar: a hint never decides what is wrong
 */
#include "syntax/parse_priv.h"

static const struct {
    const char *theirs, *ours;
} types[] = {
    {"bool1", "bool"},     {"bvec2", "vec2<bool>"}, {"bvec3", "vec3<bool>"},
    {"bvec4", "vec4<bool>"},
    {"byte", "u32"},       {"char", "i32"},         {"double", "f32"},
    {"float", "f32"},      {"float16_t", "f16"},    {"float2", "vec2f"},
    {"float2x2", "mat2x2f"}, {"float3", "vec3f"},   {"float3x3", "mat3x3f"},
    {"float32", "f32"},    {"float4", "vec4f"},     {"float4x4", "mat4x4f"},
    {"half", "f16"},       {"half2", "vec2h"},      {"half3", "vec3h"},
    {"half4", "vec4h"},    {"int", "i32"},          {"int2", "vec2i"},
    {"int3", "vec3i"},     {"int32", "i32"},        {"int32_t", "i32"},
    {"int4", "vec4i"},     {"ivec2", "vec2i"},      {"ivec3", "vec3i"},
    {"ivec4", "vec4i"},    {"long", "i32"},         {"mat2", "mat2x2f"},
    {"mat3", "mat3x3f"},   {"mat4", "mat4x4f"},     {"short", "i32"},
    {"uint", "u32"},       {"uint2", "vec2u"},      {"uint3", "vec3u"},
    {"uint32", "u32"},     {"uint32_t", "u32"},     {"uint4", "vec4u"},
    {"unsigned", "u32"},   {"uvec2", "vec2u"},      {"uvec3", "vec3u"},
    {"uvec4", "vec4u"},    {"vec2", "vec2f"},       {"vec3", "vec3f"},
    {"vec4", "vec4f"},
};

const char *slip_type(Str name)
{
    for (uint32_t i = 0; i < COUNTOF(types); i++)
        if (str_eq(name, str_of(types[i].theirs)))
            return types[i].ours;
    return NULL;
}

void slip_in_expression(Parser *p, Diagnostic *on)
{
    if (!on)
        return;
    switch (p->token.kind) {
    case TOKEN_PLUS_PLUS:
        parse_hint(p, on, "'++' is a statement of its own, not part of an expression");
        break;
    case TOKEN_MINUS_MINUS:
        parse_hint(p, on, "'--' is a statement of its own, not part of an expression");
        break;
    case TOKEN_EQUAL:
        parse_hint(p, on, "'=' assigns and is no expression; '==' compares");
        break;
    case TOKEN_PLUS:
        parse_hint(p, on, "WGSL has no unary '+'");
        break;
    case TOKEN_ARROW:
        parse_hint(p, on, "members are written with '.', also through pointers");
        break;
    case TOKEN_BRACE_LEFT:
        parse_hint(p, on, "values are made by calls: array(1, 2, 3)");
        break;
    default:
        break;
    }
}

bool slip_c_declaration(Parser *p)
{
    Token next = parse_peek(p);
    if (next.kind != TOKEN_NAME)
        return false;
    Str type = p->token.name->text;
    const char *ours = slip_type(type);
    const char *name = parse_quote(p, next.span);
    Diagnostic *d = parse_error(p, DIAG_unexpected_token, next.span,
                                "expected a statement, found two names in a row, '%s' "
                                "and '%s'", parse_quote(p, p->token.span), name);
    if (str_eq(type, STR("function")) || str_eq(type, STR("def")))
        return true;
    parse_hint(p, d, "a variable is declared with var %s : %s", name,
               ours ? ours : parse_quote(p, p->token.span));
    return true;
}

void slip_at_module_scope(Parser *p, Diagnostic *on)
{
    if (!on || !p->token.name)
        return;
    Str text = p->token.name->text;
    static const char *const functions[] = {"def", "func", "function", "void", "kernel",
                                            "sub", "proc"};
    for (uint32_t i = 0; i < COUNTOF(functions); i++) {
        if (str_eq(text, str_of(functions[i]))) {
            parse_hint(p, on, "a function is declared with fn name(parameter : type) "
                              "-> type");
            return;
        }
    }
    if (str_eq(text, STR("uniform")) || str_eq(text, STR("buffer"))
        || str_eq(text, STR("layout"))) {
        parse_hint(p, on, "a resource is declared with @group(0) @binding(0) "
                          "var<uniform> name : type;");
        return;
    }
    if (parse_peek(p).kind == TOKEN_NAME)
        parse_hint(p, on, "the name comes first: var<private> name : %s, "
                          "fn name() -> %s",
                   slip_type(text) ? slip_type(text) : "type",
                   slip_type(text) ? slip_type(text) : "type");
}
