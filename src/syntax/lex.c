// SPDX-License-Identifier: Apache-2.0
/*
 * lex.c - from text to tokens.
 *
 * in     valid UTF-8 without NUL
 * out    tokens (lex_priv.h); always at least one byte further, then END for ever
 * knows  WGSL "Textual Structure": blankspace, comments, tokens
 * not    the grammar; what numbers are worth (literal.c); which '<' open template
 *        lists (template.c)
 */
#include "syntax/lex_priv.h"

#include "base/utf8.h"
#include "syntax/syntax.h"

/* What a byte can be, where a token starts or goes on. */
enum {
    BYTE_NAME_START = 1,            /* A-Z a-z _                                   */
    BYTE_NAME_PART = 2,             /* these and 0-9                               */
    BYTE_DIGIT = 4,
    BYTE_HEX = 8,
    BYTE_BLANK = 16,                /* of the one-byte blankspace                  */
    BYTE_LINE_END = 32,             /* may begin a line break                      */
    BYTE_WIDE = 64,                 /* of a code point above ASCII                 */
};

#define LETTER (BYTE_NAME_START | BYTE_NAME_PART)
#define DIGIT  (BYTE_NAME_PART | BYTE_DIGIT | BYTE_HEX)
#define BREAK  (BYTE_BLANK | BYTE_LINE_END)

static const uint8_t bytes[256] = {
    ['\t'] = BYTE_BLANK, [' '] = BYTE_BLANK,
    ['\n'] = BREAK, ['\v'] = BREAK, ['\f'] = BREAK, ['\r'] = BREAK,
    ['0'] = DIGIT, ['1'] = DIGIT, ['2'] = DIGIT, ['3'] = DIGIT, ['4'] = DIGIT,
    ['5'] = DIGIT, ['6'] = DIGIT, ['7'] = DIGIT, ['8'] = DIGIT, ['9'] = DIGIT,
#define BOTH(lower, upper, class) [lower] = (class), [upper] = (class)
    BOTH('a', 'A', LETTER | BYTE_HEX), BOTH('b', 'B', LETTER | BYTE_HEX),
    BOTH('c', 'C', LETTER | BYTE_HEX), BOTH('d', 'D', LETTER | BYTE_HEX),
    BOTH('e', 'E', LETTER | BYTE_HEX), BOTH('f', 'F', LETTER | BYTE_HEX),
    BOTH('g', 'G', LETTER), BOTH('h', 'H', LETTER), BOTH('i', 'I', LETTER),
    BOTH('j', 'J', LETTER), BOTH('k', 'K', LETTER), BOTH('l', 'L', LETTER),
    BOTH('m', 'M', LETTER), BOTH('n', 'N', LETTER), BOTH('o', 'O', LETTER),
    BOTH('p', 'P', LETTER), BOTH('q', 'Q', LETTER), BOTH('r', 'R', LETTER),
    BOTH('s', 'S', LETTER), BOTH('t', 'T', LETTER), BOTH('u', 'U', LETTER),
    BOTH('v', 'V', LETTER), BOTH('w', 'W', LETTER), BOTH('x', 'X', LETTER),
    BOTH('y', 'Y', LETTER), BOTH('z', 'Z', LETTER),
#undef BOTH
    ['_'] = LETTER,
#define WIDE4(x)  [x] = BYTE_WIDE, [(x) + 1] = BYTE_WIDE, [(x) + 2] = BYTE_WIDE, \
                  [(x) + 3] = BYTE_WIDE
#define WIDE16(x) WIDE4(x), WIDE4((x) + 4), WIDE4((x) + 8), WIDE4((x) + 12)
    WIDE16(0x80), WIDE16(0x90), WIDE16(0xa0), WIDE16(0xb0),
    WIDE16(0xd0), WIDE16(0xf0), WIDE4(0xc0), WIDE4(0xc4), WIDE4(0xc8), WIDE4(0xcc),
    WIDE4(0xe0), WIDE4(0xe4), WIDE4(0xe8), WIDE4(0xec),
#undef WIDE4
#undef WIDE16
};

static inline bool is(Str s, uint32_t at, uint8_t class)
{
    return at < s.len && (bytes[(uint8_t)s.data[at]] & class);
}

static inline bool has(Str s, uint32_t at, char c)
{
    return at < s.len && s.data[at] == c;
}

/* ---- blankspace and comments ---- */

