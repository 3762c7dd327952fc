// SPDX-License-Identifier: Apache-2.0
/*
 * parse_test.c - the trees that texts become, and where their parts are.
 *
 * What is accepted and what is reported where: the .wgsl files beside this one.
 */
#include "support/test.h"

#include "parsed.h"

static void assert_printed(const char *source, const char *want)
{
    Parsed p;
    parsed_init(&p, str_of(source));
    assert_string_equal(parsed_report(&p), "");
    assert_string_equal(parsed_print(&p), want);
    parsed_fini(&p);
}

static void assert_reported(const char *source, const char *want)
{
    Parsed p;
    parsed_init(&p, str_of(source));
    assert_string_equal(parsed_report(&p), want);
    parsed_fini(&p);
}

/* ---- expressions ---- */

static void assert_expression(const char *source, const char *want)
{
    Parsed p;
    Arena a;
    arena_init(&a, 0);
    parsed_init(&p, str_of(arena_printf(&a, "const_assert %s;", source)));
    assert_string_equal(parsed_report(&p), "");
    assert_string_equal(parsed_print(&p), arena_printf(&a, "const_assert %s;\n", want));
    parsed_fini(&p);
    arena_fini(&a);
}

static void test_operators_bind_as_written(void **state)
{
    (void)state;
    assert_expression("a + b * c", "(a + (b * c))");
    assert_expression("a * b + c", "((a * b) + c)");
    assert_expression("a - b - c", "((a - b) - c)");
    assert_expression("a / b % c * d", "(((a / b) % c) * d)");
    assert_expression("a + b < c * d", "((a + b) < (c * d))");
    assert_expression("a << b == c", "((a << b) == c)");
    assert_expression("a == b && c != d && e", "(((a == b) && (c != d)) && e)");
    assert_expression("a < b || c >= d || e", "(((a < b) || (c >= d)) || e)");
    assert_expression("a & b & c", "((a & b) & c)");
    assert_expression("a | -b | c", "((a | (-b)) | c)");
    assert_expression("a ^ b ^ c", "((a ^ b) ^ c)");
    assert_expression("(a & b) | c", "((a & b) | c)");
    assert_expression("a && (b || c)", "(a && (b || c))");
    assert_expression("(a < b) < c", "((a < b) < c)");
    assert_expression("a << (b << c)", "(a << (b << c))");
    assert_expression("(a + b) << c", "((a + b) << c)");
}

static void test_unary_operators_and_accesses(void **state)
{
    (void)state;
    assert_expression("-a.b[c].d", "(-a.b[c].d)");
    assert_expression("(-a).b", "(-a).b");
    assert_expression("!~-*&a", "(!(~(-(*(&a)))))");
    assert_expression("&&a", "(&(&a))");
    assert_expression("--a", "(-(-a))");
    assert_expression("---a", "(-(-(-a)))");
    assert_expression("a--b", "(a - (-b))");
    assert_expression("a---b", "(a - (-(-b)))");
    assert_expression("a && &b", "(a && (&b))");
    assert_expression("a &&& b", "(a && (&b))");
    assert_expression("a - -b", "(a - (-b))");
    assert_expression("f(a, b,)", "f(a, b)");
    assert_expression("f()[0].x", "f()[0].x");
    assert_expression("1.5.x", "1.5e+00 .x");
    assert_expression("((a))", "a");
}

static void test_names_and_template_lists(void **state)
{
    (void)state;
    assert_expression("vec2<f32>(1, 2)", "vec2<f32>(1, 2)");
    assert_expression("array<vec4<f32>, 4>", "array<vec4<f32>, 4>");
    assert_expression("array<i32, a + 1,>()", "array<i32, (a + 1)>()");
    assert_expression("a<b", "(a < b)");
    assert_expression("array<i32, (a > b)>()", "array<i32, (a > b)>()");
    assert_expression("a<b>(c) < d", "(a<b>(c) < d)");
    assert_expression("vec2<f32>(1)>=a", "(vec2<f32>(1) >= a)");
}

