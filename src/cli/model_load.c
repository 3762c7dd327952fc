// SPDX-License-Identifier: Apache-2.0
/*
 * model_load.c - a model on a device, for the parts of `weft model` that compute.
 *
 * in     options, a file
 * out    a context, a model, a session
 * not    how tokens are chosen: model_sampling.c
 * knows  weft/model.h, terminals
 */
#include "cli/model_load.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- options ---- */

bool model_option_given(const Cli *cli, const char *name)
{
    return options_given(cli, name);
}

bool model_option_real(Cli *cli, const char *name, double *out)
{
    return options_real(cli, name, out);
}

bool model_option_uint(Cli *cli, const char *name, uint32_t *out)
{
    return options_uint(cli, name, out);
}

bool model_option_tokens(Cli *cli, uint32_t *out)
{
    const char *text = NULL;
    if (options_find(cli, "tokens", &text) && strcmp(text, "-1") == 0)
        return true;
    return options_uint(cli, "tokens", out);
}

const OptionAlias model_option_aliases[] = {
    {"predict", "tokens"}, {"n-predict", "tokens"},
    {"temp", "temperature"}, {"typical-p", "typical"}, {"top-n-sigma", "top-nsigma"},
    {"reverse-prompt", "stop"}, {"system-prompt", "system"}, {"ubatch-size", "batch-size"},
    {"cache-type-k", "cache-type"}, {"cache-type-v", "cache-type"},
    {"-ctk", "cache-type"}, {"-ctv", "cache-type"}, {"-ub", "batch-size"}, {"-dev", "device"},
    {"-sys", "system"}, {"-jf", "json-schema-file"}, {"-ngl", "gpu-layers"},
    {"n-gpu-layers", "gpu-layers"}, {"-fa", "flash-attn"}, {"-no-cnv", "no-conversation"},
    {0},
};

/* ---- loading ---- */

/* The one file, or NULL after a message. */
static const char *model_path(Cli *cli)
{
    const char *path = NULL;
    bool        given = options_find(cli, "model", &path);
    if (cli->operands.len + given == 1)
        return given ? path : cli->operands.data[0];
    cli_complain(cli, cli->operands.len + given ? "one file at a time; see 'weft help %s'"
                                                : "no file; see 'weft help %s'",
                 cli->command->name);
    return NULL;
}

/* Keys and values have one type. */
static bool cache_type(Cli *cli, uint32_t *out)
{
    static const char *const caches[] = {"auto", "f32", "f16", "q8_0", NULL};
    const char *last = NULL;
    options_find(cli, "cache-type", &last);
    for (uint32_t i = 0; i < cli->given.len; i++) {
        const Given *g = &cli->given.data[i];
        if (strcmp(g->option->name, "cache-type") == 0 && strcmp(g->value, last) != 0) {
            cli_complain(cli, "--cache-type: keys and values have one type, not %s and %s",
                         g->value, last);
            return false;
        }
    }
    return options_choice(cli, "cache-type", caches, out);
}

static bool rope(Cli *cli, weft_model_session_desc *s)
{
    static const char *const scalings[] = {"auto", "none", "linear", "yarn", "longrope", NULL};
    double   base = 0, factor = 0, scale = 0;
    uint32_t scaling = 0;
    if (!options_choice(cli, "rope-scaling", scalings, &scaling) ||
        !options_real(cli, "rope-freq-base", &base) || !options_real(cli, "rope-scale", &factor) ||
        !options_real(cli, "rope-freq-scale", &scale))
        return false;
    if (base < 0 || factor < 0 || scale < 0) {
        cli_complain(cli, "the numbers of --rope-* must not be negative");
        return false;
    }
    s->rope_base = (float)base;
    s->rope_factor = (float)(scale > 0 ? 1 / scale : factor);
    s->rope_scaling = scaling ? (weft_model_scaling)scaling
                      : s->rope_factor > 0 && s->rope_factor != 1 ? WEFT_MODEL_SCALING_LINEAR
                                                                  : WEFT_MODEL_SCALING_AUTO;
    return true;
}

static bool show_progress(void *user, uint64_t done, uint64_t total)
{
    enum { WIDTH = 40 };
    static const char bar[] = "########################################";
    ModelRun *r = user;
    int share = total ? (int)(done * WIDTH / total) : WIDTH;
    if (!r->quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\rloading [%.*s%*s] %3d %%", share, bar, WIDTH - share, "",
                share * 100 / WIDTH);
    return true;
}

static void end_progress(const ModelRun *r)
{
    if (!r->quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%60s\r", "");
}

/* "all" or "auto" is what happens without the option; 0 is the CPU device. */
static bool cpu_by_layers(Cli *cli, bool *out)
{
    const char *text = NULL;
    double      layers = -1;
    if (!options_find(cli, "gpu-layers", &text) || strcmp(text, "all") == 0 ||
        strcmp(text, "auto") == 0)
        return true;
    if (!options_real(cli, "gpu-layers", &layers))
        return false;
    *out = layers == 0;
    return true;
}

static bool open_context(ModelRun *r)
{
    const char *device = NULL;
    uint32_t    threads = 0;
    bool        on_cpu = false;
    if (!model_option_uint(r->cli, "threads", &threads) || !cpu_by_layers(r->cli, &on_cpu))
        return false;
    if (!options_find(r->cli, "device", &device) && on_cpu)
        device = "cpu";
    r->ctx = weft_context_create(&(weft_context_desc){.adapter = device, .threads = threads});
    if (weft_context_error(r->ctx)->kind == WEFT_ERROR_NONE)
        return true;
    model_run_complain(r);
    return false;
}

bool model_run_open(ModelRun *r, Cli *cli, uint32_t least, const weft_model_session_desc *wish)
{
    static const char *const precisions[] = {"auto", "f32", "int8", NULL};
    weft_model_session_desc s = wish ? *wish : (weft_model_session_desc){0};
    uint32_t precision = 0, cache = s.cache;
    *r = (ModelRun){.cli = cli, .quiet = model_option_given(cli, "quiet")};
    const char *path = model_path(cli);
    if (!path || !model_option_uint(cli, "ctx-size", &s.context) ||
        !model_option_uint(cli, "batch-size", &s.batch) ||
        !options_choice(cli, "activations", precisions, &precision) ||
        !cache_type(cli, &cache) || !rope(cli, &s) || !open_context(r))
        return false;
    r->model = weft_model_create(r->ctx, &(weft_model_desc){
        .path = path, .activations = (weft_model_precision)precision,
        .progress = show_progress, .user = r});
    end_progress(r);
    bool wish_for_more = s.context < least && !model_option_given(cli, "ctx-size");
    if (wish_for_more)
        s.context = least;
    s.cache = (weft_model_cache)cache;
    r->session = weft_model_session_create(r->model, &s);
    if (r->model && !r->session && wish_for_more) {     /* it has fewer positions */
        weft_context_error_clear(r->ctx);
        s.context = 0;
        r->session = weft_model_session_create(r->model, &s);
    }
    if (!r->session)
        model_run_complain(r);
    return r->session != NULL;
}

void model_run_close(ModelRun *r)
{
    weft_model_grammar_release(r->grammar);
    weft_model_session_release(r->session);
    weft_model_release(r->model);
    weft_context_release(r->ctx);
}

int model_run_complain(ModelRun *r)
{
    cli_complain(r->cli, "%s", weft_context_error(r->ctx)->message);
    return CLI_TROUBLE;
}
