// SPDX-License-Identifier: Apache-2.0
/*
 * model_measure.c - `weft model logits`, `perplexity`, `embed` and `bench`: numbers from a model.
 *
 * in     a file; tokens, texts, sizes
 * out    rows of f32, a perplexity, vectors, speeds
 * knows  weft/model.h
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/model_load.h"

static double now(void)
{
    return (double)clock_ns() / NS_PER_S;
}

static uint32_t vocabulary(const ModelRun *r)
{
    weft_model_info info = {0};
    weft_model_info_get(&info, r->model);
    return info.vocabulary;
}

/* Writes rows of f32 to a file, or numbers to standard output. */
static bool write_rows(Cli *cli, const float *rows, size_t count, size_t n)
{
    const char *path = NULL;
    if (!options_find(cli, "output", &path)) {
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < n; k++)
                text_printf(&cli->out, "%.9g%c", (double)rows[i * n + k], k + 1 < n ? ' ' : '\n');
        cli_flush(cli);
        return true;
    }
    FILE *f = fopen(path, "wb");
    bool  ok = f && fwrite(rows, sizeof *rows, count * n, f) == count * n;
    ok = f && fclose(f) == 0 && ok;
    if (!ok)
        cli_complain(cli, "cannot write %s: %s", path, strerror(errno));
    return ok;
}

/* ---- logits ---- */

static const Option logits_options[] = {
    {"ids", 0, "LIST", "token ids with commas between them"},
    {"prompt", 'p', "TEXT", "a text instead"},
    {"output", 'o', "FILE", "rows of f32, little-endian (default: numbers on standard output)"},
    MODEL_DEVICE_OPTIONS,
    {0},
};

/* NULL after a message. */
static weft_token *read_ids(Cli *cli, const char *list, size_t *count)
{
    weft_token *ids = ARENA_ARRAY(&cli->arena, weft_token, strlen(list) / 2 + 1);
    *count = 0;
    for (const char *at = list; *at;) {
        char *end = NULL;
        long  value = strtol(at, &end, 10);
        if (end == at || value < 0 || value > INT32_MAX || (*end && *end != ',')) {
            cli_complain(cli, "--ids: '%s' is not a list of numbers", list);
            return NULL;
        }
        ids[(*count)++] = (weft_token)value;
        at = *end ? end + 1 : end;
    }
    if (*count == 0)
        cli_complain(cli, "--ids: no token ids");
    return *count ? ids : NULL;
}

static weft_token *tokenized(ModelRun *r, const char *text, size_t size, size_t *count)
{
    weft_model_tokenizer *t = weft_model_tokenizer_of(r->model);
    *count = weft_model_tokenize_bound(t, size);
    weft_token *ids = ARENA_ARRAY(&r->cli->arena, weft_token, *count + 1);
    if (weft_model_tokenize(ids, count, t, text, size, 0))
        return ids;
    model_run_complain(r);
    return NULL;
}

/* Logits of all tokens: [count][vocabulary]; the caller frees them. NULL after a message. */
static float *all_logits(ModelRun *r, const weft_token *ids, size_t count)
{
    size_t rows = count, n = vocabulary(r);
    float *logits = malloc(count * n * sizeof *logits);
    bool  *outputs = malloc(count * sizeof *outputs);
    bool   ok = false;
    if (!logits || !outputs) {
        cli_complain(r->cli, "out of memory");
    } else {
        memset(outputs, 1, count * sizeof *outputs);
        weft_model_session_clear(r->session);
        ok = weft_model_session_decode(logits, &rows, r->session, &(weft_model_batch){
            .tokens = ids, .count = count, .outputs = outputs});
        if (!ok)
            model_run_complain(r);
    }
    free(outputs);
    if (!ok) {
        free(logits);
        logits = NULL;
    }
    return logits;
}

