/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert_test.c - folders as models are published become GGUF files that run.
 */
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/store.h>

#include "archs.h"
#include "base/text.h"
#include "tiny.h"

typedef struct Fixture {
    char          dir[64];
    Arena         arena;
    Build         build;
    weft_context *ctx;
    weft_gguf    *bert;                 /* what the folder is made from            */
} Fixture;

static void put_file(const Fixture *f, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", f->dir, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* The name that a tensor of a GGUF file has in published folders. */
static void published_name(char *out, size_t size, const char *name)
{
    static const struct { const char *gguf, *published; } rows[] = {
        {"token_embd.weight", "embeddings.word_embeddings.weight"},
        {"position_embd.weight", "embeddings.position_embeddings.weight"},
        {"token_types.weight", "embeddings.token_type_embeddings.weight"},
        {"token_embd_norm.weight", "embeddings.LayerNorm.weight"},
        {"token_embd_norm.bias", "embeddings.LayerNorm.bias"},
        {"attn_q", "attention.self.query"}, {"attn_k", "attention.self.key"},
        {"attn_v", "attention.self.value"}, {"attn_output", "attention.output.dense"},
        {"attn_output_norm", "attention.output.LayerNorm"}, {"ffn_up", "intermediate.dense"},
        {"ffn_down", "output.dense"}, {"layer_output_norm", "output.LayerNorm"},
    };
    unsigned layer = 0;
    char     part[64] = "", end[16] = "";
    bool     in_layer = sscanf(name, "blk.%u.%63[^.].%15s", &layer, part, end) == 3;
    for (size_t i = 0; i < COUNTOF(rows); i++)
        if (strcmp(rows[i].gguf, in_layer ? part : name) == 0) {
            if (in_layer)
                snprintf(out, size, "bert.encoder.layer.%u.%s.%s", layer, rows[i].published, end);
            else
                snprintf(out, size, "bert.%s", rows[i].published);
        }
}

static void put_tensors(Fixture *f)
{
    char path[128];
    snprintf(path, sizeof path, "%s/model.safetensors", f->dir);
    weft_store *store = weft_store_open(f->ctx, &(weft_store_desc){
        .path = path, .write = true, .replace = true});
    assert_non_null(store);
    for (uint64_t i = 0; i < weft_gguf_tensor_count(f->bert); i++) {
        const weft_gguf_tensor *t = weft_gguf_tensor_get(f->bert, i);
        float *values = ARENA_ARRAY(&f->arena, float, t->elements);
        char   name[128] = "";
        published_name(name, sizeof name, t->name);
        assert_true(weft_gguf_read(values, f->bert, t, 0, t->elements));
        weft_store_data d = {.rank = t->rank, .shape = {t->shape[0]}, .data = values,
                             .bytes = t->elements * 4};
        if (t->rank == 2) {
            d.shape[0] = t->shape[1];
            d.shape[1] = t->shape[0];
        }
        if (!weft_store_put_data(store, name, &d))
            fail_msg("%s", weft_context_error(f->ctx)->message);
    }
    assert_true(weft_store_commit(store));
    weft_store_release(store);
}

static const char config[] =
    "{\"model_type\": \"bert\", \"hidden_size\": 64, \"intermediate_size\": 88, "
    "\"num_hidden_layers\": 3, \"num_attention_heads\": 4, \"max_position_embeddings\": 64, "
    "\"layer_norm_eps\": 1e-05}";

/* 40 tokens: five special ones, letters, and ##letters. */
static void put_vocabulary(Fixture *f, bool json)
{
    static const char *const special[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    Text out = {.arena = &f->arena}, added = {.arena = &f->arena};
    text_printf(&out, "%s", json ? "{\"model\": {\"type\": \"WordPiece\", \"vocab\": {" : "");
    for (int i = 0; i < ARCHS_VOCABULARY; i++) {
        char token[8] = "";
        if (i >= 5)
            snprintf(token, sizeof token, "%s%c", i < 24 ? "" : "##", 'a' + (i - 5) % 19);
        const char *text = i < 5 ? special[i] : token;
        if (json)
            text_printf(&out, "%s\"%s\": %d", i ? ", " : "", text, i);
        else
            text_printf(&out, "%s\n", text);
        if (i < 5)
            text_printf(&added, "%s{\"id\": %d, \"content\": \"%s\", \"special\": true}",
                        i ? ", " : "", i, text);
    }
    if (json)
        text_printf(&out, "}}, \"added_tokens\": [%s]}", added.data);
    put_file(f, json ? "tokenizer.json" : "vocab.txt", out.data);
}

static void begin(Fixture *f)
{
    static const ArchCase bert = {"bert", "bert", 3, 0, ARCHS_BIAS};
    *f = (Fixture){.dir = "/tmp/weft-convert-XXXXXX"};
    assert_non_null(mkdtemp(f->dir));
    arena_init(&f->arena, 0);
    archs_build(&f->build, &f->arena, &bert, 3);
    f->ctx = weft_context_create(&(weft_context_desc){.adapter = "cpu"});
    f->bert = weft_gguf_create(f->ctx, &(weft_gguf_desc){
        .data = f->build.bytes.data, .size = f->build.bytes.len});
    assert_non_null(f->bert);
}

static void end(Fixture *f)
{
    DIR *dir = opendir(f->dir);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", f->dir, e->d_name);
        unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(f->dir);
    weft_gguf_release(f->bert);
    weft_context_release(f->ctx);
    arena_fini(&f->arena);
}

static bool convert(Fixture *f, char *path, size_t size)
{
    snprintf(path, size, "%s/out.gguf", f->dir);
    return weft_model_convert(f->ctx, &(weft_model_convert_desc){.dir = f->dir, .path = path});
}

/* The heads of these models are 24 long; bert's are 64 / 4 = 16: so only the file is compared,
 * and that it tokenizes. */
static void check_file(Fixture *f, const char *path)
{
    weft_gguf *file = weft_gguf_create(f->ctx, &(weft_gguf_desc){.path = path});
    assert_non_null(file);
    assert_int_equal(weft_gguf_tensor_count(file), weft_gguf_tensor_count(f->bert));
    for (uint64_t i = 0; i < weft_gguf_tensor_count(f->bert); i++) {
        const weft_gguf_tensor *t = weft_gguf_tensor_get(f->bert, i);
        const weft_gguf_tensor *u = weft_gguf_tensor_find(file, t->name);
        assert_non_null(u);
        assert_int_equal(u->type, WEFT_GGUF_TYPE_F32);
        assert_memory_equal(u->shape, t->shape, sizeof t->shape);
        assert_memory_equal(weft_gguf_data(file, u), weft_gguf_data(f->bert, t), t->size);
    }
    weft_model_tokenizer *tokenizer = weft_model_tokenizer_create(f->ctx, file);
    assert_non_null(tokenizer);
    weft_token ids[16];
    size_t     count = 16;
    assert_true(weft_model_tokenize(ids, &count, tokenizer, "Abc e z", WEFT_MODEL_TEXT, 0));
    const weft_token want[] = {2, 5, 25, 26, 9, 1, 3};
    assert_int_equal(count, COUNTOF(want));
    assert_memory_equal(ids, want, sizeof want);
    weft_model_tokenizer_release(tokenizer);
    weft_gguf_release(file);
}

static void test_bert(void **state)
{
    Fixture f;
    char    path[128];
    (void)state;
    begin(&f);
    put_tensors(&f);
    put_file(&f, "config.json", config);
    put_vocabulary(&f, false);
    if (!convert(&f, path, sizeof path))
        fail_msg("%s", weft_context_error(f.ctx)->message);
    check_file(&f, path);
    put_vocabulary(&f, true);
    assert_true(convert(&f, path, sizeof path));
    check_file(&f, path);
    end(&f);
}

static void expect_error(Fixture *f, weft_error_kind kind, const char *word)
{
    char path[128];
    assert_false(convert(f, path, sizeof path));
    assert_int_equal(weft_context_error(f->ctx)->kind, kind);
    if (!strstr(weft_context_error(f->ctx)->message, word))
        fail_msg("%s", weft_context_error(f->ctx)->message);
    weft_context_error_clear(f->ctx);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void test_folders_that_cannot_be_converted(void **state)
{
    Fixture f;
    (void)state;
    begin(&f);
    expect_error(&f, WEFT_ERROR_NOT_FOUND, ".safetensors");
    put_tensors(&f);
    expect_error(&f, WEFT_ERROR_NOT_FOUND, "config.json");
    put_file(&f, "config.json", "{\"model_type\": \"t5\"}");
    expect_error(&f, WEFT_ERROR_UNSUPPORTED, "t5");
    put_file(&f, "config.json", "{\"model_type\": ");
    expect_error(&f, WEFT_ERROR_FORMAT, "config.json");
    put_file(&f, "config.json", "{\"model_type\": \"bert\", \"hidden_size\": -3}");
    expect_error(&f, WEFT_ERROR_FORMAT, "max_position_embeddings");
    put_file(&f, "config.json", config);
    expect_error(&f, WEFT_ERROR_NOT_FOUND, "vocab.txt");
    put_file(&f, "vocab.txt", "a\nb\n");
    expect_error(&f, WEFT_ERROR_FORMAT, "[CLS]");
    put_file(&f, "tokenizer.json", "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}}}");
    expect_error(&f, WEFT_ERROR_FORMAT, "WordPiece");
    put_file(&f, "tokenizer.json",
             "{\"model\": {\"type\": \"WordPiece\", \"vocab\": {\"a\": 99999999999}}}");
    expect_error(&f, WEFT_ERROR_FORMAT, "vocabulary");
    put_vocabulary(&f, true);
    put_file(&f, "model.safetensors", "damaged");
    char path[128];
    assert_false(convert(&f, path, sizeof path));
    weft_context_error_clear(f.ctx);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bert),
        cmocka_unit_test(test_folders_that_cannot_be_converted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
