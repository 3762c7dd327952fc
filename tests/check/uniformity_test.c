// SPDX-License-Identifier: Apache-2.0
/*
 * uniformity_test.c - the stories that uniformity diagnostics tell, the analysis
 * without some features, and large functions. What is accepted and what is not:
 * tests/check/uniformity.
 */
#include "support/test.h"

#include "base/text.h"
#include "check/check.h"
#include "syntax/syntax.h"

/* ---- checking a text ---- */

typedef struct Job {
    Arena        arena;
    Diag         diag;
    const char  *source;
    CheckOptions options;
    bool         ok;
} Job;

static void work(void *context)
{
    Job *job = context;
    Module *m = syntax_parse(&job->arena, str_of(job->source), &job->diag);
    job->ok = check_module(m, &job->options, &job->diag);
}

static void job_init(Job *job, const char *source)
{
    *job = (Job){.source = source};
    arena_init(&job->arena, (size_t)1 << 30);
    job->diag = (Diag){.arena = &job->arena};
}

static void job_run(Job *job)
{
    assert_true(arena_try(&job->arena, work, job));
}

/* All diagnostics with their notes, a line each: "LINE: text". */
static const char *said(Job *job)
{
    Text out = {.arena = &job->arena};
    LineTable lines = {0};
    line_table_init(&lines, &job->arena, str_of(job->source));
    text_printf(&out, "%s", "");
    for (uint32_t i = 0; i < job->diag.list.len; i++) {
        const Diagnostic *d = &job->diag.list.data[i];
        text_printf(&out, "%u: %s: %s\n", line_table_place(&lines, d->span).line,
                    severity_name(d->severity), d->message);
        for (uint32_t k = 0; k < d->notes.len; k++)
            text_printf(&out, "  %u: %s\n",
                        line_table_place(&lines, d->notes.data[k].span).line,
                        d->notes.data[k].message);
    }
    return out.data;
}

static void expect(const char *source, const char *want)
{
    Job job;
    job_init(&job, source);
    job_run(&job);
    assert_string_equal(said(&job), want);
    arena_fini(&job.arena);
}

/* ---- stories ---- */

#define BARRIER                                                                  \
    "'workgroupBarrier' must be called in uniform control flow: all invocations " \
    "of the workgroup have to come here together\n"
#define DECIDES "this may differ between invocations, and decides which of them go on\n"

static void test_a_condition_on_an_input(void **state)
{
    (void)state;
    expect("@compute @workgroup_size(4)\n"
           "fn main(@builtin(local_invocation_id) id : vec3u) {\n"
           "  if id.x > 1 {\n"
           "    workgroupBarrier();\n"
           "  }\n"
           "}\n",
           "4: error: " BARRIER
           "  3: " DECIDES
           "  2: 'local_invocation_id' differs between invocations\n");
}

static void test_values_on_their_way(void **state)
{
    (void)state;
    expect("@group(0) @binding(0) var<storage, read_write> b : array<u32>;\n"
           "fn f() {\n"
           "  let first = b[1];\n"
           "  var x = 1u;\n"
           "  x += first;\n"
           "  if x > 1 {\n"
           "    workgroupBarrier();\n"
           "  }\n"
           "}\n",
           "7: error: " BARRIER
           "  6: " DECIDES
           "  5: 'x' is assigned here\n"
           "  3: 'first' gets its value here\n"
           "  3: other invocations may write to a read_write storage buffer: reading "
           "from 'b' may give different values\n");
}

static void test_who_left_before(void **state)
{
    (void)state;
    expect("var<private> own : u32;\n"
           "fn f() {\n"
           "  if own > 1 {\n"
           "    return;\n"
           "  }\n"
           "  workgroupBarrier();\n"
           "}\n"
           "fn g() {\n"
           "  loop {\n"
           "    workgroupBarrier();\n"
           "    if own > 1 { break; }\n"
           "  }\n"
           "}\n",
           "6: error: " BARRIER
           "  3: this may differ between invocations, and then only some take the "
           "'return'\n"
           "  3: each invocation has its own 'own': what is read may differ\n"
           "10: error: " BARRIER
           "  11: this may differ between invocations, and then only some take the "
           "'break'\n"
           "  11: each invocation has its own 'own': what is read may differ\n");
}

static void test_assigned_where_flow_differs(void **state)
{
    (void)state;
    expect("var<workgroup> w : u32;\n"
           "fn f() {\n"
           "  var x = 1u;\n"
           "  if w > 1 {\n"
           "    x = 2;\n"
           "  }\n"
           "  if x > 1 {\n"
           "    workgroupBarrier();\n"
           "  }\n"
           "}\n",
           "8: error: " BARRIER
           "  7: " DECIDES
           "  5: 'x' is assigned here, and not all invocations may come here\n"
           "  4: " DECIDES
           "  4: other invocations may write to workgroup memory: reading from 'w' may "
           "give different values\n");
}

