// SPDX-License-Identifier: Apache-2.0
/*
 * vectors_project.c - `weft vectors project`: vectors along their principal components.
 *
 * in     a file of vectors
 * out    coordinates, shares of variance, a picture
 * knows  weft/vectors.h
 */
#include <stdlib.h>

#include "cli/vectors.h"

static const Option options[] = {
    {"components", 0, "N", "axes (default: 3)"},
    {"normalise", 0, NULL, "scale vectors to length 1 first"},
    {"out", 'o', "FILE.npy", "write the coordinates of each vector"},
    {"plot", 0, "FILE.png", "draw the first two axes, coloured by the third"},
    VECTORS_OPTIONS,
    {0},
};

static void print_info(Cli *cli, const weft_vectors_projection_info *info)
{
    bool   json = options_given(cli, "json");
    double sum = 0;
    text_printf(&cli->out, json ? "{\"vectors\":%llu,\"dimension\":%u,\"share\":["
                                : "%llu vectors of %u numbers\n",
                (unsigned long long)info->count, info->dimension);
    for (uint32_t i = 0; i < info->components; i++) {
        sum += info->share[i];
        if (json)
            text_printf(&cli->out, "%s%.6g", i ? "," : "", info->share[i]);
        else
            text_printf(&cli->out, "axis %u  %5.1f %% of the variance\n", i + 1,
                        100 * info->share[i]);
    }
    text_printf(&cli->out, json ? "],\"all\":%.6g}\n" : "all     %5.1f %%\n",
                json ? sum : 100 * sum);
}

static int write_points(VectorsFile *f, weft_vectors_projection *p, uint32_t components)
{
    const char *out = NULL, *plot = NULL;
    bool        any = options_find(f->cli, "out", &out) | options_find(f->cli, "plot", &plot);
    if (!any)
        return CLI_OK;
    float *points = malloc((f->count * components + 1) * sizeof *points);
    int    status = CLI_TROUBLE;
    if (!points || !weft_vectors_projection_apply(points, p, &f->rows))
        vectors_complain(f);
    else if ((!out || vectors_write_npy(f->cli, out, points, f->count, components))
             && (!plot || plot_cloud(f->cli, plot, points, f->count, components)))
        status = CLI_OK;
    free(points);
    return status;
}

static int project(VectorsFile *f)
{
    weft_vectors_projection_desc d = {.dimension = f->dimension,
                                      .components = MIN_OF(3, f->dimension),
                                      .normalise = options_given(f->cli, "normalise")};
    weft_vectors_projection_info info;
    if (!options_uint(f->cli, "components", &d.components))
        return CLI_TROUBLE;
    weft_vectors_projection *p = weft_vectors_projection_create(f->ctx, &d);
    int status = CLI_TROUBLE;
    if (!p || !weft_vectors_projection_update(p, &f->rows)
        || !weft_vectors_projection_get_info(&info, p))
        vectors_complain(f);
    else
        status = write_points(f, p, info.components);
    if (status == CLI_OK)
        print_info(f->cli, &info);
    weft_vectors_projection_release(p);
    return status;
}

static int run(Cli *cli)
{
    VectorsFile f;
    int status = vectors_open(&f, cli) ? project(&f) : CLI_TROUBLE;
    vectors_close(&f);
    return status;
}

const Command cli_vectors_project = {
    .name = "vectors project", .operands = "FILE",
    .purpose = "Show vectors along their principal components.",
    .more = "A FILE is .npy, .npz or .safetensors with a row of numbers for each vector.\n\n",
    .options = options, .run = run,
};