uint32_t lex_line_break(Str s, uint32_t at)
{
    uint8_t byte = at < s.len ? (uint8_t)s.data[at] : 0;
    if (byte == '\r')
        return has(s, at + 1, '\n') ? 2 : 1;
    if (byte >= '\n' && byte <= '\f')
        return 1;
    uint32_t c;
    if (byte < 0x80 || utf8_decode(s, at, &c) == 0)
        return 0;
    if (c == 0x85)
        return 2;
    return c == 0x2028 || c == 0x2029 ? 3 : 0;
}

/* Bytes of the blank code point above ASCII at `at`; 0: it is none. */
static uint32_t wide_blank(Str s, uint32_t at)
{
    uint32_t c = 0;
    uint32_t n = utf8_decode(s, at, &c);
    bool blank = c == 0x85 || c == 0x200e || c == 0x200f || c == 0x2028 || c == 0x2029;
    return n && blank ? n : 0;
}

static uint32_t skip_line_comment(Str s, uint32_t at)
{
    for (at += 2; at < s.len; at++) {
        uint8_t class = bytes[(uint8_t)s.data[at]];
        if ((class & (BYTE_LINE_END | BYTE_WIDE)) && lex_line_break(s, at))
            break;
    }
    return at;
}

/* Past the block comment at `at`; `at` itself if it has no end. */
static uint32_t skip_block_comment(Str s, uint32_t at)
{
    uint32_t open = 1;
    for (uint32_t i = at + 2; i + 1 < s.len; i++) {
        if (s.data[i] == '*' && s.data[i + 1] == '/') {
            i++;
            if (--open == 0)
                return i + 1;
        } else if (s.data[i] == '/' && s.data[i + 1] == '*') {
            i++;
            open++;
        }
    }
    return at;
}

uint32_t lex_skip_blank(Str s, uint32_t at)
{
    while (at < s.len) {
        uint8_t class = bytes[(uint8_t)s.data[at]];
        uint32_t next = at;
        if (class & BYTE_BLANK)
            next = at + 1;
        else if (class & BYTE_WIDE)
            next = at + wide_blank(s, at);
        else if (s.data[at] == '/' && has(s, at + 1, '/'))
            next = skip_line_comment(s, at);
        else if (s.data[at] == '/' && has(s, at + 1, '*'))
            next = skip_block_comment(s, at);
        if (next == at)
            break;
        at = next;
    }
    return at;
}

/* ---- names and numbers ---- */

/* Past all that may continue a name. */
static uint32_t skip_name_parts(Str s, uint32_t at)
{
    for (;;) {
        while (is(s, at, BYTE_NAME_PART))
            at++;
        uint32_t c, n;
        if (!is(s, at, BYTE_WIDE) || (n = utf8_decode(s, at, &c)) == 0
            || !xid_is_continue(c))
            return at;
        at += n;
    }
}

uint32_t lex_skip_name(Str s, uint32_t at)
{
    uint32_t c, n;
    if (is(s, at, BYTE_NAME_START)) {
        uint32_t end = skip_name_parts(s, at + 1);
        return end == at + 1 && s.data[at] == '_' ? at : end;
    }
    if (!is(s, at, BYTE_WIDE) || (n = utf8_decode(s, at, &c)) == 0 || !xid_is_start(c))
        return at;
    return skip_name_parts(s, at + n);
}

static uint32_t skip_digits(Str s, uint32_t at, uint8_t class)
{
    while (is(s, at, class))
        at++;
    return at;
}

/* Past an exponent that `letter` (in lower case) begins, if there is one with
 * digits. */
static uint32_t skip_exponent(Str s, uint32_t at, char letter)
{
    if (at >= s.len || (s.data[at] | 0x20) != letter)
        return at;
    uint32_t digits = at + 1;
    if (has(s, digits, '+') || has(s, digits, '-'))
        digits++;
    uint32_t end = skip_digits(s, digits, BYTE_DIGIT);
    return end > digits ? end : at;
}

uint32_t lex_skip_number(Str s, uint32_t at)
{
    if (!is(s, at, BYTE_DIGIT) && !(has(s, at, '.') && is(s, at + 1, BYTE_DIGIT)))
        return at;
    bool hex = s.data[at] == '0' && (has(s, at + 1, 'x') || has(s, at + 1, 'X'));
    uint8_t digit = hex ? BYTE_HEX : BYTE_DIGIT;
    uint32_t end = skip_digits(s, hex ? at + 2 : at, digit);
    if (has(s, end, '.'))
        end = skip_digits(s, end + 1, digit);
    end = skip_exponent(s, end, hex ? 'p' : 'e');
    return skip_name_parts(s, end);
}

