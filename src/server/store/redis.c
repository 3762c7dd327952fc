// SPDX-License-Identifier: Apache-2.0
/*
 * redis.c - the store in Redis, which several servers may share: opening, changes.
 *
 * in     lists of changes
 * out    one round trip for a list; each change is a script that runs as a whole
 * knows  a change whose reply was lost can be repeated
 * not    reads (redis_read.c)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/macro.h"
#include "server/store/redis_priv.h"

#define PATIENCE_NS (2 * (uint64_t)NS_PER_S)    /* a Redis that restarts is waited for    */

static const char *const texts[] = {
#define SCRIPT(id, text) text,
#include "server/store/redis_scripts.def"
#undef SCRIPT
};

/* ---- opening ---- */

/* Scripts are gone after a restart of Redis, so every connection brings them. */
static bool load_scripts(void *owner, RedisLink *l)
{
    Redis *r = owner;
    for (uint32_t i = 0; i < SCRIPT_COUNT; i++) {
        RedisCommand c = {0};
        redis_text(&c, "SCRIPT");
        redis_text(&c, "LOAD");
        redis_text(&c, texts[i]);
        redisReply *reply = redis_call(l, &c);
        bool        ok = reply && reply->type == REDIS_REPLY_STRING && reply->len == 40;
        if (ok && l == &r->writes)
            memcpy(r->digests[i], reply->str, 41);
        if (reply && !ok)
            snprintf(l->error, sizeof l->error, "scripts: %s",
                     reply->type == REDIS_REPLY_ERROR ? reply->str : "not loaded");
        if (reply)
            freeReplyObject(reply);
        if (!ok)
            return false;
    }
    return true;
}

void redis_script(Redis *r, RedisCommand *c, RedisScript script)
{
    c->count = 0;
    redis_text(c, "EVALSHA");
    redis_text(c, r->digests[script]);
    redis_number(c, 0);
    redis_text(c, r->prefix);
}

bool redis_ready(Redis *r, RedisLink *l)
{
    if (l == &r->reads && !r->up)
        return false;
    bool ok = redis_link_open(l);
    if (l != &r->reads)
        r->up = ok;
    return ok;
}

static void redis_close(void *state)
{
    Redis *r = state;
    if (!r)
        return;
    redis_link_fini(&r->writes);
    redis_link_fini(&r->reads);
    redis_link_fini(&r->claims);
    free(r);
}

static void *redis_open(const StoreDesc *desc, char *why, size_t size)
{
    Redis *r = calloc(1, sizeof *r);
    if (!r) {
        snprintf(why, size, "out of memory");
        return NULL;
    }
    RedisLink *links[] = {&r->writes, &r->reads, &r->claims};
    for (size_t i = 0; i < COUNTOF(links); i++) {
        if (!redis_link_init(links[i], desc->url, why, size)) {
            redis_close(r);
            return NULL;
        }
        links[i]->owner = r;
        links[i]->on_connect = load_scripts;
    }
    snprintf(r->prefix, sizeof r->prefix, "%s", desc->prefix ? desc->prefix : "weft:");
    for (const char *at = desc->server ? desc->server : ""; *at; at++)
        r->salt = (r->salt ^ (unsigned char)*at) * UINT64_C(1099511628211);
    snprintf(r->server, sizeof r->server, "%s", desc->server ? desc->server : "");
    if (!redis_ready(r, &r->writes)) {
        snprintf(why, size, "%s: %s", desc->url, r->writes.error);
        redis_close(r);
        return NULL;
    }
    return r;
}

/* ---- changes ---- */

static void put_job(Redis *r, RedisCommand *c, const StoreOp *op)
{
    const JobRecord *j = &op->job;
    redis_script(r, c, SCRIPT_PUT_JOB);
    redis_text(c, j->id);
    redis_text(c, j->tenant);
    redis_text(c, j->idem);
    redis_bytes(c, j->request_hash, sizeof j->request_hash);
    redis_number(c, op->quota_jobs ? (int64_t)op->quota_jobs : INT64_MAX);
    redis_number(c, op->quota_bytes ? (int64_t)op->quota_bytes : INT64_MAX);
    redis_number(c, op->quota_all ? (int64_t)op->quota_all : INT64_MAX);
    redis_number(c, (int64_t)j->bytes);
    redis_text(c, j->origin);
    redis_text(c, j->subject);
    redis_text(c, j->trace);
    redis_number(c, j->priority);
    redis_number(c, j->created);
    redis_bytes(c, j->spec.data, j->spec.size);
    redis_text(c, op->runner ? op->runner : "");
    redis_text(c, r->server);
    redis_number(c, op->kept);
}

static void put_buffer(RedisCommand *c, const BufferRecord *b)
{
    redis_text(c, b->name);
    redis_number(c, b->scalar);
    redis_number(c, (int64_t)b->size);
    redis_number(c, b->updated);
    redis_bytes(c, b->bytes.data, b->bytes.size);
}

/* Who ended it: the same op, sent again, must be told that it was the one. */
static void end_job(Redis *r, RedisCommand *c, const StoreOp *op)
{
    const JobRecord *j = &op->job;
    redis_script(r, c, SCRIPT_END_JOB);
    redis_text(c, j->id);
    redis_number(c, j->state);
    redis_number(c, op->any_attempt ? -1 : (int64_t)j->attempt);
    redis_number(c, j->error);
    redis_text(c, j->message);
    redis_number(c, j->finished);
    redis_number(c, j->started);
    redis_bytes(c, &j->figures, sizeof j->figures);
    redis_bytes(c, j->outputs.data, j->outputs.size);
    redis_number(c, (int64_t)j->bytes);
    redis_number(c, (int64_t)(op->nonce >> 1));
    redis_text(c, r->server);
    uint32_t fit = MIN_OF(op->buffer_count, (REDIS_ARGS - (uint32_t)c->count - 1) / 5);
    redis_number(c, fit);
    for (uint32_t i = 0; i < fit; i++)
        put_buffer(c, &op->buffers[i]);
}

