// SPDX-License-Identifier: Apache-2.0
/*
 * worker_priv.h - inside the process of vectors: its spaces.
 */
#ifndef WEFT_SERVER_LIVE_WORKER_PRIV_H
#define WEFT_SERVER_LIVE_WORKER_PRIV_H

#include <weft/vectors.h>

#include "server/live/live_priv.h"
#include "server/worker/wire.h"

#define RECENT_ROWS 2048u               /* that pictures and qualities are measured on    */

typedef struct Label {
    uint64_t id;
    char    *text;                      /* NULL: a free place                             */
} Label;

/* The vectors of a tenant. */
typedef struct WorkSpace WorkSpace;
struct WorkSpace {
    WorkSpace *next;
    char       tenant[LIVE_TENANT];
    uint32_t   dimension;               /* 0: nothing is there                            */
    weft_vectors_index      *index;
    weft_vectors_map        *map;
    weft_vectors_projection *projection;
    float     *recent;                  /* [RECENT_ROWS][dimension], a ring               */
    uint64_t   rows;                    /* that came into it                              */
    uint64_t   learned;                 /* rows that the map saw                          */
    bool       restored;                /* map and projection are of an earlier process   */
    Label     *labels;                  /* a table of 2^n places                          */
    uint64_t   label_count, label_room;
};

typedef struct VectorsWorker {
    int             fd;
    weft_context   *ctx;
    EngineSetup     setup;
    WorkSpace      *spaces;
    weft_error_kind kind;               /* of the call, if `message` is set               */
    const char     *message;
} VectorsWorker;

/* False, with the reason for the answer. */
bool worker_fail(VectorsWorker *w, weft_error_kind kind, const char *message);

WorkSpace  *work_space(VectorsWorker *w, const char *tenant);
const char *label_find(const WorkSpace *s, uint64_t id);        /* "": none               */
bool        label_search(const WorkSpace *s, const char *text, uint64_t *id);
void        label_set(WorkSpace *s, uint64_t id, const char *text);
void        labels_free(WorkSpace *s);

/* The calls: false after worker_fail(), or an error of the context. */
bool work_add(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out);
bool work_search(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out);
bool work_places(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out);
bool work_show(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out);
bool work_plane(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out);
bool work_state(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out);
bool work_restore(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out);
bool work_drop(VectorsWorker *w, WorkSpace *s, Unpack *u, Pack *out);

#endif
