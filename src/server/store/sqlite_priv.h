// SPDX-License-Identifier: Apache-2.0
/*
 * sqlite_priv.h - what the files of the SQLite store share.
 */
#ifndef WEFT_SERVER_SQLITE_PRIV_H
#define WEFT_SERVER_SQLITE_PRIV_H

#include <sqlite3.h>

#include "server/store/store.h"

/* Statements, each prepared once; one connection writes, one reads. */
typedef enum Statement {
#define STATEMENT(id, text) SQL_##id,
#include "server/store/sqlite.def"
#undef STATEMENT
    SQL_COUNT
} Statement;

typedef struct Sqlite {
    sqlite3      *writes, *reads;
    sqlite3      *checkpoints;          /* moves pages from the log into the file         */
    sqlite3_stmt *prepared[SQL_COUNT];
    int           log;                  /* the write-ahead log, for fdatasync(); -1: none */
    bool          full_sync;
    pthread_t     cleaner;              /* thread that moves the pages                    */
    pthread_mutex_t lock;
    pthread_cond_t  work;
    int           log_pages;            /* with the lock                                  */
    bool          cleans, stopping;
} Sqlite;

/* The statement, reset. Never NULL: all are prepared when the store opens. */
sqlite3_stmt *sqlite_get(Sqlite *s, Statement id);
void sqlite_bind_text(sqlite3_stmt *st, int at, const char *text);
void sqlite_bind_blob(sqlite3_stmt *st, int at, StoreBlob blob);

bool     sqlite_job_get(void *s, Arena *arena, const char *id, bool with_blobs, JobRecord *out);
bool     sqlite_job_by_key(void *s, Arena *arena, const char *tenant, const char *idem,
                           JobRecord *out);
uint32_t sqlite_job_list(void *s, Arena *arena, const char *tenant, uint32_t states,
                         const char *after, JobRecord *out, uint32_t room);
bool     sqlite_unfinished(void *s, void (*each)(void *user, const JobRecord *job), void *user);
bool     sqlite_buffer_get(void *s, Arena *arena, const char *tenant, const char *name,
                           BufferRecord *out);
uint32_t sqlite_buffer_list(void *s, Arena *arena, const char *tenant, BufferRecord *out,
                            uint32_t room);
uint64_t sqlite_bytes_of(void *s, const char *tenant, StoreBytes what);

#endif
