// SPDX-License-Identifier: Apache-2.0
/*
 * tune.c - finds the fastest workgroup size of a kernel and remembers it for the user.
 *
 * in     candidates and a function that dispatches one of them
 * out    the fastest one; a row in the file of results
 * knows  the file: one row a device and kernel, "device TAB kernel TAB x y z TAB ns"
 * not    what the kernels compute
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "context/context_priv.h"

#define DEFAULT_LIMIT 200000000u        /* ns                                          */
#define MAX_FILE      ((size_t)4 << 20) /* bytes                                       */
#define MAX_CANDIDATES 4096u
#define BATCH_NS      1000000u          /* what one measurement takes at least         */
#define MAX_BATCH     256u

/* ---- the file ---- */

/* One word of a row: tabs and line breaks would end it. */
static const char *plain(Arena *arena, const char *text)
{
    char *copy = arena_printf(arena, "%s", text);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return copy;
}

/* "device TAB kernel TAB", where the device includes what decides its speed. */
static const char *row_head(Arena *arena, weft_context *ctx, const char *kernel)
{
    const weft_device_info *i = weft_context_device(ctx);
    const char *device = arena_printf(arena, "%s %s %s %s %s threads=%u", i->backend, i->vendor,
                                      i->architecture, i->name, i->driver, ctx->desc.threads);
    return arena_printf(arena, "%s\t%s\t", plain(arena, device), plain(arena, kernel));
}

static bool file_path(char *out, size_t size)
{
    size_t length;
    if (!platform_cache_folder(out, size))
        return false;
    length = strlen(out);
    return (size_t)snprintf(out + length, size - length, "/tune.tsv") < size - length;
}

