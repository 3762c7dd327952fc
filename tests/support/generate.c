/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/generate.c - random kernels that are valid WGSL and end.
 *
 * in     a number
 * out    WGSL
 * knows  WGSL's rules about constants: an expression that is known early must not
 *        overflow, so operations always have an operand that is only known late
 * not    how kernels are compiled or run
 */
#include "support/generate.h"

#include <string.h>

/* ---- types ---- */

typedef enum Kind { I32, U32, F32, BOOL, STRUCT, ARRAY, MATRIX } Kind;

/* A scalar or vector (width 1 to 4); the structure S; an array of `width` elements;
 * a matrix of `width` columns and three rows. */
typedef struct Type {
    Kind    kind, of;                   /* of: elements of an ARRAY               */
    uint8_t width;
} Type;

static const char *const scalar_names[] = {"i32", "u32", "f32", "bool"};

static void write_type(Text *out, Type t)
{
    switch (t.kind) {
    case STRUCT: text_printf(out, "S"); break;
    case ARRAY:  text_printf(out, "array<%s, %u>", scalar_names[t.of], t.width); break;
    case MATRIX: text_printf(out, "mat%ux3f", t.width); break;
    default:
        if (t.width == 1)
            text_printf(out, "%s", scalar_names[t.kind]);
        else
            text_printf(out, "vec%u<%s>", t.width, scalar_names[t.kind]);
    }
}

static bool same_type(Type x, Type y)
{
    return x.kind == y.kind && x.width == y.width && (x.kind != ARRAY || x.of == y.of);
}

/* Elements of an array that is not kept as a value. */
#define LARGE 70u

static const Type int_type = {I32, I32, 1}, word_type = {U32, U32, 1};
static const Type bool_type = {BOOL, BOOL, 1};
static const Type structure = {STRUCT, I32, 1};
/* struct S { a : i32, v : vec3f, n : array<u32, 3> } */
static const struct { const char *name; Type type; } members[] = {
    {"a", {I32, I32, 1}}, {"v", {F32, F32, 3}}, {"n", {ARRAY, U32, 3}},
};

/* ---- the generator ---- */

typedef struct Variable {
    char prefix;                        /* with `number`, its name                */
    uint32_t number;
    Type type;
    bool is_var;                        /* may be assigned                        */
    bool is_pointer;
} Variable;

typedef struct Function {
    uint32_t number;
    Type     result;
    Type     params[3];
    uint32_t nparams;
    bool     has_pointer;               /* a last parameter: ptr<function, i32>   */
} Function;

typedef struct Gen {
    Text    *out;
    uint64_t state;
    Variable vars[64];
    uint32_t nvars, next_name;
    Function functions[6];
    uint32_t nfunctions;
    uint32_t loops;                     /* around the statement                   */
    uint32_t continuings;               /* the same: those that cannot be left    */
    uint32_t budget;                    /* statements that may still be written   */
    Type     result;                    /* of the function being written          */
    bool     in_function;
} Gen;

static uint32_t pick(Gen *g, uint32_t n)
{
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return (uint32_t)((g->state >> 16) % n);
}

static bool chance(Gen *g, uint32_t percent)
{
    return pick(g, 100) < percent;
}

static Type random_value_type(Gen *g)
{
    Kind kind = (Kind)pick(g, 4);
    return (Type){kind, kind, (uint8_t)(chance(g, 60) ? 1 : 2 + pick(g, 3))};
}

static Type random_type(Gen *g)
{
    switch (pick(g, 10)) {
    case 0:  return structure;
    case 1:  return (Type){ARRAY, (Kind)pick(g, 3),
                           (uint8_t)(chance(g, 15) ? LARGE : 2 + pick(g, 6))};
    case 2:  return (Type){MATRIX, F32, (uint8_t)(2 + pick(g, 3))};
    default: return random_value_type(g);
    }
}

/* ---- expressions ----
 * Each writes one expression, and returns whether it is known early. With
 * `late` it must not be. */

