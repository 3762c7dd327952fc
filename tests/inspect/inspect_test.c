/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect_test.c - what weft/kernel.h says of the kernels in kernels.txt, and of texts that
 * are no kernels.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/kernel.h>

#include "base/macro.h"

static const char head[] =
    "struct P { n : u32, m : u32, k : u32, pad : u32 }\n"
    "@group(0) @binding(0) var<storage> a : array<f32>;\n"
    "@group(0) @binding(1) var<storage> b : array<f32>;\n"
    "@group(0) @binding(2) var<storage, read_write> c : array<f32>;\n"
    "@group(0) @binding(3) var<uniform> p : P;\n"
    "@group(0) @binding(4) var<storage> idx : array<u32>;\n"
    "@group(0) @binding(5) var<storage, read_write> cnt : array<atomic<u32>>;\n"
    "@group(0) @binding(6) var<storage> v : array<vec4f>;\n";

/* ---- the file ---- */

typedef struct Section {
    char name[1024];
    char text[8192];                    /* WGSL                                    */
    char accesses[4096];                /* expected, a line each                   */
    char facts[2048];                   /* the same: "floats 2"                    */
} Section;

static void append(char *to, size_t size, const char *line)
{
    size_t len = strlen(to);
    assert_true(len + strlen(line) + 2 < size);
    snprintf(to + len, size - len, "%s\n", line);
}

static void section_text(Section *s)
{
    char body[2 * sizeof s->text + sizeof head];
    bool enables = strncmp(s->text, "enable ", 7) == 0;
    char *rest = enables ? strchr(s->text, '\n') + 1 : s->text;
    snprintf(body, sizeof body, "%.*s%s%s", (int)(rest - s->text), s->text, head, rest);
    assert_true(strlen(body) < sizeof s->text);
    memcpy(s->text, body, strlen(body) + 1);
}

/* Reads up to the next section; false at the end of the file. */
static bool section_read(Section *s, FILE *f, char *line, size_t size)
{
    while (line[0] != '=')
        if (!fgets(line, (int)size, f))
            return false;
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
    line[0] = '\0';
    while (fgets(line, (int)size, f) && strncmp(line, "== ", 3) != 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "//= ", 4) == 0)
            append(s->accesses, sizeof s->accesses, line + 4);
        else if (strncmp(line, "//: ", 4) == 0)
            append(s->facts, sizeof s->facts, line + 4);
        else
            append(s->text, sizeof s->text, line);
        line[0] = '\0';
    }
    section_text(s);
    return true;
}

/* ---- what was found ---- */

static void found_accesses(char *out, size_t size, const weft_kernel *k)
{
    out[0] = '\0';
    for (uint32_t i = 0; i < weft_kernel_access_count(k); i++) {
        const weft_kernel_access *a = weft_kernel_access_get(k, i);
        char line[256];
        if (a->space != WEFT_KERNEL_STORAGE && a->space != WEFT_KERNEL_WORKGROUP)
            continue;
        snprintf(line, sizeof line, "%s %s %s %s %u %s", a->variable,
                 a->atomic ? "atomic" : a->write ? "store" : "load",
                 weft_kernel_pattern_name(a->pattern), a->stride_text, a->bytes, a->times.text);
        append(out, size, line);
    }
}

static void found_hints(char *out, size_t size, const weft_kernel *k)
{
    out[0] = '\0';
    for (uint32_t i = 0; i < weft_kernel_hint_count(k); i++) {
        const char *id = weft_kernel_hint_get(k, i)->id;
        if (strstr(out, id))
            continue;                   /* of another line */
        snprintf(out + strlen(out), size - strlen(out), "%s%s", out[0] ? "," : "", id);
    }
    if (!out[0])
        snprintf(out, size, "-");
}

static void found_align(char *out, size_t size, const weft_kernel *k)
{
    out[0] = '\0';
    for (uint32_t i = 0; i < weft_kernel_access_count(k); i++) {
        const weft_kernel_access *a = weft_kernel_access_get(k, i);
        if (a->space != WEFT_KERNEL_STORAGE && a->space != WEFT_KERNEL_WORKGROUP)
            continue;
        snprintf(out + strlen(out), size - strlen(out), "%s%u", out[0] ? " " : "", a->align);
    }
}

