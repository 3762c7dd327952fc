// SPDX-License-Identifier: Apache-2.0
/*
 * front_wgsl.c - a text through weft/wgsl.h.
 */
#include "front.h"

#include <stdlib.h>
#include <string.h>

#include <weft/wgsl.h>

static volatile uint64_t sink;              /* so that reading is not left out */

static void read_text(const char *text)
{
    sink += strlen(text);
}

static void read_place(const weft_wgsl *m, const weft_place *p)
{
    size_t size = 0;
    if (p->line == 0)
        return;
    const char *line = weft_wgsl_line(m, p->line, &size);
    if (!line || !weft_wgsl_line(m, p->end_line, &size))
        abort();                            /* a place that is not in the text */
    sink += p->column + p->end_column + p->offset + p->length;
}

static void read_diagnostics(const weft_wgsl *m)
{
    uint32_t errors = 0;
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(m); i++) {
        const weft_diagnostic *d = weft_wgsl_diagnostic_get(m, i);
        read_text(d->message);
        read_place(m, &d->place);
        if (!weft_diagnostic_explain(d->id))
            abort();
        for (uint32_t k = 0; k < d->note_count; k++) {
            read_text(d->notes[k].message);
            read_place(m, &d->notes[k].place);
        }
        errors += d->severity == WEFT_SEVERITY_ERROR;
    }
    if (weft_wgsl_ok(m) != (errors == 0))
        abort();
}

static void read_reflection(const weft_wgsl *m)
{
    for (uint32_t i = 0; i < weft_wgsl_struct_count(m); i++) {
        const weft_struct *s = weft_wgsl_struct_get(m, i);
        for (uint32_t k = 0; k < s->member_count; k++) {
            read_text(s->members[k].type);
            if (s->align && s->members[k].offset % s->members[k].align)
                abort();
        }
    }
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(m); i++) {
        const weft_entry_point *e = weft_wgsl_entry_point_get(m, i);
        for (uint32_t k = 0; k < e->binding_count; k++) {
            read_text(e->bindings[k].name);
            read_text(e->bindings[k].type);
        }
        for (uint32_t k = 0; k < e->override_count; k++)
            read_text(weft_wgsl_override_get(m, e->overrides[k])->name);
    }
}

static void specialize(const weft_wgsl *m, uint8_t seed)
{
    char message[200];
    weft_override_value values[4];
    uint32_t count = weft_wgsl_override_count(m);
    if (count > 4)
        count = 4;
    for (uint32_t i = 0; i < count; i++)
        values[i] = (weft_override_value){weft_wgsl_override_get(m, i)->name,
                                          (double)(int8_t)seed / (i + 1)};
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(m) && i < 4; i++) {
        const weft_entry_point *e = weft_wgsl_entry_point_get(m, i);
        weft_specialized out;
        for (uint32_t given = 0; given <= count; given += count ? count : 1) {
            bool ok = weft_wgsl_specialize(m, e->name, values, given, &out, message,
                                           sizeof message);
            if (!ok && message[0] == '\0')
                abort();                    /* a failure without a reason */
            if (ok && e->stage == WEFT_STAGE_COMPUTE && out.workgroup_size[0] == 0)
                abort();
        }
    }
}

bool front_wgsl(Str source, uint8_t choice)
{
    static const size_t limits[] = {0, 1u << 20, 1u << 16, 5000};
    char *text = malloc(source.len + 1);    /* its own block: reads past it are seen */
    if (!text)
        return false;
    if (source.len)
        memcpy(text, source.data, source.len);
    text[source.len] = '\0';
    weft_wgsl *m = weft_wgsl_create(&(weft_wgsl_desc){
        .source = text, .source_size = source.len,
        .memory_limit = limits[choice >> 6],
        .diagnostic_limit = choice & 0x20 ? 2 : 0,
    });
    free(text);
    if (!m)
        return false;
    bool ok = weft_wgsl_ok(m);
    read_diagnostics(m);
    read_reflection(m);
    if (ok)
        specialize(m, choice);
    weft_wgsl_release(m);
    return ok;
}
