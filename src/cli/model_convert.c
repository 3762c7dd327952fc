// SPDX-License-Identifier: Apache-2.0
/*
 * model_convert.c - `weft model convert`: a folder of safetensors as a GGUF file.
 *
 * in     a folder, options
 * out    a file
 * knows  weft/model.h
 */
#include <stdio.h>
#include <unistd.h>

#include "cli/model.h"

static const Option options[] = {
    {"output", 'o', "FILE", "the GGUF file to write"},
    {"name", 0, "TEXT", "general.name (default: the name of the folder)"},
    {"f32", 0, NULL, "write matrices in F32 instead of what they are"},
    {0},
};

static bool show(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rtensor %llu of %llu%s", (unsigned long long)done,
                (unsigned long long)total, done == total ? "\n" : "");
    return true;
}

static int run(Cli *cli)
{
    const char *out = NULL, *name = NULL, *none = NULL;
    if (cli->operands.len != 1) {
        cli_complain(cli, "name one folder; see 'weft help model convert'");
        return CLI_TROUBLE;
    }
    if (!options_find(cli, "output", &out)) {
        cli_complain(cli, "no file to write: give -o FILE.gguf");
        return CLI_TROUBLE;
    }
    options_find(cli, "name", &name);
    weft_context *ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    bool ok = weft_model_convert(ctx, &(weft_model_convert_desc){
        .dir = cli->operands.data[0], .path = out, .name = name,
        .f32 = options_find(cli, "f32", &none), .progress = show});
    if (!ok)
        cli_complain(cli, "%s", weft_context_error(ctx)->message);
    weft_context_release(ctx);
    return ok ? CLI_OK : CLI_TROUBLE;
}

const Command cli_model_convert = {
    .name = "model convert", .operands = "DIR",
    .purpose = "Write a GGUF file from a folder of safetensors.",
    .more = "The folder has config.json, tokenizer.json or vocab.txt, and *.safetensors, as\n"
            "models are published. BERT models can be converted.\n",
    .options = options, .run = run,
};