/* One fact as the file writes it, after its name. */
static void found_fact(char *out, size_t size, const char *name, const weft_kernel *k)
{
    weft_kernel_info i;
    weft_kernel_get_info(&i, k);
    if (strcmp(name, "floats") == 0)
        snprintf(out, size, "%s", i.float_operations.text);
    else if (strcmp(name, "functions") == 0)
        snprintf(out, size, "%s", i.functions.text);
    else if (strcmp(name, "read") == 0)
        snprintf(out, size, "%s", i.bytes_read.text);
    else if (strcmp(name, "written") == 0)
        snprintf(out, size, "%s", i.bytes_written.text);
    else if (strcmp(name, "resizable") == 0)
        snprintf(out, size, "%s", i.resizable ? "yes" : "no");
    else if (strcmp(name, "branches") == 0)
        snprintf(out, size, "%u %u", i.branches, i.divergent_branches);
    else if (strcmp(name, "barriers") == 0)
        snprintf(out, size, "%u", i.barriers);
    else if (strcmp(name, "memory") == 0)
        snprintf(out, size, "%llu", (unsigned long long)i.workgroup_memory);
    else if (strcmp(name, "extent") == 0)
        snprintf(out, size, "%s|%s|%s", *i.extent[0].text ? i.extent[0].text : "-",
                 *i.extent[1].text ? i.extent[1].text : "-",
                 *i.extent[2].text ? i.extent[2].text : "-");
    else if (strcmp(name, "align") == 0)
        found_align(out, size, k);
    else if (strcmp(name, "registers") == 0)
        snprintf(out, size, "%u", i.registers);
    else if (strcmp(name, "divergence") == 0)
        snprintf(out, size, "%.4g", i.divergence);
    else if (strcmp(name, "intensity") == 0)
        snprintf(out, size, "%.4g", i.intensity);
    else if (strcmp(name, "hints") == 0)
        found_hints(out, size, k);
    else
        fail_msg("unknown fact '%s'", name);
}

static void check_facts(const Section *s, const weft_kernel *k, uint32_t *wrong)
{
    char facts[sizeof s->facts], found[512], *next = facts;
    memcpy(facts, s->facts, sizeof facts);
    while (*next) {
        char *line = next, *end = strchr(next, '\n');
        *end = '\0';
        next = end + 1;
        char *value = strchr(line, ' ');
        *value++ = '\0';
        found_fact(found, sizeof found, line, k);
        if (strcmp(found, value) != 0) {
            print_error("%s: %s is '%s', not '%s'\n", s->name, line, found, value);
            ++*wrong;
        }
    }
}

static void check_section(const Section *s, uint32_t *wrong)
{
    char found[sizeof s->accesses];
    weft_kernel *k = weft_kernel_create(&(weft_kernel_desc){.wgsl = s->text});
    assert_non_null(k);
    if (weft_kernel_error(k))
        fail_msg("%s: %s", s->name, weft_kernel_error(k));
    found_accesses(found, sizeof found, k);
    if (strcmp(found, s->accesses) != 0) {
        print_error("%s: accesses are\n%snot\n%s", s->name, found, s->accesses);
        ++*wrong;
    }
    check_facts(s, k, wrong);
    assert_non_null(weft_kernel_json(k));
    weft_kernel_release(k);
}

static void test_kernels(void **state)
{
    static Section s;
    char     line[1024] = "";
    uint32_t wrong = 0, count = 0;
    FILE    *f = fopen(WEFT_TEST_DIR "/kernels.txt", "r");
    (void)state;
    assert_non_null(f);
    for (; section_read(&s, f, line, sizeof line); count++)
        check_section(&s, &wrong);
    fclose(f);
    assert_true(count >= 60);
    assert_int_equal(wrong, 0);
}

/* ---- the rest of the interface ---- */

