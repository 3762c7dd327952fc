// SPDX-License-Identifier: Apache-2.0
/*
 * live_priv.h - what the files of live/ share.
 *
 * Fields say which thread they belong to: the hub's, or that of the sockets.
 */
#ifndef WEFT_SERVER_LIVE_PRIV_H
#define WEFT_SERVER_LIVE_PRIV_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

#include "server/live/live.h"

#define LIVE_TENANT   65u
#define LIVE_PIECE    (64u << 10)       /* numbers of one event                           */
#define LIVE_BACKLOG  (64u << 20)       /* bytes that wait for hub and process            */
#define ALL_COMPONENTS UINT32_MAX        /* of the map, unit by unit                       */
#define LIVE_MAX_SEND 10000u            /* vectors that one request may get               */

typedef enum Channel {
#define CHANNEL(id, name) CHANNEL_##id,
#include "server/live/channels.def"
#undef CHANNEL
    CHANNEL_COUNT
} Channel;

const char *channel_name(Channel c);
bool        channel_find(const char *name, Channel *out);

/* ---- batches (batch.c): vectors of one event; counted, never changed ---- */

typedef struct Batch {
    atomic_uint refs;
    uint64_t    seq;                    /* of the event                                   */
    int64_t     when;                   /* milliseconds since 1970                        */
    uint32_t    dimension, count;
    uint64_t   *ids;                    /* [count]                                        */
    float      *data;                   /* [count][dimension]                             */
    char       *labels;                 /* JSON array; NULL: none                         */
    size_t      bytes;                  /* of all of it                                   */
} Batch;

/* Room for `count` rows, and labels that are copied. NULL: no memory. */
Batch *batch_create(uint32_t dimension, uint32_t count, const char *labels);
Batch *batch_retain(Batch *b);
void   batch_release(Batch *b);
/* The last `count` rows. */
Batch *batch_tail(const Batch *b, uint32_t count);
void   batch_pack(Pack *p, const Batch *b);
Batch *batch_unpack(Unpack *u);

/* ---- frames of an event (message.c) ---- */

/* How a client gets vectors. */
typedef enum Form { FORM_TEXT, FORM_DEFLATED, FORM_BINARY, FORM_HEADED, FORM_COUNT } Form;

typedef struct Frames {
    Frame   *form[FORM_COUNT];          /* those that are needed                          */
    Frame   *announce;                  /* of the dimension, before FORM_BINARY           */
    uint32_t dimension;
} Frames;

void frames_release(Frames *f);
/* Bits 1 << Form of `needed`. */
Frames frames_of_batch(const Batch *b, uint32_t needed);
Frames frames_of_text(const char *text, size_t size, uint32_t needed);
/* "2026-01-31T12:00:00.000Z" */
void   put_time(Text *out, int64_t when);
void   put_numbers(Text *out, const float *data, uint64_t count);
void   put_ids(Text *out, const uint64_t *ids, uint64_t count);
/* The members of a vector_batch, without braces. */
void   put_batch(Text *out, const Batch *b);

#define HEAD_SIZE   32u                 /* of FORM_HEADED                                 */
#define HEAD_IDS    1u                  /* flags: ids follow                              */
#define HEAD_LABELS 2u                  /* a JSON array follows the numbers               */

/* Vectors in a client's binary message: with the head if `headed`, else of `dimension`.
 * NULL, or what is wrong; the pointers go into the message or the arena. */
const char *binary_read(Arena *arena, const void *data, size_t size, bool headed,
                        uint32_t dimension, LiveVectors *out);
/* A number that is not finite or too large, or a row of zeros where that is wrong. */
const char *vectors_fault(const float *data, uint64_t numbers, uint32_t dimension,
                          bool no_zeros, uint64_t *row);

/* ---- spaces (space.c): what a tenant has ---- */

typedef struct Event {
    uint64_t seq;
    Batch   *batch;                     /* NULL: a job                                    */
    char    *text;                      /* its JSON                                       */
    size_t   bytes;
    uint32_t fed;                       /* generation of the process that got it          */
} Event;

