// SPDX-License-Identifier: Apache-2.0
/*
 * explain.c - `weft explain`: what a diagnostic means in general.
 *
 * in     ids of diagnostics
 * out    the sentences of the catalogue
 */
#include <string.h>

#include "cli/cli.h"

static const Option options[] = {{0}};

static void list_all(Text *out)
{
    size_t widest = 0;
    for (uint32_t i = 0; weft_diagnostic_id(i); i++)
        widest = MAX_OF(widest, strlen(weft_diagnostic_id(i)));
    for (uint32_t i = 0; weft_diagnostic_id(i); i++) {
        const char *id = weft_diagnostic_id(i);
        text_printf(out, "%-*s  %s\n", (int)widest, id, weft_diagnostic_explain(id));
    }
}

static bool explain(Cli *cli, const char *id)
{
    const char *sentence = weft_diagnostic_explain(id);
    if (sentence) {
        text_printf(&cli->out, "%s: %s\n", id, sentence);
        return true;
    }
    const char *near = options_nearest(id, weft_diagnostic_id);
    if (near)
        cli_complain(cli, "there is no diagnostic '%s'; did you mean '%s'?", id, near);
    else
        cli_complain(cli, "there is no diagnostic '%s'; 'weft explain' lists them", id);
    return false;
}

static int run(Cli *cli)
{
    int status = CLI_OK;
    if (cli->operands.len == 0)
        list_all(&cli->out);
    for (uint32_t i = 0; i < cli->operands.len; i++)
        if (!explain(cli, cli->operands.data[i]))
            status = CLI_TROUBLE;
    return status;
}

const Command cli_explain = {
    .name = "explain", .operands = "[ID...]",
    .purpose = "Say what a diagnostic means; without an ID, list them all.",
    .more = "", .options = options, .run = run,
};
