// SPDX-License-Identifier: Apache-2.0
/*
 * names.c - one Name for each spelling in a module.
 *
 * in     spellings, any number of them, chosen by anybody
 * out    Name pointers: equal exactly if the spellings are
 * not    scopes, meaning
 *
 * A hash table whose buckets are trees: the first bits of the hash choose the
 * bucket, then each level of its tree takes two more. With ordinary names a bucket
 * holds one or two. An attacker who knows the hash can search for names that share a
 * bucket, but each further level costs four times the search for each name, and
 * after 28 levels the 64 bits are used up: no look-up takes more steps than that,
 * whatever the text. Only names with the same 64 bits make a list, and even
 * with a known key there is no cheap way to find such names for SipHash.
 */
#include "syntax/lex_priv.h"
#include "syntax/syntax.h"

#define ROTATE(x, n) ((x) << (n) | (x) >> (64 - (n)))

typedef struct Sip {
    uint64_t v0, v1, v2, v3;
} Sip;

static inline Sip sip_round(Sip s)
{
    s.v0 += s.v1;
    s.v1 = ROTATE(s.v1, 13) ^ s.v0;
    s.v0 = ROTATE(s.v0, 32);
    s.v2 += s.v3;
    s.v3 = ROTATE(s.v3, 16) ^ s.v2;
    s.v0 += s.v3;
    s.v3 = ROTATE(s.v3, 21) ^ s.v0;
    s.v2 += s.v1;
    s.v1 = ROTATE(s.v1, 17) ^ s.v2;
    s.v2 = ROTATE(s.v2, 32);
    return s;
}

/* Up to eight bytes, the first lowest, whatever the machine's byte order. */
static inline uint64_t load(const char *p, uint32_t n)
{
    uint64_t word = 0;
    for (uint32_t i = 0; i < n; i++)
        word |= (uint64_t)(uint8_t)p[i] << (8 * i);
    return word;
}

/* SipHash-1-3 with a fixed key. */
static uint64_t hash_of(Str text)
{
    Sip s = {0x736f6d6570736575u ^ 0x57656674u, 0x646f72616e646f6du ^ 0x5747534cu,
             0x6c7967656e657261u ^ 0x57656674u, 0x7465646279746573u ^ 0x5747534cu};
    uint32_t at = 0;
    for (; text.len - at >= 8; at += 8) {
        uint64_t word = load(text.data + at, 8);
        s.v3 ^= word;
        s = sip_round(s);
        s.v0 ^= word;
    }
    uint64_t last = load(text.data + at, text.len - at) | (uint64_t)text.len << 56;
    s.v3 ^= last;
    s = sip_round(s);
    s.v0 ^= last;
    s.v2 ^= 0xff;
    s = sip_round(sip_round(sip_round(s)));
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

#define FIRST_BITS 8u

/* Where in the table a name with this hash and text is, or would be. */
static Name **find(const Module *m, uint64_t hash, Str text)
{
    uint64_t left = hash << m->names.bits;
    Name **at = &m->names.roots[hash >> (64 - m->names.bits)];
    while (*at && ((*at)->hash != hash || !str_eq((*at)->text, text))) {
        at = &(*at)->child[left >> 62];
        left <<= 2;
    }
    return at;
}

/* Four times as many buckets; all names move. */
static void grow(Module *m)
{
    m->names.bits = m->names.roots ? m->names.bits + 2 : FIRST_BITS;
    m->names.roots = ARENA_ARRAY(m->arena, Name *, (size_t)1 << m->names.bits);
    for (Name *name = m->names.last; name; name = name->before) {
        memset(name->child, 0, sizeof name->child);
        *find(m, name->hash, name->text) = name;
    }
}

static Name *name_new(Module *m, Str text, uint64_t hash)
{
    Name *name = ARENA_NEW(m->arena, Name);
    /* Most are in the source, which lives as long. */
    uintptr_t into = (uintptr_t)text.data - (uintptr_t)m->source.data;
    bool stays = into < m->source.len;
    name->text = stays ? text
                       : (Str){arena_copy(m->arena, text.data, text.len), text.len};
    name->hash = hash;
    name->word = (uint8_t)token_find_word(text);
    name->before = m->names.last;
    m->names.last = name;
    m->names.count++;
    return name;
}

Name *syntax_name(Module *m, Str text)
{
    if (!m->names.roots || m->names.count >> m->names.bits)
        grow(m);
    uint64_t hash = hash_of(text);
    Name **at = find(m, hash, text);
    return *at ? *at : (*at = name_new(m, text, hash));
}
