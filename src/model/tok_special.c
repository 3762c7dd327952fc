// SPDX-License-Identifier: Apache-2.0
/*
 * tok_special.c - tokens that are found in a text as a whole, before all else, and
 * tokens that end a generation.
 *
 * in     a vocabulary; a text
 * out    which tokens are special and which end; fragments of the text
 * knows  the names that published models use for tokens their files do not mark
 * not    how fragments become tokens
 */
#include <ctype.h>
#include <stdlib.h>

#include "model/tokenizer_priv.h"

/* ---- names ---- */

/* A role, the key of its token, and the names it goes by where the key is missing. */
typedef struct Role {
    const char *key, *old_key;
    bool        ends;               /* ends a generation                           */
    const char *names[13];
} Role;

static const Role roles[] = {
    {"tokenizer.ggml.eot_token_id", NULL, true,
     {"<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>",
      "<EOT>", "_<EOT>", "[EOT]", "<｜end▁of▁sentence｜>", "<end_of_utterance>"}},
    {"tokenizer.ggml.eom_token_id", NULL, true, {"<|eom_id|>"}},
    {"tokenizer.ggml.fim_pre_token_id", "tokenizer.ggml.prefix_token_id", false,
     {"<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
      "<|code_prefix|>", "<|prefix|>"}},
    {"tokenizer.ggml.fim_suf_token_id", "tokenizer.ggml.suffix_token_id", false,
     {"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>",
      "<|code_suffix|>", "<|suffix|>"}},
    {"tokenizer.ggml.fim_mid_token_id", "tokenizer.ggml.middle_token_id", false,
     {"<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>",
      "<|code_middle|>", "<|middle|>"}},
    {"tokenizer.ggml.fim_pad_token_id", NULL, true,
     {"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}},
    {"tokenizer.ggml.fim_rep_token_id", NULL, true,
     {"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}},
    {"tokenizer.ggml.fim_sep_token_id", NULL, true, {"<|file_sep|>"}},
};

/* Names of tokens that end a generation in any vocabulary. */
static const char *const end_names[] = {
    "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>",
    "<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]",
    "<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>",
    "<｜end▁of▁sentence｜>", "[e~[",
};

/* Parts of answers of gpt-oss that readers of the text need to see. */
static const char *const shown_names[] = {
    "<|channel|>", "<|message|>", "<|start|>", "<|constrain|>",
};

static uint32_t find(const weft_model_tokenizer *t, const char *text)
{
    return tok_table_find(&t->by_text, text, (uint32_t)strlen(text));
}

static bool ends(const weft_model_tokenizer *t, const char *text)
{
    uint32_t token = find(t, text);
    return token != TOK_NONE && t->flags[token] & TOK_ENDS;
}

/* The token of a role, by key or by name; found by name it is a control token. */
static uint32_t role_token(weft_model_tokenizer *t, const weft_gguf *file, const Role *role)
{
    const char *keys[2] = {role->key, role->old_key};
    for (int i = 0; i < 2 && keys[i]; i++) {
        const weft_gguf_value *v = weft_gguf_value_find(file, keys[i]);
        if (v && v->kind == WEFT_GGUF_U32 && v->u < t->info.count)
            return (uint32_t)v->u;
    }
    for (size_t i = 0; i < COUNTOF(role->names) && role->names[i]; i++) {
        uint32_t token = find(t, role->names[i]);
        if (token != TOK_NONE) {
            t->flags[token] |= TOK_CONTROL;
            return token;
        }
    }
    return TOK_NONE;
}

static void load_ends(weft_model_tokenizer *t)
{
    for (size_t i = 0; i < COUNTOF(end_names); i++) {
        uint32_t token = find(t, end_names[i]);
        if (token != TOK_NONE)
            t->flags[token] |= TOK_CONTROL | TOK_ENDS;
    }
    for (size_t i = 0; i < COUNTOF(shown_names); i++) {
        uint32_t token = find(t, shown_names[i]);
        if (token != TOK_NONE)
            t->flags[token] = TOK_USER_DEFINED;
    }
    if (t->info.eos != WEFT_TOKEN_NONE)
        t->flags[t->info.eos] |= TOK_ENDS;
    /* Where answers end in other ways, <|end|> only ends a part of one. */
    if (ends(t, "<|end|>") && (ends(t, "<|call|>") || ends(t, "<|calls|>"))
        && (ends(t, "<|return|>") || ends(t, "<|flush|>")))
        t->flags[find(t, "<|end|>")] = TOK_USER_DEFINED;
    if (ends(t, "<|tool_response>") && ends(t, "</s>"))
        t->flags[find(t, "</s>")] = TOK_NORMAL;
}

/* ---- loading ---- */

static bool name_contains(const weft_gguf *file, const char *part)
{
    const weft_gguf_value *v = weft_gguf_value_find(file, "general.name");
    size_t                 size = strlen(part);
    for (size_t i = 0; v && v->kind == WEFT_GGUF_STRING && i + size <= v->size; i++) {
        size_t k = 0;
        while (k < size && tolower((uint8_t)v->text[i + k]) == part[k])
            k++;
        if (k == size)
            return true;
    }
    return false;
}

/* Phi-3 drops white space after its special tokens. No file says so. */
static void load_strips(weft_model_tokenizer *t, const weft_gguf *file)
{
    static const char *const not_these[] = {"<unk>", "<s>", "<|endoftext|>"};
    if (!name_contains(file, "phi-3") && !name_contains(file, "phi3"))
        return;
    for (uint32_t i = 0; i < t->nspecial; i++)
        t->flags[t->special[i]] |= TOK_RSTRIP;
    if (find(t, "</s>") != TOK_NONE)
        t->flags[find(t, "</s>")] |= TOK_RSTRIP;
    for (size_t i = 0; i < COUNTOF(not_these); i++)
        if (find(t, not_these[i]) != TOK_NONE)
            t->flags[find(t, not_these[i])] &= (uint16_t)~TOK_RSTRIP;
}

static int key_order(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Longest first; among equals the order of the vocabulary. */
static void load_list(weft_model_tokenizer *t)
{
    uint64_t *keys = ARENA_ARRAY(&t->arena, uint64_t, t->info.count);
    for (uint32_t i = 0; i < t->info.count; i++)
        if (t->flags[i] & (TOK_CONTROL | TOK_USER_DEFINED | TOK_UNKNOWN))
            keys[t->nspecial++] = (uint64_t)(UINT32_MAX - t->texts[i].len) << 32 | i;
    qsort(keys, t->nspecial, sizeof *keys, key_order);
    t->special = ARENA_ARRAY(&t->arena, uint32_t, t->nspecial);
    for (uint32_t i = 0; i < t->nspecial; i++)
        t->special[i] = (uint32_t)keys[i];
}

void tok_special_load(weft_model_tokenizer *t, const weft_gguf *file)
{
    weft_token *const places[] = {&t->info.eot, &t->info.eom};
    for (size_t i = 0; i < COUNTOF(roles); i++) {
        uint32_t token = role_token(t, file, &roles[i]);
        if (token != TOK_NONE && roles[i].ends)
            t->flags[token] |= TOK_ENDS;
        if (i < COUNTOF(places))
            *places[i] = token == TOK_NONE ? WEFT_TOKEN_NONE : (weft_token)token;
    }
    load_ends(t);
    load_list(t);
    load_strips(t, file);
}

/* ---- splitting ---- */

/* A fragment: text, or a token. */
typedef struct Part {
    uint32_t start, size, token;    /* token TOK_NONE: text                        */
    uint32_t next;                  /* TOK_NONE: the last                          */
} Part;

typedef struct Split {
    const weft_model_tokenizer *t;
    Arena      *arena;
    const char *text;
    VEC(Part)   parts;
} Split;

static uint32_t part_after(Split *s, uint32_t at, Part part)
{
    uint32_t index = s->parts.len;
    part.next = s->parts.data[at].next;
    TOK_PUSH(s->arena, &s->parts, part);
    s->parts.data[at].next = index;
    return index;
}

/* Where `token` is in the text from `at` to `end`; `end`: nowhere. */
static uint32_t occurrence(const Split *s, uint32_t token, uint32_t at, uint32_t end)
{
    Str name = s->t->texts[token];
    while (end - at >= name.len) {
        const char *from = s->text + at;
        const char *found = memchr(from, name.data[0], end - at - name.len + 1);
        if (!found)
            break;
        if (memcmp(found, name.data, name.len) == 0)
            return (uint32_t)(found - s->text);
        at = (uint32_t)(found - s->text) + 1;
    }
    return end;
}

/* Cuts the text part `at` at each occurrence of the token. Returns the last piece. */
static uint32_t cut_part(Split *s, uint32_t at, uint32_t token)
{
    Part     whole = s->parts.data[at];
    uint32_t start = whole.start, end = start + whole.size, size = s->t->texts[token].len;
    uint32_t found;
    while ((found = occurrence(s, token, start, end)) < end) {
        uint32_t left = found;
        while (s->t->flags[token] & TOK_LSTRIP && left > start
               && isspace((uint8_t)s->text[left - 1]))
            left--;
        s->parts.data[at].start = start;            /* the text before it, perhaps none */
        s->parts.data[at].size = left - start;
        at = part_after(s, at, (Part){.token = token});
        start = found + size;
        while (s->t->flags[token] & TOK_RSTRIP && start < end && isspace((uint8_t)s->text[start]))
            start++;
        at = part_after(s, at, (Part){.start = start, .size = end - start, .token = TOK_NONE});
    }
    return at;
}

/* Which special tokens are in the text at all: present[index into t->special]. One pass,
 * whatever their number. */
static bool find_present(const Split *s, uint32_t size, bool parse, bool *present)
{
    const weft_model_tokenizer *t = s->t;
    uint32_t *heads = ARENA_ARRAY(s->arena, uint32_t, 256);     /* first + 1 by first byte */
    uint32_t *chain = ARENA_ARRAY(s->arena, uint32_t, t->nspecial);
    bool      any = false;
    for (uint32_t i = t->nspecial; i-- > 0;) {
        uint32_t token = t->special[i];
        if (t->texts[token].len == 0 || (!parse && t->flags[token] & (TOK_CONTROL | TOK_UNKNOWN)))
            continue;
        uint32_t *head = &heads[(uint8_t)t->texts[token].data[0]];
        chain[i] = *head;
        *head = i + 1;
    }
    for (uint32_t at = 0; at < size; at++)
        for (uint32_t i = heads[(uint8_t)s->text[at]]; i; i = chain[i - 1]) {
            Str name = t->texts[t->special[i - 1]];
            if (!present[i - 1] && name.len <= size - at
                && memcmp(name.data, s->text + at, name.len) == 0)
                present[i - 1] = any = true;
        }
    return any;
}

void tok_special_split(const weft_model_tokenizer *t, Arena *scratch, const char *text,
                       uint32_t size, bool parse, TokFragment fragment, void *user)
{
    Split s = {.t = t, .arena = scratch, .text = text};
    bool *present = ARENA_ARRAY(scratch, bool, t->nspecial);
    Part  whole = {.start = 0, .size = size, .token = TOK_NONE, .next = TOK_NONE};
    if (size == 0)
        return;
    if (!find_present(&s, size, parse, present)) {
        fragment(user, text, size, TOK_NONE);
        return;
    }
    TOK_PUSH(scratch, &s.parts, whole);
    for (uint32_t i = 0; i < t->nspecial; i++) {
        if (!present[i])
            continue;
        for (uint32_t at = 0; at != TOK_NONE; at = s.parts.data[at].next)
            if (s.parts.data[at].token == TOK_NONE && s.parts.data[at].size)
                at = cut_part(&s, at, t->special[i]);
    }
    for (uint32_t at = 0; at != TOK_NONE; at = s.parts.data[at].next) {
        const Part *p = &s.parts.data[at];
        if (p->token != TOK_NONE || p->size)
            fragment(user, text + p->start, p->token != TOK_NONE ? 0 : p->size, p->token);
    }
}
