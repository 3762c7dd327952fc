// SPDX-License-Identifier: Apache-2.0
/*
 * redis_read.c - records out of Redis, and what servers that share it need beside.
 *
 * in     ids, tenants, names
 * out    records in the caller's arena; claims
 * not    changes of records (redis.c)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "server/store/redis_priv.h"

/* Fields of a job, in the order of read_job(). */
static const char *const fields[] = {
    "tenant", "origin", "subject", "trace", "idem", "hash", "state", "priority", "attempt",
    "created", "started", "finished", "error", "message", "bytes", "figures", "spec", "outputs",
};
enum { FIELDS = 18, FIELDS_BARE = 16 };
_Static_assert(COUNTOF(fields) == FIELDS, "a field has no name");

static void append_job_get(RedisCommand *c, const Redis *r, const char *id, bool with_blobs,
                           char *key, size_t size)
{
    c->count = 0;
    snprintf(key, size, "%sjob:%.30s", r->prefix, id);
    redis_text(c, "HMGET");
    redis_text(c, key);
    for (uint32_t i = 0; i < (with_blobs ? FIELDS : FIELDS_BARE); i++)
        redis_text(c, fields[i]);
}

static const char *text_of(const redisReply *r, Arena *arena)
{
    return r->type == REDIS_REPLY_STRING ? arena_copy(arena, r->str, (size_t)r->len + 1) : "";
}

static int64_t number_of(const redisReply *r)
{
    return r->type == REDIS_REPLY_STRING ? strtoll(r->str, NULL, 10)
         : r->type == REDIS_REPLY_INTEGER ? r->integer : 0;
}

static StoreBlob blob_of(const redisReply *r, Arena *arena)
{
    if (r->type != REDIS_REPLY_STRING)
        return (StoreBlob){0};
    return (StoreBlob){arena_copy(arena, r->str, (size_t)r->len + 1), (size_t)r->len};
}

static bool read_job(const redisReply *r, Arena *arena, const char *id, JobRecord *out)
{
    if (r->type != REDIS_REPLY_ARRAY || r->elements < FIELDS_BARE
        || r->element[0]->type != REDIS_REPLY_STRING)
        return false;
    redisReply *const *e = r->element;
    *out = (JobRecord){
        .tenant = text_of(e[0], arena), .origin = text_of(e[1], arena),
        .subject = text_of(e[2], arena), .trace = text_of(e[3], arena),
        .idem = text_of(e[4], arena), .state = (JobState)number_of(e[6]),
        .priority = (int)number_of(e[7]), .attempt = (uint32_t)number_of(e[8]),
        .created = number_of(e[9]), .started = number_of(e[10]), .finished = number_of(e[11]),
        .error = (int)number_of(e[12]), .message = text_of(e[13], arena),
        .bytes = (uint64_t)number_of(e[14]),
    };
    if (out->state >= JOB_STATE_COUNT)
        return false;
    snprintf(out->id, sizeof out->id, "%s", id);
    if (e[5]->type == REDIS_REPLY_STRING && e[5]->len == (int)sizeof out->request_hash)
        memcpy(out->request_hash, e[5]->str, sizeof out->request_hash);
    if (e[15]->type == REDIS_REPLY_STRING && e[15]->len == (int)sizeof out->figures)
        memcpy(&out->figures, e[15]->str, sizeof out->figures);
    if (r->elements == FIELDS) {
        out->spec = blob_of(e[16], arena);
        out->outputs = blob_of(e[17], arena);
    }
    return true;
}

/* ---- reads, on a given link ---- */

/* NULL: Redis does not answer, which is counted. A connection that a restart broke shows it
 * only at its next use: once more, then. */
static redisReply *ask(Redis *r, RedisLink *l, const RedisCommand *c)
{
    for (int tries = 0; tries < 2; tries++) {
        bool        fresh = !l->context;
        redisReply *reply = redis_ready(r, l) ? redis_call(l, c) : NULL;
        if (reply)
            return reply;
        if (fresh)
            break;
        l->retry_ns = 0;
    }
    r->failures++;
    return NULL;
}

