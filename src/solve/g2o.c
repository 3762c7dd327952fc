// SPDX-License-Identifier: Apache-2.0
/*
 * g2o.c - pose graphs in the text format of g2o.
 *
 * in     lines: VERTEX_SE2, VERTEX_XY, VERTEX_SE3:QUAT, EDGE_SE2, EDGE_SE2_XY, EDGE_SE3:QUAT, FIX;
 *        comments begin with #
 * out    a problem: the differences between measured and estimated motions, weighted by their
 *        information; its cost is half of g2o's chi2
 * knows  weft/grad.h
 * not    solving
 */
#include "solve/file_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct EdgeRow {
    const char *name;
    VertexKind  from, to;
    uint32_t    numbers, rows;      /* of the measurement; of the error                     */
} EdgeRow;

static const EdgeRow edge_rows[EDGE_KIND_COUNT] = {
    [EDGE_SE2]    = {"EDGE_SE2", VERTEX_SE2, VERTEX_SE2, 3, 3},
    [EDGE_SE3]    = {"EDGE_SE3:QUAT", VERTEX_SE3, VERTEX_SE3, 7, 6},
    [EDGE_SE2_XY] = {"EDGE_SE2_XY", VERTEX_SE2, VERTEX_XY, 2, 2},
};

static const struct { const char *name; uint32_t numbers; } vertex_rows[] = {
    [VERTEX_SE2] = {"VERTEX_SE2", 3}, [VERTEX_SE3] = {"VERTEX_SE3:QUAT", 7},
    [VERTEX_XY] = {"VERTEX_XY", 2},
};

static uint32_t triangle(uint32_t rows)
{
    return rows * (rows + 1) / 2;
}

/* ---- reading ---- */

/* Room for `more` items of an array; false without memory. */
static bool room_for(void **array, uint64_t count, uint64_t *room, uint64_t more, size_t size)
{
    if (count + more <= *room)
        return true;
    uint64_t next = 2 * (count + more) + 16;
    void *moved = realloc(*array, next * size);
    if (!moved)
        return false;
    *array = moved;
    *room = next;
    return true;
}

static bool no_memory(const weft_solve_file *f)
{
    return context_fail(f->ctx, WEFT_ERROR_MEMORY, "%s: no memory", f->name);
}

static bool normalise(Words *s, double *q)
{
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(n > 1e-9) || !isfinite(n))
        return words_fail(s, "a quaternion of length %g is not a rotation", n);
    for (int i = 0; i < 4; i++)
        q[i] /= n;
    return true;
}

static bool read_vertex(weft_solve_file *f, Words *s, VertexKind kind)
{
    uint32_t id, numbers = vertex_rows[kind].numbers;
    void *x = f->x, *vertices = f->vertices;
    if (!words_uint(s, &id, true, "the number of a vertex"))
        return false;
    if (f->x_count + numbers > INT32_MAX)
        return words_fail(s, "too many vertices");
    bool ok = room_for(&x, f->x_count, &f->x_room, numbers, sizeof *f->x);
    f->x = x;
    ok = ok && room_for(&vertices, f->vertex_count, &f->vertex_room, 1, sizeof *f->vertices);
    f->vertices = vertices;
    if (!ok)
        return no_memory(f);
    f->vertices[f->vertex_count++] = (Vertex){id, kind, (uint32_t)f->x_count, false};
    for (uint32_t i = 0; i < numbers; i++)
        if (!words_real(s, &f->x[f->x_count + i], true, "a number of a vertex"))
            return false;
    f->x_count += numbers;
    return kind != VERTEX_SE3 || normalise(s, f->x + f->x_count - 4);
}

