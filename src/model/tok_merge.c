// SPDX-License-Identifier: Apache-2.0
/*
 * tok_merge.c - merges neighbouring symbols of a word, the best pair first.
 *
 * in     symbols in a list, and what a pair joins into
 * out    the same list with fewer, longer symbols
 * knows  a heap of candidates; those that are out of date are dropped when they come up
 * not    vocabularies: SPM and BPE differ only in TokJoin
 *
 * Of n symbols there are at most 3n candidates, so that it takes O(n log n).
 */
#include "model/tokenizer_priv.h"

static bool before(const TokBigram *a, const TokBigram *b)
{
    return a->order != b->order ? a->order < b->order : a->left < b->left;
}

static void heap_push(TokRun *r, TokBigram item)
{
    TOK_PUSH(r->arena, &r->heap, item);
    TokBigram *h = r->heap.data;
    uint32_t   at = r->heap.len - 1;
    while (at > 0 && before(&item, &h[(at - 1) / 2])) {
        h[at] = h[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    h[at] = item;
}

static TokBigram heap_pop(TokRun *r)
{
    TokBigram *h = r->heap.data, top = h[0], last = h[--r->heap.len];
    uint32_t   len = r->heap.len, at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= len)
            break;
        if (child + 1 < len && before(&h[child + 1], &h[child]))
            child++;
        if (!before(&h[child], &last))
            break;
        h[at] = h[child];
        at = child;
    }
    h[at] = last;
    return top;
}

static void consider(TokRun *r, const char *text, TokJoin join, uint32_t left, uint32_t right)
{
    if (left == TOK_NONE || right == TOK_NONE)
        return;
    const TokSymbol *a = &r->symbols.data[left], *b = &r->symbols.data[right];
    TokBigram        pair = {.left = left, .right = right, .size = a->size + b->size};
    if (join(r, text, a, b, &pair))
        heap_push(r, pair);
}

void tok_merge(TokRun *r, const char *text, TokJoin join)
{
    r->heap.len = 0;
    for (uint32_t i = 1; i < r->symbols.len; i++)
        consider(r, text, join, i - 1, i);
    while (r->heap.len) {
        TokBigram  best = heap_pop(r);
        TokSymbol *left = &r->symbols.data[best.left], *right = &r->symbols.data[best.right];
        /* A symbol only grows, or vanishes: the size tells whether both are as they were. */
        if (left->size == 0 || right->size == 0 || left->size + right->size != best.size)
            continue;
        left->size = best.size;
        left->id = best.merged;
        left->next = right->next;
        right->size = 0;
        if (left->next != TOK_NONE)
            r->symbols.data[left->next].prev = best.left;
        consider(r, text, join, left->prev, best.left);
        consider(r, text, join, best.left, left->next);
    }
}

void tok_emit_word(TokRun *r, const char *text, uint32_t size, uint32_t token, TokWord merge)
{
    _Atomic(uint8_t) *whole = token == TOK_NONE ? NULL : &r->t->whole[token];
    if (whole && atomic_load_explicit(whole, memory_order_relaxed) == WHOLE_YES) {
        tok_emit(r, token);
        return;
    }
    size_t before = r->count;
    merge(r, text, size);
    /* Threads that find the same out at the same time write the same. */
    if (whole)
        atomic_store_explicit(whole, r->count == before + 1 && r->last == token
                                         ? WHOLE_YES : WHOLE_NO, memory_order_relaxed);
}
