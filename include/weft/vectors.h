// SPDX-License-Identifier: Apache-2.0
/*
 * weft/vectors.h - search index, self-organising map and projection of vectors.
 *
 *     weft_vectors_index *index = weft_vectors_index_create(ctx, &(weft_vectors_index_desc){
 *         .dimension = 100 });
 *     weft_vectors_index_insert(index, &(weft_vectors_rows){ .data = rows, .count = 5000 }, NULL);
 *     weft_vectors_match best[10];
 *     weft_vectors_index_search(best, index, &(weft_vectors_rows){ .data = query, .count = 1 },
 *                               NULL);
 *
 * An index finds the nearest of many vectors. A map (Kohonen) arranges vectors on a grid of
 * units so that similar vectors meet similar units. A projection shows vectors in 3D along
 * their principal components, and moves smoothly while vectors arrive. All three take vectors
 * as they come, keep their data on the device and compute there in WGSL.
 *
 * Vectors    rows of f32 numbers up to 1e15 in size. A row with a larger number, with NaN, and
 *            where directions are compared a row of zeros (all below 1e-15), makes the call fail
 *            with WEFT_ERROR_INVALID and the number of the row; nothing of the call is then
 *            taken over.
 * Ownership  creators give the caller one reference; _release() gives it back and accepts NULL.
 *            Rows are copied before a call returns.
 * Threads    as the context. weft_vectors_index_share() gives other threads an index of their
 *            own on the same vectors: one may insert while another searches.
 * Errors     as in weft/context.h.
 * Not here   texts and labels of vectors; files of vectors (weft/store.h reads .npy); clients
 *            that watch (`weft serve`).
 */
#ifndef WEFT_VECTORS_H
#define WEFT_VECTORS_H

#include <weft/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_vectors_index      weft_vectors_index;
typedef struct weft_vectors_map        weft_vectors_map;
typedef struct weft_vectors_projection weft_vectors_projection;

#define WEFT_VECTORS_MAX_DIMENSION 65536u       /* of an index and a map                    */
#define WEFT_VECTORS_MAX_PROJECTED 4096u        /* dimension of projected vectors           */

/* Vectors that a call reads: in memory, or as a tensor. */
typedef struct weft_vectors_rows {
    const float *data;              /* [count][dimension]             NULL: `tensor`        */
    uint64_t     count;
    weft_tensor *tensor;            /* [count, dimension], or [dimension] for one; of any
                                       type that casts to f32         NULL: `data`          */
} weft_vectors_rows;

/* ---- index ---- */

typedef enum weft_vectors_metric {
    WEFT_VECTORS_COSINE = 0,        /* similarity of directions; rows are normalised        */
    WEFT_VECTORS_DOT,               /* dot product                                          */
    WEFT_VECTORS_EUCLIDEAN,         /* distance                                             */
} weft_vectors_metric;

/* How to make an index. Every field but the dimension may be left zero. */
typedef struct weft_vectors_index_desc {
    uint32_t            dimension;
    weft_vectors_metric metric;
    uint64_t            capacity;   /* vectors at most                0: as memory allows   */
    uint64_t            list_threshold; /* from so many vectors on, searches go through an
                                           inverted file of clusters: an insert that passes the
                                           threshold trains it, and again whenever the index
                                           has doubled. 0: 200,000; WEFT_OFF: never         */
    uint32_t            lists;      /* clusters                       0: 2 sqrt(vectors)    */
    double              recall;     /* share of the true neighbours that a search of the
                                       inverted file should find      0: 0.95               */
    uint64_t            seed;       /* of the clusters' first centres                       */
    const char         *label;      /* for messages                   NULL: "index"         */
} weft_vectors_index_desc;

WEFT_API weft_vectors_index *weft_vectors_index_create(weft_context *ctx,
                                                       const weft_vectors_index_desc *desc);
WEFT_API weft_vectors_index *weft_vectors_index_retain(weft_vectors_index *index);
WEFT_API void                weft_vectors_index_release(weft_vectors_index *index);
/* The same vectors for `ctx`, which shares the device of the index's context and may belong to
 * another thread. Calls of different threads take turns; each sees all vectors of the inserts
 * that have returned, and of no insert a part. */
WEFT_API weft_vectors_index *weft_vectors_index_share(weft_context *ctx,
                                                      weft_vectors_index *index);