/* ---- tokens ---- */

/* What an operator or bracket is alone, with its first byte again, with '=', and
 * with both: "<", "<<", "<=", "<<=". No token: 0. */
static const struct {
    uint8_t alone, doubled, equal, doubled_equal;
} operators[128] = {
#define T(kind) TOKEN_##kind
    ['&'] = {T(AND), T(AND_AND), T(AND_ASSIGN), 0},
    ['-'] = {T(MINUS), T(MINUS_MINUS), T(MINUS_ASSIGN), 0},
    ['@'] = {T(AT), 0, 0, 0},
    ['/'] = {T(SLASH), 0, T(SLASH_ASSIGN), 0},
    ['!'] = {T(BANG), 0, T(NOT_EQUAL), 0},
    ['['] = {T(BRACKET_LEFT), 0, 0, 0},
    [']'] = {T(BRACKET_RIGHT), 0, 0, 0},
    ['{'] = {T(BRACE_LEFT), 0, 0, 0},
    ['}'] = {T(BRACE_RIGHT), 0, 0, 0},
    [':'] = {T(COLON), 0, 0, 0},
    [','] = {T(COMMA), 0, 0, 0},
    ['='] = {T(EQUAL), T(EQUAL_EQUAL), T(EQUAL_EQUAL), 0},
    ['>'] = {T(GREATER), T(SHIFT_RIGHT), T(GREATER_EQUAL), T(SHIFT_RIGHT_ASSIGN)},
    ['<'] = {T(LESS), T(SHIFT_LEFT), T(LESS_EQUAL), T(SHIFT_LEFT_ASSIGN)},
    ['%'] = {T(PERCENT), 0, T(PERCENT_ASSIGN), 0},
    ['.'] = {T(DOT), 0, 0, 0},
    ['+'] = {T(PLUS), T(PLUS_PLUS), T(PLUS_ASSIGN), 0},
    ['|'] = {T(OR), T(OR_OR), T(OR_ASSIGN), 0},
    ['('] = {T(PAREN_LEFT), 0, 0, 0},
    [')'] = {T(PAREN_RIGHT), 0, 0, 0},
    [';'] = {T(SEMICOLON), 0, 0, 0},
    ['*'] = {T(STAR), 0, T(STAR_ASSIGN), 0},
    ['~'] = {T(TILDE), 0, 0, 0},
    ['_'] = {T(UNDERSCORE), 0, 0, 0},
    ['^'] = {T(XOR), 0, T(XOR_ASSIGN), 0},
#undef T
};

/* The longest operator or bracket at `at`. */
static TokenKind operator_at(Str s, uint32_t at, uint32_t *len)
{
    char c = s.data[at];
    uint8_t row = (uint8_t)c & 0x7f;
    *len = 1;
    if ((uint8_t)c >= 0x80 || !operators[row].alone)
        return TOKEN_INVALID;
    if (c == '-' && has(s, at + 1, '>')) {
        *len = 2;
        return TOKEN_ARROW;
    }
    bool again = operators[row].doubled && has(s, at + 1, c);
    *len = again && operators[row].doubled_equal && has(s, at + 2, '=') ? 3 : 2;
    if (*len == 3)
        return operators[row].doubled_equal;
    if (again)
        return operators[row].doubled;
    if (operators[row].equal && has(s, at + 1, '='))
        return operators[row].equal;
    *len = 1;
    return operators[row].alone;
}

/* What is not a token: its extent, so that one mistake is met once. A whole line of
 * a preprocessor, a whole text in quotes, a comment without an end. */
static uint32_t invalid_end(Str s, uint32_t at)
{
    char c = s.data[at];
    uint32_t n, code;
    if (c == '/')
        return s.len;
    if (c != '#' && c != '"' && c != '\'') {
        n = utf8_decode(s, at, &code);
        return at + (n ? n : 1);
    }
    for (uint32_t i = at + 1; i < s.len; i++) {
        if (lex_line_break(s, i))
            return i;
        if (c != '#' && s.data[i] == c)
            return i + 1;
    }
    return s.len;
}

