// SPDX-License-Identifier: Apache-2.0
/*
 * tokenizer.c - the public object: making one, asking about tokens, tokenizing.
 *
 * in     a GGUF file; texts
 * out    weft_model_tokenizer; tokens
 * knows  which tokens stand before and after a text
 * not    how a fragment becomes tokens (tok_spm.c, tok_bpe.c, tok_wpm.c)
 */
#include <stdlib.h>

#include "context/context.h"
#include "model/grammar.h"
#include "model/tokenizer_priv.h"

/* ---- creation ---- */

typedef struct Loading {
    weft_model_tokenizer *t;
    const weft_gguf      *file;
    bool                  ok;
} Loading;

static void load_under_arena(void *context)
{
    Loading *l = context;
    l->ok = tok_load(l->t, l->file);
}

weft_model_tokenizer *weft_model_tokenizer_create(weft_context *ctx, const weft_gguf *file)
{
    weft_model_tokenizer *t = ctx && file ? calloc(1, sizeof *t) : NULL;
    if (!t) {
        context_fail(ctx, ctx && file ? WEFT_ERROR_MEMORY : WEFT_ERROR_INVALID,
                     "weft_model_tokenizer_create: %s", ctx && file ? "no memory" : "no file");
        return NULL;
    }
    t->refs = 1;
    t->ctx = weft_context_retain(ctx);
    arena_init(&t->arena, 0);
    Loading l = {.t = t, .file = file};
    if (!arena_try(&t->arena, load_under_arena, &l))
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a vocabulary");
    if (!l.ok) {
        weft_model_tokenizer_release(t);
        return NULL;
    }
    return t;
}

weft_model_tokenizer *weft_model_tokenizer_retain(weft_model_tokenizer *tokenizer)
{
    if (tokenizer)
        atomic_fetch_add(&tokenizer->refs, 1);
    return tokenizer;
}

void weft_model_tokenizer_release(weft_model_tokenizer *tokenizer)
{
    if (!tokenizer || atomic_fetch_sub(&tokenizer->refs, 1) != 1)
        return;
    grammar_trie_release(tokenizer);
    weft_context_release(tokenizer->ctx);
    arena_fini(&tokenizer->arena);
    free(tokenizer);
}

/* ---- questions ---- */

bool weft_model_tokenizer_info_get(weft_model_tokenizer_info *out,
                                   const weft_model_tokenizer *tokenizer)
{
    if (!tokenizer)
        return false;
    *out = tokenizer->info;
    return true;
}

static weft_model_token_kind kind_of_flags(uint16_t flags)
{
    if (flags & TOK_UNKNOWN)      return WEFT_MODEL_TOKEN_UNKNOWN;
    if (flags & TOK_CONTROL)      return WEFT_MODEL_TOKEN_CONTROL;
    if (flags & TOK_USER_DEFINED) return WEFT_MODEL_TOKEN_USER_DEFINED;
    if (flags & TOK_BYTE)         return WEFT_MODEL_TOKEN_BYTE;
    if (flags & TOK_NORMAL)       return WEFT_MODEL_TOKEN_NORMAL;
    return WEFT_MODEL_TOKEN_UNUSED;
}

bool weft_model_token_info_get(weft_model_token_info *out, const weft_model_tokenizer *tokenizer,
                               weft_token token)
{
    if (!tokenizer)
        return false;
    if (token < 0 || (uint32_t)token >= tokenizer->info.count)
        return context_fail(tokenizer->ctx, WEFT_ERROR_INVALID,
                            "token %d: the vocabulary has tokens 0 to %u", (int)token,
                            tokenizer->info.count - 1);
    *out = (weft_model_token_info){
        .text = tokenizer->texts[token].data, .size = tokenizer->texts[token].len,
        .score = tokenizer->scores[token], .kind = kind_of_flags(tokenizer->flags[token]),
        .ends = tokenizer->flags[token] & TOK_ENDS,
    };
    return true;
}