static void test_counts_with_values(void **state)
{
    char text[4096];
    (void)state;
    snprintf(text, sizeof text, "%s@compute @workgroup_size(64) fn main("
             "@builtin(global_invocation_id) id : vec3u) { var s = 0.0;"
             "for (var i = 0u; i < p.n; i++) { s += a[i] * a[i]; } c[id.x] = s; }", head);
    weft_kernel *k = weft_kernel_create(&(weft_kernel_desc){.wgsl = text});
    weft_kernel_info info;
    weft_kernel_get_info(&info, k);
    assert_string_equal(weft_kernel_name_get(k, 0), "p.n");
    assert_null(weft_kernel_name_get(k, 1));
    assert_true(weft_kernel_count_value(k, &info.float_operations, NULL, 0) == 2);
    weft_override_value n = {"p.n", 100};
    assert_true(weft_kernel_count_value(k, &info.float_operations, &n, 1) == 200);
    weft_kernel_release(k);
}

static void test_texts_that_are_no_kernels(void **state)
{
    static const struct {
        const char *text, *entry, *error;
    } cases[] = {
        {NULL, NULL, "no WGSL was given"},
        {"fn f() {}", NULL, "the module has no compute entry point"},
        {"@compute @workgroup_size(1) fn f() {}", "g",
         "the module has no compute entry point 'g'"},
        {"@compute @workgroup_size(1) fn f() {} "
         "@compute @workgroup_size(1) fn g() {}", NULL,
         "the module has several compute entry points: name one"},
        {"@compute @workgroup_size(1) fn f() { let x = 1 + ; }", NULL,
         "1:50: expected an expression"},
        {"override n : u32; @compute @workgroup_size(n) fn f() {}", NULL, ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        weft_kernel_desc desc = {.wgsl = cases[i].text, .entry = cases[i].entry};
        weft_kernel *k = weft_kernel_create(&desc);
        weft_kernel_info info;
        weft_kernel_optimized o;
        assert_non_null(weft_kernel_error(k));
        if (strncmp(weft_kernel_error(k), cases[i].error, strlen(cases[i].error)) != 0)
            fail_msg("'%s' is not '%s'", weft_kernel_error(k), cases[i].error);
        weft_kernel_get_info(&info, k);
        assert_int_equal(info.workgroup_size[0], 0);
        assert_int_equal(weft_kernel_access_count(k), 0);
        assert_null(weft_kernel_access_get(k, 0));
        assert_null(weft_kernel_hint_get(k, 0));
        assert_null(weft_kernel_json(k));
        assert_false(weft_kernel_optimize(&o, k));
        weft_kernel_release(k);
    }
    weft_kernel_release(NULL);
}

static void test_axes_without_a_limit_keep_their_size(void **state)
{
    char text[4096];
    (void)state;
    snprintf(text, sizeof text, "%s@compute @workgroup_size(64) fn main("
             "@builtin(global_invocation_id) id : vec3u) { if (id.x < p.n) { "
             "c[id.y * p.n + id.x] += 1.0; } }", head);
    weft_kernel *k = weft_kernel_create(&(weft_kernel_desc){.wgsl = text});
    const char  *wider = weft_kernel_resize(k, (const uint32_t[]){256, 1, 1});
    assert_non_null(wider);
    assert_non_null(strstr(wider, "@workgroup_size(256, 1, 1)"));
    assert_null(weft_kernel_resize(k, (const uint32_t[]){32, 2, 1}));
    assert_null(weft_kernel_resize(k, (const uint32_t[]){32, 1, 4}));
    assert_null(weft_kernel_resize(k, (const uint32_t[]){0, 1, 1}));
    weft_kernel_release(k);
}

static void test_little_memory(void **state)
{
    char text[4096];
    (void)state;
    snprintf(text, sizeof text, "%s@compute @workgroup_size(64) fn main() { c[0] = 1.0; }", head);
    weft_kernel *k = weft_kernel_create(&(weft_kernel_desc){.wgsl = text, .memory_limit = 1000});
    assert_string_equal(weft_kernel_error(k), "the analysis needs more memory than it may use");
    weft_kernel_release(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_counts_with_values),
        cmocka_unit_test(test_texts_that_are_no_kernels),
        cmocka_unit_test(test_axes_without_a_limit_keep_their_size),
        cmocka_unit_test(test_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
