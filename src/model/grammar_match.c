// SPDX-License-Identifier: Apache-2.0
/*
 * grammar_match.c - follows a text through a grammar, byte by byte.
 *
 * in     a Grammar, the bytes of tokens
 * out    whether they match; the states that grammar_mask.c walks
 * knows  UTF-8 that is cut anywhere
 * not    vocabularies, sampling, left recursion (grammar_check.c)
 *
 * A stack is a node: the element to match next, and the stack below it. Equal stacks are one
 * node, equal sets of stacks are one set, a set with the bytes of an unfinished code point is
 * one state. States and their transitions are made on demand, like those of a lazy DFA.
 */
#include "model/grammar_priv.h"

#include <stdlib.h>

#define NO_NODE 0u                  /* the empty stack: the text is complete               */

/* ---- hash tables of ids ---- */

static uint32_t mix(uint32_t h, uint32_t v)
{
    h = (h ^ v) * 0x9e3779b1u;
    return h ^ h >> 15;
}

static void ids_put(Ids *t, uint32_t hash, uint32_t id)
{
    uint32_t slot = hash & (t->size - 1);
    while (t->slots[slot].id)
        slot = (slot + 1) & (t->size - 1);
    t->slots[slot] = (IdSlot){hash, id};
    t->used++;
}

static void ids_add(Arena *a, Ids *t, uint32_t hash, uint32_t id)
{
    if ((t->used + 1) * 2 > t->size) {
        Ids bigger = {.size = t->size ? t->size * 2 : 64};
        bigger.slots = ARENA_ARRAY(a, IdSlot, bigger.size);
        for (uint32_t i = 0; i < t->size; i++)
            if (t->slots[i].id)
                ids_put(&bigger, t->slots[i].hash, t->slots[i].id);
        *t = bigger;
    }
    ids_put(t, hash, id);
}

/* Walks the ids of a hash: *slot starts at the hash. 0 ends the walk. */
static uint32_t ids_next(const Ids *t, uint32_t hash, uint32_t *slot)
{
    while (t->size) {
        IdSlot s = t->slots[(*slot)++ & (t->size - 1)];
        if (s.id == 0)
            return 0;
        if (s.hash == hash)
            return s.id;
    }
    return 0;
}

/* ---- nodes, sets, states ---- */

