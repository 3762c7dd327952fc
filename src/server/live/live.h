// SPDX-License-Identifier: Apache-2.0
/*
 * live.h - the live protocol: vectors and results, announced to clients as they arrive.
 *
 * in     vectors of HTTP, WebSocket, jobs and a folder; messages of clients
 * out    events for subscribers; answers to calls; vectors and their picture in the store
 * knows  jobs, the store, the bus, WebSocket frames, the process that indexes vectors
 * not    HTTP, arithmetic on vectors (engine_worker.c calls weft/vectors.h in its own process)
 *
 * Everything of a tenant's vectors happens on one thread, the hub, in one order; clients are
 * written to on the thread of the sockets. docs/protocol.md describes the messages.
 *
 * Ownership  live_open() to live_close(). A LiveCall is counted: live_call() gives a reference,
 *            live_call_release() takes it back.
 * Threads    any, unless said otherwise.
 */
#ifndef WEFT_SERVER_LIVE_H
#define WEFT_SERVER_LIVE_H

#include <weft/error.h>

#include "server/bus/bus.h"
#include "server/config/config.h"
#include "server/jobs/jobs.h"
#include "server/websocket/websocket.h"

typedef struct Live Live;

/* A job of a client, as JSON text. */
typedef struct LiveSubmit {
    const char *tenant, *origin, *json;
    size_t      size;
} LiveSubmit;

typedef struct LiveDesc {
    const Config *config;
    const char   *server;               /* name of this one among several                 */
    Bus          *bus;
    bool          shared;               /* other servers have the same store and bus      */
    Metrics      *metrics;
    const Log    *log;
} LiveDesc;

/* What it needs of parts that are opened later. */
typedef struct LiveParts {
    Jobs    *jobs;
    Sockets *sockets;
    /* Writes a job as JSON, with or without outputs. */
    void   (*show_job)(Text *out, const JobRecord *job, bool with_outputs);
    /* Submits a job; its id, or *kind and `why`. */
    bool   (*submit)(void *user, const LiveSubmit *submit, char id[STORE_ID_SIZE],
                     weft_error_kind *kind, char *why, size_t size);
    void    *user;
} LiveParts;

Live *live_open(const LiveDesc *desc, char *why, size_t size);
bool  live_start(Live *l, const LiveParts *parts, char *why, size_t size);
/* Keeps what has to be kept and ends the hub: later calls fail. */
void  live_stop(Live *l);
void  live_close(Live *l);

/* The protocols of sockets: without a name, and weft.live with headed binary messages. */
#define LIVE_PROTOCOLS 2u
void live_protocols(Live *l, SocketProtocol out[LIVE_PROTOCOLS]);

/* For JobsDesc: both only copy. */
void live_job_ended(Live *l, const JobRecord *job, const char *publish);
void live_state_changed(Live *l, State from, StateEvent event, State to);

/* ---- calls ---- */

/* Rows to ingest. They are copied. */
typedef struct LiveVectors {
    const float    *data;               /* [count][dimension]                             */
    uint64_t        numbers;            /* at data, in all                                */
    uint32_t        dimension;          /* 0: that of the tenant's vectors                */
    const uint64_t *ids;                /* [count]; NULL: numbered                        */
    const char     *labels;             /* a JSON array of `count` texts; NULL: none      */
} LiveVectors;

/* The members vectors, ids and labels of a JSON object (a json_t); in the arena. NULL, or what
 * is wrong. */
const char *live_vectors_read(Arena *arena, const void *json, LiveVectors *out);

typedef enum LiveAsk {
    LIVE_INGEST,                        /* vectors                                        */
    LIVE_LIST,                          /* the newest `limit` after the event `since`     */
    LIVE_SEARCH,                        /* vectors (one row), or id; `limit` results      */
    LIVE_PLACES,                        /* ids                                            */
    LIVE_MAP,
    LIVE_PLANE,                         /* limit: the component; UINT32_MAX: all of them  */
    LIVE_VIEW,                          /* text: JSON of the view                         */
    LIVE_CLEAR,
} LiveAsk;

typedef struct LiveRequest {
    LiveAsk     ask;
    const char *tenant;
    LiveVectors vectors;
    uint64_t    id, limit, since;
    bool        by_id, exact;
    const char *text;
    void      (*wake)(void *user);      /* once it has ended; it may not call live        */
    void       *user;
} LiveRequest;

typedef struct LiveCall LiveCall;

/* NULL: no memory, or the server ends. */
LiveCall *live_call(Live *l, const LiveRequest *request);
/* False: it has not ended. *text is JSON, or the reason if *kind is not WEFT_ERROR_NONE. */
bool      live_call_ended(LiveCall *call, weft_error_kind *kind, const char **text);
void      live_call_release(LiveCall *call);        /* NULL: nothing                      */

/* ---- the process of vectors ---- */

typedef struct LiveWorkerDesc {
    int      fd;
    uint32_t threads;
    bool     sandboxed;
} LiveWorkerDesc;

/* The body of `weft worker --vectors`. The exit status. */
int live_worker_main(const LiveWorkerDesc *desc);

#endif