static bool get_job(Redis *r, RedisLink *l, Arena *arena, const char *id, bool with_blobs,
                    JobRecord *out)
{
    RedisCommand c;
    char         key[128];
    append_job_get(&c, r, id, with_blobs, key, sizeof key);
    redisReply *reply = ask(r, l, &c);
    bool        ok = reply && read_job(reply, arena, id, out);
    if (reply)
        freeReplyObject(reply);
    return ok;
}

static redisReply *get_two(Redis *r, RedisLink *l, const char *first, const char *key,
                           const char *field)
{
    RedisCommand c = {0};
    redis_text(&c, first);
    redis_text(&c, key);
    if (field)
        redis_text(&c, field);
    return ask(r, l, &c);
}

static bool read_figures(const redisReply *r, BufferRecord *out)
{
    unsigned           scalar;
    unsigned long long size;
    long long          updated;
    if (r->type != REDIS_REPLY_STRING
        || sscanf(r->str, "%u %llu %lld", &scalar, &size, &updated) != 3)
        return false;
    out->scalar = scalar;
    out->size = size;
    out->updated = updated;
    return true;
}

static bool get_buffer(Redis *r, RedisLink *l, Arena *arena, const char *tenant,
                       const char *name, BufferRecord *out)
{
    const char *names = arena_printf(arena, "%sbuffers:%s", r->prefix, tenant);
    const char *key = arena_printf(arena, "%sbuffer:%s:%s", r->prefix, tenant, name);
    redisReply *figures = get_two(r, l, "HGET", names, name);
    *out = (BufferRecord){.name = arena_copy(arena, name, strlen(name) + 1)};
    bool ok = figures && read_figures(figures, out);
    if (figures)
        freeReplyObject(figures);
    redisReply *bytes = ok ? get_two(r, l, "GET", key, NULL) : NULL;
    ok = bytes && bytes->type == REDIS_REPLY_STRING;
    if (ok) {
        out->bytes = blob_of(bytes, arena);
        out->size = out->bytes.size;    /* another write may have come between */
    }
    if (bytes)
        freeReplyObject(bytes);
    return ok;
}

/* ---- reads of the back end ---- */

uint64_t redis_failures(const void *s)
{
    const Redis *r = s;
    return r->failures;
}

bool redis_job_get(void *s, Arena *arena, const char *id, bool with_blobs, JobRecord *out)
{
    Redis *r = s;
    return get_job(r, &r->reads, arena, id, with_blobs, out);
}

bool redis_job_by_key(void *s, Arena *arena, const char *tenant, const char *idem,
                      JobRecord *out)
{
    Redis      *r = s;
    const char *key = arena_printf(arena, "%sidem:%s:%s", r->prefix, tenant, idem);
    redisReply *reply = get_two(r, &r->reads, "GET", key, NULL);
    bool        ok = reply && reply->type == REDIS_REPLY_STRING
           && get_job(r, &r->reads, arena, reply->str, false, out);
    if (reply)
        freeReplyObject(reply);
    return ok;
}

uint32_t redis_job_list(void *s, Arena *arena, const char *tenant, uint32_t states,
                        const char *after, JobRecord *out, uint32_t room)
{
    Redis       *r = s;
    RedisCommand c;
    uint32_t     n = 0;
    redis_script(r, &c, SCRIPT_LIST_JOBS);
    redis_text(&c, tenant);
    redis_number(&c, states);
    redis_text(&c, after);
    redis_number(&c, room);
    redisReply *ids = ask(r, &r->reads, &c);
    for (size_t i = 0; ids && ids->type == REDIS_REPLY_ARRAY && i < ids->elements; i++)
        n += n < room && get_job(r, &r->reads, arena, ids->element[i]->str, false, &out[n]);
    if (ids)
        freeReplyObject(ids);
    return n;
}

