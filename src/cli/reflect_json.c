// SPDX-License-Identifier: Apache-2.0
/*
 * reflect_json.c - the reflection of a module as JSON; docs/cli.md describes it.
 *
 * in     a module, values for overrides
 * out    one document
 */
#include "cli/reflect_priv.h"

static void key_string(Text *out, const char *key, const char *value)
{
    text_printf(out, "\"%s\":", key);
    json_text(out, value);
}

static void size(Text *out, const uint32_t s[3], uint64_t memory)
{
    text_printf(out, "\"workgroup_size\":[%u,%u,%u],\"workgroup_memory\":%llu", s[0], s[1],
                s[2], (unsigned long long)memory);
}

static void binding(Text *out, const weft_wgsl_binding *b)
{
    text_printf(out, "{\"group\":%u,\"binding\":%u,", b->group, b->binding);
    key_string(out, "name", b->name);
    text_char(out, ',');
    key_string(out, "kind", reflect_binding_kind(b->kind));
    text_char(out, ',');
    key_string(out, "type", b->type);
    text_char(out, ',');
    key_string(out, "access", b->access);
    text_printf(out, ",\"min_size\":%llu}", (unsigned long long)b->min_size);
}

/* "specialized": what the settings make of it. */
static bool specialized(Text *out, const weft_wgsl *m, const weft_entry_point *e,
                        const Settings *settings)
{
    char             why[512];
    weft_specialized special;
    bool ok = weft_wgsl_specialize(m, e->name, settings->data, settings->len, &special, why,
                                   sizeof why);
    text_add(out, STR(",\"specialized\":{"));
    if (!ok)
        key_string(out, "error", why);
    else if (e->stage == WEFT_STAGE_COMPUTE)
        size(out, special.workgroup_size, special.workgroup_memory);
    text_char(out, '}');
    return ok;
}

static bool entry_point(Text *out, const weft_wgsl *m, const weft_entry_point *e,
                        const Settings *settings)
{
    bool ok = true;
    text_char(out, '{');
    key_string(out, "name", e->name);
    text_char(out, ',');
    key_string(out, "stage", reflect_stage(e->stage));
    if (e->stage == WEFT_STAGE_COMPUTE) {
        text_printf(out, ",\"size_known\":%s,", e->size_known ? "true" : "false");
        size(out, e->workgroup_size, e->workgroup_memory);
    }
    text_printf(out, ",\"immediate_size\":%u,\"bindings\":[", e->immediate_size);
    for (uint32_t i = 0; i < e->binding_count; i++) {
        if (i)
            text_char(out, ',');
        binding(out, &e->bindings[i]);
    }
    text_add(out, STR("],\"overrides\":["));
    for (uint32_t i = 0; i < e->override_count; i++)
        text_printf(out, "%s%u", i ? "," : "", e->overrides[i]);
    text_char(out, ']');
    if (settings->len)
        ok = specialized(out, m, e, settings);
    text_char(out, '}');
    return ok;
}

static void override_(Cli *cli, const weft_override *o)
{
    Text *out = &cli->out;
    text_char(out, '{');
    key_string(out, "name", o->name);
    text_char(out, ',');
    key_string(out, "type", reflect_scalar(o->type));
    if (o->has_id)
        text_printf(out, ",\"id\":%u", o->id);
    text_printf(out, ",\"has_default\":%s", o->has_default ? "true" : "false");
    const char *value = reflect_default(&cli->arena, o);
    if (value)
        text_printf(out, ",\"default\":%s", value);
    text_char(out, '}');
}

static void member(Text *out, const weft_member *m, bool laid_out)
{
    text_char(out, '{');
    key_string(out, "name", m->name);
    text_char(out, ',');
    key_string(out, "type", m->type);
    if (laid_out)
        text_printf(out, ",\"offset\":%llu,\"align\":%u,\"size\":%llu",
                    (unsigned long long)m->offset, m->align, (unsigned long long)m->size);
    text_char(out, '}');
}

static void struct_(Text *out, const weft_struct *s)
{
    text_char(out, '{');
    key_string(out, "name", s->name);
    if (s->align)
        text_printf(out, ",\"align\":%u,\"size\":%llu", s->align, (unsigned long long)s->size);
    text_add(out, STR(",\"members\":["));
    for (uint32_t i = 0; i < s->member_count; i++) {
        if (i)
            text_char(out, ',');
        member(out, &s->members[i], s->align != 0);
    }
    text_add(out, STR("]}"));
}

static bool module(Cli *cli, const weft_wgsl *m, const Settings *settings)
{
    Text *out = &cli->out;
    bool  ok = true;
    text_add(out, STR(",\"entry_points\":["));
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(m); i++) {
        text_add(out, i ? STR(",") : STR(""));
        ok = entry_point(out, m, weft_wgsl_entry_point_get(m, i), settings) && ok;
    }
    text_add(out, STR("],\"overrides\":["));
    for (uint32_t i = 0; i < weft_wgsl_override_count(m); i++) {
        text_add(out, i ? STR(",") : STR(""));
        override_(cli, weft_wgsl_override_get(m, i));
    }
    text_add(out, STR("],\"structs\":["));
    for (uint32_t i = 0; i < weft_wgsl_struct_count(m); i++) {
        text_add(out, i ? STR(",") : STR(""));
        struct_(out, weft_wgsl_struct_get(m, i));
    }
    text_char(out, ']');
    return ok;
}

bool reflect_json(Cli *cli, const char *file, const weft_wgsl *m, const Settings *settings)
{
    Text *out = &cli->out;
    bool  ok = weft_wgsl_ok(m);
    text_char(out, '{');
    key_string(out, "file", file);
    text_printf(out, ",\"ok\":%s", ok ? "true" : "false");
    json_diagnostics(out, m);
    if (ok)
        ok = module(cli, m, settings);
    text_add(out, STR("}\n"));
    return ok;
}
