/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - bench/grad: gradients in batches beside loops over Ceres' automatic derivatives, where
 * batches overtake immediate evaluation, how long large kernels compile, how exact they are.
 *
 * in     sections and options
 * out    tables; results are compared before they are timed, wrong ones make it fail
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "graphs.h"
#include "grad/random_graph.h"
#include "mesh_energy.h"

typedef struct Options {
    const char *bundle, *mesh;      /* files                                         */
    const char *adapter;            /* threshold: another device     NULL: none      */
    uint32_t    threads;
    double      seconds;            /* of each comparison                            */
    bool        small;              /* results alone, at small sizes                 */
} Options;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(weft_context *ctx, const char *what)
{
    fprintf(stderr, "bench/grad: %s: %s\n", what, ctx ? weft_context_error(ctx)->message : "");
    exit(1);
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* ---- beside Ceres ---- */

static weft_grad_batch *batch_of(weft_context *ctx, const Problem *p, weft_grad_precision precision)
{
    weft_grad_graph *g = graph_of(ctx, p->kind);
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = p->count, .parameter_count = p->parameter_count, .index = p->index,
        .data = p->data, .precision = precision, .fallback_threshold = WEFT_OFF});
    weft_grad_graph_release(g);
    if (!b)
        fail(ctx, p->name);
    return b;
}

static uint32_t products_of(const Problem *p)
{
    return p->kind == PROBLEM_GAUSS ? WEFT_GRAD_NORMAL | WEFT_GRAD_GRADIENT
                                    : WEFT_GRAD_VALUES | WEFT_GRAD_JACOBIAN;
}

/* The largest error, relative to the largest value of each column. */
static double jacobian_error(weft_grad_batch *b, const Problem *p, CeresProblem *c)
{
    static const uint32_t sizes[2][3] = {{9, 3}, {3, 3, 3}};
    size_t row = (size_t)p->outputs * p->inputs;
    double *j = calloc((size_t)p->count * row, sizeof *j), *most = calloc(row, sizeof *most);
    double *error = calloc(row, sizeof *error), worst = 0;
    if (!weft_grad_batch_evaluate(b, &(weft_grad_evaluation){.x = p->x, .jacobian = j}))
        fail(NULL, p->name);
    const double *want = ceres_jacobian(c);
    for (size_t i = 0; i < p->count; i++) {
        size_t at = 0, first = 0;
        for (uint32_t block = 0; block < p->blocks; block++) {
            uint32_t size = sizes[p->kind][block];
            for (uint32_t o = 0; o < p->outputs; o++)
                for (uint32_t k = 0; k < size; k++, at++) {
                    size_t e = o * p->inputs + first + k;
                    most[e] = fmax(most[e], fabs(want[i * row + at]));
                    error[e] = fmax(error[e], fabs(want[i * row + at] - j[i * row + e]));
                }
            first += size;
        }
    }
    for (size_t e = 0; e < row; e++)
        worst = fmax(worst, most[e] > 0 ? error[e] / most[e] : error[e]);
    free(j);
    free(most);
    free(error);
    return worst;
}

static double normal_error(weft_grad_batch *b, const Problem *p, CeresProblem *c)
{
    weft_grad_normal n;
    if (!weft_grad_batch_normal(&n, b))
        fail(NULL, p->name);
    double *h = calloc(n.entries, sizeof *h), worst = 0;
    double *g = calloc(p->parameter_count, sizeof *g), scale = 0;
    if (!weft_grad_batch_evaluate(b, &(weft_grad_evaluation){
            .x = p->x, .normal = h, .gradient = g}))
        fail(NULL, p->name);
    const double *want = ceres_normal(c);
    for (uint32_t f = 0; f < p->parameter_count / 4; f++) {
        for (int i = 0; i < 10; i++) {
            scale = fmax(scale, fabs(want[f * 14 + i]));
            worst = fmax(worst, fabs(want[f * 14 + i] - h[n.row_start[4 * f] + i]));
        }
        for (int i = 0; i < 4; i++)
            worst = fmax(worst, fabs(want[f * 14 + 10 + i] - g[4 * f + i]));
    }
    free(h);
    free(g);
    return worst / scale;
}

