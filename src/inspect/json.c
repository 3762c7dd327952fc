// SPDX-License-Identifier: Apache-2.0
/*
 * json.c - an analysis as JSON.
 *
 * in     a finished analysis
 * out    one object; the names of its members are those of weft/kernel.h
 */
#include "inspect/inspect_priv.h"

#include <math.h>
#include <string.h>

static void string(Text *out, const char *name, const char *value)
{
    text_printf(out, "\"%s\":", name);
    text_json(out, (Str){value, (uint32_t)strlen(value)});
}

static void boolean(Text *out, const char *name, bool value)
{
    text_printf(out, ",\"%s\":%s", name, value ? "true" : "false");
}

static void count(Text *out, const char *name, const weft_kernel_count *c)
{
    text_printf(out, ",\"%s\":{", name);
    string(out, "text", c->text);
    if (c->known)
        text_printf(out, ",\"value\":%.17g", c->value);
    text_printf(out, "}");
}

static const char *space_name(weft_kernel_space space)
{
    static const char *const names[] = {"", "storage", "uniform", "workgroup", "private"};
    return names[space];
}

static void access(Text *out, const weft_kernel_access *a)
{
    text_printf(out, "{");
    string(out, "variable", a->variable);
    text_printf(out, ",\"space\":\"%s\",\"group\":%u,\"binding\":%u,\"line\":%u,\"column\":%u",
                space_name(a->space), a->group, a->binding, a->line, a->column);
    text_printf(out, ",\"access\":\"%s\"",
                a->atomic ? "atomic" : a->write ? "store" : "load");
    text_printf(out, ",\"pattern\":\"%s\",", weft_kernel_pattern_name(a->pattern));
    string(out, "stride", a->stride_text);
    text_printf(out, ",\"bytes\":%u,\"align\":%u,\"loop_depth\":%u", a->bytes, a->align,
                a->loop_depth);
    boolean(out, "in_bounds", a->in_bounds);
    boolean(out, "conditional", a->conditional);
    boolean(out, "divergent", a->divergent);
    count(out, "times", &a->times);
    text_printf(out, "}");
}

static void hint(Text *out, const weft_kernel_hint *h)
{
    text_printf(out, "{");
    string(out, "id", h->id);
    text_printf(out, ",\"line\":%u,\"column\":%u,\"gain\":%.3g,", h->line, h->column, h->gain);
    string(out, "message", h->message);
    text_printf(out, ",");
    string(out, "reason", h->reason);
    text_printf(out, "}");
}

static void info(Text *out, const weft_kernel_info *i)
{
    string(out, "entry", i->entry);
    text_printf(out, ",\"workgroup_size\":[%u,%u,%u],\"workgroup_memory\":%llu,\"barriers\":%u,"
                "\"atomics\":%u,\"registers\":%u,\"branches\":%u,\"divergent_branches\":%u,"
                "\"divergence\":%.4g", i->workgroup_size[0], i->workgroup_size[1],
                i->workgroup_size[2], (unsigned long long)i->workgroup_memory, i->barriers,
                i->atomics, i->registers, i->branches, i->divergent_branches, i->divergence);
    count(out, "float_operations", &i->float_operations);
    count(out, "integer_operations", &i->integer_operations);
    count(out, "functions", &i->functions);
    count(out, "bytes_read", &i->bytes_read);
    count(out, "bytes_written", &i->bytes_written);
    static const char *const extents[] = {"extent_x", "extent_y", "extent_z"};
    for (uint32_t axis = 0; axis < 3; axis++)
        if (*i->extent[axis].text)
            count(out, extents[axis], &i->extent[axis]);
    if (isfinite(i->intensity))
        text_printf(out, ",\"intensity\":%.6g", i->intensity);
    boolean(out, "resizable", i->resizable);
    text_printf(out, ",");
    string(out, "resizable_reason", i->resizable_reason);
}

const char *json_write(Inspect *n)
{
    Text out = {.arena = &n->arena};
    text_printf(&out, "{");
    info(&out, &n->info);
    text_printf(&out, ",\"accesses\":[");
    for (uint32_t i = 0; i < n->accesses.len; i++) {
        text_printf(&out, "%s", i ? "," : "");
        access(&out, &n->accesses.data[i]);
    }
    text_printf(&out, "],\"hints\":[");
    for (uint32_t i = 0; i < n->hints.len; i++) {
        text_printf(&out, "%s", i ? "," : "");
        hint(&out, &n->hints.data[i]);
    }
    text_printf(&out, "]}");
    return out.data;
}
