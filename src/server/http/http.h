// SPDX-License-Identifier: Apache-2.0
/*
 * http.h - the HTTP API of the server.
 *
 * in     requests, hostile until proved otherwise
 * out    answers; jobs for jobs/
 * knows  libmicrohttpd, JSON, auth, jobs
 * not    workers, the store's files
 */
#ifndef WEFT_SERVER_HTTP_H
#define WEFT_SERVER_HTTP_H

#include "server/auth/auth.h"
#include "server/config/config.h"
#include "server/jobs/jobs.h"
#include "server/live/live.h"
#include "server/metrics/metrics.h"
#include "server/models/models.h"
#include "server/pages/pages.h"

typedef struct Http Http;

/* An upgraded connection: its socket, what came with the request, and how to close it. */
typedef struct HttpSocket {
    int             fd;
    const char     *extra;
    size_t          extra_size;
    const Identity *who;
    const char     *origin;             /* "": none                                       */
    const char     *protocol;           /* "": none                                       */
    bool            deflate;            /* permessage-deflate was agreed on               */
    void           *handle;
    void          (*close)(void *handle);
} HttpSocket;

typedef struct HttpDesc {
    const Config *config;
    Jobs         *jobs;
    Auth         *auth;
    Models       *models;
    Live         *live;
    Audit        *audit;                /* NULL: none                                     */
    Metrics      *metrics;
    const Log    *log;
    const Pages  *pages;                /* NULL: none                                     */
    uint32_t      protections;          /* bits of SandboxPart that the machine offers    */
    /* A WebSocket was accepted. NULL: none are. */
    void        (*on_socket)(void *user, const HttpSocket *socket);
    void         *user;
} HttpDesc;

/* NULL: `why`. */
Http    *http_open(const HttpDesc *desc, char *why, size_t size);
/* Takes hosts, origins and limits of another configuration over, which lives as long as the
 * server. */
void     http_reload(Http *h, const Config *config);
/* Takes no new connections, but finishes those that are there. */
void     http_quiesce(Http *h);
/* What is due every second. */
void     http_tick(Http *h);
void     http_close(Http *h);
uint16_t http_port(const Http *h);
uint16_t http_metrics_port(const Http *h);  /* 0: none                                    */
uint16_t http_live_port(const Http *h);     /* 0: none                                    */

/* For LiveParts: a job of a client on a socket, and a job as JSON. */
bool http_submit(void *http, const LiveSubmit *submit, char id[STORE_ID_SIZE],
                 weft_error_kind *kind, char *why, size_t size);
void http_show_job(Text *out, const JobRecord *job, bool with_outputs);

/* All routes: "POST /v1/jobs". NULL when `index` is past the last. For tests of the
 * OpenAPI description. */
const char *http_route(uint32_t index);

#endif