static bool read_edge(weft_solve_file *f, Words *s, EdgeKind kind)
{
    const EdgeRow *row = &edge_rows[kind];
    uint32_t count = row->numbers + triangle(row->rows);
    void *edges = f->edges, *numbers = f->numbers;
    Edge e = {.kind = kind, .numbers = f->number_count};
    if (!words_uint(s, &e.from, true, "the number of a vertex") ||
        !words_uint(s, &e.to, true, "the number of a vertex"))
        return false;
    bool ok = room_for(&edges, f->edge_count, &f->edge_room, 1, sizeof *f->edges);
    f->edges = edges;
    ok = ok && room_for(&numbers, f->number_count, &f->number_room, count, sizeof *f->numbers);
    f->numbers = numbers;
    if (!ok)
        return no_memory(f);
    f->edges[f->edge_count++] = e;
    double *to = f->numbers + f->number_count;
    for (uint32_t i = 0; i < count; i++)
        if (!words_real(s, &to[i], true, i < row->numbers ? "a number of a measurement"
                                                         : "a number of an information matrix"))
            return false;
    f->number_count += count;
    return kind != EDGE_SE3 || normalise(s, to + 3);
}

/* FIX lines, until all vertices are known. */
typedef struct Fixes {
    uint32_t *ids;
    uint64_t  count, room;
} Fixes;

static bool read_fix(weft_solve_file *f, Words *s, Fixes *fixes)
{
    do {
        void *ids = fixes->ids;
        bool ok = room_for(&ids, fixes->count, &fixes->room, 1, sizeof *fixes->ids);
        fixes->ids = ids;
        if (!ok)
            return no_memory(f);
        if (!words_uint(s, &fixes->ids[fixes->count++], true, "the number of a vertex"))
            return false;
    } while (!words_line_ends(s));
    return true;
}

static bool read_line(weft_solve_file *f, Words *s, Word tag, Fixes *fixes)
{
    if (tag.data[0] == '#') {
        words_skip_line(s);
        return true;
    }
    bool known = word_is(tag, "FIX");
    if (known && !read_fix(f, s, fixes))
        return false;
    for (int k = 0; !known && k <= VERTEX_XY; k++)
        if ((known = word_is(tag, vertex_rows[k].name)) && !read_vertex(f, s, (VertexKind)k))
            return false;
    for (int k = 0; !known && k < EDGE_KIND_COUNT; k++)
        if ((known = word_is(tag, edge_rows[k].name)) && !read_edge(f, s, (EdgeKind)k))
            return false;
    if (!known)
        return words_fail(s, "unknown record '%.*s': known are VERTEX_SE2, VERTEX_XY, "
                         "VERTEX_SE3:QUAT, EDGE_SE2, EDGE_SE2_XY, EDGE_SE3:QUAT and FIX",
                         tag.size < 40 ? (int)tag.size : 40, tag.data);
    return words_line_ends(s) || words_fail(s, "more numbers than a record of this kind has");
}

/* ---- vertices by their numbers ---- */

