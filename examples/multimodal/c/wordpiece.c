// SPDX-License-Identifier: Apache-2.0
/*
 * wordpiece.c - text to the tokens of BERT models.
 *
 * in     UTF-8
 * out    tokens: the longest pieces of each word from the left
 * knows  the vocabulary as a JSON object, and BERT's normalization of Latin text
 * not    models
 */
#include "wordpiece.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 400, LONGEST = 100 };       /* characters of a word; more are unknown */

struct WordPiece {
    json_t *root, *vocabulary;
    int32_t unknown, start, end;
};

static int32_t lookup(const WordPiece *w, const char *piece)
{
    const json_t *id = json_object_get(w->vocabulary, piece);
    return id ? (int32_t)json_integer_value(id) : -1;
}

WordPiece *wordpiece_open(const char *path)
{
    json_error_t error;
    json_t      *root = json_load_file(path, 0, &error);
    json_t      *vocabulary = json_object_get(json_object_get(root, "model"), "vocab");
    WordPiece   *w = json_is_object(vocabulary) ? malloc(sizeof *w) : NULL;
    if (!w) {
        fprintf(stderr, "%s: %s\n", path, root ? "no vocabulary" : error.text);
        json_decref(root);
        return NULL;
    }
    *w = (WordPiece){ .root = root, .vocabulary = vocabulary };
    w->unknown = lookup(w, "[UNK]");
    w->start = lookup(w, "[CLS]");
    w->end = lookup(w, "[SEP]");
    return w;
}

void wordpiece_close(WordPiece *w)
{
    if (!w)
        return;
    json_decref(w->root);
    free(w);
}

/* ---- characters ---- */

static uint32_t decode(const char **at)
{
    const unsigned char *s = (const unsigned char *)*at;
    const int more = s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : 3;
    uint32_t  c = more == 0 ? s[0] : s[0] & (0x3fu >> more);
    int       i = 1;
    for (; i <= more && (s[i] & 0xc0) == 0x80; i++)
        c = c << 6 | (s[i] & 0x3fu);
    *at += i;
    return c;
}

static size_t encode(char *out, uint32_t c)
{
    if (c < 0x80)
        return out[0] = (char)c, 1;
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    const int more = c < 0x10000 ? 2 : 3;
    out[0] = (char)((more == 2 ? 0xe0 : 0xf0) | c >> 6 * more);
    for (int i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return (size_t)more + 1;
}

/* Lower case without accents: of U+00C0 to U+017F by this table, where a dot is a letter that
 * stays as it is. */
static uint32_t fold(uint32_t c)
{
    static const char base[] =
        "aaaaaa.ceeeeiiii.nooooo..uuuuy..aaaaaa.ceeeeiiii.nooooo..uuuuy.y"
        "aaaaaaccccccccdd..eeeeeeeeeegggggggghh..iiiiiiiii...jjkk.llllll."
        "...nnnnnn...oooooo..rrrrrrsssssssstttt..uuuuuuuuuuuuwwyyyzzzzzz.";
    if (c >= 'A' && c <= 'Z')
        return c + 32;
    if (c >= 0xc0 && c < 0xc0 + sizeof base - 1 && base[c - 0xc0] != '.')
        return (uint32_t)base[c - 0xc0];
    switch (c) {
    case 0xc6: case 0xd0: case 0xd8: case 0xde:
        return c + 32;
    case 0x110: case 0x126: case 0x132: case 0x13f: case 0x141: case 0x14a: case 0x152: case 0x166:
        return c + 1;
    }
    return c;
}

static bool is_space(uint32_t c)
{
    return c == ' ' || (c >= 9 && c <= 13) || c == 0xa0 || (c >= 0x2000 && c <= 0x200a)
           || c == 0x3000;
}

/* A word of its own: punctuation and Chinese characters. */
static bool is_alone(uint32_t c)
{
    return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a')
           || (c > 'z' && c < 0x7f) || c == 0xa1 || c == 0xa7 || c == 0xab || c == 0xb6
           || c == 0xb7 || c == 0xbb || c == 0xbf || (c >= 0x2010 && c <= 0x2027)
           || (c >= 0x2030 && c <= 0x205e) || (c >= 0x3001 && c <= 0x3003)
           || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0x9fff);
}

/* ---- words ---- */

typedef struct Tokens {
    int32_t *ids;
    uint32_t count, limit;
} Tokens;

static void push(Tokens *t, int32_t id)
{
    if (t->count < t->limit)
        t->ids[t->count++] = id;
}

/* The longest piece of word[from..] that is in the vocabulary; its end, or 0. */
static size_t longest(int32_t *id, const WordPiece *w, const char *word, size_t from, size_t size)
{
    char piece[WORD_BYTES + 3] = "##";
    for (size_t to = size; to > from; to--) {
        if (to < size && (word[to] & 0xc0) == 0x80)
            continue;                           /* in the middle of a character */
        memcpy(piece + 2, word + from, to - from);
        piece[2 + to - from] = 0;
        *id = lookup(w, from ? piece : piece + 2);
        if (*id >= 0)
            return to;
    }
    return 0;
}

static void push_word(Tokens *t, const WordPiece *w, const char *word, size_t size, int characters)
{
    const uint32_t before = t->count;
    size_t         at = 0;
    while (at < size && characters <= LONGEST) {
        int32_t      id = -1;
        const size_t end = longest(&id, w, word, at, size);
        if (!end)
            break;
        push(t, id);
        at = end;
    }
    if (at < size) {                            /* no pieces: the whole word is unknown */
        t->count = before;
        push(t, w->unknown);
    }
}

uint32_t wordpiece_encode(int32_t *ids, uint32_t limit, const WordPiece *w, const char *text)
{
    Tokens t = { ids, 0, limit - 1 };           /* room for the end */
    char   word[WORD_BYTES];
    size_t size = 0;
    int    characters = 0;
    push(&t, w->start);
    while (*text) {
        const uint32_t c = fold(decode(&text));
        const bool     alone = is_alone(c);
        if (size && (is_space(c) || alone)) {
            push_word(&t, w, word, size, characters);
            size = 0, characters = 0;
        }
        if (is_space(c) || c < ' ' || c == 0xfffd)
            continue;
        if (size + 4 <= sizeof word)
            size += encode(word + size, c);
        characters++;
        if (alone) {
            push_word(&t, w, word, size, characters);
            size = 0, characters = 0;
        }
    }
    if (size)
        push_word(&t, w, word, size, characters);
    t.limit = limit;
    push(&t, w->end);
    return t.count;
}