static uint32_t node_get(Matcher *m, uint32_t at, uint32_t below)
{
    MatchCache *c = m->cache;
    uint32_t    hash = mix(mix(17, at), below);
    uint32_t    slot = hash;
    for (uint32_t id; (id = ids_next(&c->node_ids, hash, &slot)) != 0;)
        if (c->nodes.data[id].at == at && c->nodes.data[id].below == below)
            return id;
    uint32_t id = c->nodes.len;
    VEC_PUSH(&m->arena, &c->nodes, ((StackNode){at, below, 0}));
    ids_add(&m->arena, &c->node_ids, hash, id);
    return id;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The set of the nodes in c->found; 0 is the empty set. */
static uint32_t set_get(Matcher *m)
{
    MatchCache *c = m->cache;
    uint32_t    count = c->found.len, hash = mix(23, count);
    if (m->max_open && count > m->max_open) {
        c->exceeded = true;
        return 0;
    }
    if (count == 0)
        return 0;
    qsort(c->found.data, count, sizeof *c->found.data, compare_ids);
    for (uint32_t i = 0; i < count; i++)
        hash = mix(hash, c->found.data[i]);
    uint32_t slot = hash;
    for (uint32_t id; (id = ids_next(&c->set_ids, hash, &slot)) != 0;) {
        NodeSet s = c->sets.data[id];
        if (s.count == count && memcmp(s.nodes, c->found.data, count * sizeof *s.nodes) == 0)
            return id;
    }
    NodeSet s = {arena_copy(&m->arena, c->found.data, count * sizeof *s.nodes), count};
    uint32_t id = c->sets.len;
    VEC_PUSH(&m->arena, &c->sets, s);
    ids_add(&m->arena, &c->set_ids, hash, id);
    return id;
}

static uint32_t state_get(Matcher *m, MatchState key)
{
    MatchCache *c = m->cache;
    if (key.set == 0)
        return MATCH_DEAD;
    uint32_t hash = mix(mix(mix(29, key.set), key.value), key.left * 8u + key.length);
    uint32_t slot = hash;
    for (uint32_t id; (id = ids_next(&c->state_ids, hash, &slot)) != 0;) {
        const MatchState *s = &c->states.data[id];
        if (s->set == key.set && s->value == key.value && s->left == key.left &&
            s->length == key.length)
            return id;
    }
    key.next = ARENA_ARRAY(&m->arena, uint32_t, 256);
    uint32_t id = c->states.len;
    VEC_PUSH(&m->arena, &c->states, key);
    ids_add(&m->arena, &c->state_ids, hash, id);
    return id;
}

/* ---- expansion of rules ---- */

static bool is_last(const Grammar *g, uint32_t at)
{
    return g->elements[at].kind == GRAMMAR_END || g->elements[at].kind == GRAMMAR_ALT;
}

/* The stack that goes on at `at`, above `below`. */
static uint32_t stack_at(Matcher *m, uint32_t at, uint32_t below)
{
    return is_last(m->grammar, at) ? below : node_get(m, at, below);
}

static void found_add(Matcher *m, uint32_t node)
{
    MatchCache *c = m->cache;
    if (c->nodes.data[node].seen != c->round) {
        c->nodes.data[node].seen = c->round;
        VEC_PUSH(&m->arena, &c->todo, node);
    }
}

/* A rule at the top of a stack is replaced by the start of each of its alternatives. */
static void expand_rule(Matcher *m, StackNode node)
{
    const Grammar     *g = m->grammar;
    const GrammarRule *rule = &g->rules[g->elements[node.at].value];
    uint32_t           below = stack_at(m, node.at + 1, node.below);
    bool               starts = true;
    for (uint32_t i = rule->first; i < rule->first + rule->count; i++) {
        if (starts)
            found_add(m, stack_at(m, i, below));
        starts = g->elements[i].kind == GRAMMAR_ALT;
    }
}

/* Adds to c->found the stacks that `node` may become, each with a terminal on top. */
static void expand(Matcher *m, uint32_t node)
{
    MatchCache *c = m->cache;
    found_add(m, node);
    while (c->todo.len > 0) {
        uint32_t  id = c->todo.data[--c->todo.len];
        StackNode n = c->nodes.data[id];
        if (id != NO_NODE && m->grammar->elements[n.at].kind == GRAMMAR_RULE)
            expand_rule(m, n);
        else
            VEC_PUSH(&m->arena, &c->found, id);
    }
}

static void expand_begin(Matcher *m)
{
    m->cache->found.len = 0;
    m->cache->round++;
}

/* ---- characters ---- */

/* The element after the character class at `at`. */
static uint32_t class_end(const Grammar *g, uint32_t at)
{
    do
        at++;
    while (g->elements[at].kind == GRAMMAR_CHAR_OR || g->elements[at].kind == GRAMMAR_CHAR_UPPER);
    return at;
}

/* The largest code point up to which the class covers everything from `c`; c - 1 if it does
 * not have c. */
static uint64_t class_covers(const Grammar *g, uint32_t at, uint64_t c)
{
    uint32_t end = class_end(g, at);
    uint64_t upto = c;              /* one above                                           */
    for (uint32_t i = at; i < end; i++) {
        const GrammarElement *e = &g->elements[i];
        if (e->kind == GRAMMAR_CHAR_UPPER)
            continue;
        uint64_t low = e->value, high = e[1].kind == GRAMMAR_CHAR_UPPER ? e[1].value : low;
        if (low <= c && c <= high && high + 1 > upto)
            upto = high + 1;
    }
    return upto - 1;
}

static bool class_overlaps(const Grammar *g, uint32_t at, uint32_t low, uint32_t high)
{
    uint32_t end = class_end(g, at);
    for (uint32_t i = at; i < end; i++) {
        const GrammarElement *e = &g->elements[i];
        if (e->kind == GRAMMAR_CHAR_UPPER)
            continue;
        uint32_t upper = e[1].kind == GRAMMAR_CHAR_UPPER ? e[1].value : e->value;
        if (e->value <= high && low <= upper)
            return true;
    }
    return false;
}

/* Whether the element at `at` matches some code point from `low` to `high`. */
static bool matches(const Grammar *g, uint32_t at, uint32_t low, uint32_t high)
{
    switch (g->elements[at].kind) {
    case GRAMMAR_CHAR_ANY:
        return true;
    case GRAMMAR_CHAR:
        return class_overlaps(g, at, low, high);
    case GRAMMAR_CHAR_NOT: {
        /* Each round passes at least one range of the class, or ends. */
        uint64_t c = low;
        for (uint64_t upto; c <= high && (upto = class_covers(g, at, c)) + 1 > c;)
            c = upto + 1;
        return c <= high;
    }
    default:
        return false;               /* a token: no character matches                       */
    }
}

/* ---- transitions ---- */

/* The set after the code point `c`. */
static uint32_t set_after(Matcher *m, uint32_t set, uint32_t c)
{
    NodeSet s = m->cache->sets.data[set];
    expand_begin(m);
    for (uint32_t i = 0; i < s.count; i++) {
        StackNode n = m->cache->nodes.data[s.nodes[i]];
        if (s.nodes[i] != NO_NODE && matches(m->grammar, n.at, c, c))
            expand(m, stack_at(m, class_end(m->grammar, n.at), n.below));
    }
    return set_get(m);
}

/* The bound at or before a code point. */
static uint32_t bound_of(const Grammar *g, uint32_t c)
{
    uint32_t low = 0, high = g->bound_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (g->bounds[middle] <= c)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The state after the code point `c`: computed once for all between the same bounds. */
static uint32_t state_after(Matcher *m, uint32_t set, uint32_t c)
{
    MatchCache *cache = m->cache;
    uint32_t    bound = bound_of(m->grammar, c), hash = mix(mix(31, set), bound), slot = hash;
    for (uint32_t id; (id = ids_next(&cache->jump_ids, hash, &slot)) != 0;)
        if (cache->jumps.data[id].set == set && cache->jumps.data[id].bound == bound)
            return cache->jumps.data[id].state;
    uint32_t to = state_get(m, (MatchState){.set = set_after(m, set, c)});
    uint32_t id = cache->jumps.len;
    VEC_PUSH(&m->arena, &cache->jumps, ((Jump){set, bound, to}));
    ids_add(&m->arena, &cache->jump_ids, hash, id);
    return to;
}

/* The code points that the unfinished sequence may still become. *whole if all completions
 * of the sequence are valid. */
static bool partial_range(MatchState s, uint32_t *low, uint32_t *high, bool *whole)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t first = s.value << s.left * 6, last = first | ((1u << s.left * 6) - 1);
    *low = first < least[s.length] ? least[s.length] : first;
    *high = last > 0x10ffff ? 0x10ffff : last;
    *whole = *low == first && *high == last && (last < 0xd800 || first > 0xdfff);
    if (*low >= 0xd800 && *high <= 0xdfff)
        return false;               /* surrogates                                          */
    return *low <= *high;
}

static bool any_matches(const Matcher *m, uint32_t set_id, uint32_t low, uint32_t high)
{
    NodeSet set = m->cache->sets.data[set_id];
    for (uint32_t i = 0; i < set.count; i++)
        if (set.nodes[i] != NO_NODE &&
            matches(m->grammar, m->cache->nodes.data[set.nodes[i]].at, low, high))
            return true;
    return false;
}

/* Code points that all lie between two bounds share one state, so that most scripts need
 * no states of their own. */
static uint32_t state_partial(Matcher *m, MatchState s)
{
    uint32_t low, high;
    bool     whole = true;
    if (s.length == 0) {
        if (s.left == 0)
            return state_after(m, s.set, s.value);
        return state_get(m, s);
    }
    if (!partial_range(s, &low, &high, &whole))
        return MATCH_DEAD;
    if (s.left == 0)
        return state_after(m, s.set, low);
    if (!any_matches(m, s.set, low, high))
        return MATCH_DEAD;
    if (whole && bound_of(m->grammar, low) == bound_of(m->grammar, high)) {
        s.value = m->grammar->bounds[bound_of(m->grammar, low)];
        s.length = 0;
    }
    return state_get(m, s);
}

uint32_t match_make_next(Matcher *m, uint32_t state, uint8_t byte)
{
    MatchState s = m->cache->states.data[state];
    uint32_t   to = MATCH_DEAD;
    if (s.left > 0) {
        if ((byte & 0xc0) == 0x80) {
            if (s.length > 0)
                s.value = s.value << 6 | (byte & 0x3fu);
            s.left--;
            to = state_partial(m, s);
        }
    } else if (byte < 0x80) {
        to = state_after(m, s.set, byte);
    } else if (byte >= 0xc2 && byte <= 0xf4) {
        s.length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
        s.left = (uint8_t)(s.length - 1);
        s.value = byte & (0xffu >> (s.length + 1));
        to = state_partial(m, s);
    }
    m->cache->states.data[state].next[byte] = to;
    return to;
}

/* ---- the matcher ---- */

typedef struct Start {
    Matcher *m;
    Fault   *fault;
    bool     check;                 /* for left recursion                                  */
} Start;

static void cache_new(Matcher *m)
{
    MatchCache *c = ARENA_NEW(&m->arena, MatchCache);
    m->cache = c;
    VEC_PUSH(&m->arena, &c->nodes, ((StackNode){0}));
    VEC_PUSH(&m->arena, &c->sets, ((NodeSet){0}));
    VEC_PUSH(&m->arena, &c->jumps, ((Jump){0}));
    VEC_PUSH(&m->arena, &c->states, ((MatchState){0}));     /* 0: not made yet             */
    VEC_PUSH(&m->arena, &c->states, ((MatchState){0}));     /* 1: MATCH_DEAD               */
}

static void start(void *context)
{
    Start         *s = context;
    Matcher       *m = s->m;
    const Grammar *g = m->grammar;
    if (s->check && !grammar_check_recursion(g, &m->arena, s->fault))
        return;
    cache_new(m);
    expand_begin(m);
    const GrammarRule *root = &g->rules[m->root];
    bool               starts = true;
    for (uint32_t i = root->first; i < root->first + root->count; i++) {
        if (starts)
            expand(m, stack_at(m, i, NO_NODE));
        starts = g->elements[i].kind == GRAMMAR_ALT;
    }
    m->state = m->start = state_get(m, (MatchState){.set = set_get(m)});
}

static bool too_many_states(Fault *fault)
{
    return fault_set(fault, FAULT_LIMIT,
                     "grammar: following the text needs more than %u MiB of states",
                     GRAMMAR_MAX_CACHE >> 20);
}

static bool too_many_open(const Matcher *m, Fault *fault)
{
    return fault_set(fault, FAULT_LIMIT, "grammar: the text can be continued in more than %u ways",
                     m->max_open);
}

static bool begin(Matcher *m, bool check, Fault *fault)
{
    Fault local = {0};
    Start s = {m, &local, check};
    arena_fini(&m->arena);
    arena_init(&m->arena, GRAMMAR_MAX_CACHE);
    m->cache = NULL;
    m->state = MATCH_DEAD;
    if (!arena_try(&m->arena, start, &s))
        too_many_states(&local);
    else if (m->cache && m->cache->exceeded)
        too_many_open(m, &local);
    if (local.kind != FAULT_NONE) {
        fault_set(fault, local.kind, "%s", local.text);
        matcher_fini(m);
    }
    return local.kind == FAULT_NONE;
}

bool matcher_init(Matcher *m, const Grammar *g, uint32_t root, uint32_t max_open, Fault *fault)
{
    *m = (Matcher){.grammar = g, .root = root, .state = MATCH_DEAD, .max_open = max_open};
    BUG_IF(root >= g->rule_count, "rule %u of %u", root, g->rule_count);
    return begin(m, true, fault);
}

bool matcher_reset(Matcher *m, Fault *fault)
{
    if (m->cache && m->start) {
        m->state = m->start;
        return true;
    }
    return begin(m, false, fault);
}

void matcher_fini(Matcher *m)
{
    arena_fini(&m->arena);
    m->cache = NULL;
    m->state = MATCH_DEAD;
    m->start = 0;
}

/* ---- a cache that is full ---- */

typedef struct Move {
    Matcher       *to;
    const Matcher *from;
} Move;

/* The same stack in the new cache. Stacks are copied from the bottom: the way down is kept
 * in c->todo. */
static uint32_t move_stack(Matcher *to, const MatchCache *from, uint32_t node)
{
    MatchCache *c = to->cache;
    uint32_t    below = NO_NODE;
    for (c->todo.len = 0; node != NO_NODE; node = from->nodes.data[node].below)
        VEC_PUSH(&to->arena, &c->todo, node);
    while (c->todo.len > 0)
        below = node_get(to, from->nodes.data[c->todo.data[--c->todo.len]].at, below);
    return below;
}

static void move_state(void *context)
{
    Move             *v = context;
    const MatchCache *old = v->from->cache;
    MatchState        s = old->states.data[v->from->state];
    NodeSet           set = old->sets.data[s.set];

    cache_new(v->to);
    for (uint32_t i = 0; i < set.count; i++) {
        uint32_t node = move_stack(v->to, old, set.nodes[i]);
        VEC_PUSH(&v->to->arena, &v->to->cache->found, node);
    }
    s.set = set_get(v->to);
    v->to->state = state_get(v->to, s);
}

bool matcher_copy(Matcher *to, const Matcher *from, Fault *fault)
{
    *to = (Matcher){.grammar = from->grammar, .root = from->root, .state = MATCH_DEAD,
                    .max_open = from->max_open};
    if (!matcher_alive(from))
        return true;
    arena_init(&to->arena, GRAMMAR_MAX_CACHE);
    if (arena_try(&to->arena, move_state, &(Move){to, from}))
        return true;
    matcher_fini(to);
    return too_many_states(fault);
}

/* Starts a new cache that has the current state alone. */
static bool renew(Matcher *m, Fault *fault)
{
    Matcher fresh;
    if (!matcher_copy(&fresh, m, fault))
        return false;
    matcher_fini(m);
    *m = fresh;
    return true;
}

bool match_try(Matcher *m, void (*work)(void *), void *context, Fault *fault)
{
    if (!arena_try(&m->arena, work, context) &&
        (!renew(m, fault) || !arena_try(&m->arena, work, context)))
        return too_many_states(fault);
    if (!m->cache->exceeded)
        return true;
    renew(m, fault);                /* forgets the transitions that were not followed      */
    return too_many_open(m, fault);
}

/* ---- tokens ---- */

typedef struct Accept {
    Matcher *m;
    uint32_t token;
    Str      bytes;
    uint32_t to;
} Accept;

static bool takes_token(const Matcher *m, uint32_t node, uint32_t token)
{
    if (node == NO_NODE)
        return false;
    GrammarElement e = m->grammar->elements[m->cache->nodes.data[node].at];
    return (e.kind == GRAMMAR_TOKEN && e.value == token) ||
           (e.kind == GRAMMAR_TOKEN_NOT && e.value != token);
}

/* Stacks whose top names tokens advance by the whole token, the others by its characters. */
static void accept_token(void *context)
{
    Accept  *a = context;
    Matcher *m = a->m;
    uint32_t to = a->bytes.len > 0 ? m->state : MATCH_DEAD;
    for (uint32_t i = 0; i < a->bytes.len && to != MATCH_DEAD; i++)
        to = match_next(m, to, (uint8_t)a->bytes.data[i]);
    a->to = to;

    MatchState now = m->cache->states.data[m->state];
    NodeSet    set = m->cache->sets.data[now.set];
    bool       any = false;
    expand_begin(m);
    for (uint32_t i = 0; i < set.count && now.left == 0; i++) {
        if (takes_token(m, set.nodes[i], a->token)) {
            StackNode n = m->cache->nodes.data[set.nodes[i]];
            expand(m, stack_at(m, n.at + 1, n.below));
            any = true;
        }
    }
    if (!any || (to != MATCH_DEAD && m->cache->states.data[to].left > 0))
        return;                     /* an unfinished code point goes on with characters    */
    if (to != MATCH_DEAD) {
        NodeSet more = m->cache->sets.data[m->cache->states.data[to].set];
        for (uint32_t i = 0; i < more.count; i++)
            expand(m, more.nodes[i]);
    }
    a->to = state_get(m, (MatchState){.set = set_get(m)});
}

bool matcher_accept(Matcher *m, uint32_t token, Str bytes, Fault *fault)
{
    Accept a = {.m = m, .token = token, .bytes = bytes, .to = MATCH_DEAD};
    if (!matcher_alive(m) || bytes.len > GRAMMAR_MAX_TOKEN)
        return false;
    if (!match_try(m, accept_token, &a, fault) || a.to == MATCH_DEAD)
        return false;
    m->state = a.to;
    return true;
}

bool matcher_alive(const Matcher *m)
{
    return m->cache && m->state != MATCH_DEAD;
}

bool matcher_complete(const Matcher *m)
{
    if (!matcher_alive(m))
        return false;
    MatchState s = m->cache->states.data[m->state];
    NodeSet    set = m->cache->sets.data[s.set];
    return s.left == 0 && set.nodes[0] == NO_NODE;      /* the smallest id comes first     */
}