static int compare_places(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Vertex of a number; UINT32_MAX: none. order: number << 32 | vertex, ascending. */
static uint32_t find_vertex(const uint64_t *order, uint64_t count, uint32_t id)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (order[middle] >> 32 < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && order[low] >> 32 == id ? (uint32_t)order[low] : UINT32_MAX;
}

static bool connect(weft_solve_file *f, const uint64_t *order)
{
    for (uint64_t i = 0; i < f->edge_count; i++) {
        Edge *e = &f->edges[i];
        const EdgeRow *row = &edge_rows[e->kind];
        uint32_t ids[2] = {e->from, e->to};
        e->from = find_vertex(order, f->vertex_count, ids[0]);
        e->to = find_vertex(order, f->vertex_count, ids[1]);
        if (e->from == UINT32_MAX || e->to == UINT32_MAX)
            return context_fail(f->ctx, WEFT_ERROR_FORMAT, "%s: edge %llu names vertex %u, which "
                                "the file does not have", f->name, (unsigned long long)i,
                                e->from == UINT32_MAX ? ids[0] : ids[1]);
        if (e->from == e->to || f->vertices[e->from].kind != row->from ||
            f->vertices[e->to].kind != row->to)
            return context_fail(f->ctx, WEFT_ERROR_FORMAT,
                                "%s: edge %llu, a %s, cannot connect vertices %u and %u", f->name,
                                (unsigned long long)i, row->name, ids[0], ids[1]);
    }
    return true;
}

static bool link_vertices(weft_solve_file *f, const Fixes *fixes)
{
    uint64_t *order = malloc((f->vertex_count + 1) * sizeof *order);
    bool ok = order || no_memory(f);
    for (uint64_t i = 0; ok && i < f->vertex_count; i++)
        order[i] = (uint64_t)f->vertices[i].id << 32 | i;
    if (ok)
        qsort(order, f->vertex_count, sizeof *order, compare_places);
    for (uint64_t i = 1; ok && i < f->vertex_count; i++)
        if (order[i] >> 32 == order[i - 1] >> 32)
            ok = context_fail(f->ctx, WEFT_ERROR_FORMAT, "%s: two vertices have the number %u",
                              f->name, (uint32_t)(order[i] >> 32));
    for (uint64_t i = 0; ok && i < fixes->count; i++) {
        uint32_t v = find_vertex(order, f->vertex_count, fixes->ids[i]);
        if (v == UINT32_MAX)
            ok = context_fail(f->ctx, WEFT_ERROR_FORMAT, "%s: FIX names vertex %u, which the file "
                              "does not have", f->name, fixes->ids[i]);
        else
            f->vertices[v].fixed = true;
    }
    ok = ok && connect(f, order);
    free(order);
    return ok;
}

static void count_vertices(weft_solve_file *f)
{
    weft_solve_file_info *i = &f->info;
    i->format = WEFT_SOLVE_FORMAT_G2O;
    i->dimensions = 2;
    i->parameter_count = (uint32_t)f->x_count;
    i->edges = (uint32_t)f->edge_count;
    for (uint64_t v = 0; v < f->vertex_count; v++) {
        i->poses += f->vertices[v].kind != VERTEX_XY;
        i->landmarks += f->vertices[v].kind == VERTEX_XY;
        i->fixed += f->vertices[v].fixed;
        if (f->vertices[v].kind == VERTEX_SE3)
            i->dimensions = 3;
    }
}

bool g2o_read(weft_solve_file *f, Words *s)
{
    Fixes fixes = {0};
    bool ok = true;
    for (Word tag = words_next(s, false); ok && tag.size > 0; tag = words_next(s, false))
        ok = read_line(f, s, tag, &fixes);
    if (ok && (f->vertex_count == 0 || f->edge_count == 0))
        ok = words_fail(s, "the file has %llu vertices and %llu edges: there is nothing to solve",
                       (unsigned long long)f->vertex_count, (unsigned long long)f->edge_count);
    ok = ok && link_vertices(f, &fixes);
    free(fixes.ids);
    if (!ok)
        return false;
    bool fixed = false;
    for (uint64_t v = 0; v < f->vertex_count; v++)
        fixed |= f->vertices[v].fixed;
    /* a pose graph can be moved as a whole: the first pose holds it */
    for (uint64_t v = 0; !fixed && v < f->vertex_count; v++)
        if (f->vertices[v].kind != VERTEX_XY)
            f->vertices[v].fixed = fixed = true;
    count_vertices(f);
    return true;
}

/* ---- graphs ---- */

typedef weft_grad_graph *G;
typedef weft_grad_node   N;

/* outputs = transpose(L) error, L of the information in data[first...], lower triangle by
 * columns. */
static void weigh(G g, const N *error, const N *root, uint32_t rows)
{
    for (uint32_t r = 0, at = 0; r < rows; r++) {
        N terms[6];
        for (uint32_t k = r; k < rows; k++)
            terms[k - r] = weft_grad_mul(g, root[at++], error[k]);
        weft_grad_output(g, weft_grad_sum(g, terms, rows - r), NULL);
    }
}

/* v turned by -angle. */
static weft_grad_vec2 turn_back(G g, weft_grad_vec2 v, N angle)
{
    N c = weft_grad_cos(g, angle), s = weft_grad_sin(g, angle);
    return (weft_grad_vec2){
        weft_grad_add(g, weft_grad_mul(g, c, v.x), weft_grad_mul(g, s, v.y)),
        weft_grad_sub(g, weft_grad_mul(g, c, v.y), weft_grad_mul(g, s, v.x))};
}

static void se2_graph(G g)
{
    N a[3], b[3], m[3], root[6];
    weft_grad_input(a, g, "a", 3);
    weft_grad_input(b, g, "b", 3);
    weft_grad_data(m, g, "motion", 3);
    weft_grad_data(root, g, "root", 6);
    weft_grad_vec2 between = {weft_grad_sub(g, b[0], a[0]), weft_grad_sub(g, b[1], a[1])};
    weft_grad_vec2 seen = turn_back(g, between, a[2]);
    weft_grad_vec2 left = {weft_grad_sub(g, seen.x, m[0]), weft_grad_sub(g, seen.y, m[1])};
    left = turn_back(g, left, m[2]);
    N angle = weft_grad_sub(g, weft_grad_sub(g, b[2], a[2]), m[2]);
    N error[3] = {left.x, left.y,
                  weft_grad_atan2(g, weft_grad_sin(g, angle), weft_grad_cos(g, angle))};
    weigh(g, error, root, 3);
}

static void se2_xy_graph(G g)
{
    N a[3], b[2], m[2], root[3];
    weft_grad_input(a, g, "pose", 3);
    weft_grad_input(b, g, "landmark", 2);
    weft_grad_data(m, g, "seen", 2);
    weft_grad_data(root, g, "root", 3);
    weft_grad_vec2 between = {weft_grad_sub(g, b[0], a[0]), weft_grad_sub(g, b[1], a[1])};
    weft_grad_vec2 seen = turn_back(g, between, a[2]);
    N error[2] = {weft_grad_sub(g, seen.x, m[0]), weft_grad_sub(g, seen.y, m[1])};
    weigh(g, error, root, 2);
}

static weft_grad_vec4 quat(const N *n)
{
    return (weft_grad_vec4){n[0], n[1], n[2], n[3]};
}

/* inverse(m) inverse(a) b: translation, and the imaginary part of the quaternion with a positive
 * real part. */
static void se3_graph(G g)
{
    N a[7], b[7], m[7], root[21];
    weft_grad_input(a, g, "a", 7);
    weft_grad_input(b, g, "b", 7);
    weft_grad_data(m, g, "motion", 7);
    weft_grad_data(root, g, "root", 21);
    weft_grad_vec4 back_a = weft_grad_quat_conjugate(g, quat(a + 3));
    weft_grad_vec4 back_m = weft_grad_quat_conjugate(g, quat(m + 3));
    weft_grad_vec3 between = weft_grad_vec3_sub(g, (weft_grad_vec3){b[0], b[1], b[2]},
                                                (weft_grad_vec3){a[0], a[1], a[2]});
    weft_grad_vec3 seen = weft_grad_quat_rotate(g, back_a, between);
    seen = weft_grad_vec3_sub(g, seen, (weft_grad_vec3){m[0], m[1], m[2]});
    seen = weft_grad_quat_rotate(g, back_m, seen);
    weft_grad_vec4 q = weft_grad_quat_mul(g, back_m, weft_grad_quat_mul(g, back_a, quat(b + 3)));
    N zero = weft_grad_constant(g, 0);
    N sign = weft_grad_select(g, weft_grad_lt(g, q.w, zero), weft_grad_constant(g, -1),
                              weft_grad_constant(g, 1));
    N error[6] = {seen.x, seen.y, seen.z, weft_grad_mul(g, sign, q.x),
                  weft_grad_mul(g, sign, q.y), weft_grad_mul(g, sign, q.z)};
    weigh(g, error, root, 6);
}

/* ---- the problem ---- */

/* out: the lower triangle L by columns, L transpose(L) the matrix whose upper triangle by rows is
 * `information`. False if it is not positive definite. */
static bool root_of(double *out, const double *information, uint32_t n)
{
    double a[6][6], l[6][6] = {{0}};
    for (uint32_t r = 0, at = 0; r < n; r++)
        for (uint32_t c = r; c < n; c++, at++)
            a[r][c] = a[c][r] = information[at];
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = k; i < n; i++) {
            double sum = a[i][k];
            for (uint32_t j = 0; j < k; j++)
                sum -= l[i][j] * l[k][j];
            if (i == k && !(sum > 0))
                return false;
            l[i][k] = i == k ? sqrt(sum) : sum / l[k][k];
        }
    for (uint32_t c = 0, at = 0; c < n; c++)
        for (uint32_t r = c; r < n; r++)
            out[at++] = l[r][c];
    return true;
}