typedef struct Client Client;
typedef struct Space  Space;
typedef struct Task   Task;
struct Space {
    Space     *next;
    char       tenant[LIVE_TENANT];
    Client    *clients;                 /* of the sockets' thread                         */
    _Atomic uint64_t seq;               /* of the last event; written by the hub          */
    /* the hub's */
    bool       loaded, wanted;          /* wanted: it was loaded, and has to be again     */
    uint32_t   dimension;               /* 0: no vectors                                  */
    uint64_t   count;                   /* vectors indexed                                */
    uint64_t   coming;                  /* accepted, but not among them yet               */
    uint64_t   cleared_seq;             /* events up to here were cleared                 */
    uint64_t   next_id;
    uint32_t   listeners[CHANNEL_COUNT];
    uint32_t   forms[FORM_COUNT];       /* clients that get vectors so                    */
    uint32_t   texts[2];                /* clients that get texts as FORM_TEXT, _DEFLATED */
    Event     *events;                  /* ring of recent ones                            */
    uint32_t   first, held, room;
    size_t     held_bytes;
    uint64_t   dropped_seq;             /* events up to here may be missing in the ring   */
    char      *view;                    /* JSON; NULL: none                               */
    struct { char job[STORE_ID_SIZE]; Client *client; } awaited[64];
    uint32_t   awaited_count;
    /* kept in the store */
    Pack       tail;                    /* the segment that grows                         */
    uint32_t   segment;                 /* its number                                     */
    bool       tail_dirty, picture_dirty;
    uint64_t   picture_ns;              /* when it was kept                               */
    /* the process */
    uint32_t   fed;                     /* generation of the process that has the vectors */
    json_t    *feed;                    /* segments that it gets again; NULL: none        */
    size_t     feed_at;
    bool       feed_begins;             /* the list could not be read: from the start     */
    uint64_t   picture_seq;             /* events up to here are in the picture           */
    uint64_t   indexed_seq;             /* and up to here in the index                    */
    uint64_t   batch_seq, fed_seq;      /* of the last batch; of the last that was there
                                           when the process began to be fed               */
    bool       changed, showing;
    uint64_t   shown_ns;
    char      *som;                     /* the last som_update; NULL: none                */
};

/* Loads what the store has. NULL: no memory, or the store or the bus cannot be reached. */
Space *space_get(Live *l, const char *tenant);
/* The same for who asked; NULL: it was told. */
Space *space_for(Live *l, Task *t);
/* Forgets what was loaded and loads it again. */
void   space_again(Live *l, Space *s);
Space *space_first(Live *l);
/* NULL: none is open. Any thread. */
Space *space_find(Live *l, const char *tenant);
/* Not loaded yet, maybe. Any thread. */
Space *space_open(Live *l, const char *tenant);
void   space_free(Space *s);
/* Takes the event over. */
void   space_remember(Live *l, Space *s, Event e);
/* Vectors that are new: recent, kept, indexed, announced. `mine`: this server took them, and
 * keeps them. */
void   space_take(Live *l, Space *s, Batch *b, bool mine);
void   space_clear(Live *l, Space *s, bool mine);
/* A recent event, or NULL. */
Event *space_event(Space *s, uint64_t seq);
/* Recent events in their order: those of several servers were loaded one after the other. */
void   space_sort(Space *s);

/* ---- kept in the store (keep.c) ---- */

/* False: the store cannot be reached. */
bool keep_load(Live *l, Space *s);
void keep_batch(Live *l, Space *s, const Batch *b);
/* Writes what has changed. */
void keep_flush(Live *l, Space *s);
void keep_view(Live *l, Space *s);
/* Now and then: what the store did not take. */
void keep_retry(Live *l);
void keep_free(Live *l);
void keep_clear(Live *l, Space *s);
/* Gives all vectors, and the picture, to the process again, part by part. */
void keep_feed(Live *l, Space *s);
void keep_feed_more(Live *l, Space *s);

/* ---- tasks of the hub (live.c) ---- */

struct LiveCall {
    atomic_uint     refs;
    Live           *live;
    bool            ended;              /* with the lock of live                          */
    weft_error_kind kind;
    char           *text;
    void          (*wake)(void *user);
    void           *user;
};

/* Who asked: a call, or a client with the name that it gave its request. Ends once. */
typedef struct Asker {
    LiveCall *call;                     /* a reference; NULL: a client                    */
    Client   *client;                   /* a reference; may be NULL                        */
    char      request[64];              /* "": none                                       */
} Asker;

