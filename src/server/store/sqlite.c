// SPDX-License-Identifier: Apache-2.0
/*
 * sqlite.c - the store in one SQLite file: opening, schema, transactions.
 *
 * in     lists of changes
 * out    a transaction each
 * knows  SQL; the write-ahead log; versions of the schema
 * not    threads: store.c calls from one at a time, sqlite_sync() from another
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macro.h"
#include "server/store/redis_priv.h"
#include "server/store/sqlite_priv.h"

#define CHECKPOINT_PAGES 1000           /* of the log                                     */

static const char *const texts[] = {
#define STATEMENT(id, text) text,
#include "server/store/sqlite.def"
#undef STATEMENT
};

/* Row i turns schema version i into i + 1. Rows are never changed, only added. */
static const char *const upgrades[STORE_SCHEMA] = {
    "CREATE TABLE jobs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
    " tenant TEXT NOT NULL, origin TEXT NOT NULL, subject TEXT NOT NULL, trace TEXT NOT NULL,"
    " idem TEXT, request_hash BLOB, state INTEGER NOT NULL, priority INTEGER NOT NULL,"
    " attempt INTEGER NOT NULL, created INTEGER NOT NULL, started INTEGER NOT NULL DEFAULT 0,"
    " finished INTEGER NOT NULL DEFAULT 0, error INTEGER NOT NULL DEFAULT 0,"
    " message TEXT NOT NULL DEFAULT '', bytes INTEGER NOT NULL, figures BLOB, spec BLOB,"
    " outputs BLOB);"
    "CREATE UNIQUE INDEX jobs_key ON jobs (tenant, idem) WHERE idem IS NOT NULL;"
    "CREATE INDEX jobs_tenant ON jobs (tenant, seq);"
    "CREATE TABLE buffers (tenant TEXT NOT NULL, name TEXT NOT NULL, scalar INTEGER NOT NULL,"
    " size INTEGER NOT NULL, updated INTEGER NOT NULL, bytes BLOB NOT NULL,"
    " PRIMARY KEY (tenant, name));"
    "CREATE TABLE tokens (id TEXT PRIMARY KEY, expires INTEGER NOT NULL);",
    "CREATE INDEX jobs_finished ON jobs (finished) WHERE state >= 2;",
};

/* ---- opening ---- */

static bool run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static int version_of(sqlite3 *db)
{
    sqlite3_stmt *st = NULL;
    int           version = -1;
    if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &st, NULL) == SQLITE_OK
        && sqlite3_step(st) == SQLITE_ROW)
        version = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    return version;
}

static bool upgrade(sqlite3 *db, char *why, size_t size)
{
    int version = version_of(db);
    if (version > STORE_SCHEMA) {
        snprintf(why, size, "the store has schema %d, this Weft knows %d: use a newer Weft",
                 version, STORE_SCHEMA);
        return false;
    }
    for (; version >= 0 && version < STORE_SCHEMA; version++) {
        char set[64];
        snprintf(set, sizeof set, "PRAGMA user_version = %d", version + 1);
        if (!run(db, "BEGIN IMMEDIATE") || !run(db, upgrades[version]) || !run(db, set)
            || !run(db, "COMMIT")) {
            snprintf(why, size, "schema %d: %s", version + 1, sqlite3_errmsg(db));
            run(db, "ROLLBACK");
            return false;
        }
    }
    return version == STORE_SCHEMA;
}

static bool prepare(Sqlite *s, char *why, size_t size)
{
    for (uint32_t i = 0; i < SQL_COUNT; i++) {
        sqlite3 *db = i >= SQL_GET_JOB ? s->reads : s->writes;
        if (sqlite3_prepare_v3(db, texts[i], -1, SQLITE_PREPARE_PERSISTENT, &s->prepared[i],
                               NULL) != SQLITE_OK) {
            snprintf(why, size, "statement %u: %s", i, sqlite3_errmsg(db));
            return false;
        }
    }
    return true;
}

