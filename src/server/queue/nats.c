// SPDX-License-Identifier: Apache-2.0
/*
 * nats.c - the shared queue on NATS JetStream.
 *
 * in     ids
 * out    ids with tickets: a ticket is the subject that acknowledges a message
 * knows  JetStream's subjects: requests for messages and acknowledgements are plain
 *        messages, so that nothing here waits for the server
 * not    jobs
 */
#include <nats/nats.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/macro.h"
#include "server/queue/feed.h"

#define RUNNERS      16u                /* kinds of workers that a server asks for        */
#define LANE_WANT    4u                 /* open requests of a lane at most                */
#define PULL_NS      (20 * (uint64_t)NS_PER_S)
#define API_MS       1000

#define IFOK(s, call) do { if ((s) == NATS_OK) (s) = (call); } while (0)

/* Requests for the jobs of one kind of worker. */
typedef struct Runner {
    char     name[65];
    uint32_t want;                      /* jobs that could be taken now                   */
    uint32_t open[FEED_LANES];          /* requested, not come                            */
    uint64_t until[FEED_LANES];         /* the request runs out then                      */
    bool     made;                      /* its consumers exist                            */
    uint32_t next;                      /* lane to ask first                              */
} Runner;

struct Feed {
    FeedDesc           desc;
    char               url[256], name[40], inbox[96], error[160];
    natsConnection    *nc;
    jsCtx             *js;
    natsSubscription  *jobs, *placed, *data;
    pthread_mutex_t    lock;            /* of everything below                            */
    Runner             runners[RUNNERS];
    uint32_t           runner_count;
    bool               stream_made;
    atomic_bool        connected;
    atomic_int         listening;       /* subscriptions whose call backs may come        */
};

/* ---- requests ---- */

static uint32_t lane_of(const char *tenant)
{
    uint32_t h = 2166136261u;
    for (; *tenant; tenant++)
        h = (h ^ (unsigned char)*tenant) * 16777619u;
    return (h >> 8) % FEED_LANES;
}

/* The token for a kind of worker in subjects and names of consumers. */
static const char *token_of(const char *runner)
{
    return *runner ? runner : "-";
}

static void ask(Feed *f, Runner *r, uint32_t lane, uint32_t count)
{
    char subject[256], inbox[160], body[96];
    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.MSG.NEXT.%s.%s_%u", f->name,
             token_of(r->name), lane);
    snprintf(inbox, sizeof inbox, "%s.j.%u.%u", f->inbox, (uint32_t)(r - f->runners), lane);
    snprintf(body, sizeof body, "{\"batch\":%u,\"expires\":%llu}", count,
             (unsigned long long)PULL_NS);
    if (natsConnection_PublishRequestString(f->nc, subject, inbox, body) != NATS_OK)
        return;
    r->open[lane] += count;
    r->until[lane] = clock_ns() + PULL_NS + NS_PER_S;
}

/* Keeps a request open on every lane while jobs are wanted. */
static void ask_all(Feed *f, Runner *r)
{
    uint64_t now = clock_ns();
    uint32_t share = MIN_OF((r->want + 1) / 2, LANE_WANT);
    if (!r->made || !atomic_load(&f->connected))
        return;
    for (uint32_t i = 0; i < FEED_LANES; i++) {
        uint32_t lane = (r->next + i) % FEED_LANES;
        if (r->open[lane] && now >= r->until[lane])
            r->open[lane] = 0;
        if (r->want && r->open[lane] < (share + 1) / 2)
            ask(f, r, lane, share - r->open[lane]);
    }
    r->next++;
}

static Runner *runner_get(Feed *f, const char *name)
{
    for (uint32_t i = 0; i < f->runner_count; i++)
        if (strcmp(f->runners[i].name, name) == 0)
            return &f->runners[i];
    if (f->runner_count == RUNNERS || strlen(name) >= sizeof f->runners[0].name)
        return NULL;
    Runner *r = &f->runners[f->runner_count++];
    snprintf(r->name, sizeof r->name, "%s", name);
    return r;
}

void feed_want(Feed *f, const char *runner, uint32_t count)
{
    pthread_mutex_lock(&f->lock);
    Runner *r = runner_get(f, runner);
    if (r) {
        r->want = count;
        ask_all(f, r);
    }
    pthread_mutex_unlock(&f->lock);
}

/* ---- messages ---- */

/* Which request this answers: a job comes under the subject that it was added with, a status
 * under the inbox of the request. */
