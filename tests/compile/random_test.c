/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_test.c - random kernels, run in every way there is, end the same.
 *
 * in     kernels of support/generate.h
 * out    a failure for each that leaves other bytes when it is interpreted after a
 *        pass of opt/, or run as machine code, than when it is interpreted as it was
 *        lowered
 *
 *     test_random [FIRST [COUNT]]      default: 1 8; prints kernels that fail
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "compile/loader.h"
#include "compile/pipeline.h"
#include "lower/lower.h"
#include "opt/opt.h"
#include "support/generate.h"
#include "support/interp.h"
#include "syntax/syntax.h"

typedef struct Buffers {
    uint32_t words[GENERATE_WORDS];
    uint32_t out[GENERATE_INVOCATIONS];
    uint32_t sums[4];
} Buffers;

typedef struct Job {
    Arena       arena;
    uint64_t    seed;
    const char *wrong;
    Text        source;
} Job;

static Buffers buffers_new(uint64_t seed)
{
    Buffers b = {{0}, {0}, {0}};
    uint64_t x = seed * 6364136223846793005u + 1;
    for (uint32_t i = 0; i < GENERATE_WORDS; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        b.words[i] = (uint32_t)(x >> (i % 3 == 0 ? 58 : 32));   /* small and large */
    }
    return b;
}

/* ---- ways to run a kernel ---- */

static const char *interpret(Job *job, const Ir *ir, bool backwards, Buffers *b)
{
    *b = buffers_new(job->seed);
    InterpBuffer bindings[] = {
        {0, 0, b->words, sizeof b->words},
        {0, 1, b->out, sizeof b->out},
        {0, 2, b->sums, sizeof b->sums},
    };
    return interp_run(&job->arena, &(InterpDesc){
        .ir = ir, .buffers = bindings, .nbuffers = COUNTOF(bindings),
        .num_workgroups = {GENERATE_GROUPS, 1, 1}, .backwards = backwards,
    });
}

static KernelBuffer binding_of(Buffers *b, KernelBinding at)
{
    switch (at.binding) {
    case 0:  return (KernelBuffer){b->words, sizeof b->words};
    case 1:  return (KernelBuffer){b->out, sizeof b->out};
    default: return (KernelBuffer){b->sums, sizeof b->sums};
    }
}

static const char *execute(Job *job, const CompiledObject *o, Buffers *b)
{
    const char *why = NULL;
    const atomic_uint stop = 0;
    LoadedCode code = {0};
    KernelBuffer bindings[3];
    if (!loader_open(&code, o->emitted.object, o->emitted.object_size, "weft_kernel", &why))
        return why;
    *b = buffers_new(job->seed);
    for (uint32_t i = 0; i < o->nbindings; i++)
        bindings[i] = binding_of(b, o->bindings[i]);
    KernelDispatch k = {.buffers = bindings, .stop = &stop};
    uint32_t *n = k.num_workgroups;
    kernel_groups(n, (const uint32_t[]){GENERATE_GROUPS, 1, 1}, o->turned);
    void *memory = aligned_alloc(KERNEL_ALIGN, o->emitted.memory_size + KERNEL_ALIGN);
    KernelFn *run;
    memcpy(&run, &code.entry, sizeof run);
    for (uint32_t y = 0; y < n[1]; y++)
        run(&k, memory, 0, n[0], y, 0);
    free(memory);
    loader_close(&code);
    return NULL;
}

/* ---- comparing them ---- */

static bool same(Job *job, const char *way, const char *wrong, const Buffers *want,
                 const Buffers *found)
{
    if (wrong) {
        job->wrong = arena_printf(&job->arena, "%s: %s", way, wrong);
        return false;
    }
    for (uint32_t i = 0; i < GENERATE_INVOCATIONS; i++) {
        if (want->out[i] == found->out[i])
            continue;
        job->wrong = arena_printf(&job->arena, "%s: out[%u] is %u, and should be %u", way, i,
                                  found->out[i], want->out[i]);
        return false;
    }
    if (memcmp(want, found, sizeof *want) == 0)
        return true;
    job->wrong = arena_printf(&job->arena, "%s: the sums differ", way);
    return false;
}