static void test_through_calls(void **state)
{
    (void)state;
    expect("var<private> own : u32;\n"
           "fn inner() {\n"
           "  workgroupBarrier();\n"
           "}\n"
           "fn middle() {\n"
           "  inner();\n"
           "}\n"
           "fn value() -> u32 {\n"
           "  return own;\n"
           "}\n"
           "fn outer() {\n"
           "  if value() > 1 {\n"
           "    middle();\n"
           "  }\n"
           "}\n",
           "3: error: " BARRIER
           "  6: 'inner' is called here, from 'middle'\n"
           "  13: 'middle' is called here, from 'outer'\n"
           "  12: " DECIDES
           "  12: the result of 'value' may differ between invocations\n"
           "  9: each invocation has its own 'own': what is read may differ\n");
}

static void test_through_parameters(void **state)
{
    (void)state;
    expect("var<private> own : u32;\n"
           "fn f(a : u32) {\n"
           "  if a > 1 {\n"
           "    workgroupBarrier();\n"
           "  }\n"
           "}\n"
           "fn fill(p : ptr<function, u32>) {\n"
           "  *p = own;\n"
           "}\n"
           "fn g(p : ptr<function, u32>) {\n"
           "  f(*p);\n"
           "}\n"
           "fn h() {\n"
           "  var x = 1u;\n"
           "  fill(&x);\n"
           "  g(&x);\n"
           "}\n",
           "4: error: " BARRIER
           "  3: this depends on 'a'\n"
           "  11: 'a' of 'f' gets this value\n"
           "  16: 'p' of 'g' points to this\n"
           "  15: 'fill' may leave values here that differ between invocations\n"
           "  8: each invocation has its own 'own': what is read may differ\n");
}

static void test_arguments_and_other_origins(void **state)
{
    (void)state;
    expect("var<workgroup> w : array<u32, 4>;\n"
           "var<workgroup> a : atomic<u32>;\n"
           "struct In { @builtin(local_invocation_index) i : u32 }\n"
           "@compute @workgroup_size(4) fn main(in : In) {\n"
           "  _ = workgroupUniformLoad(&w[in.i]);\n"
           "  if atomicLoad(&a) > 1 && meet() { }\n"
           "}\n"
           "fn meet() -> bool { workgroupBarrier(); return true; }\n",
           "5: error: this argument of 'workgroupUniformLoad' must be the same in all "
           "invocations of the workgroup\n"
           "  4: 'in' holds inputs that differ between invocations; as a whole it "
           "counts as different\n"
           "8: error: " BARRIER
           "  6: 'meet' is called here, from 'main'\n"
           "  6: this may differ between invocations, and decides whether the right "
           "side is evaluated\n"
           "  6: the result of 'atomicLoad' may differ between invocations\n");
}

static void test_textures_and_linear_indices(void **state)
{
    (void)state;
    expect("@group(0) @binding(0) var t : texture_storage_2d<r32uint, read_write>;\n"
           "@compute @workgroup_size(4) fn main(@builtin(workgroup_index) i : u32) {\n"
           "  if textureLoad(t, vec2(0, 0)).x > 1 { storageBarrier(); }\n"
           "  if i > 1 { workgroupBarrier(); }\n"
           "}\n",
           "3: error: 'storageBarrier' must be called in uniform control flow: all "
           "invocations of the workgroup have to come here together\n"
           "  3: " DECIDES
           "  3: other invocations may write to a read_write storage texture: reading "
           "it may give different values\n"
           "4: error: " BARRIER
           "  4: " DECIDES
           "  2: WGSL does not count 'workgroup_index' as uniform; 'workgroup_id' is\n");
}

/* A long way is told by its first steps and its origin. */
static void test_a_long_way_is_cut(void **state)
{
    (void)state;
    Arena arena;
    arena_init(&arena, 0);
    Text source = {.arena = &arena};
    text_printf(&source, "var<private> own : u32;\nfn f() {\n  let v0 = own;\n");
    for (int i = 1; i < 50; i++)
        text_printf(&source, "  let v%d = v%d + 1;\n", i, i - 1);
    text_printf(&source, "  if v49 > 1 { workgroupBarrier(); }\n}\n");
    expect(source.data,
           "53: error: " BARRIER
           "  53: " DECIDES
           "  52: 'v49' gets its value here\n"
           "  51: 'v48' gets its value here\n"
           "  50: 'v47' gets its value here\n"
           "  3: each invocation has its own 'own': what is read may differ\n");
    arena_fini(&arena);
}

/* ---- features ---- */

