// SPDX-License-Identifier: Apache-2.0
/*
 * sampler_test.c - samplers, grammars and chat templates of weft/model.h.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "model/vocab.h"

enum { VOCAB = 100 };

typedef struct Fixture {
    weft_context         *ctx;
    Arena                 arena;
    weft_model_tokenizer *tokenizer;        /* vocab_bpe(): 256 bytes, then pieces         */
    float                 logits[VOCAB];
} Fixture;

static int setup(void **state)
{
    static Fixture f;
    f.ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    arena_init(&f.arena, 0);
    Build b = {.arena = &f.arena};
    vocab_bpe(&b, "gpt-2");
    f.tokenizer = vocab_tokenizer(f.ctx, &b);
    for (int i = 0; i < VOCAB; i++)
        f.logits[i] = (float)((i * 37) % VOCAB) * 0.05f;
    *state = &f;
    return f.ctx && f.tokenizer ? 0 : -1;
}

static int teardown(void **state)
{
    Fixture *f = *state;
    weft_model_tokenizer_release(f->tokenizer);
    weft_context_release(f->ctx);
    arena_fini(&f->arena);
    return 0;
}

static void expect_error(Fixture *f, weft_error_kind kind, const char *part)
{
    const weft_error *e = weft_context_error(f->ctx);
    if (e->kind != kind || !strstr(e->message, part))
        fail_msg("%d '%s' instead of %d '%s'", e->kind, e->message, kind, part);
    weft_context_error_clear(f->ctx);
}

static weft_token next(weft_model_sampler *s, const Fixture *f)
{
    weft_model_choice c;
    assert_true(weft_model_sampler_sample(&c, s, f->logits, VOCAB));
    assert_true(weft_model_sampler_accept(s, c.token, true));
    return c.token;
}

/* ---- samplers ---- */

static void test_seeds_reproduce(void **state)
{
    Fixture            *f = *state;
    weft_model_sampler *a, *b, *c;
    weft_token          first[50];
    a = weft_model_sampler_create(f->ctx, NULL, &(weft_model_sampler_desc){.seed = 9});
    b = weft_model_sampler_create(f->ctx, NULL, &(weft_model_sampler_desc){.seed = 9});
    c = weft_model_sampler_create(f->ctx, NULL, &(weft_model_sampler_desc){.seed = 10});
    int differ = 0;
    for (int i = 0; i < 50; i++) {
        first[i] = next(a, f);
        assert_int_equal(first[i], next(b, f));
        differ += first[i] != next(c, f);
        if (i == 20) {
            weft_model_sampler *copy = weft_model_sampler_copy(b);
            weft_model_sampler_release(b);
            b = copy;
        }
    }
    assert_true(differ > 10);
    weft_model_sampler_reset(a);
    for (int i = 0; i < 50; i++)
        assert_int_equal(next(a, f), first[i]);
    assert_int_equal(weft_model_sampler_seed(a), 9);
    weft_model_sampler_release(a);
    weft_model_sampler_release(b);
    weft_model_sampler_release(c);
    /* Without a seed each sampler has its own. */
    a = weft_model_sampler_create(f->ctx, NULL, NULL);
    b = weft_model_sampler_create(f->ctx, NULL, NULL);
    assert_true(weft_model_sampler_seed(a) != weft_model_sampler_seed(b));
    weft_model_sampler_release(a);
    weft_model_sampler_release(b);
}

static void test_greedy_bias_and_logprobs(void **state)
{
    Fixture          *f = *state;
    weft_model_choice c;
    weft_model_bias   bias[] = {{27, -INFINITY}, {5, 100}};
    double            sum = 0;
    for (int i = 0; i < VOCAB; i++)
        sum += exp(f->logits[i]);
    weft_model_sampler *s = weft_model_sampler_create(
        f->ctx, NULL, &(weft_model_sampler_desc){.temperature = WEFT_MODEL_OFF, .logprobs = 3});
    assert_true(weft_model_sampler_sample(&c, s, f->logits, VOCAB));
    assert_int_equal(c.token, 27);                      /* 27 * 37 % 100 is 99             */
    assert_float_equal(c.logprob, f->logits[27] - logf((float)sum), 1e-4f);
    assert_float_equal(c.probability, 1, 1e-6);
    assert_int_equal(c.top_count, 3);
    assert_int_equal(c.top[0].token, 27);
    assert_true(c.top[0].logprob > c.top[1].logprob && c.top[1].logprob > c.top[2].logprob);
    weft_model_sampler_release(s);

    s = weft_model_sampler_create(
        f->ctx, NULL,
        &(weft_model_sampler_desc){.bias = bias, .bias_count = 2, .seed = 3});
    assert_int_equal(next(s, f), 5);
    weft_model_sampler_release(s);
    s = weft_model_sampler_create(f->ctx, NULL, &(weft_model_sampler_desc){
        .temperature = WEFT_MODEL_OFF, .bias = bias, .bias_count = 1});
    assert_int_not_equal(next(s, f), 27);
    weft_model_sampler_release(s);
}