static bool expression(Gen *g, Type t, uint32_t depth, bool late);

#define WRITE(...) text_printf(g->out, __VA_ARGS__)

static void write_variable(Gen *g, const Variable *v)
{
    WRITE(v->is_pointer ? "(*%c%u)" : "%c%u", v->prefix, v->number);
}

/* An index below `count`. */
static void index_below(Gen *g, uint32_t count, uint32_t depth)
{
    if (chance(g, 40)) {
        WRITE("%u", pick(g, count));
        return;
    }
    WRITE("(");
    expression(g, word_type, depth, true);
    WRITE(" %% %uu)", count);
}

static void literal(Gen *g, Kind kind)
{
    static const char *const ints[] = {"0", "1", "-1", "2", "7", "100", "-13", "65535",
                                       "2147483647", "-2147483647"};
    static const char *const words[] = {"0u", "1u", "2u", "3u", "31u", "255u", "4000000000u",
                                        "4294967295u"};
    switch (kind) {
    case I32:  WRITE("i32(%s)", ints[pick(g, COUNTOF(ints))]);     break;
    case U32:  WRITE("%s", words[pick(g, COUNTOF(words))]);        break;
    case F32:  WRITE("f32(%d)", (int)pick(g, 17) - 8);             break;
    default:   WRITE("%s", chance(g, 50) ? "true" : "false");      break;
    }
}

static void value_literal(Gen *g, Type t)
{
    if (t.width == 1) {
        literal(g, t.kind);
        return;
    }
    write_type(g->out, t);
    WRITE("(");
    for (uint32_t i = 0; i < t.width; i++) {
        literal(g, t.kind);
        WRITE(i + 1 < t.width ? ", " : ")");
    }
}

/* A value from memory: always late, always there. */
static void fresh_scalar(Gen *g, Kind kind)
{
    if (kind == I32 && chance(g, 30)) {
        WRITE("own[(i + %uu) %% 5u]", pick(g, 5));
        return;
    }
    text_printf(g->out, kind == I32 ? "bitcast<i32>(words[(i + %uu) %% 64u])"
                      : kind == U32 ? "words[(i * 3u + %uu) %% 64u]"
                      : kind == F32 ? "f32(words[(i + %uu) %% 64u] & 15u)"
                                    : "((words[i %% 64u] & %uu) != 0u)", pick(g, 64));
}

static void fresh(Gen *g, Type t)
{
    if (t.width == 1) {
        fresh_scalar(g, t.kind);
        return;
    }
    write_type(g->out, t);
    WRITE("(");
    for (uint32_t i = 0; i < t.width; i++) {
        fresh_scalar(g, t.kind);
        WRITE(i + 1 < t.width ? ", " : ")");
    }
}

/* A part of type `t` of a variable of another type. */
static bool part(Gen *g, const Variable *v, Type t, uint32_t depth)
{
    Type of = v->type;
    if (of.kind == STRUCT) {
        for (uint32_t i = 0; i < COUNTOF(members); i++) {
            if (!same_type(members[i].type, t))
                continue;
            write_variable(g, v);
            WRITE(".%s", members[i].name);
            return true;
        }
        return false;
    }
    bool element = t.width == 1 && ((of.kind == ARRAY && of.of == t.kind)
                                    || (of.kind == t.kind && of.width > 1));
    bool column = of.kind == MATRIX && t.kind == F32 && t.width == 3;
    if (!element && !column)
        return false;
    write_variable(g, v);
    WRITE("[");
    index_below(g, of.width, depth);
    WRITE("]");
    return true;
}

/* A variable of the type, or a part of one. */
static bool known_variable(Gen *g, Type t, uint32_t depth)
{
    uint32_t start = g->nvars ? pick(g, g->nvars) : 0;
    for (uint32_t k = 0; k < g->nvars; k++) {
        const Variable *v = &g->vars[(start + k) % g->nvars];
        if (same_type(v->type, t)) {
            write_variable(g, v);
            return true;
        }
        if (depth > 0 && part(g, v, t, depth - 1))
            return true;
    }
    return false;
}

