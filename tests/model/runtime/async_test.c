/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async_test.c - calls that do not wait, cancellation, and tensors under the model's name.
 *
 * The model is that of one sentence, tests/model/seeds/sentence.gguf.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <weft/model.h>
#include <weft/tensor.h>

#include "base/macro.h"

#define MODEL WEFT_TEST_DIR "/../seeds/sentence.gguf"

static const char sentence[] = "Weft runs this model on every machine.";

typedef struct Fixture {
    weft_context       *ctx;
    weft_model         *model;
    weft_model_session *session;
} Fixture;

static Fixture open_model(uint32_t context)
{
    const char *backend = getenv("WEFT_TEST_BACKEND");
    Fixture f = {.ctx = weft_context_create(&(weft_context_desc){
                     .adapter = backend ? backend : "cpu"})};
    f.model = weft_model_create(f.ctx, &(weft_model_desc){.path = MODEL, .name = "mine"});
    f.session = weft_model_session_create(f.model, &(weft_model_session_desc){
        .context = context});
    if (!f.session)
        fail_msg("%s", weft_context_error(f.ctx)->message);
    return f;
}

static void close_model(Fixture *f)
{
    weft_model_session_release(f->session);
    weft_model_release(f->model);
    weft_context_release(f->ctx);
}

/* ---- tasks ---- */

typedef struct Heard {
    char text[256];
    int  pieces, ends;
    bool ok;
} Heard;

static bool hear(void *user, const weft_model_piece *piece)
{
    Heard *h = user;
    h->pieces++;
    strncat(h->text, piece->text, sizeof h->text - strlen(h->text) - 1);
    return true;
}

static void hear_end(void *user, weft_model_task *task, bool ok)
{
    Heard *h = user;
    (void)task;
    h->ends++;
    h->ok = ok;
}

static void test_texts(void **state)
{
    Fixture f = open_model(0);
    Heard   h = {0};
    (void)state;
    weft_model_task *t = weft_model_session_generate_async(f.session, "Hello",
        &(weft_model_generate_desc){.on_text = hear, .user = &h}, hear_end, &h);
    assert_non_null(t);
    assert_null(weft_model_session_generate_async(f.session, "Hello", NULL, NULL, NULL));
    assert_true(weft_model_task_wait(t));
    assert_true(weft_model_task_is_done(t));
    assert_string_equal(h.text, sentence);
    assert_string_equal(weft_model_task_answer(t)->text, sentence);
    assert_int_equal(weft_model_task_answer(t)->stop, WEFT_MODEL_STOP_END);
    assert_int_equal(h.ends, 1);
    assert_true(h.ok && h.pieces == 8);
    weft_model_task_release(t);
    const weft_model_message m = {.role = "user", .content = "Hi"};
    t = weft_model_session_chat_async(f.session, &m, 1, &(weft_model_generate_desc){
        .max_tokens = 2}, NULL, NULL);
    assert_true(weft_model_task_wait(t));
    assert_string_equal(weft_model_task_answer(t)->text, "Weft runs");
    weft_model_task_release(t);
    close_model(&f);
}

static void test_cancelled_texts_are_answers(void **state)
{
    Fixture f = open_model(65536);
    (void)state;
    for (int i = 0; i < 4; i++) {
        weft_model_task *t = weft_model_session_generate_async(f.session, "Hello",
            &(weft_model_generate_desc){.ignore_end = true}, NULL, NULL);
        if (i % 2)
            weft_model_session_cancel(f.session);
        weft_model_task_cancel(t);
        bool ok = weft_model_task_wait(t);
        if (ok)
            assert_int_equal(weft_model_task_answer(t)->stop, WEFT_MODEL_STOP_CANCELLED);
        else
            assert_int_equal(weft_context_error(f.ctx)->kind, WEFT_ERROR_CANCELLED);
        weft_context_error_clear(f.ctx);
        weft_model_task_release(t);
    }
    close_model(&f);
}

static void test_logits_and_vectors(void **state)
{
    Fixture f = open_model(0);
    weft_model_info info;
    const weft_token tokens[] = {1, 259, 260};
    const char *const texts[] = {"Weft", "machine"};
    (void)state;
    assert_true(weft_model_info_get(&info, f.model));
    size_t rows = 1;
    float *want = calloc(info.vocabulary, sizeof *want), *found = calloc(info.vocabulary,
                                                                         sizeof *found);
    float  vectors[2][32], again[2][32];
    const weft_model_batch batch = {.tokens = tokens, .count = 3};
    assert_true(weft_model_session_decode(want, &rows, f.session, &batch));
    weft_model_session_clear(f.session);
    weft_model_task *t = weft_model_session_decode_async(found, &rows, f.session, &batch, NULL,
                                                         NULL);
    assert_true(weft_model_task_wait(t));
    assert_memory_equal(want, found, info.vocabulary * sizeof *want);
    assert_null(weft_model_task_answer(t));
    weft_model_task_release(t);
    assert_true(weft_model_session_embed(vectors[0], f.session, texts, 2, NULL));
    t = weft_model_session_embed_async(again[0], f.session, texts, 2, NULL, NULL, NULL);
    assert_true(weft_model_task_wait(t));
    assert_memory_equal(vectors, again, sizeof vectors);
    weft_model_task_release(t);
    free(want);
    free(found);
    close_model(&f);
}

