// SPDX-License-Identifier: Apache-2.0
/*
 * print.c - a module as text, in the form that spirv-as reads.
 *
 * in     words that the emitter made
 * out    an instruction a line
 * knows  the instructions of print.def
 * not    what they mean
 */
#include "emit/spirv/spirv_priv.h"

#include <string.h>

typedef struct OpRow {
    SpvOp       op;
    const char *name, *operands;
} OpRow;

static const OpRow op_rows[] = {
#define SPVOP(name, operands) {SpvOp##name, #name, operands},
#include "emit/spirv/print.def"
#undef SPVOP
};

typedef struct NameRow {
    char        letter;
    uint32_t    value;
    const char *name;
} NameRow;

static const NameRow name_rows[] = {
#define SPVNAME(letter, kind, name) {letter, kind##name, #name},
#include "emit/spirv/print.def"
#undef SPVNAME
};

static const OpRow *find_op(SpvOp op)
{
    for (size_t i = 0; i < COUNTOF(op_rows); i++)
        if (op_rows[i].op == op)
            return &op_rows[i];
    BUG("no row for instruction %d in print.def", (int)op);
}

static const char *find_name(char letter, uint32_t value)
{
    if (letter == '0')
        return "None";
    if (letter == 'l')
        return value == SpvLoopControlDontUnrollMask ? "DontUnroll" : "None";
    for (size_t i = 0; i < COUNTOF(name_rows); i++)
        if (name_rows[i].letter == letter && name_rows[i].value == value)
            return name_rows[i].name;
    BUG("no row for %c %u in print.def", letter, value);
}

/* ---- one instruction ---- */

typedef struct Printer {
    Text           *out;
    const uint32_t *floats;         /* [bound] width of float types               */
    const uint32_t *at, *end;       /* the operands that are left                 */
    SpvId           type;           /* of the result                              */
    bool            builtin;        /* the decoration is BuiltIn                  */
} Printer;

static void print_text(Printer *p)
{
    text_printf(p->out, " \"");
    for (bool more = true; more && p->at < p->end; p->at++)
        for (int i = 0; i < 4 && more; i++) {
            char c = (char)(*p->at >> 8 * i);
            more = c != '\0';
            if (more)
                text_char(p->out, c);
        }
    text_printf(p->out, "\"");
}

/* Of floats the bits as a number that says all of them; the others as they are. */
static void print_double(Printer *p, uint32_t low, uint32_t high)
{
    uint32_t exponent = high >> 20 & 2047, fraction = high & 0xfffff;
    bool     zero = !fraction && !low;
    text_printf(p->out, " %s0x%c.%05x%08xp%+d", high >> 31 ? "-" : "", exponent ? '1' : '0',
                fraction, low, exponent ? (int)exponent - 1023 : zero ? 0 : -1022);
}

static void print_constant(Printer *p)
{
    uint32_t bits = *p->at++, width = p->floats[p->type];
    if (width == 64) {
        print_double(p, bits, *p->at++);
        return;
    }
    uint32_t fraction = width == 16 ? 10 : 23, bias = width == 16 ? 15 : 127;
    uint32_t top = width == 16 ? 31 : 255, exponent = bits >> fraction & top;
    uint32_t mantissa = (bits & ((1u << fraction) - 1)) << (24 - fraction);
    if (!width) {
        text_printf(p->out, " %u", bits);
        return;
    }
    text_printf(p->out, " %s0x%c.%06xp%+d", bits >> (width - 1) ? "-" : "",
                exponent ? '1' : '0', mantissa,
                exponent ? (int)exponent - (int)bias : mantissa ? 1 - (int)bias : 0);
}

static void print_operand(Printer *p, char letter)
{
    switch (letter) {
    case 's': print_text(p); return;
    case 'k': print_constant(p); return;
    case 'i': text_printf(p->out, " %%%u", *p->at++); return;
    case 'n': text_printf(p->out, " %u", *p->at++); return;
    case 'w':
        text_printf(p->out, " %u %%%u", p->at[0], p->at[1]);
        p->at += 2;
        return;
    case 'u':
        letter = 'b';
        if (!p->builtin) {
            text_printf(p->out, " %u", *p->at++);
            return;
        }
        break;
    default:
        break;
    }
    p->builtin = letter == 'd' && *p->at == SpvDecorationBuiltIn;
    text_printf(p->out, " %s", find_name(letter, *p->at++));
}

static void print_operands(Printer *p, const char *letters)
{
    while (p->at < p->end && *letters) {
        print_operand(p, *letters);
        if (letters[1] != '*')
            letters++;
    }
}

static void print_inst(Printer *p, const uint32_t *words)
{
    const OpRow *row = find_op((SpvOp)(words[0] & SpvOpCodeMask));
    const char *letters = row->operands;
    p->at = words + 1;
    p->end = words + (words[0] >> SpvWordCountShift);
    p->type = 0;
    if (*letters == 't') {
        p->type = *p->at++;
        letters++;
    }
    if (*letters == 'r') {
        text_printf(p->out, "%%%u = ", *p->at++);
        letters++;
    }
    text_printf(p->out, "Op%s", row->name);
    if (p->type)
        text_printf(p->out, " %%%u", p->type);
    print_operands(p, letters);
    text_char(p->out, '\n');
}

void spirv_print(Text *out, SpirvCode code)
{
    uint32_t *floats = ARENA_ARRAY(out->arena, uint32_t, code.words[3]);
    Printer p = {.out = out, .floats = floats};
    text_printf(out, "; SPIR-V %u.%u\n", code.words[1] >> 16 & 255, code.words[1] >> 8 & 255);
    for (size_t at = 5; at < code.count; at += code.words[at] >> SpvWordCountShift) {
        const uint32_t *words = code.words + at;
        if ((words[0] & SpvOpCodeMask) == SpvOpTypeFloat)
            floats[words[1]] = words[2];
        print_inst(&p, words);
    }
}
