// SPDX-License-Identifier: Apache-2.0
/*
 * wgsl.c - the public weft/wgsl.h: one module of WGSL as an object.
 *
 * in     a text, what it may use, how much memory it may take
 * out    diagnostics with their places, reflection, specialisation
 * knows  the stages up to the typed module, and that memory may run out
 * not    how anything is checked
 *
 * Everything of a module is in its arena; the object itself is one block of
 * malloc, so that "out of memory" still has a place to be said.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check/check.h"
#include "check/predeclared_priv.h"
#include "check/wgsl_priv.h"
#include "syntax/syntax.h"

#define DEFAULT_MEMORY     ((size_t)1 << 30)
#define SPECIALIZE_MEMORY  ((size_t)256 << 20)
#define MAX_DIAGNOSTICS    10000u
/* Added to the limit once it is reached, so that what was found until then can
 * still be told. */
#define REPORT_MEMORY      ((size_t)8 << 20)

struct weft_wgsl {
    Arena        arena;
    Str          source;            /* of the caller until it is parsed           */
    CheckOptions options;
    Diag         diag;
    Module      *module;            /* NULL: the text could not be taken in       */
    LineTable    lines;             /* empty if `module` is NULL                  */
    bool         ok;
    Reflection   reflection;        /* empty unless `ok`                          */
    const weft_diagnostic *diagnostics;
    uint32_t     diagnostic_count;
    weft_diagnostic last_resort;    /* when not even the report fits in memory    */
};

/* ---- features by name ---- */

static const char *const enable_names[] = {
#define ENABLE(name) #name,
#include "check/features.def"
#undef ENABLE
};

static const char *const language_names[] = {
#define LANGUAGE(name) #name,
#include "check/features.def"
#undef LANGUAGE
};

const char *weft_wgsl_enable_name(uint32_t index)
{
    return index < COUNTOF(enable_names) ? enable_names[index] : NULL;
}

const char *weft_wgsl_language_name(uint32_t index)
{
    return index < COUNTOF(language_names) ? language_names[index] : NULL;
}

/* The bits of the names in a NULL-terminated list. */
bool weft_wgsl_is_reserved(const char *name)
{
    if (!name || syntax_is_word(str_of(name)))
        return name != NULL;
    for (uint32_t i = 0; predeclared_name(i); i++)
        if (strcmp(predeclared_name(i), name) == 0)
            return true;
    return false;
}

static uint32_t feature_bits(const char *const *list, const char *(*name)(uint32_t))
{
    uint32_t bits = 0;
    for (; *list; list++) {
        for (uint32_t i = 0; name(i); i++)
            if (strcmp(*list, name(i)) == 0)
                bits |= 1u << i;
    }
    return bits;
}

static CheckOptions options_of(const weft_wgsl_desc *desc)
{
    CheckOptions options = {0};
    if (desc->enables) {
        options.enables = feature_bits(desc->enables, weft_wgsl_enable_name);
        options.none_enabled = options.enables == 0;
    }
    if (desc->language) {
        options.language = feature_bits(desc->language, weft_wgsl_language_name);
        options.no_language = options.language == 0;
    }
    return options;
}

/* ---- making a module ---- */

/* Takes the source of `desc` into w->source, or says why not. */
static bool source_accept(weft_wgsl *w, const weft_wgsl_desc *desc)
{
    const Span nowhere = {0};
    if (!desc->source) {
        diag_add(&w->diag, DIAG_no_source, nowhere, "no source text was given");
        return false;
    }
    size_t size = desc->source_size ? desc->source_size : strlen(desc->source);
    if (size > SYNTAX_MAX_SOURCE) {
        diag_add(&w->diag, DIAG_source_too_long, nowhere,
                 "the source text has %zu bytes; the most that is accepted is %u",
                 size, SYNTAX_MAX_SOURCE);
        return false;
    }
    w->source = (Str){desc->source, (uint32_t)size};
    return true;
}

typedef struct Making {
    weft_wgsl            *w;
    const weft_wgsl_desc *desc;
} Making;

static void make(void *context)
{
    Making    *making = context;
    weft_wgsl *w = making->w;
    if (!source_accept(w, making->desc))
        return;
    Module *m = syntax_parse(&w->arena, w->source, &w->diag);
    line_table_init(&w->lines, &w->arena, m->source);
    w->module = m;
    if (check_module(m, &w->options, &w->diag) && w->diag.errors == 0) {
        reflect_module(&w->reflection, &w->arena, m);
        w->ok = true;
    }
}

static void report_no_memory(void *context)
{
    weft_wgsl *w = context;
    diag_add(&w->diag, DIAG_out_of_memory, (Span){0},
             "the module needs more memory than it may use");
}

/* ---- diagnostics ---- */

/* Where a diagnostic stands in the report: by place, and those of one place in
 * the order they were found; that there are more comes last. */
