// SPDX-License-Identifier: Apache-2.0
/*
 * divide.c - one dispatch over several devices.
 *
 * in     an execution that its caller declares divisible
 * out    parts of it, executions of their own with rows of its arrays, sized so that all
 *        devices are expected to finish at the same time
 * knows  estimates of devices
 * not    how parts run; one that loses its device runs again like any execution
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pool/layout_priv.h"
#include "pool/pool_priv.h"

typedef struct Share {
    PoolDevice *device;
    double      fixed_ns, row_ns;       /* queue and launch; each row                  */
    uint64_t    rows;
} Share;

/* ---- what can be divided ---- */

static bool check_args(weft_execution *e, uint64_t *rows)
{
    *rows = 0;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const Arg  *a = &e->args[i];
        const char *name = e->program->point->bindings[i].name;
        if (a->output && !a->split)
            return exe_fail(e, WEFT_ERROR_INVALID, name, "%s: the output '%s' of a divisible "
                             "execution must be divided, too", e->label, name);
        if (!a->split)
            continue;
        if (a->data)
            return exe_fail(e, WEFT_ERROR_UNSUPPORTED, name, "%s: '%s' is resident data, which "
                             "is not divided", e->label, name);
        if (!a->rows || (*rows && a->rows != *rows))
            return exe_fail(e, WEFT_ERROR_SHAPE, name, "%s: '%s' has %llu rows; all arrays that "
                             "are divided must have the same number", e->label, name,
                             (unsigned long long)a->rows);
        *rows = a->rows;
    }
    return *rows || exe_fail(e, WEFT_ERROR_INVALID, NULL, "%s: split_unit without an array to "
                              "divide", e->label);
}

static bool check_member(weft_execution *e, const char *path)
{
    weft_scalar type;
    uint64_t    size = 0;
    return !path || (arguments_member(e, path, &type, &size) && size == 4)
        || exe_fail(e, WEFT_ERROR_NOT_FOUND, path, "%s: '%s' is not the number of an input",
                     e->label, path);
}

/* ---- who gets how much ---- */

static uint32_t list_devices(weft_execution *e, Share *out, uint64_t rows)
{
    weft_pool *pool = e->pool;
    Cost       cost = estimate_cost(e);
    uint32_t   count = 0;
    char       why[200];
    for (uint32_t i = 0; i < pool->device_count; i++) {
        PoolDevice *d = &pool->devices[i];
        bool pause = d->state == WEFT_DEVICE_LOST && d->retry_at > clock_ns();
        if (pause || choose_fault(e, d, why, sizeof why))
            continue;
        Estimate t = estimate_on(e, &cost, d);
        double   work = t.run_ns - t.launch_ns + t.upload_ns + t.read_ns;
        out[count++] = (Share){.device = d, .fixed_ns = t.queue_ns + t.launch_ns,
                               .row_ns = fmax(work / (double)rows, 1e-3)};
    }
    return count;
}

/* The time T at which all are done: the sum of (T - fixed) / row is `rows`. Devices whose
 * fixed time is beyond T get nothing. */
static double finish_time(const Share *s, uint32_t count, double rows)
{
    bool   out[MAX_DEVICES] = {0};
    double t = 0;
    for (uint32_t round = 0; round < count; round++) {
        double speed = 0, before = 0;
        bool   changed = false;
        for (uint32_t i = 0; i < count; i++) {
            speed += out[i] ? 0 : 1 / s[i].row_ns;
            before += out[i] ? 0 : s[i].fixed_ns / s[i].row_ns;
        }
        t = (rows + before) / speed;
        for (uint32_t i = 0; i < count; i++) {
            if (out[i] || s[i].fixed_ns < t)
                continue;
            out[i] = changed = true;
        }
        if (!changed)
            break;
    }
    return t;
}

