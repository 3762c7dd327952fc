// SPDX-License-Identifier: Apache-2.0
/*
 * feature.c - directives: enable, requires, diagnostic filters.
 *
 * in     Module.directives, @diagnostic attributes, what the options allow
 * out    ModuleInfo.features, severities
 * knows  WGSL 2.3 (diagnostics), 4 (directives), features.def
 * not    what the features change: their implementations ask here
 */
#include "base/near.h"
#include "check/check_priv.h"

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

static const char *const rule_names[] = {
    [RULE_derivative_uniformity] = "derivative_uniformity",
    [RULE_subgroup_uniformity] = "subgroup_uniformity",
};
_Static_assert(COUNTOF(rule_names) == RULE_COUNT, "a rule has no name");

static const char *const severity_words[] = {
    [SEVERITY_OFF] = "off",
    [SEVERITY_INFO] = "info",
    [SEVERITY_WARNING] = "warning",
    [SEVERITY_ERROR] = "error",
};

bool feature_enabled(const Checker *c, int enable)
{
    return c->info->features.enabled >> enable & 1;
}

bool feature_language(const Checker *c, int language)
{
    return c->info->features.language >> language & 1;
}

const char *feature_enable_name(int enable)
{
    return enable_names[enable];
}

const char *feature_language_name(int language)
{
    return language_names[language];
}

/* Place of `text` among `words`, or -1. */
static int find_word(Str text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(text, str_of(words[i])))
            return (int)i;
    return -1;
}

/* ---- enable, requires ---- */

/* The name of the device's feature that an extension comes with. */
static const char *device_feature(Checker *c, Str extension)
{
    if (str_eq(extension, STR("f16")))
        return "shader-f16";
    char *name = arena_printf(c->arena, "%.*s", STR_ARG(extension));
    for (char *at = name; *at; at++)
        if (*at == '_')
            *at = '-';
    return name;
}

/* What follows the last '_', or all. */
static Str last_word(Str text)
{
    for (uint32_t i = text.len; i-- > 0;)
        if (text.data[i] == '_')
            return (Str){text.data + i + 1, text.len - i - 1};
    return text;
}

/* The extension that a wrong name may mean: spelt nearly the same, or with another
 * first word (naga_ext_f64). Without one the result is empty, with NULL data. */
static Str nearest_extension(Str text)
{
    Near near = near_begin(text);
    for (size_t i = 0; i < COUNTOF(enable_names); i++)
        near_consider(&near, str_of(enable_names[i]));
    for (size_t i = 0; i < COUNTOF(enable_names) && !near.found.data; i++)
        if (str_eq(last_word(text), last_word(str_of(enable_names[i]))))
            near.found = str_of(enable_names[i]);
    return near.found;
}

static void unknown_extension(Checker *c, Ident ident)
{
    Str text = ident.name->text, near = nearest_extension(text);
    if (near.data)
        diag_add(c->diag, DIAG_unknown_extension, ident.span,
                 "there is no extension '%.*s' to enable; is '%.*s' meant?", STR_ARG(text),
                 STR_ARG(near));
    else
        diag_add(c->diag, DIAG_unknown_extension, ident.span,
                 "there is no extension '%.*s' to enable", STR_ARG(text));
}

static void enable(Checker *c, Ident ident)
{
    uint32_t allowed = c->options.enables || c->options.none_enabled
                           ? c->options.enables
                           : UINT32_MAX;
    int i = find_word(ident.name->text, enable_names, COUNTOF(enable_names));
    if (i < 0)
        unknown_extension(c, ident);
    if (i >= 0 && !(allowed >> i & 1))
        diag_add(c->diag, DIAG_extension_unavailable, ident.span,
                 "the extension '%.*s' is not available here; a device has it with the feature "
                 "'%s'",
                 STR_ARG(ident.name->text), device_feature(c, ident.name->text));
    if (i >= 0)
        c->info->features.enabled |= 1u << i;   /* one message is enough */
}

static void require(Checker *c, Ident ident)
{
    int i = find_word(ident.name->text, language_names, COUNTOF(language_names));
    if (i < 0 && find_word(ident.name->text, enable_names, COUNTOF(enable_names)) >= 0)
        diag_add(c->diag, DIAG_unknown_feature, ident.span,
                 "there is no language feature '%.*s'; it is an extension: 'enable %.*s;'",
                 STR_ARG(ident.name->text), STR_ARG(ident.name->text));
    else if (i < 0)
        diag_add(c->diag, DIAG_unknown_feature, ident.span,
                 "there is no language feature '%.*s'", STR_ARG(ident.name->text));
    else if (!feature_language(c, i))
        diag_add(c->diag, DIAG_feature_unavailable, ident.span,
                 "the language feature '%.*s' is not available here",
                 STR_ARG(ident.name->text));
}

/* ---- diagnostic filters ---- */

