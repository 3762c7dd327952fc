// SPDX-License-Identifier: Apache-2.0
/*
 * tok_pre.c - cuts a text into the words that BPE merges within.
 *
 * in     valid UTF-8
 * out    words, which together are the text
 * knows  what the regular expressions of the published tokenizers match, as rows of
 *        stages; each stage cuts the pieces that the one before left, and sees no further
 * not    vocabularies
 */
#include <string.h>

#include "model/tokenizer_priv.h"
#include "model/unicode_priv.h"

/* ---- characters ---- */

/* A character of a piece; class 0: the end of the piece. */
typedef struct Char {
    uint32_t c, next;               /* next: where the one after it starts         */
    uint8_t  class;
} Char;

static Char char_beyond_ascii(const char *s, uint32_t at)
{
    uint8_t  lead = (uint8_t)s[at];
    uint32_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint32_t c = lead & (0x7fu >> size);
    for (uint32_t i = 1; i < size; i++)
        c = c << 6 | ((uint8_t)s[at + i] & 0x3f);
    return (Char){c, at + size, unicode_class_beyond_ascii(c)};
}

/* A piece ends at `end`; `at` is the start of a character, or `end`. */
static inline Char char_at(const char *s, uint32_t at, uint32_t end)
{
    if (at >= end)
        return (Char){UINT32_MAX, end, 0};
    uint8_t lead = (uint8_t)s[at];
    if (lead < 0x80)
        return (Char){lead, at + 1, unicode_ascii[lead]};
    return char_beyond_ascii(s, at);
}

/* Past the characters from `at` on that have one of these classes. */
static uint32_t skip_class(const char *s, uint32_t at, uint32_t end, uint8_t classes)
{
    while (at < end && (uint8_t)s[at] < 0x80 && unicode_ascii[(uint8_t)s[at]] & classes)
        at++;
    for (Char ch; (ch = char_at(s, at, end)).class & classes;)
        at = ch.next;
    return at;
}

enum { WORD_OR_SPACE = UNICODE_LETTER | UNICODE_NUMBER | UNICODE_SPACE };

/* Past the characters that are no letters, numbers or spaces. */
static uint32_t skip_other(const char *s, uint32_t at, uint32_t end)
{
    for (Char ch; (ch = char_at(s, at, end)).class && !(ch.class & WORD_OR_SPACE);)
        at = ch.next;
    return at;
}

