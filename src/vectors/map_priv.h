// SPDX-License-Identifier: Apache-2.0
/*
 * map_priv.h - what a self-organising map consists of.
 *
 * Rows and weights are kept less a centre, the mean of the first training: the nearest unit is
 * found by products, which lose digits far from the origin.
 */
#ifndef WEFT_VECTORS_MAP_PRIV_H
#define WEFT_VECTORS_MAP_PRIV_H

#include "vectors/vectors_priv.h"

#define MAX_UNITS 65536u

struct weft_vectors_map {
    uint32_t      refs;
    weft_context *ctx;
    weft_vectors_map_desc desc;         /* resolved                                       */
    char         *label;
    Units         units;
    weft_buffer  *centre;               /* [dim]                                          */
    float        *centre_host;          /* the same                                       */
    bool          started;              /* units have been chosen                         */
    uint64_t      seen;                 /* rows of weft_vectors_map_update()              */
    uint64_t      random;
};

/* The struct Grid of kernels/grid.wgsl. */
typedef struct GridParams {
    uint32_t width, height, hexagonal, toroidal, bubble;
} GridParams;

GridParams map_grid(const weft_vectors_map *m);

/* True if the map is usable and has been trained; else an error. */
bool map_trained(weft_vectors_map *m);

/* All rows of a call on the device, checked and less the centre. */
typedef struct Resident {
    weft_buffer **chunks;               /* [chunk_count]: [rows + TILE][dim]              */
    uint32_t     *rows;                 /* of each chunk                                  */
    uint32_t      chunk_count, room;
    uint64_t      count;
    uint32_t      most;                 /* rows of a chunk                                */
} Resident;

/* The first rows of a map also choose its centre and its units. */
bool resident_load(Resident *s, weft_vectors_map *m, const weft_vectors_rows *rows);
void resident_fini(Resident *s);

/* First units (map_start.c). */
bool map_start(weft_vectors_map *m, const Resident *s);
/* The nearest units of a chunk, also in memory: near[rows][2]. */
bool map_nearest(weft_vectors_map *m, weft_buffer *nearest, uint32_t *near, weft_buffer *rows,
                 uint32_t count);

/* A training, resolved. */
typedef struct MapPace {
    double radius_start, radius_end, rate_start, rate_end;
} MapPace;

/* Trains row after row with a chunk (map_online.c), in a drawn order; t goes on by `step` with
 * each row. */
bool map_online(weft_vectors_map *m, weft_buffer *chunk, uint32_t rows, const MapPace *p,
                double t, double step);

/* start to end while t goes from 0 to 1 */
double map_cool(weft_vectors_cooling cooling, double start, double end, double t);
/* Are two units neighbours? */
bool   map_adjacent(const weft_vectors_map *m, uint32_t a, uint32_t b);

#endif
