// SPDX-License-Identifier: Apache-2.0
/*
 * reflect_priv.h - what the two forms of `weft reflect` share.
 */
#ifndef WEFT_CLI_REFLECT_PRIV_H
#define WEFT_CLI_REFLECT_PRIV_H

#include "cli/cli.h"

const char *reflect_stage(weft_stage stage);
const char *reflect_binding_kind(weft_binding_kind kind);
const char *reflect_scalar(weft_scalar scalar);
/* The default as WGSL or JSON writes it; NULL: none, or not known. */
const char *reflect_default(Arena *a, const weft_override *o);

/* The reflection, or the diagnostics, as one JSON document. False: the module has
 * errors, or the settings do not make a pipeline. */
bool reflect_json(Cli *cli, const char *file, const weft_wgsl *m, const Settings *settings);

#endif
