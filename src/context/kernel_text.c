// SPDX-License-Identifier: Apache-2.0
/*
 * kernel_text.c - the texts of embedded kernels, with their parameters filled in.
 *
 * in     a table that the build makes of .wgsl files; names and values
 * out    WGSL
 * not    what the kernels compute
 */
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "context/context.h"

#define MAX_PARAMETERS 64

const char *context_kernel_find(const EmbeddedKernel *table, const char *name)
{
    for (; table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table->text;
    BUG("there is no kernel '%s'", name);
}

typedef struct Parameter {
    const char *name, *value;
    size_t      size;                   /* of the name                                 */
} Parameter;

static const char *find_value(const Parameter *all, int count, const char *name, size_t size)
{
    for (int i = 0; i < count; i++)
        if (all[i].size == size && memcmp(all[i].name, name, size) == 0)
            return all[i].value;
    BUG("a kernel has the unknown parameter ${%.*s}", (int)size, name);
}

const char *context_kernel_fill(Arena *arena, const char *text, const char *const *params)
{
    Parameter all[MAX_PARAMETERS];
    int       count = 0;
    Text      out = {.arena = arena};
    for (; params[0]; params += 2) {
        BUG_IF(count == MAX_PARAMETERS, "a kernel has too many parameters");
        all[count++] = (Parameter){params[0], params[1], strlen(params[0])};
    }
    for (const char *mark; (mark = strstr(text, "${"));) {
        const char *end = strchr(mark, '}');
        BUG_IF(!end, "a kernel has ${ without }");
        text_add(&out, (Str){text, (uint32_t)(mark - text)});
        text_add(&out, str_of(find_value(all, count, mark + 2, (size_t)(end - mark - 2))));
        text = end + 1;
    }
    text_add(&out, str_of(text));
    return out.data;
}

const char *context_kernel_text(Arena *arena, const char *text, ...)
{
    const char *params[2 * MAX_PARAMETERS + 1] = {NULL};
    int         count = 0;
    va_list     args;
    va_start(args, text);
    for (const char *name; (name = va_arg(args, const char *));) {
        BUG_IF(count == 2 * MAX_PARAMETERS, "a kernel has too many parameters");
        params[count++] = name;
        params[count++] = va_arg(args, const char *);
    }
    va_end(args);
    return context_kernel_fill(arena, text, params);
}

/* ---- repeated lines ---- */

static bool has_mark(const char *line, size_t len, char mark)
{
    for (size_t i = 0; i + 1 < len; i++)
        if (line[i] == '#' && line[i + 1] == mark)
            return true;
    return false;
}

static void add_line(Text *out, const char *line, size_t len, char mark, uint32_t number)
{
    for (size_t i = 0; i < len; i++) {
        if (i + 1 < len && line[i] == '#' && line[i + 1] == mark) {
            text_printf(out, "%u", number);
            i++;
        } else {
            text_char(out, line[i]);
        }
    }
}

const char *context_kernel_repeat(Arena *arena, const char *text, char mark, uint32_t count)
{
    Text out = {.arena = arena};
    while (*text) {
        size_t len = strcspn(text, "\n");
        len += text[len] == '\n';
        uint32_t n = has_mark(text, len, mark) ? count : 1;
        for (uint32_t i = 0; i < n; i++)
            add_line(&out, text, len, mark, i);
        text += len;
    }
    return out.data;
}
