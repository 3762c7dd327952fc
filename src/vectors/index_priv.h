// SPDX-License-Identifier: Apache-2.0
/*
 * index_priv.h - the parts of an index: ids, blocks in segments, lists, the shared core.
 *
 * A vector has a slot: 16 * block + lane. Blocks are numbered through all segments, and each
 * belongs to one list. Without an inverted file there is one list with all blocks.
 */
#ifndef WEFT_VECTORS_INDEX_PRIV_H
#define WEFT_VECTORS_INDEX_PRIV_H

#include <stdatomic.h>

#include "vectors/platform_priv.h"
#include "vectors/vectors_priv.h"

#define MAX_SEGMENTS 4096u
#define NO_SLOT      UINT32_MAX
#define MAX_LISTS    65536u

/* ---- ids to slots (index_ids.c) ---- */

/* Open addressing; ids are below 2^63, so that no id looks like a free entry. */
typedef struct IdMap {
    uint64_t *ids;                      /* [room]                                         */
    uint32_t *slots;                    /* [room]                                         */
    uint64_t  room, used;               /* used counts removed entries, too               */
    uint64_t  count;
} IdMap;

void     id_map_fini(IdMap *m);
/* Room for `more` new ids: later puts do not fail. */
bool     id_map_reserve(IdMap *m, weft_context *ctx, uint64_t more);
uint32_t id_map_find(const IdMap *m, uint64_t id);      /* NO_SLOT: not there             */
void     id_map_put(IdMap *m, uint64_t id, uint32_t slot);
void     id_map_remove(IdMap *m, uint64_t id);

/* ---- blocks (index_blocks.c) ---- */

typedef struct Segment {
    weft_buffer *data;                  /* [blocks][dim][16]                              */
    weft_buffer *live;                  /* [blocks]: a bit for each lane with a vector    */
    uint32_t    *masks;                 /* [blocks]: the same in memory                   */
    uint32_t     first, blocks;         /* numbers of its blocks                          */
    uint32_t     dirty, dirty_end;      /* blocks whose masks must be written             */
} Segment;

typedef struct SlotArray {
    uint32_t *data;
    uint32_t  count, room;
} SlotArray;

typedef struct List {
    SlotArray blocks, free;             /* free: slots that were removed                  */
    uint32_t  filled;                   /* lanes of the last block that were given out    */
} List;

typedef struct Blocks {
    uint32_t  dim;
    Segment  *segments;                 /* [segment_count]                                */
    uint32_t  segment_count, segment_room;
    uint32_t  used, room;               /* blocks                                         */
    List     *lists;
    uint32_t  list_count;
    uint64_t *ids;                      /* [16 * room]: of slots                          */
    uint32_t *owner;                    /* [room]: the list of a block                    */
} Blocks;

bool blocks_init(Blocks *b, weft_context *ctx, uint32_t dim, uint32_t lists);
void blocks_fini(Blocks *b);
/* A slot of a list for a new vector; NO_SLOT after an error. It is not live yet. */
uint32_t blocks_take(Blocks *b, weft_context *ctx, uint32_t list);
/* Gives back a slot that was taken and is not live. */
void blocks_give(Blocks *b, weft_context *ctx, uint32_t slot);
void blocks_set_live(Blocks *b, uint32_t slot, bool live, uint64_t id);
bool blocks_is_live(const Blocks *b, uint32_t slot);
/* Writes changed masks to the device. */
bool blocks_flush(Blocks *b);
const Segment *blocks_segment(const Blocks *b, uint32_t block);
/* rows[count][dim] of a buffer, scaled, to slots; and back. */
bool blocks_store(const Blocks *b, weft_context *ctx, weft_buffer *rows, weft_buffer *scale,
                  const uint32_t *slots, uint32_t count);
bool blocks_load(const Blocks *b, weft_context *ctx, weft_buffer *rows, const uint32_t *slots,
                 uint32_t count);
/* The same with data that is not in segments, the weights of units. */
bool blocks_store_into(weft_context *ctx, weft_buffer *data, uint32_t dim, weft_buffer *rows,
                       weft_buffer *scale, const uint32_t *slots, uint32_t count);
uint64_t blocks_bytes(const Blocks *b);

/* ---- the core: shared by the handles of all threads ---- */

typedef struct IndexCore {
    IndexLock               lock;
    atomic_uint             refs;
    weft_context           *ctx;        /* its own, on the same device                    */
    weft_vectors_index_desc desc;       /* resolved; label is malloc'ed                   */
    Blocks                  blocks;
    IdMap                   ids;
    uint64_t                next_id;
    weft_buffer            *zeros;      /* [dim]                                          */
    /* the inverted file; centres.count 0: none */
    Units                   centres;
    weft_buffer            *centre_live;/* [blocks of centres]                            */
    weft_buffer            *centre;     /* [dim]: what rows are reduced by                */
    uint32_t                probes;
    double                  recall;
    uint64_t                trained;    /* vectors when it was trained, or that failed    */
} IndexCore;

struct weft_vectors_index {
    atomic_uint   refs;
    weft_context *ctx;                  /* of errors                                      */
    IndexCore    *core;
};

/* NULL for an index that is NULL; else the core, locked. index_leave() unlocks, and hands an
 * error on; it returns `ok`. */
IndexCore *index_enter(weft_vectors_index *index);
bool       index_leave(weft_vectors_index *index, bool ok);

/* An index without vectors; NULL after an error. */
weft_vectors_index *index_new(weft_context *ctx, const weft_vectors_index_desc *desc);

/* ---- with the lock ---- */

typedef struct InsertDesc {
    const weft_vectors_rows *rows;
    const uint64_t          *ids;       /* NULL: numbered                                 */
    weft_context            *owner;     /* of a tensor among the rows                     */
    bool                     replace;
    bool                     as_stored; /* rows are normalised already                    */
} InsertDesc;

bool core_insert(IndexCore *c, const InsertDesc *d);
/* Stored rows of slots into rows[count][dim] in memory. */
bool core_rows(IndexCore *c, float *out, const uint32_t *slots, uint64_t count);
/* The slots of all vectors, malloc'ed, in the order of blocks; NULL after an error. */
uint32_t *core_slots(IndexCore *c);

typedef struct SearchDesc {
    const weft_vectors_rows *queries;
    weft_context            *owner;
    uint32_t                 count;     /* neighbours                                     */
    uint32_t                 probes;    /* 0: exact                                       */
} SearchDesc;

bool core_search(IndexCore *c, weft_vectors_match *out, const SearchDesc *d);

/* Makes or renews the inverted file (index_lists.c). A failure leaves the old one. */
bool core_train(IndexCore *c, weft_progress progress, void *user);
bool core_recall(IndexCore *c, double *out, uint32_t count, uint32_t probes, uint32_t samples);
/* Takes over centres that were trained before: rows[count][dim] and the centre. */
bool core_set_centres(IndexCore *c, const float *rows, uint32_t count, const float *centre);
void core_drop_centres(IndexCore *c);
/* The lists of prepared rows, in memory: nearest[rows][2]. */
bool core_assign(IndexCore *c, const RowReader *r, uint32_t *nearest);

#endif