/* The end of an English ending such as 's or 'll at `at`; 0: there is none. */
static uint32_t ending(const char *s, uint32_t at, uint32_t end, bool any_case)
{
    char a = at + 1 < end ? s[at + 1] : 0, b = at + 2 < end ? s[at + 2] : 0;
    if (s[at] != '\'')
        return 0;
    if (any_case && a >= 'A' && a <= 'Z')
        a = (char)(a + 32);
    if (any_case && b >= 'A' && b <= 'Z')
        b = (char)(b + 32);
    if (a == 's' || a == 't' || a == 'm' || a == 'd')
        return at + 2;
    if ((a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l'))
        return at + 3;
    return 0;
}

/* The end of a run of spaces at `at`: all of it at the end of the piece, or if it is
 * one; otherwise the last is left to what follows. */
static uint32_t spaces(const char *s, uint32_t at, uint32_t end)
{
    uint32_t last = at, next = at;
    for (Char ch; (ch = char_at(s, next, end)).class & UNICODE_SPACE;) {
        last = next;
        next = ch.next;
    }
    return next < end && last > at ? last : next;
}

/* ---- stages that match everywhere ---- */

/* 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
static uint32_t gpt2_next(const char *s, uint32_t at, uint32_t end)
{
    uint32_t short_end = ending(s, at, end, false);
    if (short_end)
        return short_end;
    Char     ch = char_at(s, at, end);
    uint32_t start = at;
    if (ch.c == ' ') {
        start = ch.next;
        ch = char_at(s, start, end);
    }
    if (ch.class & UNICODE_LETTER)
        return skip_class(s, start, end, UNICODE_LETTER);
    if (ch.class & UNICODE_NUMBER)
        return skip_class(s, start, end, UNICODE_NUMBER);
    if (ch.class && !(ch.class & UNICODE_SPACE))
        return skip_other(s, start, end);
    return spaces(s, at, end);
}

static bool is_line_end(uint32_t c)
{
    return c == '\r' || c == '\n';
}

/* \s*[\r\n]+|\s+(?!\S)|\s+ */
static uint32_t spaces_by_line(const char *s, uint32_t at, uint32_t end)
{
    uint32_t line = 0;
    for (Char ch = char_at(s, at, end); ch.class & UNICODE_SPACE; ch = char_at(s, ch.next, end))
        if (is_line_end(ch.c))
            line = ch.next;
    return line ? line : spaces(s, at, end);
}

/* \p{N}{1,most} */
static uint32_t numbers(const char *s, uint32_t at, uint32_t end, uint32_t most)
{
    for (Char ch; most && (ch = char_at(s, at, end)).class & UNICODE_NUMBER; most--)
        at = ch.next;
    return at;
}

/* (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,digits}
 * | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ */
static uint32_t llama_next(const char *s, uint32_t at, uint32_t end, uint32_t digits)
{
    uint32_t short_end = ending(s, at, end, true);
    if (short_end)
        return short_end;
    Char ch = char_at(s, at, end), after = char_at(s, ch.next, end);
    if (ch.class & UNICODE_NUMBER)
        return numbers(s, at, end, digits);
    if (ch.class & UNICODE_LETTER || (!is_line_end(ch.c) && after.class & UNICODE_LETTER))
        return skip_class(s, ch.next, end, UNICODE_LETTER);
    uint32_t start = ch.c == ' ' ? ch.next : at;
    Char     first = ch.c == ' ' ? after : ch;
    if (first.class && !(first.class & WORD_OR_SPACE)) {
        at = skip_other(s, start, end);
        while (at < end && is_line_end((uint8_t)s[at]))
            at++;
        return at;
    }
    return spaces_by_line(s, at, end);
}

/* A letter that is not a to z, or not A to Z: letters beyond ASCII are both. */
static bool may_be_upper(Char ch)
{
    return ch.class & UNICODE_LETTER && !(ch.c >= 'a' && ch.c <= 'z');
}
static bool may_be_lower(Char ch)
{
    return ch.class & UNICODE_LETTER && !(ch.c >= 'A' && ch.c <= 'Z');
}

/* The end of upper* lower+, or else of upper+, from `at` on, as backtracking finds it: the
 * last upper letter that may be a lower one is that where no lower one follows. */
static uint32_t cased_word(const char *s, uint32_t at, uint32_t end)
{
    uint32_t shared = 0;            /* the end of the last letter that is both */
    Char     ch = char_at(s, at, end);
    for (; may_be_upper(ch); ch = char_at(s, at, end)) {
        at = ch.next;
        if (may_be_lower(ch))
            shared = at;
    }
    if (!may_be_lower(ch))
        return shared ? shared : at;
    for (; may_be_lower(ch); ch = char_at(s, at, end))
        at = ch.next;
    return at;
}

/* [^\r\n\p{L}\p{N}]?upper*lower+(?i:'s|...)?|[^\r\n\p{L}\p{N}]?upper+lower*(?i:'s|...)?
 * |\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
 * where the endings are left out unless `endings` */
static uint32_t cased_next(const char *s, uint32_t at, uint32_t end, uint32_t digits, bool endings)
{
    Char ch = char_at(s, at, end), after = char_at(s, ch.next, end);
    bool letter = ch.class & UNICODE_LETTER;
    if (letter || (!is_line_end(ch.c) && !(ch.class & UNICODE_NUMBER)
                   && after.class & UNICODE_LETTER)) {
        uint32_t word = cased_word(s, letter ? at : ch.next, end);
        uint32_t longer = endings && word < end ? ending(s, word, end, true) : 0;
        return longer ? longer : word;
    }
    if (ch.class & UNICODE_NUMBER)
        return numbers(s, at, end, digits);
    uint32_t start = ch.c == ' ' ? ch.next : at;
    Char     first = ch.c == ' ' ? after : ch;
    if (!first.class || first.class & WORD_OR_SPACE)
        return spaces_by_line(s, at, end);
    at = skip_other(s, start, end);
    while (at < end && (is_line_end((uint8_t)s[at]) || s[at] == '/'))
        at++;
    return at;
}

/* ---- stages that match here and there ---- */

typedef bool (*IsMember)(Char ch);

static bool is_letter(Char ch)      { return ch.class & UNICODE_LETTER; }
static bool is_number(Char ch)      { return ch.class & UNICODE_NUMBER; }
static bool is_digit(Char ch)       { return ch.c >= '0' && ch.c <= '9'; }
static bool is_punctuation(Char ch) { return ch.class & UNICODE_PUNCTUATION; }
static bool is_new_line(Char ch)    { return is_line_end(ch.c); }

static bool is_one_of(Char ch, const char *ascii)
{
    return ch.c < 128 && ch.c && strchr(ascii, (int)ch.c);
}

static bool is_default_mark(Char ch)
{
    return ch.class & UNICODE_PUNCTUATION || is_one_of(ch, "$+<=>^~|");
}

static bool is_falcon_mark(Char ch)
{
    return ch.class & UNICODE_PUNCTUATION || is_one_of(ch, "$+<=>^~|`");
}

/* Chinese, Japanese, Korean and whatever else is from U+0800 on. */
static bool is_deepseek_eastern(Char ch)
{
    return !(ch.class & UNICODE_SPACE)
        && ((ch.c >= 0x800 && ch.c <= 0x9fa5) || (ch.c >= 0xac00 && ch.c <= 0xd7ff));
}

static bool is_deepseek_mark(Char ch)
{
    uint32_t c = ch.c;
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '~') || (c >= 0xff01 && c <= 0xff0f)
        || (c >= 0xff1a && c <= 0xff5e) || (c >= 0x2018 && c <= 0x201f)
        || c == 0x3001 || c == 0x3002;
}

/* The letters with case of DeepSeek LLM, sorted. */
static const uint32_t deepseek_letters[][2] = {
    {0x41, 0x5a}, {0x61, 0x7a}, {0xb5, 0xb5}, {0xc0, 0xd6},
    {0xd8, 0xf6}, {0xf8, 0x1ba}, {0x1bc, 0x1bf}, {0x1c4, 0x293},
    {0x295, 0x2af}, {0x370, 0x373}, {0x376, 0x376}, {0x377, 0x377},
    {0x37b, 0x37d}, {0x37f, 0x37f}, {0x386, 0x386}, {0x388, 0x38a},
    {0x38c, 0x38c}, {0x38e, 0x3a1}, {0x3a3, 0x3f5}, {0x3f7, 0x481},
    {0x48a, 0x52f}, {0x531, 0x556}, {0x10a0, 0x10c5}, {0x13a0, 0x13f5},
    {0x13f8, 0x13fd}, {0x1c90, 0x1cba}, {0x1cbd, 0x1cbf}, {0x1d00, 0x1d2b},
    {0x1d6b, 0x1d77}, {0x1d79, 0x1d9a}, {0x1e00, 0x1f15}, {0x1f18, 0x1f1d},
    {0x1f20, 0x1f45}, {0x1f48, 0x1f4d}, {0x1f50, 0x1f57}, {0x1f59, 0x1f59},
    {0x1f5b, 0x1f5b}, {0x1f5d, 0x1f5d}, {0x1f5f, 0x1f7d}, {0x1f80, 0x1fb4},
    {0x1fb6, 0x1fbc}, {0x1fbe, 0x1fbe}, {0x1fc2, 0x1fc4}, {0x1fc6, 0x1fcc},
    {0x1fd0, 0x1fd3}, {0x1fd6, 0x1fdb}, {0x1fe0, 0x1fec}, {0x1ff2, 0x1ff4},
    {0x1ff6, 0x1ffc}, {0x2102, 0x2102}, {0x2107, 0x2107}, {0x210a, 0x2113},
    {0x2115, 0x2115}, {0x2119, 0x211d}, {0x2124, 0x2124}, {0x2126, 0x2126},
    {0x2128, 0x2128}, {0x212a, 0x212d}, {0x212f, 0x2134}, {0x2139, 0x2139},
    {0x213c, 0x213f}, {0x2145, 0x2149}, {0x214e, 0x214e}, {0x2183, 0x2183},
    {0x2184, 0x2184}, {0x2c00, 0x2c7b}, {0x2c7e, 0x2ce4}, {0x2ceb, 0x2cee},
    {0x2cf2, 0x2cf2}, {0x2cf3, 0x2cf3}, {0xa640, 0xa66d}, {0xa680, 0xa69b},
    {0xa722, 0xa76f}, {0xa771, 0xa787}, {0xa78b, 0xa78e}, {0xab70, 0xabbf},
    {0xfb00, 0xfb06}, {0xfb13, 0xfb17}, {0xff21, 0xff3a}, {0xff41, 0xff5a},
    {0x10400, 0x1044f}, {0x104b0, 0x104d3}, {0x104d8, 0x104fb}, {0x10c80, 0x10cb2},
    {0x10cc0, 0x10cf2}, {0x118a0, 0x118df}, {0x1e900, 0x1e943},
};

static bool is_deepseek_letter(Char ch)
{
    size_t low = 0, high = COUNTOF(deepseek_letters);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ch.c > deepseek_letters[middle][1])
            low = middle + 1;
        else
            high = middle;
    }
    return low < COUNTOF(deepseek_letters) && ch.c >= deepseek_letters[low][0];
}

