/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases.c - see cases.h.
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "cases.h"

static weft_scalar type_find(const char *name)
{
    static const char *const names[] = {
        [0] = "bytes", [WEFT_SCALAR_I32] = "i32", [WEFT_SCALAR_U32] = "u32",
        [WEFT_SCALAR_F32] = "f32", [WEFT_SCALAR_F16] = "f16", [WEFT_SCALAR_F64] = "f64",
    };
    for (uint32_t i = 0; i < COUNTOF(names); i++)
        if (names[i] && strcmp(names[i], name) == 0)
            return (weft_scalar)i;
    fail_msg("unknown type '%s'", name);
    return 0;
}

static uint8_t *bytes_of(const char *hex, uint64_t *size)
{
    size_t   count = strlen(hex) / 2;
    uint8_t *out = malloc(count + 1);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
    *size = count;
    return out;
}

static char *file_text(const char *folder, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s cannot be read", path);
    char  *text = malloc(65536);
    assert_non_null(text);
    size_t length = fread(text, 1, 65535, f);
    fclose(f);
    text[length] = '\0';
    return text;
}

/* "f32 6x5": type and shape. */
static void read_form(CaseArray *a, const char *type, const char *shape)
{
    a->type = type_find(type);
    while (*shape && *shape != '-') {
        char *end;
        assert_true(a->rank < 8);
        a->shape[a->rank++] = strtoull(shape, &end, 10);
        shape = *end ? end + 1 : end;
    }
}

static CaseArray *array_find(CaseArray *all, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    fail_msg("no array '%s' before this line", name);
    return NULL;
}

static CaseArray *array_add(CaseArray *all, uint32_t *count, char *const word[])
{
    assert_true(*count < CASE_ARRAYS);
    CaseArray *a = &all[(*count)++];
    snprintf(a->name, sizeof a->name, "%s", word[1]);
    read_form(a, word[2], word[3]);
    return a;
}

/* ---- lines by their first word ---- */

static void on_input(Case *c, char *const word[])
{
    CaseArray *a = array_add(c->inputs, &c->input_count, word);
    a->data = bytes_of(word[4], &a->size);
}

static void on_output(Case *c, char *const word[])
{
    array_add(c->outputs, &c->output_count, word);
}

static void on_expect(Case *c, char *const word[])
{
    CaseArray *a = array_find(c->outputs, c->output_count, word[1]);
    a->expected = bytes_of(word[2], &a->expected_size);
}

static void on_constant(Case *c, char *const word[])
{
    assert_true(c->constant_count < COUNTOF(c->constants));
    uint32_t at = c->constant_count++;
    snprintf(c->constant_names[at], sizeof c->constant_names[at], "%s", word[1]);
    c->constants[at] = (weft_constant){c->constant_names[at], strtod(word[2], NULL)};
}

static void on_three(uint32_t out[3], char *const word[])
{
    for (int i = 0; i < 3; i++)
        out[i] = (uint32_t)strtoul(word[i + 1], NULL, 10);
}

static void on_groups(Case *c, char *const word[]) { on_three(c->groups, word); }
static void on_invocations(Case *c, char *const word[]) { on_three(c->invocations, word); }

static void on_requires(Case *c, char *const word[])
{
    c->f16 = c->f16 || strcmp(word[1], "f16") == 0;
    c->f64 = c->f64 || strcmp(word[1], "f64") == 0;
}

static void on_error(Case *c, char *const word[])
{
    snprintf(c->error, sizeof c->error, "%s", word[1]);
    snprintf(c->error_name, sizeof c->error_name, "%s", strcmp(word[2], "-") ? word[2] : "");
}

static void on_entry(Case *c, char *const word[])
{
    snprintf(c->entry, sizeof c->entry, "%s", word[1]);
}

static void on_foreign(Case *c, char *const word[])
{
    array_find(c->inputs, c->input_count, word[1])->foreign = true;
}

static uint64_t count_of(const char *word) { return strtoull(word, NULL, 10); }

static void on_memory_limit(Case *c, char *const w[]) { c->memory_limit = count_of(w[1]); }
static void on_deadline(Case *c, char *const w[])     { c->deadline = count_of(w[1]); }
static void on_tolerance(Case *c, char *const w[])    { c->tolerance = strtod(w[1], NULL); }
static void on_context(Case *c, char *const w[])      { c->memory_quota = count_of(w[2]); }
static void on_pool(Case *c, char *const w[])         { c->dispatch_deadline = count_of(w[2]); }
static void on_cancel(Case *c, char *const w[])       { (void)w; c->cancel = true; }
static void on_no_retry(Case *c, char *const w[])     { (void)w; c->no_retry = true; }

static const struct Line {
    const char *word;
    uint32_t    words;
    void      (*read)(Case *c, char *const word[]);
} line_kinds[] = {
    {"input", 5, on_input},         {"output", 4, on_output},   {"expect", 3, on_expect},
    {"constant", 3, on_constant},   {"groups", 4, on_groups},   {"entry", 2, on_entry},
    {"invocations", 4, on_invocations}, {"requires", 2, on_requires}, {"error", 3, on_error},
    {"foreign", 2, on_foreign},     {"memory_limit", 2, on_memory_limit},
    {"deadline", 2, on_deadline},   {"tolerance", 2, on_tolerance},
    {"context", 3, on_context},     {"pool", 3, on_pool},       {"cancel", 1, on_cancel},
    {"no_retry", 1, on_no_retry},
};

static void read_line(Case *c, char *const word[], uint32_t count, const char *folder)
{
    if (strcmp(word[0], "case") == 0 && count == 2) {
        *c = (Case){0};
        snprintf(c->name, sizeof c->name, "%s", word[1]);
        return;
    }
    if (strcmp(word[0], "wgsl") == 0 && count == 2) {
        c->wgsl = file_text(folder, word[1]);
        return;
    }
    for (uint32_t i = 0; i < COUNTOF(line_kinds); i++) {
        if (strcmp(line_kinds[i].word, word[0]) == 0 && line_kinds[i].words == count) {
            line_kinds[i].read(c, word);
            return;
        }
    }
    fail_msg("%s: unknown line '%s' of %u words", c->name, word[0], count);
}

bool case_read(Case *out, FILE *file, const char *folder)
{
    static char line[65536];
    while (fgets(line, sizeof line, file)) {
        char    *word[6], *rest = NULL;
        uint32_t count = 0;
        for (char *w = strtok_r(line, " \n", &rest); w && count < 6;
             w = strtok_r(NULL, " \n", &rest))
            word[count++] = w;
        if (count == 0)
            continue;
        if (strcmp(word[0], "end") == 0)
            return true;
        read_line(out, word, count, folder);
    }
    return false;
}

void case_fini(Case *c)
{
    free(c->wgsl);
    for (uint32_t i = 0; i < CASE_ARRAYS; i++) {
        free(c->inputs[i].data);
        free(c->outputs[i].expected);
    }
}
