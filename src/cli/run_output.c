// SPDX-License-Identifier: Apache-2.0
/*
 * run_output.c - where results go: files, pictures, the terminal.
 *
 * in     the buffers after the run, what is wanted from them
 * out    files; text on standard output
 * not    how values look (run_print.c, run_json.c)
 */
#include "cli/run_priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- pictures ---- */

/* The array that a picture is made of, or NULL. */
static const weft_type *pixels_of(const Bound *b, uint64_t *offset)
{
    *offset = b->shape.tail_offset;
    if (b->shape.tail)
        return b->shape.tail;
    return b->shape.type->kind == WEFT_TYPE_ARRAY ? b->shape.type : NULL;
}

/* Without a size a picture is square, if it can be. */
static bool picture_size(Run *r, Output *o, uint64_t count)
{
    uint64_t side = (uint64_t)sqrt((double)count);
    if (o->width == 0 && side * side == count && side <= PICTURE_MAX_SIDE) {
        o->width = o->height = (uint32_t)side;
        return true;
    }
    if (o->width == 0)
        return run_fail(r, "--image %s: %llu elements are not a square; give the size of the "
                        "picture, as in %s:640x480", o->bound->name,
                        (unsigned long long)count, o->path);
    if ((uint64_t)o->width * o->height > count)
        return run_fail(r, "--image %s: %u x %u pixels are more than its %llu elements",
                        o->bound->name, o->width, o->height, (unsigned long long)count);
    return true;
}

bool run_pictures(Run *r)
{
    for (uint32_t i = 0; i < r->outputs.len; i++) {
        Output  *o = &r->outputs.data[i];
        uint64_t offset;
        if (!o->is_picture)
            continue;
        const weft_type *pixels = pixels_of(o->bound, &offset);
        PictureFormat    asked = o->format;
        if (!pixels || !picture_format_resolve(pixels->element, &o->format))
            return run_fail(r, "--image %s: %s cannot be shown as '%s'; pictures are arrays of "
                            "u32 (rgba8), numbers (gray, range), vec3 or vec4 (color)",
                            o->bound->name, o->bound->type->name, picture_format_name(asked));
        if (!picture_size(r, o, data_shape_count(&o->bound->shape, o->bound->size)))
            return false;
    }
    return true;
}

/* The size of the terminal, less room for a few lines of text. */
static void terminal_size(uint32_t *columns, uint32_t *rows)
{
    struct winsize size = {0};
    const char    *wide = getenv("COLUMNS");
    *columns = wide ? (uint32_t)MIN_OF(strtoul(wide, NULL, 10), 1000) : 0;
    *rows = 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        *columns = *columns ? *columns : size.ws_col;
        *rows = size.ws_row;
    }
    *columns = *columns ? *columns : 80;
    *rows = *rows ? MAX_OF(*rows, 14u) - 4 : 40;
}

static bool has_true_color(void)
{
    const char *term = getenv("COLORTERM");
    return term && (strcmp(term, "truecolor") == 0 || strcmp(term, "24bit") == 0);
}

static void show_picture(Run *r, const Picture *p)
{
    uint32_t columns, rows;
    terminal_size(&columns, &rows);
    picture_show(&r->cli->out, p, columns, rows, has_true_color());
}

static bool output_picture(Run *r, const Output *o)
{
    Picture     p = {0};
    uint64_t    offset;
    const char *why = NULL;
    const weft_type *pixels = pixels_of(o->bound, &offset);
    if (!picture_make(&p, o->bound->result + offset, pixels->element, pixels->stride, o->format,
                      o->width, o->height))
        return run_fail(r, "no memory for a picture of %u x %u", o->width, o->height);
    bool ok = picture_write_png(&p, &r->cli->arena, o->path, &why);
    if (!ok)
        run_fail(r, "cannot write %s: %s", o->path, why);
    else if (r->cli->color && !r->json && !r->quiet)
        show_picture(r, &p);
    if (ok)
        run_note(r, "wrote %s, %u x %u", o->path, o->width, o->height);
    picture_release(&p);
    return ok;
}

/* ---- files ---- */

typedef struct Writing {
    Text        text;                   /* what is not written yet                   */
    FILE       *file;
    const Bound *bound;
    const char *between;                /* numbers of a line                         */
    weft_scalar scalar;                 /* of all numbers; 0: none yet               */
    bool        mixed;                  /* there are others                          */
    bool        line_begun;
} Writing;

static void flush(Writing *w, bool all)
{
    if (all || w->text.len > 65536) {
        if (w->text.len)
            fwrite(w->text.data, 1, w->text.len, w->file);
        w->text.len = 0;
    }
}

static bool write_number(void *context, uint64_t offset, weft_scalar scalar)
{
    Writing *w = context;
    if (w->line_begun)
        text_add(&w->text, str_of(w->between));
    number_print(&w->text, scalar, scalar_load(w->bound->result + offset, scalar));
    w->line_begun = true;
    return true;
}

static void end_line(Writing *w)
{
    if (w->line_begun)
        text_char(&w->text, '\n');
    w->line_begun = false;
    flush(w, false);
}

