// SPDX-License-Identifier: Apache-2.0
/*
 * solve.c - `weft solve`: least squares from files and formulas.
 *
 * in     a BAL or g2o file; or a table and a formula
 * out    the solution, a summary for people or JSON for programs, pictures
 * knows  weft/solve.h, terminals
 * not    how problems are solved
 */
#include "cli/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const Option options[] = {
    {"start", 0, "NAME=VALUE", "fit: where a parameter starts; may be repeated"},
    {"bounds", 0, "NAME=LOW:HIGH", "fit: bounds of a parameter; either side may be empty"},
    {"fix", 0, "NAME=VALUE", "fit: keeps a parameter at a value"},
    {"observed", 0, "COLUMN", "fit: the column that the formula should equal"},
    {"sigma", 0, "COLUMN", "fit: the column with standard deviations"},
    {"trials", 0, "N", "fit: starts that are tried without --start (default: 2000)"},
    {"format", 0, "NAME", "bal or g2o (default: by the contents)"},
    {"method", 0, "NAME", "levenberg-marquardt (default), dogleg, gauss-newton, lbfgs, adam, ..."},
    {"linear", 0, "NAME", "dense-cholesky, dense-qr, sparse-cholesky, schur, conjugate-gradient"},
    {"loss", 0, "NAME:A", "huber, soft-l1, cauchy, arctan, tukey, with their scale"},
    {"iterations", 'n', "N", "most iterations"},
    {"tolerance", 0, "T", "relative decrease of the cost that ends the solve"},
    {"rate", 0, "R", "learning rate of adam, adamw and sgd"},
    {"time", 0, "SECONDS", "time limit"},
    {"precision", 0, "NAME", "f64 (default), f32 or mixed"},
    {"mixed", 0, NULL, "factorise matrices in f32 and refine in f64"},
    {"adapter", 0, "NAME", "cpu, vulkan, or a part of a name that 'weft devices' shows"},
    {"threads", 0, "N", "threads (default: one for each core)"},
    {"out", 'o', "FILE", "write the solved problem; fit: a table with the model"},
    {"plot", 0, "FILE.png", "draw before and after; fit: the points and the curve"},
    {"json", 0, NULL, "print JSON, for programs"},
    {"quiet", 'q', NULL, "no progress"},
    {0},
};

static const char more[] =
    "FILE is a bundle adjustment (BAL) or a pose graph (g2o). With fit, TABLE has columns of\n"
    "numbers, and FORMULA is the model, such as 'a*exp(-b*x) + c': names that are not columns are\n"
    "parameters. 'y = ...' says what it should equal; else it is the column y, or the last one.\n";

/* ---- shared ---- */

int solve_complain(const SolveRun *r)
{
    cli_complain(r->cli, "%s", weft_context_error(r->ctx)->message);
    return CLI_TROUBLE;
}

bool solve_progress(void *user, const weft_solve_iteration *i)
{
    SolveRun *r = user;
    if (r->quiet || !isatty(STDERR_FILENO))
        return true;
    fprintf(stderr, "\riteration %u   cost %.8g   gradient %.2e   %.1f s   ", i->iteration, i->cost,
            i->gradient, i->seconds);
    r->shown = true;
    return true;
}

void solve_progress_end(SolveRun *r)
{
    if (r->shown)
        fprintf(stderr, "\r%78s\r", "");
    r->shown = false;
}

void solve_json_number(Text *out, double value)
{
    if (isfinite(value))
        text_printf(out, "%.17g", value);
    else
        text_add(out, STR("null"));
}

void solve_result_json(Text *out, const weft_solve_result *r)
{
    text_printf(out, "\"termination\":\"%s\",\"converged\":%s,\"method\":\"%s\",\"linear\":\"%s\"",
                weft_solve_termination_name(r->termination), r->converged ? "true" : "false",
                weft_solve_method_name(r->method), weft_solve_linear_name(r->linear));
    text_add(out, STR(",\"initial_cost\":"));
    solve_json_number(out, r->initial_cost);
    text_add(out, STR(",\"final_cost\":"));
    solve_json_number(out, r->final_cost);
    text_printf(out, ",\"iterations\":%u,\"accepted\":%u,\"parameter_count\":%u,\"free\":%u,"
                "\"residuals\":%llu,\"seconds\":%.6f", r->iterations, r->accepted, r->parameters,
                r->free_parameters, (unsigned long long)r->residuals, r->seconds);
}