static void operands(Gen *g, const char *before, const char *between, const char *after,
                     Type x, Type y, uint32_t depth)
{
    WRITE("%s", before);
    bool early = expression(g, x, depth, false);
    WRITE("%s", between);
    expression(g, y, depth, early);
    WRITE("%s", after);
}

static void int_operation(Gen *g, Type t, uint32_t depth)
{
    static const char *const forms[][3] = {
        {"(", " + ", ")"}, {"(", " - ", ")"}, {"(", " * ", ")"}, {"(", " & ", ")"},
        {"(", " | ", ")"}, {"(", " ^ ", ")"}, {"min(", ", ", ")"}, {"max(", ", ", ")"},
        {"(", " / ", ")"}, {"(", " % ", ")"},
    };
    static const char *const unary[] = {"abs(", "countOneBits(", "reverseBits(",
                                        "firstLeadingBit(", "firstTrailingBit(", "(~",
                                        "countLeadingZeros("};
    uint32_t form = pick(g, COUNTOF(forms) + 3);
    Type amount = {U32, U32, t.width};
    if (form < 8) {
        operands(g, forms[form][0], forms[form][1], forms[form][2], t, t, depth);
    } else if (form < COUNTOF(forms)) {     /* a divisor known early must not be zero */
        WRITE("(");
        expression(g, t, depth, false);
        WRITE("%s", forms[form][1]);
        expression(g, t, depth, true);
        WRITE(")");
    } else if (form == COUNTOF(forms)) {
        WRITE("%s", unary[pick(g, COUNTOF(unary))]);
        expression(g, t, depth, true);
        WRITE(")");
    } else {
        WRITE("(");
        expression(g, t, depth, true);
        WRITE(form == COUNTOF(forms) + 1 ? " << " : " >> ");
        fresh(g, amount);
        WRITE(")");
    }
}

/* Small whole numbers stay small whole numbers. */
static void float_operation(Gen *g, Type t, uint32_t depth)
{
    static const char *const forms[][2] = {
        {"clamp(", " + "}, {"clamp(", " - "}, {"clamp(", " * "}, {"min(", ", "},
        {"max(", ", "}, {"step(", ", "},
    };
    static const char *const unary[] = {"abs(", "sign(", "floor(", "trunc(", "(-", "saturate("};
    uint32_t form = pick(g, COUNTOF(forms) + 2);
    if (form < 3) {
        operands(g, forms[form][0], forms[form][1], ", ", t, t, depth);
        write_type(g->out, t);
        WRITE("(-100), ");
        write_type(g->out, t);
        WRITE("(100))");
    } else if (form < COUNTOF(forms)) {
        operands(g, forms[form][0], forms[form][1], ")", t, t, depth);
    } else {
        WRITE("%s", unary[pick(g, COUNTOF(unary))]);
        expression(g, t, depth, true);
        WRITE(")");
    }
}

