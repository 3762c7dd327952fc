// SPDX-License-Identifier: Apache-2.0
/*
 * quads.c - one vec4 instead of four words that are side by side.
 *
 * in     a kernel with its accesses
 * out    edits: the array's declaration, a load before the statement, components in it
 *
 * Arrays of a fixed size alone: the length of others need not be a multiple of four, and the
 * words behind the last whole vector would be lost. The array is only read, every access to it
 * is proved to be inside, and all of them are in groups a[i], a[i + 1], a[i + 2], a[i + 3] of
 * one statement, where i is a multiple of four.
 */
#include "inspect/rewrite_priv.h"

#include <string.h>

#include "check/module.h"
#include "check/type.h"

#define MOST_WORDS 64u                  /* accesses of one array                   */

typedef struct Word {
    Span        span;                   /* a[...] in the text                      */
    const Inst *base;                   /* index without its constant; NULL: only that */
    uint32_t    offset;                 /* that constant                           */
    const Stmt *stmt;                   /* that contains it                        */
} Word;

/* ---- indices ---- */

static bool is_same(const Inst *a, const Inst *b, uint32_t depth)
{
    if (a == b)
        return true;
    if (!a || !b || depth == 0 || a->op != b->op || a->nargs != b->nargs)
        return false;
    if (a->op == IR_CONST)
        return a->constant.bits[0] == b->constant.bits[0];
    if (a->op == IR_INPUT)
        return a->input == b->input;
    if (a->op != IR_IADD && a->op != IR_IMUL && a->op != IR_SHL && a->op != IR_BITCAST)
        return false;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!is_same(a->args[i], b->args[i], depth - 1))
            return false;
    return true;
}

/* Modulo 2^32 too, which four divides. */
static bool is_multiple_of_4(const Inst *v)
{
    switch (v->op) {
    case IR_CONST: return v->constant.bits[0] % 4 == 0;
    case IR_IMUL: return is_multiple_of_4(v->args[0]) || is_multiple_of_4(v->args[1]);
    case IR_IADD: return is_multiple_of_4(v->args[0]) && is_multiple_of_4(v->args[1]);
    case IR_SHL:
        return v->args[1]->op == IR_CONST && (v->args[1]->constant.bits[0] & 31) >= 2;
    case IR_UNIFORM: case IR_BITCAST: return is_multiple_of_4(v->args[0]);
    default: return false;
    }
}

/* index = base + 4 k + offset */
static bool split_index(Word *w, const Inst *index)
{
    *w = (Word){.span = w->span, .base = index};
    if (index->op == IR_CONST) {
        w->base = NULL;
        w->offset = index->constant.bits[0];
        return true;
    }
    if (index->op == IR_IADD && index->args[1]->op == IR_CONST) {
        w->base = index->args[0];
        w->offset = index->args[1]->constant.bits[0];
    } else if (index->op == IR_IADD && index->args[0]->op == IR_CONST) {
        w->base = index->args[1];
        w->offset = index->args[0]->constant.bits[0];
    }
    return is_multiple_of_4(w->base);
}

/* ---- statements ---- */

static bool contains(Span outer, Span inner)
{
    return outer.start <= inner.start && inner.end <= outer.end;
}

static const Stmt *find_in_block(const Block *b, Span span);

/* Inside of a statement with blocks; NULL: in its head. */
static const Stmt *find_inside(const Stmt *s, Span span)
{
    const Stmt *found = NULL;
    switch (s->kind) {
    case STMT_BLOCK: return find_in_block(s->block, span);
    case STMT_IF:
        for (uint32_t i = 0; i < s->if_.nclauses && !found; i++)
            found = find_in_block(s->if_.clauses[i].block, span);
        return found ? found : find_in_block(s->if_.otherwise, span);
    case STMT_SWITCH:
        for (uint32_t i = 0; i < s->switch_.nclauses && !found; i++)
            found = find_in_block(s->switch_.clauses[i].block, span);
        return found;
    case STMT_LOOP:
        found = find_in_block(s->loop.body, span);
        return found ? found : find_in_block(s->loop.continuing, span);
    case STMT_FOR: return find_in_block(s->for_.body, span);
    case STMT_WHILE: return find_in_block(s->while_.body, span);
    case STMT_DECL: case STMT_ASSIGN: case STMT_COMPOUND: case STMT_PHONY: case STMT_CALL:
    case STMT_RETURN: return s;
    default: return NULL;
    }
}

static const Stmt *find_in_block(const Block *b, Span span)
{
    for (uint32_t i = 0; b && i < b->len; i++)
        if (contains(b->stmts[i]->span, span))
            return find_inside(b->stmts[i], span);
    return NULL;
}

/* ---- one array ---- */

static uint32_t count_words(Str source, Str word)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i + word.len <= source.len; i++) {
        char before = i ? source.data[i - 1] : ' ';
        char after = i + word.len < source.len ? source.data[i + word.len] : ' ';
        bool joined = before == '_' || after == '_' || (unsigned char)before >= 0x80 ||
                      (unsigned char)after >= 0x80;
        bool inside = (before >= '0' && before <= '9') || (before >= 'A' && before <= 'Z') ||
                      (before >= 'a' && before <= 'z') || (after >= '0' && after <= '9') ||
                      (after >= 'A' && after <= 'Z') || (after >= 'a' && after <= 'z');
        count += !joined && !inside && memcmp(source.data + i, word.data, word.len) == 0;
    }
    return count;
}