/* Adds vectors under ids[rows->count], which must be new and below 2^63; NULL numbers them on
 * from the largest id. WEFT_ERROR_EXISTS for an id that is there. */
WEFT_API bool weft_vectors_index_insert(weft_vectors_index *index, const weft_vectors_rows *rows,
                                        const uint64_t *ids);
/* The same, but vectors of ids that are there are replaced. */
WEFT_API bool weft_vectors_index_replace(weft_vectors_index *index,
                                         const weft_vectors_rows *rows, const uint64_t *ids);
/* WEFT_ERROR_NOT_FOUND if one of them is not there; then all stay. */
WEFT_API bool weft_vectors_index_remove(weft_vectors_index *index, const uint64_t *ids,
                                        uint64_t count);
WEFT_API bool weft_vectors_index_has(const weft_vectors_index *index, uint64_t id);
/* The vectors of ids[count] as they are stored: normalised for WEFT_VECTORS_COSINE. */
WEFT_API bool weft_vectors_index_get(float *out, weft_vectors_index *index, const uint64_t *ids,
                                     uint64_t count);
/* All ids, in the order of their insertion if none was removed. `count` is the room at out;
 * returns how many there are. */
WEFT_API uint64_t weft_vectors_index_ids(uint64_t *out, const weft_vectors_index *index,
                                         uint64_t count);

typedef struct weft_vectors_match {
    uint64_t id;                    /* WEFT_VECTORS_NONE: there are no more                 */
    float    score;                 /* cosine, dot product (large is near), or distance
                                       (small is near)                                      */
} weft_vectors_match;

#define WEFT_VECTORS_NONE UINT64_MAX
#define WEFT_VECTORS_MAX_COUNT 4096u            /* of one search                            */

typedef struct weft_vectors_search {
    uint32_t count;                 /* neighbours of each query       0: 10                 */
    bool     exact;                 /* all vectors, although there is an inverted file      */
    uint32_t probes;                /* lists of it to search          0: as many as the
                                       recall of the index needs                            */
} weft_vectors_search;

/* The nearest of each query, best first: out[queries->count][count]; of equal ones the
 * smaller id first.
 * options NULL: all defaults. */
WEFT_API bool weft_vectors_index_search(weft_vectors_match *out, weft_vectors_index *index,
                                        const weft_vectors_rows *queries,
                                        const weft_vectors_search *options);

/* Trains the inverted file now, whatever the threshold. It needs 256 vectors. */
WEFT_API bool weft_vectors_index_train(weft_vectors_index *index, weft_progress progress,
                                       void *user);
/* Measures the recall of the inverted file: the share of the `count` true neighbours that a
 * search with `probes` lists finds (0: the index's own), over `samples` stored vectors
 * (0: 256). 1 without an inverted file. */
WEFT_API bool weft_vectors_index_recall(double *out, weft_vectors_index *index, uint32_t count,
                                        uint32_t probes, uint32_t samples);

typedef struct weft_vectors_index_info {
    uint32_t            dimension;
    weft_vectors_metric metric;
    uint64_t            count;
    uint64_t            bytes;      /* on the device                                        */
    uint32_t            lists;      /* of the inverted file; 0: every search is exact       */
    uint32_t            probes;     /* lists that a search reads                            */
    double              recall;     /* measured when they were trained; 1 if exact          */
} weft_vectors_index_info;

WEFT_API bool weft_vectors_index_get_info(weft_vectors_index_info *out,
                                          const weft_vectors_index *index);

/* A safetensors file with the tensors `vectors` [n, dimension] f32 and `ids` [n] i64, and those
 * of the inverted file. Replaces what is there in one step. */
WEFT_API bool weft_vectors_index_save(weft_vectors_index *index, const char *path);
/* Of `desc` only thresholds, capacity and label count: NULL means defaults. */
WEFT_API weft_vectors_index *weft_vectors_index_load(weft_context *ctx, const char *path,
                                                     const weft_vectors_index_desc *desc);

/* ---- self-organising map ---- */

typedef enum weft_vectors_grid {
    WEFT_VECTORS_HEXAGONAL = 0,     /* six neighbours; odd rows are shifted by half a unit   */
    WEFT_VECTORS_SQUARE,            /* eight neighbours                                      */
} weft_vectors_grid;

