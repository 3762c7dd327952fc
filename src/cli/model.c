// SPDX-License-Identifier: Apache-2.0
/*
 * model.c - `weft model`: its parts, and the file that each of them opens.
 *
 * in     the first operand
 * out    an open GGUF file
 * knows  weft/model.h
 */
#include "cli/model.h"

bool model_open(Cli *cli, ModelFile *m, const weft_gguf_desc *how)
{
    if (cli->operands.len == 0) {
        cli_complain(cli, "no file; see 'weft help %s'", cli->command->name);
        return false;
    }
    weft_gguf_desc desc = how ? *how : (weft_gguf_desc){0};
    desc.path = cli->operands.data[0];
    m->ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    m->file = weft_gguf_create(m->ctx, &desc);
    if (!m->file)
        model_complain(cli, m);
    return m->file != NULL;
}

void model_close(ModelFile *m)
{
    weft_gguf_release(m->file);
    weft_context_release(m->ctx);
}

int model_complain(Cli *cli, const ModelFile *m)
{
    cli_complain(cli, "%s", weft_context_error(m->ctx)->message);
    return CLI_TROUBLE;
}

static const Command *const parts[] = {
    &cli_model_run,        &cli_model_chat,       &cli_model_embed,      &cli_model_bench,
    &cli_model_perplexity, &cli_model_logits,     &cli_model_info,       &cli_model_tokenize,
    &cli_model_detokenize, &cli_model_template,   &cli_model_convert,    NULL,
};

const Command cli_model = {
    .name = "model", .operands = "PART FILE",
    .purpose = "Run language models from GGUF files, and read such files.",
    .more = "", .parts = parts,
};
