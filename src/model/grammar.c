// SPDX-License-Identifier: Apache-2.0
/*
 * grammar.c - grammars of weft/model.h.
 *
 * in     GBNF or a JSON schema, a tokenizer
 * out    weft_model_grammar: what it allows next, in the state of one text
 * knows  contexts, tokenizers
 * not    parsing (grammar_parse.c, schema.c), matching (grammar_match.c)
 */
#include "model/grammar.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <weft/model.h>

#include "context/context.h"
#include "model/schema.h"
#include "model/tokenizer_priv.h"

#define MAX_RULES  65536u
#define MAX_STATES 65536u
#define SCHEMA_MEMORY (128u << 20)

/* What copies of a grammar share. */
typedef struct GrammarText {
    atomic_uint           refs;
    Grammar               grammar;
    weft_model_tokenizer *tokenizer;            /* NULL: text only                         */
} GrammarText;

struct weft_model_grammar {
    atomic_uint   refs;
    weft_context *ctx;
    GrammarText  *text;
    Matcher       matcher;
};

static bool fail(weft_context *ctx, const Fault *f)
{
    static const weft_error_kind kinds[] = {
        [FAULT_NONE] = WEFT_ERROR_INTERNAL, [FAULT_FORMAT] = WEFT_ERROR_FORMAT,
        [FAULT_UNSUPPORTED] = WEFT_ERROR_UNSUPPORTED, [FAULT_LIMIT] = WEFT_ERROR_MEMORY,
        [FAULT_RAISED] = WEFT_ERROR_INVALID,
    };
    return context_fail(ctx, kinds[f->kind], "%s", f->text);
}

/* ---- the vocabulary ---- */

static Str piece_of(const weft_model_tokenizer *t, uint32_t token)
{
    bool silent = t->flags[token] & (TOK_CONTROL | TOK_UNKNOWN | TOK_UNUSED);
    return silent ? (Str){"", 0} : t->pieces[token];
}

static Str vocab_bytes(void *user, uint32_t token)
{
    return piece_of(user, token);
}

static bool vocab_ends(void *user, uint32_t token)
{
    const weft_model_tokenizer *t = user;
    return t->flags[token] & TOK_ENDS;
}

const TokenTrie *grammar_trie(weft_model_tokenizer *t)
{
    TokenTrie *trie = atomic_load(&t->trie), *none = NULL;
    if (trie)
        return trie;
    trie = calloc(1, sizeof *trie);
    GrammarVocab vocab = {t->info.count, vocab_bytes, vocab_ends, t};
    if (!trie || !trie_init(trie, &vocab)) {
        free(trie);
        return NULL;
    }
    if (atomic_compare_exchange_strong(&t->trie, &none, trie))
        return trie;
    trie_fini(trie);                /* another thread was faster                           */
    free(trie);
    return none;
}

void grammar_trie_release(weft_model_tokenizer *t)
{
    TokenTrie *trie = atomic_load(&t->trie);
    if (trie)
        trie_fini(trie);
    free(trie);
}

/* "<think>" in a grammar. */
static bool find_token(void *user, Str text, uint32_t *token)
{
    const weft_model_tokenizer *t = user;
    uint32_t found = tok_table_find(&t->by_text, text.data, text.len);
    if (found == TOK_NONE)
        return false;
    *token = found;
    return true;
}

/* ---- creation ---- */

static void text_release(GrammarText *text)
{
    if (!text || atomic_fetch_sub(&text->refs, 1) != 1)
        return;
    grammar_fini(&text->grammar);
    weft_model_tokenizer_release(text->tokenizer);
    free(text);
}

static bool size_of(Str *out, weft_context *ctx, const char *data, size_t size, const char *what)
{
    if (size == 0 || size == WEFT_MODEL_TEXT)
        size = strlen(data);
    if (size > GRAMMAR_MAX_TEXT)
        return context_fail(ctx, WEFT_ERROR_MEMORY, "%s: %zu bytes, at most %u are read",
                            what, size, GRAMMAR_MAX_TEXT);
    *out = (Str){data, (uint32_t)size};
    return true;
}

static bool parse_gbnf(GrammarText *text, Str gbnf, Fault *fault)
{
    return grammar_parse(&text->grammar, gbnf, text->tokenizer ? find_token : NULL, text->tokenizer,
                         fault);
}