static double check(weft_grad_batch *b, const Problem *p, CeresProblem *c, double bound)
{
    ceres_run(c, p->x, 1);
    double error = p->kind == PROBLEM_GAUSS ? normal_error(b, p, c) : jacobian_error(b, p, c);
    if (!(error < bound)) {
        fprintf(stderr, "bench/grad: %s: error %g\n", p->name, error);
        exit(1);
    }
    return error;
}

static void beside_ceres(const Problem *p, const Options *o)
{
    static const struct {
        weft_grad_precision precision;
        const char         *name;
        double              bound;
    } ways[] = {
        {WEFT_GRAD_F64, "f64", 1e-10}, {WEFT_GRAD_F32, "f32", 5e-3},
    };
    weft_context *ctx = weft_context_create(&(weft_context_desc){
        .threads = o->threads, .adapter = "cpu"});
    CeresProblem *c = ceres_make(p);
    for (size_t w = 0; w < 2; w++) {
        weft_grad_batch *b = batch_of(ctx, p, ways[w].precision);
        double error = check(b, p, c, ways[w].bound);
        weft_grad_evaluation e = {.x = p->x, .products = products_of(p)};
        static double ratio[4096];
        double best[2] = {1e9, 1e9}, end = now() + o->seconds;
        uint32_t turns = 0;
        do {
            double t[2];
            for (int who = 0; who < 2; who++) {
                uint32_t repeats = who ? 4 : 1;
                if (who && !weft_grad_batch_evaluate(b, &e))
                    fail(ctx, p->name);
                t[who] = now();
                for (uint32_t i = 0; i < repeats; i++)
                    if (!who)
                        ceres_run(c, p->x, o->threads);
                    else if (!weft_grad_batch_evaluate(b, &e))
                        fail(ctx, p->name);
                t[who] = (now() - t[who]) / repeats;
                best[who] = fmin(best[who], t[who]);
            }
            ratio[turns++] = t[0] / t[1];
        } while (!o->small && now() < end && turns < 4096);
        qsort(ratio, turns, sizeof *ratio, compare_double);
        printf("  %-8s %s %9u instances   Ceres %8.3f ms   Weft %8.3f ms   x%5.1f (median x%5.1f)"
               "   error %.1e\n", p->name, ways[w].name, p->count, best[0] * 1e3, best[1] * 1e3,
               best[0] / best[1], ratio[turns / 2], error);
        fflush(stdout);
        weft_grad_batch_release(b);
    }
    ceres_free(c);
    weft_context_release(ctx);
}

static void section_ceres(const Options *o, ProblemKind kind)
{
    Problem p;
    bool ok = kind == PROBLEM_BUNDLE ? problem_bundle(&p, o->bundle)
            : kind == PROBLEM_ARAP   ? problem_arap(&p, o->mesh)
                                     : problem_gauss(&p, o->small ? 100 : 200000, 50);
    if (!ok)
        return;
    if (ceres_available())
        beside_ceres(&p, o);
    else
        printf("  built without Ceres: nothing to compare with\n");
    problem_fini(&p);
}

/* ---- where a dispatch overtakes immediate evaluation ---- */

static double time_of(weft_context *ctx, const Problem *p, uint32_t count, uint64_t threshold)
{
    weft_grad_graph *g = graph_of(ctx, p->kind);
    double *j = calloc((size_t)count * p->outputs * p->inputs, sizeof *j), best = 1e9;
    double end = now() + 0.1;
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = count, .parameter_count = p->parameter_count, .index = p->index,
        .data = p->data, .fallback_threshold = threshold});
    weft_grad_graph_release(g);
    for (int i = 0; i < 30 || now() < end; i++) {
        double t = now();
        if (!weft_grad_batch_evaluate(b, &(weft_grad_evaluation){.x = p->x, .jacobian = j}))
            fail(ctx, "threshold");
        best = fmin(best, now() - t);
    }
    weft_grad_batch_release(b);
    free(j);
    return best;
}