typedef enum weft_vectors_neighbourhood {
    WEFT_VECTORS_GAUSSIAN = 0,      /* exp(-d^2 / (2 radius^2))                             */
    WEFT_VECTORS_BUBBLE,            /* 1 up to the radius, 0 beyond                         */
} weft_vectors_neighbourhood;

/* How radius and rate go from start to end while t goes from 0 to 1. */
typedef enum weft_vectors_cooling {
    WEFT_VECTORS_EXPONENTIAL = 0,   /* start * (end / start)^t                              */
    WEFT_VECTORS_LINEAR,            /* start + (end - start) t                              */
    WEFT_VECTORS_INVERSE,           /* start / (1 + (start / end - 1) t)                    */
} weft_vectors_cooling;

typedef enum weft_vectors_init {
    WEFT_VECTORS_PLANE = 0,         /* along the first two principal components             */
    WEFT_VECTORS_SAMPLE,            /* rows of the first training, drawn by the seed        */
} weft_vectors_init;

/* How to make a map. Every field but the dimension may be left zero. */
typedef struct weft_vectors_map_desc {
    uint32_t dimension;
    uint32_t width, height;         /* units                          0: 32                 */
    weft_vectors_grid          grid;
    bool                       toroidal;    /* opposite borders are neighbours              */
    weft_vectors_neighbourhood neighbourhood;
    weft_vectors_cooling       cooling;
    double   radius_start;          /* in units                       0: half the larger side */
    double   radius_end;            /*                                0: 1                  */
    double   rate_start, rate_end;  /* of online training             0: 0.5 and 0.01       */
    uint64_t steps;                 /* vectors after which weft_vectors_map_update() has
                                       cooled down                    0: 20,000             */
    weft_vectors_init          init;
    bool     normalise;             /* rows are scaled to length 1                          */
    uint64_t seed;
    const char *label;              /* for messages                   NULL: "map"           */
} weft_vectors_map_desc;

WEFT_API weft_vectors_map *weft_vectors_map_create(weft_context *ctx,
                                                   const weft_vectors_map_desc *desc);
WEFT_API weft_vectors_map *weft_vectors_map_retain(weft_vectors_map *map);
WEFT_API void              weft_vectors_map_release(weft_vectors_map *map);
/* As it was resolved. */
WEFT_API const weft_vectors_map_desc *weft_vectors_map_get_desc(const weft_vectors_map *map);

typedef struct weft_vectors_training {
    uint32_t      epochs;           /* passes over all rows           0: 10                 */
    bool          online;           /* one row after the other        false: batch          */
    double        radius_start, radius_end; /*                        0: those of the map   */
    double        rate_start, rate_end;
    weft_progress progress;         /* after each epoch; cancelling keeps the epochs so far */
    void         *user;
} weft_vectors_training;

/* Trains the map from its first units on; the first call also chooses them. With the same rows,
 * seed and device the result is the same. options NULL: all defaults. */
WEFT_API bool weft_vectors_map_train(weft_vectors_map *map, const weft_vectors_rows *rows,
                                     const weft_vectors_training *options);
/* Takes rows as they arrive, online: radius and rate cool down over the `steps` of the map and
 * stay at their ends. */
WEFT_API bool weft_vectors_map_update(weft_vectors_map *map, const weft_vectors_rows *rows);

/* Where a row is on the map. */
typedef struct weft_vectors_place {
    uint32_t unit;                  /* nearest unit: y * width + x                          */
    uint32_t second;                /* second nearest                                       */
    float    distance;              /* from the row to the nearest unit's weights           */
} weft_vectors_place;

/* out[rows->count] */
WEFT_API bool weft_vectors_map_match(weft_vectors_place *out, weft_vectors_map *map,
                                     const weft_vectors_rows *rows);

typedef struct weft_vectors_quality {
    double quantisation_error;      /* mean distance from a row to its unit                 */
    double topographic_error;       /* share of rows whose two nearest units are no neighbours */
    double explained_variance;      /* 1 - squared distances to units / to the mean         */
} weft_vectors_quality;

WEFT_API bool weft_vectors_map_get_quality(weft_vectors_quality *out, weft_vectors_map *map,
                                           const weft_vectors_rows *rows);

