// SPDX-License-Identifier: Apache-2.0
/*
 * interface.c - the inputs and outputs of entry points.
 *
 * in     typed functions and structures with their IoAttrs
 * out    diagnostics
 * knows  WGSL 13.3.1 (inter-stage input and output interface)
 * not    what the attributes say (attr.c), resources (reach.c)
 */
#include <stdlib.h>

#include "check/check_priv.h"

/* ---- one input or output ---- */

/* A parameter, a result, or a member of one that is a structure. */
typedef struct Slot {
    const IoAttrs *io;
    const Type    *type;
    Str            name;                /* empty for a result                    */
    Span           span;                /* of the name; for a result of its type */
} Slot;

static Slot slot_of_member(const Member *m)
{
    return (Slot){m->io, m->type, ident_text(m->ident), m->ident.span};
}

static Slot slot_of_param(const Decl *param)
{
    return (Slot){param->var.io, param->type, ident_text(param->ident), param->ident.span};
}

static Slot slot_of_result(const Decl *fn)
{
    return (Slot){fn->fn.info->result_io, fn->type, STR(""), fn->fn.result_expr->span};
}

static bool has_io(const IoAttrs *io)
{
    return io->builtin != IO_NO_BUILTIN || io->has_location || io->failed;
}

/* ---- what the attributes ask of the type; true for structures not used as
 * input or output, too ---- */

static bool is_numeric(const Type *t)
{
    const Type *scalar = t->kind == TYPE_VECTOR ? t->vector.of : t;
    return type_is_numeric_scalar(scalar) && scalar->kind != TYPE_F64;
}

static void check_slot_type(Checker *c, const Slot *s)
{
    if (s->io->failed || s->type->kind == TYPE_ERROR)
        return;
    if (s->io->builtin != IO_NO_BUILTIN
        && !io_builtin_fits(c->types, s->io->builtin, s->type))
        diag_add(c->diag, DIAG_builtin_value_type, s->span,
                 "the builtin value '%s' has the type '%s', not '%s'",
                 io_builtin_name(s->io->builtin),
                 io_builtin_type(c->arena, c->types, s->io->builtin),
                 type_string(c->arena, s->type));
    else if (s->io->builtin == IO_NO_BUILTIN && s->io->has_location && !is_numeric(s->type))
        diag_add(c->diag, DIAG_invalid_io_type, s->span,
                 "a '@location' holds a number or a vector of numbers, not '%s'",
                 type_string(c->arena, s->type));
}

/* ---- locations ---- */

typedef VEC(Slot) Slots;

static int compare_locations(const void *left, const void *right)
{
    const Slot *x = left, *y = right;
    if (x->io->location != y->io->location)
        return x->io->location < y->io->location ? -1 : 1;
    return x->span.start < y->span.start ? -1 : x->span.start > y->span.start;
}

/* Sorts the slots; reports those with the same location. */
static void check_distinct(Checker *c, Slots *slots)
{
    if (slots->len)
        qsort(slots->data, slots->len, sizeof *slots->data, compare_locations);
    for (uint32_t i = 1; i < slots->len; i++) {
        const Slot *first = &slots->data[i - 1], *again = &slots->data[i];
        if (first->io->location != again->io->location)
            continue;
        Diagnostic *d = diag_add(c->diag, DIAG_duplicate_location, again->io->span,
                                 "the location %u is taken by '%.*s' already",
                                 again->io->location, STR_ARG(first->name));
        diag_note(c->diag, d, first->io->span, "it is taken here");
    }
}

static void collect_location(Checker *c, Slots *slots, Slot s)
{
    if (s.io->has_location && !s.io->failed)
        VEC_PUSH(c->arena, slots, s);
}

/* ---- structures, whatever they are used for ---- */

/* With @blend_src: exactly @location(0) @blend_src(0) and @location(0)
 * @blend_src(1), of one type. */
static void check_blending(Checker *c, const Slots *slots, const Slot *blended)
{
    const Slot *by_src[2] = {0};
    for (uint32_t i = 0; i < slots->len; i++) {
        const Slot *s = &slots->data[i];
        if (!s->io->has_blend_src || s->io->location != 0 || by_src[s->io->blend_src]) {
            diag_add(c->diag, DIAG_invalid_blend_src, s->io->span,
                     "a structure with '@blend_src' has two locations: "
                     "'@location(0) @blend_src(0)' and '@location(0) @blend_src(1)'");
            return;
        }
        by_src[s->io->blend_src] = s;
    }
    if (!by_src[0] || !by_src[1]) {
        diag_add(c->diag, DIAG_invalid_blend_src, blended->io->span,
                 "'@location(0) @blend_src(%d)' is missing in the structure", by_src[0] ? 1 : 0);
        return;
    }
    if (by_src[0]->type != by_src[1]->type) {
        Diagnostic *d = diag_add(c->diag, DIAG_invalid_blend_src, by_src[1]->span,
                                 "both sources of a blending have one type; this one is '%s'",
                                 type_string(c->arena, by_src[1]->type));
        diag_note(c->diag, d, by_src[0]->span, "the other one is '%s'",
                  type_string(c->arena, by_src[0]->type));
    }
}

