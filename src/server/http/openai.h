// SPDX-License-Identifier: Apache-2.0
/*
 * openai.h - what the files about OpenAI's API share.
 */
#ifndef WEFT_SERVER_OPENAI_H
#define WEFT_SERVER_OPENAI_H

#include "server/http/http_priv.h"

typedef enum AnswerForm { FORM_CHAT, FORM_TEXT, FORM_EMBED, FORM_TOKENS } AnswerForm;

/* The state of an answer, in the arena of its request. */
typedef struct Answer {
    AnswerForm form;
    bool       stream, usage, base64, logprobs;
    bool       begun, ended, over;      /* over: the last event was written                */
    char       id[40], model[MODELS_MAX_NAME];
    int64_t    created;
    Text       text;                    /* of a whole answer                               */
    json_t    *tokens;                  /* its log-probabilities                           */
    json_t    *first;                   /* of a stream: its first piece                   */
    bool       first_ends;
    char      *rest;                    /* events that did not fit yet; malloc'ed          */
    size_t     rest_size, rest_at;
    uint32_t   pieces;
    int        fd;
} Answer;

/* Answers 400. Returns false. */
bool openai_wrong(Request *r, const char *what);
/* Reads a request for text into `out` and the answer's form. False after an answer. */
bool openai_read(Request *r, Answer *a, const json_t *root, json_t *out);

#endif
