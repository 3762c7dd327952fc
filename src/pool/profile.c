// SPDX-License-Identifier: Apache-2.0
/*
 * profile.c - profiles of devices on disk, and what is guessed without one.
 *
 * in     a device's identity, a profile
 * out    rows of profiles.tsv: identity TAB numbers TAB check sum
 * knows  that files may hold anything: a row that is not exactly right does not exist
 * not    how profiles are measured (measure.c)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "context/files.h"
#include "pool/pool_priv.h"

#define VERSION   "weft-profile-1"
#define MAX_FILE  ((size_t)1 << 20)
#define MAX_ROWS  200u                  /* the oldest leave                            */

/* The numbers of a row, in their order. */
#define NUMBERS(X)                                                                 \
    X(f32_rate) X(f16_rate) X(i32_rate) X(function_rate) X(bandwidth)              \
    X(cache_bandwidth) X(cache_size) X(launch_ns) X(upload_rate) X(read_rate) X(memory)

weft_profile profile_guess(const DeviceFound *f)
{
    bool discrete = strcmp(f->type, "discrete GPU") == 0;
    weft_profile p = {
        .f32_rate = 5e10, .i32_rate = 3e10, .function_rate = 2e9, .bandwidth = 1e10,
        .cache_bandwidth = 2e10, .cache_size = 1 << 20, .launch_ns = 5e3, .upload_rate = 5e9,
        .read_rate = 5e9, .memory = f->memory,
    };
    if (f->hardware_gpu) {
        p.f32_rate = discrete ? 5e12 : 5e11;
        p.i32_rate = p.f32_rate / 2;
        p.function_rate = p.f32_rate / 8;
        p.bandwidth = discrete ? 3e11 : 3e10;
        p.cache_bandwidth = 2 * p.bandwidth;
        p.launch_ns = 3e4;
    }
    p.f16_rate = f->f16 ? p.f32_rate : 0;
    return p;
}

/* ---- rows ---- */

static uint64_t check_sum(const char *text, size_t size)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ (uint8_t)text[i]) * 0x100000001B3u;
    return h;
}

int profile_write(char *text, size_t size, const char *id, const weft_profile *p)
{
    char row[800];
    int  n = snprintf(row, sizeof row, "%s\t%s", VERSION, id);
#define X(field) n += snprintf(row + n, sizeof row - (size_t)n, "\t%.17g", (double)p->field);
    NUMBERS(X)
#undef X
    return snprintf(text, size, "%s\t%016llx\n", row,
                    (unsigned long long)check_sum(row, (size_t)n));
}

/* A number of a sensible size; false: the row is wrong. */
static bool number(const char **at, double *out)
{
    char *end;
    if (**at != '\t')
        return false;
    *out = strtod(*at + 1, &end);
    if (end == *at + 1 || !isfinite(*out) || *out < 0 || *out > 1e18)
        return false;
    *at = end;
    return true;
}

/* Bytes are whole numbers, rates are not. */
#define SET(place, value) _Generic((place), double: set_rate, uint64_t: set_bytes)(&(place), value)

static void set_rate(double *place, double value)
{
    *place = value;
}

static void set_bytes(uint64_t *place, double value)
{
    *place = (uint64_t)value;
}

bool profile_read(weft_profile *out, const char *row, const char *id)
{
    size_t       length = strcspn(row, "\n"), head = strlen(VERSION) + 1 + strlen(id);
    const char  *at = row;
    double       value;
    weft_profile p = {0};
    char        *end;
    if (strncmp(row, VERSION "\t", sizeof VERSION) != 0 || length < head + 17
        || strncmp(row + sizeof VERSION, id, strlen(id)) != 0)
        return false;
    at += head;
#define X(field)                        \
    if (!number(&at, &value))           \
        return false;                   \
    SET(p.field, value);
    NUMBERS(X)
#undef X
    if (*at != '\t' || strtoull(at + 1, &end, 16) != check_sum(row, (size_t)(at - row))
        || end != row + length)
        return false;
    if (p.f32_rate <= 0 || p.i32_rate <= 0 || p.bandwidth <= 0 || p.upload_rate <= 0
        || p.read_rate <= 0 || p.function_rate <= 0)
        return false;
    p.measured = p.cached = true;
    *out = p;
    return true;
}

/* ---- the file ---- */

static bool file_path(char *out, size_t size, const weft_pool *pool)
{
    char folder[3000];
    if (pool->desc.cache_dir)
        snprintf(folder, sizeof folder, "%s", pool->desc.cache_dir);
    else if (!platform_cache_folder(folder, sizeof folder))
        return false;
    int n = snprintf(out, size, "%s/profiles.tsv", folder);
    return n > 0 && (size_t)n < size;
}

static const char *next_row(const char *row)
{
    row += strcspn(row, "\n");
    return *row ? row + 1 : row;
}

bool profile_load(weft_profile *out, const weft_pool *pool, const DeviceFound *f)
{
    char path[3100];
    if (pool->desc.no_cache || !file_path(path, sizeof path, pool))
        return false;
    char *text = platform_read_file(path, MAX_FILE);
    bool  found = false;
    for (const char *row = text; row && *row && !found; row = next_row(row))
        found = profile_read(out, row, f->id);
    free(text);
    return found;
}

/* Rows of other devices stay, as far as they are right. */
void profile_store(const weft_pool *pool, const DeviceFound *f, const weft_profile *p)
{
    char  path[3100], lock_path[3110], row[1024];
    Arena arena;
    if (pool->desc.no_cache || !p->measured || !file_path(path, sizeof path, pool))
        return;
    snprintf(lock_path, sizeof lock_path, "%s.lock", path);
    int lock = platform_lock_file(lock_path);
    arena_init(&arena, 0);
    Text     text = {.arena = &arena};
    char    *old = platform_read_file(path, MAX_FILE);
    uint32_t rows = 0;
    profile_write(row, sizeof row, f->id, p);
    text_printf(&text, "%s", row);
    for (const char *r = old; r && *r && rows < MAX_ROWS; r = next_row(r)) {
        char         id[20] = "";
        weft_profile other;
        if (strncmp(r, VERSION "\t", sizeof VERSION) == 0)
            snprintf(id, sizeof id, "%.16s", r + sizeof VERSION);
        if (!id[0] || strcmp(id, f->id) == 0 || !profile_read(&other, r, id))
            continue;
        text_add(&text, (Str){r, (uint32_t)strcspn(r, "\n") + 1});
        rows++;
    }
    platform_replace_file(path, text.data, text.len);
    platform_unlock_file(lock);
    free(old);
    arena_fini(&arena);
}
