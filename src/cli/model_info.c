// SPDX-License-Identifier: Apache-2.0
/*
 * model_info.c - `weft model info`: what a GGUF file holds.
 *
 * in     a file
 * out    a summary, the metadata, the tensors; or JSON
 * knows  weft/model.h; the usual names of metadata
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/model.h"

static const Option options[] = {
    {"tensors", 't', NULL, "list the tensors"},
    {"all", 'a', NULL, "print long arrays and texts in full"},
    {"header", 0, NULL, "accept a file whose tensor data is missing"},
    {"json", 0, NULL, "print JSON, for programs"},
    {0},
};

/* ---- values ---- */

enum { FEW = 8, SHORT = 60 };       /* elements and bytes that are shown of a value */

static const char *kind_name(weft_gguf_kind kind)
{
    static const char *const names[] = {
        "u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
        "bool", "string", "array", "u64", "i64", "f64",
    };
    return (uint32_t)kind < COUNTOF(names) ? names[kind] : "?";
}

static void add_number(Text *out, const weft_gguf_value *v, bool json)
{
    bool is_float = v->kind == WEFT_GGUF_F32 || v->kind == WEFT_GGUF_F64;
    if (v->kind == WEFT_GGUF_BOOL)
        text_printf(out, "%s", v->u ? "true" : "false");
    else if (is_float && !isfinite(v->f))
        text_printf(out, json ? "\"%s\"" : "%s", isnan(v->f) ? "nan" : v->f < 0 ? "-inf" : "inf");
    else if (is_float)
        text_printf(out, "%.*g", v->kind == WEFT_GGUF_F32 ? 7 : 15, v->f);
    else if (v->kind == WEFT_GGUF_I8 || v->kind == WEFT_GGUF_I16 || v->kind == WEFT_GGUF_I32
             || v->kind == WEFT_GGUF_I64)
        text_printf(out, "%" PRId64, v->i);
    else
        text_printf(out, "%" PRIu64, v->u);
}

/* One value that is no array, for people. */
static void show_value(Cli *cli, const weft_gguf_value *v, bool all)
{
    if (v->kind != WEFT_GGUF_STRING) {
        add_number(&cli->out, v, false);
        return;
    }
    size_t size = all ? v->size : MIN_OF(v->size, (size_t)SHORT);
    while (size && size < v->size && ((uint8_t)v->text[size] & 0xc0) == 0x80)
        size--;                     /* not within a character */
    Text one = {.arena = &cli->arena};
    show_text(&one, (Str){v->text, (uint32_t)size});
    text_char(&cli->out, '"');
    for (size_t i = 0; i < one.len; i++)
        text_char(&cli->out, one.data[i]);
    text_printf(&cli->out, "\"%s", size < v->size ? "..." : "");
}

static void show_entry(Cli *cli, const weft_gguf *file, const weft_gguf_value *v, bool all)
{
    text_printf(&cli->out, "  ");
    show_text(&cli->out, str_of(v->key));
    text_printf(&cli->out, " = ");
    if (v->kind != WEFT_GGUF_ARRAY) {
        show_value(cli, v, all);
        text_char(&cli->out, '\n');
        return;
    }
    uint64_t shown = all ? v->count : MIN_OF(v->count, (uint64_t)FEW);
    text_printf(&cli->out, "%s[%" PRIu64 "] [", kind_name(v->element), v->count);
    for (uint64_t i = 0; i < shown; i++) {
        weft_gguf_value element;
        if (!weft_gguf_element(&element, file, v, i))
            break;
        text_printf(&cli->out, "%s", i ? ", " : "");
        show_value(cli, &element, all);
    }
    text_printf(&cli->out, "%s]\n", shown < v->count ? ", ..." : "");
}

static void json_value(Cli *cli, const weft_gguf *file, const weft_gguf_value *v, bool all)
{
    Text *out = &cli->out;
    if (v->kind == WEFT_GGUF_STRING)
        text_json(out, (Str){v->text, (uint32_t)v->size});
    else if (v->kind != WEFT_GGUF_ARRAY)
        add_number(out, v, true);
    else if (v->count > FEW && !all)
        text_printf(out, "{\"array\":\"%s\",\"count\":%" PRIu64 "}",
                    kind_name(v->element), v->count);
    else {
        text_char(out, '[');
        for (uint64_t i = 0; i < v->count; i++) {
            weft_gguf_value element;
            if (!weft_gguf_element(&element, file, v, i))
                break;
            text_printf(out, "%s", i ? "," : "");
            json_value(cli, file, &element, all);
        }
        text_char(out, ']');
    }
}

/* ---- the summary ---- */

/* "1.1 billion" */
static const char *count_text(Arena *a, uint64_t count)
{
    if (count >= 1000000000)
        return arena_printf(a, "%.4g billion", (double)count * 1e-9);
    if (count >= 1000000)
        return arena_printf(a, "%.4g million", (double)count * 1e-6);
    return arena_printf(a, "%" PRIu64, count);
}