/* Runs of members: at least `least` of them, at most `most`, a space before if `space`. */
typedef struct Run {
    IsMember member;
    uint32_t least, most;
    bool     space;
} Run;

/* A stage at work on a text. */
typedef struct Search {
    const Run     *run;
    const char    *s;
    const uint8_t *members;         /* of ASCII, bit `bit`                         */
    uint32_t       bit;
} Search;

/* The end of the member at `at`; 0: it is none, or the piece ends. */
static inline uint32_t member_end(const Search *f, uint32_t at, uint32_t end)
{
    if (at >= end)
        return 0;
    uint8_t lead = (uint8_t)f->s[at];
    if (lead < 0x80)
        return f->members[lead] >> f->bit & 1 ? at + 1 : 0;
    Char ch = char_beyond_ascii(f->s, at);
    return f->run->member(ch) ? ch.next : 0;
}

/* The first member from `at` on, with the space before it if that belongs to it; `end`
 * if there is none. */
static uint32_t find_start(const Search *f, uint32_t at, uint32_t end)
{
    uint32_t before = end;
    while (at < end && !member_end(f, at, end)) {
        before = at;
        at = char_at(f->s, at, end).next;
    }
    if (at < end && f->run->space && before < end
        && char_at(f->s, before, end).class & UNICODE_SPACE)
        return before;
    return at;
}

