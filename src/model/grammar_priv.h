// SPDX-License-Identifier: Apache-2.0
/*
 * grammar_priv.h - the states of a matcher, between grammar_match.c and grammar_mask.c.
 *
 * All of it is in the matcher's arena. When that is full, a new cache starts with the
 * current state alone.
 */
#ifndef WEFT_MODEL_GRAMMAR_PRIV_H
#define WEFT_MODEL_GRAMMAR_PRIV_H

#include "model/grammar.h"

#define MATCH_DEAD 1u               /* the state from which nothing matches                */

/* A stack: what to match next, and the stack below. Node 0 is the empty stack. */
typedef struct StackNode {
    uint32_t at;                    /* element                                             */
    uint32_t below;                 /* node                                                */
    uint32_t seen;                  /* round in which expand() met it                      */
} StackNode;

typedef struct NodeSet {
    const uint32_t *nodes;          /* sorted                                              */
    uint32_t        count;
} NodeSet;

typedef struct MatchState {
    uint32_t  set;
    uint32_t  value;                /* bits of an unfinished code point; with length 0, a code
                                       point that the grammar cannot tell from all that it
                                       may become                                          */
    uint8_t   left;                 /* bytes that it lacks                                 */
    uint8_t   length;               /* bytes that it has in all, or 0                      */
    uint32_t *next;                 /* [256] states by byte; 0: not known yet              */
} MatchState;

/* The state after a code point between two bounds of the grammar. */
typedef struct Jump {
    uint32_t set, bound, state;
} Jump;

typedef struct IdSlot {
    uint32_t hash, id;
} IdSlot;

typedef struct Ids {
    IdSlot  *slots;
    uint32_t size, used;            /* size is a power of two                              */
} Ids;

struct MatchCache {
    VEC(StackNode)  nodes;
    VEC(NodeSet)    sets;
    VEC(MatchState) states;
    VEC(Jump)       jumps;
    Ids             node_ids, set_ids, state_ids, jump_ids;
    VEC(uint32_t)   todo, found;    /* of expand()                                         */
    uint32_t        round;
    bool            exceeded;       /* a set had more than max_open stacks                 */
};

/* Fails if a rule can start with itself and something behind it: such a stack would grow
 * without an end. */
bool grammar_check_recursion(const Grammar *g, Arena *scratch, Fault *fault);

/* Makes the transition and remembers it. Under match_try(). */
uint32_t match_make_next(Matcher *m, uint32_t state, uint8_t byte);

static inline uint32_t match_next(Matcher *m, uint32_t state, uint8_t byte)
{
    uint32_t to = m->cache->states.data[state].next[byte];
    return to ? to : match_make_next(m, state, byte);
}

/* Runs work(context) with memory for new states; a full cache is renewed once, after which
 * the work starts again. */
bool match_try(Matcher *m, void (*work)(void *), void *context, Fault *fault);

#endif