void asker_fail(Live *l, Asker *a, weft_error_kind kind, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* `members`: JSON without braces. Clients get them with the type. */
void asker_answer(Live *l, Asker *a, const char *type, const Text *members);
void asker_drop(Asker *a);

struct Task {
    Task    *next;
    void   (*run)(Live *l, Task *t);    /* NULL'ed asker: it was answered or handed on    */
    size_t   bytes;
    char     tenant[LIVE_TENANT];
    Asker    asker;
    LiveAsk  ask;
    /* what `run` needs */
    uint64_t id, limit, since;
    bool     flag, by_id;
    uint32_t mask;
    int      binary;                    /* -1: not said                                   */
    char     name[256];
    Batch   *batch;                     /* owned                                          */
    char    *text;                      /* malloc'ed                                      */
    Pack     data;
    JobRecord job;                      /* texts in `text`                                */
    void    *extra;                     /* freed by the next                              */
    void   (*free_extra)(Live *l, void *extra);
};

/* What a call of several pieces waits for. */
typedef struct Receipt {
    uint32_t        left;               /* pieces, and one while there may be more        */
    Asker           asker;
    const char     *type;               /* of the answer to a client                      */
    weft_error_kind kind;
    char            why[256];
    uint32_t        dimension;
    uint64_t        seq, total;
    Pack            ids;
} Receipt;

Receipt *receipt_new(Asker *asker, const char *type);   /* takes the asker over           */
/* A piece has come to its end. */
void     receipt_end(Live *l, Receipt *r, weft_error_kind kind, const char *why);

typedef enum SpreadKind { SPREAD_BATCH = 1, SPREAD_JOB, SPREAD_CLEAR, SPREAD_VIEW } SpreadKind;

typedef struct Spread {
    SpreadKind  kind;
    Batch      *batch;
    const char *text, *name;            /* JSON members of a job, its id; a view; or NULL */
    Receipt    *receipt;
} Spread;

Task *task_new(void (*run)(Live *, Task *), const char *tenant, size_t bytes);
void  task_free(Live *l, Task *t);
/* Takes the task over. False: the hub has ended, or has too much to do; then it is freed. */
bool  hub_push(Live *l, Task *t, bool urgent);
/* ingest.c, ask.c */
void  task_ingest(Live *l, Task *t);
void  task_list(Live *l, Task *t);
void  task_subscribe(Live *l, Task *t);
void  task_unsubscribe(Live *l, Task *t);
void  task_request(Live *l, Task *t);
void  task_more(Live *l, Task *t);
void  task_ping(Live *l, Task *t);
void  task_search(Live *l, Task *t);
void  task_places(Live *l, Task *t);
void  task_map(Live *l, Task *t);
void  task_plane(Live *l, Task *t);
void  task_view(Live *l, Task *t);
void  task_clear(Live *l, Task *t);
/* Rows of a call or message as tasks' batches; NULL, or what is wrong. */
const char *task_set_vectors(Task *t, const LiveVectors *v);
/* A message of another server, or of this one through the bus. */
void  bus_take(void *live, const BusMessage *m);
/* What other servers announced and have not kept yet. False: the bus cannot be reached. */
bool  spread_load(Live *l, Space *s);
/* Now and then: what could not be sent or asked for before. */
void  spread_tick(Live *l);
void  waiting_free(Live *l);
/* The metrics channel's message. */
void  metrics_send(Live *l, Space *s);
/* Something new of a space: tells the other servers, and through them this one, or only this
 * one. Takes the batch and one piece of the receipt (NULL: no receipt) over. */
void  spread(Live *l, Space *s, const Spread *what);
/* A job has ended that clients of the space have submitted. */
void  job_awaited(Live *l, Space *s, const char *id, const char *text, size_t size);
/* The state of server and space, to all listeners or one. */
void  state_send(Live *l, Space *s, Client *only);
/* job_events.c */
void  task_job(Live *l, Task *t);
void  task_submit(Live *l, Task *t);

/* ---- clients (client.c, send.c) ---- */

struct Client {
    atomic_uint refs;
    Live       *live;
    Space      *space;
    /* of the sockets' thread */
    Socket     *socket;                 /* NULL: it has gone                              */
    Client     *next, **link;           /* of the space                                   */
    uint32_t    mask;                   /* channels                                       */
    Form        form, text_form;        /* of vectors; of texts                           */
    bool        headed, deflates, behind;
    bool        waits;                  /* for its queue to drain: then the rest comes    */
    uint32_t    announced;              /* dimension that it knows                        */
    uint32_t    sends;                  /* dimension that it sends                        */
    uint64_t    missed[CHANNEL_COUNT];
    Frame      *pending[CHANNEL_COUNT]; /* the latest of each                             */
    Frame      *announce;               /* before the pending vectors; NULL: not needed   */
    uint32_t    announce_dimension;
    /* of the hub */
    uint32_t    hub_mask;
    Form        hub_form;
    uint64_t    owed_since, owed_until; /* events after and up to: the rest of an answer  */
    uint32_t    owed_rows;              /* the last of the first event; 0: all            */
    bool        owed_waits;             /* a part is on its way: task_more() will run     */
};

Client *client_retain(Client *c);
void    client_release(Client *c);
void    client_open(void *live, Socket *socket);
void    client_open_headed(void *live, Socket *socket);
void    client_message(void *live, Socket *socket, bool text, const void *data, size_t size);
void    client_drain(void *live, Socket *socket);
void    client_close(void *live, Socket *socket);

/* From the hub: to all listeners of the channel, or to one client whether it listens or not;
 * takes the frames over. */
void send_frames(Live *l, Space *s, Channel channel, Frames frames, Client *only);
/* Once the client has got everything before, task_more() runs. */
void send_wait(Live *l, Client *c);
/* Hands over what was sent. */
void send_flush(Live *l);
/* A text to all, or to one. */
void send_text(Live *l, Space *s, Channel channel, const char *text, size_t size, Client *only);
/* Sets what a client listens to, in order with what was sent before. */
void send_mask(Live *l, Client *c, uint32_t mask, Form form);
/* The forms that listeners of a channel need. */
uint32_t forms_needed(const Space *s, Channel channel, const Client *only);
/* Sets hub_mask and hub_form, and counts. */
void listeners_set(Live *l, Client *c, uint32_t mask, Form form);

/* ---- the process (engine.c) ---- */

typedef struct Engine Engine;

typedef enum EngineOp {
    ENGINE_SETUP = 1, ENGINE_ADD, ENGINE_SEARCH, ENGINE_PLACES, ENGINE_SHOW, ENGINE_PLANE,
    ENGINE_STATE, ENGINE_RESTORE, ENGINE_DROP,
} EngineOp;

/* What all spaces of the process have in common. */
typedef struct EngineSetup {
    uint32_t metric, width, height, grid, toroidal, reserved;
    uint64_t capacity, steps;
} EngineSetup;

/* Called on the hub with the answer; *u is empty and `kind` set if it failed. */
typedef struct EngineAnswer {
    weft_error_kind kind;
    const char     *message;
    Unpack          data;
} EngineAnswer;

typedef struct EngineCall {
    EngineOp op;
    Space   *space;
    Pack     data;                      /* taken over                                     */
    Asker    asker;                     /* taken over                                     */
    Receipt *receipt;                   /* a piece of it; NULL: none                      */
    uint64_t number, coming;            /* for `done`                                     */
    bool     ordered;                   /* after additions that wait; else before them    */
    void   (*done)(Live *l, struct EngineCall *call, const EngineAnswer *answer);
} EngineCall;

Engine *engine_start(Live *l);
void    engine_close(Engine *e);
/* The process is started if there is none. */
void    engine_call(Engine *e, const EngineCall *call);
/* Bytes that wait for it. */
size_t  engine_backlog(Engine *e);
/* Counts starts of the process; a space with another number has to be fed. */
uint32_t engine_generation(Engine *e);
/* On the hub: gives the vectors of a batch to the process. */
void    engine_add(Live *l, Space *s, const Batch *b, Receipt *receipt);
/* On the hub, before anything is asked of the process: it has the vectors of the space, or gets
 * them. */
void    engine_ready(Live *l, Space *s);
/* The members of a picture, as the process answers ENGINE_SHOW. */
void    picture_put(Live *l, Text *out, Unpack *u);
/* The same of kept vectors; `learn`: map and projection do not know them. */
void    engine_feed(Live *l, Space *s, const Batch *b, bool learn);
/* On the hub, now and then: asks for pictures that are due. */
void    engine_refresh(Live *l, Space *s, uint64_t now);

/* ---- the folder (watch.c) ---- */

typedef struct Watch Watch;
Watch *watch_open(Live *l, char *why, size_t size);
void   watch_close(Watch *w);

struct Live {
    LiveDesc        desc;
    LiveParts       parts;
    bool            no_zeros;           /* rows of zeros have no direction                */
    char            stream[17];         /* numbers of events mean the same while it stays */
    pthread_mutex_t lock;               /* of the next                                    */
    pthread_cond_t  change;
    Task           *urgent, **last_urgent, *tasks, **last_task;
    size_t          backlog;
    bool            stopping, running, started;
    Space          *spaces;             /* grows only                                     */
    pthread_t       thread;
    atomic_uint     job_listeners, state_listeners;
    Engine         *engine;             /* NULL: vectors are only announced               */
    Watch          *watch;
    /* the hub's */
    uint64_t        nonce;
    struct Waiting *waiting;            /* for their own message to come back             */
    struct Unsent  *unsent;             /* what the bus did not take                      */
    uint64_t        heard;              /* the bus's last number, once `tuned`            */
    bool            tuned, behind, lost;    /* behind: messages were missed, and are asked
                                               for; lost: some are not kept any more      */
    struct Write   *unkept;             /* with the lock: what the store did not take     */
    uint64_t        ticked_ns;
    struct Delivery *outbox, **last_outbox;     /* for the sockets' thread: send.c        */
    uint32_t        outbox_count;
};

Store *live_store(Live *l);
int64_t live_now(void);

#endif