/* The rows of a text's tokens, as a pooling makes one vector of them. */
static void pooled(double *out, const float *rows, size_t count, weft_model_pooling how)
{
    double length = 0;
    for (size_t k = 0; k < 32; k++) {
        out[k] = how == WEFT_MODEL_POOLING_LAST ? rows[(count - 1) * 32 + k] : rows[k];
        for (size_t i = 1; i < count && how == WEFT_MODEL_POOLING_MEAN; i++)
            out[k] += rows[i * 32 + k];
        length += out[k] * out[k];
    }
    for (size_t k = 0; k < 32; k++)
        out[k] /= sqrt(length);
}

static void test_poolings(void **state)
{
    static const weft_model_pooling all[] = {
        WEFT_MODEL_POOLING_MEAN, WEFT_MODEL_POOLING_CLS, WEFT_MODEL_POOLING_LAST};
    Fixture     f = open_model(0);
    weft_token  tokens[16];
    float       rows[16 * 32], found[32];
    double      want[3][32];
    size_t      count = COUNTOF(tokens);
    const char *text = "Weft runs this";
    (void)state;
    assert_true(weft_model_tokenize(tokens, &count, weft_model_tokenizer_of(f.model), text,
                                    WEFT_MODEL_TEXT, 0));
    assert_true(count > 2);
    assert_true(weft_model_session_encode(rows, f.session, tokens, count));
    for (size_t i = 0; i < COUNTOF(all); i++) {
        pooled(want[i], rows, count, all[i]);
        assert_true(weft_model_session_embed(found, f.session, &text, 1, &(weft_model_embed_desc){
            .pooling = all[i]}));
        for (size_t k = 0; k < 32; k++)
            assert_true(fabs(found[k] - want[i][k]) < 1e-5);
    }
    for (size_t i = 0; i < COUNTOF(all); i++) {
        double apart = 0;
        for (size_t k = 0; k < 32; k++)
            apart += fabs(want[i][k] - want[(i + 1) % 3][k]);
        assert_true(apart > 1e-2);
    }
    close_model(&f);
}

static bool refuse(void *user, uint64_t done, uint64_t total)
{
    (void)user, (void)done, (void)total;
    return false;
}

static void test_loading(void **state)
{
    weft_context *ctx = weft_context_create(&(weft_context_desc){.adapter = "cpu"});
    (void)state;
    weft_model_task *t = weft_model_create_async(ctx, &(weft_model_desc){.path = MODEL}, NULL,
                                                 NULL);
    assert_true(weft_model_task_wait(t));
    weft_model_info info;
    assert_true(weft_model_info_get(&info, weft_model_task_model(t)));
    assert_string_equal(info.name, "sentence");
    weft_model_task_release(t);
    t = weft_model_create_async(ctx, &(weft_model_desc){.path = MODEL, .progress = refuse}, NULL,
                                NULL);
    assert_false(weft_model_task_wait(t));
    assert_null(weft_model_task_model(t));
    assert_int_equal(weft_context_error(ctx)->kind, WEFT_ERROR_CANCELLED);
    weft_model_task_release(t);
    weft_context_release(ctx);
}

static void test_wrong_calls(void **state)
{
    Fixture f = open_model(0);
    (void)state;
    assert_null(weft_model_session_generate_async(f.session, NULL, NULL, NULL, NULL));
    assert_int_equal(weft_context_error(f.ctx)->kind, WEFT_ERROR_INVALID);
    weft_context_error_clear(f.ctx);
    assert_null(weft_model_session_generate_async(NULL, "x", NULL, NULL, NULL));
    assert_true(weft_model_task_is_done(NULL));
    assert_false(weft_model_task_wait(NULL));
    weft_model_task_cancel(NULL);
    weft_model_task_release(NULL);
    close_model(&f);
}

/* ---- tensors ---- */

/* The last row of logits, its greatest one, by a kernel of one's own. */
static const char greatest[] =
    "@group(0) @binding(0) var<storage, read> x : array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> best : array<f32>;\n"
    "@compute @workgroup_size(1) fn main() {\n"
    "    var at = 0u;\n"
    "    for (var i = 0u; i < arrayLength(&x); i++) { if (x[i] > x[at]) { at = i; } }\n"
    "    best[0] = f32(at);\n"
    "    best[1] = x[at];\n"
    "}\n";

static weft_tensor *get(const Fixture *f, const char *name)
{
    weft_tensor *t = weft_share_get(f->ctx, "mine", name, NULL);
    if (!t)
        fail_msg("%s: %s", name, weft_context_error(f->ctx)->message);
    return t;
}