static const char *size_text(Arena *a, uint64_t bytes)
{
    if (bytes >= 1000000000)
        return arena_printf(a, "%.2f GB", (double)bytes * 1e-9);
    if (bytes >= 1000000)
        return arena_printf(a, "%.1f MB", (double)bytes * 1e-6);
    return arena_printf(a, "%" PRIu64 " bytes", bytes);
}

static void show_row(Cli *cli, const char *name, const char *value)
{
    if (!*value)
        return;
    text_printf(&cli->out, "%-13s ", name);
    show_text(&cli->out, str_of(value));
    text_char(&cli->out, '\n');
}

/* "ARCHITECTURE.key" as a number, if it is there. */
static void show_number_of(Cli *cli, const weft_gguf *file, const char *name,
                           const char *architecture, const char *key)
{
    const char *full = arena_printf(&cli->arena, "%s.%s", architecture, key);
    const weft_gguf_value *v = weft_gguf_value_find(file, full);
    if (v && v->kind == WEFT_GGUF_U32)
        show_row(cli, name, arena_printf(&cli->arena, "%" PRIu64, v->u));
}

static const char *vocabulary_text(Cli *cli, const ModelFile *m)
{
    static const char *const kinds[] = {"", "SPM", "BPE", "WordPiece"};
    const weft_gguf_value   *model = weft_gguf_value_find(m->file, "tokenizer.ggml.model");
    weft_model_tokenizer_info info;
    if (!model)
        return "";
    weft_model_tokenizer *t = weft_model_tokenizer_create(m->ctx, m->file);
    if (!weft_model_tokenizer_info_get(&info, t)) {
        const char *why = arena_printf(&cli->arena, "%s", weft_context_error(m->ctx)->message);
        weft_context_error_clear(m->ctx);
        return why;
    }
    const char *text = arena_printf(&cli->arena, "%s%s%s%s, %u tokens", kinds[info.vocabulary],
                                    *info.pre ? " (" : "", info.pre, *info.pre ? ")" : "",
                                    info.count);
    weft_model_tokenizer_release(t);
    return text;
}

static void show_summary(Cli *cli, const ModelFile *m, const weft_gguf_info *info)
{
    static const char *const numbers[][2] = {
        {"context", "context_length"}, {"layers", "block_count"}, {"embedding", "embedding_length"},
        {"feed forward", "feed_forward_length"}, {"heads", "attention.head_count"},
        {"KV heads", "attention.head_count_kv"}, {"experts", "expert_count"},
    };
    Arena *a = &cli->arena;
    show_row(cli, "file", cli->operands.data[0]);
    show_row(cli, "format", arena_printf(a, "GGUF version %u, %u file%s, %s", info->version,
                                         info->parts, info->parts == 1 ? "" : "s",
                                         size_text(a, info->size)));
    show_row(cli, "architecture", info->architecture);
    show_row(cli, "name", info->name);
    show_row(cli, "type", info->type);
    if (info->elements)
        show_row(cli, "parameters", count_text(a, info->elements));
    for (size_t i = 0; i < COUNTOF(numbers); i++)
        show_number_of(cli, m->file, numbers[i][0], info->architecture, numbers[i][1]);
    show_row(cli, "vocabulary", vocabulary_text(cli, m));
    const weft_gguf_value *chat = weft_gguf_value_find(m->file, "tokenizer.chat_template");
    if (chat && chat->kind == WEFT_GGUF_STRING)
        show_row(cli, "chat template", arena_printf(a, "%zu bytes", chat->size));
}

/* ---- tensors ---- */

static const char *shape_text(Arena *a, const weft_gguf_tensor *t)
{
    const char *text = "";
    for (uint32_t i = 0; i < t->rank; i++)
        text = arena_printf(a, "%s%s%" PRIu64, text, i ? " x " : "", t->shape[i]);
    return text;
}

static void show_tensors(Cli *cli, const weft_gguf *file)
{
    Table t = {.arena = &cli->arena, .indent = "  ", .columns = 4};
    for (uint64_t i = 0; i < weft_gguf_tensor_count(file); i++) {
        const weft_gguf_tensor *tensor = weft_gguf_tensor_get(file, i);
        Text name = {.arena = &cli->arena};
        show_text(&name, str_of(tensor->name));
        const char *row[] = {name.data, weft_gguf_type_name(tensor->type),
                             shape_text(&cli->arena, tensor),
                             arena_printf(&cli->arena, "%" PRIu64 " bytes", tensor->size)};
        table_row(&t, row);
    }
    if (weft_gguf_tensor_count(file))
        table_print(&cli->out, &t);
}