weft_token weft_model_token_find(const weft_model_tokenizer *tokenizer, const char *text,
                                 size_t size)
{
    if (!tokenizer || !text)
        return WEFT_TOKEN_NONE;
    if (size == WEFT_MODEL_TEXT)
        size = strlen(text);
    uint32_t token = size > tokenizer->longest ? TOK_NONE
                   : tok_table_find(&tokenizer->by_text, text, (uint32_t)size);
    return token == TOK_NONE ? WEFT_TOKEN_NONE : (weft_token)token;
}

/* ---- tokenizing ---- */

typedef struct Work {
    TokRun      run;
    const char *text;
    uint32_t    size;
    uint32_t    flags;
    bool        space;              /* SPM: the next text gets a space before it   */
} Work;

static void on_fragment(void *user, const char *text, uint32_t size, uint32_t token)
{
    Work *w = user;
    if (token != TOK_NONE) {
        tok_emit(&w->run, token);
        w->space = w->run.t->info.add_space_prefix;
        return;
    }
    switch (w->run.t->info.vocabulary) {
    case WEFT_MODEL_VOCABULARY_SPM: tok_spm(&w->run, text, size, w->space); break;
    case WEFT_MODEL_VOCABULARY_BPE: tok_bpe(&w->run, text, size);           break;
    case WEFT_MODEL_VOCABULARY_WPM: tok_wpm(&w->run, text, size);           break;
    }
    w->space = false;
}

static void affix(TokRun *r, bool wanted, weft_token token)
{
    if (wanted && token != WEFT_TOKEN_NONE)
        tok_emit(r, (uint32_t)token);
}

static void tokenize_under_arena(void *context)
{
    Work                            *w = context;
    const weft_model_tokenizer_info *i = &w->run.t->info;
    bool affixes = !(w->flags & WEFT_MODEL_TOKENIZE_NO_AFFIXES);
    bool bert = i->vocabulary == WEFT_MODEL_VOCABULARY_WPM;
    w->space = i->add_space_prefix && !(w->flags & WEFT_MODEL_TOKENIZE_CONTINUES);
    affix(&w->run, affixes && (i->add_bos || bert), i->bos);
    tok_special_split(w->run.t, w->run.arena, w->text, w->size,
                      w->flags & WEFT_MODEL_TOKENIZE_SPECIAL, on_fragment, w);
    affix(&w->run, affixes && (bert ? true : i->add_eos), bert ? i->sep : i->eos);
}

bool weft_model_tokenize(weft_token *out, size_t *count, const weft_model_tokenizer *tokenizer,
                         const char *text, size_t size, uint32_t flags)
{
    if (!tokenizer)
        return false;
    if (!count || (!text && size))
        return context_fail(tokenizer->ctx, WEFT_ERROR_INVALID,
                            "weft_model_tokenize: no text, or nowhere to put the count");
    if (size == WEFT_MODEL_TEXT)
        size = strlen(text);
    if (size > INT32_MAX / 4)
        return context_fail(tokenizer->ctx, WEFT_ERROR_INVALID,
                            "a text of %zu bytes is too long for one call", size);
    Arena scratch;
    arena_init(&scratch, 0);
    Work work = {.run = {.t = tokenizer, .arena = &scratch, .out = out, .room = out ? *count : 0},
                 .text = text, .size = (uint32_t)size, .flags = flags};
    bool done = arena_try(&scratch, tokenize_under_arena, &work);
    arena_fini(&scratch);
    if (!done)
        return context_fail(tokenizer->ctx, WEFT_ERROR_MEMORY,
                            "no memory to tokenize %zu bytes", size);
    size_t room = *count;
    *count = work.run.count;
    if (out && work.run.count > room)
        return context_fail(tokenizer->ctx, WEFT_ERROR_INVALID, "%zu tokens; there is room for %zu",
                            work.run.count, room);
    return true;
}

size_t weft_model_tokenize_bound(const weft_model_tokenizer *tokenizer, size_t size)
{
    (void)tokenizer;
    /* A space may become three byte tokens, an invalid byte the three of U+FFFD. */
    return size > (SIZE_MAX - 5) / 3 ? SIZE_MAX : 3 * size + 5;
}