static void sqlite_close(void *state)
{
    Sqlite *s = state;
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_signal(&s->work);
    pthread_mutex_unlock(&s->lock);
    if (s->cleans)
        pthread_join(s->cleaner, NULL);
    for (uint32_t i = 0; i < SQL_COUNT; i++)
        sqlite3_finalize(s->prepared[i]);
    sqlite3_close(s->reads);
    sqlite3_close(s->checkpoints);
    sqlite3_close(s->writes);
    if (s->log >= 0)
        close(s->log);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->work);
    free(s);
}

static int on_commit(void *user, sqlite3 *db, const char *name, int pages)
{
    Sqlite *s = user;
    (void)db;
    (void)name;
    pthread_mutex_lock(&s->lock);
    s->log_pages = pages;
    if (pages > CHECKPOINT_PAGES)
        pthread_cond_signal(&s->work);
    pthread_mutex_unlock(&s->lock);
    return SQLITE_OK;
}

/* Moves pages from the log into the file, where neither a writer nor a client waits for it.
 * Writers go on meanwhile; a log that keeps growing all the same is cut. */
static void *clean(void *user)
{
    Sqlite *s = user;
    pthread_mutex_lock(&s->lock);
    while (!s->stopping) {
        int pages = s->log_pages;
        if (pages <= CHECKPOINT_PAGES) {
            pthread_cond_wait(&s->work, &s->lock);
            continue;
        }
        s->log_pages = 0;               /* until the next commit */
        pthread_mutex_unlock(&s->lock);
        sqlite3_wal_checkpoint_v2(s->checkpoints, NULL, pages > 32 * CHECKPOINT_PAGES
                                  ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE,
                                  NULL, NULL);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* The log is synchronised by sqlite_sync(), so that one wait for the disk serves several
 * transactions; and moved into the file there, where no client waits for it. */
static bool open_writes(Sqlite *s, const char *path)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &s->writes, flags, NULL) != SQLITE_OK
        || !run(s->writes, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                           "PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 5000;"
                           "PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 67108864"))
        return false;
    sqlite3_wal_hook(s->writes, on_commit, s);
    return true;
}

static bool open_reads(Sqlite *s, const char *path)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    return sqlite3_open_v2(path, &s->reads, flags, NULL) == SQLITE_OK
        && run(s->reads, "PRAGMA query_only = 1; PRAGMA busy_timeout = 5000")
        && sqlite3_open_v2(path, &s->checkpoints, flags, NULL) == SQLITE_OK
        && run(s->checkpoints, "PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 100;"
                               "PRAGMA wal_autocheckpoint = 0");
}

static bool open_files(Sqlite *s, const StoreDesc *desc, char *why, size_t size)
{
    char path[4096], log[4200];
    snprintf(path, sizeof path, "%s/weft.sqlite", desc->folder);
    snprintf(log, sizeof log, "%s-wal", path);
    s->full_sync = desc->full_sync;
    if (!open_writes(s, path)) {
        snprintf(why, size, "%s: %s", path, sqlite3_errmsg(s->writes));
        return false;
    }
    if (!upgrade(s->writes, why, size))
        return false;
    if (!open_reads(s, path)) {
        snprintf(why, size, "%s: %s", path, sqlite3_errmsg(s->checkpoints ? s->checkpoints
                                                                          : s->reads));
        return false;
    }
    /* The first statement of a connection opens the log. */
    s->log = run(s->writes, "BEGIN IMMEDIATE; COMMIT") ? open(log, O_RDONLY | O_CLOEXEC) : -1;
    if (s->log < 0)
        snprintf(why, size, "%s: cannot be opened", log);
    return s->log >= 0;
}

static void *sqlite_open(const StoreDesc *desc, char *why, size_t size)
{
    Sqlite *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(why, size, "out of memory");
        return NULL;
    }
    s->log = -1;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    if (open_files(s, desc, why, size) && prepare(s, why, size)) {
        s->cleans = pthread_create(&s->cleaner, NULL, clean, s) == 0;
        if (s->cleans)
            return s;
        snprintf(why, size, "a thread cannot be started");
    }
    sqlite_close(s);
    return NULL;
}

/* ---- changes ---- */

sqlite3_stmt *sqlite_get(Sqlite *s, Statement id)
{
    sqlite3_reset(s->prepared[id]);
    return s->prepared[id];
}

void sqlite_bind_text(sqlite3_stmt *st, int at, const char *text)
{
    sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC);
}

