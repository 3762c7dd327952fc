// SPDX-License-Identifier: Apache-2.0
/*
 * file_priv.h - problems from files, and the words of such files.
 *
 * made by   file.c (opening, saving), words.c (words), bal.c, g2o.c (formats)
 */
#ifndef WEFT_SOLVE_FILE_PRIV_H
#define WEFT_SOLVE_FILE_PRIV_H

#include <stdio.h>

#include <weft/solve.h>

#include "base/arena.h"
#include "context/context.h"

/* ---- words.c ---- */

/* A text being read word by word. The first fault is kept. */
typedef struct Words {
    weft_context *ctx;
    const char   *name;             /* of the file                                          */
    const char   *at, *end;
    uint32_t      line;             /* from 1                                               */
    bool          failed;
} Words;

typedef struct Word {
    const char *data;
    size_t      size;               /* 0: none                                              */
} Word;

/* The next word of this line, or of any line. */
Word words_next(Words *s, bool same_line);
bool word_is(Word w, const char *text);
/* Numbers on any line; false after an error that says where. `what` is what they are. */
bool words_real(Words *s, double *out, bool same_line, const char *what);
bool words_uint(Words *s, uint32_t *out, bool same_line, const char *what);
void words_skip_line(Words *s);
/* Whether nothing but space is left on this line. */
bool words_line_ends(Words *s);
bool words_fail(Words *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A whole file, malloc'ed; NULL, with an error. (file.c) */
char *file_text(weft_context *ctx, const char *path, size_t *size);

/* ---- files ---- */

typedef enum VertexKind { VERTEX_SE2, VERTEX_SE3, VERTEX_XY } VertexKind;

typedef struct Vertex {
    uint32_t   id;
    VertexKind kind;
    uint32_t   first;               /* parameter                                            */
    bool       fixed;
} Vertex;

typedef enum EdgeKind { EDGE_SE2, EDGE_SE3, EDGE_SE2_XY, EDGE_KIND_COUNT } EdgeKind;

typedef struct Edge {
    EdgeKind kind;
    uint32_t from, to;              /* vertices                                             */
    uint64_t numbers;               /* first in weft_solve_file.numbers: measurement, then the
                                       upper triangle of the information                    */
} Edge;

struct weft_solve_file {
    weft_context        *ctx;
    const char          *name;
    Arena                arena;     /* of the name                                          */
    weft_solve_file_desc desc;
    weft_solve_file_info info;
    weft_solve_problem  *problem;
    double              *x;         /* [parameter_count]                                    */
    /* BAL */
    uint32_t            *index;     /* [observations][2] camera, point                      */
    double              *pixels;    /* [observations][2]                                    */
    /* g2o */
    Vertex              *vertices;
    uint64_t             vertex_count, vertex_room;
    Edge                *edges;
    uint64_t             edge_count, edge_room;
    double              *numbers;
    uint64_t             number_count, number_room;
    uint64_t             x_count, x_room;
};

bool bal_read(weft_solve_file *f, Words *s);
bool bal_problem(weft_solve_file *f);
bool bal_write(const weft_solve_file *f, FILE *to);
void bal_centre(double out[3], const double camera[9]);

bool g2o_read(weft_solve_file *f, Words *s);
bool g2o_problem(weft_solve_file *f);
bool g2o_write(const weft_solve_file *f, FILE *to);

/* A batch of `graph`, which it releases, becomes a term of the file's problem. */
bool file_add_term(weft_solve_file *f, weft_grad_graph *graph, uint32_t count,
                   const uint32_t *index, const double *data);

#endif
