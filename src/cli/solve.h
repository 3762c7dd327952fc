// SPDX-License-Identifier: Apache-2.0
/*
 * solve.h - what the parts of `weft solve` share.
 */
#ifndef WEFT_CLI_SOLVE_H
#define WEFT_CLI_SOLVE_H

#include <weft/solve.h>

#include "cli/cli.h"
#include "cli/picture.h"

/* A solve from the command line. */
typedef struct SolveRun {
    Cli               *cli;
    weft_context      *ctx;
    weft_solve_options options;
    weft_solve_loss    loss;
    bool               has_loss, quiet, json;
    weft_grad_precision precision;
    bool               shown;           /* a progress line is on the terminal             */
} SolveRun;

/* Prints the error of the context; returns CLI_TROUBLE. */
int  solve_complain(const SolveRun *r);
/* Reports progress on a terminal, and takes it away at the end. */
bool solve_progress(void *user, const weft_solve_iteration *i);
void solve_progress_end(SolveRun *r);
/* A number of JSON, which has no infinities and no NaN: they are null. */
void solve_json_number(Text *out, double value);
/* The result as members of a JSON object. */
void solve_result_json(Text *out, const weft_solve_result *r);

int solve_file(SolveRun *r);            /* weft solve FILE                                */
int solve_fit(SolveRun *r);             /* weft solve fit TABLE FORMULA                   */

/* ---- pictures (solve_canvas.c, solve_plot.c) ---- */

typedef struct Colour {
    uint8_t r, g, b;
} Colour;

typedef struct Canvas {
    Picture picture;
    double  left, right, low, high;     /* what the frame shows                           */
    double  x, y, width, height;        /* the frame, in pixels                           */
} Canvas;

/* White. False after a message. */
bool canvas_make(Canvas *c, Cli *cli, uint32_t width, uint32_t height);
/* Writes and releases it. False after a message. */
bool canvas_write(Canvas *c, Cli *cli, const char *path);
/* Coordinates of what is shown to pixels, and lines and dots there. */
void canvas_line(Canvas *c, double x0, double y0, double x1, double y1, double width,
                 Colour colour, double strength);
void canvas_dot(Canvas *c, double x, double y, double radius, Colour colour, double strength);
/* In pixels; `align` 0: from x, 0.5: about x, 1: up to x. */
void canvas_text(Canvas *c, double x, double y, double align, const char *text, Colour colour);
/* A frame with round numbers along its sides, in this part of the picture. With `equal` units of
 * both axes are of equal length. */
void canvas_frame(Canvas *c, double x, double y, double width, double height, bool equal,
                  const char *title);

/* Points (x, y) and a curve through (curve_x, curve_y). */
bool plot_fit(Cli *cli, const char *path, const char *title, const double *x, const double *y,
              uint32_t count, const double *curve_x, const double *curve_y, uint32_t curve_count);
/* Positions [count][3] before and after, seen along two axes; edges [edge_count][2] may be NULL. */
typedef struct PlotCloud {
    const double   *before, *after;
    uint32_t        count;
    const uint32_t *edges;
    uint32_t        edge_count;
    uint32_t        marked;             /* the first so many are cameras                  */
    bool            space;              /* three dimensions: two views                    */
} PlotCloud;
bool plot_positions(Cli *cli, const char *path, const PlotCloud *p);

#endif
