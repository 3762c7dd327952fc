// SPDX-License-Identifier: Apache-2.0
/*
 * jinja_priv.h - the syntax tree of a template, and the interpreter that walks it.
 *
 * The tree is in the arena of the Jinja, values are in the arena of the rendering. A fault
 * ends a rendering: functions return undefined, loops look at jinja_failed().
 */
#ifndef WEFT_MODEL_JINJA_PRIV_H
#define WEFT_MODEL_JINJA_PRIV_H

#include "model/jinja.h"

/* ---- tokens ---- */

typedef enum TokenKind {
    TOKEN_END,
    TOKEN_TEXT,                     /* between tags, trimmed                               */
    TOKEN_OUTPUT,                   /* {{                                                  */
    TOKEN_OUTPUT_END,
    TOKEN_BLOCK,                    /* {%                                                  */
    TOKEN_BLOCK_END,
    TOKEN_NAME,
    TOKEN_STRING,                   /* text: with its escapes resolved                     */
    TOKEN_INT,
    TOKEN_FLOAT,
    TOKEN_OPERATOR,
} TokenKind;

typedef struct JinjaToken {
    TokenKind kind;
    uint32_t  at;                   /* in the source                                       */
    Str       text;
} JinjaToken;

typedef VEC(JinjaToken) JinjaTokens;

/* False with a fault; must run under arena_try(). */
bool jinja_lex(JinjaTokens *out, Arena *a, Str source, Fault *fault);

/* "template, line 3, column 7: ..." */
bool jinja_fail_at(Fault *fault, FaultKind kind, Str source, uint32_t at, const char *fmt, ...)
    PRINTF_LIKE(5, 6);

/* ---- the tree ---- */

typedef enum NodeKind {
    /* expressions:      what the fields hold                                              */
    NODE_LITERAL,        /* value                                                          */
    NODE_NAME,           /* name                                                           */
    NODE_LIST,           /* items                                                          */
    NODE_TUPLE,          /* items                                                          */
    NODE_DICT,           /* items: key, value, key, value, ...                             */
    NODE_NOT,            /* a                                                              */
    NODE_NEGATE,         /* a                                                              */
    NODE_PLUS,           /* a                                                              */
    NODE_AND,            /* a, b                                                           */
    NODE_OR,             /* a, b                                                           */
    NODE_BINARY,         /* name: operator; a, b                                           */
    NODE_COMPARE,        /* items: operands; args: operators as names                      */
    NODE_IF_ELSE,        /* a if b else c (c may be NULL)                                  */
    NODE_MEMBER,         /* a.name                                                         */
    NODE_INDEX,          /* a[b]                                                           */
    NODE_SLICE,          /* a[b:c:d], each may be NULL                                     */
    NODE_CALL,           /* a(args)                                                        */
    NODE_FILTER,         /* a | name(args)                                                 */
    NODE_TEST,           /* a is name(args)                                                */
    NODE_INPUT,          /* what a filter block filters                                    */
    /* statements                                                                          */
    NODE_BODY,           /* items                                                          */
    NODE_TEXT,           /* name: the text                                                 */
    NODE_OUTPUT,         /* a                                                              */
    NODE_IF,             /* a; b: body; c: else, or NULL                                   */
    NODE_FOR,            /* a: target; b: iterable; c: body; d: else; filter               */
    NODE_SET,            /* a: target; b: value                                            */
    NODE_SET_BLOCK,      /* a: target; b: filters of NODE_INPUT; c: body                   */
    NODE_MACRO,          /* name; args: parameters with defaults; a: body                  */
    NODE_CALL_BLOCK,     /* a: the call; args: parameters of caller(); b: body             */
    NODE_FILTER_BLOCK,   /* a: filters of NODE_INPUT; b: body                              */
    NODE_DO,             /* a                                                              */
    NODE_BREAK,
    NODE_CONTINUE,
} NodeKind;

typedef struct JinjaArg {
    Str        name;                /* data NULL: positional                               */
    JinjaNode *value;               /* NULL: a parameter without a default                 */
} JinjaArg;

struct JinjaNode {
    NodeKind         kind;
    uint32_t         at;            /* in the source                                       */
    Str              name;
    Value            value;
    JinjaNode       *a, *b, *c, *d, *filter;
    VEC(JinjaNode *) items;
    VEC(JinjaArg)    args;
};

typedef struct JinjaParser {
    Arena            *arena;
    Str               source;
    const JinjaToken *token;        /* the current one; the last is TOKEN_END              */
    uint32_t          depth;
    Fault            *fault;
} JinjaParser;

