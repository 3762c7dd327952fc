// SPDX-License-Identifier: Apache-2.0
/*
 * check.c - the passes of the checker, in order.
 *
 * in     a Module from syntax_parse()
 * out    the typed module, diagnostics
 * knows  the order of the passes
 * not    what they do
 */
#include "check/check_priv.h"
#include "check/predeclared_priv.h"

static void predeclare(Checker *c)
{
    predeclared_bind(c->module);
}

static void declarations(Checker *c)
{
    for (uint32_t i = 0; i < c->info->ordered.len; i++)
        check_global(c, c->info->ordered.data[i]);
}

/* Calls `pass` for the functions that have one: not for recursive ones. */
static void each_function(Checker *c, void (*pass)(Checker *, Decl *))
{
    for (uint32_t i = 0; i < c->info->functions.len; i++) {
        Decl *fn = c->info->functions.data[i];
        if (fn->fn.body && !fn->fn.info->recursive)
            pass(c, fn);
    }
}

static void bodies(Checker *c)
{
    each_function(c, check_function);
}

static void behaviors(Checker *c)
{
    each_function(c, behavior_function);
}

static void aliases(Checker *c)
{
    each_function(c, alias_function);
}

static void uniformity(Checker *c)
{
    each_function(c, uniformity_function);
}

/* Reading this table is reading the design. */
static const struct Pass {
    const char *name;
    void      (*run)(Checker *c);
    bool        needs_valid;            /* only if there is no error so far      */
    const char *why;
} passes[] = {
    {"predeclare",   predeclare,         false, "names mean something without a declaration"},
    {"directives",   feature_directives, false, "what may be used is known before it is"},
    {"order",        order_module,       false, "what is used comes before its users"},
    {"declarations", declarations,       false, "every module-scope name has a type"},
    {"bodies",       bodies,             false, "every expression has a type"},
    {"usage",        usage_module,       false, "what entry points reach through calls"},
    {"views",        view_module,        true,  "buffers are as large as what is seen in them"},
    {"behavior",     behaviors,          false, "functions return, loops end"},
    {"alias",        aliases,            false, "no two names of written memory in a call"},
    {"interface",    interface_module,   false, "entry points fit their stages"},
    {"uniformity",   uniformity,         true,  "barriers are met by all, or we say why not"},
};

bool check_module(Module *m, const CheckOptions *options, Diag *diag)
{
    Checker c = {.module = m, .arena = m->arena, .diag = diag};
    m->info = c.info = ARENA_NEW(m->arena, ModuleInfo);
    c.types = &c.info->types;
    type_table_init(c.types, m->arena);
    if (options)
        c.options = *options;
    c.fold = (FoldContext){.arena = m->arena, .types = c.types, .diag = diag};
    for (size_t i = 0; i < COUNTOF(passes); i++)
        if (!passes[i].needs_valid || diag->errors == 0)
            passes[i].run(&c);
    return diag->errors == 0;
}