/* Without subgroup_uniformity, subgroup operations ask about the workgroup. */
static void test_one_scope_without_the_language_feature(void **state)
{
    (void)state;
    const char *source =
        "enable subgroups;\n"
        "@compute @workgroup_size(64) fn main(@builtin(subgroup_id) id : u32) {\n"
        "  if id > 1 { _ = subgroupAny(true); }\n"
        "  if subgroupAdd(1) > 1 { _ = subgroupAny(true); }\n"
        "}\n";
    Job job;
    job_init(&job, source);
    job_run(&job);
    assert_true(job.ok);
    arena_fini(&job.arena);

    job_init(&job, source);
    job.options.language = ~(1u << LANGUAGE_subgroup_uniformity);
    job_run(&job);
    assert_false(job.ok);
    assert_int_equal(job.diag.errors, 2);
    arena_fini(&job.arena);
}

/* ---- size ---- */

#ifdef WEFT_STRESS                      /* arrays move at every push there */
enum { SMALL = 20, LARGE = 40 };
#else
enum { SMALL = 2000, LARGE = 8000 };
#endif

typedef void (*Writer)(Text *out, int n);

static void many(Text *out, int n, const char *format)
{
    for (int i = 0; i < n; i++) {
        const char *at = format;
        for (; *at; at++) {
            if (*at == '#')
                text_printf(out, "%d", i);
            else if (*at == '%')        /* some other number, below n */
                text_printf(out, "%d", (int)((long)i * 7 % n));
            else
                text_char(out, *at);
        }
    }
}

static void begin(Text *out, int n)
{
    text_printf(out, "@group(0) @binding(0) var<storage> same : array<u32>;\n"
                     "fn f() {\n");
    many(out, n, "var v# = same[#];\n");
}

static void end(Text *out)
{
    text_printf(out, "if v1 > 1 { workgroupBarrier(); }\n}\n");
}

static void write_branches(Text *out, int n)
{
    begin(out, n);
    many(out, n, "if v# > 1 { v% = v#; } else { v# = v%; }\n");
    end(out);
}

static void write_else_ifs(Text *out, int n)
{
    begin(out, n);
    text_printf(out, "if v1 > 1 { v1 = 1; }");
    many(out, n, "else if v# > 1 { v% = v#; }\n");
    end(out);
}

static void write_jumps(Text *out, int n)
{
    begin(out, n);
    text_printf(out, "loop {\n");
    many(out, n, "v# = v%; if v# > 1 { break; } if v% > 1 { continue; }\n");
    text_printf(out, "continuing { v1 = v2; break if v1 > v2; } }\n");
    end(out);
}

static void write_clauses(Text *out, int n)
{
    begin(out, n);
    text_printf(out, "switch v0 {\n");
    many(out, n, "case #: { v# = v%; if v# > 1 { break; } v% = 3; }\n");
    text_printf(out, "default: { } }\n");
    end(out);
}

static void write_loops(Text *out, int n)
{
    begin(out, n);
    many(out, n, "for (var i = 0u; i < v#; i++) { v% += i; }\n");
    end(out);
}

static void write_returns(Text *out, int n)
{
    text_printf(out, "@group(0) @binding(0) var<storage> same : array<u32>;\n"
                     "fn g(p : ptr<function, u32>, q : ptr<function, u32>) {\n");
    many(out, n, "*p = *q; if same[#] > 1 { *q += 1; return; }\n");
    text_printf(out, "}\nfn f() { var v0 : u32; var v1 : u32; g(&v0, &v1);\n");
    end(out);
}

static void write_operands(Text *out, int n)
{
    begin(out, 2);
    text_printf(out, "v1 = v0");
    many(out, n * 8, " + v0");
    text_printf(out, ";\nlet b = v1 > 1");
    many(out, n * 8, " && v1 > #");
    text_printf(out, ";\n");
    end(out);
}

static void write_functions(Text *out, int n)
{
    text_printf(out, "fn f0(p : ptr<function, u32>) { *p += 1; workgroupBarrier(); }\n");
    for (int i = 1; i < n; i++)
        text_printf(out, "fn f%d(p : ptr<function, u32>) { f%d(p); }\n", i, i - 1);
    text_printf(out, "fn f() { var v1 = 1u; f%d(&v1);\n", n - 1);
    end(out);
}

/* Bytes that checking takes, besides what the other stages need. */
static double bytes(Writer write, int n)
{
    Arena arena;
    arena_init(&arena, 0);
    Text source = {.arena = &arena};
    Job job;
    write(&source, n);
    job_init(&job, source.data);
    job_run(&job);
    if (!job.ok)
        print_error("%s", said(&job));
    assert_true(job.ok);
    double used = (double)job.arena.used;
    arena_fini(&job.arena);
    arena_fini(&arena);
    return used;
}

