// SPDX-License-Identifier: Apache-2.0
/*
 * file.c - problems from files: opening, questions, saving.
 *
 * in     a path, or text
 * out    a weft_solve_problem with its start
 * knows  the formats by their functions
 * not    how the formats look
 */
#include "solve/file_priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILE_LARGEST ((uint64_t)8 << 30)

/* BAL begins with a number, g2o with a word. */
static weft_solve_format guess_format(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!isspace((unsigned char)text[i]))
            return isdigit((unsigned char)text[i]) ? WEFT_SOLVE_FORMAT_BAL : WEFT_SOLVE_FORMAT_G2O;
    return WEFT_SOLVE_FORMAT_BAL;
}

bool file_add_term(weft_solve_file *f, weft_grad_graph *graph, uint32_t count,
                   const uint32_t *index, const double *data)
{
    weft_grad_batch *b = weft_grad_batch_create(f->ctx, &(weft_grad_batch_desc){
        .graph = graph, .count = count, .parameter_count = f->info.parameter_count,
        .index = index, .data = data, .precision = f->desc.precision});
    bool ok = b && weft_solve_add(f->problem, b, f->desc.loss);
    weft_grad_batch_release(b);
    weft_grad_graph_release(graph);
    return ok;
}

static bool is_packed(const char *text, size_t size)
{
    return size > 3 && (memcmp(text, "BZh", 3) == 0 || memcmp(text, "\x1f\x8b", 2) == 0);
}

static bool load(weft_solve_file *f, const char *text, size_t size)
{
    Words s = {.ctx = f->ctx, .name = f->name, .at = text, .end = text + size, .line = 1};
    weft_solve_format format = f->desc.format ? f->desc.format : guess_format(text, size);
    if (is_packed(text, size))
        return context_fail(f->ctx, WEFT_ERROR_FORMAT, "%s is compressed: unpack it first, with "
                            "bunzip2 or gunzip", f->name);
    bool bal = format == WEFT_SOLVE_FORMAT_BAL;
    if (!(bal ? bal_read(f, &s) : g2o_read(f, &s)))
        return false;
    f->problem = weft_solve_problem_create(f->ctx, &(weft_solve_problem_desc){
        .parameter_count = f->info.parameter_count, .label = f->name});
    return f->problem && (bal ? bal_problem(f) : g2o_problem(f));
}

weft_solve_file *weft_solve_file_read(weft_context *ctx, const char *text, size_t size,
                                      const weft_solve_file_desc *desc)
{
    weft_solve_file_desc d = desc ? *desc : (weft_solve_file_desc){0};
    if (!ctx || (!text && size > 0) || (unsigned)d.format > WEFT_SOLVE_FORMAT_G2O) {
        context_fail(ctx, WEFT_ERROR_INVALID, "no text, or an unknown format");
        return NULL;
    }
    weft_solve_file *f = calloc(1, sizeof *f);
    if (!f) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a problem");
        return NULL;
    }
    f->ctx = weft_context_retain(ctx);
    arena_init(&f->arena, 0);
    f->desc = d;
    f->name = arena_printf(&f->arena, "%s", d.name ? d.name : "problem");
    bool ok = load(f, text ? text : "", size);
    f->desc.loss = NULL;
    if (ok)
        return f;
    weft_solve_file_release(f);
    return NULL;
}

char *file_text(weft_context *ctx, const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    *size = 0;
    if (!file) {
        context_fail(ctx, errno == ENOENT ? WEFT_ERROR_NOT_FOUND : WEFT_ERROR_IO, "%s: %s", path,
                     strerror(errno));
        return NULL;
    }
    for (;;) {
        if (*size == room) {
            char *more = room < FILE_LARGEST ? realloc(text, room = 2 * room + 65536) : NULL;
            if (!more) {
                context_fail(ctx, WEFT_ERROR_MEMORY, "%s: too large", path);
                break;
            }
            text = more;
        }
        size_t got = fread(text + *size, 1, room - *size, file);
        *size += got;
        if (got > 0)
            continue;
        if (!ferror(file)) {
            fclose(file);
            return text;
        }
        context_fail(ctx, WEFT_ERROR_IO, "%s: %s", path, strerror(errno));
        break;
    }
    fclose(file);
    free(text);
    return NULL;
}