static void test_literals_keep_their_kind(void **state)
{
    (void)state;
    assert_expression("1", "1");
    assert_expression("0x10u", "16u");
    assert_expression("7i", "7i");
    assert_expression("0.1", "1e-01");
    assert_expression("0.1f", "1e-01f");
    assert_expression("0.5h", "5e-01h");
    assert_expression("true", "true");
    assert_expression("false", "false");
    assert_expression("1e300", "1e+300");
}

/* ---- statements ---- */

static void assert_statement(const char *source, const char *want)
{
    Parsed p;
    Arena a;
    arena_init(&a, 0);
    parsed_init(&p, str_of(arena_printf(&a, "fn f() { %s }", source)));
    assert_string_equal(parsed_report(&p), "");
    assert_string_equal(parsed_print(&p),
                        arena_printf(&a, "fn f() {\n    %s\n}\n", want));
    parsed_fini(&p);
    arena_fini(&a);
}

static void test_simple_statements(void **state)
{
    (void)state;
    assert_statement("var a;", "var a;");
    assert_statement("var<function> a : i32 = 1;", "var<function> a : i32 = 1;");
    assert_statement("let a : f32 = b;", "let a : f32 = b;");
    assert_statement("const a = 1;", "const a = 1;");
    assert_statement("a = b;", "a = b;");
    assert_statement("*a.b[1] = c;", "(*a.b[1]) = c;");
    assert_statement("(*a).b = c;", "(*a).b = c;");
    assert_statement("((a)) = c;", "a = c;");
    assert_statement("&a = c;", "(&a) = c;");
    assert_statement("f(a).b = c;", "f(a).b = c;");
    assert_statement("_ = a;", "_ = a;");
    assert_statement("a += b;", "a += b;");
    assert_statement("a >>= b;", "a >>= b;");
    assert_statement("a <<= b;", "a <<= b;");
    assert_statement("a ^= b;", "a ^= b;");
    assert_statement("a++;", "a++;");
    assert_statement("a[1].b--;", "a[1].b--;");
    assert_statement("f(a, b);", "f(a, b);");
    assert_statement("f<a>();", "f<a>();");
    assert_statement("return;", "return;");
    assert_statement("return a;", "return a;");
    assert_statement("discard;", "discard;");
    assert_statement("const_assert a;", "const_assert a;");
    assert_statement(";;a = b;;", "a = b;");
    assert_statement("{ ; }", "{}");
    assert_statement("@diagnostic(off, a.b) { }", "@diagnostic(off, a.b) {}");
}

static void test_branches_and_loops(void **state)
{
    (void)state;
    assert_statement("if a { } else if (b) { } else { }",
                     "if a {} else if b {} else {}");
    assert_statement("switch a { case 1, default, 2,: { } default { } }",
                     "switch a {\n        case 1, default, 2 {}\n        default {}\n"
                     "    }");
    assert_statement("loop { break; continuing { break if a; } }",
                     "loop {\n        break;\n        continuing {\n"
                     "            break if a;\n        }\n    }");
    assert_statement("loop { continuing { } }",
                     "loop {\n        continuing {}\n    }");
    assert_statement("for (;;) { }", "for (; ; ) {}");
    assert_statement("for (var i = 0; i < 9; i++) { continue; }",
                     "for (var i = 0; (i < 9); i++) {\n        continue;\n    }");
    assert_statement("for (f(); ; g()) { }", "for (f(); ; g()) {}");
    assert_statement("while a { }", "while a {}");
    assert_statement("@diagnostic(off, a) loop @diagnostic(off, b) { }",
                     "@diagnostic(off, a) loop @diagnostic(off, b) {}");
    assert_statement("@diagnostic(off, a) switch b @diagnostic(off, c) { }",
                     "@diagnostic(off, a) switch b @diagnostic(off, c) {\n    }");
}