/* The match at `at`, or what is before the next one. */
static uint32_t run_next(const Search *f, uint32_t at, uint32_t end)
{
    for (uint32_t from = at, start;; from = start) {
        start = find_start(f, from, end);
        if (start == end)
            return end;
        uint32_t count = 0, next, stop = start;
        if (!member_end(f, stop, end))
            stop = char_at(f->s, stop, end).next;               /* the space */
        for (; count < f->run->most && (next = member_end(f, stop, end)) != 0; count++)
            stop = next;
        if (count < f->run->least)
            start = stop;                                       /* too short: go on behind it */
        else
            return start > at ? start : stop;
    }
}

/* \s+$: the spaces at the end of the piece, or what is before them. */
static uint32_t trailing_next(const char *s, uint32_t at, uint32_t end)
{
    uint32_t trail = end;
    bool     in_space = false;
    for (uint32_t i = at; i < end;) {
        Char ch = char_at(s, i, end);
        bool space = ch.class & UNICODE_SPACE;
        if (space && !in_space)
            trail = i;
        in_space = space;
        i = ch.next;
    }
    return in_space && trail > at ? trail : end;
}

/* ---- stages ---- */

typedef enum StageKind {
    STAGE_END, STAGE_GPT2, STAGE_LLAMA, STAGE_CASED, STAGE_RUN, STAGE_TRAILING,
} StageKind;

typedef struct Stage {
    StageKind kind;
    uint32_t  digits;               /* STAGE_LLAMA, STAGE_CASED                    */
    bool      endings;              /* STAGE_CASED                                 */
    Run       run;                  /* STAGE_RUN                                   */
} Stage;

#define MANY UINT32_MAX

