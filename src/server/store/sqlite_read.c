// SPDX-License-Identifier: Apache-2.0
/*
 * sqlite_read.c - records out of SQLite.
 *
 * in     ids, tenants, names
 * out    records in the caller's arena
 * not    changes (sqlite.c)
 */
#include <string.h>

#include "base/macro.h"
#include "server/store/sqlite_priv.h"

static const char *text_at(sqlite3_stmt *st, int at, Arena *arena)
{
    const char *text = (const char *)sqlite3_column_text(st, at);
    return text ? arena_copy(arena, text, strlen(text) + 1) : "";
}

static StoreBlob blob_at(sqlite3_stmt *st, int at, Arena *arena)
{
    const void *data = sqlite3_column_blob(st, at);
    size_t      size = (size_t)sqlite3_column_bytes(st, at);
    if (sqlite3_column_type(st, at) == SQLITE_NULL)
        return (StoreBlob){0};
    return (StoreBlob){arena_copy(arena, data ? data : "", size + (data ? 0 : 1)), size};
}

static void read_job(sqlite3_stmt *st, Arena *arena, bool with_blobs, JobRecord *out)
{
    *out = (JobRecord){
        .tenant = text_at(st, 1, arena), .origin = text_at(st, 2, arena),
        .subject = text_at(st, 3, arena), .trace = text_at(st, 4, arena),
        .idem = text_at(st, 5, arena),
        .state = (JobState)sqlite3_column_int(st, 7), .priority = sqlite3_column_int(st, 8),
        .attempt = (uint32_t)sqlite3_column_int64(st, 9),
        .created = sqlite3_column_int64(st, 10), .started = sqlite3_column_int64(st, 11),
        .finished = sqlite3_column_int64(st, 12), .error = sqlite3_column_int(st, 13),
        .message = text_at(st, 14, arena), .bytes = (uint64_t)sqlite3_column_int64(st, 15),
    };
    const char *id = (const char *)sqlite3_column_text(st, 0);
    if (id && strlen(id) < sizeof out->id)
        strcpy(out->id, id);
    if (sqlite3_column_bytes(st, 6) == (int)sizeof out->request_hash)
        memcpy(out->request_hash, sqlite3_column_blob(st, 6), sizeof out->request_hash);
    if (sqlite3_column_bytes(st, 16) == (int)sizeof out->figures)
        memcpy(&out->figures, sqlite3_column_blob(st, 16), sizeof out->figures);
    if (with_blobs) {
        out->spec = blob_at(st, 17, arena);
        out->outputs = blob_at(st, 18, arena);
    }
}

bool sqlite_job_get(void *s, Arena *arena, const char *id, bool with_blobs, JobRecord *out)
{
    sqlite3_stmt *st = sqlite_get(s, with_blobs ? SQL_GET_JOB_BLOBS : SQL_GET_JOB);
    sqlite_bind_text(st, 1, id);
    bool found = sqlite3_step(st) == SQLITE_ROW;
    if (found)
        read_job(st, arena, with_blobs, out);
    sqlite3_reset(st);
    return found;
}

bool sqlite_job_by_key(void *s, Arena *arena, const char *tenant, const char *idem,
                       JobRecord *out)
{
    sqlite3_stmt *st = sqlite_get(s, SQL_GET_BY_KEY);
    sqlite_bind_text(st, 1, tenant);
    sqlite_bind_text(st, 2, idem);
    bool found = sqlite3_step(st) == SQLITE_ROW;
    if (found)
        read_job(st, arena, false, out);
    sqlite3_reset(st);
    return found;
}

uint32_t sqlite_job_list(void *s, Arena *arena, const char *tenant, uint32_t states,
                         const char *after, JobRecord *out, uint32_t room)
{
    sqlite3_stmt *st = sqlite_get(s, SQL_GET_LIST);
    uint32_t      n = 0;
    sqlite_bind_text(st, 1, tenant);
    sqlite_bind_text(st, 2, after);
    sqlite3_bind_int64(st, 3, states);
    sqlite3_bind_int64(st, 4, room);
    while (n < room && sqlite3_step(st) == SQLITE_ROW)
        read_job(st, arena, false, &out[n++]);
    sqlite3_reset(st);
    return n;
}

bool sqlite_unfinished(void *s, void (*each)(void *user, const JobRecord *job), void *user)
{
    sqlite3_stmt *st = sqlite_get(s, SQL_GET_UNFINISHED);
    int           got;
    while ((got = sqlite3_step(st)) == SQLITE_ROW) {
        Arena     arena;
        JobRecord job;
        arena_init(&arena, 0);
        read_job(st, &arena, true, &job);
        each(user, &job);
        arena_fini(&arena);
    }
    sqlite3_reset(st);
    return got == SQLITE_DONE;
}

static void read_buffer(sqlite3_stmt *st, Arena *arena, BufferRecord *out)
{
    *out = (BufferRecord){
        .name = text_at(st, 0, arena), .scalar = (uint32_t)sqlite3_column_int(st, 1),
        .size = (uint64_t)sqlite3_column_int64(st, 2), .updated = sqlite3_column_int64(st, 3),
    };
}

bool sqlite_buffer_get(void *s, Arena *arena, const char *tenant, const char *name,
                       BufferRecord *out)
{
    sqlite3_stmt *st = sqlite_get(s, SQL_GET_BUFFER);
    sqlite_bind_text(st, 1, tenant);
    sqlite_bind_text(st, 2, name);
    bool found = sqlite3_step(st) == SQLITE_ROW;
    if (found) {
        read_buffer(st, arena, out);
        out->bytes = blob_at(st, 4, arena);
    }
    sqlite3_reset(st);
    return found;
}

uint32_t sqlite_buffer_list(void *s, Arena *arena, const char *tenant, BufferRecord *out,
                            uint32_t room)
{
    sqlite3_stmt *st = sqlite_get(s, SQL_GET_BUFFERS);
    uint32_t      n = 0;
    sqlite_bind_text(st, 1, tenant);
    sqlite3_bind_int64(st, 2, room);
    while (n < room && sqlite3_step(st) == SQLITE_ROW)
        read_buffer(st, arena, &out[n++]);
    sqlite3_reset(st);
    return n;
}

uint64_t sqlite_bytes_of(void *s, const char *tenant, StoreBytes what)
{
    sqlite3_stmt *st = sqlite_get(s, what == STORE_JOB_BYTES ? SQL_GET_JOB_BYTES
                                                             : SQL_GET_BUFFER_BYTES);
    sqlite_bind_text(st, 1, tenant);
    int64_t n = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
    sqlite3_reset(st);
    return n > 0 ? (uint64_t)n : 0;
}