/* ---- declarations ---- */

static void test_declarations(void **state)
{
    (void)state;
    assert_printed("enable a, b,;requires c;diagnostic(off, d.e,);",
                   "enable a, b;\nrequires c;\ndiagnostic(off, d.e);\n");
    assert_printed("alias A = vec2<f32>;", "alias A = vec2<f32>;\n");
    assert_printed("struct S { a : f32, @align(16) @size(32) b : i32 }",
                   "struct S {\n    a : f32,\n    @align(16) @size(32) b : i32,\n}\n");
    assert_printed("struct S {}", "struct S {\n}\n");
    assert_printed("@id(1) override a : f32; override b = 2;",
                   "@id(1) override a : f32;\noverride b = 2;\n");
    assert_printed("@group(0) @binding(1) var<storage, read_write> a : B;",
                   "@group(0) @binding(1) var<storage, read_write> a : B;\n");
    assert_printed("const a : i32 = 1;;; const_assert a > 0;",
                   "const a : i32 = 1;\nconst_assert (a > 0);\n");
    assert_printed("@must_use fn f(a : i32, @builtin(position) b : f32,) -> "
                   "@location(0) @interpolate(flat, either,) f32 { }",
                   "@must_use fn f(a : i32, @builtin(position) b : f32) -> "
                   "@location(0) @interpolate(flat, either) f32 {}\n");
    assert_printed("fn f() -> @builtin(frag_depth, less) f32 { }",
                   "fn f() -> @builtin(frag_depth, less) f32 {}\n");
    assert_printed("@compute @workgroup_size(1, 2, 3,) fn f() @diagnostic(off, a) { }",
                   "@compute @workgroup_size(1, 2, 3) fn f() "
                   "@diagnostic(off, a) {}\n");
}

/* ---- spans ---- */

static void assert_span(const Module *m, Span span, const char *want)
{
    assert_int_equal(span.end - span.start, strlen(want));
    assert_memory_equal(m->source.data + span.start, want, strlen(want));
}

static void test_spans_cover_their_text(void **state)
{
    (void)state;
    Parsed p;
    parsed_init(&p, STR("@must_use fn f(a : vec2<f32>) -> f32 { return (a.x) + g ( 1 ) ; }"
                        " const b = -c[1] ;"));
    const Module *m = p.module;
    const Decl *f = m->decls.data[0], *b = m->decls.data[1];
    const Stmt *s = f->fn.body->stmts[0];
    const Expr *e = s->return_.value;
    assert_span(m, f->ident.span, "f");
    assert_span(m, f->attrs.data[0].span, "@must_use");
    assert_span(m, f->fn.params[0]->span, "a : vec2<f32>");
    assert_span(m, f->fn.params[0]->var.type_expr->span, "vec2<f32>");
    assert_span(m, f->fn.body->span, "{ return (a.x) + g ( 1 ) ; }");
    assert_span(m, s->span, "return (a.x) + g ( 1 ) ;");
    assert_span(m, e->span, "(a.x) + g ( 1 )");
    assert_span(m, e->binary.op_span, "+");
    assert_span(m, e->binary.lhs->span, "(a.x)");
    assert_span(m, e->binary.lhs->member.field.span, "x");
    assert_span(m, e->binary.rhs->span, "g ( 1 )");
    assert_span(m, b->span, "const b = -c[1] ;");
    assert_span(m, b->var.init->span, "-c[1]");
    assert_span(m, b->var.init->unary.of->span, "c[1]");
    parsed_fini(&p);
}

/* ---- mistakes ---- */