static const Stage gpt2_stages[] = {{.kind = STAGE_GPT2}, {0}};
static const Stage llama_stages[] = {{.kind = STAGE_LLAMA, .digits = 3}, {0}};
static const Stage qwen_stages[] = {{.kind = STAGE_LLAMA, .digits = 1}, {0}};
static const Stage gpt4_stages[] = {{.kind = STAGE_CASED, .digits = 3, .endings = true}, {0}};
static const Stage tekken_stages[] = {{.kind = STAGE_CASED, .digits = 1}, {0}};
static const Stage code_stages[] = {
    {.kind = STAGE_RUN, .run = {is_number, 1, 1, false}},
    {.kind = STAGE_GPT2}, {0},
};
static const Stage default_stages[] = {
    {.kind = STAGE_RUN, .run = {is_default_mark, 1, MANY, false}},
    {.kind = STAGE_GPT2},
    {.kind = STAGE_RUN, .run = {is_number, 1, MANY, false}},
    {.kind = STAGE_RUN, .run = {is_digit, 3, 3, false}}, {0},
};
static const Stage falcon_stages[] = {
    {.kind = STAGE_RUN, .run = {is_falcon_mark, 1, MANY, false}},
    {.kind = STAGE_GPT2},
    {.kind = STAGE_RUN, .run = {is_digit, 3, 3, false}}, {0},
};
static const Stage deepseek_stages[] = {
    {.kind = STAGE_RUN, .run = {is_new_line, 1, 1, false}},
    {.kind = STAGE_RUN, .run = {is_deepseek_letter, 1, MANY, true}},
    {.kind = STAGE_RUN, .run = {is_deepseek_mark, 1, MANY, true}},
    {.kind = STAGE_TRAILING},
    {.kind = STAGE_RUN, .run = {is_deepseek_eastern, 1, MANY, false}},
    {.kind = STAGE_RUN, .run = {is_number, 1, MANY, false}}, {0},
};
static const Stage deepseek_code_stages[] = {
    {.kind = STAGE_RUN, .run = {is_new_line, 1, 1, false}},
    {.kind = STAGE_RUN, .run = {is_letter, 1, MANY, true}},
    {.kind = STAGE_RUN, .run = {is_punctuation, 1, MANY, true}},
    {.kind = STAGE_RUN, .run = {is_deepseek_eastern, 1, MANY, false}},
    {.kind = STAGE_RUN, .run = {is_number, 1, 1, false}}, {0},
};

static uint32_t stage_next(const TokCut *c, const Stage *stage, uint32_t bit, uint32_t at,
                           uint32_t end)
{
    const char *s = c->text;
    Search      search = {.run = &stage->run, .s = s, .members = c->members, .bit = bit};
    switch (stage->kind) {
    case STAGE_GPT2:     return gpt2_next(s, at, end);
    case STAGE_LLAMA:    return llama_next(s, at, end, stage->digits);
    case STAGE_CASED:    return cased_next(s, at, end, stage->digits, stage->endings);
    case STAGE_RUN:      return run_next(&search, at, end);
    case STAGE_TRAILING: return trailing_next(s, at, end);
    case STAGE_END:      break;
    }
    return end;
}

/* ---- the table ---- */

struct TokPre {
    const char  *name;
    const Stage *stages;
    bool         whole, bos;
};

static const TokPre pres[] = {
#define TOK_PRE(name, stages, whole, bos) {name, stages, whole, bos},
#include "model/tok_pre.def"
#undef TOK_PRE
};

const TokPre *tok_pre_find(const char *name)
{
    for (size_t i = 0; i < COUNTOF(pres); i++)
        if (strcmp(pres[i].name, name) == 0)
            return &pres[i];
    return NULL;
}

bool tok_pre_ignores_merges(const TokPre *pre) { return pre->whole; }
bool tok_pre_adds_bos(const TokPre *pre)       { return pre->bos; }

void tok_pre_members(const TokPre *pre, uint8_t members[128])
{
    for (uint32_t c = 0; c < 128; c++) {
        members[c] = 0;
        for (uint32_t i = 0; pre->stages[i].kind != STAGE_END; i++)
            if (pre->stages[i].kind == STAGE_RUN
                && pre->stages[i].run.member((Char){c, 0, unicode_ascii[c]}))
                members[c] |= (uint8_t)(1u << i);
    }
}

/* The depth is that of the stages, six at most. */
static void cut(const TokCut *c, uint32_t index, uint32_t at, uint32_t end)
{
    const Stage *stage = &c->pre->stages[index];
    if (stage->kind == STAGE_END) {
        c->word(c->user, c->text + at, end - at);
        return;
    }
    while (at < end) {
        uint32_t next = stage_next(c, stage, index, at, end);
        cut(c, index + 1, at, next);
        at = next;
    }
}

void tok_pre_cut(const TokCut *c, uint32_t size)
{
    cut(c, 0, 0, size);
}
