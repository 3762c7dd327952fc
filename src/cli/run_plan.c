// SPDX-License-Identifier: Apache-2.0
/*
 * run_plan.c - wishes meet the bindings of the entry point.
 *
 * in     names and values as given, the entry point
 * out    for each binding what it gets; what is wanted from it
 * not    bytes
 */
#include "cli/run_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/near.h"

/* ---- bindings ---- */

static Bound bound_of(Run *r, const weft_wgsl_binding *b)
{
    bool uniform = b->kind == WEFT_BINDING_UNIFORM;
    bool writable = b->kind == WEFT_BINDING_STORAGE;
    return (Bound){
        .name = b->name, .type = b->layout, .is_buffer = true,
        .kind = uniform ? "uniform" : writable ? "storage" : "read-only storage",
        .uniform = uniform, .writable = writable,
        .group = b->group, .binding = b->binding, .min_size = b->min_size,
        .shape = data_shape(&r->cli->arena, b->layout),
    };
}

static bool list_bounds(Run *r)
{
    const weft_entry_point *e = r->entry;
    r->bounds = ARENA_ARRAY(&r->cli->arena, Bound, e->binding_count + 1);
    for (uint32_t i = 0; i < e->binding_count; i++) {
        const weft_wgsl_binding *b = &e->bindings[i];
        if (!b->layout)
            return run_fail(r, "'%s' is a %s; only buffers can be given to a kernel here",
                            b->name, b->type);
        if (b->group >= JOB_MAX_GROUPS)
            return run_fail(r, "'%s' is in group %u; groups are below %u", b->name, b->group,
                            JOB_MAX_GROUPS);
        r->bounds[r->bound_count] = bound_of(r, b);
        r->bounds[r->bound_count].index = r->bound_count;
        r->bound_count++;
    }
    if (e->immediate_name)
        r->bounds[r->bound_count++] = (Bound){
            .name = e->immediate_name, .kind = "immediate", .type = e->immediate_layout,
            .min_size = e->immediate_size,
            .shape = data_shape(&r->cli->arena, e->immediate_layout),
        };
    return true;
}

const char *bound_text(Run *r, const Bound *b)
{
    Arena *a = &r->cli->arena;
    const char *place = b->is_buffer ? arena_printf(a, "@group(%u) @binding(%u) ", b->group,
                                                    b->binding) : "";
    if (b->shape.tail)
        return arena_printf(a, "%s%s '%s' : %s, %llu bytes an element", place, b->kind, b->name,
                            b->type->name, (unsigned long long)b->shape.tail->stride);
    return arena_printf(a, "%s%s '%s' : %s, %llu bytes", place, b->kind, b->name, b->type->name,
                        (unsigned long long)b->type->size);
}

/* ---- names ---- */

/* "1.0" is group 1, binding 0. */
static Bound *find_numbered(Run *r, const char *name)
{
    char         *end;
    unsigned long group = strtoul(name, &end, 10);
    if (end == name || *end != '.' || end[1] < '0' || end[1] > '9')
        return NULL;
    unsigned long binding = strtoul(end + 1, &end, 10);
    for (uint32_t i = 0; !*end && i < r->bound_count; i++) {
        Bound *b = &r->bounds[i];
        if (b->is_buffer && b->group == group && b->binding == binding)
            return b;
    }
    return NULL;
}

static Bound *find_named(Run *r, Str name)
{
    for (uint32_t i = 0; i < r->bound_count; i++)
        if (str_eq(str_of(r->bounds[i].name), name))
            return &r->bounds[i];
    return NULL;
}

static bool unknown_name(Run *r, const char *name)
{
    Text all = {.arena = &r->cli->arena};
    Near near = near_begin(str_of(name));
    for (uint32_t i = 0; i < r->bound_count; i++) {
        text_printf(&all, "%s%s", i ? ", " : "", r->bounds[i].name);
        near_consider(&near, str_of(r->bounds[i].name));
    }
    if (near.found.data)
        return run_fail(r, "'%s' uses no binding '%s'; did you mean '%.*s'?", r->entry->name,
                        name, STR_ARG(near.found));
    if (r->bound_count == 0)
        return run_fail(r, "'%s' uses no binding '%s', nor any other", r->entry->name, name);
    return run_fail(r, "'%s' uses no binding '%s'; it uses %s", r->entry->name, name, all.data);
}

static const weft_member *find_member(const Bound *b, const char *name)
{
    const weft_struct *s = b->type->kind == WEFT_TYPE_STRUCT ? b->type->structure : NULL;
    for (uint32_t i = 0; s && i < s->member_count; i++)
        if (strcmp(s->members[i].name, name) == 0)
            return &s->members[i];
    return NULL;
}

/* What a name means: a binding, or with *member one part of it. NULL: nothing; after a
 * message if r->error. */
static Bound *find_target(Run *r, const char *name, const weft_member **member)
{
    const char *dot = strchr(name, '.');
    Bound      *b = find_named(r, str_of(name));
    *member = NULL;
    if (!b)
        b = find_numbered(r, name);
    if (b || !dot)
        return b;
    b = find_named(r, (Str){name, (uint32_t)(dot - name)});
    if (!b)
        return NULL;
    *member = find_member(b, dot + 1);
    if (!*member)
        run_fail(r, "'%s' is of type %s, which has no member '%s'", b->name, b->type->name,
                 dot + 1);
    return *member ? b : NULL;
}