void lex_init(Lexer *x, Module *m)
{
    *x = (Lexer){.module = m, .source = m->source};
}

static Token name_token(Lexer *x, uint32_t start, uint32_t end)
{
    Str text = {x->source.data + start, end - start};
    Name *name = syntax_name(x->module, text);
    return (Token){name->word ? (TokenKind)name->word : TOKEN_NAME, {start, end}, name};
}

/* '<' and '>', which may be delimiters of a template list. */
static Token angle_token(Lexer *x, uint32_t start)
{
    bool opens = x->source.data[start] == '<';
    if (template_is_delimiter(x, start))
        return (Token){opens ? TOKEN_TEMPLATE_START : TOKEN_TEMPLATE_END,
                       {start, start + 1}, NULL};
    uint32_t len;
    TokenKind kind = operator_at(x->source, start, &len);
    return (Token){kind, {start, start + len}, NULL};
}

static Token read_token(Lexer *x, uint32_t start)
{
    Str s = x->source;
    uint32_t end;
    if ((end = lex_skip_name(s, start)) > start) {
        Token token = name_token(x, start, end);
        x->at = lex_skip_blank(s, end);
        /* A '<' after a name may open a template list: find out now. */
        if (has(s, x->at, '<') && x->at >= x->searched
            && token.kind != TOKEN_TRUE && token.kind != TOKEN_FALSE)
            template_discover(x, x->at);
        return token;
    }
    if ((end = lex_skip_number(s, start)) > start)
        return (Token){TOKEN_NUMBER, {start, end}, NULL};
    if (s.data[start] == '<' || s.data[start] == '>')
        return angle_token(x, start);
    uint32_t len;
    TokenKind kind = operator_at(s, start, &len);
    /* In "a<b->" the '>' closes a list first of all. */
    if (kind == TOKEN_ARROW && template_is_delimiter(x, start + 1))
        return (Token){TOKEN_MINUS, {start, start + 1}, NULL};
    /* Blankspace was skipped: a comment here is one without an end. */
    if (s.data[start] == '/' && has(s, start + 1, '*'))
        kind = TOKEN_INVALID;
    end = kind == TOKEN_INVALID ? invalid_end(s, start) : start + len;
    return (Token){kind, {start, end}, NULL};
}

Token lex_next(Lexer *x)
{
    uint32_t start = lex_skip_blank(x->source, x->at);
    if (start >= x->source.len)
        return (Token){TOKEN_END, {x->source.len, x->source.len}, NULL};
    x->at = start;
    Token token = read_token(x, start);
    x->at = MAX_OF(x->at, token.span.end);
    return token;
}

/* ---- words ---- */

static const char *const kind_texts[] = {
#define TOKEN(kind, text)       text,
#define PUNCTUATION(kind, text) "'" text "'",
#define KEYWORD(kind, text)     "'" text "'",
#include "syntax/token.def"
#undef TOKEN
#undef PUNCTUATION
#undef KEYWORD
};
_Static_assert(COUNTOF(kind_texts) == TOKEN_KIND_COUNT, "a token has no text");

typedef struct Word {
    const char *text;
    TokenKind   kind;
} Word;

static const Word keywords[] = {
#define KEYWORD(kind, text) {text, TOKEN_##kind},
#include "syntax/token.def"
#undef KEYWORD
};

static const Word reserved[] = {
#define RESERVED(text) {text, TOKEN_RESERVED},
#include "syntax/reserved.def"
#undef RESERVED
};

const char *token_kind_text(TokenKind kind)
{
    return kind_texts[kind];
}

bool token_is_keyword(TokenKind kind)
{
    return kind >= TOKEN_ALIAS && kind <= TOKEN_WHILE;
}

static int compare(Str text, const char *word)
{
    uint32_t len = (uint32_t)strlen(word);
    int order = memcmp(text.data, word, MIN_OF(text.len, len));
    return order ? order : (text.len > len) - (text.len < len);
}

static TokenKind find_word(const Word *words, size_t count, Str text)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(text, words[middle].text);
        if (order == 0)
            return words[middle].kind;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return (TokenKind)0;
}

TokenKind token_find_word(Str text)
{
    TokenKind kind = find_word(keywords, COUNTOF(keywords), text);
    return kind ? kind : find_word(reserved, COUNTOF(reserved), text);
}

bool syntax_is_word(Str text)
{
    return token_find_word(text) != 0;
}