static Runner *runner_of(Feed *f, const char *subject, bool is_job, uint32_t *lane)
{
    const char *at = subject + strlen(is_job ? f->name : f->inbox), *dot = strrchr(subject, '.');
    size_t      prefix = strlen(is_job ? f->name : f->inbox);
    unsigned    runner;
    if (strlen(subject) <= prefix || !dot || (*lane = (uint32_t)atoi(dot + 1)) >= FEED_LANES)
        return NULL;
    if (!is_job)
        return sscanf(at, ".j.%u.", &runner) == 1 && runner < f->runner_count
             ? &f->runners[runner] : NULL;
    for (uint32_t i = 0; i < f->runner_count; i++) {
        const char *token = token_of(f->runners[i].name);
        if (dot > at && (size_t)(dot - at - 1) == strlen(token)
            && strncmp(at + 1, token, strlen(token)) == 0)
            return &f->runners[i];
    }
    return NULL;
}

static void on_job(natsConnection *nc, natsSubscription *sub, natsMsg *m, void *user)
{
    Feed       *f = user;
    uint32_t    lane;
    const char *ticket = natsMsg_GetReply(m);
    (void)nc;
    (void)sub;
    pthread_mutex_lock(&f->lock);
    bool    is_job = ticket && strncmp(ticket, "$JS.ACK.", 8) == 0;
    Runner *r = runner_of(f, natsMsg_GetSubject(m), is_job, &lane);
    if (r && is_job)
        r->open[lane] -= r->open[lane] > 0;
    else if (r)                         /* a status: the request ran out, or failed */
        r->open[lane] = 0;
    pthread_mutex_unlock(&f->lock);
    char id[64] = "";
    int  size = natsMsg_GetDataLength(m);
    if (is_job && size > 0 && size < (int)sizeof id && strlen(ticket) < FEED_TICKET) {
        memcpy(id, natsMsg_GetData(m), (size_t)size);
        f->desc.on_job(f->desc.user, id, ticket);
    }
    natsMsg_Destroy(m);
}

/* The answer to an addition: {"stream":"...", "seq":7}. The subject ends in the id. */
static void on_placed(natsConnection *nc, natsSubscription *sub, natsMsg *m, void *user)
{
    Feed       *f = user;
    const char *subject = natsMsg_GetSubject(m), *id = strrchr(subject, '.');
    char        text[256] = "";
    int         size = MIN_OF(natsMsg_GetDataLength(m), (int)sizeof text - 1);
    (void)nc;
    (void)sub;
    if (size > 0)
        memcpy(text, natsMsg_GetData(m), (size_t)size);
    const char *seq = strstr(text, "\"seq\":");
    if (id && seq && strtoull(seq + 6, NULL, 10))
        f->desc.on_placed(f->desc.user, id + 1, strtoull(seq + 6, NULL, 10));
    natsMsg_Destroy(m);
}

static void on_data(natsConnection *nc, natsSubscription *sub, natsMsg *m, void *user)
{
    Feed *f = user;
    (void)nc;
    (void)sub;
    f->desc.on_data(f->desc.user, natsMsg_GetSubject(m), natsMsg_GetData(m),
                    (size_t)natsMsg_GetDataLength(m));
    natsMsg_Destroy(m);
}

bool feed_add(Feed *f, const char *id, const char *tenant, const char *runner)
{
    char subject[256], inbox[192];
    snprintf(subject, sizeof subject, "%s.%s.%u", f->name, token_of(runner), lane_of(tenant));
    snprintf(inbox, sizeof inbox, "%s.p.%s", f->inbox, id);
    return atomic_load(&f->connected)
        && natsConnection_PublishRequest(f->nc, subject, inbox, id, (int)strlen(id)) == NATS_OK;
}

static void say(Feed *f, const char *ticket, const char *what)
{
    if (*ticket)
        natsConnection_PublishString(f->nc, ticket, what);
}

void feed_keep(Feed *f, const char *ticket)
{
    say(f, ticket, "+WPI");
}

void feed_done(Feed *f, const char *ticket)
{
    say(f, ticket, "+ACK");
}

void feed_return(Feed *f, const char *ticket, uint64_t delay_ns)
{
    char text[64];
    snprintf(text, sizeof text, "-NAK {\"delay\":%llu}", (unsigned long long)delay_ns);
    say(f, ticket, delay_ns ? text : "-NAK");
}

