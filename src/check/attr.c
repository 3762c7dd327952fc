// SPDX-License-Identifier: Apache-2.0
/*
 * attr.c - attributes: where they may stand, what they say.
 *
 * in     the attributes of a declaration, and where that stands
 * out    FnInfo, IoAttrs, group, binding and id; diagnostics
 * knows  WGSL 12 (attributes), 13.3.1.4 (interpolation)
 * not    whether inputs and outputs fit their entry point (interface.c), layout
 *        (layout.c), diagnostic filters (feature.c)
 */
#include "check/check_priv.h"

/* ---- where they may stand ---- */

#define AT(place) (1u << PLACE_##place)

/* By kind: a bit for each AttrPlace. None: it may not be written at all. */
static const uint32_t places_of[] = {
    [ATTR_ALIGN] = AT(MEMBER),
    [ATTR_BINDING] = AT(GLOBAL_VAR),
    [ATTR_BLEND_SRC] = AT(MEMBER),
    [ATTR_BUILTIN] = AT(MEMBER) | AT(PARAM) | AT(RESULT),
    [ATTR_COMPUTE] = AT(FUNCTION),
    [ATTR_CONST] = 0,
    [ATTR_DIAGNOSTIC] = AT(FUNCTION) | AT(STATEMENT) | AT(BLOCK),
    [ATTR_FRAGMENT] = AT(FUNCTION),
    [ATTR_GROUP] = AT(GLOBAL_VAR),
    [ATTR_ID] = AT(OVERRIDE),
    [ATTR_INTERPOLATE] = AT(MEMBER) | AT(PARAM) | AT(RESULT),
    [ATTR_INVARIANT] = AT(MEMBER) | AT(PARAM) | AT(RESULT),
    [ATTR_LOCATION] = AT(MEMBER) | AT(PARAM) | AT(RESULT),
    [ATTR_MUST_USE] = AT(FUNCTION),
    [ATTR_SIZE] = AT(MEMBER),
    [ATTR_SUBGROUP_SIZE] = AT(FUNCTION),
    [ATTR_VERTEX] = AT(FUNCTION),
    [ATTR_WORKGROUP_SIZE] = AT(FUNCTION),
};
_Static_assert(COUNTOF(places_of) == ATTR_KIND_COUNT, "an attribute has no place");

static const char *const place_names[] = {
    [PLACE_FUNCTION] = "a function",
    [PLACE_PARAM] = "a parameter",
    [PLACE_RESULT] = "the result of a function",
    [PLACE_GLOBAL_VAR] = "a variable at module scope",
    [PLACE_OVERRIDE] = "an override",
    [PLACE_MEMBER] = "a member of a structure",
    [PLACE_STATEMENT] = "a statement",
    [PLACE_BLOCK] = "a block",
    [PLACE_OTHER_DECL] = "this declaration",
};

static const char *list_places(Arena *a, uint32_t places)
{
    Text text = {.arena = a};
    for (uint32_t i = 0; i < COUNTOF(place_names); i++)
        if (places >> i & 1)
            text_printf(&text, "%s%s", text.len ? " or " : "", place_names[i]);
    return text.data;
}

static void report_place(Checker *c, const Attr *attr, AttrPlace place)
{
    const char *name = attr_kind_name(attr->kind);
    if (attr->kind == ATTR_CONST)
        diag_add(c->diag, DIAG_misplaced_attribute, attr->span,
                 "'@const' describes builtin functions and cannot be written");
    else
        diag_add(c->diag, DIAG_misplaced_attribute, attr->span,
                 "'@%s' cannot be used on %s, only on %s", name, place_names[place],
                 list_places(c->arena, places_of[attr->kind]));
}

static void report_duplicate(Checker *c, const Attr *first, const Attr *again)
{
    Diagnostic *d = diag_add(c->diag, DIAG_duplicate_attribute, again->span,
                             "'@%s' is given twice", attr_kind_name(again->kind));
    diag_note(c->diag, d, first->span, "it is given first here");
}

void attr_check_place(Checker *c, Attrs attrs, AttrPlace place)
{
    const Attr *first[ATTR_KIND_COUNT] = {0};
    for (uint32_t i = 0; i < attrs.len; i++) {
        const Attr *attr = &attrs.data[i];
        if (!(places_of[attr->kind] >> place & 1))
            report_place(c, attr, place);
        else if (first[attr->kind] && attr->kind != ATTR_DIAGNOSTIC)
            report_duplicate(c, first[attr->kind], attr);
        else
            first[attr->kind] = attr;
    }
}