static void check_struct_io(Checker *c, const Decl *s)
{
    Slots slots = {0};
    const Slot *blended = NULL;
    for (uint32_t i = 0; i < s->structure.nmembers; i++) {
        Slot slot = slot_of_member(&s->structure.members[i]);
        check_slot_type(c, &slot);
        collect_location(c, &slots, slot);
    }
    for (uint32_t i = 0; i < slots.len && !blended; i++)
        if (slots.data[i].io->has_blend_src)
            blended = &slots.data[i];
    if (blended)
        check_blending(c, &slots, blended);
    else
        check_distinct(c, &slots);
}

/* ---- entry points ---- */

/* The inputs, or the outputs, of an entry point on the way through them. */
typedef struct Side {
    const Decl *entry;
    Stage       stage;
    bool        input;
    Slot        builtins[IO_BUILTIN_COUNT]; /* found so far; io NULL: not        */
    Slots      *locations;
} Side;

/* Inputs and outputs of all entry points together. Real modules have hundreds;
 * many entry points that share one large structure must not take minutes. */
#define MAX_SLOTS (1u << 24)

typedef struct Entries {
    Slots    inputs;                    /* with a location, of one at a time     */
    uint64_t slots;                     /* seen so far                           */
} Entries;

static const char *stage_name(Stage stage)
{
    static const char *const names[] = {
        [STAGE_NONE] = "", [STAGE_VERTEX] = "vertex", [STAGE_FRAGMENT] = "fragment",
        [STAGE_COMPUTE] = "compute",
    };
    return names[stage];
}

static void note_entry(Checker *c, Diagnostic *d, const Decl *entry)
{
    diag_note(c->diag, d, entry->ident.span, "'%.*s' is a %s shader",
              STR_ARG(ident_text(entry->ident)), stage_name(entry->fn.info->stage));
}

static void check_builtin(Checker *c, Side *side, const Slot *s)
{
    IoBuiltin builtin = s->io->builtin;
    if (!io_builtin_in(builtin, side->stage, side->input)) {
        Diagnostic *d = diag_add(c->diag, DIAG_builtin_value_stage, s->io->span,
                                 "the builtin value '%s' is a %s, not a %s %s",
                                 io_builtin_name(builtin),
                                 io_builtin_places(c->arena, builtin),
                                 stage_name(side->stage), side->input ? "input" : "output");
        note_entry(c, d, side->entry);
        return;
    }
    const Slot *first = &side->builtins[builtin];
    if (first->io) {
        Diagnostic *d = diag_add(c->diag, DIAG_duplicate_builtin_value, s->io->span,
                                 "'%.*s' has the builtin value '%s' already",
                                 STR_ARG(ident_text(side->entry->ident)),
                                 io_builtin_name(builtin));
        diag_note(c->diag, d, first->io->span, "it is declared here");
        return;
    }
    side->builtins[builtin] = *s;
}

static void check_flat(Checker *c, const Side *side, const Slot *s)
{
    bool interpolated = side->stage == (side->input ? STAGE_FRAGMENT : STAGE_VERTEX);
    if (!interpolated || !type_is_integer_scalar(type_scalar_of(s->type))
        || s->io->interpolate == INTERPOLATE_FLAT)
        return;
    Diagnostic *d = diag_add(c->diag, DIAG_invalid_interpolation, s->io->span,
                             "integers cannot be interpolated: '%s' needs "
                             "'@interpolate(flat)'", type_string(c->arena, s->type));
    note_entry(c, d, side->entry);
}

static void check_location(Checker *c, Side *side, const Slot *s)
{
    const char *direction = side->input ? "input" : "output";
    if (side->stage == STAGE_COMPUTE) {
        Diagnostic *d = diag_add(c->diag, DIAG_compute_interface, s->io->span,
                                 "a compute shader has no user-defined %ss", direction);
        note_entry(c, d, side->entry);
        return;
    }
    if (s->io->has_blend_src && (side->input || side->stage != STAGE_FRAGMENT)) {
        Diagnostic *d = diag_add(c->diag, DIAG_invalid_blend_src, s->io->span,
                                 "'@blend_src' belongs to the output of fragment shaders");
        note_entry(c, d, side->entry);
        return;
    }
    if (is_numeric(s->type))
        check_flat(c, side, s);
    if (side->input)
        collect_location(c, side->locations, *s);
}