static void test_texts_that_are_no_texts(void **state)
{
    (void)state;
    Parsed p;
    assert_reported("const a = 1;\xff;",
                    "invalid_utf8@12..13: the source text is not valid UTF-8: byte 0xFF "
                    "is wrong here\n");
    assert_reported("// \xc3(\n",
                    "invalid_utf8@3..4: the source text is not valid UTF-8: byte 0xC3 "
                    "is wrong here\n");
    parsed_init(&p, (Str){"a\0b", 3});
    assert_string_equal(parsed_report(&p),
                        "nul_in_source@1..2: the source text contains a NUL character\n");
    parsed_fini(&p);
    assert_reported("\xef\xbb\xbf",
                    "unknown_character@0..3: WGSL text must not contain a byte order "
                    "mark\n");
}

static void test_the_end_may_come_anywhere(void **state)
{
    (void)state;
    static const char text[] =
        "enable f16; diagnostic(error, a.b); struct S { @size(4) a : vec2<f32>, }\n"
        "@group(0) @binding(1) var<storage> b : array<S, 3>; override c : f32 = 1.5;\n"
        "@compute @workgroup_size(1) fn f(a : i32) -> @location(0) f32 {\n"
        "  if a < 1 { g(); } else if (b) { } else { }\n"
        "  switch a { case 1, 2: { } default { } }\n"
        "  for (var i = 0; i < 9; i++) { } while (a) { break; }\n"
        "  loop { continue; continuing { a[1].b += 2; break if *c; } }\n"
        "  _ = &a; const_assert true; let x = -1 + vec2<f32>(1, 2).x; return 1;\n"
        "}\n";
    uint32_t total = 0;
    for (uint32_t len = 0; len < sizeof text - 1; len++) {
        Parsed p;
        parsed_init(&p, (Str){text, len});
        /* One end, one message; "@wor" and "else i" are wrong by themselves. */
        uint32_t ends = 0;
        for (uint32_t i = 0; i < p.diag.list.len; i++)
            ends += p.diag.list.data[i].id == DIAG_unexpected_token;
        total += ends;
        if (ends > 2)
            fail_msg("%.*s\n%s", (int)len, text, parsed_report(&p));
        parsed_fini(&p);
    }
    assert_true(total < sizeof text);
}

/* Leaving out or doubling any one token is one mistake. Most often that is one
 * message, and always few: the parser finds back. */
static void test_a_lost_token_is_few_messages(void **state)
{
    (void)state;
    static const char *const tokens[] = {
        "struct", "S", "{", "a", ":", "f32", ",", "}", "fn", "f", "(", "a", ":", "i32",
        ")", "->", "f32", "{", "if", "a", "<", "1", "{", "g", "(", ")", ";", "}", "else",
        "{", "}", "for", "(", "var", "i", "=", "0", ";", "i", "<", "9", ";", "i", "++",
        ")", "{", "}", "let", "x", "=", "a", "+", "b", ";", "x", "=", "1", ";", "return",
        "x", ";", "}", "fn", "g", "(", ")", "{", "let", "q", "=", "1", ";", "}",
    };
    uint32_t total = 0;
    for (size_t lost = 0; lost < COUNTOF(tokens); lost++) {
        for (int twice = 0; twice < 2; twice++) {
            Arena a;
            arena_init(&a, 0);
            Text text = {.arena = &a};
            for (size_t i = 0; i < COUNTOF(tokens); i++) {
                for (int k = 0; k < (i == lost ? 2 * twice : 1); k++)
                    text_printf(&text, "%s ", tokens[i]);
            }
            Parsed p;
            parsed_init(&p, (Str){text.data, (uint32_t)text.len});
            total += p.diag.errors;
            if (p.diag.errors > 4)
                fail_msg("%s\n%s", text.data, parsed_report(&p));
            parsed_fini(&p);
            arena_fini(&a);
        }
    }
    assert_true(total < COUNTOF(tokens) * 2 * 5 / 4);
}

