/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.h - one benchmark: a kernel in WGSL, the same work in C, and the check of
 * both results.
 *
 *   data.c      arrays, the random source, comparing results
 *   device.c    running the WGSL through webgpu.h
 *   measure.c   taking turns and what comes out of it
 *   options.c   command lines
 *   report.c    tables
 *
 * Ownership  a Work owns its arrays; work_fini() frees them.
 * Threads    all of this is called from one thread.
 */
#ifndef WEFT_BENCH_BENCH_H
#define WEFT_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_BUFFERS 8
#define MAX_SIZES   4
#define MAX_STEPS   256

/* ---- the work of a benchmark: data.c ---- */

typedef struct Array {
    void  *data;                /* what C works on; aligned, in huge pages        */
    size_t size;                /* bytes                                          */
    bool   is_uniform;          /* bound as a uniform buffer                      */
} Array;

typedef enum StepKind { STEP_RUN, STEP_COPY, STEP_CLEAR } StepKind;

/* One command of a launch. */
typedef struct Step {
    StepKind    kind;
    const char *entry;          /* RUN                NULL: "main"                */
    uint32_t    groups[2];      /* RUN: workgroups                                */
    uint32_t    bound;          /* RUN: bit i for binding i, where array i goes;
                                   0: all arrays                                  */
    uint32_t    offset, size;   /* RUN: of the part of the uniform array, bytes   */
    uint32_t    from, to;       /* COPY: arrays; CLEAR: to                        */
} Step;

typedef struct Work {
    uint32_t size[MAX_SIZES];   /* as Bench.sizes, full or small                  */
    Array    array[MAX_BUFFERS];
    uint32_t narrays;
    uint32_t out;               /* the array that is checked                      */
    Step     step[MAX_STEPS];
    uint32_t nsteps;
    double   flops, bytes;      /* of one launch; 0: not worth saying             */
    void    *extra;             /* work_extra()                                   */
    size_t   extra_size;
} Work;

/* Another way to do the same work, beside the plain C. */
typedef struct Rival {
    const char *name;           /* NULL: there is none                            */
    void      (*run)(const Work *w);
} Rival;

typedef struct Size {
    const char *name;           /* of the constant in the WGSL                    */
    uint32_t    full, small;
} Size;

typedef struct Bench {
    const char *name;
    const char *set;            /* "common", "more", "quant", "f64", "blas"       */
    const char *wgsl;           /* file; NULL: <name>.wgsl                        */
    Size        sizes[MAX_SIZES];
    void      (*make)(Work *w); /* arrays and steps; w->size is set               */
    void      (*native)(const Work *w);         /* result in array[w->out].data   */
    Rival       rival;
    /* NULL: right; otherwise what is wrong, in static memory. */
    const char *(*check)(const Work *w, const void *out);
} Bench;

void work_init(Work *w, const Bench *b, bool small);
void work_fini(Work *w);

/* Adds an array of zeroes; its data. */
void *work_array(Work *w, size_t size);
/* Adds an array of `n` floats in [lo, hi), the same for the same seed everywhere. */
float *work_floats(Work *w, size_t n, uint32_t seed, double lo, double hi);
double *work_doubles(Work *w, size_t n, uint32_t seed, double lo, double hi);
/* Adds a launch of `entry`; more may be set in it. */
Step *work_run(Work *w, const char *entry, uint32_t x, uint32_t y, uint32_t bound);
Step *work_step(Work *w, StepKind kind);

/* The random source of the kernel set: [0, 1). */
double random_next(uint32_t *state);

/* Adds memory that only the check or the C needs: zeroed. */
void *work_extra(Work *w, size_t size);

/* Zeroed pages, huge ones where the system has them. */
void *memory_new(size_t size);
void  memory_free(void *data, size_t size);

/* ---- checks: data.c ---- */

bool close_to(double got, double want, double tolerance);
/* Formats into static memory. */
const char *wrong(const char *format, ...);
/* Compares about `count` floats of `out`, which has n, with want(w, i). */
const char *check_sample(const Work *w, const float *out, size_t n, size_t count,
                         double (*want)(const Work *w, size_t i), double tolerance);