static int logits(ModelRun *r, const char *ids_text, const char *prompt)
{
    size_t      count = 0;
    weft_token *ids = ids_text ? read_ids(r->cli, ids_text, &count)
                               : tokenized(r, prompt, strlen(prompt), &count);
    float *rows = ids ? all_logits(r, ids, count) : NULL;
    bool   ok = rows && write_rows(r->cli, rows, count, vocabulary(r));
    free(rows);
    return ok ? CLI_OK : CLI_TROUBLE;
}

/* Room for the tokens of a list or a text: hardly any has more of them than characters. */
static uint32_t positions_for(const char *text)
{
    size_t n = strlen(text) + 16;
    return n < 512 ? 512 : n < 16384 ? (uint32_t)n : 16384;
}

static int run_logits(Cli *cli)
{
    ModelRun    r = {0};
    const char *ids = NULL, *prompt = NULL;
    int         status = CLI_TROUBLE;
    if (!options_find(cli, "ids", &ids) && !options_find(cli, "prompt", &prompt))
        cli_complain(cli, "give --ids or --prompt");
    else if (model_run_open(&r, cli, positions_for(ids ? ids : prompt), &(weft_model_session_desc){
                 .cache = WEFT_MODEL_CACHE_F32}))
        status = logits(&r, ids, prompt);
    model_run_close(&r);
    return status;
}

const Command cli_model_logits = {
    .name = "model logits", .operands = "FILE",
    .purpose = "Write the logits after each token.",
    .more = "The cache is f32 unless --cache-type says otherwise.\n",
    .options = logits_options, .aliases = model_option_aliases, .run = run_logits,
};

/* ---- perplexity ---- */

static const Option perplexity_options[] = {
    {"file", 'f', "FILE", "the text (default: standard input)"},
    {"chunks", 0, "N", "parts of the text, of --ctx-size tokens each (default: all)"},
    MODEL_DEVICE_OPTIONS,
    {0},
};

/* Of the second half of a chunk, as llama.cpp counts: each token's own log-likelihood. */
static bool chunk_loss(ModelRun *r, const weft_token *ids, size_t n, weft_token bos, double *sum,
                       size_t *counted)
{
    size_t      v = vocabulary(r), first = n / 2;
    weft_token *chunk = ARENA_ARRAY(&r->cli->arena, weft_token, n);
    memcpy(chunk, ids, n * sizeof *chunk);
    if (bos != WEFT_TOKEN_NONE)
        chunk[0] = bos;
    float *rows = all_logits(r, chunk, n);
    for (size_t i = first; rows && i + 1 < n; i++) {
        const float *row = rows + i * v;
        double most = row[0], all = 0;
        for (size_t k = 1; k < v; k++)
            most = row[k] > most ? row[k] : most;
        for (size_t k = 0; k < v; k++)
            all += exp(row[k] - most);
        *sum -= row[chunk[i + 1]] - most - log(all);
        ++*counted;
    }
    free(rows);
    return rows != NULL;
}

static int perplexity(ModelRun *r, const Source *text)
{
    uint32_t chunks = UINT32_MAX >> 1;
    size_t   count = 0, counted = 0;
    double   sum = 0;
    weft_model_session_desc   s = {0};
    weft_model_tokenizer_info t = {0};
    weft_model_session_desc_get(&s, r->session);
    weft_model_tokenizer_info_get(&t, weft_model_tokenizer_of(r->model));
    weft_token *ids = tokenized(r, text->text, text->size, &count);
    if (!ids || !model_option_uint(r->cli, "chunks", &chunks))
        return CLI_TROUBLE;
    if (count < s.context) {
        cli_complain(r->cli, "the text has %zu tokens, fewer than one part of %u", count,
                     s.context);
        return CLI_TROUBLE;
    }
    for (uint32_t i = 0; i < chunks && (i + 1) * (size_t)s.context <= count; i++) {
        if (!chunk_loss(r, ids + (size_t)i * s.context, s.context,
                        t.add_bos ? t.bos : WEFT_TOKEN_NONE, &sum, &counted))
            return CLI_TROUBLE;
        if (!r->quiet)
            fprintf(stderr, "part %u: %.4f\n", i + 1, exp(sum / (double)counted));
    }
    text_printf(&r->cli->out, "%.4f\n", exp(sum / (double)counted));
    cli_flush(r->cli);
    return CLI_OK;
}

