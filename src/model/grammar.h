// SPDX-License-Identifier: Apache-2.0
/*
 * grammar.h - grammars in GBNF, and matching of tokens against them.
 *
 * A Grammar is immutable once parsed: rules as sequences of elements, all in one array.
 * A Matcher follows one generated text. Its state is a set of stacks of element positions;
 * sets and their transitions by byte are kept in a cache, so that following a byte a second
 * time is one table lookup. A TokenTrie holds the bytes of a whole vocabulary; walking it
 * gives the mask of the tokens that may come next.
 *
 * Bounds     GRAMMAR_* below. A grammar or a text that exceeds one fails with a fault.
 * Threads    a Grammar and a TokenTrie may be shared; a Matcher belongs to one thread.
 */
#ifndef WEFT_MODEL_GRAMMAR_H
#define WEFT_MODEL_GRAMMAR_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "model/fault.h"

#define GRAMMAR_MAX_TEXT     (4u << 20)     /* bytes of GBNF                               */
#define GRAMMAR_MAX_ELEMENTS (1u << 20)     /* after repetitions are expanded              */
#define GRAMMAR_MAX_DEPTH    200u           /* nested parentheses                          */
#define GRAMMAR_MAX_REPEAT   2000u          /* of one item, nested repetitions multiplied  */
#ifdef WEFT_STRESS                          /* arrays that grow by one need more           */
#define GRAMMAR_MAX_CACHE    (1u << 30)
#else
#define GRAMMAR_MAX_CACHE    (64u << 20)    /* bytes of a matcher's states                 */
#endif
#define GRAMMAR_MAX_TOKEN    4096u          /* longer tokens never match                   */

typedef enum GrammarKind {
    GRAMMAR_END,                    /* of a rule                                           */
    GRAMMAR_ALT,                    /* of one alternative of a rule                        */
    GRAMMAR_RULE,                   /* value: index of the rule                            */
    GRAMMAR_CHAR,                   /* starts a character class; value: code point         */
    GRAMMAR_CHAR_NOT,               /* starts a negated class                              */
    GRAMMAR_CHAR_UPPER,             /* inclusive upper end of the preceding code point     */
    GRAMMAR_CHAR_OR,                /* one more code point of the class                    */
    GRAMMAR_CHAR_ANY,               /* any code point                                      */
    GRAMMAR_TOKEN,                  /* value: the one token that matches                   */
    GRAMMAR_TOKEN_NOT,              /* value: the one token that does not                  */
} GrammarKind;

typedef struct GrammarElement {
    GrammarKind kind;
    uint32_t    value;
} GrammarElement;

typedef struct GrammarRule {
    Str      name;                  /* generated ones: NAME_INDEX                          */
    uint32_t first, count;          /* elements, GRAMMAR_END included                      */
    bool     nullable;              /* matches the empty text                              */
} GrammarRule;

typedef struct Grammar {
    Arena           arena;
    GrammarElement *elements;
    uint32_t        element_count;
    GrammarRule    *rules;
    uint32_t        rule_count;
    uint32_t       *bounds;         /* sorted, from 0 on: no class of the grammar tells apart
                                       code points from one up to, not with, the next      */
    uint32_t        bound_count;
} Grammar;

/* Finds the token whose text is `text` ("<think>"); false if there is none. */
typedef bool (*GrammarFindToken)(void *user, Str text, uint32_t *token);

/* Parses GBNF. On failure *g is empty and needs no grammar_fini(). `find` may be NULL. */
bool grammar_parse(Grammar *g, Str text, GrammarFindToken find, void *user, Fault *fault);
void grammar_fini(Grammar *g);

/* The rule of that name, or UINT32_MAX. */
uint32_t grammar_find_rule(const Grammar *g, Str name);

/* ---- the vocabulary ---- */

typedef struct GrammarVocab {
    uint32_t count;
    Str    (*bytes)(void *user, uint32_t token);    /* valid as long as the trie           */
    bool   (*ends)(void *user, uint32_t token);     /* end of generation                   */
    void    *user;
} GrammarVocab;

typedef struct TrieNode {
    uint32_t skip;                  /* the node after this one's subtree                   */
    uint32_t tokens;                /* first of its tokens in TokenTrie.tokens             */
    uint16_t depth;                 /* of the byte, from 0                                 */
    uint8_t  byte;
} TrieNode;

/* All tokens, sorted by their bytes: nodes in preorder, one more at the end. */
typedef struct TokenTrie {
    TrieNode *nodes;
    uint32_t *tokens;
    uint32_t *ends;                 /* tokens that end the generation                      */
    uint32_t  node_count, end_count, token_count;
    uint32_t  max_depth;
} TokenTrie;

/* False if there is no memory for it. */
bool trie_init(TokenTrie *t, const GrammarVocab *vocab);
void trie_fini(TokenTrie *t);

/* The trie of a tokenizer's vocabulary: made once, kept with the tokenizer. NULL if there is
 * no memory for it. Tokens that print nothing of their own (control, unknown, unused) are
 * not in it. */
struct weft_model_tokenizer;
const TokenTrie *grammar_trie(struct weft_model_tokenizer *tokenizer);
void             grammar_trie_release(struct weft_model_tokenizer *tokenizer);

/* ---- matching ---- */

typedef struct MatchCache MatchCache;

typedef struct Matcher {
    const Grammar *grammar;
    uint32_t       root;
    Arena          arena;           /* the cache                                           */
    MatchCache    *cache;
    uint32_t       state;           /* in the cache; MATCH_DEAD: nothing matches any more  */
    uint32_t       start;           /* the first state; 0: it is no longer in the cache    */
    uint32_t       max_open;        /* stacks of one state          0: no limit            */
} Matcher;

/* Follows texts from the rule `root`. Fails if the grammar recurses on the left of a rule,
 * which no stack of finite depth could follow, or if it needs too many states. */
bool matcher_init(Matcher *m, const Grammar *g, uint32_t root, uint32_t max_open, Fault *fault);
void matcher_fini(Matcher *m);
/* A matcher in the same state. */
bool matcher_copy(Matcher *to, const Matcher *from, Fault *fault);

/* Back to the start of the text. */
bool matcher_reset(Matcher *m, Fault *fault);

/* Advances by one token. False if the token does not match (then nothing changes), or, with
 * a fault, if following it would exceed the cache. */
bool matcher_accept(Matcher *m, uint32_t token, Str bytes, Fault *fault);

/* Whether the text so far is complete. */
bool matcher_complete(const Matcher *m);
/* Whether the text so far can go on. */
bool matcher_alive(const Matcher *m);

/* Sets bit i of `bits` (count / 32 words, rounded up) for each token i that may come next.
 * False with a fault if the cache is exceeded. */
bool matcher_mask(Matcher *m, uint32_t *bits, const TokenTrie *t, Fault *fault);

#endif