/* The defaults: 40 likeliest, of those the first 95 %, at least 5 % of the best; then 0.8. */
static void test_defaults_of_the_chain(void **state)
{
    Fixture            *f = *state;
    weft_model_sampler *s =
        weft_model_sampler_create(f->ctx, NULL, &(weft_model_sampler_desc){.seed = 1});
    bool                seen[VOCAB] = {0};
    for (int i = 0; i < 3000; i++) {
        weft_model_choice c;
        assert_true(weft_model_sampler_sample(&c, s, f->logits, VOCAB));
        seen[c.token] = true;
    }
    double sum = 0, upto = 0;
    for (int rank = 99; rank >= 60; rank--)             /* logit = rank * 0.05             */
        sum += exp(rank * 0.05);
    for (int rank = 99; rank >= 0; rank--) {
        int  token = rank * 73 % 100;                   /* 37 * 73 is 1 modulo 100         */
        bool kept = rank >= 60 && upto < 0.95 * sum && rank * 0.05 >= 99 * 0.05 + log(0.05);
        upto += exp(rank * 0.05);
        if (seen[token] && !kept)
            fail_msg("rank %d was drawn", rank);
        if (!seen[token] && kept && rank > 70)
            fail_msg("rank %d was never drawn", rank);
    }
    weft_model_sampler_release(s);
}

static void test_penalties_look_back(void **state)
{
    Fixture            *f = *state;
    weft_model_sampler *s = weft_model_sampler_create(f->ctx, NULL, &(weft_model_sampler_desc){
        .temperature = WEFT_MODEL_OFF, .presence_penalty = 100, .penalty_last_n = 2});
    weft_token          a = next(s, f), b = next(s, f), c = next(s, f);
    assert_int_equal(a, 27);
    assert_true(b != a && c != a && c != b);
    assert_int_equal(next(s, f), a);                    /* it has left the window          */
    weft_model_sampler_release(s);
}

static void test_wrong_settings_and_logits(void **state)
{
    Fixture          *f = *state;
    weft_model_choice c;
    float             bad[3] = {0, NAN, 0};
    assert_null(weft_model_sampler_create(f->ctx, NULL, &(weft_model_sampler_desc){.top_p = NAN}));
    expect_error(f, WEFT_ERROR_INVALID, "not a finite number");
    assert_null(weft_model_sampler_create(
        f->ctx, NULL, &(weft_model_sampler_desc){.dry_multiplier = 1}));
    expect_error(f, WEFT_ERROR_INVALID, "DRY needs a tokenizer");
    weft_model_sampler *s = weft_model_sampler_create(f->ctx, NULL, NULL);
    assert_false(weft_model_sampler_sample(&c, s, bad, 3));
    expect_error(f, WEFT_ERROR_INVALID, "logit 1 is NaN");
    assert_false(weft_model_sampler_sample(&c, s, bad, 0));
    expect_error(f, WEFT_ERROR_INVALID, "logits");
    bad[0] = bad[1] = bad[2] = -INFINITY;
    assert_false(weft_model_sampler_sample(&c, s, bad, 3));
    weft_context_error_clear(f->ctx);
    assert_false(weft_model_sampler_accept(s, -4, true));
    expect_error(f, WEFT_ERROR_INVALID, "no token -4");
    assert_false(weft_model_sampler_sample(&c, NULL, bad, 3));
    weft_model_sampler_release(s);
}

