// SPDX-License-Identifier: Apache-2.0
/*
 * tokenizer_priv.h - the insides of a tokenizer.
 *
 *   tokenizer.c     the public object
 *   tok_load.c      a vocabulary out of a GGUF file       tok_special.c   special tokens
 *   tok_table.c     texts to tokens, pairs to merges
 *   tok_merge.c     merging symbols, best pair first (SPM and BPE)
 *   tok_spm.c tok_bpe.c tok_wpm.c    one kind of vocabulary each
 *   tok_pre.c       how BPE cuts a text into words        tok_text.c   tokens to text
 */
#ifndef WEFT_MODEL_TOKENIZER_PRIV_H
#define WEFT_MODEL_TOKENIZER_PRIV_H

#include <stdatomic.h>

#include <weft/model.h>

#include "base/arena.h"
#include "base/str.h"

/* ---- arrays ---- */

/* As VEC_PUSH and vec_grow(), but doubled in hostile builds, too: vocabularies have too
 * many tokens to move at each of them. */
#define TOK_PUSH(a, v, item)                                                    \
    do {                                                                        \
        if ((v)->len == (v)->cap)                                               \
            (v)->data = tok_grow((a), (v)->data, &(v)->cap, sizeof *(v)->data); \
        (v)->data[(v)->len++] = (item);                                         \
    } while (0)

void *tok_grow(Arena *a, const void *data, uint32_t *cap, size_t item_size);

/* ---- tables ---- */

typedef struct TokSlot {
    uint32_t hash, index;           /* index into `texts` + 1; 0: free             */
} TokSlot;

/* Texts to numbers. The texts belong to others. */
typedef struct TokTable {
    Arena    *arena;
    TokSlot  *slots;                /* [mask + 1]                                  */
    uint32_t  mask;
    VEC(Str)      texts;
    VEC(uint32_t) numbers;          /* of each text                                */
} TokTable;

#define TOK_NONE UINT32_MAX

/* Room for `cap` texts at first. */
void     tok_table_init(TokTable *t, Arena *a, uint32_t cap);
/* Sets the number of a text; a text that is there already gets the new number. */
void     tok_table_set(TokTable *t, Str text, uint32_t number);
uint32_t tok_table_find(const TokTable *t, const char *data, uint32_t size);

/* Pairs of symbols to merges. */
typedef struct TokPair {
    uint32_t left, right;           /* left TOK_NONE: free                         */
    uint32_t rank, merged;
} TokPair;

typedef struct TokPairs {
    TokPair *slots;                 /* [mask + 1]                                  */
    uint32_t mask;
} TokPairs;

void tok_pairs_init(TokPairs *t, Arena *a, uint32_t cap);
/* Adds a pair unless it is there. */
void tok_pairs_add(TokPairs *t, TokPair pair);
const TokPair *tok_pairs_find(const TokPairs *t, uint32_t left, uint32_t right);

/* ---- the object ---- */

enum {
    TOK_NORMAL = 1,
    TOK_UNKNOWN = 2,
    TOK_CONTROL = 4,
    TOK_USER_DEFINED = 8,
    TOK_UNUSED = 16,
    TOK_BYTE = 32,
    TOK_ENDS = 64,                  /* ends a generation                           */
    TOK_LSTRIP = 128, TOK_RSTRIP = 256,  /* white space beside it goes             */
};

typedef enum TokWhole { WHOLE_UNKNOWN, WHOLE_YES, WHOLE_NO } TokWhole;

typedef struct TokPre TokPre;

struct weft_model_tokenizer {
    atomic_uint   refs;
    weft_context *ctx;
    Arena         arena;            /* of everything below                         */
    weft_model_tokenizer_info info;
    Str          *texts;            /* [count] as in the file                      */
    Str          *pieces;           /* [count] what a token prints, its name if it
                                       is a control token                          */
    float        *scores;           /* [count]                                     */
    uint16_t     *flags;            /* [count] TOK_*                               */
    _Atomic(uint8_t) *whole;        /* [count] TokWhole: is a word of just its text
                                       this one token? Found out as words come     */
    uint32_t      longest;          /* bytes of the longest text                   */
    TokTable      by_text;          /* texts to tokens                             */
    uint32_t     *special;          /* [nspecial] tokens that are found in texts
                                       before all else, longest first              */
    uint32_t      nspecial;
    uint32_t      bytes[256];       /* token, or symbol (BPE), of a byte; TOK_NONE */
    /* SPM */
    uint64_t     *adjacent;         /* Bloom filter: pairs of characters within tokens */
    uint32_t      adjacent_mask;
    /* BPE */
    const TokPre *pre;
    uint8_t       pre_members[128]; /* of tok_pre_members()                        */
    TokTable      by_bytes;         /* bytes to symbols: tokens, then others       */
    TokPairs      merges;
    bool          ignore_merges;
    /* WPM */
    bool          lowercase, strip_accents;
    /* grammars */
    _Atomic(struct TokenTrie *) trie;   /* of all pieces, made when it is first needed */
};