/* ---- options ---- */

static bool parse_loss(SolveRun *r)
{
    const char *value = NULL;
    char        name[32];
    double      a, b = 0;
    if (!options_find(r->cli, "loss", &value))
        return true;
    int fields = sscanf(value, "%31[a-z0-9-]:%lf:%lf", name, &a, &b);
    for (int k = WEFT_SOLVE_HUBER; fields >= 2 && k <= WEFT_SOLVE_TOLERANT; k++)
        if (strcmp(weft_solve_loss_name((weft_solve_loss_kind)k), name) == 0) {
            double out[3];
            r->loss = (weft_solve_loss){(weft_solve_loss_kind)k, a, b, NULL, NULL};
            r->has_loss = weft_solve_loss_evaluate(out, &r->loss, 1);
        }
    if (!r->has_loss)
        cli_complain(r->cli, "--loss: '%s' is not NAME:SCALE, such as huber:1.5", value);
    return r->has_loss;
}

static bool parse_names(SolveRun *r)
{
    static const char *const precisions[] = {"f64", "f32", "mixed", NULL};
    const char *value = NULL;
    uint32_t    precision = 0;
    if (options_find(r->cli, "method", &value) &&
        !weft_solve_method_find(&r->options.method, value)) {
        cli_complain(r->cli, "--method: unknown method '%s': expected "
                     "levenberg-marquardt, dogleg, gauss-newton, lbfgs, adam, adamw, sgd", value);
        return false;
    }
    if (options_find(r->cli, "linear", &value) &&
        !weft_solve_linear_find(&r->options.linear, value)) {
        cli_complain(r->cli, "--linear: unknown solver '%s': expected auto, "
                     "dense-cholesky, dense-qr, sparse-cholesky, schur, conjugate-gradient, "
                     "cholmod", value);
        return false;
    }
    if (!options_choice(r->cli, "precision", precisions, &precision))
        return false;
    r->precision = (weft_grad_precision)precision;
    return true;
}

static bool parse_options(SolveRun *r)
{
    Cli *cli = r->cli;
    r->quiet = options_given(cli, "quiet");
    r->json = options_given(cli, "json");
    r->options.mixed = options_given(cli, "mixed");
    r->options.callback = solve_progress;
    r->options.user = r;
    return parse_names(r) && parse_loss(r) &&
           options_uint(cli, "iterations", &r->options.max_iterations) &&
           options_uint(cli, "threads", &r->options.threads) &&
           options_real(cli, "tolerance", &r->options.cost_tolerance) &&
           options_real(cli, "rate", &r->options.learning_rate) &&
           options_real(cli, "time", &r->options.time_limit);
}

static int run(Cli *cli)
{
    SolveRun    r = {.cli = cli};
    const char *adapter = NULL;
    bool fit = cli->operands.len > 0 && strcmp(cli->operands.data[0], "fit") == 0;
    if (!parse_options(&r))
        return CLI_TROUBLE;
    if (cli->operands.len != (fit ? 3 : 1)) {
        cli_complain(cli, fit ? "fit needs a table and a formula: weft solve fit TABLE FORMULA"
                              : cli->operands.len ? "one file at a time"
                                                  : "no file; see 'weft help solve'");
        return CLI_TROUBLE;
    }
    options_find(cli, "adapter", &adapter);
    r.ctx = weft_context_create(&(weft_context_desc){.adapter = adapter,
                                                     .threads = r.options.threads});
    int status = weft_context_error(r.ctx)->kind ? solve_complain(&r)
               : fit ? solve_fit(&r) : solve_file(&r);
    weft_context_release(r.ctx);
    return status;
}

const Command cli_solve = {
    .name = "solve", .operands = "FILE | fit TABLE FORMULA",
    .purpose = "Solve least-squares problems and fit curves.", .more = more,
    .options = options, .run = run,
};