static void test_dry_knows_breakers(void **state)
{
    Fixture            *f = *state;
    float               logits[300];
    weft_model_choice   c;
    weft_model_sampler *s = weft_model_sampler_create(
        f->ctx, f->tokenizer,
        &(weft_model_sampler_desc){
            .temperature = WEFT_MODEL_OFF, .dry_multiplier = 10, .dry_last_n = 100});
    assert_non_null(s);
    for (int i = 0; i < 300; i++)
        logits[i] = i == 'd' ? 1 : 0;
    static const char text[] = "abcdabc", broken[] = "abcdab:c";
    for (const char *t = text; *t; t++)
        assert_true(weft_model_sampler_accept(s, *t, false));
    assert_true(weft_model_sampler_sample(&c, s, logits, 269));
    assert_int_not_equal(c.token, 'd');
    weft_model_sampler_reset(s);
    for (const char *t = broken; *t; t++)
        assert_true(weft_model_sampler_accept(s, *t, false));
    assert_true(weft_model_sampler_sample(&c, s, logits, 269));
    assert_int_equal(c.token, 'd');
    weft_model_sampler_release(s);
}

/* ---- grammars ---- */

static void test_a_sampler_keeps_to_its_grammar(void **state)
{
    Fixture *f = *state;
    weft_model_tokenizer_info info;
    assert_true(weft_model_tokenizer_info_get(&info, f->tokenizer));
    weft_model_grammar *g = weft_model_grammar_create(
        f->ctx, &(weft_model_grammar_desc){
                    .json_schema = "{\"type\": \"array\", \"items\": {\"enum\": "
                                   "[\"hello\", 123]}, \"minItems\": 2, "
                                   "\"maxItems\": 3}",
                    .tokenizer = f->tokenizer});
    assert_non_null(g);
    float *logits = calloc(info.count, sizeof *logits);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        weft_model_sampler *s = weft_model_sampler_create(
            f->ctx, f->tokenizer, &(weft_model_sampler_desc){.seed = seed, .grammar = g});
        char   text[300];
        size_t len = 0;
        for (int i = 0; i < 200; i++) {
            weft_model_choice c;
            char              piece[32];
            size_t            size = sizeof piece;
            assert_true(weft_model_sampler_sample(&c, s, logits, info.count));
            assert_true(weft_model_sampler_accept(s, c.token, true));
            if (c.token == info.eos)
                break;
            assert_true(weft_model_detokenize(piece, &size, f->tokenizer, &c.token, 1, 0));
            assert_true(len + size < sizeof text);
            memcpy(text + len, piece, size);
            len += size;
        }
        /* The grammar that was copied has not moved, and accepts what came out. */
        assert_true(weft_model_grammar_accept_text(g, text, len));
        assert_true(weft_model_grammar_complete(g));
        weft_model_grammar_reset(g);
        weft_model_sampler_release(s);
    }
    free(logits);
    weft_model_grammar_release(g);
}

static void test_grammars_follow_texts(void **state)
{
    Fixture            *f = *state;
    uint32_t            mask[10];
    weft_model_grammar *g = weft_model_grammar_create(f->ctx, &(weft_model_grammar_desc){
        .gbnf = "start ::= \"hello\" \" \"? [a-z]*", .root = "start", .tokenizer = f->tokenizer});
    assert_non_null(g);
    assert_true(weft_model_grammar_mask(mask, 10, g));
    weft_token he = weft_model_token_find(f->tokenizer, "he", 2);
    assert_true(mask[he / 32] >> he % 32 & 1);
    assert_true(mask['h' / 32] >> 'h' % 32 & 1);
    assert_false(mask['x' / 32] >> 'x' % 32 & 1);
    assert_true(weft_model_grammar_accept(g, he));
    weft_model_grammar *copy = weft_model_grammar_copy(g);
    assert_false(weft_model_grammar_accept_text(g, "lp", 2));
    expect_error(f, WEFT_ERROR_INVALID, "does not allow this text");
    assert_true(weft_model_grammar_accept_text(g, "llo w", 5));
    assert_true(weft_model_grammar_complete(g));
    assert_false(weft_model_grammar_complete(copy));
    assert_true(weft_model_grammar_accept_text(copy, "llo", WEFT_MODEL_TEXT));
    assert_false(weft_model_grammar_mask(mask, 2, g));
    expect_error(f, WEFT_ERROR_INVALID, "needs");
    weft_model_grammar_release(copy);
    weft_model_grammar_release(g);
}

