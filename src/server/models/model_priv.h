// SPDX-License-Identifier: Apache-2.0
/*
 * model_priv.h - what the files of the model's worker process share.
 */
#ifndef WEFT_SERVER_MODEL_PRIV_H
#define WEFT_SERVER_MODEL_PRIV_H

#include <jansson.h>
#include <weft/model.h>

#include "server/models/models.h"
#include "server/worker/wire.h"

#define STEP_TOKENS 256u                /* of prompts in one step                         */
#define EMBED_TEXTS 32u                 /* that become vectors in one step, at most       */
#define SLOT_STOPS  8u
#define TOP_LOGPROBS 20u

/* A sequence of the session, and the request that it works for. */
typedef struct Slot {
    bool        busy;
    uint64_t    id;                     /* of the request                                 */
    char        tenant[129];            /* whose tokens are in the cache                  */
    weft_token *tokens;                 /* [count] prompt and answer; malloc'ed           */
    size_t      count, room;
    size_t      cached;                 /* of them in the cache                           */
    size_t      prompt;                 /* of them are the prompt                         */
    size_t      reused;
    uint32_t    limit;                  /* tokens of the answer                           */
    uint32_t    logprobs;               /* 0: none; 1 + number of alternatives            */
    bool        ignore_end;
    weft_model_sampler *sampler;
    weft_model_decoder *decoder;
    char       *stops[SLOT_STOPS];      /* malloc'ed                                      */
    uint32_t    stop_count;
    char       *held;                   /* text that may be the start of a stop; malloc'ed */
    size_t      held_size;
} Slot;

typedef struct Worker {
    int                 fd;
    weft_context       *ctx;
    weft_model         *model;
    weft_model_session *session, *embeds;   /* embeds: for vectors alone                  */
    weft_model_info     info;
    uint32_t            parallel, context;
    Slot               *slots;
    float              *logits;         /* [parallel][vocabulary]                         */
    json_t             *waiting;        /* requests without a slot, in order              */
    json_t             *embedding;      /* requests for vectors; the first one's turn is next */
    bool                broken;         /* the socket                                     */
} Worker;

/* A message about a request; takes over the JSON. */
void reply_send(Worker *w, uint64_t id, WireKind kind, json_t *body);
void reply_fail(Worker *w, uint64_t id, weft_error_kind kind, const char *message);
/* The same with the error of the context, which is cleared. */
void reply_fault(Worker *w, uint64_t id);

/* embed.c */
void embed_begin(Worker *w, uint64_t id, json_t *request);
/* A part of the request whose turn it is. */
void embed_step(Worker *w);

/* slots.c */
/* How many requests of a tenant have a slot. */
uint32_t slots_of(const Worker *w, const char *tenant);
/* Gives a request to a slot; false: none is free. A request that is wrong is answered. */
bool slot_begin(Worker *w, uint64_t id, json_t *request);
void slot_end(Worker *w, Slot *s);
void slot_fini(Slot *s);
/* Chooses the next token from logits and sends what it gives. */
void slot_advance(Worker *w, Slot *s, const float *logits);

#endif
