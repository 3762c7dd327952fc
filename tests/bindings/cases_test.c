/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases_test.c - the table of cases that all bindings run, against the C library: results to the
 * bit, kinds of errors.
 *
 * On the CPU device; WEFT_TEST_BACKEND names another, WEFT_WEBGPU another library.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "cases.h"

#define FOLDER WEFT_TEST_DIR "/../../bindings/cases"
#define CANCEL_TRIES 1000

/* With a deadline of dispatches: the CPU device, as the table says. */
static weft_pool *open_pool(uint64_t dispatch_deadline)
{
    const char *backend = getenv("WEFT_TEST_BACKEND"), *library = getenv("WEFT_WEBGPU");
    bool        own = !library || dispatch_deadline;
    const char *adapters[] = {backend && !dispatch_deadline ? backend : "cpu", NULL};
    const char *libraries[] = {library, NULL};
    weft_pool  *pool = weft_pool_create(&(weft_pool_desc){
        .adapters = own ? adapters : NULL, .libraries = own ? NULL : libraries, .no_own = !own,
        .probe_in_process = true, .benchmark_timeout = WEFT_OFF,
        .dispatch_deadline = dispatch_deadline});
    assert_non_null(pool);
    return pool;
}

/* ---- one case ---- */

typedef struct Run {
    const Case         *c;
    weft_pool          *pool;
    weft_pool_context  *ctx, *other;
    weft_pool_data     *data[CASE_ARRAYS];
    weft_execute_input  inputs[CASE_ARRAYS];
    weft_execute_output outputs[CASE_ARRAYS];
    uint8_t            *results[CASE_ARRAYS];
    weft_execute_desc   desc;
    weft_execute_report report;
} Run;

static void set_inputs(Run *r)
{
    for (uint32_t i = 0; i < r->c->input_count; i++) {
        const CaseArray *a = &r->c->inputs[i];
        weft_execute_input *in = &r->inputs[i];
        *in = (weft_execute_input){.name = a->name, .type = a->type, .rank = a->rank,
                                   .data = a->data};
        memcpy(in->shape, a->shape, sizeof a->shape);
        if (!a->foreign)
            continue;
        weft_pool_data_desc d = {.type = a->type, .rank = a->rank, .data = a->data};
        memcpy(d.shape, a->shape, sizeof a->shape);
        in->resident = r->data[i] = weft_pool_data_create(r->other, &d);
        assert_non_null(in->resident);
        in->data = NULL;
    }
}

static void set_outputs(Run *r)
{
    for (uint32_t i = 0; i < r->c->output_count; i++) {
        const CaseArray *a = &r->c->outputs[i];
        r->results[i] = malloc(a->expected_size + 65536);
        assert_non_null(r->results[i]);
        r->outputs[i] = (weft_execute_output){.name = a->name, .type = a->type, .rank = a->rank,
                                              .data = r->results[i]};
        memcpy(r->outputs[i].shape, a->shape, sizeof a->shape);
    }
}

static void run_init(Run *r, const Case *c, weft_pool *shared)
{
    *r = (Run){.c = c, .pool = c->dispatch_deadline ? open_pool(c->dispatch_deadline)
                                                    : weft_pool_retain(shared)};
    r->ctx = weft_pool_context_create(r->pool, &(weft_pool_context_desc){
        .memory_quota = c->memory_quota});
    r->other = weft_pool_context_create(r->pool, NULL);
    set_inputs(r);
    set_outputs(r);
    r->desc = (weft_execute_desc){
        .wgsl = c->wgsl, .entry = c->entry[0] ? c->entry : NULL, .constants = c->constants,
        .constant_count = c->constant_count, .inputs = r->inputs, .outputs = r->outputs,
        .input_count = c->input_count, .output_count = c->output_count,
        .memory_limit = c->memory_limit, .deadline = c->deadline, .no_retry = c->no_retry};
    memcpy(r->desc.groups, c->groups, sizeof c->groups);
    memcpy(r->desc.invocations, c->invocations, sizeof c->invocations);
}

static void run_fini(Run *r)
{
    for (uint32_t i = 0; i < CASE_ARRAYS; i++) {
        weft_pool_data_release(r->data[i]);
        free(r->results[i]);
    }
    weft_pool_context_release(r->ctx);
    weft_pool_context_release(r->other);
    weft_pool_release(r->pool);
}