static void run_greatest(float out[2], const Fixture *f, weft_tensor *x)
{
    const weft_tensor_slot in = {.name = "x"}, slot = {.name = "best", .rank = 1, .shape = {2}};
    weft_tensor_kernel *k = weft_tensor_kernel_create(f->ctx, &(weft_tensor_kernel_desc){
        .wgsl = greatest, .inputs = &in, .input_count = 1, .outputs = &slot, .output_count = 1});
    weft_tensor *best = NULL;
    assert_true(weft_tensor_kernel_run(&best, k, &x, &(weft_tensor_run){.groups = {1, 1, 1}}));
    assert_true(weft_tensor_read(out, 8, best));
    weft_tensor_release(best);
    weft_tensor_kernel_release(k);
}

static void test_own_kernels_read_results(void **state)
{
    Fixture f = open_model(0);
    const weft_token tokens[] = {1, 259};
    float    best[2];
    (void)state;
    assert_true(weft_model_session_decode(NULL, NULL, f.session, &(weft_model_batch){
        .tokens = tokens, .count = 2}));
    weft_tensor *logits = get(&f, "logits"), *hidden = get(&f, "hidden");
    assert_int_equal(weft_tensor_shape(logits)[1], 312);
    assert_int_equal(weft_tensor_shape(hidden)[1], 32);
    run_greatest(best, &f, logits);
    assert_int_equal((int)best[0], 260);                /* " runs" after "Weft" */
    assert_float_equal(best[1], weft_model_session_logits(f.session, 0)[260], 0);
    /* The next result is in the same memory: the tensor shows it. */
    assert_true(weft_model_session_decode(NULL, NULL, f.session, &(weft_model_batch){
        .tokens = (weft_token[]){260}, .count = 1}));
    run_greatest(best, &f, logits);
    assert_int_equal((int)best[0], 261);
    weft_tensor_release(logits);
    weft_tensor_release(hidden);
    const char *text = "Weft";
    float       vector[32], shared[32];
    assert_true(weft_model_session_embed(vector, f.session, &text, 1, NULL));
    weft_tensor *embeddings = get(&f, "embeddings");
    assert_true(weft_tensor_read(shared, sizeof shared, embeddings));
    assert_memory_equal(vector, shared, sizeof vector);
    weft_tensor_release(embeddings);
    close_model(&f);
}

static void test_weights_are_shared(void **state)
{
    Fixture f = open_model(0);
    weft_memory before, after;
    uint32_t words[64] = {0};
    float    norm[32], row[32];
    (void)state;
    weft_context_memory(&before, f.ctx);
    weft_tensor *gain = get(&f, "output_norm.weight"), *output = get(&f, "output.weight");
    assert_true(weft_tensor_read(norm, sizeof norm, gain));
    for (int i = 0; i < 32; i++)
        assert_float_equal(norm[i], 1, 0);
    /* F16: two neighbours in a word, 16 rows interleaved. Row 261 is row 5 of group 16. */
    weft_tensor *group = weft_tensor_narrow(output, 0, 16, 1);
    uint32_t     all[16 * 16];
    assert_int_equal(weft_tensor_shape(output)[1], 16);
    assert_true(weft_tensor_read(all, sizeof all, group));
    for (int i = 0; i < 16; i++)
        words[i] = all[i * 16 + 5];
    uint16_t halves[32];
    memcpy(halves, words, sizeof halves);
    assert_true(weft_gguf_dequantize(row, halves, WEFT_GGUF_TYPE_F16, 32));
    float want[32];
    const weft_gguf *file = weft_model_file(f.model);
    assert_true(weft_gguf_read(want, file, weft_gguf_tensor_find(file, "output.weight"),
                               (uint64_t)261 * 32, 32));
    assert_memory_equal(row, want, sizeof want);
    weft_context_memory(&after, f.ctx);
    assert_true(after.live <= before.live + 65536);
    weft_tensor_release(group);
    weft_tensor_release(gain);
    weft_tensor_release(output);
    close_model(&f);
}

static void test_names(void **state)
{
    Fixture f = open_model(0);
    weft_model_info info;
    (void)state;
    weft_model *other = weft_model_create(f.ctx, &(weft_model_desc){.path = MODEL,
                                                                    .name = "mine"});
    assert_true(weft_model_info_get(&info, other));
    assert_string_equal(info.name, "mine 2");
    weft_model_release(other);
    weft_tensor *gain = get(&f, "output_norm.weight");
    weft_model_session_release(f.session);
    weft_model_release(f.model);
    float norm[32];
    assert_true(weft_tensor_read(norm, sizeof norm, gain));     /* its memory lives on */
    assert_int_equal(weft_share_count(f.ctx), 0);
    weft_tensor_release(gain);
    weft_context_release(f.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_cancelled_texts_are_answers),
        cmocka_unit_test(test_logits_and_vectors),
        cmocka_unit_test(test_poolings),
        cmocka_unit_test(test_loading),
        cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_own_kernels_read_results),
        cmocka_unit_test(test_weights_are_shared),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
