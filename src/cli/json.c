// SPDX-License-Identifier: Apache-2.0
/*
 * json.c - diagnostics for programs.
 *
 * in     a module, or why there is none
 * out    JSON; docs/cli.md describes it
 */
#include "cli/cli.h"

void json_text(Text *out, const char *text)
{
    text_json(out, str_of(text));
}

static void lines(Text *out, const weft_place *p)
{
    text_printf(out, ",\"line\":%u,\"column\":%u,\"end_line\":%u,\"end_column\":%u",
                p->line, p->column, p->end_line, p->end_column);
}

static const char *severity_word(weft_severity severity)
{
    static const char *const words[] = {
        [WEFT_SEVERITY_INFO] = "info",
        [WEFT_SEVERITY_WARNING] = "warning",
        [WEFT_SEVERITY_ERROR] = "error",
    };
    return words[severity];
}

static void diagnostic(Text *out, const weft_diagnostic *d)
{
    text_printf(out, "{\"severity\":\"%s\",\"id\":", severity_word(d->severity));
    json_text(out, d->id);
    text_printf(out, ",\"message\":");
    json_text(out, d->message);
    lines(out, &d->place);
    text_printf(out, ",\"offset\":%u,\"length\":%u,\"notes\":[", d->place.offset,
                d->place.length);
    for (uint32_t i = 0; i < d->note_count; i++) {
        text_printf(out, "%s{\"message\":", i ? "," : "");
        json_text(out, d->notes[i].message);
        lines(out, &d->notes[i].place);
        text_char(out, '}');
    }
    text_add(out, STR("]}"));
}

void json_diagnostics(Text *out, const weft_wgsl *m)
{
    text_add(out, STR(",\"diagnostics\":["));
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(m); i++) {
        if (i)
            text_char(out, ',');
        diagnostic(out, weft_wgsl_diagnostic_get(m, i));
    }
    text_char(out, ']');
}

void json_unreadable(Text *out, const char *why)
{
    text_add(out, STR(",\"diagnostics\":["));
    diagnostic(out, &(weft_diagnostic){.severity = WEFT_SEVERITY_ERROR,
                                       .id = "cannot_read", .message = why});
    text_char(out, ']');
}
