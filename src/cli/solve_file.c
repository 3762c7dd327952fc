// SPDX-License-Identifier: Apache-2.0
/*
 * solve_file.c - `weft solve FILE`: bundle adjustments and pose graphs.
 *
 * in     a BAL or g2o file
 * out    a summary; the solved problem, pictures
 * knows  weft/solve.h
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/solve.h"

/* Positions of everything: cameras first, then points; or vertices. */
static double *positions(const weft_solve_file *f, const weft_solve_file_info *i, uint32_t *count)
{
    *count = i->cameras + i->points + i->poses + i->landmarks;
    double *out = malloc((3ull * *count + 1) * sizeof *out);
    for (uint32_t k = 0; out && k < *count; k++)
        weft_solve_file_position(out + 3ull * k, f, k < i->cameras,
                                 k < i->cameras ? k : k - i->cameras);
    return out;
}

static bool plot(SolveRun *r, weft_solve_file *f, const double *before, const char *path)
{
    weft_solve_file_info i;
    PlotCloud cloud = {.before = before};
    weft_solve_file_get_info(&i, f);
    double *after = positions(f, &i, &cloud.count);
    uint32_t *edges = malloc((2ull * i.edges + 1) * sizeof *edges);
    bool ok = after && edges;
    for (uint32_t k = 0; ok && k < i.edges; k++)
        weft_solve_file_edge(edges + 2ull * k, f, k);
    cloud.after = after;
    cloud.edges = edges;
    cloud.edge_count = i.edges;
    cloud.marked = i.cameras;
    cloud.space = i.dimensions == 3;
    if (ok)
        ok = plot_positions(r->cli, path, &cloud);
    else
        cli_complain(r->cli, "no memory for a picture");
    free(after);
    free(edges);
    return ok;
}

static void show(SolveRun *r, weft_solve_file *f, const weft_solve_result *result)
{
    weft_solve_file_info i;
    Text *out = &r->cli->out;
    weft_solve_file_get_info(&i, f);
    if (!r->json) {
        text_printf(out, "%s", weft_solve_summary(weft_solve_file_problem(f)));
        if (i.format == WEFT_SOLVE_FORMAT_BAL)
            text_printf(out, "  root mean square error: %.4f pixels before, %.4f after\n",
                        sqrt(2 * result->initial_cost / i.observations),
                        sqrt(2 * result->final_cost / i.observations));
        else
            text_printf(out, "  chi2: %.6g before, %.6g after\n", 2 * result->initial_cost,
                        2 * result->final_cost);
        return;
    }
    text_printf(out, "{\"format\":\"%s\",", i.format == WEFT_SOLVE_FORMAT_BAL ? "bal" : "g2o");
    if (i.format == WEFT_SOLVE_FORMAT_BAL)
        text_printf(out, "\"cameras\":%u,\"points\":%u,\"observations\":%u,", i.cameras, i.points,
                    i.observations);
    else
        text_printf(out, "\"poses\":%u,\"landmarks\":%u,\"edges\":%u,\"fixed\":%u,", i.poses,
                    i.landmarks, i.edges, i.fixed);
    solve_result_json(out, result);
    text_add(out, STR("}\n"));
}

/* Solves, shows, writes; false after a message. */
static bool work(SolveRun *r, weft_solve_file *f)
{
    const char *path = NULL;
    weft_solve_file_info info;
    weft_solve_result    result;
    uint32_t count;
    bool plotting = options_given(r->cli, "plot"), ok = true;
    weft_solve_file_get_info(&info, f);
    double *before = plotting ? positions(f, &info, &count) : NULL;
    ok = weft_solve(&result, weft_solve_file_x(f), weft_solve_file_problem(f), &r->options);
    solve_progress_end(r);
    if (!ok)
        solve_complain(r);
    else
        show(r, f, &result);
    if (ok && options_find(r->cli, "out", &path) && !(ok = weft_solve_file_save(f, path)))
        solve_complain(r);
    if (ok && options_find(r->cli, "plot", &path))
        ok = before && plot(r, f, before, path);
    free(before);
    return ok;
}

int solve_file(SolveRun *r)
{
    static const char *const formats[] = {"auto", "bal", "g2o", NULL};
    uint32_t format = 0;
    if (!options_choice(r->cli, "format", formats, &format))
        return CLI_TROUBLE;
    weft_solve_file *f = weft_solve_file_open(r->ctx, r->cli->operands.data[0],
                                              &(weft_solve_file_desc){
        .format = (weft_solve_format)format, .precision = r->precision,
        .loss = r->has_loss ? &r->loss : NULL});
    int status = !f ? solve_complain(r) : work(r, f) ? CLI_OK : CLI_TROUBLE;
    weft_solve_file_release(f);
    return status;
}