static void section_threshold(const Options *o)
{
    static const uint32_t counts[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384};
    Problem p;
    if (!problem_bundle(&p, o->bundle))
        return;
    weft_context *ctx = weft_context_create(&(weft_context_desc){
        .threads = o->threads, .adapter = "cpu"});
    weft_context *other = o->adapter ? weft_context_create(&(weft_context_desc){
        .adapter = o->adapter}) : NULL;
    if (other && weft_context_error(other)->kind)
        fail(other, o->adapter);
    printf("  instances  immediate us   CPU device us%s%s\n", other ? "   " : "",
           other ? weft_context_device(other)->name : "");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && !(o->small && i > 3); i++) {
        double immediate = time_of(ctx, &p, counts[i], WEFT_OFF - 1);
        double dispatch = time_of(ctx, &p, counts[i], WEFT_OFF);
        printf("  %9u  %12.1f  %14.1f", counts[i], immediate * 1e6, dispatch * 1e6);
        if (other)
            printf("  %12.1f", time_of(other, &p, counts[i], WEFT_OFF) * 1e6);
        printf("\n");
        fflush(stdout);
    }
    weft_context_release(other);
    weft_context_release(ctx);
    problem_fini(&p);
}

/* ---- developable sphere: value and gradient of a mesh energy ---- */

typedef struct Sphere {
    Mesh             mesh;
    weft_grad_batch *batches[MESH_VALENCE];
    uint32_t         count;
} Sphere;

static Sphere sphere_make(weft_context *ctx, int levels)
{
    Sphere s = {.mesh = mesh_icosphere(levels)};
    weft_grad_set *set = weft_grad_set_create(ctx);
    weft_grad_graph *graphs[MESH_VALENCE + 1] = {0};
    for (uint32_t v = 0; v < s.mesh.vertices; v++) {
        uint32_t index[MESH_VALENCE + 1], valence = s.mesh.valence[v];
        if (!graphs[valence])
            graphs[valence] = mesh_vertex_graph(ctx, valence);
        index[0] = 3 * v;
        for (uint32_t i = 0; i < valence; i++)
            index[1 + i] = 3 * s.mesh.ring[v][i];
        weft_grad_set_add(set, graphs[valence], index, NULL);
    }
    s.count = weft_grad_set_topologies(set);
    for (uint32_t i = 0; i < s.count; i++)
        s.batches[i] = weft_grad_set_batch(NULL, set, i, &(weft_grad_batch_desc){
            .parameter_count = 3 * s.mesh.vertices});
    for (uint32_t i = 0; i <= MESH_VALENCE; i++)
        weft_grad_graph_release(graphs[i]);
    weft_grad_set_release(set);
    return s;
}

static double sphere_run(weft_context *ctx, const Sphere *s, double *gradient, double *scratch)
{
    double total = 0;
    memset(gradient, 0, 3 * s->mesh.vertices * sizeof *gradient);
    for (uint32_t i = 0; i < s->count; i++) {
        double cost;
        if (!weft_grad_batch_evaluate(s->batches[i], &(weft_grad_evaluation){
                .x = s->mesh.position, .weighting = WEFT_GRAD_ONES, .gradient = scratch,
                .cost = &cost}))
            fail(ctx, "sphere");
        total += cost;
        for (uint32_t p = 0; p < 3 * s->mesh.vertices; p++)
            gradient[p] += scratch[p];
    }
    return total;
}