static void report_no_io(Checker *c, const Side *side, const Slot *s)
{
    Diagnostic *d;
    const char *direction = side->input ? "input" : "output";
    if (s->type->kind == TYPE_STRUCT)
        d = diag_add(c->diag, DIAG_invalid_io_type, s->span,
                     "the structure of an %s cannot hold another structure", direction);
    else if (s->name.len)
        d = diag_add(c->diag, DIAG_missing_io_attribute, s->span,
                     "the %s '%.*s' needs '@builtin' or '@location'", direction,
                     STR_ARG(s->name));
    else
        d = diag_add(c->diag, DIAG_missing_io_attribute, s->span,
                     "the result needs '@builtin' or '@location'");
    note_entry(c, d, side->entry);
}

static void check_slot(Checker *c, Side *side, const Slot *s)
{
    if (s->io->failed || s->type->kind == TYPE_ERROR)
        return;
    if (s->io->builtin != IO_NO_BUILTIN)
        check_builtin(c, side, s);
    else if (s->io->has_location)
        check_location(c, side, s);
    else
        report_no_io(c, side, s);
}

/* A parameter or the result: one slot, or a structure of them. */
static void check_part(Checker *c, Side *side, const Slot *s)
{
    if (s->type->kind != TYPE_STRUCT || has_io(s->io)) {
        check_slot_type(c, s);
        check_slot(c, side, s);
        return;
    }
    const Decl *d = s->type->structure.decl;
    for (uint32_t i = 0; i < d->structure.nmembers; i++) {
        Slot member = slot_of_member(&d->structure.members[i]);
        check_slot(c, side, &member);
    }
}

static uint64_t count_slots(const Type *t)
{
    return t->kind == TYPE_STRUCT ? t->structure.decl->structure.nmembers : 1;
}

/* Counts the inputs and outputs of `entry`; false if there are too many, which is
 * reported once. */
static bool within_limit(Checker *c, const Decl *entry, Entries *entries)
{
    if (entries->slots > MAX_SLOTS)
        return false;
    entries->slots += count_slots(entry->type);
    for (uint32_t i = 0; i < entry->fn.nparams; i++)
        entries->slots += count_slots(entry->fn.params[i]->type);
    if (entries->slots > MAX_SLOTS)
        diag_add(c->diag, DIAG_limit_exceeded, entry->ident.span,
                 "the entry points of the module have too many inputs and outputs");
    return entries->slots <= MAX_SLOTS;
}

static void check_inputs(Checker *c, const Decl *entry, Slots *locations)
{
    Side side = {.entry = entry, .stage = entry->fn.info->stage, .input = true,
                 .locations = locations};
    locations->len = 0;
    for (uint32_t i = 0; i < entry->fn.nparams; i++) {
        Slot s = slot_of_param(entry->fn.params[i]);
        check_part(c, &side, &s);
    }
    check_distinct(c, locations);
}

static void check_outputs(Checker *c, const Decl *entry)
{
    Side side = {.entry = entry, .stage = entry->fn.info->stage};
    if (entry->fn.result_expr && entry->type->kind != TYPE_ERROR) {
        Slot s = slot_of_result(entry);
        if (side.stage == STAGE_COMPUTE)
            diag_add(c->diag, DIAG_compute_interface, s.span,
                     "a compute shader has no result");
        else
            check_part(c, &side, &s);
    }
    if (side.stage == STAGE_VERTEX && !side.builtins[IO_position].io
        && entry->type->kind != TYPE_ERROR)
        diag_add(c->diag, DIAG_missing_position, entry->ident.span,
                 "the vertex shader '%.*s' must return '@builtin(position)'",
                 STR_ARG(ident_text(entry->ident)));
}

/* Other functions have no inputs and outputs to describe. */
static void check_plain_function(Checker *c, const Decl *fn)
{
    for (uint32_t i = 0; i <= fn->fn.nparams; i++) {
        const IoAttrs *io = i < fn->fn.nparams ? fn->fn.params[i]->var.io
                                               : fn->fn.info->result_io;
        if (io && io->span.end)
            diag_add(c->diag, DIAG_misplaced_attribute, io->span,
                     "'%.*s' is not an entry point, so its %s has no attributes of inputs "
                     "and outputs", STR_ARG(ident_text(fn->ident)),
                     i < fn->fn.nparams ? "parameter" : "result");
    }
}

void interface_module(Checker *c)
{
    Entries entries = {0};
    for (uint32_t i = 0; i < c->info->structs.len; i++)
        if (c->info->structs.data[i]->type->kind == TYPE_STRUCT)
            check_struct_io(c, c->info->structs.data[i]);
    for (uint32_t i = 0; i < c->info->functions.len; i++) {
        const Decl *fn = c->info->functions.data[i];
        if (fn->fn.info->stage == STAGE_NONE) {
            check_plain_function(c, fn);
            continue;
        }
        if (within_limit(c, fn, &entries)) {
            check_inputs(c, fn, &entries.inputs);
            check_outputs(c, fn);
        }
    }
    for (uint32_t i = 0; i < c->info->overrides.len; i++)
        c->info->overrides.data[i]->var.override_index = i;
    reach_module(c);
}