/* Tensors and bytes of each type. */
static void show_types(Cli *cli, const weft_gguf *file)
{
    for (int type = 0; type < 64; type++) {
        uint64_t count = 0, bytes = 0;
        for (uint64_t i = 0; i < weft_gguf_tensor_count(file); i++) {
            const weft_gguf_tensor *t = weft_gguf_tensor_get(file, i);
            count += t->type == (weft_gguf_type)type;
            bytes += t->type == (weft_gguf_type)type ? t->size : 0;
        }
        if (count)
            text_printf(&cli->out, "  %-8s %" PRIu64 " tensor%s, %s\n",
                        weft_gguf_type_name((weft_gguf_type)type), count, count == 1 ? "" : "s",
                        size_text(&cli->arena, bytes));
    }
}

static void json_tensors(Cli *cli, const weft_gguf *file)
{
    text_printf(&cli->out, ",\"tensors\":[");
    for (uint64_t i = 0; i < weft_gguf_tensor_count(file); i++) {
        const weft_gguf_tensor *t = weft_gguf_tensor_get(file, i);
        text_printf(&cli->out, "%s{\"name\":", i ? "," : "");
        text_json(&cli->out, str_of(t->name));
        text_printf(&cli->out, ",\"type\":\"%s\",\"shape\":[", weft_gguf_type_name(t->type));
        for (uint32_t k = 0; k < t->rank; k++)
            text_printf(&cli->out, "%s%" PRIu64, k ? "," : "", t->shape[k]);
        text_printf(&cli->out,
                    "],\"size\":%" PRIu64 ",\"offset\":%" PRIu64 ",\"part\":%u}", t->size,
                    t->offset, t->part);
    }
    text_char(&cli->out, ']');
}

/* ---- the command ---- */

static void print_json(Cli *cli, const weft_gguf *file, const weft_gguf_info *info)
{
    Text *out = &cli->out;
    bool  all = options_find(cli, "all", &(const char *){NULL});
    text_printf(out, "{\"file\":");
    text_json(out, str_of(cli->operands.data[0]));
    text_printf(out, ",\"version\":%u,\"parts\":%u,\"size\":%" PRIu64 ",\"alignment\":%u",
                info->version, info->parts, info->size, info->alignment);
    text_printf(out, ",\"architecture\":");
    text_json(out, str_of(info->architecture));
    text_printf(out, ",\"name\":");
    text_json(out, str_of(info->name));
    text_printf(out, ",\"type\":");
    text_json(out, str_of(info->type));
    text_printf(out, ",\"parameters\":%" PRIu64 ",\"tensor_count\":%" PRIu64
                ",\"tensor_size\":%" PRIu64 ",\"metadata\":{", info->elements,
                weft_gguf_tensor_count(file), info->tensor_size);
    for (uint64_t i = 0; i < weft_gguf_value_count(file); i++) {
        const weft_gguf_value *v = weft_gguf_value_get(file, i);
        text_printf(out, "%s", i ? "," : "");
        text_json(out, str_of(v->key));
        text_char(out, ':');
        json_value(cli, file, v, all);
    }
    text_char(out, '}');
    if (options_find(cli, "tensors", &(const char *){NULL}))
        json_tensors(cli, file);
    text_printf(out, "}\n");
}

static void print_people(Cli *cli, const ModelFile *m, const weft_gguf_info *info)
{
    bool all = options_find(cli, "all", &(const char *){NULL});
    show_summary(cli, m, info);
    text_printf(&cli->out, "\nmetadata\n");
    for (uint64_t i = 0; i < weft_gguf_value_count(m->file); i++)
        show_entry(cli, m->file, weft_gguf_value_get(m->file, i), all);
    if (weft_gguf_tensor_count(m->file))
        text_printf(&cli->out, "\ntensors\n");
    if (options_find(cli, "tensors", &(const char *){NULL}))
        show_tensors(cli, m->file);
    else
        show_types(cli, m->file);
}

static int run(Cli *cli)
{
    ModelFile      m = {0};
    weft_gguf_info info;
    int            status = CLI_TROUBLE;
    if (cli->operands.len > 1)
        cli_complain(cli, "one file at a time");
    else if (model_open(cli, &m, &(weft_gguf_desc){
                 .header_only = options_find(cli, "header", &(const char *){NULL})})) {
        weft_gguf_info_get(&info, m.file);
        if (options_find(cli, "json", &(const char *){NULL}))
            print_json(cli, m.file, &info);
        else
            print_people(cli, &m, &info);
        status = CLI_OK;
    }
    model_close(&m);
    return status;
}

const Command cli_model_info = {
    .name = "model info", .operands = "FILE",
    .purpose = "Show what a GGUF file holds.",
    .more = "Of a split model FILE is the first part, NAME-00001-of-0000N.gguf.\n",
    .options = options, .run = run,
};