/* Schemas become GBNF first, which is then gone. */
static bool parse_schema(GrammarText *text, Str schema, Fault *fault)
{
    Arena arena;
    Str   gbnf = {0};
    arena_init(&arena, SCHEMA_MEMORY);
    bool ok = schema_to_grammar(&gbnf, &arena, schema, fault) && parse_gbnf(text, gbnf, fault);
    arena_fini(&arena);
    return ok;
}

static bool parse_desc(GrammarText *text, weft_context *ctx, const weft_model_grammar_desc *d)
{
    Fault    fault = {0};
    Str      source;
    uint32_t most = d->max_rules ? d->max_rules : MAX_RULES;
    if (!d->gbnf == !d->json_schema)
        return context_fail(ctx, WEFT_ERROR_INVALID, "a grammar needs either gbnf or json_schema");
    if (d->gbnf ? !size_of(&source, ctx, d->gbnf, d->gbnf_size, "grammar")
                : !size_of(&source, ctx, d->json_schema, d->json_schema_size, "schema"))
        return false;
    if (d->gbnf ? !parse_gbnf(text, source, &fault) : !parse_schema(text, source, &fault))
        return fail(ctx, &fault);
    if (text->grammar.rule_count > most)
        return context_fail(ctx, WEFT_ERROR_MEMORY, "grammar: %u rules, at most %u are allowed",
                            text->grammar.rule_count, most);
    return true;
}

static bool start(weft_model_grammar *g, const weft_model_grammar_desc *d)
{
    Fault       fault = {0};
    const char *root = d->root && d->gbnf ? d->root : "root";
    uint32_t    rule = grammar_find_rule(&g->text->grammar, str_of(root));
    uint32_t    open = d->max_states ? d->max_states : MAX_STATES;
    if (rule == UINT32_MAX)
        return context_fail(g->ctx, WEFT_ERROR_FORMAT,
                            "grammar: there is no rule '%s' to start with", root);
    if (g->text->tokenizer && !grammar_trie(g->text->tokenizer))
        return context_fail(g->ctx, WEFT_ERROR_MEMORY, "grammar: no memory for the vocabulary");
    return matcher_init(&g->matcher, &g->text->grammar, rule, open, &fault) || fail(g->ctx, &fault);
}

weft_model_grammar *weft_model_grammar_create(weft_context *ctx,
                                              const weft_model_grammar_desc *desc)
{
    weft_model_grammar *g = calloc(1, sizeof *g);
    bool                ok = false;
    if (!desc) {
        context_fail(ctx, WEFT_ERROR_INVALID, "a grammar needs a descriptor");
        goto done;
    }
    if (!g || !(g->text = calloc(1, sizeof *g->text))) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a grammar");
        goto done;
    }
    g->refs = 1;
    g->ctx = weft_context_retain(ctx);
    g->text->refs = 1;
    g->text->tokenizer = weft_model_tokenizer_retain(desc->tokenizer);
    ok = parse_desc(g->text, ctx, desc) && start(g, desc);
done:
    if (ok)
        return g;
    weft_model_grammar_release(g);
    return NULL;
}

weft_model_grammar *weft_model_grammar_copy(const weft_model_grammar *grammar)
{
    Fault fault = {0};
    if (!grammar)
        return NULL;
    weft_model_grammar *g = calloc(1, sizeof *g);
    if (!g) {
        context_fail(grammar->ctx, WEFT_ERROR_MEMORY, "no memory for a grammar");
        return NULL;
    }
    g->refs = 1;
    g->ctx = weft_context_retain(grammar->ctx);
    g->text = grammar->text;
    atomic_fetch_add(&g->text->refs, 1);
    if (matcher_copy(&g->matcher, &grammar->matcher, &fault))
        return g;
    fail(g->ctx, &fault);
    weft_model_grammar_release(g);
    return NULL;
}

weft_model_grammar *weft_model_grammar_retain(weft_model_grammar *grammar)
{
    if (grammar)
        atomic_fetch_add(&grammar->refs, 1);
    return grammar;
}

void weft_model_grammar_release(weft_model_grammar *grammar)
{
    if (!grammar || (grammar->refs != 0 && atomic_fetch_sub(&grammar->refs, 1) != 1))
        return;
    matcher_fini(&grammar->matcher);
    text_release(grammar->text);
    weft_context_release(grammar->ctx);
    free(grammar);
}

/* ---- following a text ---- */

void weft_model_grammar_reset(weft_model_grammar *grammar)
{
    Fault fault = {0};
    if (grammar && !matcher_reset(&grammar->matcher, &fault))
        fail(grammar->ctx, &fault);
}