const char *check_words(const uint32_t *out, const uint32_t *want, size_t n);

/* ---- the WGSL side: device.c ---- */

typedef struct Device Device;
typedef struct Runner Runner;   /* a Work on a Device, ready to be launched       */

typedef struct DeviceDesc {
    uint32_t    threads;        /* 0: one a core                                  */
    const char *cpu;            /* to compile for; NULL: this machine             */
    const char *cache;          /* folder of compiled kernels; NULL: no cache     */
    bool        vulkan;         /* the first Vulkan device, not the CPU           */
} DeviceDesc;

/* They stop the program with a message if the device, or the WGSL, is at fault. */
Device *device_open(const DeviceDesc *desc);
void    device_close(Device *d);
Runner *runner_new(Device *d, const char *wgsl, const Work *w);
void    runner_free(Runner *r);
void    runner_launch(Runner *r);               /* from submit to completion      */
/* The array w->out as the device left it; the caller frees the memory. */
void   *runner_result(Runner *r);
/* Writes the data of the array `i` to the device's, and waits until it is there. */
void    runner_write(Runner *r, uint32_t i);
/* The array w->out into `to`, by way of a buffer that stays. */
void    runner_read(Runner *r, void *to);
/* Compiles entry point `entry` and forgets it. */
void    device_compile(Device *d, const char *wgsl, const char *entry);

/* ---- time: measure.c ---- */

double now(void);                               /* seconds                        */
double cpu_now(void);                           /* that the process had processors */
void   rest(double seconds);

#define MAX_TURNS    2000
#define MAX_PLAYERS  4

/* What the players of a match did, turn by turn; seconds a launch. */
typedef struct Match {
    uint32_t nplayers, nturns;
    double   time[MAX_PLAYERS][MAX_TURNS];
} Match;

typedef struct Player {
    void (*run)(void *user);
    void  *user;
} Player;

typedef struct MatchDesc {
    double   seconds;           /* it lasts           0: as long as it takes      */
    uint32_t turns;             /* of each player, at least                       */
    bool     cpu_time;          /* time that the process had a processor, not the
                                   time that passed                               */
} MatchDesc;

/* Lets the players take turns. */
void   match_play(Match *m, const MatchDesc *desc, const Player *players,
                  uint32_t nplayers);
double match_median(const Match *m, uint32_t player);
double match_best(const Match *m, uint32_t player);
/* The median over the turns of (time of a) / (time of b). */
double match_ratio(const Match *m, uint32_t a, uint32_t b);
double median(double *values, uint32_t n);      /* sorts them                     */
double geometric_mean(const double *values, uint32_t n);

/* ---- command lines: options.c ---- */

typedef struct Choice {
    MatchDesc    match;         /* --seconds=S --turns=N --cpu-time               */
    bool         small;         /* --small: tiny data, one turn                   */
    bool         json;          /* --json: lines of JSON instead of tables        */
    const char **names;         /* [nnames]; none: everything                     */
    uint32_t     nnames;
} Choice;

typedef struct ChoiceDesc {
    const char *program, *usage;
    MatchDesc   match;          /* unless there is another wish                   */
    bool      (*is_name)(const char *text);
    /* Other options; false: it is none. NULL: there are no others. */
    bool      (*read)(void *user, const char *text);
    void       *user;
} ChoiceDesc;

/* Stops the program with a message if something is neither an option nor a name. */
void choice_init(Choice *c, const ChoiceDesc *desc, int argc, char **argv);
void choice_fini(Choice *c);
bool chosen(const Choice *c, const char *name);

/* ---- text: report.c ---- */

/* A bar for a ratio, with a mark at 1; in static memory. */
const char *ratio_bar(double ratio);
/* Reads `file` of bench/kernels and gives its constants the sizes of `w`; the
 * caller frees it. */
char *kernel_source(const Bench *b, const Work *w);
void  stop(const char *format, ...);            /* message, exit 1                */

#endif