/* Rows in whole units; what rounding leaves goes to the fastest. Returns how many got some. */
static uint32_t share_out(Share *s, uint32_t count, uint64_t rows, uint64_t unit)
{
    double   t = finish_time(s, count, (double)rows);
    uint64_t left = rows;
    uint32_t used = 0, fastest = 0;
    for (uint32_t i = 0; i < count; i++) {
        double wish = (t - s[i].fixed_ns) / s[i].row_ns;
        s[i].rows = wish > 0 ? (uint64_t)(wish / (double)unit) * unit : 0;
        s[i].rows = s[i].rows < left ? s[i].rows : left;
        left -= s[i].rows;
        if (s[i].row_ns < s[fastest].row_ns)
            fastest = i;
    }
    s[fastest].rows += left;
    for (uint32_t i = 0; i < count; i++)
        used += s[i].rows > 0;
    return used;
}

/* ---- parts ---- */

/* A variable of which each part has its own value of a member. */
static bool patch(weft_execution *part, const char *path, uint64_t value)
{
    weft_scalar type;
    uint64_t    size;
    if (!path)
        return true;
    const uint8_t *at = arguments_member(part, path, &type, &size);
    BUG_IF(!at, "a member of a part is missing");
    for (uint32_t i = 0; i < part->arg_count; i++) {
        Arg *a = &part->args[i];
        if (!a->in || at < a->in || at >= a->in + a->in_size)
            continue;
        uint64_t offset = (uint64_t)(at - a->in);
        if (!a->own_in) {
            a->own_in = malloc((size_t)a->in_size);
            if (!a->own_in)
                return exe_fail(part, WEFT_ERROR_MEMORY, NULL, "no memory for a part");
            memcpy(a->own_in, a->in, (size_t)a->in_size);
            a->in = a->own_in;
        }
        uint32_t u = (uint32_t)value;
        float    f = (float)value;
        memcpy(a->own_in + offset, type == WEFT_SCALAR_F32 ? (void *)&f : (void *)&u, 4);
        return true;
    }
    return false;
}

static bool set_part_args(weft_execution *part, const weft_execution *e, uint64_t first,
                          uint64_t rows)
{
    part->arg_count = e->arg_count;
    if (e->arg_count > INLINE_ARGS) {
        part->args = calloc(e->arg_count, sizeof *part->args);
        if (!part->args) {
            part->args = part->inline_args;
            part->arg_count = 0;
            return exe_fail(part, WEFT_ERROR_MEMORY, NULL, "no memory for a part");
        }
    }
    for (uint32_t i = 0; i < e->arg_count; i++) {
        Arg *a = &part->args[i];
        *a = e->args[i];
        a->own_in = a->own_out = NULL;  /* the whole keeps them */
        if (a->data)
            atomic_fetch_add_explicit(&a->data->refs, 1, memory_order_relaxed);
        if (a->split) {
            a->in = a->in ? a->in + first * a->row_bytes : NULL;
            a->out = a->out ? a->out + first * a->row_bytes * (a->widen ? 2 : 1) : NULL;
            a->rows = rows;
            a->size = rows * a->row_bytes;
            a->in_size = a->in ? a->size : 0;
            a->out_size = a->output ? a->size : 0;
        }
        part->memory += a->data ? 0 : (a->size + 3) & ~(uint64_t)3;
    }
    return true;
}

/* Counts that the caller gave are divided along their last axis. */
static bool set_part_groups(weft_execution *part, const weft_execute_desc *desc, uint64_t rows,
                            uint64_t all)
{
    weft_execute_desc d = *desc;
    uint32_t *given = d.groups[0] || d.groups[1] || d.groups[2] ? d.groups : d.invocations;
    uint32_t  axis = given[2] > 1 ? 2 : given[1] > 1 ? 1 : 0;
    if (given[axis])
        given[axis] = (uint32_t)((given[axis] * rows + all - 1) / all);
    return groups_set(part, &d);
}

