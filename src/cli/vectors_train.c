// SPDX-License-Identifier: Apache-2.0
/*
 * vectors_train.c - `weft vectors train`: a self-organising map of a file of vectors.
 *
 * in     a file of vectors
 * out    figures, a picture, the map as a file, the place of each vector
 * knows  weft/vectors.h
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/vectors.h"

static const char *const coolings[] = {"exponential", "linear", "inverse", NULL};
static const char *const shows[] = {"umatrix", "hits", "component", NULL};

static const Option options[] = {
    {"map", 0, "WxH", "units of the map (default: 32x32)"},
    {"square", 0, NULL, "a square grid instead of a hexagonal one"},
    {"toroidal", 0, NULL, "opposite borders are neighbours"},
    {"bubble", 0, NULL, "a neighbourhood with a border instead of a bell"},
    {"cooling", 0, "HOW", "exponential (default), linear, inverse"},
    {"epochs", 0, "N", "passes over all vectors (default: 10)"},
    {"online", 0, NULL, "one vector after the other instead of batches"},
    {"radius", 0, "R", "radius to begin with, in units (default: half the map)"},
    {"normalise", 0, NULL, "scale vectors to length 1 first"},
    {"seed", 0, "N", "for everything that is drawn (default: 0)"},
    {"plot", 0, "FILE.png", "draw the map"},
    {"show", 0, "WHAT", "umatrix (default), hits, or component (see --component)"},
    {"component", 0, "N", "the component that --show=component draws"},
    {"places", 0, "FILE.npy", "write unit, second unit and distance of each vector"},
    {"out", 'o', "FILE", "write the map, to go on with --from"},
    {"from", 0, "FILE", "go on with a map that --out wrote"},
    VECTORS_OPTIONS,
    {0},
};

/* ---- the map ---- */

static bool read_size(Cli *cli, weft_vectors_map_desc *d)
{
    const char *text = NULL;
    char        rest;
    if (!options_find(cli, "map", &text))
        return true;
    if (sscanf(text, "%" SCNu32 "x%" SCNu32 "%c", &d->width, &d->height, &rest) == 2
        && d->width && d->height)
        return true;
    cli_complain(cli, "--map: '%s' is not WIDTHxHEIGHT, such as 20x12", text);
    return false;
}

static weft_vectors_map *restore(VectorsFile *f, const char *path)
{
    Source s = input_read_limited(&f->cli->arena, path, UINT32_MAX);
    weft_vectors_map *map = NULL;
    if (s.why)
        cli_complain(f->cli, "%s: %s", path, s.why);
    else if (!(map = weft_vectors_map_restore(f->ctx, s.text, s.size)))
        vectors_complain(f);
    else if (weft_vectors_map_get_desc(map)->dimension != f->dimension) {
        cli_complain(f->cli, "%s: the map is for vectors of %u numbers, not %u", path,
                     weft_vectors_map_get_desc(map)->dimension, f->dimension);
        weft_vectors_map_release(map);
        map = NULL;
    }
    input_release(&s);
    return map;
}

static weft_vectors_map *make_map(VectorsFile *f)
{
    Cli        *cli = f->cli;
    const char *from = NULL;
    uint32_t    cooling = 0, seed = 0;
    if (options_find(cli, "from", &from))
        return restore(f, from);
    weft_vectors_map_desc d = {
        .dimension = f->dimension, .toroidal = options_given(cli, "toroidal"),
        .grid = options_given(cli, "square") ? WEFT_VECTORS_SQUARE : WEFT_VECTORS_HEXAGONAL,
        .neighbourhood = options_given(cli, "bubble") ? WEFT_VECTORS_BUBBLE
                                                      : WEFT_VECTORS_GAUSSIAN,
        .normalise = options_given(cli, "normalise")};
    if (!read_size(cli, &d) || !options_choice(cli, "cooling", coolings, &cooling)
        || !options_uint(cli, "seed", &seed))
        return NULL;
    d.cooling = (weft_vectors_cooling)cooling;
    d.seed = seed;
    weft_vectors_map *map = weft_vectors_map_create(f->ctx, &d);
    if (!map)
        vectors_complain(f);
    return map;
}

/* ---- results ---- */

static bool write_map(VectorsFile *f, weft_vectors_map *map, const char *path)
{
    uint64_t size = weft_vectors_map_state_size(map);
    void    *bytes = malloc(size);
    FILE    *file = bytes && weft_vectors_map_state(bytes, size, map) ? fopen(path, "wbe") : NULL;
    bool     ok = file && fwrite(bytes, 1, size, file) == size;
    ok = (!file || fclose(file) == 0) && ok;
    free(bytes);
    if (!ok)
        cli_complain(f->cli, "%s: it cannot be written", path);
    return ok;
}