static void section_sphere(const Options *o)
{
    for (int levels = 2; levels <= (o->small ? 2 : 5); levels++) {
        weft_context *ctx = weft_context_create(&(weft_context_desc){
            .threads = o->threads, .adapter = "cpu", .no_cache = true});
        double start = now(), best = 1e9, energy = 0;
        Sphere s = sphere_make(ctx, levels);
        double *gradient = calloc(3 * s.mesh.vertices, 8);
        double *scratch = calloc(3 * s.mesh.vertices, 8);
        sphere_run(ctx, &s, gradient, scratch);
        double compiled = now() - start;
        for (int i = 0; i < (o->small ? 2 : 100); i++) {
            double t = now();
            energy = sphere_run(ctx, &s, gradient, scratch);
            best = fmin(best, now() - t);
        }
        printf("  sphere %6u vertices  %u kernels   from nothing %7.1f ms   value and gradient "
               "%7.3f ms   energy %.6f\n", s.mesh.vertices, s.count, compiled * 1e3, best * 1e3,
               energy);
        fflush(stdout);
        for (uint32_t i = 0; i < s.count; i++)
            weft_grad_batch_release(s.batches[i]);
        mesh_free(&s.mesh);
        free(gradient);
        free(scratch);
        weft_context_release(ctx);
    }
}

/* ---- compilation ---- */

static void section_compile(const Options *o)
{
    static const uint32_t sizes[] = {100, 1000, 5000, 20000, 50000};
    printf("  nodes        functions   transform ms   compile ms   statements\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && !(o->small && i > 1); i++)
        for (int way = 0; way < 4; way++) {
            bool functions = way & 1, f32 = way & 2;
            /* Each function of f64 is some hundred instructions: minutes, beyond this. */
            if (functions && !f32 && sizes[i] > 1000)
                continue;
            weft_context *ctx = weft_context_create(&(weft_context_desc){
                .threads = o->threads, .adapter = "cpu", .no_cache = true});
            weft_grad_graph *g = graph_large(ctx, sizes[i], functions);
            double x[16] = {1, 2, 3}, cost, gradient[16];
            weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
                .graph = g, .count = 64, .parameter_count = 16, .fallback_threshold = WEFT_OFF,
                .precision = f32 ? WEFT_GRAD_F32 : WEFT_GRAD_F64});
            if (!weft_grad_batch_evaluate(b, &(weft_grad_evaluation){
                    .x = x, .cost = &cost, .gradient = gradient}))
                fail(ctx, "compile");
            printf("  %6u  %s  %s  %12.1f  %11.1f  %11llu\n", sizes[i], f32 ? "f32" : "f64",
                   functions ? "a tenth  " : "none     ",
                   (double)weft_context_counter(ctx, "grad.transform_ns") / 1e6,
                   (double)weft_context_counter(ctx, "grad.compile_ns") / 1e6,
                   (unsigned long long)weft_context_counter(ctx, "grad.nodes"));
            fflush(stdout);
            weft_grad_batch_release(b);
            weft_grad_graph_release(g);
            weft_context_release(ctx);
        }
}

/* ---- accuracy ---- */

/* max of |g - g'| / max(1, |g'|) over the Jacobian of a batch. */
static double graph_error(weft_context *ctx, weft_grad_graph *g, Random *r)
{
    weft_grad_graph_info info;
    weft_grad_graph_get_info(&info, g);
    double x[64], d[16 * 8], a[16 * 8 * 64], b[16 * 8 * 64], worst = 0;
    uint32_t index[16 * 8], count = 16;
    for (int i = 0; i < 64; i++)
        x[i] = random_between(r, -2, 2);
    for (uint32_t i = 0; i < count * info.data; i++)
        d[i] = random_between(r, -2, 2);
    for (uint32_t i = 0; i < count * info.blocks; i++)
        index[i] = random_below(r, 64 - 6);
    size_t entries = (size_t)count * info.outputs * info.inputs;
    for (int way = 0; way < 2; way++) {
        weft_grad_batch *batch = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
            .graph = g, .count = count, .parameter_count = 64, .index = index, .data = d,
            .fallback_threshold = way ? WEFT_OFF - 1 : WEFT_OFF});
        if (!weft_grad_batch_evaluate(batch, &(weft_grad_evaluation){
                .x = x, .jacobian = way ? b : a}))
            fail(ctx, "accuracy");
        weft_grad_batch_release(batch);
    }
    for (size_t i = 0; i < entries; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
            worst = fmax(worst, fabs(a[i] - b[i]) / fmax(1, fabs(b[i])));
    return worst;
}

