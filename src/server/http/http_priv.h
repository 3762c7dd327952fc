// SPDX-License-Identifier: Apache-2.0
/*
 * http_priv.h - what the files of http/ share.
 */
#ifndef WEFT_SERVER_HTTP_PRIV_H
#define WEFT_SERVER_HTTP_PRIV_H

#include <jansson.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <strings.h>

#include "server/http/http.h"

#define HTTP_MAX_PARTS 4u               /* variable parts of a path                       */
#define HTTP_ASIDES    2u               /* threads for requests that take long            */
#define HTTP_LARGE     65536u           /* bytes that take long                           */

typedef struct Request Request;

typedef struct Route {
    const char *method, *path;          /* "/v1/jobs/{id}"                                */
    uint32_t    scope;                  /* 0: none is needed                              */
    bool        is_public;              /* without authentication                         */
    bool        on_metrics;             /* also on the port for metrics                   */
    void      (*handle)(Request *r);
} Route;

extern const Route http_routes[];
extern const uint32_t http_route_count;

struct Http {
    HttpDesc           desc;
    _Atomic(const Config *) config;         /* the newest                                 */
    struct MHD_Daemon *api, *metrics, *live;
    char               address[64];
    uint16_t           port, metrics_port, live_port;
    pthread_mutex_t    lock;                /* of the list                                */
    Request           *requests;            /* all that have not ended                    */
    pthread_t          asides[HTTP_ASIDES];
    uint32_t           aside_count;
    pthread_cond_t     more_asides;
    Request           *first_aside, **last_aside;   /* that wait for these threads        */
    bool               asides_end;
    atomic_bool        closing;             /* nothing sleeps any more                    */
    char              *certificate, *key;   /* PEM texts; NULL: no TLS                    */
};

typedef enum RequestStage {
    STAGE_NEW, STAGE_AUTH, STAGE_BODY, STAGE_HANDLE, STAGE_ANSWERED
} RequestStage;

/* A part of a multipart body. */
typedef struct BodyPart {
    const char    *name;
    const uint8_t *data;
    size_t         size;
} BodyPart;

/* What is known of a connection, from its first request on. */
typedef struct Connection {
    char tenant[sizeof ((Identity *)0)->tenant];    /* that it counts for; "": none yet    */
    bool counted;                       /* tenant is charged for it                       */
} Connection;

struct Request {
    Request               *before, *after;  /* in the list of all                         */
    Http                  *http;
    struct MHD_Connection *connection;
    int                    fd;              /* of the connection                          */
    atomic_bool            arriving;        /* it is not whole yet                        */
    Arena                  arena;       /* for everything of this request                 */
    const char            *method, *path, *version;
    const char            *host;        /* that the client means; NULL: it does not say   */
    const Route           *route;
    const char            *allow;       /* methods of the address, if this is none of them */
    const char            *parts[HTTP_MAX_PARTS];
    RequestStage           stage;
    bool                   metrics_port, live_port;
    bool                   has_nul;     /* in the address, as %00                         */
    Identity               who;
    const char            *origin;      /* "": none                                       */
    char                   trace[56];   /* traceparent                                    */
    uint8_t               *body;        /* malloc'ed                                      */
    size_t                 body_size, body_room;
    uint64_t               too_large;   /* bytes that are not kept                        */
    uint64_t               held;        /* bytes that are counted for its tenant          */
    uint64_t               expected;    /* of them, for the body that arrives             */
    bool                   keeps_body;  /* its route takes one                            */
    JobsRoom               room;        /* was there memory for it?                       */
    uint64_t               begun_ns, complete_ns;
    /* waiting */
    atomic_bool            suspended, woken;
    atomic_bool            slept;       /* once or more often: its client waits           */
    bool                   aside;       /* it is handled by another thread                */
    bool                   sleeps;      /* which left it asleep                           */
    Request               *next_aside;
    void                 (*work)(Request *r);   /* for that thread                        */
    struct MHD_Response   *response;    /* of that thread; NULL: none                     */
    Job                   *job;
    const char            *shown;       /* a stored job's id                              */
    bool                   watching, raw;
    JobWaiter              waiter;
    uint64_t               seen;        /* changes of the job that were told              */
    bool                   told_end;
    ModelRequest          *model;       /* NULL: none                                     */
    LiveCall              *call;        /* NULL: none                                     */
    void                  *answer;      /* of api_models.c, in the arena                  */
    const char            *error_code;  /* of OpenAI's API; NULL: by the status           */
    unsigned               retry_after; /* seconds; 0: one                                */
    void                 (*again)(Request *r);  /* called when it is resumed              */
    int                    status;
};

/* ---- answers (answer.c) ---- */