void sqlite_bind_blob(sqlite3_stmt *st, int at, StoreBlob blob)
{
    if (blob.data)
        sqlite3_bind_blob64(st, at, blob.data, blob.size, SQLITE_STATIC);
    else
        sqlite3_bind_null(st, at);
}

/* Runs a statement to its end and lets go of what was bound to it. */
static bool step(Sqlite *s, sqlite3_stmt *st, bool *applied)
{
    bool ok = sqlite3_step(st) == SQLITE_DONE;
    if (applied)
        *applied = ok && sqlite3_changes(s->writes) > 0;
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return ok;
}

static bool put_job(Sqlite *s, StoreOp *op)
{
    const JobRecord *j = &op->job;
    sqlite3_stmt    *st = sqlite_get(s, SQL_PUT_JOB);
    sqlite_bind_text(st, 1, j->id);
    sqlite_bind_text(st, 2, j->tenant);
    sqlite_bind_text(st, 3, j->origin);
    sqlite_bind_text(st, 4, j->subject);
    sqlite_bind_text(st, 5, j->trace);
    if (*j->idem) {
        sqlite_bind_text(st, 6, j->idem);
        sqlite3_bind_blob(st, 7, j->request_hash, sizeof j->request_hash, SQLITE_STATIC);
    }
    sqlite3_bind_int(st, 8, j->priority);
    sqlite3_bind_int64(st, 9, j->created);
    sqlite3_bind_int64(st, 10, (int64_t)j->bytes);
    sqlite_bind_blob(st, 11, j->spec);
    return step(s, st, &op->applied);
}

static bool start_job(Sqlite *s, StoreOp *op)
{
    sqlite3_stmt *st = sqlite_get(s, SQL_START_JOB);
    sqlite_bind_text(st, 1, op->job.id);
    sqlite3_bind_int64(st, 2, op->job.attempt);
    sqlite3_bind_int64(st, 3, op->job.started);
    return step(s, st, &op->applied);
}

static bool put_buffer(Sqlite *s, const char *tenant, const BufferRecord *b)
{
    sqlite3_stmt *st = sqlite_get(s, SQL_PUT_BUFFER);
    sqlite_bind_text(st, 1, tenant);
    sqlite_bind_text(st, 2, b->name);
    sqlite3_bind_int(st, 3, (int)b->scalar);
    sqlite3_bind_int64(st, 4, (int64_t)b->size);
    sqlite3_bind_int64(st, 5, b->updated);
    sqlite3_bind_blob64(st, 6, b->bytes.data ? b->bytes.data : "", b->bytes.size, SQLITE_STATIC);
    return step(s, st, NULL);
}

/* The end of a job and its named buffers, only if it has not ended before. */
static bool end_job(Sqlite *s, StoreOp *op)
{
    const JobRecord *j = &op->job;
    sqlite3_stmt    *st = sqlite_get(s, SQL_END_JOB);
    sqlite_bind_text(st, 1, j->id);
    sqlite3_bind_int(st, 2, j->state);
    sqlite3_bind_int(st, 3, j->error);
    sqlite_bind_text(st, 4, j->message);
    sqlite3_bind_int64(st, 5, j->finished);
    sqlite3_bind_int64(st, 6, j->started);
    sqlite3_bind_int64(st, 7, j->attempt);
    sqlite3_bind_blob(st, 8, &j->figures, sizeof j->figures, SQLITE_STATIC);
    sqlite_bind_blob(st, 9, j->outputs);
    sqlite3_bind_int64(st, 10, (int64_t)j->bytes);
    bool ok = step(s, st, &op->applied);
    for (uint32_t i = 0; ok && op->applied && i < op->buffer_count; i++)
        ok = put_buffer(s, j->tenant, &op->buffers[i]);
    return ok;
}

static bool delete_buffer(Sqlite *s, StoreOp *op)
{
    sqlite3_stmt *st = sqlite_get(s, SQL_DELETE_BUFFER);
    sqlite_bind_text(st, 1, op->job.tenant);
    sqlite_bind_text(st, 2, op->buffers[0].name);
    return step(s, st, &op->applied);
}