weft_solve_file *weft_solve_file_open(weft_context *ctx, const char *path,
                                      const weft_solve_file_desc *desc)
{
    weft_solve_file_desc d = desc ? *desc : (weft_solve_file_desc){0};
    size_t size;
    if (!ctx || !path) {
        context_fail(ctx, WEFT_ERROR_INVALID, "no path");
        return NULL;
    }
    char *text = file_text(ctx, path, &size);
    if (!text)
        return NULL;
    d.name = d.name ? d.name : path;
    weft_solve_file *f = weft_solve_file_read(ctx, text, size, &d);
    free(text);
    return f;
}

void weft_solve_file_release(weft_solve_file *f)
{
    if (!f)
        return;
    weft_solve_problem_release(f->problem);
    free(f->x);
    free(f->index);
    free(f->pixels);
    free(f->vertices);
    free(f->edges);
    free(f->numbers);
    arena_fini(&f->arena);
    weft_context_release(f->ctx);
    free(f);
}

/* ---- questions ---- */

bool weft_solve_file_get_info(weft_solve_file_info *out, const weft_solve_file *f)
{
    *out = f ? f->info : (weft_solve_file_info){0};
    return f != NULL;
}

weft_solve_problem *weft_solve_file_problem(weft_solve_file *f)
{
    return f ? f->problem : NULL;
}

double *weft_solve_file_x(weft_solve_file *f)
{
    return f ? f->x : NULL;
}

bool weft_solve_file_position(double out[3], const weft_solve_file *f, bool camera,
                              uint32_t index)
{
    out[0] = out[1] = out[2] = 0;
    if (!f)
        return false;
    bool bal = f->info.format == WEFT_SOLVE_FORMAT_BAL;
    uint64_t count = !bal ? f->vertex_count : camera ? f->info.cameras : f->info.points;
    if (index >= count)
        return context_fail(f->ctx, WEFT_ERROR_INVALID, "%s: no position %u; there are %llu",
                            f->name, index, (unsigned long long)count);
    if (bal && camera)
        bal_centre(out, f->x + 9ull * index);
    else if (bal)
        memcpy(out, f->x + 9ull * f->info.cameras + 3ull * index, 3 * sizeof *out);
    else
        memcpy(out, f->x + f->vertices[index].first,
               (f->vertices[index].kind == VERTEX_SE3 ? 3 : 2) * sizeof *out);
    return true;
}

bool weft_solve_file_edge(uint32_t out[2], const weft_solve_file *f, uint32_t index)
{
    out[0] = out[1] = 0;
    if (!f || index >= f->edge_count)
        return f && context_fail(f->ctx, WEFT_ERROR_INVALID, "%s: no edge %u; there are %llu",
                                 f->name, index, (unsigned long long)f->edge_count);
    out[0] = f->edges[index].from;
    out[1] = f->edges[index].to;
    return true;
}

/* ---- saving ---- */

bool weft_solve_file_save(weft_solve_file *f, const char *path)
{
    if (!f)
        return false;
    FILE *file = path ? fopen(path, "wb") : NULL;
    if (!file)
        return context_fail(f->ctx, WEFT_ERROR_IO, "%s: %s", path ? path : "NULL",
                            path ? strerror(errno) : "no path");
    bool ok = f->info.format == WEFT_SOLVE_FORMAT_BAL ? bal_write(f, file) : g2o_write(f, file);
    ok = fclose(file) == 0 && ok;
    return ok || context_fail(f->ctx, WEFT_ERROR_IO, "%s: %s", path, strerror(errno));
}
