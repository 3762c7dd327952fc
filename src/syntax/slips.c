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

bool slip_is_type(Str name)
{
    static const char *const ours[] = {"bool", "f16", "f32", "i32", "u32", "array"};
    for (uint32_t i = 0; i < COUNTOF(ours); i++)
        if (str_eq(name, str_of(ours[i])))
            return true;
    bool vector = name.len >= 4 && (memcmp(name.data, "vec", 3) == 0
                                    || memcmp(name.data, "mat", 3) == 0)
                  && name.data[3] >= '2' && name.data[3] <= '4';
    return vector || slip_type(name);
}

typedef struct Hint {
    const char *word, *hint;
} Hint;

static void hint_for_word(Parser *p, Diagnostic *on, const Hint *hints, size_t count)
{
    if (!on || !p->token.name)
        return;
    for (size_t i = 0; i < count; i++)
        if (str_eq(p->token.name->text, str_of(hints[i].word)))
            parse_hint(p, on, "%s", hints[i].hint);
}

/* ---- notes ---- */

static const char *token_hint(TokenKind kind)
{
    switch (kind) {
    case TOKEN_PLUS_PLUS:
        return "'++' is a statement of its own, not part of an expression";
    case TOKEN_MINUS_MINUS:
        return "'--' is a statement of its own, not part of an expression";
    case TOKEN_EQUAL:
        return "'=' assigns and is not an expression; '==' compares";
    case TOKEN_ARROW:
        return "members are written with '.', also through pointers";
    default:
        return NULL;
    }
}

void slip_found(Parser *p, Diagnostic *on)
{
    static const Hint hints[] = {
        {"and", "WGSL writes '&&'"},
        {"or", "WGSL writes '||'"},
        {"not", "WGSL writes '!'"},
        {"xor", "WGSL writes '^', or '!=' between truth values"},
        {"as", "a conversion is a call: f32(x)"},
    };
    const char *hint = token_hint(p->token.kind);
    if (on && hint)
        parse_hint(p, on, "%s", hint);
    hint_for_word(p, on, hints, COUNTOF(hints));
}

void slip_reserved(Parser *p, Diagnostic *on)
{
    static const Hint hints[] = {
        {"do", "WGSL has no 'do'; write loop { ... if !condition { break; } }"},
        {"enum", "write a 'const' for each value"},
        {"goto", "WGSL has no 'goto'"},
        {"mut", "a variable that changes is declared with 'var'"},
        {"null", "WGSL has no null pointers"},
        {"sizeof", "WGSL has no 'sizeof'; sizes are fixed by the layout rules"},
        {"static", "a variable outside functions is declared with var<private>"},
        {"typedef", "write alias name = type;"},
        {"using", "write alias name = type;"},
    };
    hint_for_word(p, on, hints, COUNTOF(hints));
}

void slip_at_module_scope(Parser *p, Diagnostic *on)
{
#define FUNCTION "a function is declared with fn name(parameter : type) -> type"
#define RESOURCE "a resource is declared with @group(0) @binding(0) var<uniform> " \
                 "name : type;"
#define MODULES  "a WGSL module is one text: nothing is imported or exported"
    static const Hint hints[] = {
        {"def", FUNCTION},      {"func", FUNCTION},    {"function", FUNCTION},
        {"kernel", FUNCTION},   {"void", FUNCTION},
        {"buffer", RESOURCE},   {"cbuffer", RESOURCE}, {"layout", RESOURCE},
        {"uniform", RESOURCE},
        {"export", MODULES},    {"import", MODULES},   {"pub", MODULES},
        {"package", MODULES},   {"public", MODULES},   {"use", MODULES},
        {"enum", "write a 'const' for each value"},
        {"groupshared", "write var<workgroup> name : type;"},
        {"shared", "write var<workgroup> name : type;"},
        {"static", "write var<private> name : type;"},
        {"type", "write alias name = type;"},
        {"typedef", "write alias name = type;"},
        {"using", "write alias name = type;"},
    };
    hint_for_word(p, on, hints, COUNTOF(hints));
    const char *ours = p->token.name ? slip_type(p->token.name->text) : NULL;
    if (on && ours)
        parse_hint(p, on, "the name comes first: var<private> name : %s; or fn name() "
                          "-> %s", ours, ours);
}

