// SPDX-License-Identifier: Apache-2.0
/*
 * tok_table.c - arrays and hash tables of a tokenizer: texts to numbers, pairs to merges.
 *
 * in     keys, of which all but a few are known when the table is made
 * out    numbers
 * not    what the numbers mean
 */
#include "model/tokenizer_priv.h"

void *tok_grow(Arena *a, const void *data, uint32_t *cap, size_t item_size)
{
    uint32_t grown = *cap > UINT32_MAX / 2 ? UINT32_MAX : MAX_OF(16u, *cap * 2);
    void    *moved = arena_alloc_array(a, grown, item_size);
    if (*cap)
        memcpy(moved, data, *cap * item_size);
    *cap = grown;
    return moved;
}

/* A power of two, less one, of which `cap` is at most three quarters. */
static uint32_t mask_for(uint32_t cap)
{
    uint32_t mask = 15;
    while (mask < UINT32_MAX / 2 && mask / 4 * 3 < cap)
        mask = mask * 2 + 1;
    return mask;
}

static uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* Up to eight bytes as a number; of five to seven the middle ones count twice. */
static uint64_t load_short(const char *data, uint32_t size)
{
    uint32_t low, high;
    if (size >= 4) {
        memcpy(&low, data, 4);
        memcpy(&high, data + size - 4, 4);
        return (uint64_t)high << 32 | low;
    }
    if (size == 0)
        return 0;
    return (uint8_t)data[0] | (uint64_t)(uint8_t)data[size / 2] << 8
         | (uint64_t)(uint8_t)data[size - 1] << 16;
}

/* Eight bytes at a time; a short text is one step. */
static uint32_t hash_text(const char *data, uint32_t size)
{
    uint64_t h = size * 0x2545f4914f6cdd1du, word;
    for (; size > 8; data += 8, size -= 8) {
        memcpy(&word, data, 8);
        h = mix(h ^ word);
    }
    return (uint32_t)mix(h ^ load_short(data, size));
}

void tok_table_init(TokTable *t, Arena *a, uint32_t cap)
{
    t->arena = a;
    t->mask = mask_for(cap);
    t->slots = ARENA_ARRAY(a, TokSlot, (size_t)t->mask + 1);
}

/* The slot of a text, or the free one where it would be. */
static TokSlot *slot_of(const TokTable *t, const char *data, uint32_t size, uint32_t hash)
{
    uint32_t at = hash & t->mask;
    for (;; at = (at + 1) & t->mask) {
        TokSlot *slot = &t->slots[at];
        if (slot->index == 0)
            return slot;
        if (slot->hash != hash)
            continue;
        Str text = t->texts.data[slot->index - 1];
        if (text.len == size && memcmp(text.data, data, size) == 0)
            return slot;
    }
}

/* Twice as many slots. */
static void table_widen(TokTable *t)
{
    t->mask = mask_for(t->mask);
    t->slots = ARENA_ARRAY(t->arena, TokSlot, (size_t)t->mask + 1);
    for (uint32_t i = 0; i < t->texts.len; i++) {
        Str      text = t->texts.data[i];
        uint32_t hash = hash_text(text.data, text.len);
        *slot_of(t, text.data, text.len, hash) = (TokSlot){hash, i + 1};
    }
}

void tok_table_set(TokTable *t, Str text, uint32_t number)
{
    uint32_t hash = hash_text(text.data, text.len);
    TokSlot *slot = slot_of(t, text.data, text.len, hash);
    if (slot->index) {
        t->numbers.data[slot->index - 1] = number;
        return;
    }
    *slot = (TokSlot){hash, t->texts.len + 1};
    TOK_PUSH(t->arena, &t->texts, text);
    TOK_PUSH(t->arena, &t->numbers, number);
    if (t->texts.len > t->mask / 4 * 3)
        table_widen(t);
}

uint32_t tok_table_find(const TokTable *t, const char *data, uint32_t size)
{
    const TokSlot *slot = slot_of(t, data, size, hash_text(data, size));
    return slot->index ? t->numbers.data[slot->index - 1] : TOK_NONE;
}

/* ---- pairs ---- */

void tok_pairs_init(TokPairs *t, Arena *a, uint32_t cap)
{
    t->mask = mask_for(cap);
    t->slots = ARENA_ARRAY(a, TokPair, (size_t)t->mask + 1);
    for (size_t i = 0; i <= t->mask; i++)
        t->slots[i].left = TOK_NONE;
}

static TokPair *pair_slot(const TokPairs *t, uint32_t left, uint32_t right)
{
    uint32_t at = (uint32_t)mix((uint64_t)left << 32 | right) & t->mask;
    for (;; at = (at + 1) & t->mask) {
        TokPair *slot = &t->slots[at];
        if (slot->left == TOK_NONE || (slot->left == left && slot->right == right))
            return slot;
    }
}

void tok_pairs_add(TokPairs *t, TokPair pair)
{
    TokPair *slot = pair_slot(t, pair.left, pair.right);
    if (slot->left == TOK_NONE)
        *slot = pair;
}

const TokPair *tok_pairs_find(const TokPairs *t, uint32_t left, uint32_t right)
{
    const TokPair *slot = pair_slot(t, left, right);
    return slot->left == TOK_NONE ? NULL : slot;
}