const Attr *attr_find(Attrs attrs, AttrKind kind)
{
    for (uint32_t i = 0; i < attrs.len; i++)
        if (attrs.data[i].kind == kind)
            return &attrs.data[i];
    return NULL;
}

/* ---- arguments ---- */

static const char *argument_name(Checker *c, const Attr *attr)
{
    return arena_printf(c->arena, "the argument of '@%s'", attr_kind_name(attr->kind));
}

/* Reports a checked argument that is no i32, u32 or abstract integer. */
static bool is_integer(Checker *c, const Attr *attr, const Expr *e)
{
    if (e->type->kind == TYPE_ERROR)
        return false;
    if (type_is_integer_scalar(e->type))
        return true;
    diag_add(c->diag, DIAG_attribute_arguments, e->span, "%s must be an i32 or u32, not '%s'",
             argument_name(c, attr), type_string(c->arena, e->type));
    return false;
}

bool attr_const_u32(Checker *c, const Attr *attr, uint32_t arg, uint32_t *out)
{
    Expr *e = attr->args[arg];
    if (!e || !check_const(c, &e, argument_name(c, attr)) || !is_integer(c, attr, e))
        return false;
    if (check_concretize(c, &e)->kind == TYPE_ERROR || !e->value)
        return false;
    if (e->value->integer < 0) {
        diag_add(c->diag, DIAG_attribute_value, e->span, "%s must not be negative, but is %lld",
                 argument_name(c, attr), (long long)e->value->integer);
        return false;
    }
    *out = (uint32_t)e->value->integer;
    return true;
}

/* The value of an attribute with one argument, if it stands there. */
static bool find_u32(Checker *c, Attrs attrs, AttrKind kind, uint32_t *out)
{
    const Attr *attr = attr_find(attrs, kind);
    return attr && attr_const_u32(c, attr, 0, out);
}

/* ---- functions ---- */

static Stage stage_of(AttrKind kind)
{
    switch (kind) {
    case ATTR_VERTEX:   return STAGE_VERTEX;
    case ATTR_FRAGMENT: return STAGE_FRAGMENT;
    case ATTR_COMPUTE:  return STAGE_COMPUTE;
    default:            return STAGE_NONE;
    }
}

static void read_stage(Checker *c, Decl *fn)
{
    const Attr *first = NULL;
    for (uint32_t i = 0; i < fn->attrs.len; i++) {
        const Attr *attr = &fn->attrs.data[i];
        Stage stage = stage_of(attr->kind);
        if (stage == STAGE_NONE)
            continue;
        if (first && first->kind != attr->kind) {
            Diagnostic *d = diag_add(c->diag, DIAG_conflicting_attributes, attr->span,
                                     "a function belongs to one stage; it has '@%s' already",
                                     attr_kind_name(first->kind));
            diag_note(c->diag, d, first->span, "the first stage is given here");
        }
        if (!first) {
            first = attr;
            fn->fn.info->stage = stage;
        }
    }
}

/* Checks a size that may depend on overrides; false after a diagnostic. */
static bool check_size(Checker *c, const Attr *attr, Expr **slot)
{
    check_value(c, slot);
    if (!is_integer(c, attr, *slot))
        return false;
    if ((*slot)->stage == EVAL_RUNTIME) {
        diag_add(c->diag, DIAG_not_override, (*slot)->span,
                 "%s must be known when the pipeline is made, which this is not",
                 argument_name(c, attr));
        return false;
    }
    return true;
}

/* The one concrete type of all arguments: i32 unless one is u32. NULL after a
 * diagnostic. */
static const Type *size_type(Checker *c, const Attr *attr)
{
    const Expr *concrete = NULL;
    for (uint32_t i = 0; i < attr->nargs; i++) {
        const Expr *e = attr->args[i];
        if (type_is_abstract(e->type))
            continue;
        if (concrete && concrete->type != e->type) {
            Diagnostic *d = diag_add(c->diag, DIAG_attribute_arguments, e->span,
                                     "the arguments of '@%s' must have one type: this is "
                                     "'%s', another is '%s'", attr_kind_name(attr->kind),
                                     type_string(c->arena, e->type),
                                     type_string(c->arena, concrete->type));
            diag_note(c->diag, d, concrete->span, "the other one is here");
            return NULL;
        }
        concrete = e;
    }
    return concrete ? concrete->type : c->types->i32;
}

