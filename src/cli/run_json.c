// SPDX-License-Identifier: Apache-2.0
/*
 * run_json.c - `weft run --json`: one document for programs.
 *
 * in     a run that is over, or that failed
 * out    JSON; docs/cli.md describes it
 */
#include "cli/run_priv.h"

#define FLUSH_AT ((size_t)1 << 20)      /* bytes; values may be many                 */

static void json_value(Run *r, const weft_type *t, const uint8_t *bytes, uint64_t tail_count)
{
    Text *out = &r->cli->out;
    if (out->len > FLUSH_AT)
        cli_flush(r->cli);
    if (t->kind == WEFT_TYPE_SCALAR) {
        number_json(out, t->scalar, scalar_load(bytes, t->scalar));
        return;
    }
    bool     is_struct = t->kind == WEFT_TYPE_STRUCT;
    uint64_t count = is_struct ? t->structure->member_count : t->count ? t->count : tail_count;
    text_char(out, is_struct ? '{' : '[');
    for (uint64_t i = 0; i < count; i++) {
        text_add(out, i ? STR(",") : STR(""));
        if (is_struct) {
            const weft_member *m = &t->structure->members[i];
            json_text(out, m->name);
            text_char(out, ':');
            json_value(r, m->layout, bytes + m->offset, tail_count);
        } else
            json_value(r, t->element, bytes + i * t->stride, tail_count);
    }
    text_char(out, is_struct ? '}' : ']');
}

static void key_string(Text *out, const char *key, const char *value)
{
    text_printf(out, "\"%s\":", key);
    json_text(out, value);
}

static void size3(Text *out, const char *key, const uint32_t size[3])
{
    text_printf(out, ",\"%s\":[%u,%u,%u]", key, size[0], size[1], size[2]);
}

static void json_output(Run *r, const Output *o)
{
    Text *out = &r->cli->out;
    const Bound *b = o->bound;
    text_char(out, '{');
    key_string(out, "name", b->name);
    text_char(out, ',');
    key_string(out, "type", b->type->name);
    text_printf(out, ",\"size\":%llu", (unsigned long long)b->size);
    if (o->path) {
        text_char(out, ',');
        key_string(out, "file", o->path);
    }
    if (o->is_picture)
        text_printf(out, ",\"width\":%u,\"height\":%u", o->width, o->height);
    if (!o->path) {
        text_add(out, STR(",\"value\":"));
        json_value(r, b->shape.type, b->result, b->count);
    }
    text_char(out, '}');
}

static void json_device(Run *r)
{
    Text *out = &r->cli->out;
    const AdapterInfo *d = &r->device.info;
    text_add(out, STR(",\"device\":{"));
    key_string(out, "name", d->device);
    text_char(out, ',');
    key_string(out, "description", d->description);
    text_char(out, ',');
    key_string(out, "backend", d->backend);
    text_char(out, ',');
    key_string(out, "type", d->type);
    text_char(out, '}');
}

void json_run(Run *r)
{
    Text *out = &r->cli->out;
    text_char(out, '{');
    key_string(out, "file", r->source.name);
    text_add(out, STR(",\"ok\":true"));
    json_diagnostics(out, r->wgsl);
    text_char(out, ',');
    key_string(out, "entry_point", r->entry->name);
    size3(out, "workgroup_size", r->special.workgroup_size);
    size3(out, "workgroups", r->groups);
    json_device(r);
    text_add(out, STR(",\"outputs\":["));
    for (uint32_t i = 0; i < r->outputs.len; i++) {
        text_add(out, i ? STR(",") : STR(""));
        json_output(r, &r->outputs.data[i]);
    }
    text_char(out, ']');
    if (r->times.runs)
        times_json(r);
    text_add(out, STR("}\n"));
}

void json_run_failed(Run *r)
{
    Text *out = &r->cli->out;
    text_char(out, '{');
    key_string(out, "file", r->source.name ? r->source.name : r->file ? r->file : "");
    text_add(out, STR(",\"ok\":false"));
    json_diagnostics(out, r->wgsl);
    if (r->error) {
        text_char(out, ',');
        key_string(out, "error", r->error);
    }
    text_add(out, STR("}\n"));
}