bool redis_unfinished(void *s, void (*each)(void *user, const JobRecord *job), void *user)
{
    Redis       *r = s;
    RedisCommand c = {0};
    char         key[128];
    snprintf(key, sizeof key, "%slive", r->prefix);
    redis_text(&c, "ZRANGE");
    redis_text(&c, key);
    redis_number(&c, 0);
    redis_number(&c, -1);
    redisReply *ids = ask(r, &r->reads, &c);
    bool        ok = ids && ids->type == REDIS_REPLY_ARRAY;
    for (size_t i = 0; ok && i < ids->elements; i++) {
        Arena     arena;
        JobRecord job;
        arena_init(&arena, 0);
        if (get_job(r, &r->reads, &arena, ids->element[i]->str, true, &job))
            each(user, &job);
        arena_fini(&arena);
    }
    if (ids)
        freeReplyObject(ids);
    return ok;
}

bool redis_buffer_get(void *s, Arena *arena, const char *tenant, const char *name,
                      BufferRecord *out)
{
    Redis *r = s;
    return get_buffer(r, &r->reads, arena, tenant, name, out);
}

uint32_t redis_buffer_list(void *s, Arena *arena, const char *tenant, BufferRecord *out,
                           uint32_t room)
{
    Redis   *r = s;
    uint32_t n = 0;
    const char *key = arena_printf(arena, "%sbuffers:%s", r->prefix, tenant);
    redisReply *all = get_two(r, &r->reads, "HGETALL", key, NULL);
    for (size_t i = 0; all && all->type == REDIS_REPLY_ARRAY && i + 1 < all->elements; i += 2) {
        BufferRecord b = {.name = text_of(all->element[i], arena)};
        if (n < room && read_figures(all->element[i + 1], &b))
            out[n++] = b;
    }
    if (all)
        freeReplyObject(all);
    return n;
}

uint64_t redis_bytes_of(void *s, const char *tenant, StoreBytes what)
{
    Redis *r = s;
    char   key[256];
    if (what != STORE_JOB_BYTES)
        return 0;
    snprintf(key, sizeof key, "%sstored:%s", r->prefix, tenant);
    redisReply *reply = get_two(r, &r->reads, "GET", key, NULL);
    int64_t     n = reply ? number_of(reply) : 0;
    if (reply)
        freeReplyObject(reply);
    return n > 0 ? (uint64_t)n : 0;
}

/* ---- sharing ---- */

static StoreClaim claim(void *s, Arena *arena, const char *id, bool again, JobRecord *out)
{
    Redis       *r = s;
    RedisCommand c;
    char         key[128];
    if (!redis_ready(r, &r->claims))
        return STORE_UNREACHABLE;
    redis_script(r, &c, SCRIPT_CLAIM_JOB);
    redis_text(&c, id);
    redis_text(&c, r->server);
    redis_number(&c, again);
    redis_append(&r->claims, &c);
    append_job_get(&c, r, id, true, key, sizeof key);
    redis_append(&r->claims, &c);
    redisReply *first = redis_reply(&r->claims);
    redisReply *second = first ? redis_reply(&r->claims) : NULL;
    StoreClaim  result = STORE_UNREACHABLE;
    if (second && first->type == REDIS_REPLY_ARRAY && first->elements) {
        long long what = first->element[0]->integer;
        result = what < 0 ? STORE_MISSING : what == 0 ? STORE_ENDED : STORE_CLAIMED;
        if (result == STORE_CLAIMED && (first->elements < 3 || !read_job(second, arena, id, out)))
            result = STORE_UNREACHABLE;
        /* Another attempt may have begun between the two commands. */
        if (result == STORE_CLAIMED)
            out->attempt = (uint32_t)first->element[1]->integer;
    } else if (first && first->type == REDIS_REPLY_ERROR) {
        redis_link_drop(&r->claims, first->str);
    }
    if (first)
        freeReplyObject(first);
    if (second)
        freeReplyObject(second);
    return result;
}

static bool touch(void *s, const char *const *ids, uint32_t count)
{
    Redis *r = s;
    for (uint32_t at = 0; at < count;) {
        RedisCommand c;
        if (!redis_ready(r, &r->claims))
            return false;
        redis_script(r, &c, SCRIPT_TOUCH_JOBS);
        while (at < count && c.count < (int)REDIS_ARGS)
            redis_text(&c, ids[at++]);
        redisReply *reply = redis_call(&r->claims, &c);
        if (!reply)
            return false;
        freeReplyObject(reply);
    }
    return true;
}