/* The row that starts with `head`; NULL if there is none. */
static const char *find_row(const char *text, const char *head)
{
    size_t length = strlen(head);
    while (text && *text) {
        if (strncmp(text, head, length) == 0)
            return text;
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return NULL;
}

static bool same_size(const uint32_t a[3], const uint32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* A remembered result counts only if it is one of the candidates: the file may be of
 * another version, or damaged. */
static bool recall(uint32_t out[3], const char *head, const weft_tune_desc *d)
{
    char     path[4096];
    char    *text = file_path(path, sizeof path) ? platform_read_file(path, MAX_FILE) : NULL;
    const char *row = find_row(text, head);
    uint32_t size[3];
    bool     found = row && sscanf(row + strlen(head), "%" SCNu32 " %" SCNu32 " %" SCNu32,
                                   &size[0], &size[1], &size[2]) == 3;
    bool     known = false;
    for (uint32_t i = 0; found && i < d->candidate_count && !known; i++)
        known = same_size(size, d->candidates[i]);
    if (known)
        memcpy(out, size, sizeof size);
    free(text);
    return known;
}

/* All rows but those with `head`, and the new one. A file that grew too large starts anew. */
static void remember(const char *head, const uint32_t size[3], uint64_t ns)
{
    char  path[4096], lock_path[4104];
    Arena arena;
    if (!file_path(path, sizeof path))
        return;
    snprintf(lock_path, sizeof lock_path, "%s.lock", path);
    int   lock = platform_lock_file(lock_path);
    char *old = platform_read_file(path, MAX_FILE);
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    for (const char *row = old; row && *row;) {
        size_t length = strcspn(row, "\n");
        if (row[length] && strncmp(row, head, strlen(head)) != 0)
            text_add(&text, (Str){row, (uint32_t)length + 1});
        row += length + (row[length] != '\0');
    }
    text_printf(&text, "%s%u %u %u\t%llu\n", head, size[0], size[1], size[2],
                (unsigned long long)ns);
    platform_replace_file(path, text.data, text.len);
    arena_fini(&arena);
    free(old);
    platform_unlock_file(lock);
}

/* ---- measuring ---- */

/* Nanoseconds of `count` dispatches; 0 if the candidate cannot run. */
static uint64_t time_batch(weft_context *ctx, const weft_tune_desc *d, const uint32_t size[3],
                           uint32_t count)
{
    uint64_t start = clock_ns();
    for (uint32_t i = 0; i < count; i++)
        if (!d->run(d->user, ctx, size))
            return 0;
    if (!weft_context_wait(ctx))
        return 0;
    return MAX_OF(clock_ns() - start, 1);
}

typedef struct Trial {
    uint32_t batch;                     /* dispatches a measurement; 0: cannot run     */
    uint64_t best;                      /* ns of one dispatch                          */
} Trial;

/* The first run compiles; the second one says how many make a measurement. */
static void warm_up(Trial *t, weft_context *ctx, const weft_tune_desc *d, const uint32_t size[3])
{
    uint64_t ns = time_batch(ctx, d, size, 1) ? time_batch(ctx, d, size, 1) : 0;
    t->batch = ns ? (uint32_t)MIN_OF(BATCH_NS / ns + 1, MAX_BATCH) : 0;
    t->best = ns;
}

/* Rounds over all candidates that may still win, until the time is over. */
static bool measure(Trial *trials, weft_context *ctx, const weft_tune_desc *d)
{
    uint64_t end = clock_ns() + (d->time_limit ? d->time_limit : DEFAULT_LIMIT);
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i < d->candidate_count; i++) {
        weft_error before = *weft_context_error(ctx);
        warm_up(&trials[i], ctx, d, d->candidates[i]);
        if (!before.kind && !trials[i].batch
            && weft_context_error(ctx)->kind != WEFT_ERROR_DEVICE_LOST)
            weft_context_error_clear(ctx);      /* this candidate alone is wrong */
        if (trials[i].batch)
            best = MIN_OF(best, trials[i].best);
        if (d->progress && !d->progress(d->progress_user, i + 1, d->candidate_count))
            return context_fail(ctx, WEFT_ERROR_CANCELLED, "%s: tuning was cancelled", d->kernel);
    }
    for (uint32_t round = 0; round < 5 && clock_ns() < end; round++) {
        for (uint32_t i = 0; i < d->candidate_count && clock_ns() < end; i++) {
            Trial *t = &trials[i];
            if (!t->batch || t->best > best * 2)
                continue;
            uint64_t ns = time_batch(ctx, d, d->candidates[i], t->batch) / t->batch;
            t->best = ns ? MIN_OF(t->best, ns) : t->best;
            best = MIN_OF(best, t->best);
        }
    }
    return true;
}

static bool search(uint32_t out[3], weft_context *ctx, const weft_tune_desc *d,
                   const char *head)
{
    Trial *trials = calloc(d->candidate_count, sizeof *trials);
    if (!trials)
        return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for tuning");
    bool     ok = measure(trials, ctx, d);
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; ok && i < d->candidate_count; i++)
        if (trials[i].batch && (best == UINT32_MAX || trials[i].best < trials[best].best))
            best = i;
    if (ok && best == UINT32_MAX)
        ok = context_fail(ctx, WEFT_ERROR_UNSUPPORTED, "%s: none of %u workgroup sizes can run",
                          d->kernel, d->candidate_count);
    if (ok) {
        memcpy(out, d->candidates[best], 3 * sizeof *out);
        remember(head, out, trials[best].best);
        context_log(ctx, WEFT_LOG_COMPILE, "%s: workgroups of %u x %u x %u are the fastest of %u",
                    d->kernel, out[0], out[1], out[2], d->candidate_count);
    }
    free(trials);
    return ok;
}

bool weft_context_tune(uint32_t out[3], weft_context *ctx, const weft_tune_desc *desc)
{
    const weft_tune_desc *d = desc;
    if (!ctx || !context_need_device(ctx))
        return false;
    if (!out || !d || !d->kernel || !d->candidates || d->candidate_count == 0
        || d->candidate_count > MAX_CANDIDATES || (!d->run && d->time_limit != WEFT_OFF))
        return context_fail(ctx, WEFT_ERROR_INVALID, "tune: kernel, run and 1 to %u candidates "
                            "are needed", MAX_CANDIDATES);
    Arena arena;
    arena_init(&arena, 0);
    const char *head = row_head(&arena, ctx, d->kernel);
    bool ok = !d->again && recall(out, head, d);
    if (!ok && d->time_limit == WEFT_OFF) {
        memcpy(out, d->candidates[0], 3 * sizeof *out);
        ok = true;
    } else if (!ok) {
        ok = search(out, ctx, d, head);
    }
    arena_fini(&arena);
    return ok;
}