static bool add_kind(weft_solve_file *f, EdgeKind kind)
{
    static void (*const graphs[EDGE_KIND_COUNT])(G) = {
        [EDGE_SE2] = se2_graph, [EDGE_SE3] = se3_graph, [EDGE_SE2_XY] = se2_xy_graph};
    const EdgeRow *row = &edge_rows[kind];
    uint32_t count = 0, width = row->numbers + triangle(row->rows);
    for (uint64_t i = 0; i < f->edge_count; i++)
        count += f->edges[i].kind == kind;
    if (count == 0)
        return true;
    uint32_t *index = malloc(2ull * count * sizeof *index), at = 0;
    double *data = malloc((size_t)count * width * sizeof *data);
    bool ok = (index && data) || no_memory(f);
    for (uint64_t i = 0; ok && i < f->edge_count; i++) {
        const Edge *e = &f->edges[i];
        if (e->kind != kind)
            continue;
        double *to = data + (size_t)at * width;
        index[2 * at] = f->vertices[e->from].first;
        index[2 * at++ + 1] = f->vertices[e->to].first;
        memcpy(to, f->numbers + e->numbers, row->numbers * sizeof *to);
        if (!root_of(to + row->numbers, f->numbers + e->numbers + row->numbers, row->rows))
            ok = context_fail(f->ctx, WEFT_ERROR_FORMAT, "%s: the information matrix of edge %llu "
                              "is not positive definite", f->name, (unsigned long long)i);
    }
    if (ok) {
        G g = weft_grad_graph_create(f->ctx, &(weft_grad_graph_desc){.label = row->name});
        graphs[kind](g);
        ok = file_add_term(f, g, count, index, data);
    }
    free(index);
    free(data);
    return ok;
}

