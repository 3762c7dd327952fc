/* SPDX-License-Identifier: Apache-2.0 */
/*
 * precision.c - what f64 costs beside f32.
 *
 * in     the kernels of the set f64, whose type is `real`; functions of WGSL
 * out    time in f64 / time in f32, one line each, or of JSON
 */
#include "kernels/main_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 65536u                    /* arguments of a function                */

static const char *const functions[] = {
    "exp(v)", "exp2(v)", "log(v)", "log2(v)", "pow(v, 1.7)", "sin(v)", "cos(v)", "tan(v)",
    "asin(v * 0.09)", "acos(v * 0.09)", "atan(v)", "atan2(v, 1.5)", "sinh(v)", "cosh(v)",
    "tanh(v)", "asinh(v)", "acosh(v + 1)", "atanh(v * 0.09)", "sqrt(v)", "inverseSqrt(v)", NULL,
};

static void launch(void *runner)
{
    runner_launch(runner);
}

static double ratio_of(const Options *o, Runner *single, Runner *twice)
{
    static Match m;
    MatchDesc desc = o->choice.match;
    Player players[2] = {{launch, single}, {launch, twice}};
    desc.seconds /= 3;
    match_play(&m, &desc, players, 2);
    return match_ratio(&m, 1, 0);
}

static void print_ratio(const Options *o, const char *name, double ratio)
{
    printf(o->choice.json ? "{\"section\":\"precision\",\"name\":\"%s\",\"ratio\":%.3f}\n"
                          : "%-18s %6.2f\n", name, ratio);
}

/* The text with the type f32; the caller frees it. */
static char *in_single(const char *wgsl)
{
    static const char head[] = "enable weft_f64;\nalias real = f64;\n";
    static const char other[] = "alias real = f32;\n";
    const char *at = strstr(wgsl, head);
    size_t before = (size_t)(at - wgsl), rest = strlen(at + sizeof head - 1);
    char *text = calloc(1, before + sizeof other + rest);
    memcpy(text, wgsl, before);
    memcpy(text + before, other, sizeof other - 1);
    memcpy(text + before + sizeof other - 1, at + sizeof head - 1, rest);
    return text;
}

static void compare_kernel(const Options *o, const Bench *b, Device *d)
{
    Pair p;
    pair_init(&p, b, d, false);
    Work half = p.work;                 /* the same numbers in half the memory    */
    for (uint32_t i = 0; i < half.narrays; i++) {
        const double *from = p.work.array[i].data;
        half.array[i].size /= 2;
        float *to = half.array[i].data = memory_new(half.array[i].size);
        for (size_t k = 0; k < half.array[i].size / sizeof *to; k++)
            to[k] = (float)from[k];
    }
    char *text = in_single(p.wgsl);
    Runner *single = runner_new(d, text, &half);
    print_ratio(o, b->name, ratio_of(o, single, p.runner));
    runner_free(single);
    for (uint32_t i = 0; i < half.narrays; i++)
        memory_free(half.array[i].data, half.array[i].size);
    free(text);
    pair_fini(&p);
}

static Runner *function_runner(Device *d, Work *w, const char *call, bool twice)
{
    char text[1024];
    *w = (Work){.out = 1};
    snprintf(text, sizeof text,
             "%s @group(0) @binding(0) var<storage> x : array<%s>;"
             "@group(0) @binding(1) var<storage, read_write> y : array<%s>;"
             "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {"
             "  if (id.x < arrayLength(&y)) { let v = x[id.x]; y[id.x] = %s; } }",
             twice ? "enable weft_f64;" : "", twice ? "f64" : "f32", twice ? "f64" : "f32", call);
    if (twice)
        work_doubles(w, COUNT, 5, 0.1, 11);
    else
        work_floats(w, COUNT, 5, 0.1, 11);
    work_array(w, COUNT * (twice ? sizeof(double) : sizeof(float)));
    work_run(w, NULL, COUNT / 64, 1, 0);
    return runner_new(d, text, w);
}

void section_precision(const Options *o)
{
    Device *d = device_open(&(DeviceDesc){.threads = o->threads, .cpu = o->cpu});
    if (!o->choice.json)
        printf("\ntime in f64 / time in f32\n");
    for (uint32_t i = 0; all_benches[i]; i++)
        if (strcmp(all_benches[i]->set, "f64") == 0)
            compare_kernel(o, all_benches[i], d);
    for (uint32_t i = 0; functions[i]; i++) {
        Work narrow, wide;
        Runner *single = function_runner(d, &narrow, functions[i], false);
        Runner *twice = function_runner(d, &wide, functions[i], true);
        print_ratio(o, functions[i], ratio_of(o, single, twice));
        runner_free(single);
        runner_free(twice);
        work_fini(&narrow);
        work_fini(&wide);
    }
    device_close(d);
}
