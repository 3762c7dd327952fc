// SPDX-License-Identifier: Apache-2.0
/*
 * summary.c - the report of a solve for people.
 *
 * in     a solve that ended
 * out    text
 * knows  solver_priv.h
 * not    how it was solved
 */
#include "solve/solver_priv.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUMMARY_SIZE 4096

typedef struct Page {
    char  *text;
    size_t at;
} Page;

static void line(Page *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void line(Page *p, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(p->text + p->at, SUMMARY_SIZE - p->at, fmt, args);
    va_end(args);
    if (n > 0)
        p->at = p->at + (size_t)n < SUMMARY_SIZE ? p->at + (size_t)n : SUMMARY_SIZE - 1;
}

static void write_sizes(Page *p, const Solver *s)
{
    const weft_solve_result *r = &s->result;
    uint64_t instances = 0;
    for (uint32_t i = 0; i < s->p->terms.len; i++)
        instances += s->p->terms.data[i].count;
    line(p, "%s\n\n", s->p->label);
    line(p, "  parameters      %12u\n", r->parameters);
    line(p, "  free            %12u%s\n", r->free_parameters,
         s->space.bounded ? "  with bounds" : "");
    line(p, "  terms           %12u\n", s->p->terms.len);
    line(p, "  instances       %12llu\n", (unsigned long long)instances);
    line(p, "  residuals       %12llu\n", (unsigned long long)r->residuals);
    if (r->jacobian_entries > 0)
        line(p, "  Jacobian        %12llu entries\n", (unsigned long long)r->jacobian_entries);
    if (r->factor_entries > 0)
        line(p, "  factor          %12llu entries\n", (unsigned long long)r->factor_entries);
}

static void write_methods(Page *p, const Solver *s)
{
    const weft_solve_result *r = &s->result;
    const weft_device_info *device = weft_context_device(s->p->ctx);
    bool steps = r->method <= WEFT_SOLVE_GAUSS_NEWTON;
    line(p, "\n  method          %s\n", weft_solve_method_name(r->method));
    if (steps) {
        line(p, "  linear solver   %s", weft_solve_linear_name(r->linear));
        if (r->eliminated > 0)
            line(p, ", %u columns eliminated, %u left", r->eliminated,
                 r->free_parameters - r->eliminated);
        line(p, "%s\n", s->o.mixed ? ", f32 refined in f64" : "");
        line(p, "  threads         %u\n", r->threads);
    }
    line(p, "  device          %s\n", device ? device->name : "none");
}

static void write_costs(Page *p, const weft_solve_result *r)
{
    line(p, "\n  initial cost    %.10g\n", r->initial_cost);
    line(p, "  final cost      %.10g\n", r->final_cost);
    line(p, "  change          %.10g\n", r->initial_cost - r->final_cost);
    line(p, "  gradient        %.3g\n", r->gradient);
    line(p, "\n  iterations      %8u    %u accepted\n", r->iterations, r->accepted);
    line(p, "  evaluations     %8u    %u with derivatives\n", r->cost_evaluations,
         r->jacobian_evaluations);
    if (r->linear_solves > 0)
        line(p, "  linear systems  %8u    %u inner iterations\n", r->linear_solves,
             r->linear_iterations);
}

static void write_times(Page *p, const weft_solve_result *r)
{
    double rest = r->seconds - r->setup_seconds - r->cost_seconds - r->jacobian_seconds -
                  r->linear_seconds;
    line(p, "\n  time            %10.4f s\n", r->seconds);
    line(p, "    setup         %10.4f\n", r->setup_seconds);
    line(p, "    cost          %10.4f\n", r->cost_seconds);
    line(p, "    derivatives   %10.4f\n", r->jacobian_seconds);
    line(p, "    linear solver %10.4f\n", r->linear_seconds);
    line(p, "    other         %10.4f\n", fmax(rest, 0));
}

void summary_write(Solver *s)
{
    const weft_solve_result *r = &s->result;
    Page page = {malloc(SUMMARY_SIZE), 0};
    if (!page.text)
        return;
    page.text[0] = 0;
    write_sizes(&page, s);
    write_methods(&page, s);
    write_costs(&page, r);
    write_times(&page, r);
    line(&page, "\n  %s: %s\n", r->converged ? "converged" : "not converged",
         weft_solve_termination_sentence(r->termination));
    free(s->p->summary);
    s->p->summary = page.text;
}

const char *weft_solve_summary(weft_solve_problem *p)
{
    return p && p->summary ? p->summary : "";
}