static void test_wrong_grammars(void **state)
{
    Fixture *f = *state;
    assert_null(weft_model_grammar_create(f->ctx, &(weft_model_grammar_desc){0}));
    expect_error(f, WEFT_ERROR_INVALID, "either gbnf or json_schema");
    assert_null(weft_model_grammar_create(
        f->ctx, &(weft_model_grammar_desc){.gbnf = "a ::= \"x\""}));
    expect_error(f, WEFT_ERROR_FORMAT, "no rule 'root'");
    assert_null(weft_model_grammar_create(
        f->ctx, &(weft_model_grammar_desc){.gbnf = "root ::= ("}));
    expect_error(f, WEFT_ERROR_FORMAT, "line 1");
    assert_null(weft_model_grammar_create(f->ctx, &(weft_model_grammar_desc){
        .gbnf = "root ::= \"a\"{9}? | \"b\"*", .max_rules = 2}));
    expect_error(f, WEFT_ERROR_MEMORY, "rules");
    assert_null(weft_model_grammar_create(
        f->ctx, &(weft_model_grammar_desc){.json_schema = "{\"type\": 1}"}));
    expect_error(f, WEFT_ERROR_FORMAT, "unknown type");
    size_t size = 0;
    assert_true(weft_model_schema_to_gbnf(NULL, &size, f->ctx, "{\"type\": \"null\"}", 0));
    char *text = malloc(size);
    assert_true(weft_model_schema_to_gbnf(text, &size, f->ctx, "{\"type\": \"null\"}", 0));
    assert_memory_equal(text, "root ::= \"null\"\n", 16);
    free(text);
}

/* ---- templates ---- */

static char *render(const weft_model_template *t, const weft_model_message *m, size_t n,
                    const weft_model_render_desc *d)
{
    size_t size = 0;
    assert_true(weft_model_template_render(NULL, &size, t, m, n, d));
    char *text = calloc(size + 1, 1);
    assert_true(weft_model_template_render(text, &size, t, m, n, d));
    return text;
}