void answer_text(Request *r, int status, const char *type, const void *data, size_t size);
/* Answers, if a read of the store failed since it had so many failures. */
bool store_is_gone(Request *r, uint64_t failures);
/* The stored record of a job of this tenant. False after an answer. */
bool stored_job(Request *r, const char *id, bool with_blobs, JobRecord *out);
void answer_json(Request *r, int status, const Text *json);
/* {"error":{"kind":…,"message":…}} with the status of the kind, or `status` if not 0. */
void answer_error(Request *r, int status, weft_error_kind kind, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* The job with its outputs, written while it is sent. */
void answer_pieces(Request *r, int status, const JobRecord *j);
/* The same bytes, which live as long as the request. */
void answer_bytes(Request *r, const void *data, size_t size);
/* Queues a response made elsewhere and lets go of it. */
void answer_response(Request *r, int status, struct MHD_Response *response);
/* Answers with the file at the path (page.c). False: there is none. */
bool        answer_page(Request *r);
const char *error_kind_name(weft_error_kind kind);
int         error_kind_status(weft_error_kind kind);
void        answer_common(Request *r, struct MHD_Response *response);

/* ---- waiting (daemon.c) ---- */

/* The connection sleeps until request_wake(), unless `woken` is set already; then again()
 * is called. Who registers for a wake clears `woken` before. */
void request_sleep(Request *r, void (*again)(Request *r));
void request_wake(void *request);
/* Handles the request on another thread, while its connection sleeps (aside.c). Nothing may
 * touch the request afterwards. */
void request_aside(Request *r, void (*work)(Request *r));
bool asides_open(Http *h);
void asides_close(Http *h);
/* Counts memory for this request, until it ends. False after an answer: too much is in use. */
bool request_hold(Request *r, uint64_t bytes);
/* The same without an answer; answer_no_room() gives it, and is false. */
bool request_try_hold(Request *r, uint64_t bytes);
bool answer_no_room(Request *r);
/* The body is needed no longer. */
void request_drop_body(Request *r);
const char *request_header(const Request *r, const char *name);
const char *request_query(const Request *r, const char *name);

/* ---- checks (guard.c): false after an answer ---- */

bool guard_headers(Request *r);
bool guard_origin(Request *r);
/* False: answered, or asleep until Kratos has answered. */
bool guard_identity(Request *r);
bool guard_scope(Request *r);
/* The token of a client that can set no headers, as an Authorization; NULL: none. */
const char *live_token(Request *r);
void guard_audit(Request *r, const char *action, bool allowed, const char *object,
                 const char *reason);

/* ---- bodies (body.c, multipart.c) ---- */

/* Undoes Content-Encoding: gzip. False after an answer. */
bool body_inflate(Request *r);
/* The body as JSON; NULL after an answer. The caller frees it. */
json_t *body_json(Request *r, const void *data, size_t size);
/* Values and depth of a JSON text, counted without building it. NULL, or what is wrong. */
const char *json_fault(const char *text, size_t size, uint64_t max_values, uint32_t max_depth);
/* The parts of a multipart body; -1: malformed, *why says how. Names are in the arena,
 * data points into the body. */
int multipart_split(Arena *arena, const char *type, const uint8_t *body, size_t size,
                    BodyPart *out, uint32_t room, const char **why);

/* ---- specs (spec.c) ---- */

typedef struct SpecFault {
    int             status;
    weft_error_kind kind;
    char            message[1024];
} SpecFault;

/* Names of foreign workers are parts of subjects in NATS: no dots, no wildcards. */
#define SPEC_RUNNER "a name of at most 63 letters, digits, '-' and '_' that begins with a letter " \
                    "or digit"
bool spec_runner_ok(const char *name);
/* Names of bindings and buffers: UTF-8 without control characters, quotes and slashes. */
bool spec_name_ok(const char *name);
/* JSON (and parts) to a spec; texts and data live in the arena or the JSON. `check`: only what
 * POST /v1/check looks at. */
bool spec_parse(Arena *arena, const Config *config, bool check, json_t *root,
                const BodyPart *parts, uint32_t part_count, JobSpec *spec, SpecFault *fault);
/* JSON (and parts) to a spec; texts and data live in the arena or the JSON. False after an
 * answer. */
bool spec_read(Request *r, Arena *arena, json_t *root, const BodyPart *parts,
               uint32_t part_count, JobSpec *spec);

/* ---- JSON of jobs (show.c) ---- */

void show_job(Text *out, const JobRecord *record, double progress, bool with_outputs);
void show_outputs(Text *out, StoreBlob blob);
void show_output_head(Text *out, const JobOutput *o);
void show_numbers(Text *out, WireScalar scalar, const uint8_t *bytes, uint64_t size);
void show_number_list(Text *out, WireScalar scalar, const uint8_t *bytes, uint64_t size);

/* ---- handlers ---- */

void api_submit(Request *r);
void api_job(Request *r);
void api_cancel(Request *r);
void api_list(Request *r);
void api_result(Request *r);
void api_events(Request *r);
void api_check(Request *r);
void api_buffers(Request *r);
void api_buffer_get(Request *r);
void api_buffer_put(Request *r);
void api_buffer_delete(Request *r);
void api_lease(Request *r);
void api_register(Request *r);
void api_heartbeat(Request *r);
void api_lease_result(Request *r);
void api_lease_fail(Request *r);
void api_devices(Request *r);
void api_alerts(Request *r);
void api_state(Request *r);
void api_tenants(Request *r);
void api_token(Request *r);
void api_health(Request *r);
void api_ready(Request *r);
void api_metrics(Request *r);
void api_openapi(Request *r);
void api_live(Request *r);
void api_vectors_add(Request *r);
void api_vectors_list(Request *r);
void api_vectors_clear(Request *r);
void api_vectors_search(Request *r);
void api_vectors_find(Request *r);
void api_vectors_places(Request *r);
void api_vectors_map(Request *r);
void api_vectors_view(Request *r);
void api_chat(Request *r);
void api_completions(Request *r);
void api_embeddings(Request *r);
void api_models(Request *r);
void api_model(Request *r);
void api_tokenize(Request *r);
void api_root(Request *r);

/* clearance.c: a clearance for a checked kernel; and its use. */
void clearance_answer(Request *r, const JobSpec *spec, json_t *report);
/* False after an answer: the token is not for this request, expired, or was used. */
bool clearance_use(Request *r, const char *token, const JobSpec *spec);

#endif