/* The filter's rule and severity. False: it changes nothing, and that is said. */
static bool read_filter(Checker *c, const Attr *filter, FilterRule *rule,
                        Severity *severity)
{
    Ident word = filter->names[0], name = filter->names[1], part = filter->names[2];
    if (!word.name || !name.name)
        return false;                   /* a syntax error, already reported */
    int level = find_word(word.name->text, severity_words, COUNTOF(severity_words));
    if (level < 0) {
        diag_add(c->diag, DIAG_unknown_severity, word.span,
                 "'%.*s' is not a severity: use error, warning, info or off",
                 STR_ARG(word.name->text));
        return false;
    }
    *severity = (Severity)level;
    if (part.name)
        return false;                   /* a vendor's rule: "vendor.rule" */
    int i = find_word(name.name->text, rule_names, COUNTOF(rule_names));
    if (i < 0) {
        diag_add(c->diag, DIAG_unknown_rule, name.span,
                 "there is no diagnostic rule '%.*s'", STR_ARG(name.name->text));
        return false;
    }
    *rule = (FilterRule)i;
    return true;
}

/*
 * Filters of one range, collected. Rules we do not know take part in the search
 * for conflicts too, by name: at most MAX_FOREIGN of them.
 */
#define MAX_FOREIGN 64
typedef struct Range {
    bool     once;                      /* a rule may be named only once         */
    bool     set[RULE_COUNT];
    Severity severity[RULE_COUNT];
    Span     span[RULE_COUNT];
    struct { const Name *name, *part, *word; Span span; } foreign[MAX_FOREIGN];
    uint32_t nforeign;
} Range;

/* A second filter for the same rule. */
static void report_second(Checker *c, const Range *range, bool same, Span second, Span first,
                          const char *rule)
{
    Diagnostic *d;
    if (!same)
        d = diag_add(c->diag, DIAG_conflicting_filters, second,
                     "this filter and another one of the same range set different severities "
                     "for '%s'", rule);
    else if (range->once)
        d = diag_add(c->diag, DIAG_duplicate_attribute, second,
                     "there is already a filter for '%s' here", rule);
    else
        return;
    diag_note(c->diag, d, first, "the other filter is here");
}

static void add_foreign(Checker *c, Range *range, const Attr *filter)
{
    const Name *word = filter->names[0].name, *name = filter->names[1].name;
    const Name *part = filter->names[2].name;
    if (!word || !name)
        return;
    for (uint32_t i = 0; i < range->nforeign; i++) {
        if (range->foreign[i].name != name || range->foreign[i].part != part)
            continue;
        report_second(c, range, range->foreign[i].word == word, filter->span,
                      range->foreign[i].span,
                      arena_printf(c->arena, "%.*s%s%.*s", STR_ARG(name->text),
                                   part ? "." : "", part ? (int)part->text.len : 0,
                                   part ? part->text.data : ""));
        return;
    }
    if (range->nforeign == MAX_FOREIGN)
        return;
    range->foreign[range->nforeign].name = name;
    range->foreign[range->nforeign].part = part;
    range->foreign[range->nforeign].word = word;
    range->foreign[range->nforeign++].span = filter->span;
}

static void add_filter(Checker *c, Range *range, const Attr *filter)
{
    FilterRule rule;
    Severity severity;
    if (!read_filter(c, filter, &rule, &severity)) {
        add_foreign(c, range, filter);
        return;
    }
    if (range->set[rule]) {
        report_second(c, range, range->severity[rule] == severity, filter->span,
                      range->span[rule], rule_names[rule]);
        return;
    }
    range->set[rule] = true;
    range->severity[rule] = severity;
    range->span[rule] = filter->span;
}

static Filters apply(const Range *range, Filters outer)
{
    for (int i = 0; i < RULE_COUNT; i++)
        if (range->set[i])
            outer.severity[i] = range->severity[i];
    return outer;
}

Filters feature_filters(Checker *c, Filters outer, Attrs attrs)
{
    bool any = false;
    for (uint32_t i = 0; i < attrs.len && !any; i++)
        any = attrs.data[i].kind == ATTR_DIAGNOSTIC;
    if (!any)
        return outer;
    Range range = {.once = true};
    for (uint32_t i = 0; i < attrs.len; i++)
        if (attrs.data[i].kind == ATTR_DIAGNOSTIC)
            add_filter(c, &range, &attrs.data[i]);
    return apply(&range, outer);
}

/* ---- the directives of a module ---- */

void feature_directives(Checker *c)
{
    Range range = {.nforeign = 0};
    Features *features = &c->info->features;
    features->language = c->options.language || c->options.no_language
                             ? c->options.language
                             : (uint32_t)((1ull << LANGUAGE_COUNT) - 1);
    for (int i = 0; i < RULE_COUNT; i++)
        c->module_filters.severity[i] = SEVERITY_ERROR;
    for (uint32_t i = 0; i < c->module->directives.len; i++) {
        Directive *d = &c->module->directives.data[i];
        if (d->kind == DIRECTIVE_DIAGNOSTIC)
            add_filter(c, &range, &d->filter);
        for (uint32_t k = 0; k < d->nnames; k++) {
            if (!d->names[k].name)
                continue;
            if (d->kind == DIRECTIVE_ENABLE)
                enable(c, d->names[k]);
            else if (d->kind == DIRECTIVE_REQUIRES)
                require(c, d->names[k]);
        }
    }
    c->module_filters = apply(&range, c->module_filters);
    if (features->enabled >> ENABLE_subgroup_size_control & 1)
        features->enabled |= 1u << ENABLE_subgroups;
}