static void test_memory_grows_with_the_text(void **state)
{
    (void)state;
    static const struct { const char *what; Writer write; } cases[] = {
        {"branches", write_branches}, {"else ifs", write_else_ifs},
        {"jumps", write_jumps},       {"clauses", write_clauses},
        {"loops", write_loops},       {"returns", write_returns},
        {"operands", write_operands}, {"functions", write_functions},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        double small = bytes(cases[i].write, SMALL);
        double large = bytes(cases[i].write, LARGE);
#ifdef WEFT_STRESS
        (void)small, (void)large;
#else
        /* Arrays double, so linear growth shows as a little more at times. */
        if (large > small * LARGE / SMALL * 1.6)
            print_error("%s: %.0f bytes, then %.0f\n", cases[i].what, small, large);
        assert_true(large <= small * LARGE / SMALL * 1.6);
#endif
    }
}

/* The deepest nesting, with as many variables changed at the bottom of it. */
static void test_deep_nesting(void **state)
{
    (void)state;
    static const char *const openers[] = {
        "if same[0] > 1 {\n", "loop { if same[0] > 1 { break; }\n",
        "switch same[0] { default: {\n",
    };
    static const char *const closers[] = {"}", "}", "}}"};
    for (size_t k = 0; k < COUNTOF(openers); k++) {
        Arena arena;
        arena_init(&arena, 0);
        Text source = {.arena = &arena};
        begin(&source, SMALL / 4);
        many(&source, 60, openers[k]);
        many(&source, SMALL / 4, "v# = v%; if v# > v% { v# = 3; }\n");
        text_printf(&source, "workgroupBarrier();\n");
        many(&source, 60, closers[k]);
        end(&source);
        Job job;
        job_init(&job, source.data);
        job_run(&job);
        assert_string_equal(said(&job), "");
        arena_fini(&job.arena);
        arena_fini(&arena);
    }
}

/* As many parameters as there may be, each depending on others. */
static void test_many_pointer_parameters(void **state)
{
    (void)state;
    enum { PARAMS = 255 };
    Arena arena;
    arena_init(&arena, 0);
    Text source = {.arena = &arena};
    text_printf(&source, "var<private> own : u32;\nfn g(");
    many(&source, PARAMS, "p# : ptr<function, u32>, ");
    text_printf(&source, ") -> u32 {\n");
    /* Parameter 7 k mod 255 depends on k; only 200 and what it decides differ. */
    many(&source, PARAMS, "let c# = *p#;\n");
    many(&source, PARAMS, "*p% = c#;\n");
    text_printf(&source, "return c200;\n}\nfn f() {\n");
    many(&source, PARAMS, "var v# = 1u;\n");
    text_printf(&source, "v200 = own;\nlet r = g(");
    many(&source, PARAMS, "&v#, ");
    text_printf(&source, ");\n");
    text_printf(&source, "if v%d > 1 { workgroupBarrier(); }\n", 200 * 7 % PARAMS);
    text_printf(&source, "if v200 > 1 { storageBarrier(); }\n");
    text_printf(&source, "if r > 1 { textureBarrier(); }\n}\n");
    Job job;
    job_init(&job, source.data);
    job_run(&job);
    assert_int_equal(job.diag.list.len, 2);
    assert_non_null(strstr(job.diag.list.data[0].message, "workgroupBarrier"));
    assert_non_null(strstr(job.diag.list.data[1].message, "textureBarrier"));
    arena_fini(&job.arena);
    arena_fini(&arena);
}

/* However many fail, an error is among what is said. */
static void test_many_failures(void **state)
{
    (void)state;
    Arena arena;
    arena_init(&arena, 0);
    Text source = {.arena = &arena};
    text_printf(&source, "diagnostic(warning, derivative_uniformity);\n"
                         "var<private> own : u32;\nfn f() { if own > 1 {\n");
    many(&source, 300, "_ = dpdx(1.0);\n");
    text_printf(&source, "workgroupBarrier();\n");
    many(&source, 300, "_ = dpdy(1.0);\n");
    text_printf(&source, "} }\n");
    Job job;
    job_init(&job, source.data);
    job_run(&job);
    assert_false(job.ok);
    assert_int_equal(job.diag.errors, 1);
    assert_true(job.diag.list.len < 50);
    arena_fini(&job.arena);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_condition_on_an_input),
        cmocka_unit_test(test_values_on_their_way),
        cmocka_unit_test(test_who_left_before),
        cmocka_unit_test(test_assigned_where_flow_differs),
        cmocka_unit_test(test_through_calls),
        cmocka_unit_test(test_through_parameters),
        cmocka_unit_test(test_arguments_and_other_origins),
        cmocka_unit_test(test_textures_and_linear_indices),
        cmocka_unit_test(test_a_long_way_is_cut),
        cmocka_unit_test(test_one_scope_without_the_language_feature),
        cmocka_unit_test(test_memory_grows_with_the_text),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_many_pointer_parameters),
        cmocka_unit_test(test_many_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