bool g2o_problem(weft_solve_file *f)
{
    const weft_solve_manifold pose = {.kind = WEFT_SOLVE_SE3};
    for (int k = 0; k < EDGE_KIND_COUNT; k++)
        if (!add_kind(f, (EdgeKind)k))
            return false;
    for (uint64_t i = 0; i < f->vertex_count; i++) {
        const Vertex *v = &f->vertices[i];
        if (v->kind == VERTEX_SE3 && !weft_solve_set_manifold(f->problem, v->first, &pose))
            return false;
        if (v->fixed && !weft_solve_set_fixed(f->problem, v->first,
                                              vertex_rows[v->kind].numbers, true))
            return false;
    }
    return true;
}

bool g2o_write(const weft_solve_file *f, FILE *to)
{
    for (uint64_t i = 0; i < f->vertex_count; i++) {
        const Vertex *v = &f->vertices[i];
        fprintf(to, "%s %u", vertex_rows[v->kind].name, v->id);
        for (uint32_t k = 0; k < vertex_rows[v->kind].numbers; k++)
            fprintf(to, " %.17g", f->x[v->first + k]);
        fprintf(to, "\n");
        if (v->fixed)
            fprintf(to, "FIX %u\n", v->id);
    }
    for (uint64_t i = 0; i < f->edge_count; i++) {
        const Edge *e = &f->edges[i];
        const EdgeRow *row = &edge_rows[e->kind];
        fprintf(to, "%s %u %u", row->name, f->vertices[e->from].id, f->vertices[e->to].id);
        for (uint32_t k = 0; k < row->numbers + triangle(row->rows); k++)
            fprintf(to, " %.17g", f->numbers[e->numbers + k]);
        fprintf(to, "\n");
    }
    return !ferror(to);
}
