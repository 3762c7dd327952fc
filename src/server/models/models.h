// SPDX-License-Identifier: Apache-2.0
/*
 * models.h - language models of the server: one sandboxed process a model, many tenants.
 *
 * in     requests as JSON: a prompt or messages, how tokens are chosen
 * out    pieces of the answer as they come, its end, or an error
 * knows  processes, sockets, the sandbox
 * not    HTTP, what OpenAI's clients expect (http/api_models.c)
 *
 * Ownership  a request is counted: models_submit() gives one reference, models_release()
 *            takes it back and cancels what has not ended.
 * Threads    any. Call backs on a thread of models/, without locks.
 */
#ifndef WEFT_SERVER_MODELS_H
#define WEFT_SERVER_MODELS_H

#include <weft/error.h>

#include "base/text.h"
#include "server/config/config.h"
#include "server/metrics/metrics.h"

#define MODELS_MAX      16u
#define MODELS_MAX_NAME 96u

typedef struct Models       Models;
typedef struct ModelRequest ModelRequest;

typedef struct ModelsDesc {
    const Config *config;
    const char   *program;              /* NULL: this one                                 */
    Metrics      *metrics;
    const Log    *log;
} ModelsDesc;

/* Starts a process for each file of models.files; NULL: `why`. */
Models *models_open(const ModelsDesc *desc, char *why, size_t size);
void    models_close(Models *m);

typedef struct ModelFigures {
    char     name[MODELS_MAX_NAME], detail[256];
    bool     ready, generates;
    uint32_t context, embedding;
    int64_t  created;                   /* seconds since 1970                             */
} ModelFigures;

uint32_t models_list(Models *m, ModelFigures *out, uint32_t room);

typedef struct ModelSubmit {
    const char *model;                  /* NULL or "": the only one                       */
    const char *tenant;
    const char *json;                   /* for the worker, see model_worker.c             */
    void      (*wake)(void *user);      /* something came                                 */
    void       *user;
} ModelSubmit;

/* NULL: *kind and `why`. */
ModelRequest *models_submit(Models *m, const ModelSubmit *submit, weft_error_kind *kind,
                            char *why, size_t size);
/* The next piece as JSON, malloc'ed; NULL: none has come yet. With *ended it is the last. */
char *models_next(ModelRequest *r, bool *ended);
void  models_release(ModelRequest *r);

/* ---- the worker process ---- */

typedef struct ModelWorkerDesc {
    int         fd;
    const char *path;
    uint32_t    threads, parallel, context;
    bool        sandboxed;
} ModelWorkerDesc;

/* The body of `weft worker --model=FILE`. The exit status. */
int model_worker_main(const ModelWorkerDesc *desc);

#endif
