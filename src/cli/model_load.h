// SPDX-License-Identifier: Apache-2.0
/*
 * model_load.h - a model on a device, as the parts of `weft model` that compute need it.
 */
#ifndef WEFT_CLI_MODEL_LOAD_H
#define WEFT_CLI_MODEL_LOAD_H

#include <weft/model.h>

#include "cli/cli.h"

/* Options that all of them have. */
#define MODEL_DEVICE_OPTIONS                                                                 \
    {"model", 'm', "FILE", "the file, instead of the operand"},                              \
    {"device", 0, "NAME", "cpu, vulkan, or a part of a name that 'weft devices' shows"},     \
    {"threads", 't', "N", "threads of the CPU device (default: one for each core)"},         \
    {"ctx-size", 'c', "N", "positions (default: the model's, at most 4096)"},                \
    {"batch-size", 'b', "N", "tokens of a prompt computed at a time (default: 128)"},        \
    {"activations", 0, "TYPE", "auto (default), f32, int8"},                                 \
    {"cache-type", 0, "TYPE", "of keys and values: f16 (default), f32, q8_0"},               \
    {"gpu-layers", 0, "N", "0: on the CPU device; a model is never cut between two"},        \
    {"rope-scaling", 0, "HOW", "none, linear, yarn, longrope (default: the file's)"},        \
    {"rope-scale", 0, "X", "of positions (default: the file's)"},                            \
    {"rope-freq-scale", 0, "X", "the same as 1/X"},                                          \
    {"rope-freq-base", 0, "X", "base of the rotations (default: the file's)"},               \
    {"quiet", 'q', NULL, "no progress, no figures"},                                         \
    /* Of llama.cpp; they change nothing here. */                                            \
    {"flash-attn", 0, "MODE", NULL}, {"no-conversation", 0, NULL, NULL},                     \
    {"no-display-prompt", 0, NULL, NULL}, {"no-warmup", 0, NULL, NULL},                      \
    {"no-mmap", 0, NULL, NULL}, {"mlock", 0, NULL, NULL}

/* Options that choose tokens, with the names of llama.cpp. */
#define MODEL_SAMPLING_OPTIONS                                                               \
    {"temperature", 0, "X", "0: the likeliest token each time (default: 0.8)"},              \
    {"top-k", 0, "N", "draw from the N likeliest tokens; 0: all (default: 40)"},             \
    {"top-p", 0, "X", "and from those that make up this probability; 1: all (default: 0.95)"}, \
    {"min-p", 0, "X", "and are this likely beside the likeliest; 0: all (default: 0.05)"},   \
    {"typical", 0, "X", "and are locally typical; 1: all (default: 1)"},                     \
    {"top-nsigma", 0, "X", "and within so many standard deviations of the greatest logit"},  \
    {"xtc-probability", 0, "X", "leave out the likeliest tokens this often (default: 0)"},   \
    {"xtc-threshold", 0, "X", "but the last of those above it (default: 0.1)"},              \
    {"repeat-penalty", 0, "X", "make tokens of the last ones less likely; 1: off (default: 1)"}, \
    {"frequency-penalty", 0, "X", "the more often they were there (default: 0)"},            \
    {"presence-penalty", 0, "X", "however often they were there (default: 0)"},              \
    {"repeat-last-n", 0, "N", "how many are the last ones; 0: none (default: 64)"},          \
    {"dry-multiplier", 0, "X", "make repetitions of phrases less likely (default: 0, off)"}, \
    {"dry-base", 0, "X", "the more, the longer they are (default: 1.75)"},                   \
    {"dry-allowed-length", 0, "N", "from this length on (default: 2)"},                      \
    {"dry-penalty-last-n", 0, "N", "within so many tokens; 0: none (default: 64)"},          \
    {"dry-sequence-breaker", 0, "TEXT", "ends phrases; may be repeated"},                    \
    {"logit-bias", 'l', "TOKEN+X", "add X to a token's logit, or TOKEN-X; may be repeated"},   \
    {"seed", 's', "N", "random numbers that can be repeated"},                               \
    {"grammar", 0, "TEXT", "a GBNF grammar that the answer follows"},                        \
    {"grammar-file", 0, "FILE", "the same from a file"},                                     \
    {"json-schema", 'j', "TEXT", "a JSON schema that the answer follows"},                     \
    {"json-schema-file", 0, "FILE", "the same from a file"},                                 \
    {"stop", 'r', "TEXT", "ends the answer; may be repeated"},                                 \
    {"ignore-eos", 0, NULL, "go on after the model has ended its answer"}

typedef struct ModelRun {
    Cli                *cli;
    weft_context       *ctx;
    weft_model         *model;
    weft_model_session *session;
    weft_model_grammar *grammar;
    bool                quiet;
} ModelRun;

/* What llama.cpp calls options of these commands. */
extern const OptionAlias model_option_aliases[];

/* Loads the model that the operand or --model names, with a progress bar on a terminal, and makes
 * a session. `least` positions at least; 0: as the options say. False after a message. */
bool model_run_open(ModelRun *r, Cli *cli, uint32_t least, const weft_model_session_desc *wish);
void model_run_close(ModelRun *r);
int  model_run_complain(ModelRun *r);   /* CLI_TROUBLE                             */

/* Numbers of options. False after a message. */
bool model_option_uint(Cli *cli, const char *name, uint32_t *out);
bool model_option_tokens(Cli *cli, uint32_t *out);      /* --tokens; -1: as without it */
bool model_option_real(Cli *cli, const char *name, double *out);
bool model_option_given(const Cli *cli, const char *name);
/* All of MODEL_SAMPLING_OPTIONS: model_sampling.c. False after a message. */
bool model_sampling(ModelRun *r, weft_model_generate_desc *out);

#endif