int feed_has(Feed *f, uint64_t place, const char *id)
{
    natsMsg   *m = NULL;
    jsErrCode  code = 0;
    natsStatus s = atomic_load(&f->connected) ? js_GetMsg(&m, f->js, f->name, place, NULL, &code)
                                              : NATS_CONNECTION_CLOSED;
    int        found = s == NATS_NOT_FOUND || code == JSNoMessageFoundErr ? 0 : -1;
    if (s == NATS_OK)
        found = natsMsg_GetDataLength(m) == (int)strlen(id)
             && memcmp(natsMsg_GetData(m), id, strlen(id)) == 0;
    natsMsg_Destroy(m);
    return found;
}

/* ---- stream and consumers ---- */

static bool failed(Feed *f, const char *what, natsStatus s, jsErrCode code)
{
    snprintf(f->error, sizeof f->error, "%s: %s (%d)", what, natsStatus_GetText(s), (int)code);
    return false;
}

static bool make_stream(Feed *f)
{
    jsStreamConfig c;
    char           subject[64];
    jsErrCode      code = 0;
    const char    *subjects[] = {subject};
    jsStreamConfig_Init(&c);
    snprintf(subject, sizeof subject, "%s.>", f->name);
    c.Name = f->name;
    c.Subjects = subjects;
    c.SubjectsLen = 1;
    c.Retention = js_WorkQueuePolicy;
    c.Storage = js_FileStorage;
    natsStatus s = js_AddStream(NULL, f->js, &c, NULL, &code);
    /* Another server may have made it, with other settings. */
    return s == NATS_OK || code == JSStreamNameExistErr || failed(f, "stream", s, code);
}

static bool make_consumers(Feed *f, Runner *r)
{
    for (uint32_t lane = 0; lane < FEED_LANES; lane++) {
        jsConsumerConfig c;
        char             name[96], subject[160];
        jsErrCode        code = 0;
        jsConsumerConfig_Init(&c);
        snprintf(name, sizeof name, "%s_%u", token_of(r->name), lane);
        snprintf(subject, sizeof subject, "%s.%s.%u", f->name, token_of(r->name), lane);
        c.Durable = name;
        c.AckPolicy = js_AckExplicit;
        c.AckWait = (int64_t)f->desc.ack_wait;
        c.FilterSubject = subject;
        c.MaxAckPending = 65536;
        c.MaxWaiting = 2048;
        natsStatus s = js_AddConsumer(NULL, f->js, f->name, &c, NULL, &code);
        if (s != NATS_OK && code != JSConsumerNameExistErr)
            return failed(f, "consumer", s, code);
    }
    return true;
}

/* What is missing is made again: a NATS that lost its disk comes back empty. */
void feed_tick(Feed *f)
{
    if (!atomic_load(&f->connected))
        return;
    if (!f->stream_made)
        f->stream_made = make_stream(f);
    for (uint32_t i = 0; f->stream_made && i < f->runner_count; i++) {
        Runner *r = &f->runners[i];
        bool    made = r->made || make_consumers(f, r);
        pthread_mutex_lock(&f->lock);
        r->made = made;
        ask_all(f, r);
        pthread_mutex_unlock(&f->lock);
    }
}

static void on_connected(natsConnection *nc, void *user)
{
    Feed *f = user;
    (void)nc;
    pthread_mutex_lock(&f->lock);
    f->stream_made = false;
    for (uint32_t i = 0; i < f->runner_count; i++) {
        f->runners[i].made = false;
        memset(f->runners[i].open, 0, sizeof f->runners[i].open);
    }
    pthread_mutex_unlock(&f->lock);
    atomic_store(&f->connected, true);
}

static void on_disconnected(natsConnection *nc, void *user)
{
    Feed *f = user;
    (void)nc;
    atomic_store(&f->connected, false);
    snprintf(f->error, sizeof f->error, "the connection broke");
}

bool feed_is_up(Feed *f, char *why, size_t size)
{
    bool up = atomic_load(&f->connected) && f->stream_made;
    if (!up)
        snprintf(why, size, "NATS cannot be reached: %.120s", f->error);
    return up;
}

/* ---- opening ---- */