static int run_perplexity(Cli *cli)
{
    ModelRun    r = {0};
    const char *path = "-";
    int         status = CLI_TROUBLE;
    options_find(cli, "file", &path);
    Source text = input_read(&cli->arena, path);
    if (text.why)
        cli_complain(cli, "%s: %s", text.name, text.why);
    else if (model_run_open(&r, cli, 512, NULL))
        status = perplexity(&r, &text);
    model_run_close(&r);
    input_release(&text);
    return status;
}

const Command cli_model_perplexity = {
    .name = "model perplexity", .operands = "FILE",
    .purpose = "Tell how well a model predicts a text.",
    .more = "The text is read in parts of --ctx-size tokens (default: 512); the second half of\n"
            "each counts.\n",
    .options = perplexity_options, .aliases = model_option_aliases, .run = run_perplexity,
};

/* ---- embed ---- */

static const Option embed_options[] = {
    {"prompt", 'p', "TEXT", "a text; may be repeated (default: each line of standard input)"},
    {"pooling", 0, "HOW", "mean, cls, last (default: the file's)"},
    {"no-normalize", 0, NULL, "leave the length as it is"},
    {"embd-normalize", 0, "N", "2: length 1 (default); -1: the same as --no-normalize"},
    {"output", 'o', "FILE", "rows of f32, little-endian (default: numbers on standard output)"},
    MODEL_DEVICE_OPTIONS,
    {0},
};

static void read_lines(Cli *cli, const Source *source, const char ***texts, size_t *count)
{
    char *text = arena_copy(&cli->arena, source->text, source->size + 1);
    const char **list = ARENA_ARRAY(&cli->arena, const char *, source->size + 1);
    for (char *at = text; *at;) {
        size_t len = strcspn(at, "\n");
        bool   more = at[len] == '\n';
        at[len] = '\0';
        if (len)
            list[(*count)++] = at;
        at += len + more;
    }
    *texts = list;
}

static bool pooling_of(Cli *cli, weft_model_pooling *out)
{
    const char *text = NULL;
    static const char *const names[] = {"mean", "cls", "last"};
    if (!options_find(cli, "pooling", &text))
        return true;
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], text) == 0) {
            *out = (weft_model_pooling)(WEFT_MODEL_POOLING_MEAN + i);
            return true;
        }
    cli_complain(cli, "--pooling: unknown pooling '%s': expected mean, cls or last", text);
    return false;
}

static bool normalize_of(Cli *cli, bool *no)
{
    double n = 2;
    *no = model_option_given(cli, "no-normalize");
    if (!options_real(cli, "embd-normalize", &n))
        return false;
    if (n != 2 && n != -1) {
        cli_complain(cli, "--embd-normalize is 2 or -1, not %g", n);
        return false;
    }
    *no = *no || n == -1;
    return true;
}

static int embed(ModelRun *r, const char *const *texts, size_t count)
{
    weft_model_info info = {0};
    weft_model_embed_desc d = {0};
    weft_model_info_get(&info, r->model);
    if (!pooling_of(r->cli, &d.pooling) || !normalize_of(r->cli, &d.no_normalize))
        return CLI_TROUBLE;
    float *rows = malloc((count + 1) * info.embedding * sizeof *rows);
    bool   ok = rows && weft_model_session_embed(rows, r->session, texts, count, &d);
    if (!ok)
        model_run_complain(r);
    ok = ok && write_rows(r->cli, rows, count, info.embedding);
    free(rows);
    return ok ? CLI_OK : CLI_TROUBLE;
}

