// SPDX-License-Identifier: Apache-2.0
/*
 * template_builtin.c - chat templates by name.
 *
 * in     templates.def
 * out    names and Jinja texts
 * not    how they are rendered
 */
#include <string.h>

#include <weft/model.h>

#include "base/macro.h"
#include "base/near.h"
#include "model/template_priv.h"

static const struct Builtin {
    const char *name, *source;
} builtins[] = {
#define TEMPLATE(name, source) {name, source},
#include "model/templates.def"
#undef TEMPLATE
};

const char *template_builtin_find(const char *name)
{
    for (size_t i = 0; i < COUNTOF(builtins); i++)
        if (strcmp(builtins[i].name, name) == 0)
            return builtins[i].source;
    return NULL;
}

const char *template_builtin_near(const char *name)
{
    Near near = near_begin(str_of(name));
    for (size_t i = 0; i < COUNTOF(builtins); i++)
        near_consider(&near, str_of(builtins[i].name));
    return near.found.data;
}

const char *weft_model_template_name(uint32_t index)
{
    return index < COUNTOF(builtins) ? builtins[index].name : NULL;
}