static natsStatus connect_to(Feed *f)
{
    natsOptions *o = NULL;
    natsStatus   s = natsOptions_Create(&o);
    IFOK(s, natsOptions_SetURL(o, f->url));
    IFOK(s, natsOptions_SetMaxReconnect(o, -1));
    IFOK(s, natsOptions_SetReconnectWait(o, 200));
    IFOK(s, natsOptions_SetReconnectJitter(o, 50, 50));
    IFOK(s, natsOptions_SetRetryOnFailedConnect(o, true, on_connected, f));
    IFOK(s, natsOptions_SetReconnectedCB(o, on_connected, f));
    IFOK(s, natsOptions_SetDisconnectedCB(o, on_disconnected, f));
    IFOK(s, natsOptions_SetPingInterval(o, 2000));
    IFOK(s, natsOptions_SetMaxPingsOut(o, 2));
    IFOK(s, natsOptions_SetTimeout(o, API_MS));
    IFOK(s, natsOptions_SetSendAsap(o, true));
    IFOK(s, natsConnection_Connect(&f->nc, o));
    natsOptions_Destroy(o);
    if (s == NATS_NOT_YET_CONNECTED) {
        snprintf(f->error, sizeof f->error, "no connection yet");
        return NATS_OK;
    }
    if (s == NATS_OK)
        atomic_store(&f->connected, true);
    return s;
}

static void on_end(void *user)
{
    Feed *f = user;
    atomic_fetch_sub(&f->listening, 1);
}

static void count_end(Feed *f, natsSubscription *sub)
{
    if (sub && natsSubscription_SetOnCompleteCB(sub, on_end, f) == NATS_OK)
        atomic_fetch_add(&f->listening, 1);
}

static natsStatus subscribe(Feed *f)
{
    char        jobs[128], placed[128];
    natsInbox  *inbox = NULL;
    jsOptions   options;
    natsStatus  s = natsInbox_Create(&inbox);
    IFOK(s, jsOptions_Init(&options));
    if (s != NATS_OK)
        return s;
    snprintf(f->inbox, sizeof f->inbox, "%s", inbox);
    natsInbox_Destroy(inbox);
    snprintf(jobs, sizeof jobs, "%s.j.*.*", f->inbox);
    snprintf(placed, sizeof placed, "%s.p.*", f->inbox);
    options.Wait = API_MS;
    s = natsConnection_JetStream(&f->js, f->nc, &options);
    IFOK(s, natsConnection_Subscribe(&f->jobs, f->nc, jobs, on_job, f));
    IFOK(s, natsConnection_Subscribe(&f->placed, f->nc, placed, on_placed, f));
    IFOK(s, natsSubscription_SetPendingLimits(f->jobs, -1, -1));
    IFOK(s, natsSubscription_SetPendingLimits(f->placed, -1, -1));
    count_end(f, f->jobs);
    count_end(f, f->placed);
    return s;
}

Feed *feed_open(const FeedDesc *desc, char *why, size_t size)
{
    Feed *f = calloc(1, sizeof *f);
    if (!f) {
        snprintf(why, size, "out of memory");
        return NULL;
    }
    f->desc = *desc;
    pthread_mutex_init(&f->lock, NULL);
    snprintf(f->url, sizeof f->url, "%s", desc->url);
    snprintf(f->name, sizeof f->name, "%s", desc->name);
    runner_get(f, "");
    natsStatus s = connect_to(f);
    IFOK(s, subscribe(f));
    if (s != NATS_OK) {
        snprintf(why, size, "queue.url: %s: %s", desc->url, natsStatus_GetText(s));
        feed_close(f);
        return NULL;
    }
    feed_tick(f);
    return f;
}

bool feed_listen(Feed *f, const char *subject)
{
    bool ok = !f->data && natsConnection_QueueSubscribe(&f->data, f->nc, subject, "weft",
                                                        on_data, f) == NATS_OK;
    if (ok)
        count_end(f, f->data);
    return ok;
}

void feed_close(Feed *f)
{
    if (!f)
        return;
    natsSubscription *subs[] = {f->jobs, f->placed, f->data};
    for (size_t i = 0; i < COUNTOF(subs); i++)
        if (subs[i])
            natsSubscription_Unsubscribe(subs[i]);
    /* A call back that has begun may still use the feed. */
    for (int ms = 0; ms < 5000 && atomic_load(&f->listening) > 0; ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    for (size_t i = 0; i < COUNTOF(subs); i++)
        natsSubscription_Destroy(subs[i]);
    jsCtx_Destroy(f->js);
    if (f->nc) {
        natsConnection_FlushTimeout(f->nc, 500);
        natsConnection_Close(f->nc);
    }
    natsConnection_Destroy(f->nc);
    pthread_mutex_destroy(&f->lock);
    free(f);
}