static void section_accuracy(const Options *o)
{
    weft_context *ctx = weft_context_create(&(weft_context_desc){
        .threads = o->threads, .adapter = "cpu"});
    Random r = {42};
    double worst = 0;
    for (uint32_t op = 1; op < WEFT_GRAD_OP_COUNT && !(o->small && op > 3); op++) {
        weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
        weft_grad_node a[5];
        uint32_t arity;
        weft_grad_op_name((weft_grad_op)op, &arity);
        weft_grad_input(a, g, "a", 5);
        weft_grad_output(g, random_apply(g, (weft_grad_op)op, a, arity ? arity : 5), NULL);
        worst = fmax(worst, graph_error(ctx, g, &r));
        weft_grad_graph_release(g);
    }
    printf("  every operator: largest error of a derivative %.1e\n", worst);
    worst = 0;
    uint32_t graphs = o->small ? 3 : 1000;
    for (uint32_t i = 0; i < graphs; i++) {
        RandomGraphDesc shape = {1 + random_below(&r, 4), random_below(&r, 4),
                                 1 + random_below(&r, 40), 1 + random_below(&r, 3)};
        weft_grad_graph *g = random_graph(ctx, &r, &shape);
        worst = fmax(worst, graph_error(ctx, g, &r));
        weft_grad_graph_release(g);
    }
    printf("  %u random graphs: largest error of a derivative %.1e\n", graphs, worst);
    if (!(worst < 1e-10))
        exit(1);
    weft_context_release(ctx);
}

/* ---- main ---- */

static bool option(Options *o, const char *arg)
{
    if (strncmp(arg, "--threads=", 10) == 0)
        o->threads = (uint32_t)strtoul(arg + 10, NULL, 10);
    else if (strncmp(arg, "--seconds=", 10) == 0)
        o->seconds = strtod(arg + 10, NULL);
    else if (strncmp(arg, "--bundle=", 9) == 0)
        o->bundle = arg + 9;
    else if (strncmp(arg, "--mesh=", 7) == 0)
        o->mesh = arg + 7;
    else if (strncmp(arg, "--adapter=", 10) == 0)
        o->adapter = arg + 10;
    else if (strcmp(arg, "--small") == 0)
        o->small = true;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    static const char *const sections[] = {"bundle", "arap", "gauss", "threshold", "sphere",
                                           "compile", "accuracy"};
    Options o = {.bundle = BENCH_DATA "/nls/problem-49-7776-pre.txt",
                 .mesh = BENCH_DATA "/mesh/bunny.off", .threads = 1, .seconds = 3};
    uint32_t wanted = 0;
    for (int i = 1; i < argc; i++) {
        if (option(&o, argv[i]))
            continue;
        uint32_t s = 0;
        while (s < 7 && strcmp(argv[i], sections[s]) != 0)
            s++;
        if (s == 7) {
            fprintf(stderr, "usage: grad [bundle arap gauss threshold sphere compile accuracy] "
                    "[--threads=N] [--seconds=S] [--bundle=FILE] [--mesh=FILE] [--adapter=NAME] "
                    "[--small]\n");
            return 2;
        }
        wanted |= 1u << s;
    }
    for (uint32_t s = 0; s < 7; s++) {
        if (wanted && !(wanted >> s & 1))
            continue;
        printf("%s\n", sections[s]);
        if (s < 3)
            section_ceres(&o, (ProblemKind)s);
        else if (s == 3)
            section_threshold(&o);
        else if (s == 4)
            section_sphere(&o);
        else if (s == 5)
            section_compile(&o);
        else
            section_accuracy(&o);
    }
    return 0;
}