/* A line for each element; what stands before an array has one of its own. */
static void write_text(Writing *w)
{
    const Shape     *s = &w->bound->shape;
    uint64_t         offset;
    const weft_type *array = pixels_of(w->bound, &offset);
    if (array != s->type) {
        type_walk(s->type, 0, 0, write_number, w);
        end_line(w);
    }
    uint64_t count = array ? data_shape_count(s, w->bound->size) : 0;
    for (uint64_t i = 0; i < count; i++) {
        type_walk(array->element, offset + i * array->stride, 0, write_number, w);
        end_line(w);
    }
    flush(w, true);
}

static bool note_scalar(void *context, uint64_t offset, weft_scalar scalar)
{
    Writing *w = context;
    (void)offset;
    w->mixed = w->mixed || (w->scalar && w->scalar != scalar);
    w->scalar = scalar;
    return !w->mixed;
}

static bool write_bytes(void *context, uint64_t offset, weft_scalar scalar)
{
    Writing *w = context;
    text_add(&w->text, (Str){(const char *)w->bound->result + offset, scalar_size(scalar)});
    flush(w, false);
    return true;
}

/* The dimensions of a type: arrays, then columns, then rows; a structure counts its
 * numbers. */
static uint32_t npy_dims(const Bound *b, uint64_t dims[NPY_MAX_DIMS])
{
    const weft_type *t = b->shape.type;
    uint32_t n = 0;
    for (; t->element && n < NPY_MAX_DIMS - 1; t = t->element)
        dims[n++] = t->count ? t->count : b->count;
    if (t->kind == WEFT_TYPE_STRUCT || t->element)
        dims[n++] = type_scalars(t);
    return n;
}

static bool write_npy(Run *r, Writing *w)
{
    static const char *const types[] = {
        [WEFT_SCALAR_BOOL] = "<u4", [WEFT_SCALAR_I32] = "<i4", [WEFT_SCALAR_U32] = "<u4",
        [WEFT_SCALAR_F32] = "<f4", [WEFT_SCALAR_F16] = "<f2",
        [WEFT_SCALAR_F64] = "<f8",
    };
    uint64_t     dims[NPY_MAX_DIMS];
    const Bound *b = w->bound;
    type_walk(b->shape.type, 0, 1, note_scalar, w);
    if (w->mixed || (b->shape.tail && b->shape.type != b->shape.tail))
        return run_fail(r, "'%s' is of type %s, and a .npy file has numbers of one type in rows "
                        "of one length; write it to a .bin or .txt file", b->name,
                        b->type->name);
    uint32_t ndims = npy_dims(b, dims);
    npy_write_head(&w->text, types[w->scalar], dims, ndims);
    type_walk(b->shape.type, 0, b->count, write_bytes, w);
    flush(w, true);
    return true;
}

static bool ends_in(const char *text, const char *end)
{
    size_t len = strlen(text), n = strlen(end);
    return len > n && strcmp(text + len - n, end) == 0;
}

static bool write_by_name(Run *r, Writing *w, const char *path)
{
    if (ends_in(path, ".npy"))
        return write_npy(r, w);
    w->between = ends_in(path, ".csv") ? "," : " ";
    if (ends_in(path, ".txt") || ends_in(path, ".csv"))
        write_text(w);
    else
        fwrite(w->bound->result, 1, shape_size(&w->bound->shape, w->bound->count), w->file);
    return true;
}

static bool output_file(Run *r, const Output *o)
{
    Writing w = {.text = {.arena = &r->cli->arena}, .bound = o->bound,
                 .file = fopen(o->path, "wb")};
    if (!w.file)
        return run_fail(r, "cannot write %s: %s", o->path, strerror(errno));
    bool ok = write_by_name(r, &w, o->path);
    bool written = !ferror(w.file);
    written = fclose(w.file) == 0 && written;
    if (ok && !written)
        return run_fail(r, "cannot write %s: %s", o->path, strerror(errno));
    if (ok)
        run_note(r, "wrote %s", o->path);
    return ok;
}

/* ---- all of them ---- */

static bool read_result(Run *r, Bound *b)
{
    if (b->result)
        return true;
    b->result = malloc(b->size);
    if (!b->result)
        return run_fail(r, "no memory for the %llu bytes of '%s'", (unsigned long long)b->size,
                        b->name);
    const char *why = job_read(&r->job, b->index, b->result);
    return !why || run_fail(r, "%s", why);
}

bool run_read(Run *r)
{
    for (uint32_t i = 0; i < r->outputs.len; i++)
        if (!read_result(r, r->outputs.data[i].bound))
            return false;
    return true;
}

bool run_outputs(Run *r)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < r->outputs.len; i++) {
        const Output *o = &r->outputs.data[i];
        if (o->is_picture)
            ok = output_picture(r, o);
        else if (o->path)
            ok = output_file(r, o);
        else if (!r->json)
            print_bound(r, o->bound);
    }
    if (ok && r->json)
        json_run(r);
    if (ok && !r->json && r->times.runs)
        times_print(r);
    return ok;
}