static void build(Redis *r, RedisCommand *c, const StoreOp *op)
{
    switch (op->kind) {
    case STORE_PUT_JOB:   put_job(r, c, op); break;
    case STORE_START_JOB: redis_script(r, c, SCRIPT_TOUCH_JOBS);
                          redis_text(c, op->job.id); break;
    case STORE_END_JOB:   end_job(r, c, op); break;
    case STORE_RETURN_JOB:
        redis_script(r, c, SCRIPT_RETURN_JOB);
        redis_text(c, op->job.id);
        redis_text(c, r->server);
        redis_number(c, (int64_t)op->job.attempt);
        break;
    case STORE_PUT_BUFFER:
        redis_script(r, c, SCRIPT_PUT_BUFFER);
        redis_text(c, op->job.tenant);
        put_buffer(c, op->buffers);
        break;
    case STORE_DELETE_BUFFER:
        redis_script(r, c, SCRIPT_DELETE_BUFFER);
        redis_text(c, op->job.tenant);
        redis_text(c, op->buffers[0].name);
        break;
    case STORE_USE_TOKEN:
        redis_script(r, c, SCRIPT_USE_TOKEN);
        redis_text(c, op->token);
        redis_number(c, MAX_OF(op->ttl_ms, 1000));
        redis_number(c, (int64_t)(op->nonce >> 1));
        break;
    case STORE_SWEEP:
        redis_script(r, c, SCRIPT_SWEEP);
        redis_number(c, op->ttl_ms);
        redis_number(c, STORE_SWEEP_MOST);
        break;
    }
}

static void read_put(StoreOp *op, const redisReply *reply)
{
    long long what = reply->elements ? reply->element[0]->integer : 0;
    op->applied = what == 1;
    op->refusal = what == 0 ? STORE_KEY_EXISTS : what == -1 ? STORE_QUOTA_JOBS
                : what == -2 ? STORE_QUOTA_BYTES : what == -3 ? STORE_QUEUE_FULL
                : STORE_NOT_REFUSED;
    if (what == 0 && reply->elements == 3) {
        snprintf(op->existing, sizeof op->existing, "%s", reply->element[1]->str);
        op->same_request = reply->element[2]->len == (int)sizeof op->job.request_hash
                        && memcmp(reply->element[2]->str, op->job.request_hash,
                                  sizeof op->job.request_hash) == 0;
    }
}

/* False: the scripts have to be brought again. */
static bool read_result(Redis *r, StoreOp *op, const redisReply *reply)
{
    if (reply->type == REDIS_REPLY_ERROR) {
        snprintf(r->writes.error, sizeof r->writes.error, "%s", reply->str);
        return strncmp(reply->str, "NOSCRIPT", 8) != 0;
    }
    op->ok = true;
    if (op->kind == STORE_PUT_JOB)
        read_put(op, reply);
    else
        op->applied = reply->type == REDIS_REPLY_INTEGER && reply->integer > 0;
    op->more = op->kind == STORE_SWEEP && op->applied && reply->integer == STORE_SWEEP_MOST;
    return true;
}

/* Sends all from `ops` on; the first without a reply, or NULL. */
static StoreOp *send_all(Redis *r, StoreOp *ops)
{
    RedisCommand *c = malloc(sizeof *c);
    bool          scripts = true;
    for (StoreOp *op = ops; c && op; op = op->next) {
        build(r, c, op);
        if (!redis_append(&r->writes, c))
            break;
    }
    free(c);
    StoreOp *op = c ? ops : NULL;
    for (; op; op = op->next) {
        redisReply *reply = redis_reply(&r->writes);
        if (!reply)
            return op;
        scripts = read_result(r, op, reply) && scripts;
        freeReplyObject(reply);
    }
    if (!scripts)
        redis_link_drop(&r->writes, "the scripts were removed");
    return NULL;
}

static void redis_apply(void *state, StoreOp *ops)
{
    Redis   *r = state;
    uint64_t until = clock_ns() + PATIENCE_NS;
    bool     was_up = r->up;
    for (StoreOp *op = ops; op; op = op->next)
        if (!op->nonce)
            op->nonce = clock_ns() * 0x9e3779b97f4a7c15u ^ r->salt ^ ++r->ops;
    for (StoreOp *rest = ops; rest;) {
        if (redis_ready(r, &r->writes) && !(rest = send_all(r, rest)))
            return;
        /* Requests fail at once while Redis is down, or clients would wait one by one. */
        if (!was_up || clock_ns() >= until)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
}

const StoreBackend store_redis = {
    .name = "redis", .open = redis_open, .close = redis_close, .apply = redis_apply,
    .job_get = redis_job_get, .job_by_key = redis_job_by_key, .job_list = redis_job_list,
    .unfinished = redis_unfinished, .buffer_get = redis_buffer_get,
    .buffer_list = redis_buffer_list, .bytes_of = redis_bytes_of, .shared = &redis_shared,
    .failures = redis_failures,
};