static bool step(weft_model_grammar *g, uint32_t token, Str bytes)
{
    Fault fault = {0};
    if (matcher_accept(&g->matcher, token, bytes, &fault))
        return true;
    if (fault.kind != FAULT_NONE)
        return fail(g->ctx, &fault);
    return false;
}

bool weft_model_grammar_accept_text(weft_model_grammar *grammar, const char *text, size_t size)
{
    if (!grammar)
        return false;
    if (!text)
        return context_fail(grammar->ctx, WEFT_ERROR_INVALID, "accept_text: text is NULL");
    if (size == WEFT_MODEL_TEXT)
        size = strlen(text);

    /* Long texts go in parts: the state before is kept until all of it matched. */
    Matcher before;
    Fault   fault = {0};
    if (!matcher_copy(&before, &grammar->matcher, &fault))
        return fail(grammar->ctx, &fault);
    bool ok = true;
    for (size_t at = 0; at < size && ok;) {
        uint32_t part = (uint32_t)MIN_OF(size - at, (size_t)GRAMMAR_MAX_TOKEN);
        ok = step(grammar, UINT32_MAX, (Str){text + at, part});
        at += part;
    }
    if (ok) {
        matcher_fini(&before);
        return true;
    }
    matcher_fini(&grammar->matcher);
    grammar->matcher = before;
    return context_fail(grammar->ctx, WEFT_ERROR_INVALID,
                        "the grammar does not allow this text here");
}

bool weft_model_grammar_accept(weft_model_grammar *grammar, weft_token token)
{
    if (!grammar)
        return false;
    const weft_model_tokenizer *t = grammar->text->tokenizer;
    if (!t)
        return context_fail(grammar->ctx, WEFT_ERROR_INVALID,
                            "the grammar was made without a tokenizer: use accept_text");
    if (token < 0 || (uint32_t)token >= t->info.count)
        return context_fail(grammar->ctx, WEFT_ERROR_INVALID, "token %d of %u", token,
                            t->info.count);
    if ((t->flags[token] & TOK_ENDS) && matcher_complete(&grammar->matcher))
        return true;
    return step(grammar, (uint32_t)token, piece_of(t, (uint32_t)token))
           || context_fail(grammar->ctx, WEFT_ERROR_INVALID,
                           "the grammar does not allow token %d here", token);
}

bool weft_model_grammar_complete(const weft_model_grammar *grammar)
{
    return grammar && matcher_complete(&grammar->matcher);
}

bool weft_model_grammar_mask(uint32_t *out, size_t words, weft_model_grammar *grammar)
{
    Fault fault = {0};
    if (!grammar)
        return false;
    weft_model_tokenizer *t = grammar->text->tokenizer;
    if (!t)
        return context_fail(grammar->ctx, WEFT_ERROR_INVALID,
                            "the grammar was made without a tokenizer");
    if (!out || words < (t->info.count + (size_t)31) / 32)
        return context_fail(grammar->ctx, WEFT_ERROR_INVALID, "a mask of %u tokens needs %u words",
                            t->info.count, (t->info.count + 31) / 32);
    return matcher_mask(&grammar->matcher, out, grammar_trie(t), &fault)
           || fail(grammar->ctx, &fault);
}

/* ---- schemas ---- */

bool weft_model_schema_to_gbnf(char *out, size_t *size, weft_context *ctx, const char *json_schema,
                               size_t json_schema_size)
{
    Arena arena;
    Fault fault = {0};
    Str   source, gbnf = {0};
    if (!size || !json_schema)
        return context_fail(ctx, WEFT_ERROR_INVALID, "schema_to_gbnf: %s is NULL",
                            size ? "json_schema" : "size");
    if (!size_of(&source, ctx, json_schema, json_schema_size, "schema"))
        return false;
    arena_init(&arena, SCHEMA_MEMORY);
    bool ok = schema_to_grammar(&gbnf, &arena, source, &fault) || fail(ctx, &fault);
    if (ok && out && *size < gbnf.len)
        ok = context_fail(ctx, WEFT_ERROR_INVALID,
                          "the grammar has %u bytes, there is room for %zu", gbnf.len,
                          *size);
    else if (ok && out)
        memcpy(out, gbnf.data, gbnf.len);
    if (gbnf.data)
        *size = gbnf.len;
    arena_fini(&arena);
    return ok;
}