/* The pictures of a map; `units` is width * height. All fail before the first training. */
WEFT_API bool weft_vectors_map_weights(float *out, weft_vectors_map *map);  /* [units][dimension] */
WEFT_API bool weft_vectors_map_plane(float *out, weft_vectors_map *map, uint32_t component);
/* The mean distance of each unit's weights to those of its neighbours. */
WEFT_API bool weft_vectors_map_umatrix(float *out, weft_vectors_map *map);
/* How many rows have each unit as the nearest. */
WEFT_API bool weft_vectors_map_hits(uint64_t *out, weft_vectors_map *map,
                                    const weft_vectors_rows *rows);
/* Where a unit is drawn: x, y in units; rows of a hexagonal grid are sqrt(3)/2 apart. */
WEFT_API void   weft_vectors_map_position(double out[2], const weft_vectors_map *map,
                                          uint32_t unit);
/* The distance of two units on the grid, around its borders if it is toroidal. */
WEFT_API double weft_vectors_map_distance(const weft_vectors_map *map, uint32_t a, uint32_t b);

/* Everything of a map as bytes, for files and stores; the same on every machine. size: at least
 * weft_vectors_map_state_size(). */
WEFT_API uint64_t weft_vectors_map_state_size(const weft_vectors_map *map);
WEFT_API bool     weft_vectors_map_state(void *out, uint64_t size, weft_vectors_map *map);
/* WEFT_ERROR_FORMAT if the bytes are no map. */
WEFT_API weft_vectors_map *weft_vectors_map_restore(weft_context *ctx, const void *state,
                                                    uint64_t size);

/* ---- projection ---- */

#define WEFT_VECTORS_MAX_COMPONENTS 16u

/* What keeps the picture still while the components change. */
typedef enum weft_vectors_align {
    WEFT_VECTORS_ROTATE = 0,        /* the rotation of the components that is nearest to the
                                       previous axes: a cloud never flips or turns more than
                                       the data demand                                      */
    WEFT_VECTORS_SIGN,              /* principal components by variance; only their signs
                                       follow the previous axes                             */
} weft_vectors_align;

typedef struct weft_vectors_projection_desc {
    uint32_t dimension;
    uint32_t components;            /* axes                           0: 3                  */
    weft_vectors_align align;
    double   half_life;             /* vectors after which an older one counts half
                                       0: all count the same                                */
    bool     normalise;             /* rows are scaled to length 1                          */
    const char *label;              /* NULL: "projection"                                   */
} weft_vectors_projection_desc;

WEFT_API weft_vectors_projection *
weft_vectors_projection_create(weft_context *ctx, const weft_vectors_projection_desc *desc);
WEFT_API weft_vectors_projection *weft_vectors_projection_retain(weft_vectors_projection *p);
WEFT_API void weft_vectors_projection_release(weft_vectors_projection *p);

/* Merges rows into mean and covariance, and moves the axes. */
WEFT_API bool weft_vectors_projection_update(weft_vectors_projection *p,
                                             const weft_vectors_rows *rows);
/* out[rows->count][components]: the rows without the mean, along the axes. Fails before the
 * first update. */
WEFT_API bool weft_vectors_projection_apply(float *out, weft_vectors_projection *p,
                                            const weft_vectors_rows *rows);

typedef struct weft_vectors_projection_info {
    uint32_t dimension, components;
    uint64_t count;                 /* vectors so far                                       */
    double   total;                 /* variance of all dimensions                           */
    double   variance[WEFT_VECTORS_MAX_COMPONENTS];     /* along each axis                  */
    double   share[WEFT_VECTORS_MAX_COMPONENTS];        /* of the total                     */
} weft_vectors_projection_info;

WEFT_API bool weft_vectors_projection_get_info(weft_vectors_projection_info *out,
                                               weft_vectors_projection *p);
/* axes[components][dimension] and mean[dimension]; either may be NULL. */
WEFT_API bool weft_vectors_projection_axes(float *axes, float *mean, weft_vectors_projection *p);

WEFT_API uint64_t weft_vectors_projection_state_size(const weft_vectors_projection *p);
WEFT_API bool     weft_vectors_projection_state(void *out, uint64_t size,
                                                weft_vectors_projection *p);
WEFT_API weft_vectors_projection *
weft_vectors_projection_restore(weft_context *ctx, const void *state, uint64_t size);

#ifdef __cplusplus
}
#endif

#endif