/* A function of the module could change what an index is made of, in the same statement. */
static bool calls_functions(const Inspect *n, const Stmt *s)
{
    Str text = {n->module->source.data + s->span.start, s->span.end - s->span.start};
    for (uint32_t i = 0; i < n->module->decls.len; i++) {
        const Decl *d = n->module->decls.data[i];
        if (d->kind == DECL_FN && count_words(text, ident_text(d->ident)))
            return true;
    }
    return false;
}

/* An array of words with a fixed size that four divides; only read. */
static bool is_candidate(const Decl *d)
{
    const Type *t = d->kind == DECL_VAR && d->var.has_binding ? d->type : NULL;
    return t && t->kind == TYPE_ARRAY && d->var.space == SPACE_STORAGE &&
           d->var.access == ACCESS_READ && t->array.count_kind == COUNT_FIXED &&
           t->array.count % 4 == 0 && d->var.type_expr &&
           (t->array.of->kind == TYPE_F32 || t->array.of->kind == TYPE_I32 ||
            t->array.of->kind == TYPE_U32);
}

/* The access as the text has it; false: it is not a plain a[...] of the entry point. */
static bool read_word(Inspect *n, Word *w, const Inst *inst, Str name)
{
    Str         source = n->module->source;
    const Inst *place = inst->args[0];
    w->span = inst->span;
    if (place->op != IR_ELEM || place->args[0]->op != IR_VAR ||
        !contains(n->entry->fn.body->span, w->span) || w->span.end > source.len ||
        w->span.end - w->span.start < name.len + 3 ||
        memcmp(source.data + w->span.start, name.data, name.len) != 0 ||
        source.data[w->span.start + name.len] != '[' || source.data[w->span.end - 1] != ']')
        return false;
    if (!split_index(w, place->args[1]))
        return false;
    w->stmt = find_in_block(n->entry->fn.body, w->span);
    return w->stmt && !calls_functions(n, w->stmt);
}

static bool collect(Inspect *n, const Decl *d, Word *words, uint32_t *count)
{
    Str name = ident_text(d->ident);
    *count = 0;
    for (uint32_t i = 0; i < n->accesses.len; i++) {
        const weft_kernel_access *a = &n->accesses.data[i];
        if (!str_eq(str_of(a->variable), name))
            continue;
        if (*count == MOST_WORDS || a->write || a->atomic || !a->in_bounds || a->bytes != 4 ||
            !read_word(n, &words[*count], n->access_insts.data[i], name))
            return false;
        ++*count;
    }
    return *count >= 4 && count_words(n->module->source, name) == *count + 1;
}

/* The four of a group: same statement, same base, offsets 4 k to 4 k + 3. */
static bool find_group(Word *words, uint32_t count, const bool *done, uint32_t first,
                       uint32_t out[4])
{
    uint32_t start = words[first].offset / 4 * 4, found = 0;
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t i = 0; i < count; i++) {
            if (done[i] || words[i].offset != start + c || words[i].stmt != words[first].stmt ||
                !is_same(words[i].base, words[first].base, 8))
                continue;
            out[c] = i;
            found++;
            break;
        }
    return found == 4;
}

/* ---- edits ---- */

static void load_group(Rewrite *r, const Decl *d, const Word *words, const uint32_t at[4],
                       uint32_t number)
{
    Inspect    *n = r->n;
    Str         source = n->module->source, name = ident_text(d->ident);
    const Word *first = &words[at[0]];
    const char *value = rewrite_name(n, name, "four", number);
    uint32_t    index = first->span.start + name.len + 1;
    rewrite_edit(r, first->stmt->span.start, first->stmt->span.start,
                 arena_printf(&n->arena, "let %s = %.*s[(%.*s) / 4]; ", value, STR_ARG(name),
                              (int)(first->span.end - 1 - index), source.data + index));
    for (uint32_t c = 0; c < 4; c++)
        rewrite_edit(r, words[at[c]].span.start, words[at[c]].span.end,
                     arena_printf(&n->arena, "%s.%c", value, "xyzw"[c]));
}

static bool rewrite_array(Rewrite *r, const Decl *d)
{
    Inspect    *n = r->n;
    Word        words[MOST_WORDS];
    uint32_t    groups[MOST_WORDS / 4][4], count, ngroups = 0;
    bool        done[MOST_WORDS] = {0};
    const char *scalar = d->type->array.of->kind == TYPE_F32   ? "f32"
                         : d->type->array.of->kind == TYPE_I32 ? "i32" : "u32";
    if (!collect(n, d, words, &count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (done[i])
            continue;
        if (!find_group(words, count, done, i, groups[ngroups]))
            return false;
        for (uint32_t c = 0; c < 4; c++)
            done[groups[ngroups][c]] = true;
        ngroups++;
    }
    for (uint32_t g = 0; g < ngroups; g++)
        load_group(r, d, words, groups[g], g);
    Span type = d->var.type_expr->span;
    rewrite_edit(r, type.start, type.end,
                 arena_printf(&n->arena, "array<vec4<%s>, %llu>", scalar,
                              (unsigned long long)(d->type->array.count / 4)));
    const char *change = arena_printf(&n->arena, "'%.*s' is loaded in vectors of four",
                                      STR_ARG(ident_text(d->ident)));
    VEC_PUSH(&n->arena, &r->changes, change);
    return true;
}

bool quads_run(Rewrite *r)
{
    const Module *m = r->n->module;
    bool any = false;
    for (uint32_t i = 0; i < m->decls.len; i++)
        if (is_candidate(m->decls.data[i]))
            any |= rewrite_array(r, m->decls.data[i]);
    return any;
}