/* What people write who come from other languages, and what they are told. */
static void test_habits_get_a_note(void **state)
{
    (void)state;
    static const struct {
        const char *source, *note;
    } rows[] = {
        {"fn f() { float x = 1.0; }", "var x : f32;"},
        {"fn f() { ivec3 x; }", "var x : vec3i;"},
        {"fn f() { unsigned int x; }", "var name : u32;"},
        {"fn f() { Foo x; }", "var x : Foo;"},
        {"fn f(int a) { }", "the name comes before the type"},
        {"struct S { float a, }", "the name comes before the type"},
        {"fn f() { const int a = 1; }", "the name comes before the type"},
        {"var<private> a : f32[4];", "array<f32, N>"},
        {"fn f() -> i32 { return {1, 2}; }", NULL},
        {"fn f() { let a = array{1, 2}; }", "values are made by calls"},
        {"fn f() { let a = b++; }", "'++' is a statement of its own"},
        {"fn f() { let a = b--; }", "'--' is a statement of its own"},
        {"fn f() { ++a; }", "write '++' after the variable"},
        {"fn f() { let a = +b; }", "no unary '+'"},
        {"fn f() { let a = b->c; }", "members are written with '.'"},
        {"fn f() { let a = b ? c : d; }", "select("},
        {"fn f() { a = b = c; }", "one statement for each"},
        {"fn f() { a == b; }", "'=' assigns"},
        {"fn f() { if a = b { } }", "'==' compares"},
        {"fn f() { if (a = b) { } }", "'==' compares"},
        {"fn f() { if (a) b = 1; }", "braces"},
        {"fn f() { if a { } else b = 1; }", "braces"},
        {"fn f() { for (;;) b = 1; }", "braces"},
        {"fn f() { switch a { case 1: b = 1; break; } }", "falls through"},
        {"fn f() { do { } while (a); }", "loop {"},
        {"fn f() { let mut a = 1; }", "declared with 'var'"},
        {"fn f() { let a = b and c; }", "'&&'"},
        {"fn f() { let a = not b; }", NULL},
        {"fn f() { let a = b as f32; }", "a conversion is a call"},
        {"fn f() { break if a; }", "if condition { break; }"},
        {"fn f() i32 { }", "'-> type'"},
        {"fn f() : i32 { }", "'-> type'"},
        {"fn f();", "no prototypes"},
        {"#define A 1", "'const' and 'override'"},
        {"void main() { }", "fn name("},
        {"function f() { }", "fn name("},
        {"float a = 1.0;", "var<private> name : f32;"},
        {"uniform float a;", "@group(0) @binding(0)"},
        {"shared float a;", "var<workgroup>"},
        {"typedef float a;", "alias name = type;"},
        {"import a;", "nothing is imported"},
        {"let a = 1;", "at module scope there are 'const'"},
        {"fn f() { } return;", "a '}' too many"},
        {"@workgroup_sise(1) fn f() { }", "did you mean '@workgroup_size'?"},
        {"@computer fn f() { }", "did you mean '@compute'?"},
        {"@xyzzy fn f() { }", NULL},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        Parsed p;
        parsed_init(&p, str_of(rows[i].source));
        assert_int_equal(p.diag.errors, 1);
        const Diagnostic *d = &p.diag.list.data[0];
        const char *note = d->notes.len > 0 ? d->notes.data[0].message : NULL;
        if (!note != !rows[i].note || (note && !strstr(note, rows[i].note)))
            fail_msg("%s: %s", rows[i].source, note ? note : "no note");
        parsed_fini(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators_bind_as_written),
        cmocka_unit_test(test_unary_operators_and_accesses),
        cmocka_unit_test(test_names_and_template_lists),
        cmocka_unit_test(test_literals_keep_their_kind),
        cmocka_unit_test(test_simple_statements),
        cmocka_unit_test(test_branches_and_loops),
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_spans_cover_their_text),
        cmocka_unit_test(test_texts_that_are_no_texts),
        cmocka_unit_test(test_habits_get_a_note),
        cmocka_unit_test(test_the_end_may_come_anywhere),
        cmocka_unit_test(test_a_lost_token_is_few_messages),
    };
    return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