static bool use_token(Sqlite *s, StoreOp *op)
{
    sqlite3_stmt *st = sqlite_get(s, SQL_USE_TOKEN);
    sqlite_bind_text(st, 1, op->token);
    sqlite3_bind_int64(st, 2, op->expires);
    return step(s, st, &op->applied);
}

/* Deletes jobs that ended before or after a time, and notes whose they were. */
static bool sweep_jobs(Sqlite *s, StoreOp *op, Statement id, int64_t time)
{
    sqlite3_stmt *st = sqlite_get(s, id);
    sqlite3_bind_int64(st, 1, time);
    sqlite3_bind_int64(st, 2, STORE_SWEEP_MOST - op->freed_count);
    int got;
    while ((got = sqlite3_step(st)) == SQLITE_ROW) {
        StoreFreed freed = {.bytes = (uint64_t)sqlite3_column_int64(st, 1)};
        snprintf(freed.tenant, sizeof freed.tenant, "%s", sqlite3_column_text(st, 0));
        if (op->freed)
            op->freed[op->freed_count] = freed;
        op->freed_count++;
    }
    sqlite3_reset(st);
    op->applied = op->freed_count > 0;
    return got == SQLITE_DONE;
}

static bool sweep(Sqlite *s, StoreOp *op)
{
    op->freed_count = 0;
    if (!sweep_jobs(s, op, SQL_SWEEP_BEFORE, op->expires)
        || (op->later && !sweep_jobs(s, op, SQL_SWEEP_AFTER, op->later)))
        return false;
    op->more = op->freed_count == STORE_SWEEP_MOST;
    sqlite3_stmt *st = sqlite_get(s, SQL_SWEEP_TOKENS);
    sqlite3_bind_int64(st, 1, op->expires);
    return step(s, st, NULL);
}

static bool apply_one(Sqlite *s, StoreOp *op)
{
    switch (op->kind) {
    case STORE_PUT_JOB:       return put_job(s, op);
    case STORE_START_JOB:     return start_job(s, op);
    case STORE_END_JOB:       return end_job(s, op);
    case STORE_PUT_BUFFER:    return op->applied = put_buffer(s, op->job.tenant, op->buffers);
    case STORE_DELETE_BUFFER: return delete_buffer(s, op);
    case STORE_USE_TOKEN:     return use_token(s, op);
    case STORE_SWEEP:         return sweep(s, op);
    case STORE_RETURN_JOB:    return true;          /* of shared stores */
    }
    return false;
}

/* One transaction: all changes or none. */
static bool apply_all(Sqlite *s, StoreOp *ops)
{
    if (!step(s, sqlite_get(s, SQL_BEGIN), NULL))
        return false;
    bool ok = true;
    for (StoreOp *op = ops; op && ok; op = op->next)
        ok = apply_one(s, op);
    if (ok && step(s, sqlite_get(s, SQL_COMMIT), NULL))
        return true;
    if (!sqlite3_get_autocommit(s->writes))
        step(s, sqlite_get(s, SQL_ROLLBACK), NULL);
    return false;
}

/* A change that cannot be carried out must not take the others down: each alone, then. */
static void sqlite_apply(void *state, StoreOp *ops)
{
    Sqlite *s = state;
    bool    all = apply_all(s, ops);
    for (StoreOp *op = ops, *next; op; op = next) {
        next = op->next;
        op->next = NULL;
        op->ok = all || apply_all(s, op);
        op->next = next;
    }
}

static bool sqlite_sync(void *state)
{
    Sqlite *s = state;
    return !s->full_sync || fdatasync(s->log) == 0;
}

static const StoreBackend sqlite = {
    .name = "sqlite", .open = sqlite_open, .close = sqlite_close, .apply = sqlite_apply,
    .sync = sqlite_sync,
    .job_get = sqlite_job_get, .job_by_key = sqlite_job_by_key, .job_list = sqlite_job_list,
    .unfinished = sqlite_unfinished, .buffer_get = sqlite_buffer_get,
    .buffer_list = sqlite_buffer_list, .bytes_of = sqlite_bytes_of,
};

const StoreBackend *store_backend(const char *name)
{
    return strcmp(name, sqlite.name) == 0 ? &sqlite
         : strcmp(name, store_redis.name) == 0 ? &store_redis : NULL;
}
