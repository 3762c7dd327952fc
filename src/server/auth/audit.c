// SPDX-License-Identifier: Apache-2.0
/*
 * audit.c - the audit log: JSON lines, each with the hash of the one before.
 *
 * in     decisions
 * out    audit-000001.log and so on: {"seq":…,…,"prev":"…","hash":"…"}, where hash is
 *        SHA-256 of the line up to `,"hash"`
 * knows  files; rotation carries the chain on
 * not    who decides
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macro.h"
#include "server/auth/auth_priv.h"

#define DEFAULT_LIMIT (64u << 20)
#define MAX_LINE      16384u
#define HEX           65u

struct Audit {
    pthread_mutex_t lock;
    char            folder[3800];
    Metrics        *metrics;
    uint64_t        limit, size, seq;
    uint32_t        number;             /* of the file                                    */
    int             fd;
    char            last[HEX];          /* hash of the last line                          */
};

static const char zero_hash[HEX] =
    "0000000000000000000000000000000000000000000000000000000000000000";

static void file_name(const char *folder, uint32_t number, char *out, size_t size)
{
    snprintf(out, size, "%s/audit-%06u.log", folder, number);
}

static void hash_line(const char *line, size_t length, char out[HEX])
{
    uint8_t hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(hash, (const uint8_t *)line, length);
    sodium_bin2hex(out, HEX, hash, sizeof hash);
}

/* ---- checking ---- */

/* A text field of a line, as it was written: no unescaping is needed for hashes. */
static bool field(const char *line, const char *name, char *out, size_t size)
{
    char        key[32];
    snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *at = strstr(line, key), *end = at ? strchr(at + strlen(key), '"') : NULL;
    if (!end || (size_t)(end - at) - strlen(key) >= size)
        return false;
    size_t length = (size_t)(end - at) - strlen(key);
    memcpy(out, at + strlen(key), length);
    out[length] = '\0';
    return true;
}

/* Is this line whole, and the one after `last`? Then `last` becomes its hash. */
static const char *line_fault(const char *line, uint64_t seq, char last[HEX])
{
    char        prev[HEX], hash[HEX], want[HEX], start[40];
    const char *mark = NULL;
    /* The last occurrence: texts of users cannot hold an unescaped quote. */
    for (const char *at = line; (at = strstr(at, ",\"hash\":\"")); at++)
        mark = at;
    if (!mark || !field(mark, "hash", hash, sizeof hash) || strlen(mark) != 9 + 64 + 2)
        return "the line has no hash";
    hash_line(line, (size_t)(mark - line), want);
    if (sodium_memcmp(hash, want, HEX - 1) != 0)
        return "the line was changed";
    const char *link = mark - (sizeof ",\"prev\":\"\"" - 1 + 64);
    if (link < line || !field(link, "prev", prev, sizeof prev) || strcmp(prev, last) != 0)
        return "a line before it is missing";
    snprintf(start, sizeof start, "{\"seq\":%llu,", (unsigned long long)seq);
    if (strncmp(line, start, strlen(start)) != 0)
        return "its number is out of order";
    memcpy(last, hash, HEX);
    return NULL;
}

typedef struct Chain {
    char     last[HEX];
    uint64_t seq;
    AuditReport *report;
} Chain;

static void count_line(Chain *c, const char *line)
{
    char action[32] = "";
    c->seq++;
    c->report->events++;
    field(line, "action", action, sizeof action);
    c->report->executions += strcmp(action, "execute") == 0;
    c->report->validations += strcmp(action, "validate") == 0
                           && strstr(line, "\"decision\":\"allowed\"") != NULL;
}

static bool verify_file(Chain *c, const char *path)
{
    FILE    *file = fopen(path, "re");
    char    *line = malloc(MAX_LINE);
    uint64_t number = 0;
    bool     ok = file && line;
    if (!ok)
        snprintf(c->report->fault, sizeof c->report->fault, "%.400s: %s", path, strerror(errno));
    while (ok && fgets(line, MAX_LINE, file)) {
        size_t length = strlen(line);
        number++;
        const char *fault = "the line is cut off";
        if (length && line[length - 1] == '\n') {
            line[length - 1] = '\0';
            fault = line_fault(line, c->seq, c->last);
        }
        if (fault) {
            snprintf(c->report->fault, sizeof c->report->fault, "%.400s:%llu: %s", path,
                     (unsigned long long)number, fault);
            ok = false;
        } else {
            count_line(c, line);
        }
    }
    free(line);
    if (file)
        fclose(file);
    return ok;
}

/* The lowest and highest numbers of files in a folder; false: there are none. */
static bool find_files(const char *folder, uint32_t *first, uint32_t *last)
{
    DIR *dir = opendir(folder);
    *first = UINT32_MAX;
    *last = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        unsigned number;
        char     name[64];
        if (sscanf(e->d_name, "audit-%u.log", &number) != 1)
            continue;
        snprintf(name, sizeof name, "audit-%06u.log", number);
        if (strcmp(name, e->d_name) != 0)
            continue;
        *first = MIN_OF(*first, number);
        *last = MAX_OF(*last, number);
    }
    if (dir)
        closedir(dir);
    return *last > 0;
}

bool audit_verify(const char *folder, AuditReport *out)
{
    uint32_t first, last;
    Chain    chain = {.seq = 1, .report = out};
    *out = (AuditReport){0};
    memcpy(chain.last, zero_hash, HEX);
    if (!find_files(folder, &first, &last)) {
        snprintf(out->fault, sizeof out->fault, "%.400s: no audit log", folder);
        return false;
    }
    if (first != 1) {
        snprintf(out->fault, sizeof out->fault, "%.400s: the first file is missing", folder);
        return false;
    }
    for (uint32_t i = first; i <= last; i++) {
        char path[4096];
        file_name(folder, i, path, sizeof path);
        if (!verify_file(&chain, path))
            return false;
        out->files++;
    }
    return true;
}