static int run_embed(Cli *cli)
{
    ModelRun     r = {0};
    Source       source = {0};
    const char **texts = ARENA_ARRAY(&cli->arena, const char *, cli->given.len + 1);
    size_t       count = 0;
    int          status = CLI_TROUBLE;
    for (uint32_t i = 0; i < cli->given.len; i++)
        if (strcmp(cli->given.data[i].option->name, "prompt") == 0)
            texts[count++] = cli->given.data[i].value;
    if (count == 0) {
        source = input_read(&cli->arena, "-");
        if (source.why) {
            cli_complain(cli, "%s: %s", source.name, source.why);
            return CLI_TROUBLE;
        }
        read_lines(cli, &source, &texts, &count);
    }
    if (model_run_open(&r, cli, 0, NULL))
        status = embed(&r, texts, count);
    model_run_close(&r);
    input_release(&source);
    return status;
}

const Command cli_model_embed = {
    .name = "model embed", .operands = "FILE",
    .purpose = "Turn texts into vectors.",
    .more = "One vector a line, or rows of f32 in a file.\n",
    .options = embed_options, .aliases = model_option_aliases, .run = run_embed,
};

/* ---- bench ---- */

/* As llama-bench calls them. */
static const OptionAlias bench_aliases[] = {
    {"n-prompt", "prompt"}, {"n-gen", "tokens"}, {"repetitions", "repeat"},
    {"ubatch-size", "batch-size"}, {"cache-type-k", "cache-type"}, {"cache-type-v", "cache-type"},
    {"-ub", "batch-size"}, {"-ctk", "cache-type"}, {"-ctv", "cache-type"}, {"-dev", "device"},
    {"-ngl", "gpu-layers"}, {"n-gpu-layers", "gpu-layers"}, {"-fa", "flash-attn"},
    {0},
};

static const Option bench_options[] = {
    {"prompt", 'p', "N", "tokens of a prompt (default: 128)"},
    {"tokens", 'n', "N", "tokens that are generated (default: 64)"},
    {"repeat", 'r', "N", "times (default: 3)"},
    {"ops", 0, NULL, "print the time of each part, and its share"},
    {"json", 0, NULL, "print JSON, for programs; also --output=json"},
    {"output", 'o', "FORMAT", "text (default), json, md: a table in Markdown"},
    MODEL_DEVICE_OPTIONS,
    {0},
};

/* Seconds for `count` tokens, all at once or one by one; negative after an error. */
static double timed(ModelRun *r, const weft_token *ids, uint32_t count, bool at_once)
{
    weft_model_session_clear(r->session);
    double start = now();
    bool   ok = true;
    for (uint32_t i = 0; i < (at_once ? 1 : count) && ok; i++)
        ok = weft_model_session_decode(NULL, NULL, r->session, &(weft_model_batch){
            .tokens = ids + i, .count = at_once ? count : 1});
    return ok ? now() - start : -1;
}

/* One run with every kernel timed alone. */
static int bench_ops(ModelRun *r, const weft_token *ids, uint32_t count, bool at_once)
{
    weft_model_part part;
    double all = 0;
    if (timed(r, ids, count, at_once) < 0)              /* compiles kernels */
        return model_run_complain(r);
    weft_model_session_profile(r->session, true);
    double seconds = timed(r, ids, count, at_once);
    if (seconds < 0)
        return model_run_complain(r);
    for (uint32_t i = 0; weft_model_session_part(&part, r->session, i); i++)
        all += part.seconds;
    printf("%s%u tokens%s, each kernel waited for\n", at_once ? "prompt of " : "", count,
           at_once ? "" : " one by one");
    for (uint32_t i = 0; weft_model_session_part(&part, r->session, i); i++)
        if (part.seconds > 0)
            printf("  %-18s %10.3f ms a token %6.1f %%\n", part.name, part.seconds * 1e3 / count,
                   all > 0 ? part.seconds * 100 / all : 0);
    weft_model_session_profile(r->session, false);
    return CLI_OK;
}