static void bool_operation(Gen *g, Type t, uint32_t depth)
{
    static const char *const relations[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
    uint32_t form = pick(g, 6);
    if (form < 3) {
        Kind kind = (Kind)pick(g, 3);
        Type of = {kind, kind, t.width};
        operands(g, "(", relations[pick(g, COUNTOF(relations))], ")", of, of, depth);
    } else if (form == 3) {
        operands(g, "(", chance(g, 50) ? " & " : " | ", ")", t, t, depth);
    } else if (form == 4 && t.width == 1) {
        operands(g, "(", chance(g, 50) ? " && " : " || ", ")", t, t, depth);
    } else {
        WRITE("(!");
        expression(g, t, depth, true);
        WRITE(")");
    }
}

/* From another kind of the same width. */
static void conversion(Gen *g, Type t, uint32_t depth)
{
    Type small = {U32, U32, t.width}, truth = {BOOL, BOOL, t.width};
    write_type(g->out, t);
    WRITE("(");
    if (t.kind == F32) {
        expression(g, small, depth, true);
        WRITE(" & ");
        write_type(g->out, small);
        WRITE("(31)");
    } else if (chance(g, 50)) {
        expression(g, truth, depth, true);
    } else {
        Kind kind = t.kind == I32 ? U32 : I32;
        expression(g, (Type){kind, kind, t.width}, depth, true);
    }
    WRITE(")");
}

static void selection(Gen *g, Type t, uint32_t depth)
{
    WRITE("select(");
    expression(g, t, depth, false);
    WRITE(", ");
    expression(g, t, depth, false);
    WRITE(", ");
    expression(g, (Type){BOOL, BOOL, chance(g, 50) ? t.width : 1}, depth, true);
    WRITE(")");
}

static void vector_operation(Gen *g, Type t, uint32_t depth)
{
    static const char letters[] = "xyzw";
    Type scalar = {t.kind, t.kind, 1};
    if (chance(g, 50)) {
        Type wide = {t.kind, t.kind, 4};
        WRITE("(");
        expression(g, wide, depth, true);
        WRITE(").");
        for (uint32_t i = 0; i < t.width; i++)
            text_char(g->out, letters[pick(g, 4)]);
        return;
    }
    write_type(g->out, t);
    WRITE("(");
    for (uint32_t i = 0; i < t.width; i++) {
        expression(g, scalar, depth, i == 0);
        WRITE(i + 1 < t.width ? ", " : ")");
    }
}

static void reduction(Gen *g, Type t, uint32_t depth)
{
    Type vector = {t.kind, t.kind, (uint8_t)(2 + pick(g, 3))};
    if (t.kind == BOOL) {
        WRITE(chance(g, 50) ? "all(" : "any(");
        expression(g, vector, depth, true);
        WRITE(")");
    } else if (t.kind == F32) {
        WRITE("(");
        expression(g, vector, depth, true);
        WRITE(")[");
        index_below(g, vector.width, depth);
        WRITE("]");
    } else {
        operands(g, "dot(", ", ", ")", vector, vector, depth);
    }
}

/* A call of a function with this result. */
static bool call(Gen *g, Type t, uint32_t depth)
{
    for (uint32_t k = 0; k < g->nfunctions; k++) {
        const Function *f = &g->functions[(g->state + k) % g->nfunctions];
        if (!same_type(f->result, t) || f->has_pointer)
            continue;
        WRITE("f%u(i", f->number);
        for (uint32_t i = 0; i < f->nparams; i++) {
            WRITE(", ");
            expression(g, f->params[i], depth, false);
        }
        WRITE(")");
        return true;
    }
    return false;
}

/* Scalars and vectors; always late. */
static void operation(Gen *g, Type t, uint32_t depth)
{
    uint32_t form = pick(g, 10);
    if (form == 0 && t.kind != BOOL)
        conversion(g, t, depth);
    else if (form == 1)
        selection(g, t, depth);
    else if (form <= 3 && t.width > 1)
        vector_operation(g, t, depth);
    else if (form == 4 && t.width == 1)
        reduction(g, t, depth);
    else if (form == 5 && call(g, t, depth))
        return;
    else if (t.kind == BOOL)
        bool_operation(g, t, depth);
    else if (t.kind == F32)
        float_operation(g, t, depth);
    else
        int_operation(g, t, depth);
}

static void composite(Gen *g, Type t, uint32_t depth)
{
    write_type(g->out, t);
    WRITE("(");
    if (t.kind == ARRAY && t.width == LARGE) {
        WRITE(")");
        return;
    }
    uint32_t n = t.kind == STRUCT ? (uint32_t)COUNTOF(members) : t.width;
    for (uint32_t i = 0; i < n; i++) {
        Type part_type = t.kind == STRUCT ? members[i].type
                       : t.kind == ARRAY  ? (Type){t.of, t.of, 1}
                                          : (Type){F32, F32, 3};
        expression(g, part_type, depth, i == 0);
        WRITE(i + 1 < n ? ", " : ")");
    }
}

static bool expression(Gen *g, Type t, uint32_t depth, bool late)
{
    bool simple = t.kind <= BOOL;
    if (chance(g, depth ? 40 : 85) && known_variable(g, t, depth))
        return false;
    if (!simple) {
        if (!(chance(g, 60) && known_variable(g, t, depth)))
            composite(g, t, depth ? depth - 1 : 0);
        return false;
    }
    if (!late && chance(g, 20)) {
        value_literal(g, t);
        return true;
    }
    if (depth == 0 || chance(g, 10))
        fresh(g, t);
    else
        operation(g, t, depth - 1);
    return false;
}

/* ---- statements ---- */

static void block(Gen *g, uint32_t indent, uint32_t statements);

static void margin(Gen *g, uint32_t indent)
{
    for (uint32_t i = 0; i < indent; i++)
        WRITE("  ");
}

static Variable *declare(Gen *g, char prefix, Type t, bool is_var)
{
    if (g->nvars == COUNTOF(g->vars))
        g->nvars--;                     /* forgets one */
    Variable *v = &g->vars[g->nvars++];
    *v = (Variable){.prefix = prefix, .number = g->next_name++, .type = t, .is_var = is_var};
    return v;
}

static void declaration(Gen *g)
{
    Type t = random_type(g);
    bool is_var = chance(g, 60);
    uint32_t number = g->next_name;
    WRITE("%s v%u", is_var ? "var" : "let", number);
    if (is_var && chance(g, 15)) {
        WRITE(" : ");
        write_type(g->out, t);
    } else {
        WRITE(" = ");
        expression(g, t, 3, true);
    }
    WRITE(";\n");
    declare(g, 'v', t, is_var);
}

/* A part of a variable that can be assigned, and its type. */
static Type target(Gen *g, const Variable *v)
{
    Type t = v->type;
    write_variable(g, v);
    if (chance(g, 30))
        return t;
    if (t.kind == STRUCT) {
        uint32_t m = pick(g, COUNTOF(members));
        WRITE(".%s", members[m].name);
        return members[m].type;
    }
    if (t.kind == ARRAY || t.kind == MATRIX || t.width > 1) {
        WRITE("[");
        index_below(g, t.width, 1);
        WRITE("]");
        if (t.kind == MATRIX)
            return (Type){F32, F32, 3};
        Kind kind = t.kind == ARRAY ? t.of : t.kind;
        return (Type){kind, kind, 1};
    }
    return t;
}

static const Variable *some_var(Gen *g)
{
    uint32_t start = g->nvars ? pick(g, g->nvars) : 0;
    for (uint32_t k = 0; k < g->nvars; k++) {
        const Variable *v = &g->vars[(start + k) % g->nvars];
        if (v->is_var)
            return v;
    }
    return NULL;
}

static void assignment(Gen *g)
{
    const Variable *v = some_var(g);
    if (!v) {
        WRITE("_ = i;\n");
        return;
    }
    Type t = target(g, v);
    bool is_int = t.kind <= U32;
    if (is_int && t.width == 1 && chance(g, 15)) {
        WRITE(chance(g, 50) ? "++;\n" : "--;\n");
        return;
    }
    static const char *const compound[] = {" += ", " -= ", " ^= ", " *= "};
    WRITE("%s", is_int && chance(g, 40) ? compound[pick(g, COUNTOF(compound))] : " = ");
    expression(g, t, 3, true);
    WRITE(";\n");
}

static void if_statement(Gen *g, uint32_t indent)
{
    WRITE("if ");
    expression(g, bool_type, 2, true);
    block(g, indent, 1 + pick(g, 3));
    while (chance(g, 25)) {
        margin(g, indent);
        WRITE("else if ");
        expression(g, bool_type, 1, true);
        block(g, indent, 1 + pick(g, 2));
    }
    if (chance(g, 40)) {
        margin(g, indent);
        WRITE("else");
        block(g, indent, 1 + pick(g, 3));
    }
}

static void switch_statement(Gen *g, uint32_t indent)
{
    uint32_t cases = 1 + pick(g, 3), loops = g->loops;
    WRITE("switch (");
    expression(g, word_type, 2, true);
    WRITE(" %% 5u) {\n");
    g->loops = 0;                       /* no break: it would leave the switch, which
                                           is fine, but not what follows continues */
    for (uint32_t i = 0; i < cases; i++) {
        margin(g, indent + 1);
        if (i == 0)
            WRITE("default");
        else
            WRITE("case %u, %u", i * 2 - 1, i * 2);
        block(g, indent + 1, 1 + pick(g, 2));
    }
    g->loops = loops;
    margin(g, indent);
    WRITE("}\n");
}

static void for_statement(Gen *g, uint32_t indent)
{
    uint32_t marks = g->nvars, n = g->next_name, continuings = g->continuings;
    WRITE("for (var v%u = 0; v%u < %u; v%u++)", n, n, 1 + pick(g, 4), n);
    declare(g, 'v', int_type, false);
    g->loops++;
    g->continuings = 0;
    block(g, indent, 1 + pick(g, 3));
    g->continuings = continuings;
    g->loops--;
    g->nvars = marks;
}

/* The counter is counted first, so that `continue` cannot skip it. */
static void loop_statement(Gen *g, uint32_t indent)
{
    uint32_t marks = g->nvars, n = g->next_name++, continuings = g->continuings;
    WRITE("var v%u = 0;\n", n);
    margin(g, indent);
    WRITE("loop {\n");
    margin(g, indent + 1);
    WRITE("v%u++;\n", n);
    margin(g, indent + 1);
    WRITE("if v%u > %u { break; }\n", n, 1 + pick(g, 4));
    margin(g, indent + 1);
    uint32_t seen = g->next_name;
    WRITE("let v%u = ", seen);
    expression(g, int_type, 2, true);
    WRITE(";\n");
    declare(g, 'v', int_type, false);
    g->loops++;
    g->continuings = 0;
    margin(g, indent + 1);
    block(g, indent + 1, 1 + pick(g, 3));
    g->loops--;
    margin(g, indent + 1);
    WRITE("continuing {\n");
    margin(g, indent + 2);
    g->continuings = continuings + 1;
    assignment(g);
    if (chance(g, 50)) {
        margin(g, indent + 2);
        WRITE("break if ");
        expression(g, bool_type, 2, true);
        WRITE(";\n");
    }
    g->continuings = continuings;
    margin(g, indent + 1);
    WRITE("}\n");
    margin(g, indent);
    WRITE("}\n");
    g->nvars = marks;
}

static void while_statement(Gen *g, uint32_t indent)
{
    uint32_t marks = g->nvars, n = g->next_name++, continuings = g->continuings;
    WRITE("var v%u = 0;\n", n);
    margin(g, indent);
    WRITE("while v%u < %u && ", n, 1 + pick(g, 4));
    expression(g, bool_type, 1, true);
    WRITE(" {\n");
    margin(g, indent + 1);
    WRITE("v%u++;\n", n);
    margin(g, indent + 1);
    g->loops++;
    g->continuings = 0;
    block(g, indent + 1, 1 + pick(g, 3));
    g->continuings = continuings;
    g->loops--;
    margin(g, indent);
    WRITE("}\n");
    g->nvars = marks;
}

/* A name for a variable, or for an element of an array. */
static void pointer_declaration(Gen *g)
{
    const Variable *v = some_var(g);
    if (!v || v->is_pointer) {
        assignment(g);
        return;
    }
    uint32_t number = g->next_name;
    Type t = v->type;
    WRITE("let v%u = &%c%u", number, v->prefix, v->number);
    if (t.kind == ARRAY && chance(g, 60)) {
        WRITE("[");
        index_below(g, t.width, 1);
        WRITE("]");
        t = (Type){t.of, t.of, 1};
    }
    WRITE(";\n");
    declare(g, 'v', t, true)->is_pointer = true;
}

static void pointer_call(Gen *g)
{
    for (uint32_t k = 0; k < g->nfunctions; k++) {
        const Function *f = &g->functions[k];
        const Variable *v = some_var(g);
        if (!f->has_pointer || !v || v->is_pointer || !same_type(v->type, int_type))
            continue;
        WRITE("_ = f%u(i", f->number);
        for (uint32_t i = 0; i < f->nparams; i++) {
            WRITE(", ");
            fresh(g, f->params[i]);
        }
        WRITE(", &%c%u);\n", v->prefix, v->number);
        return;
    }
    assignment(g);
}

static void side_effect(Gen *g)
{
    if (chance(g, 50)) {
        WRITE("atomicAdd(&sums[%u], 1u);\n", pick(g, 4));
        return;
    }
    WRITE("own[");
    index_below(g, 5, 1);
    WRITE("] += ");
    expression(g, int_type, 2, true);
    WRITE(";\n");
}

static void jump(Gen *g)
{
    if (g->in_function && chance(g, 50)) {
        WRITE("return ");
        expression(g, g->result, 2, true);
        WRITE(";\n");
    } else if (g->loops) {
        WRITE(chance(g, 50) ? "break;\n" : "continue;\n");
    } else {
        assignment(g);
    }
}

static void statement(Gen *g, uint32_t indent, bool last)
{
    uint32_t form = pick(g, 20);
    bool deep = indent > 5 || g->budget == 0;
    margin(g, indent);
    if (form < 5)
        declaration(g);
    else if (form < 10 || deep)
        assignment(g);
    else if (form < 13)
        if_statement(g, indent);
    else if (form == 13)
        switch_statement(g, indent);
    else if (form == 14 && g->loops < 2)
        for_statement(g, indent);
    else if (form == 15 && g->loops < 2)
        loop_statement(g, indent);
    else if (form == 15)
        while_statement(g, indent);
    else if (form == 16)
        pointer_call(g);
    else if (form == 18)
        pointer_declaration(g);
    else if (form == 17)
        side_effect(g);
    else if (last && indent > 2 && !g->continuings)
        jump(g);
    else
        assignment(g);
}

/* { statements }, with a scope of its own. */
static void block(Gen *g, uint32_t indent, uint32_t statements)
{
    uint32_t marks = g->nvars;
    WRITE(" {\n");
    for (uint32_t i = 0; i < statements; i++) {
        g->budget -= g->budget > 0;
        statement(g, indent + 1, i + 1 == statements);
    }
    g->nvars = marks;
    margin(g, indent);
    WRITE("}\n");
}

/* ---- functions and the kernel ---- */

/* Variables to work with, from the start. */
static void variables(Gen *g, uint32_t indent, uint32_t count)
{
    static const Type types[] = {
        {I32, I32, 1}, {U32, U32, 1}, {F32, F32, 1}, {I32, I32, 3}, {F32, F32, 4},
        {STRUCT, I32, 1}, {ARRAY, I32, 5}, {MATRIX, F32, 2}, {U32, U32, 2}, {BOOL, BOOL, 1},
    };
    for (uint32_t k = 0; k < count; k++) {
        Type t = types[pick(g, COUNTOF(types))];
        margin(g, indent);
        WRITE("var v%u = ", g->next_name);
        if (t.kind <= BOOL)
            fresh(g, t);
        else
            composite(g, t, 0);
        WRITE(";\n");
        declare(g, 'v', t, true);
    }
}

static void function(Gen *g)
{
    Function f = {.number = g->nfunctions, .nparams = pick(g, 3)};
    f.has_pointer = chance(g, 25);
    f.result = f.has_pointer || chance(g, 80) ? random_value_type(g) : random_type(g);
    g->nvars = 0;
    WRITE("fn f%u(i : u32", f.number);
    for (uint32_t k = 0; k < f.nparams; k++) {
        f.params[k] = f.has_pointer ? random_value_type(g) : random_type(g);
        WRITE(", p%u : ", g->next_name);
        write_type(g->out, f.params[k]);
        declare(g, 'p', f.params[k], false);
    }
    if (f.has_pointer) {
        WRITE(", p%u : ptr<function, i32>", g->next_name);
        declare(g, 'p', int_type, true)->is_pointer = true;
    }
    WRITE(") -> ");
    write_type(g->out, f.result);
    WRITE(" {\n");
    g->result = f.result;
    g->in_function = true;
    g->budget = 12;
    variables(g, 2, 3);
    for (uint32_t k = 2 + pick(g, 5); k > 0; k--)
        statement(g, 2, false);
    WRITE("    return ");
    expression(g, f.result, 2, true);
    WRITE(";\n}\n\n");
    g->functions[g->nfunctions++] = f;
}

/* Adds what a variable holds to the sum of the invocation. */
static void digest(Gen *g, const Variable *v)
{
    Type t = v->type;
    if (v->is_pointer)
        return;
    uint32_t n = t.kind == STRUCT ? 1 : t.width;
    for (uint32_t k = 0; k < n; k++) {
        WRITE("  sum = sum * 31u + ");
        if (t.kind == STRUCT)
            WRITE("bitcast<u32>(v%u.a) + u32(v%u.v.y + 2000.0) + v%u.n[i %% 3u];\n", v->number,
                  v->number, v->number);
        else if (t.kind == MATRIX)
            WRITE("u32(v%u[%u][i %% 3u] + 2000.0);\n", v->number, k);
        else if (t.kind == F32 || (t.kind == ARRAY && t.of == F32))
            WRITE(n == 1 ? "u32(v%u + 2000.0);\n" : "u32(v%u[%u] + 2000.0);\n", v->number, k);
        else
            WRITE(n == 1 ? "u32(v%u);\n" : "u32(v%u[%u]);\n", v->number, k);
    }
}

static void kernel(Gen *g)
{
    WRITE("@compute @workgroup_size(%u)\n"
          "fn main(@builtin(global_invocation_id) id : vec3u,\n"
          "        @builtin(local_invocation_index) local : u32) {\n"
          "  let i = id.x;\n  var sum = 0u;\n", GENERATE_GROUP_SIZE);
    g->nvars = 0;
    g->in_function = false;
    g->budget = 40;
    variables(g, 1, 7);
    for (uint32_t part_number = 0; part_number < 2; part_number++) {
        for (uint32_t k = 3 + pick(g, 6); k > 0; k--)
            statement(g, 1, false);
        WRITE("  shared_words[local] = ");
        expression(g, word_type, 2, true);
        WRITE(";\n  workgroupBarrier();\n"
              "  sum += shared_words[(local + %uu) %% %uu];\n  workgroupBarrier();\n",
              1 + pick(g, 19), GENERATE_GROUP_SIZE);
    }
    for (uint32_t k = 0; k < g->nvars; k++)
        digest(g, &g->vars[k]);
    WRITE("  out[i] = sum + u32(own[i %% 5u]);\n}\n");
}

void generate_kernel(Text *out, uint64_t seed)
{
    Gen g = {.out = out, .state = seed * 0x9e3779b97f4a7c15u + 0x1234567};
    for (int k = 0; k < 8; k++)
        pick(&g, 2);
    text_printf(out,
        "// Kernel %llu.\n"
        "struct S { a : i32, v : vec3f, n : array<u32, 3> }\n"
        "@group(0) @binding(0) var<storage> words : array<u32, %u>;\n"
        "@group(0) @binding(1) var<storage, read_write> out : array<u32>;\n"
        "@group(0) @binding(2) var<storage, read_write> sums : array<atomic<u32>, 4>;\n"
        "var<workgroup> shared_words : array<u32, %u>;\n"
        "var<private> own : array<i32, 5> = array(1, 2, 3, 4, 5);\n\n",
        (unsigned long long)seed, GENERATE_WORDS, GENERATE_GROUP_SIZE);
    for (uint32_t n = pick(&g, COUNTOF(g.functions)); n > 0; n--)
        function(&g);
    kernel(&g);
}