/* ---- opening ---- */

/* Reads the last line. A line that was cut off by a crash is taken away: it was never
 * acknowledged. */
static bool continue_chain(Audit *a, const char *path, char *why, size_t size)
{
    FILE *file = fopen(path, "r+e");
    char *line = malloc(MAX_LINE);
    bool  ok = file && line;
    while (ok && fgets(line, MAX_LINE, file)) {
        size_t length = strlen(line);
        if (line[length - 1] != '\n')
            break;
        line[length - 1] = '\0';
        unsigned long long seq;
        ok = sscanf(line, "{\"seq\":%llu,", &seq) == 1;
        if (ok) {
            char        prev[HEX];
            const char *mark = strstr(line, ",\"prev\":\"");
            ok = mark && field(mark, "prev", prev, sizeof prev)
              && !line_fault(line, seq, memcpy(a->last, prev, HEX));
            a->seq = seq + 1;
            a->size += length;
        }
    }
    if (!ok)
        snprintf(why, size, "%s: the audit log is damaged; 'weft audit' says where", path);
    else if (truncate(path, (off_t)a->size) != 0)
        ok = false;
    free(line);
    if (file)
        fclose(file);
    return ok;
}

static bool open_file(Audit *a)
{
    char path[4096];
    file_name(a->folder, a->number, path, sizeof path);
    a->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return a->fd >= 0;
}

Audit *audit_open(const char *folder, uint64_t limit, Metrics *metrics, char *why, size_t size)
{
    uint32_t first, last;
    Audit   *a = calloc(1, sizeof *a);
    if (!a || sodium_init() < 0 || strlen(folder) >= sizeof a->folder) {
        snprintf(why, size, "out of memory");
        free(a);
        return NULL;
    }
    strcpy(a->folder, folder);
    a->metrics = metrics;
    a->limit = limit ? limit : DEFAULT_LIMIT;
    a->seq = 1;
    a->number = 1;
    a->fd = -1;
    memcpy(a->last, zero_hash, HEX);
    pthread_mutex_init(&a->lock, NULL);
    mkdir(folder, 0700);
    bool ok = true;
    if (find_files(folder, &first, &last)) {
        char path[4096];
        a->number = last;
        file_name(folder, last, path, sizeof path);
        ok = continue_chain(a, path, why, size);
        /* A file that rotation left empty continues the chain of the one before. */
        if (ok && a->size == 0 && last > 1) {
            file_name(folder, last - 1, path, sizeof path);
            ok = continue_chain(a, path, why, size);
            a->size = 0;
        }
    }
    if (ok && !open_file(a)) {
        snprintf(why, size, "%s: %s", folder, strerror(errno));
        ok = false;
    }
    if (!ok) {
        audit_close(a);
        a = NULL;
    }
    return a;
}

void audit_close(Audit *a)
{
    if (!a)
        return;
    if (a->fd >= 0) {
        fsync(a->fd);
        close(a->fd);
    }
    pthread_mutex_destroy(&a->lock);
    free(a);
}

void audit_sync(Audit *a)
{
    if (a)
        fdatasync(a->fd);
}

/* ---- writing ---- */

static void add_field(Text *line, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    text_printf(line, ",\"%s\":", name);
    text_json(line, (Str){value, (uint32_t)MIN_OF(strlen(value), 512)});
}

static void make_line(Audit *a, const AuditEvent *e, Text *line)
{
    text_printf(line, "{\"seq\":%llu,\"time\":%lld,\"action\":\"%s\",\"decision\":\"%s\"",
                (unsigned long long)a->seq, (long long)auth_now_ms(), e->action,
                e->allowed ? "allowed" : "denied");
    add_field(line, "tenant", e->tenant);
    add_field(line, "subject", e->subject);
    add_field(line, "origin", e->origin);
    add_field(line, "object", e->object);
    add_field(line, "reason", e->reason);
    add_field(line, "trace", e->trace);
    text_printf(line, ",\"prev\":\"%s\"", a->last);
}

static void rotate(Audit *a)
{
    fsync(a->fd);
    close(a->fd);
    a->number++;
    a->size = 0;
    open_file(a);
}

bool audit_write(Audit *a, const AuditEvent *e)
{
    if (!a)
        return true;
    Arena arena;
    char  hash[HEX];
    arena_init(&arena, 0);
    Text line = {.arena = &arena};
    pthread_mutex_lock(&a->lock);
    if (a->size >= a->limit)
        rotate(a);
    make_line(a, e, &line);
    hash_line(line.data, line.len, hash);
    text_printf(&line, ",\"hash\":\"%s\"}\n", hash);
    ssize_t n = a->fd >= 0 ? write(a->fd, line.data, line.len) : -1;
    bool    ok = n == (ssize_t)line.len;
    if (ok) {
        a->seq++;
        a->size += line.len;
        memcpy(a->last, hash, HEX);
    } else if (n > 0 && ftruncate(a->fd, (off_t)a->size) != 0) {
        close(a->fd);                   /* half a line would break the chain */
        a->fd = -1;
    }
    pthread_mutex_unlock(&a->lock);
    metrics_add(a->metrics, METRIC_AUDIT_EVENTS, e->allowed ? 0 : 1, 1);
    arena_fini(&arena);
    return ok;
}