static bool device_has(const Run *r)
{
    weft_pool_device d;
    assert_true(weft_pool_device_get(&d, r->pool, 0));
    return (!r->c->f16 || d.f16) && (!r->c->f64 || d.f64);
}

static void execute(Run *r)
{
    if (!r->c->cancel) {
        weft_execute(r->ctx, &r->desc, &r->report);
        return;
    }
    /* A device that ends before it is cancelled gets another go. */
    for (int i = 0; i < CANCEL_TRIES && !r->report.error.kind; i++) {
        weft_execution *e = weft_execute_async(r->ctx, &r->desc);
        assert_non_null(e);
        weft_execution_cancel(e);
        assert_true(weft_execution_wait(e, UINT64_MAX));
        assert_true(weft_execution_report(&r->report, e));
        weft_execution_release(e);
    }
}

/* ---- what came out ---- */

static void compare(const Case *c, const CaseArray *a, const uint8_t *got)
{
    if (c->tolerance == 0 && memcmp(got, a->expected, a->expected_size) != 0)
        fail_msg("%s: '%s' differs", c->name, a->name);
    if (c->tolerance == 0)
        return;
    assert_int_equal(a->type, WEFT_SCALAR_F32);
    for (uint64_t i = 0; i < a->expected_size; i += 4) {
        float want, is;
        memcpy(&want, a->expected + i, 4);
        memcpy(&is, got + i, 4);
        if (!(fabsf(want - is) <= (float)c->tolerance * fmaxf(1, fabsf(want))))
            fail_msg("%s: %s[%llu] is %g, not %g", c->name, a->name,
                     (unsigned long long)i / 4, (double)is, (double)want);
    }
}

static void check(const Run *r)
{
    const Case            *c = r->c;
    const weft_pool_error *error = &r->report.error;
    const char *kind = error->kind ? weft_error_kind_name(error->kind) : "";
    if (strcmp(kind, c->error) != 0 || (c->error_name[0] && strcmp(error->name, c->error_name)))
        fail_msg("%s: expected the error '%s' of '%s', got '%s' of '%s': %s", c->name, c->error,
                 c->error_name, kind, error->name, error->message);
    for (uint32_t i = 0; !c->error[0] && i < c->output_count; i++) {
        assert_non_null(c->outputs[i].expected);
        compare(c, &c->outputs[i], r->results[i]);
    }
}

static void test_every_case_has_its_result(void **state)
{
    (void)state;
    weft_pool *pool = open_pool(0);
    FILE      *file = fopen(FOLDER "/cases.txt", "r");
    Case       c;
    uint32_t   count = 0, skipped = 0;
    assert_non_null(file);
    assert_int_equal(weft_pool_device_count(pool) > 0, 1);
    while (case_read(&c, file, FOLDER)) {
        Run r;
        run_init(&r, &c, pool);
        if (device_has(&r)) {
            execute(&r);
            check(&r);
        } else {
            skipped++;
        }
        run_fini(&r);
        case_fini(&c);
        count++;
    }
    fclose(file);
    weft_pool_release(pool);
    print_message("%u cases, %u of them need what the device lacks\n", count, skipped);
    assert_true(count >= 30);
}

/* Each kind that execute() can report is in the table. */
static void test_every_kind_is_provoked(void **state)
{
    (void)state;
    bool  seen[WEFT_ERROR_KIND_COUNT] = {
        [WEFT_ERROR_DEVICE_LOST] = true, [WEFT_ERROR_FORMAT] = true, [WEFT_ERROR_IO] = true,
        [WEFT_ERROR_INTERNAL] = true};
    FILE *file = fopen(FOLDER "/cases.txt", "r");
    Case  c;
    assert_non_null(file);
    while (case_read(&c, file, FOLDER)) {
        for (uint32_t k = 1; k < WEFT_ERROR_KIND_COUNT; k++)
            if (strcmp(c.error, weft_error_kind_name((weft_error_kind)k)) == 0)
                seen[k] = true;
        case_fini(&c);
    }
    fclose(file);
    for (uint32_t k = 1; k < WEFT_ERROR_KIND_COUNT; k++)
        if (!seen[k])
            fail_msg("no case fails with '%s'", weft_error_kind_name((weft_error_kind)k));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_case_has_its_result),
        cmocka_unit_test(test_every_kind_is_provoked),
    };
    return cmocka_run_group_tests_name("cases of the bindings", tests, NULL, NULL);
}