static bool write_places(VectorsFile *f, weft_vectors_map *map, const char *path)
{
    weft_vectors_place *places = malloc((f->count + 1) * sizeof *places);
    float              *rows = malloc((f->count + 1) * 3 * sizeof *rows);
    bool ok = places && rows && weft_vectors_map_match(places, map, &f->rows);
    if (!ok)
        vectors_complain(f);
    for (uint64_t i = 0; ok && i < f->count; i++) {
        rows[3 * i] = (float)places[i].unit;
        rows[3 * i + 1] = (float)places[i].second;
        rows[3 * i + 2] = places[i].distance;
    }
    ok = ok && vectors_write_npy(f->cli, path, rows, f->count, 3);
    free(places);
    free(rows);
    return ok;
}

/* The values that the picture shows. */
static bool picture_values(VectorsFile *f, weft_vectors_map *map, float *values, uint32_t units)
{
    uint32_t show = 0, component = 0;
    if (!options_choice(f->cli, "show", shows, &show)
        || !options_uint(f->cli, "component", &component))
        return false;
    bool ok = true;
    if (show == 0) {
        ok = weft_vectors_map_umatrix(values, map);
    } else if (show == 2) {
        ok = weft_vectors_map_plane(values, map, component);
    } else {
        uint64_t *hits = calloc(units, sizeof *hits);
        ok = hits && weft_vectors_map_hits(hits, map, &f->rows);
        for (uint32_t i = 0; ok && i < units; i++)
            values[i] = (float)hits[i];
        free(hits);
    }
    if (!ok)
        vectors_complain(f);
    return ok;
}

static bool write_all(VectorsFile *f, weft_vectors_map *map)
{
    const char *path = NULL;
    const weft_vectors_map_desc *d = weft_vectors_map_get_desc(map);
    uint32_t    units = d->width * d->height;
    if (options_find(f->cli, "out", &path) && !write_map(f, map, path))
        return false;
    if (options_find(f->cli, "places", &path) && !write_places(f, map, path))
        return false;
    if (!options_find(f->cli, "plot", &path))
        return true;
    float *values = arena_alloc_array(&f->cli->arena, units, sizeof *values);
    return picture_values(f, map, values, units) && plot_map(f->cli, path, map, values);
}

static void print_quality(Cli *cli, const VectorsFile *f, const weft_vectors_map *map,
                          const weft_vectors_quality *q)
{
    const weft_vectors_map_desc *d = weft_vectors_map_get_desc(map);
    const char *grid = d->grid == WEFT_VECTORS_SQUARE ? "square" : "hexagonal";
    if (options_given(cli, "json"))
        text_printf(&cli->out, "{\"vectors\":%llu,\"dimension\":%u,\"width\":%u,\"height\":%u,"
                    "\"grid\":\"%s\",\"toroidal\":%s,\"quantisation_error\":%.6g,"
                    "\"topographic_error\":%.6g,\"explained_variance\":%.6g}\n",
                    (unsigned long long)f->count, f->dimension, d->width, d->height, grid,
                    d->toroidal ? "true" : "false", q->quantisation_error,
                    q->topographic_error, q->explained_variance);
    else
        text_printf(&cli->out, "%llu vectors of %u numbers on %u x %u units, %s%s\n"
                    "quantisation error  %.3f\ntopographic error   %.3f\n"
                    "explained variance  %.3f\n", (unsigned long long)f->count, f->dimension,
                    d->width, d->height, grid, d->toroidal ? ", toroidal" : "",
                    q->quantisation_error, q->topographic_error, q->explained_variance);
}

static int train(VectorsFile *f)
{
    weft_vectors_training t = {.online = options_given(f->cli, "online")};
    weft_vectors_quality  q;
    if (!options_uint(f->cli, "epochs", &t.epochs)
        || !options_real(f->cli, "radius", &t.radius_start))
        return CLI_TROUBLE;
    weft_vectors_map *map = make_map(f);
    int status = CLI_TROUBLE;
    if (map && (!weft_vectors_map_train(map, &f->rows, &t)
                || !weft_vectors_map_get_quality(&q, map, &f->rows)))
        vectors_complain(f);
    else if (map && write_all(f, map)) {
        print_quality(f->cli, f, map, &q);
        status = CLI_OK;
    }
    weft_vectors_map_release(map);
    return status;
}

static int run(Cli *cli)
{
    VectorsFile f;
    int status = vectors_open(&f, cli) ? train(&f) : CLI_TROUBLE;
    vectors_close(&f);
    return status;
}

const Command cli_vectors_train = {
    .name = "vectors train", .operands = "FILE",
    .purpose = "Train a self-organising map, and draw it.",
    .more = "A FILE is .npy, .npz or .safetensors with a row of numbers for each vector.\n\n",
    .options = options, .run = run,
};