typedef struct Rank {
    uint32_t start, order;
} Rank;

static int compare_ranks(const void *left, const void *right)
{
    const Rank *x = left, *y = right;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static weft_place place_of(const weft_wgsl *w, Span span)
{
    if (!w->module || (span.start == 0 && span.end == 0))
        return (weft_place){0};
    Place at = line_table_place(&w->lines, span);
    return (weft_place){
        .line = at.line, .column = at.column,
        .end_line = at.end_line, .end_column = at.end_column,
        .offset = at.offset16, .length = at.length16,
        .byte_offset = span.start, .byte_length = span.end - span.start,
    };
}

static weft_diagnostic publish_one(weft_wgsl *w, const Diagnostic *d)
{
    weft_note *notes = ARENA_ARRAY(&w->arena, weft_note, d->notes.len);
    for (uint32_t i = 0; i < d->notes.len; i++)
        notes[i] = (weft_note){.place = place_of(w, d->notes.data[i].span),
                               .message = d->notes.data[i].message};
    return (weft_diagnostic){
        .severity = (weft_severity)d->severity,
        .id = diag_id_name(d->id),
        .message = d->message,
        .place = place_of(w, d->span),
        .notes = notes,
        .note_count = d->notes.len,
    };
}
_Static_assert((int)SEVERITY_INFO == (int)WEFT_SEVERITY_INFO
                   && (int)SEVERITY_WARNING == (int)WEFT_SEVERITY_WARNING
                   && (int)SEVERITY_ERROR == (int)WEFT_SEVERITY_ERROR,
               "severities differ");

static void publish(void *context)
{
    weft_wgsl *w = context;
    uint32_t   count = w->diag.list.len;
    Rank      *ranks = ARENA_ARRAY(&w->arena, Rank, count);
    for (uint32_t i = 0; i < count; i++) {
        const Diagnostic *d = &w->diag.list.data[i];
        bool last = d->id == DIAG_too_many_diagnostics;
        ranks[i] = (Rank){last ? UINT32_MAX : d->span.start, i};
    }
    if (count)
        qsort(ranks, count, sizeof *ranks, compare_ranks);
    weft_diagnostic *all = ARENA_ARRAY(&w->arena, weft_diagnostic, count);
    for (uint32_t i = 0; i < count; i++)
        all[i] = publish_one(w, &w->diag.list.data[ranks[i].order]);
    w->diagnostics = all;
    w->diagnostic_count = count;
}

static void publish_last_resort(weft_wgsl *w)
{
    w->last_resort = (weft_diagnostic){
        .severity = WEFT_SEVERITY_ERROR,
        .id = diag_id_name(DIAG_out_of_memory),
        .message = "the module needs more memory than it may use",
    };
    w->diagnostics = &w->last_resort;
    w->diagnostic_count = 1;
}

static void run_out_of_memory(weft_wgsl *w)
{
    w->ok = false;
    w->reflection = (Reflection){0};
    w->arena.limit += MIN_OF(REPORT_MEMORY, SIZE_MAX - w->arena.limit);
    if (!arena_try(&w->arena, report_no_memory, w)
        || !arena_try(&w->arena, publish, w))
        publish_last_resort(w);
}

weft_wgsl *weft_wgsl_create(const weft_wgsl_desc *desc)
{
    static const weft_wgsl_desc nothing = {0};
    if (!desc)
        desc = &nothing;
    weft_wgsl *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    arena_init(&w->arena, desc->memory_limit ? desc->memory_limit : DEFAULT_MEMORY);
    w->diag = (Diag){.arena = &w->arena,
                     .limit = MIN_OF(desc->diagnostic_limit, MAX_DIAGNOSTICS)};
    w->options = options_of(desc);
    Making making = {w, desc};
    if (!arena_try(&w->arena, make, &making) || !arena_try(&w->arena, publish, w))
        run_out_of_memory(w);
    w->source = (Str){0};           /* the caller's, and not needed any more */
    return w;
}

void weft_wgsl_release(weft_wgsl *w)
{
    if (!w)
        return;
    arena_fini(&w->arena);
    free(w);
}

bool weft_wgsl_ok(const weft_wgsl *w)
{
    return w && w->ok;
}

const Module *wgsl_module(const weft_wgsl *w)
{
    return weft_wgsl_ok(w) ? w->module : NULL;
}

/* ---- reading a module: NULL is a module without anything ---- */

uint32_t weft_wgsl_diagnostic_count(const weft_wgsl *w)
{
    return w ? w->diagnostic_count : 0;
}

const weft_diagnostic *weft_wgsl_diagnostic_get(const weft_wgsl *w, uint32_t index)
{
    return w && index < w->diagnostic_count ? &w->diagnostics[index] : NULL;
}

const char *weft_wgsl_line(const weft_wgsl *w, uint32_t line, size_t *size)
{
    Str text = {0};
    if (w && line >= 1 && line <= w->lines.count)
        text = line_table_text(&w->lines, line);
    if (size)
        *size = text.len;
    return text.data;
}

const char *weft_diagnostic_explain(const char *id)
{
    for (int i = 0; id && i < DIAG_ID_COUNT; i++)
        if (strcmp(id, diag_id_name((DiagId)i)) == 0)
            return diag_id_sentence((DiagId)i);
    return NULL;
}

const char *weft_diagnostic_id(uint32_t index)
{
    return index < DIAG_ID_COUNT ? diag_id_name((DiagId)index) : NULL;
}

#define ITEM_COUNT(w, items) ((w) ? (w)->reflection.items.len : 0)
#define ITEM_AT(w, items, i) \
    ((i) < ITEM_COUNT(w, items) ? &(w)->reflection.items.data[i] : NULL)

uint32_t weft_wgsl_entry_point_count(const weft_wgsl *w)
{
    return ITEM_COUNT(w, entry_points);
}

const weft_entry_point *weft_wgsl_entry_point_get(const weft_wgsl *w, uint32_t index)
{
    return ITEM_AT(w, entry_points, index);
}

uint32_t weft_wgsl_override_count(const weft_wgsl *w)
{
    return ITEM_COUNT(w, overrides);
}

const weft_override *weft_wgsl_override_get(const weft_wgsl *w, uint32_t index)
{
    return ITEM_AT(w, overrides, index);
}

uint32_t weft_wgsl_struct_count(const weft_wgsl *w)
{
    return w ? w->reflection.struct_count : 0;
}

const weft_struct *weft_wgsl_struct_get(const weft_wgsl *w, uint32_t index)
{
    return index < weft_wgsl_struct_count(w) ? &w->reflection.structs[index] : NULL;
}

/* ---- specialisation ---- */

/* One call of weft_wgsl_specialize(); its memory goes with the call. */
typedef struct Specializing {
    const weft_wgsl           *w;
    const Decl                *entry;
    const weft_override_value *values;
    uint32_t                   value_count;
    Arena                      arena;
    Diag                       diag;
    Specialization             result;
    bool                       ok;
} Specializing;

static void specialize(void *context)
{
    Specializing    *s = context;
    OverrideSetting *settings =
        ARENA_ARRAY(&s->arena, OverrideSetting, s->value_count);
    for (uint32_t i = 0; i < s->value_count; i++) {
        const weft_override_value *v = &s->values[i];
        settings[i] = (OverrideSetting){str_of(v->key ? v->key : ""), v->value};
    }
    s->ok = check_specialize(&s->result, &s->arena, s->w->module, s->entry,
                             settings, s->value_count, &s->diag);
}

/* The entry point that is meant, or NULL with *why. */
static const Decl *entry_point_of(const weft_wgsl *w, const char *name,
                                  const char **why)
{
    const Decl *found = NULL;
    if (!weft_wgsl_ok(w))
        *why = "the module has errors";
    else if (name && !(found = module_find_entry_point(w->module, str_of(name))))
        *why = "the module has no entry point of this name";
    else if (!name && w->module->info->entry_points.len == 1)
        found = w->module->info->entry_points.data[0];
    else if (!name)
        *why = "the module does not have exactly one entry point, so one must be named";
    return found;
}

static void write_reason(const Specializing *s, char *message, size_t size)
{
    if (s->diag.list.len == 0) {
        snprintf(message, size, "the specialisation needs too much memory");
        return;
    }
    const Diagnostic *d = &s->diag.list.data[0];
    weft_place at = place_of(s->w, d->span);
    if (at.line)
        snprintf(message, size, "%u:%u: %s", at.line, at.column, d->message);
    else
        snprintf(message, size, "%s", d->message);
}

bool weft_wgsl_specialize(const weft_wgsl *w, const char *entry_point,
                          const weft_override_value *values, uint32_t value_count,
                          weft_specialized *out, char *message, size_t message_size)
{
    char none;
    if (!message || message_size == 0) {
        message = &none;
        message_size = 1;
    }
    message[0] = '\0';
    const char *why = "";
    Specializing s = {.w = w, .values = values, .value_count = values ? value_count : 0};
    s.entry = entry_point_of(w, entry_point, &why);
    if (!s.entry) {
        snprintf(message, message_size, "%s", why);
        return false;
    }
    arena_init(&s.arena, SPECIALIZE_MEMORY);
    s.diag = (Diag){.arena = &s.arena};
    bool ok = arena_try(&s.arena, specialize, &s) && s.ok;
    if (!ok)
        write_reason(&s, message, message_size);
    else if (out) {
        *out = (weft_specialized){.subgroup_size = s.result.subgroup_size,
                                  .workgroup_memory = s.result.workgroup_bytes};
        memcpy(out->workgroup_size, s.result.workgroup_size, sizeof out->workgroup_size);
    }
    arena_fini(&s.arena);
    return ok;
}