static bool check_positive(Checker *c, const Attr *attr, const Expr *e)
{
    if (e->type->kind == TYPE_ERROR)
        return false;
    if (!e->value || e->value->integer > 0)
        return true;
    diag_add(c->diag, DIAG_attribute_value, e->span, "%s must be at least 1, but is %lld",
             argument_name(c, attr), (long long)e->value->integer);
    return false;
}

/* Checks the arguments and brings them to one type. They are left in `out`, NULL
 * where there was an error. */
static void read_sizes(Checker *c, Attr *attr, Expr *out[])
{
    bool ok = true;
    for (uint32_t i = 0; i < attr->nargs; i++)
        ok = check_size(c, attr, &attr->args[i]) && ok;
    const Type *type = ok ? size_type(c, attr) : NULL;
    for (uint32_t i = 0; type && i < attr->nargs; i++)
        if (check_convert(c, &attr->args[i], type) && check_positive(c, attr, attr->args[i]))
            out[i] = attr->args[i];
}

static Attr *find_changeable(Attrs attrs, AttrKind kind)
{
    for (uint32_t i = 0; i < attrs.len; i++)
        if (attrs.data[i].kind == kind)
            return &attrs.data[i];
    return NULL;
}

static void read_workgroup_size(Checker *c, Decl *fn)
{
    Attr *attr = find_changeable(fn->attrs, ATTR_WORKGROUP_SIZE);
    if (attr)
        read_sizes(c, attr, fn->fn.info->workgroup_size);
    if (attr && fn->fn.info->stage != STAGE_COMPUTE)
        diag_add(c->diag, DIAG_misplaced_attribute, attr->span,
                 "'@workgroup_size' belongs to compute shaders, and this is not one");
    if (!attr && fn->fn.info->stage == STAGE_COMPUTE)
        diag_add(c->diag, DIAG_missing_workgroup_size, fn->ident.span,
                 "the compute shader '%.*s' needs '@workgroup_size'",
                 STR_ARG(ident_text(fn->ident)));
}

static void read_subgroup_size(Checker *c, Decl *fn)
{
    Attr *attr = find_changeable(fn->attrs, ATTR_SUBGROUP_SIZE);
    if (!attr || !check_needs(c, attr->span, ENABLE_subgroup_size_control, "@subgroup_size"))
        return;
    if (fn->fn.info->stage != STAGE_COMPUTE) {
        diag_add(c->diag, DIAG_misplaced_attribute, attr->span,
                 "'@subgroup_size' belongs to compute shaders, and this is not one");
        return;
    }
    read_sizes(c, attr, &fn->fn.info->subgroup_size);
    const Expr *e = fn->fn.info->subgroup_size;
    if (e && e->value && (e->value->integer & (e->value->integer - 1)) != 0)
        diag_add(c->diag, DIAG_attribute_value, e->span,
                 "a subgroup size must be a power of two, but this is %lld",
                 (long long)e->value->integer);
}

static void read_must_use(Checker *c, Decl *fn)
{
    const Attr *attr = attr_find(fn->attrs, ATTR_MUST_USE);
    fn->fn.info->must_use = attr != NULL;
    if (attr && !fn->fn.result_expr)
        diag_add(c->diag, DIAG_misplaced_attribute, attr->span,
                 "'@must_use' needs a function with a result");
}

void attr_function(Checker *c, Decl *fn)
{
    read_stage(c, fn);
    read_must_use(c, fn);
    read_workgroup_size(c, fn);
    read_subgroup_size(c, fn);
}

/* ---- variables and overrides ---- */

static bool is_resource(const Decl *var)
{
    return var->var.space == SPACE_UNIFORM || var->var.space == SPACE_STORAGE
        || var->var.space == SPACE_HANDLE;
}

static void report_no_resource(Checker *c, const Decl *var, const Attr *attr)
{
    if (attr)
        diag_add(c->diag, DIAG_misplaced_attribute, attr->span,
                 "'@%s' belongs to buffers, textures and samplers, and '%.*s' is not one",
                 attr_kind_name(attr->kind), STR_ARG(ident_text(var->ident)));
}

void attr_global_var(Checker *c, Decl *var)
{
    const Attr *group = attr_find(var->attrs, ATTR_GROUP);
    const Attr *binding = attr_find(var->attrs, ATTR_BINDING);
    bool has_group = find_u32(c, var->attrs, ATTR_GROUP, &var->var.group);
    bool has_binding = find_u32(c, var->attrs, ATTR_BINDING, &var->var.binding);
    if (var->var.space == SPACE_NONE)
        return;                         /* its declaration has been reported */
    if (!is_resource(var)) {
        report_no_resource(c, var, group);
        report_no_resource(c, var, binding);
        return;
    }
    var->var.has_binding = has_group && has_binding;
    if (!group || !binding)
        diag_add(c->diag, DIAG_missing_binding, var->ident.span,
                 "the resource '%.*s' needs %s", STR_ARG(ident_text(var->ident)),
                 group ? "'@binding'" : binding ? "'@group'" : "'@group' and '@binding'");
}