/* ---- statements and values of other languages ---- */

static void report_c_declaration(Parser *p, Token name)
{
    const char *type = parse_quote(p, p->token.span);
    const char *ours = slip_type(p->token.name->text);
    const char *word = parse_quote(p, name.span);
    Diagnostic *d = parse_error(p, DIAG_unexpected_token, name.span,
                                "expected an assignment after '%s', found the name '%s'",
                                type, word);
    /* "unsigned int x": the second is no name either. */
    if (slip_type(name.name->text))
        word = "name";
    parse_hint(p, d, "a variable is declared with var %s : %s;", word,
               ours ? ours : type);
    p->panic = false;
}

Decl *slip_c_declaration(Parser *p)
{
    if (p->token.kind != TOKEN_NAME || parse_peek(p).kind != TOKEN_NAME)
        return NULL;
    Decl *d = ARENA_NEW(p->arena, Decl);
    uint32_t start = p->token.span.start;
    report_c_declaration(p, parse_peek(p));
    d->kind = DECL_VAR;
    d->var.type_expr = parse_error_expr(p, p->token.span);
    parse_advance(p);
    if (parse_peek(p).kind == TOKEN_NAME)
        parse_advance(p);
    d->ident = parse_ident(p, "the variable");
    if (parse_accept(p, TOKEN_EQUAL)) {
        d->var.init = parse_expression(p);
        slip_braced_value(p);
    }
    d->span = parse_span_from(p, start);
    /* float x[4], y; and the like: enough was said. */
    p->panic = p->panic || (!parse_at(p, TOKEN_SEMICOLON) && !parse_on_new_line(p));
    return d;
}

static void do_while(Parser *p)
{
    parse_reserved(p);
    parse_advance(p);
    if (parse_at(p, TOKEN_BRACE_LEFT))
        parse_block(p, "the block");
    if (parse_accept(p, TOKEN_WHILE)) {
        parse_expression(p);
        parse_expect(p, TOKEN_SEMICOLON, "the condition");
    }
}

static void else_if(Parser *p)
{
    parse_error(p, DIAG_unexpected_token, p->token.span,
                "'%s' is written 'else if' in WGSL", parse_quote(p, p->token.span));
    p->panic = false;
    parse_advance(p);
    parse_expression(p);
    if (!p->panic && parse_at(p, TOKEN_BRACE_LEFT))
        parse_block(p, "the block");
}

bool slip_statement(Parser *p)
{
    static const char *const else_ifs[] = {"elseif", "elsif", "elif"};
    if (parse_at(p, TOKEN_RESERVED) && str_eq(p->token.name->text, STR("do"))) {
        do_while(p);
        return true;
    }
    TokenKind next = parse_at(p, TOKEN_NAME) ? parse_peek(p).kind : TOKEN_END;
    for (uint32_t i = 0; next != TOKEN_END && i < COUNTOF(else_ifs); i++) {
        if (str_eq(p->token.name->text, str_of(else_ifs[i]))
            && (next == TOKEN_NAME || next == TOKEN_PAREN_LEFT)) {
            else_if(p);
            return true;
        }
    }
    return false;
}

void slip_braced_value(Parser *p)
{
    if (!parse_at(p, TOKEN_BRACE_LEFT))
        return;
    Diagnostic *d = parse_expected(p, "expected ';' after the value");
    parse_hint(p, d, "values are made by calls: array(1, 2, 3)");
    parse_skip_block(p);
    p->panic = true;
}