JinjaNode *jinja_node(JinjaParser *p, NodeKind kind);
bool       jinja_error(JinjaParser *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
bool       jinja_is(const JinjaParser *p, TokenKind kind, const char *text);
bool       jinja_take(JinjaParser *p, TokenKind kind, const char *text);
bool       jinja_expect(JinjaParser *p, TokenKind kind, const char *text);

/* Expressions (jinja_expr.c). On a fault they return some node. */
JinjaNode *jinja_expression(JinjaParser *p);            /* with a if b else c              */
JinjaNode *jinja_expression_list(JinjaParser *p);       /* a, b is a tuple                 */
JinjaNode *jinja_or(JinjaParser *p);                    /* without if                      */
JinjaNode *jinja_target(JinjaParser *p);                /* of for and set                  */
JinjaNode *jinja_postfix(JinjaParser *p, JinjaNode *node);      /* . [] () | after it      */
void       jinja_args(JinjaParser *p, JinjaNode *call); /* after the parenthesis           */

/* ---- the interpreter ---- */

typedef struct Scope Scope;
struct Scope {
    Dict  *variables;
    Scope *outer;
};

typedef struct Interp {
    Arena             *arena;
    const Jinja       *jinja;
    const JinjaRender *how;
    Scope             *scope;
    Scope             *top;         /* of the template                                     */
    Text              *out;
    size_t             written;     /* bytes to all outputs                                */
    uint64_t           steps;
    uint32_t           depth;
    uint32_t           at;          /* in the source, for messages                         */
    Value              input;       /* NODE_INPUT                                          */
    Fault             *fault;
} Interp;

typedef struct NamedValue {
    Str   name;
    Value value;
} NamedValue;

typedef struct Call {
    Value       self;               /* input of a filter or test, object of a method       */
    Value      *args;
    NamedValue *named;
    uint32_t    count, named_count;
    const char *what;               /* name of the function, for messages                  */
} Call;

typedef Value (*Native)(Interp *in, const Call *call);

/* A function of a table, bound to self, or a macro with the scope that it was made in. */
struct Callable {
    const char      *name;
    Native           native;
    Value            self;
    const JinjaNode *macro;         /* NODE_MACRO or NODE_CALL_BLOCK                       */
    Scope           *scope;
};

typedef struct NativeRow {
    const char *name;
    Native      function;
} NativeRow;

bool  jinja_failed(const Interp *in);
Value jinja_fault(Interp *in, const char *fmt, ...) PRINTF_LIKE(2, 3);      /* undefined   */
/* Counts work of a native function, in bytes or items. */
bool  jinja_spend(Interp *in, uint64_t amount);

Value jinja_eval(Interp *in, const JinjaNode *node);
Value jinja_call(Interp *in, Value callee, const Call *call);
/* A filter or test by name; undefined with a fault if there is none. */
Value jinja_filter(Interp *in, Str name, const Call *call);
bool  jinja_test(Interp *in, Str name, const Call *call);
bool  jinja_has_filter(Str name);
bool  jinja_has_test(Str name);

/* obj.name and obj[key]; undefined if there is none. */
Value jinja_member(Interp *in, Value of, Str name);
Value jinja_index(Interp *in, Value of, Value key);
Value jinja_binary(Interp *in, Str op, Value a, Value b);
bool  jinja_truth(Value v);
bool  jinja_hashable(Value v);            /* may be a key                                  */
bool  jinja_equal(Interp *in, Value a, Value b);
/* -1, 0, 1; a fault if the two have no order. */
int   jinja_order(Interp *in, Value a, Value b);
bool  jinja_contains(Interp *in, Value in_what, Value what);
/* The items of anything that can be iterated; NULL with a fault for others. */
List *jinja_items(Interp *in, Value v);

/* As str() and repr() of Python write it. */
void  jinja_write(Interp *in, Text *t, Value v, bool repr);
/* As str(), with None as the empty string. */
Str   jinja_string(Interp *in, Value v);

/* Arguments by position or name; `none` if it is not given. */
Value   jinja_arg(const Call *c, uint32_t index, const char *name, Value none);
int64_t jinja_arg_int(Interp *in, const Call *c, uint32_t index, const char *name, int64_t none);
Str     jinja_arg_str(Interp *in, const Call *c, uint32_t index, const char *name, Str none);

/* A native function of an object: NULL if there is none of that name. */
Native jinja_method_find(Value of, Str name);
Native jinja_global_find(Str name);

/* Code points of a string. */
uint32_t jinja_length(Str s);
Str      jinja_strip(Str s, Str chars, bool left, bool right);      /* chars.data NULL: blanks */
Str      jinja_replace(Interp *in, Str s, Str from, Str to, int64_t count);
Str      jinja_case(Interp *in, Str s, char how);   /* 'u'pper, 'l'ower, 't'itle, 'c'apitalize */

#endif