#define MAX_ID 65535u

void attr_override(Checker *c, Decl *d)
{
    const Attr *attr = attr_find(d->attrs, ATTR_ID);
    d->var.id = MAX_ID + 1 + d->index;
    uint32_t id;
    if (!attr || !attr_const_u32(c, attr, 0, &id))
        return;
    if (id > MAX_ID) {
        diag_add(c->diag, DIAG_attribute_value, attr->span,
                 "an id must be at most %u, but this is %u", MAX_ID, id);
        return;
    }
    if (!c->override_ids)
        c->override_ids = ARENA_ARRAY(c->arena, Decl *, MAX_ID + 1);
    const Decl *first = c->override_ids[id];
    if (first) {
        Diagnostic *x = diag_add(c->diag, DIAG_duplicate_id, attr->span,
                                 "the id %u is the one of '%.*s' already", id,
                                 STR_ARG(ident_text(first->ident)));
        diag_note(c->diag, x, attr_find(first->attrs, ATTR_ID)->span, "it is given here");
        return;
    }
    c->override_ids[id] = d;
    d->var.has_id = true;
    d->var.id = id;
}

/* ---- inputs and outputs ---- */

static void read_depth_mode(Checker *c, const Attr *attr, IoAttrs *io)
{
    Ident mode = attr->names[1];
    if (io->builtin != IO_frag_depth)
        diag_add(c->diag, DIAG_attribute_arguments, mode.span,
                 "only the builtin value 'frag_depth' takes a second argument");
    else if (!feature_language(c, LANGUAGE_fragment_depth))
        diag_add(c->diag, DIAG_feature_unavailable, mode.span,
                 "a depth mode needs the language feature 'fragment_depth', which is not "
                 "available here");
    else if (str_eq(mode.name->text, STR("greater")))
        io->depth = DEPTH_GREATER;
    else if (str_eq(mode.name->text, STR("less")))
        io->depth = DEPTH_LESS;
    else
        diag_add(c->diag, DIAG_attribute_arguments, mode.span,
                 "'%.*s' is not a depth mode: use greater or less", STR_ARG(mode.name->text));
}

static void report_unknown_builtin(Checker *c, Ident ident)
{
    Str near = io_builtin_nearest(ident.name->text);
    if (near.data)
        diag_add(c->diag, DIAG_unknown_builtin_value, ident.span,
                 "there is no builtin value '%.*s'; is '%.*s' meant?",
                 STR_ARG(ident.name->text), STR_ARG(near));
    else
        diag_add(c->diag, DIAG_unknown_builtin_value, ident.span,
                 "there is no builtin value '%.*s'", STR_ARG(ident.name->text));
}

static void read_builtin(Checker *c, const Attr *attr, IoAttrs *io)
{
    Ident ident = attr->names[0];
    if (!ident.name)
        return;                         /* a syntax error, already reported */
    io->builtin = io_builtin_find(ident.name->text);
    if (io->builtin == IO_NO_BUILTIN) {
        report_unknown_builtin(c, ident);
        io->failed = true;
        return;
    }
    io_builtin_available(c, io->builtin, ident.span);
    if (attr->nargs > 1 && attr->names[1].name)
        read_depth_mode(c, attr, io);
}

/* The number of `ident` among `words`, -1 if it is none of them. */
static int find_word(Ident ident, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(ident.name->text, str_of(words[i])))
            return (int)i;
    return -1;
}

static void read_sampling(Checker *c, Ident ident, IoAttrs *io)
{
    static const char *const words[] = {
        [SAMPLING_CENTER] = "center", [SAMPLING_CENTROID] = "centroid",
        [SAMPLING_SAMPLE] = "sample", [SAMPLING_FIRST] = "first",
        [SAMPLING_EITHER] = "either",
    };
    int found = find_word(ident, words, COUNTOF(words));
    if (found < 0) {
        diag_add(c->diag, DIAG_invalid_interpolation, ident.span,
                 "'%.*s' is not an interpolation sampling: use center, centroid, sample, "
                 "first or either", STR_ARG(ident.name->text));
        return;
    }
    bool flat = found == SAMPLING_FIRST || found == SAMPLING_EITHER;
    if (flat != (io->interpolate == INTERPOLATE_FLAT)) {
        diag_add(c->diag, DIAG_invalid_interpolation, ident.span,
                 flat ? "the sampling '%.*s' goes with the interpolation 'flat' only"
                      : "the sampling '%.*s' does not go with the interpolation 'flat'",
                 STR_ARG(ident.name->text));
        return;
    }
    io->sampling = (Sampling)found;
}