/* ---- inputs ---- */

static bool is_override(const Run *r, const char *name)
{
    for (uint32_t i = 0; i < weft_wgsl_override_count(r->wgsl); i++)
        if (strcmp(weft_wgsl_override_get(r->wgsl, i)->name, name) == 0)
            return true;
    return false;
}

static bool is_given(const Bound *b, const weft_member *member)
{
    for (uint32_t i = 0; i < b->pieces.len; i++)
        if (!b->pieces.data[i].member || !member || b->pieces.data[i].member == member)
            return true;
    return false;
}

static bool plan_input(Run *r, const Wish *w)
{
    const weft_member *member;
    Bound *b = find_target(r, w->name, &member);
    if (!b && r->error)
        return false;
    if (!b && is_override(r, w->name))
        return settings_add(r->cli, &r->settings,
                            arena_printf(&r->cli->arena, "%s=%s", w->name, w->value));
    if (!b)
        return unknown_name(r, w->name);
    if (is_given(b, member))
        return run_fail(r, "'%s' is given twice", w->name);
    Piece p = {.member = member, .name = w->name, .shape = b->shape};
    if (member) {
        p.shape = data_shape(&r->cli->arena, member->layout);
        p.offset = member->offset;
    }
    if (!value_parse(&p.value, &r->cli->arena, w->value))
        return run_fail(r, "%s: %s", w->name, p.value.why);
    VEC_PUSH(&r->cli->arena, &b->pieces, p);
    return true;
}

bool run_plan(Run *r)
{
    if (!list_bounds(r))
        return false;
    for (uint32_t i = 0; i < r->in.len; i++)
        if (!plan_input(r, &r->in.data[i]))
            return false;
    return true;
}

/* ---- outputs ---- */

static Bound *find_output(Run *r, const char *name)
{
    const weft_member *member;
    Bound *b = find_target(r, name, &member);
    if (b && member)
        run_fail(r, "'%s': a binding comes out as a whole, '%s'", name, b->name);
    else if (!b && !r->error)
        unknown_name(r, name);
    else if (b && !b->writable)
        run_fail(r, "'%s' is %s: the kernel cannot change it", b->name, b->kind);
    return r->error ? NULL : b;
}

static bool plan_output(Run *r, const Wish *w)
{
    Output o = {.bound = find_output(r, w->name), .path = w->value};
    if (!o.bound)
        return false;
    if (o.path && o.path[0] == '@')
        o.path++;
    if (o.path && !*o.path)
        return run_fail(r, "--out %s=: the name of a file is missing", w->name);
    VEC_PUSH(&r->cli->arena, &r->outputs, o);
    return true;
}

/* "640x480" */
static bool parse_extent(Str text, uint32_t *width, uint32_t *height)
{
    const char *cross = memchr(text.data, 'x', text.len);
    uint64_t    w, h;
    uint32_t    at = cross ? (uint32_t)(cross - text.data) : 0;
    if (!cross || !count_parse((Str){text.data, at}, &w)
        || !count_parse((Str){cross + 1, text.len - at - 1}, &h)
        || w == 0 || h == 0 || w > PICTURE_MAX_SIDE || h > PICTURE_MAX_SIDE)
        return false;
    *width = (uint32_t)w;
    *height = (uint32_t)h;
    return true;
}

/* Takes ":640x480" or ":gray" from the end of a path; false: neither is there. */
static bool take_suffix(Output *o, Arena *arena)
{
    const char *colon = strrchr(o->path, ':');
    if (!colon)
        return false;
    Str part = str_of(colon + 1);
    if (!(o->width == 0 && parse_extent(part, &o->width, &o->height))
        && !(o->format == PICTURE_AUTO && picture_format_parse(part, &o->format)))
        return false;
    o->path = arena_printf(arena, "%.*s", (int)(colon - o->path), o->path);
    return true;
}

static bool plan_picture(Run *r, const Wish *w)
{
    Output o = {.bound = find_output(r, w->name), .path = w->value, .is_picture = true};
    if (!o.bound)
        return false;
    if (o.path[0] == '@')
        o.path++;
    while (take_suffix(&o, &r->cli->arena))
        continue;
    size_t len = strlen(o.path);
    if (len < 5 || strcmp(o.path + len - 4, ".png") != 0)
        return run_fail(r, "--image %s=%s: it is FILE.png[:WIDTHxHEIGHT[:FORMAT]], and FORMAT "
                        "is rgba8, gray, range or color", w->name, w->value);
    VEC_PUSH(&r->cli->arena, &r->outputs, o);
    return true;
}

bool run_plan_outputs(Run *r)
{
    for (uint32_t i = 0; i < r->out.len; i++)
        if (!plan_output(r, &r->out.data[i]))
            return false;
    for (uint32_t i = 0; i < r->image.len; i++)
        if (!plan_picture(r, &r->image.data[i]))
            return false;
    if (r->outputs.len || r->times.runs)
        return true;
    for (uint32_t i = 0; i < r->bound_count; i++)
        if (r->bounds[i].writable)
            VEC_PUSH(&r->cli->arena, &r->outputs, (Output){.bound = &r->bounds[i]});
    return true;
}

const Output *run_picture_of(const Run *r, const Bound *b)
{
    for (uint32_t i = 0; i < r->outputs.len; i++)
        if (r->outputs.data[i].bound == b && r->outputs.data[i].is_picture)
            return &r->outputs.data[i];
    return NULL;
}