static void print_bench(const ModelRun *r, uint32_t prompt, double prompt_rate, uint32_t tokens,
                        double token_rate)
{
    weft_model_info    info = {0};
    weft_model_timings t = {0};
    weft_model_info_get(&info, r->model);
    weft_model_session_timings(&t, r->session);
    printf("{\"prompt\":%u,\"prompt_rate\":%.2f,\"tokens\":%u,\"token_rate\":%.2f,"
           "\"load_seconds\":%.3f,\"weight_bytes\":%llu,\"cache_bytes\":%llu,"
           "\"scratch_bytes\":%llu}\n",
           prompt, prompt_rate, tokens, token_rate, t.load_seconds,
           (unsigned long long)info.weight_bytes, (unsigned long long)t.cache_bytes,
           (unsigned long long)t.scratch_bytes);
}

static void print_markdown(const ModelRun *r, uint32_t prompt, double prompt_rate, uint32_t tokens,
                           double token_rate)
{
    weft_model_info info = {0};
    weft_model_info_get(&info, r->model);
    printf("| model | type | size | device | test | tokens/s |\n|---|---|--:|---|---|--:|\n");
    if (prompt)
        printf("| %s | %s | %.0f MB | %s | prompt of %u | %.2f |\n", info.name, info.type,
               (double)info.weight_bytes / 1e6, info.device, prompt, prompt_rate);
    if (tokens)
        printf("| %s | %s | %.0f MB | %s | %u one by one | %.2f |\n", info.name, info.type,
               (double)info.weight_bytes / 1e6, info.device, tokens, token_rate);
}

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };

static int bench(ModelRun *r)
{
    static const char *const formats[] = {"text", "json", "md", NULL};
    uint32_t prompt = 128, tokens = 64, repeat = 3, v = vocabulary(r);
    uint32_t format = model_option_given(r->cli, "json") ? FORMAT_JSON : FORMAT_TEXT;
    double   best[2] = {0};
    if (!model_option_uint(r->cli, "prompt", &prompt) ||
        !model_option_uint(r->cli, "tokens", &tokens) ||
        !model_option_uint(r->cli, "repeat", &repeat) ||
        !options_choice(r->cli, "output", formats, &format))
        return CLI_TROUBLE;
    uint32_t most = prompt > tokens ? prompt : tokens;
    weft_token *ids = ARENA_ARRAY(&r->cli->arena, weft_token, most + 1);
    for (uint32_t i = 0; i < most; i++)
        ids[i] = (weft_token)((uint64_t)i * 2654435761u % v);
    if (model_option_given(r->cli, "ops")) {
        int status = prompt ? bench_ops(r, ids, prompt, true) : CLI_OK;
        return status == CLI_OK && tokens ? bench_ops(r, ids, tokens, false) : status;
    }
    for (uint32_t i = 0; i <= repeat; i++)              /* the first compiles kernels */
        for (int k = 0; k < 2; k++) {
            uint32_t n = k ? tokens : prompt;
            double   s = n ? timed(r, ids, n, k == 0) : 0;
            if (s < 0)
                return model_run_complain(r);
            if (i && s > 0 && n / s > best[k])
                best[k] = n / s;
        }
    if (format == FORMAT_JSON)
        print_bench(r, prompt, best[0], tokens, best[1]);
    else if (format == FORMAT_MARKDOWN)
        print_markdown(r, prompt, best[0], tokens, best[1]);
    else
        printf("prompt of %u tokens: %.2f tokens/s\n%u tokens one by one: %.2f tokens/s\n", prompt,
               best[0], tokens, best[1]);
    return CLI_OK;
}

static int run_bench(Cli *cli)
{
    ModelRun r = {0};
    uint32_t least = 512, prompt = 0, tokens = 0;
    int      status = CLI_TROUBLE;
    if (model_option_uint(cli, "prompt", &prompt) && model_option_uint(cli, "tokens", &tokens)) {
        least = prompt > least ? prompt : least;
        least = tokens > least ? tokens : least;
        status = model_run_open(&r, cli, least, NULL) ? bench(&r) : CLI_TROUBLE;
    }
    model_run_close(&r);
    return status;
}

const Command cli_model_bench = {
    .name = "model bench", .operands = "FILE",
    .purpose = "Measure the speed of a model.",
    .more = "Tokens a second, the best of some runs.\n",
    .options = bench_options, .aliases = bench_aliases, .run = run_bench,
};