static weft_execution *make_part(weft_execution *e, const weft_execute_desc *desc,
                                 const Share *share, uint64_t first, uint64_t all)
{
    weft_execution *part = exe_new(e->ctx);
    if (!part)
        return NULL;
    part->program = e->program;
    memcpy(part->label, e->label, sizeof part->label);
    memcpy(part->word, e->word, sizeof part->word);
    part->policy = e->policy;
    part->priority = e->priority;
    part->deadline = e->deadline;
    part->time_limit = e->time_limit;
    part->no_retry = e->no_retry;
    part->device = share->device;
    part->pinned = true;
    part->whole = e;
    pool_lock(e->pool);
    e->program->refs++;
    if (set_part_args(part, e, first, share->rows)
        && patch(part, desc->split_offset, first) && patch(part, desc->split_count, share->rows)
        && set_part_groups(part, desc, share->rows, all)) {
        Cost cost = estimate_cost(part);
        part->estimate = estimate_on(part, &cost, share->device);
    }
    pool_unlock(e->pool);
    return part;
}

static bool make_parts(weft_execution *e, const weft_execute_desc *desc, const Share *shares,
                       uint32_t count, uint64_t rows)
{
    uint64_t first = 0;
    e->parts = calloc(count, sizeof *e->parts);
    if (!e->parts)
        return exe_fail(e, WEFT_ERROR_MEMORY, NULL, "no memory for parts");
    for (uint32_t i = 0; i < count; i++) {
        if (!shares[i].rows)
            continue;
        weft_execution *part = make_part(e, desc, &shares[i], first, rows);
        if (!part)
            return exe_fail(e, WEFT_ERROR_MEMORY, NULL, "no memory for parts");
        e->parts[e->part_count++] = part;
        first += shares[i].rows;
        if (part->report.error.kind) {
            e->report.error = part->report.error;
            return false;
        }
    }
    return true;
}

bool divide(weft_execution *e, const weft_execute_desc *desc)
{
    Share    shares[MAX_DEVICES];
    uint64_t rows;
    if (e->report.error.kind || !check_args(e, &rows))
        return false;
    pool_lock(e->pool);
    bool ok = check_member(e, desc->split_offset) && check_member(e, desc->split_count);
    uint32_t count = ok ? list_devices(e, shares, rows) : 0;
    pool_unlock(e->pool);
    if (count < 2 || share_out(shares, count, rows, desc->split_unit) < 2
        || !make_parts(e, desc, shares, count, rows))
        return false;
    pool_lock(e->pool);
    e->parts_left = e->part_count;
    e->report.parts = e->part_count;
    exe_submit(e);
    if (e->state != EXEC_ENDED)
        for (uint32_t i = 0; i < e->part_count; i++)
            exe_submit(e->parts[i]);
    pool_leave(e->pool);
    return true;
}

/* ---- the end ---- */

void divide_part_ended(weft_execution *part)
{
    weft_execution      *e = part->whole;
    weft_execute_report *all = &e->report, *r = &part->report;
    if (r->error.kind && !all->error.kind)
        all->error = r->error;
    if (all->device_index == UINT32_MAX || r->run_ns > all->run_ns) {
        all->device = r->device;
        all->device_index = r->device_index;
    }
    all->run_ns = r->run_ns > all->run_ns ? r->run_ns : all->run_ns;
    all->queue_ns = r->queue_ns > all->queue_ns ? r->queue_ns : all->queue_ns;
    all->compile_ns = r->compile_ns > all->compile_ns ? r->compile_ns : all->compile_ns;
    all->upload_ns += r->upload_ns;
    all->read_ns += r->read_ns;
    all->bytes_uploaded += r->bytes_uploaded;
    all->bytes_read += r->bytes_read;
    all->memory += r->memory;
    all->samples += r->samples;
    all->attempts = r->attempts > all->attempts ? r->attempts : all->attempts;
    if (r->note[0])
        memcpy(all->note, r->note, sizeof all->note);
    if (--e->parts_left == 0 && e->state != EXEC_ENDED)
        exe_end(e);
}

void divide_cancel(weft_execution *whole)
{
    for (uint32_t i = 0; i < whole->part_count && whole->state != EXEC_ENDED; i++)
        if (whole->parts[i]->state != EXEC_ENDED && whole->parts[i]->state != EXEC_NEW)
            exe_cancel(whole->parts[i]);
}
