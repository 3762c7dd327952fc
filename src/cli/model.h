// SPDX-License-Identifier: Apache-2.0
/*
 * model.h - what the parts of `weft model` share.
 */
#ifndef WEFT_CLI_MODEL_H
#define WEFT_CLI_MODEL_H

#include <weft/model.h>

#include "cli/cli.h"

/* A context without a device, and the GGUF file that the first operand names. */
typedef struct ModelFile {
    weft_context *ctx;
    weft_gguf    *file;
} ModelFile;

/* False after a message. Released by model_close() in any case. */
bool model_open(Cli *cli, ModelFile *m, const weft_gguf_desc *how);
void model_close(ModelFile *m);
/* Says what the context's error is. CLI_TROUBLE. */
int  model_complain(Cli *cli, const ModelFile *m);

#endif