static uint32_t stale(void *s, Arena *arena, uint64_t ms, StaleJob *out, uint32_t room)
{
    Redis       *r = s;
    RedisCommand c;
    uint32_t     n = 0;
    if (!redis_ready(r, &r->claims))
        return 0;
    redis_script(r, &c, SCRIPT_STALE_JOBS);
    redis_number(&c, (int64_t)ms);
    redis_number(&c, room);
    redisReply *all = redis_call(&r->claims, &c);
    for (size_t i = 0; all && all->type == REDIS_REPLY_ARRAY && i + 3 < all->elements; i += 4) {
        StaleJob *j = &out[n++];
        *j = (StaleJob){.tenant = text_of(all->element[i + 1], arena),
                        .runner = text_of(all->element[i + 2], arena),
                        .place = (uint64_t)number_of(all->element[i + 3])};
        snprintf(j->id, sizeof j->id, "%s", all->element[i]->str);
    }
    if (all)
        freeReplyObject(all);
    return n;
}

static bool set_number(Redis *r, RedisLink *l, const char *id, const char *field, uint64_t value)
{
    RedisCommand c = {0};
    char         key[128];
    if (!redis_ready(r, l))
        return false;
    snprintf(key, sizeof key, "%sjob:%s", r->prefix, id);
    redis_text(&c, "HSET");
    redis_text(&c, key);
    redis_text(&c, field);
    redis_number(&c, (int64_t)value);
    redisReply *reply = redis_call(l, &c);
    if (reply)
        freeReplyObject(reply);
    return reply != NULL;
}

static bool place(void *s, const char *id, uint64_t at)
{
    Redis *r = s;
    return set_number(r, &r->claims, id, "place", at);
}

static bool follow(void *s, const char *id)
{
    Redis *r = s;
    return set_number(r, &r->claims, id, "followed", 1);
}

static bool shared_job_get(void *s, Arena *arena, const char *id, bool with_blobs,
                           JobRecord *out)
{
    Redis *r = s;
    return get_job(r, &r->claims, arena, id, with_blobs, out);
}

static bool shared_buffer_get(void *s, Arena *arena, const char *tenant, const char *name,
                              BufferRecord *out)
{
    Redis *r = s;
    return get_buffer(r, &r->claims, arena, tenant, name, out);
}

/* The value of a setting; "" where Redis does not tell. */
static void setting_of(RedisLink *l, const char *name, char *out, size_t size)
{
    RedisCommand c = {0};
    *out = '\0';
    redis_text(&c, "CONFIG");
    redis_text(&c, "GET");
    redis_text(&c, name);
    redisReply *reply = redis_call(l, &c);
    if (reply && reply->type == REDIS_REPLY_ARRAY && reply->elements == 2)
        snprintf(out, size, "%s", reply->element[1]->str);
    if (reply)
        freeReplyObject(reply);
}

static bool health(void *s, char *why, size_t size)
{
    Redis *r = s;
    char   policy[64], limit[64];
    if (!redis_ready(r, &r->claims)) {
        snprintf(why, size, "Redis cannot be reached: %.150s",
                 *r->writes.error ? r->writes.error : r->claims.error);
        return false;
    }
    setting_of(&r->claims, "maxmemory-policy", policy, sizeof policy);
    setting_of(&r->claims, "maxmemory", limit, sizeof limit);
    if (!r->claims.context) {
        snprintf(why, size, "Redis cannot be reached: %.150s", r->claims.error);
        return false;
    }
    if (*policy && strcmp(policy, "noeviction") != 0 && strcmp(limit, "0") != 0) {
        snprintf(why, size, "Redis may delete jobs when its memory is full "
                 "(maxmemory-policy %.40s): set it to noeviction", policy);
        return false;
    }
    return true;
}

const StoreShared redis_shared = {
    .claim = claim, .touch = touch, .stale = stale, .place = place, .follow = follow,
    .job_get = shared_job_get, .buffer_get = shared_buffer_get, .health = health,
};
