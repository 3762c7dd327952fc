// SPDX-License-Identifier: Apache-2.0
/*
 * inspect.c - the public weft/kernel.h: the analysis of one kernel as an object.
 *
 * in     WGSL, an entry point, values of overrides
 * out    accesses, counts, hints, JSON, a rewritten kernel
 * knows  the stages up to the IR, and that memory may run out
 * not    how anything is found
 */
#include "inspect/inspect_priv.h"

#include <stdlib.h>
#include <string.h>

#include "check/module.h"
#include "lower/lower.h"
#include "opt/opt.h"
#include "syntax/syntax.h"

#define DEFAULT_MEMORY ((size_t)256 << 20)
#define REPORT_MEMORY  ((size_t)1 << 20)
#define MOST_LANES     32u
#define MOST_NAMES     256u              /* that values may be given for            */

/* ---- small things that all share ---- */

void inspect_place(const Inspect *n, Span span, uint32_t *line, uint32_t *column)
{
    Place p = line_table_place(&n->lines, span);
    *line = p.line;
    *column = p.column;
}

weft_kernel_count inspect_count(Inspect *n, const Symbol *s)
{
    weft_kernel_count c = {
        .text = symbol_text(&n->symbols, s), .value = symbol_value(s, NULL, 0, 1),
        .known = symbol_is_number(s), .id = n->counts.len,
    };
    VEC_PUSH(&n->arena, &n->counts, *s);
    return c;
}

/* ---- front end and passes ---- */

static bool is_compute(const Decl *entry)
{
    return entry->fn.info->stage == STAGE_COMPUTE;
}

static const Decl *find_entry(Inspect *n, const char *name)
{
    const Decl *found = NULL;
    uint32_t    count = 0;
    for (uint32_t i = 0; i < n->module->info->entry_points.len; i++) {
        const Decl *e = n->module->info->entry_points.data[i];
        if (!is_compute(e) || (name && !str_eq(ident_text(e->ident), str_of(name))))
            continue;
        found = e;
        count++;
    }
    if (count == 1)
        return found;
    n->error = count   ? "the module has several compute entry points: name one"
               : name ? arena_printf(&n->arena, "the module has no compute entry point '%s'", name)
                      : "the module has no compute entry point";
    return NULL;
}

static const OverrideSetting *settings_of(Inspect *n, const weft_kernel_desc *d)
{
    OverrideSetting *s = ARENA_ARRAY(&n->arena, OverrideSetting, d->constant_count);
    for (uint32_t i = 0; i < d->constant_count; i++)
        s[i] = (OverrideSetting){str_of(d->constants[i].key), d->constants[i].value};
    return s;
}

/* Values instead of variables, and nothing merged: each access of the text stays one. */
static void simplify(Ir *ir)
{
    opt_promote(ir);
    opt_simplify(ir);
    opt_prune(ir);
    opt_unsigned(ir);
    opt_drop_vars(ir);
}

static bool to_ir(Inspect *n, const weft_kernel_desc *d)
{
    static const CheckOptions everything;
    Specialization special = {0};
    size_t size = d->wgsl_size ? d->wgsl_size : strlen(d->wgsl);
    if (size > SYNTAX_MAX_SOURCE) {
        n->error = "the source text is too long";
        return false;
    }
    Str source = {d->wgsl, (uint32_t)size};
    n->module = syntax_parse(&n->arena, source, &n->diag);
    line_table_init(&n->lines, &n->arena, n->module->source);
    if (!check_module(n->module, &everything, &n->diag) || n->diag.errors)
        return false;
    n->entry = find_entry(n, d->entry);
    if (!n->entry || !check_specialize(&special, &n->arena, n->module, n->entry,
                                       settings_of(n, d), d->constant_count, &n->diag))
        return false;
    n->info.workgroup_memory = special.workgroup_bytes;
    n->ir = lower_entry_point(&n->arena, n->module, n->entry, &special, &n->diag);
    if (n->ir)
        simplify(n->ir);
    return n->ir != NULL;
}

/* ---- the analysis ---- */

/* A power of two that divides the rows of the workgroup. */
static uint32_t row_lanes(const Ir *ir)
{
    const uint32_t *size = ir->workgroup_size;
    uint32_t row = size[0] > 1 ? size[0] : size[1], lanes = 1;
    while (lanes < MOST_LANES && row % (2 * lanes) == 0)
        lanes *= 2;
    return lanes;
}

static void fill_info(Inspect *n)
{
    weft_kernel_info *i = &n->info;
    i->entry = arena_printf(&n->arena, "%.*s", STR_ARG(n->ir->name));
    memcpy(i->workgroup_size, n->ir->workgroup_size, sizeof i->workgroup_size);
    i->registers = registers_estimate(n);
    i->float_operations = inspect_count(n, &n->floats);
    i->integer_operations = inspect_count(n, &n->integers);
    i->functions = inspect_count(n, &n->functions);
    i->bytes_read = inspect_count(n, &n->read);
    i->bytes_written = inspect_count(n, &n->written);
    double operations = symbol_value(&n->floats, NULL, 0, 1000) +
                        symbol_value(&n->functions, NULL, 0, 1000);
    double bytes = symbol_value(&n->read, NULL, 0, 1000) +
                   symbol_value(&n->written, NULL, 0, 1000);
    i->intensity = bytes > 0 ? operations / bytes : 0;
}

static void note_owners(Inspect *n, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        for (uint32_t i = 0; i < inst->flow.nresults; i++)
            n->owners[inst->flow.results[i]->id] = inst;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            note_owners(n, inst->flow.regions[i]);
    }
}