static void test_built_in_templates(void **state)
{
    Fixture                 *f = *state;
    const weft_model_message m[] = {{.role = "system", .content = "Be brief."},
                                    {.role = "user", .content = "Hi"},
                                    {.role = "assistant", .content = "Hello"},
                                    {.role = "user", .content = "Bye"}};
    static const struct { const char *name, *want;
    } cases[] = {
        {"chatml",
         "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
         "<|im_start|>assistant\nHello<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n"
         "<|im_start|>assistant\n"},
        {"llama2-sys",
         "[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nHi [/INST]Hello</s>[INST] Bye [/INST]"},
        {"gemma", "<start_of_turn>user\nBe "
                  "brief.\n\nHi<end_of_turn>\n<start_of_turn>model\nHello<end_of_turn>\n"
                  "<start_of_turn>user\nBye<end_of_turn>\n<start_of_turn>model\n"},
        {"mistral-v1", " [INST] Be brief.\n\nHi [/INST] Hello</s> [INST] Bye [/INST]"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        weft_model_template *t =
            weft_model_template_create(f->ctx, &(weft_model_template_desc){.name = cases[i].name});
        char *text = render(t, m, COUNTOF(m), NULL);
        assert_string_equal(text, cases[i].want);
        free(text);
        weft_model_template_release(t);
    }
    uint32_t count = 0;
    for (; weft_model_template_name(count); count++) {
        weft_model_template *t = weft_model_template_create(
            f->ctx, &(weft_model_template_desc){.name = weft_model_template_name(count)});
        char *with = render(t, m, 2, NULL);
        char *without = render(t, m, 2, &(weft_model_render_desc){.no_generation_prompt = true});
        assert_non_null(strstr(with, "Hi"));
        assert_memory_equal(with, without, strlen(without));
        free(with);
        free(without);
        weft_model_template_release(t);
    }
    assert_int_equal(count, 25);
}

static void test_templates_get_their_variables(void **state)
{
    Fixture                 *f = *state;
    const weft_model_message m[] = {
        {.role = "user", .content = "a\0b", .content_size = 3},
        {.role = "assistant", .extra = "{\"tool_calls\": [{\"name\": \"f\"}]}"}};
    weft_model_template *t = weft_model_template_create(
        f->ctx,
        &(weft_model_template_desc){
            .source = "{{ bos_token }}{{ eos_token }}{{ messages[0].content | length }}"
                      "{{ messages[1].content }}{{ messages[1].tool_calls[0].name }}{{ "
                      "tools[0] }}{{ deep }}"
                      "{{ strftime_now('%Y') }}",
            .bos = "<s>",
            .eos = "</s>"});
    char *text = render(t, m, 2, &(weft_model_render_desc){
        .tools = "[\"t\"]", .variables = "{\"deep\": 5}", .now = 86400 * 366});
    assert_string_equal(text, "<s></s>3ft51971");
    free(text);
    weft_model_template_release(t);
}

static void test_templates_without_a_system(void **state)
{
    Fixture                 *f = *state;
    const weft_model_message m[] = {{.role = "system", .content = "Be brief."},
                                    {.role = "user", .content = "Hi"}};
    static const char *const sources[] = {
        "{% for m in messages %}{% if m.role == 'user' %}<{{ m.content }}>{% endif %}{% endfor %}",
        "{% for m in messages %}{% if m.role != 'user' %}{{ raise_exception('no') }}{% endif %}"
        "<{{ m.content }}>{% endfor %}",
    };
    for (size_t i = 0; i < COUNTOF(sources); i++) {
        weft_model_template *t = weft_model_template_create(
            f->ctx, &(weft_model_template_desc){.source = sources[i]});
        char *text = render(t, m, 2, NULL);
        assert_string_equal(text, "<Be brief.\nHi>");
        free(text);
        weft_model_template_release(t);
    }
}

static void test_wrong_templates(void **state)
{
    Fixture *f = *state;
    size_t   size = 0;
    assert_null(weft_model_template_create(f->ctx, NULL));
    expect_error(f, WEFT_ERROR_NOT_FOUND, "no template was given");
    assert_null(weft_model_template_create(f->ctx, &(weft_model_template_desc){.name = "chatmll"}));
    expect_error(f, WEFT_ERROR_NOT_FOUND, "did you mean 'chatml'?");
    assert_null(weft_model_template_create(
        f->ctx, &(weft_model_template_desc){.source = "{% if %}"}));
    expect_error(f, WEFT_ERROR_FORMAT, "line 1");
    weft_model_template *t = weft_model_template_create(f->ctx, &(weft_model_template_desc){
        .source = "{% for i in range(10 ** 9) %}x{% endfor %}"});
    assert_false(weft_model_template_render(NULL, &size, t, NULL, 0, NULL));
    expect_error(f, WEFT_ERROR_QUOTA, "steps");
    weft_model_template_release(t);
    t = weft_model_template_create(f->ctx, &(weft_model_template_desc){
        .source = "{{ raise_exception('roles must alternate') }}"});
    assert_false(weft_model_template_render(NULL, &size, t, NULL, 0, NULL));
    expect_error(f, WEFT_ERROR_INVALID, "roles must alternate");
    assert_false(weft_model_template_render(NULL, &size, t, NULL, 0,
                                            &(weft_model_render_desc){.tools = "["}));
    expect_error(f, WEFT_ERROR_FORMAT, "JSON, line 1");
    weft_model_template_release(t);
    weft_model_template_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds_reproduce),
        cmocka_unit_test(test_greedy_bias_and_logprobs),
        cmocka_unit_test(test_defaults_of_the_chain),
        cmocka_unit_test(test_penalties_look_back),
        cmocka_unit_test(test_wrong_settings_and_logits),
        cmocka_unit_test(test_dry_knows_breakers),
        cmocka_unit_test(test_a_sampler_keeps_to_its_grammar),
        cmocka_unit_test(test_grammars_follow_texts),
        cmocka_unit_test(test_wrong_grammars),
        cmocka_unit_test(test_built_in_templates),
        cmocka_unit_test(test_templates_get_their_variables),
        cmocka_unit_test(test_templates_without_a_system),
        cmocka_unit_test(test_wrong_templates),
    };
    return cmocka_run_group_tests_name("sampler", tests, setup, teardown);
}
