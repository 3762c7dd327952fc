// SPDX-License-Identifier: Apache-2.0
/*
 * grammar_mask.c - which tokens of a vocabulary may come next.
 *
 * in     the bytes of all tokens, once; a Matcher
 * out    a bit for each token
 * knows  the states of grammar_match.c
 * not    GBNF, sampling
 *
 * The tokens are a trie in preorder. A walk follows each common prefix once and leaves a
 * subtree at its first byte that does not match.
 */
#include "model/grammar_priv.h"

#include <stdlib.h>

/* ---- the trie ---- */

typedef struct TrieToken {
    Str      bytes;
    uint32_t id;
} TrieToken;

static int compare_tokens(const void *a, const void *b)
{
    const TrieToken *x = a, *y = b;
    uint32_t         len = MIN_OF(x->bytes.len, y->bytes.len);
    int              order = len ? memcmp(x->bytes.data, y->bytes.data, len) : 0;
    if (order == 0)
        order = (x->bytes.len > y->bytes.len) - (x->bytes.len < y->bytes.len);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* Tokens with bytes into `list`, those that end the generation into t->ends. The others
 * never match. */
static uint32_t collect(TokenTrie *t, TrieToken *list, const GrammarVocab *vocab, uint64_t *bytes)
{
    uint32_t count = 0;
    for (uint32_t id = 0; id < vocab->count; id++) {
        Str text = vocab->bytes(vocab->user, id);
        if (vocab->ends && vocab->ends(vocab->user, id)) {
            t->ends[t->end_count++] = id;
        } else if (text.len > 0 && text.len <= GRAMMAR_MAX_TOKEN) {
            list[count++] = (TrieToken){text, id};
            *bytes += text.len;
        }
    }
    return count;
}

static void close_nodes(TokenTrie *t, uint32_t *open, uint32_t *depth, uint32_t to)
{
    while (*depth > to)
        t->nodes[open[--*depth]].skip = t->node_count;
}

static void build(TokenTrie *t, const TrieToken *list, uint32_t count, uint32_t *open)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < count; i++) {
        Str      s = list[i].bytes;
        uint32_t same = 0;
        while (i > 0 && same < s.len && same < list[i - 1].bytes.len &&
               s.data[same] == list[i - 1].bytes.data[same])
            same++;
        close_nodes(t, open, &depth, same);
        for (; depth < s.len; depth++) {
            open[depth] = t->node_count;
            t->nodes[t->node_count++] = (TrieNode){.tokens = i, .depth = (uint16_t)depth,
                                                   .byte = (uint8_t)s.data[depth]};
        }
        t->tokens[i] = list[i].id;
        t->max_depth = MAX_OF(t->max_depth, s.len);
    }
    close_nodes(t, open, &depth, 0);
    t->nodes[t->node_count] = (TrieNode){.skip = t->node_count, .tokens = count};
}

bool trie_init(TokenTrie *t, const GrammarVocab *vocab)
{
    *t = (TokenTrie){.token_count = vocab->count};
    uint64_t   bytes = 0;
    bool       ok = false;
    TrieToken *list = calloc(vocab->count + (size_t)1, sizeof *list);
    uint32_t  *open = calloc(GRAMMAR_MAX_TOKEN, sizeof *open);

    t->ends = calloc(vocab->count + (size_t)1, sizeof *t->ends);
    t->tokens = calloc(vocab->count + (size_t)1, sizeof *t->tokens);
    if (!list || !open || !t->ends || !t->tokens)
        goto done;
    uint32_t count = collect(t, list, vocab, &bytes);
    if (bytes >= UINT32_MAX)
        goto done;
    t->nodes = calloc((size_t)bytes + 1, sizeof *t->nodes);
    if (!t->nodes)
        goto done;
    qsort(list, count, sizeof *list, compare_tokens);
    build(t, list, count, open);
    ok = true;
done:
    if (!ok)
        trie_fini(t);
    free(list);
    free(open);
    return ok;
}

void trie_fini(TokenTrie *t)
{
    free(t->nodes);
    free(t->tokens);
    free(t->ends);
    *t = (TokenTrie){0};
}

/* ---- the mask ---- */

typedef struct Walk {
    Matcher         *m;
    const TokenTrie *t;
    uint32_t        *bits;
} Walk;

static void set_bit(uint32_t *bits, uint32_t i)
{
    bits[i / 32] |= 1u << i % 32;
}

static void walk_trie(Walk *w)
{
    const TrieNode   *nodes = w->t->nodes;
    const uint32_t   *tokens = w->t->tokens;
    const MatchState *states = w->m->cache->states.data;
    uint32_t          path[GRAMMAR_MAX_TOKEN + 1];      /* states by depth                 */
    path[0] = w->m->state;
    for (uint32_t i = 0, count = w->t->node_count; i < count;) {
        const TrieNode *node = &nodes[i];
        uint32_t        to = states[path[node->depth]].next[node->byte];
        if (to == 0) {
            to = match_make_next(w->m, path[node->depth], node->byte);
            states = w->m->cache->states.data;          /* it may have moved               */
        }
        if (to == MATCH_DEAD) {
            i = node->skip;
            continue;
        }
        path[node->depth + 1] = to;
        for (uint32_t k = node->tokens, end = node[1].tokens; k < end; k++)
            set_bit(w->bits, tokens[k]);
        i++;
    }
}

/* Elements that name tokens: only where a token starts, and never an end of generation. */
static void walk_tokens(Walk *w)
{
    const MatchCache *c = w->m->cache;
    MatchState        now = c->states.data[w->m->state];
    NodeSet           set = c->sets.data[now.set];
    for (uint32_t i = 0; i < set.count && now.left == 0; i++) {
        if (set.nodes[i] == 0)
            continue;
        GrammarElement e = w->m->grammar->elements[c->nodes.data[set.nodes[i]].at];
        if (e.kind == GRAMMAR_TOKEN && e.value < w->t->token_count)
            set_bit(w->bits, e.value);
        if (e.kind != GRAMMAR_TOKEN_NOT)
            continue;
        for (uint32_t k = 0; k < w->t->nodes[w->t->node_count].tokens; k++)
            if (w->t->tokens[k] != e.value)
                set_bit(w->bits, w->t->tokens[k]);
    }
}

static void walk(void *context)
{
    Walk *w = context;
    memset(w->bits, 0, (w->t->token_count + (size_t)31) / 32 * sizeof *w->bits);
    walk_trie(w);
    walk_tokens(w);
}

bool matcher_mask(Matcher *m, uint32_t *bits, const TokenTrie *t, Fault *fault)
{
    memset(bits, 0, (t->token_count + (size_t)31) / 32 * sizeof *bits);
    if (!matcher_alive(m))
        return true;
    if (!match_try(m, walk, &(Walk){m, t, bits}, fault))
        return false;
    if (matcher_complete(m))
        for (uint32_t i = 0; i < t->end_count; i++)
            set_bit(bits, t->ends[i]);
    return true;
}