static void read_interpolate(Checker *c, const Attr *attr, IoAttrs *io)
{
    static const char *const words[] = {
        [INTERPOLATE_PERSPECTIVE] = "perspective", [INTERPOLATE_LINEAR] = "linear",
        [INTERPOLATE_FLAT] = "flat",
    };
    Ident ident = attr->names[0];
    if (!ident.name)
        return;                         /* a syntax error, already reported */
    int found = find_word(ident, words, COUNTOF(words));
    io->has_interpolate = true;
    if (found < 0) {
        diag_add(c->diag, DIAG_invalid_interpolation, ident.span,
                 "'%.*s' is not an interpolation: use perspective, linear or flat",
                 STR_ARG(ident.name->text));
        io->failed = true;
        return;
    }
    io->interpolate = (Interpolate)found;
    io->sampling = found == INTERPOLATE_FLAT ? SAMPLING_FIRST : SAMPLING_CENTER;
    if (attr->nargs > 1 && attr->names[1].name)
        read_sampling(c, attr->names[1], io);
}

static void read_blend_src(Checker *c, const Attr *attr, IoAttrs *io)
{
    io->has_blend_src = true;
    check_needs(c, attr->span, ENABLE_dual_source_blending, "@blend_src");
    if (!attr_const_u32(c, attr, 0, &io->blend_src))
        io->failed = true;
    else if (io->blend_src > 1) {
        diag_add(c->diag, DIAG_attribute_value, attr->span,
                 "the argument of '@blend_src' must be 0 or 1, but is %u", io->blend_src);
        io->failed = true;
    }
}

/* `attr` makes sense beside '@needed' only. */
static void need_beside(Checker *c, Attrs attrs, AttrKind kind, bool there, const char *needed)
{
    const Attr *attr = attr_find(attrs, kind);
    if (attr && !there)
        diag_add(c->diag, DIAG_missing_attribute, attr->span, "'@%s' needs '@%s' beside it",
                 attr_kind_name(kind), needed);
}

static void check_combination(Checker *c, Attrs attrs, const IoAttrs *io)
{
    const Attr *location = attr_find(attrs, ATTR_LOCATION);
    const Attr *builtin = attr_find(attrs, ATTR_BUILTIN);
    if (location && builtin) {
        Diagnostic *d = diag_add(c->diag, DIAG_conflicting_attributes, location->span,
                                 "an input or output has '@builtin' or '@location', not both");
        diag_note(c->diag, d, builtin->span, "'@builtin' is given here");
    }
    if (io->failed)
        return;
    need_beside(c, attrs, ATTR_INTERPOLATE, location, "location");
    need_beside(c, attrs, ATTR_BLEND_SRC, location, "location");
    need_beside(c, attrs, ATTR_INVARIANT, io->builtin == IO_position, "builtin(position)");
}

static void read_io(Checker *c, const Attr *attr, IoAttrs *io)
{
    switch (attr->kind) {
    case ATTR_BUILTIN:     read_builtin(c, attr, io); break;
    case ATTR_INTERPOLATE: read_interpolate(c, attr, io); break;
    case ATTR_BLEND_SRC:   read_blend_src(c, attr, io); break;
    case ATTR_INVARIANT:   io->invariant = true; break;
    case ATTR_LOCATION:
        io->has_location = true;
        if (!attr_const_u32(c, attr, 0, &io->location))
            io->failed = true;
        break;
    default:
        return;
    }
    io->span = io->span.end ? span_join(io->span, attr->span) : attr->span;
}

const IoAttrs *attr_io(Checker *c, Attrs attrs)
{
    IoAttrs *io = ARENA_NEW(c->arena, IoAttrs);
    bool seen[ATTR_KIND_COUNT] = {0};
    for (uint32_t i = 0; i < attrs.len; i++) {
        const Attr *attr = &attrs.data[i];
        if (!seen[attr->kind])
            read_io(c, attr, io);
        seen[attr->kind] = true;
    }
    check_combination(c, attrs, io);
    return io;
}
