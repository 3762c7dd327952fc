// SPDX-License-Identifier: Apache-2.0
/*
 * run_priv.h - the parts of `weft run`.
 *
 *   run.c         the command: what happens in which order
 *   run_args.c    the command line becomes wishes
 *   run_plan.c    wishes meet the bindings of the entry point
 *   run_data.c    the bytes of every binding
 *   run_groups.c  how many workgroups
 *   run_print.c   values for people            run_json.c   values for programs
 *   run_output.c  where they go: files, pictures, the terminal
 *   timing.c      --time
 */
#ifndef WEFT_CLI_RUN_PRIV_H
#define WEFT_CLI_RUN_PRIV_H

#include "cli/cli.h"
#include "cli/data.h"
#include "cli/job.h"
#include "cli/picture.h"

/* A value for a binding, or for one member of its structure. */
typedef struct Piece {
    Shape    shape;
    uint64_t offset;                    /* bytes                                     */
    const weft_member *member;          /* NULL: all of it                           */
    const char *name;                   /* as given: "view.scale"                    */
    Value    value;
    uint64_t count;                     /* elements of the tail                      */
} Piece;

/* A binding of the entry point, or its immediate data. */
typedef struct Bound {
    const char *name;
    const char *kind;                   /* "uniform", "read-only storage", ...       */
    const weft_type *type;
    bool        is_buffer;              /* false: immediate data                     */
    bool        uniform, writable;
    uint32_t    group, binding;
    uint64_t    min_size;
    uint32_t    index;                  /* of the job's bindings                     */
    Shape       shape;
    VEC(Piece)  pieces;                 /* what was given for it                     */
    uint64_t    count;                  /* elements of the tail                      */
    uint64_t    size;                   /* bytes, a multiple of 4                    */
    uint8_t    *bytes;                  /* malloc'ed: before the run                 */
    uint8_t    *result;                 /* malloc'ed: after it; NULL: not read       */
} Bound;

/* Something that is wanted from a binding. */
typedef struct Output {
    Bound      *bound;
    const char *path;                   /* NULL: print it                            */
    bool        is_picture;
    uint32_t    width, height;          /* pictures; 0: not said                     */
    PictureFormat format;
} Output;

typedef struct Wish {                   /* "NAME=VALUE"; VALUE NULL: not given       */
    const char *name, *value;
} Wish;

typedef VEC(Wish) Wishes;

typedef struct Times {
    uint32_t runs;                      /* 0: none were asked for                    */
    double   cold_ms, cached_ms;        /* compiling                                 */
    double   first_ms;
    double   min_ms, median_ms, max_ms;
    uint64_t bytes;                     /* of all buffers                            */
} Times;

typedef struct Run {
    Cli        *cli;
    bool        json, quiet, all;
    uint64_t    first;                  /* elements of an array that are printed     */
    const char *error;                  /* the message of run_fail()                 */
    const char *file;
    Wishes      in, out, image;
    Settings    settings;
    DeviceDesc  device_desc;
    uint32_t    asked_groups[3];
    bool        auto_groups;
    Source      source;
    weft_wgsl  *wgsl;
    const weft_entry_point *entry;
    weft_specialized special;
    Bound      *bounds;                 /* [bound_count]; immediate data is the last */
    uint32_t    bound_count;
    uint64_t    longest;                /* elements of the longest array given       */
    const Bound *longest_of;            /* NULL: no array was                        */
    VEC(Output) outputs;
    Device      device;
    Job         job;
    uint32_t    groups[3];
    Times       times;
} Run;

/* Says what is wrong, on standard error and for --json; returns false. */
bool run_fail(Run *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A remark on standard error, unless --quiet or --json. */
void run_note(Run *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Everything up to the number of workgroups: the bytes of each binding are there, and a
 * device is open. False after a message; *status is then the exit status. */
bool run_prepare(Run *r, int *status);          /* run.c                             */
void run_clean_up(Run *r);

bool run_args(Run *r);                          /* run_args.c                        */
bool run_plan(Run *r);                          /* run_plan.c                        */
bool run_plan_outputs(Run *r);
bool run_data(Run *r);                          /* run_data.c                        */
bool run_groups(Run *r);                        /* run_groups.c                      */
bool run_timing(Run *r);                        /* timing.c                          */
bool run_pictures(Run *r);                      /* run_output.c                      */
bool run_read(Run *r);
bool run_outputs(Run *r);

/* The picture that is wanted from a binding, or NULL. */
const Output *run_picture_of(const Run *r, const Bound *b);

/* "view : View (uniform, 24 bytes)": a binding in a message. */
const char *bound_text(Run *r, const Bound *b);

/* "12 x 3": trailing ones are left out. In the arena. */
const char *run_size_text(Run *r, const uint32_t size[3]);

/* ---- values ---- */

void print_bound(Run *r, const Bound *b);       /* run_print.c                       */
void json_run(Run *r);
void json_run_failed(Run *r);
void times_print(Run *r);                       /* timing.c                          */
void times_json(Run *r);

#endif