static bool compare_passes(Job *job, Ir *ir, Buffers *want)
{
    Buffers found;
    const char *wrong = ir_verify(ir);
    if (!wrong)
        wrong = interpret(job, ir, false, want);
    if (!same(job, "lower", wrong, want, want))
        return false;
    if (!same(job, "backwards", interpret(job, ir, true, &found), want, &found))
        return false;
    for (uint32_t i = 0; i < opt_pass_count; i++) {
        opt_passes[i].run(ir);
        wrong = ir_verify(ir);
        if (!wrong)
            wrong = interpret(job, ir, false, &found);
        if (!same(job, opt_passes[i].name, wrong, want, &found))
            return false;
    }
    return true;
}

static bool compare_native(Job *job, const Module *m, uint32_t lanes, bool quick,
                           const Buffers *want)
{
    Buffers found;
    Diag diag = {.arena = &job->arena};
    CompiledObject o = {0};
    CompileJob compile = {.source = {m, m->info->entry_points.data[0], NULL, 0},
                      .options = {.lanes = lanes, .quick = quick}};
    if (!pipeline_run(&o, &compile, &diag)) {
        job->wrong = diag.list.data[0].message;
        return false;
    }
    const char *way = arena_printf(&job->arena, "%u lanes%s", lanes, quick ? ", quick" : "");
    bool good = same(job, way, execute(job, &o, &found), want, &found);
    compiled_object_fini(&o);
    return good;
}

static void work(void *context)
{
    static const uint32_t lanes[] = {1, 4, 8, 16};
    Job *job = context;
    Diag diag = {.arena = &job->arena};
    Specialization s;
    Buffers want;
    job->source.arena = &job->arena;
    generate_kernel(&job->source, job->seed);
    Str text = {job->source.data, (uint32_t)job->source.len};
    Module *m = syntax_parse(&job->arena, text, &diag);
    Ir *ir = NULL;
    if (check_module(m, &(CheckOptions){0}, &diag)
            && check_specialize(&s, &job->arena, m, m->info->entry_points.data[0], NULL, 0,
                                &diag))
        ir = lower_entry_point(&job->arena, m, m->info->entry_points.data[0], &s, &diag);
    if (!ir) {
        job->wrong = diag.list.data[0].message;
        return;
    }
    bool good = compare_passes(job, ir, &want);
    for (size_t i = 0; i < COUNTOF(lanes) && good; i++)
        good = compare_native(job, m, lanes[i], false, &want);
    good = good && compare_native(job, m, 8, true, &want);
}

/* False after a message. */
static bool try_kernel(uint64_t seed, bool show)
{
    Job job = {.seed = seed};
    arena_init(&job.arena, (size_t)2 << 30);
    if (!arena_try(&job.arena, work, &job))
        job.wrong = "more memory than a test may use";
    if (job.wrong)
        fprintf(stderr, "kernel %llu: %s\n", (unsigned long long)seed, job.wrong);
    if (job.wrong && show)
        fwrite(job.source.data, 1, job.source.len, stdout);
    bool good = !job.wrong;
    arena_fini(&job.arena);
    return good;
}

static void test_random_kernels_end_the_same(void **state)
{
    (void)state;
    unsigned failures = 0;
    for (uint64_t seed = 1; seed <= 8; seed++)
        failures += !try_kernel(seed, false);
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_kernels_end_the_same),
    };
    if (argc < 2)
        return cmocka_run_group_tests_name("random", tests, NULL, NULL);
    uint64_t first = strtoull(argv[1], NULL, 10);
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    unsigned failures = 0;
    for (uint64_t i = 0; i < count; i++)
        failures += !try_kernel(first + i, count == 1);
    printf("%llu kernels, %u failures\n", (unsigned long long)count, failures);
    return failures != 0;
}