/* ---- while a text is tokenized ---- */

/* A symbol of a word: bytes, and its neighbours. */
typedef struct TokSymbol {
    uint32_t start, size;           /* size 0: merged into its left neighbour      */
    uint32_t prev, next;            /* TOK_NONE: none                              */
    uint32_t id;                    /* token or symbol; TOK_NONE: neither          */
} TokSymbol;

/* A pair that could be merged. The best has the least (order, left). */
typedef struct TokBigram {
    uint32_t order, left, right, size, merged;
} TokBigram;

typedef struct TokRun TokRun;
struct TokRun {
    const weft_model_tokenizer *t;
    Arena      *arena;              /* scratch                                     */
    weft_token *out;                /* [room]                                      */
    size_t      room, count;        /* count may exceed room                       */
    uint32_t    last;               /* token that was emitted                      */
    VEC(TokSymbol) symbols;
    VEC(TokBigram) heap;
    VEC(char)      text;            /* a copy that was changed                     */
};

static inline void tok_emit(TokRun *r, uint32_t token)
{
    if (r->count < r->room)
        r->out[r->count] = (weft_token)token;
    r->count++;
    r->last = token;
}

/* What the pair of neighbours `left`, `right` of a word merges into: fills order and
 * merged; false if it does not. */
typedef bool (*TokJoin)(const TokRun *r, const char *text, const TokSymbol *left,
                        const TokSymbol *right, TokBigram *out);

/* Merges r->symbols, which are linked, until no pair joins. */
void tok_merge(TokRun *r, const char *text, TokJoin join);

/* Emits the tokens of a word, whose whole text is `token` or nothing (TOK_NONE); `merge`
 * finds them where that is not known yet to be the only one. */
typedef void (*TokWord)(TokRun *r, const char *text, uint32_t size);
void tok_emit_word(TokRun *r, const char *text, uint32_t size, uint32_t token, TokWord merge);

/* The tokens of a fragment without special tokens. */
void tok_spm(TokRun *r, const char *text, uint32_t size, bool space_before);
void tok_bpe(TokRun *r, const char *text, uint32_t size);
void tok_wpm(TokRun *r, const char *text, uint32_t size);

/* Cuts valid UTF-8 into words. `members` is from tok_pre_members(). */
typedef struct TokCut {
    const TokPre  *pre;
    const uint8_t *members;
    const char    *text;
    void         (*word)(void *user, const char *text, uint32_t size);
    void          *user;
} TokCut;
void tok_pre_cut(const TokCut *c, uint32_t size);
/* Which ASCII characters each stage looks for: bit `stage` of members[c]. */
void tok_pre_members(const TokPre *pre, uint8_t members[128]);
/* By the name in a file; NULL: unknown. */
const TokPre *tok_pre_find(const char *name);
bool tok_pre_ignores_merges(const TokPre *pre);
bool tok_pre_adds_bos(const TokPre *pre);

/* Cuts a text at special tokens. With a token, `size` is 0. */
typedef void (*TokFragment)(void *user, const char *text, uint32_t size, uint32_t token);
void tok_special_split(const weft_model_tokenizer *t, Arena *scratch, const char *text,
                       uint32_t size, bool parse, TokFragment fragment, void *user);

/* Fills a tokenizer from a file; false after an error. Under arena_try(). */
bool tok_load(weft_model_tokenizer *t, const weft_gguf *file);
bool tok_spm_load(weft_model_tokenizer *t);
bool tok_bpe_load(weft_model_tokenizer *t, const weft_gguf *file);
/* Marks special tokens, ends of generation, and strips. */
void tok_special_load(weft_model_tokenizer *t, const weft_gguf *file);
/* The byte that a character of byte-level BPE stands for; -1: none. */
int tok_byte_of(uint32_t c);
/* Writes the bytes of a byte-level text, at most text.len; returns their number, -1 if it
 * holds other characters. */
int64_t tok_decode_bytes(char *out, Str text);

/* What a token prints; control and unknown tokens print their name. Never NULL. */
static inline Str tokenizer_piece(const weft_model_tokenizer *t, weft_token token)
{
    return (uint32_t)token < t->info.count ? t->pieces[token] : (Str){"", 0};
}

#endif