static void work(void *context)
{
    weft_kernel *k = context;
    Inspect     *n = &k->inspect;
    if (!to_ir(n, &k->desc))
        return;
    uint32_t lanes = row_lanes(n->ir);
    n->facts = analysis_run(&n->arena, n->ir, lanes, lanes);
    for (uint32_t axis = 0; axis < 3; axis++)
        n->steps[axis] = ARENA_ARRAY(&n->arena, Step, n->ir->next_id);
    n->owners = ARENA_ARRAY(&n->arena, const Inst *, n->ir->next_id);
    note_owners(n, n->ir->body);
    walk_run(n);
    resize_run(n);
    extent_run(n);
    fill_info(n);
    hints_run(n);
    rewrite_run(n);
    k->ok = true;
}

/* The first diagnostic, in one sentence with its place. */
static void report(void *context)
{
    Inspect *n = &((weft_kernel *)context)->inspect;
    if (n->error)
        return;
    n->error = "the kernel cannot be analysed";
    for (uint32_t i = 0; i < n->diag.list.len; i++) {
        const Diagnostic *d = &n->diag.list.data[i];
        uint32_t line, column;
        if (d->severity != SEVERITY_ERROR)
            continue;
        inspect_place(n, d->span, &line, &column);
        n->error = arena_printf(&n->arena, "%u:%u: %s", line, column, d->message);
        return;
    }
}

weft_kernel *weft_kernel_create(const weft_kernel_desc *desc)
{
    weft_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    Inspect *n = &k->inspect;
    k->desc = *desc;
    arena_init(&n->arena, desc->memory_limit ? desc->memory_limit : DEFAULT_MEMORY);
    n->diag.arena = &n->arena;
    n->symbols.arena = &n->arena;
    if (!desc->wgsl)
        n->error = "no WGSL was given";
    else if (!arena_try(&n->arena, work, k))
        n->error = "the analysis needs more memory than it may use";
    if (!k->ok) {
        n->arena.limit += REPORT_MEMORY;
        if (!arena_try(&n->arena, report, k) && !n->error)
            n->error = "the kernel cannot be analysed";
    }
    return k;
}

void weft_kernel_release(weft_kernel *k)
{
    if (k)
        arena_fini(&k->inspect.arena);
    free(k);
}

/* ---- answers ---- */

const char *weft_kernel_error(const weft_kernel *k)
{
    return k->ok ? NULL : k->inspect.error;
}

void weft_kernel_get_info(weft_kernel_info *out, const weft_kernel *k)
{
    *out = k->ok ? k->inspect.info : (weft_kernel_info){0};
}

uint32_t weft_kernel_access_count(const weft_kernel *k)
{
    return k->ok ? k->inspect.accesses.len : 0;
}

const weft_kernel_access *weft_kernel_access_get(const weft_kernel *k, uint32_t index)
{
    return index < weft_kernel_access_count(k) ? &k->inspect.accesses.data[index] : NULL;
}

uint32_t weft_kernel_hint_count(const weft_kernel *k)
{
    return k->ok ? k->inspect.hints.len : 0;
}

const weft_kernel_hint *weft_kernel_hint_get(const weft_kernel *k, uint32_t index)
{
    return index < weft_kernel_hint_count(k) ? &k->inspect.hints.data[index] : NULL;
}

const char *weft_kernel_name_get(const weft_kernel *k, uint32_t index)
{
    return k->ok && index < k->inspect.symbols.names.len ? k->inspect.symbols.names.data[index]
                                                         : NULL;
}

double weft_kernel_count_value(const weft_kernel *k, const weft_kernel_count *count,
                               const weft_override_value *names, uint32_t name_count)
{
    const Inspect *n = &k->inspect;
    if (!k->ok || count->id >= n->counts.len)
        return 0;
    double values[MOST_NAMES];
    uint32_t most = MIN_OF(n->symbols.names.len, MOST_NAMES);
    for (uint32_t i = 0; i < most; i++) {
        values[i] = 1;
        for (uint32_t m = 0; m < name_count; m++)
            if (strcmp(n->symbols.names.data[i], names[m].key) == 0)
                values[i] = names[m].value;
    }
    return symbol_value(&n->counts.data[count->id], values, most, 1);
}

const char *weft_kernel_pattern_name(weft_kernel_pattern pattern)
{
    static const char *const names[] = {NULL, "uniform", "contiguous", "strided", "gathered"};
    return (uint32_t)pattern < COUNTOF(names) ? names[pattern] : NULL;
}

static void write_json(void *context)
{
    Inspect *n = context;
    n->json = json_write(n);
}

const char *weft_kernel_json(weft_kernel *k)
{
    Inspect *n = &k->inspect;
    if (!n->json && k->ok && !arena_try(&n->arena, write_json, n))
        return NULL;
    return n->json;
}

bool weft_kernel_optimize(weft_kernel_optimized *out, weft_kernel *k)
{
    *out = k->ok ? k->inspect.optimized : (weft_kernel_optimized){0};
    return k->ok;
}

typedef struct Resizing {
    Inspect    *n;
    uint32_t    size[3];
    const char *text;
} Resizing;

static void resize(void *context)
{
    Resizing *r = context;
    r->text = rewrite_size(r->n, r->size);
}

const char *weft_kernel_resize(weft_kernel *k, const uint32_t size[3])
{
    Resizing r = {.n = &k->inspect, .size = {size[0], size[1], size[2]}};
    if (!k->ok || !k->inspect.info.resizable || !size[0] || !size[1] || !size[2])
        return NULL;
    return arena_try(&k->inspect.arena, resize, &r) ? r.text : NULL;
}
