// SPDX-License-Identifier: Apache-2.0
/*
 * ast.h - the shape of a WGSL module: what the parser makes and the checker
 * completes.
 *
 * made by   parse*.c, in the arena of the Module; freed with it, all at once
 * read by   check/, lower/, syntax/print.c
 * changes   the fields marked [check]: NULL or zero before, filled once by
 *           check/. check/ also wraps expressions in EXPR_LOAD and inserts
 *           UNOP_DEREF where WGSL reads or follows memory without saying so.
 * not here  IR, anything a device knows
 *
 * Depth: the parser bounds nesting (SYNTAX_MAX_DEPTH), so recursion over
 * children is safe, with one exception: the left operands of BINARY chains
 * ("a + b + c + ...") may be a million deep. Walk them with a loop.
 */
#ifndef WEFT_SYNTAX_AST_H
#define WEFT_SYNTAX_AST_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/str.h"

/* Nesting of brackets, templates, unary operators, right operands, accesses and
 * blocks together, along one path from the module to a leaf. */
#define SYNTAX_MAX_DEPTH 512
/* Nesting of brace-enclosed statements in a function. */
#define SYNTAX_MAX_BLOCK_DEPTH 127

typedef struct Type  Type;              /* check/type.h */
typedef struct Value Value;             /* check/value.h */
typedef struct Expr  Expr;
typedef struct Stmt  Stmt;
typedef struct Decl  Decl;
typedef struct Block Block;

/* ---- names ---- */

/* One spelling, interned in the module: equal names are equal pointers. */
typedef struct Name {
    Str      text;
    uint64_t hash;
    struct Name *child[4], *before;     /* in the interner: names.c               */
    Decl    *bound;                     /* [check] innermost declaration in scope */
    uint16_t predeclared;               /* [check] row of the predeclared names + 1,
                                           UINT16_MAX: known to be none           */
    uint8_t  word;                      /* its TokenKind if it is a keyword or a
                                           reserved word; 0: a plain name         */
} Name;

/* One use of a name in the text. */
typedef struct Ident {
    Name *name;                         /* NULL only after a parse error          */
    Span  span;
} Ident;

/* For messages. */
static inline Str ident_text(Ident ident)
{
    return ident.name ? ident.name->text : STR("?");
}

/* ---- expressions ---- */

typedef enum ExprKind {
#define EXPR(kind, what) EXPR_##kind,
#include "syntax/expr.def"
#undef EXPR
    EXPR_KIND_COUNT
} ExprKind;

typedef enum UnOp {
#define UNOP(kind, text) UNOP_##kind,
#include "syntax/ops.def"
#undef UNOP
    UNOP_COUNT
} UnOp;

typedef enum BinOp {
#define BINOP(kind, text) BINOP_##kind,
#include "syntax/ops.def"
#undef BINOP
    BINOP_COUNT
} BinOp;

typedef enum LiteralKind {
    LITERAL_BOOL,
    LITERAL_ABSTRACT_INT,               /* 1, 0x1                                 */
    LITERAL_I32,                        /* 1i                                     */
    LITERAL_U32,                        /* 1u                                     */
    LITERAL_ABSTRACT_FLOAT,             /* 1.0, 1e5, 0x1p0                        */
    LITERAL_F32,                        /* 1f                                     */
    LITERAL_F16,                        /* 1h                                     */
    LITERAL_F64,                        /* 1lf                                    */
} LiteralKind;

/* When the value of an expression can be known at the latest. */
typedef enum EvalStage {
    EVAL_CONST,                         /* when the module is made                */
    EVAL_OVERRIDE,                      /* when the pipeline is made              */
    EVAL_RUNTIME,
} EvalStage;

/* What a call turned out to be. */
typedef enum CallKind {
    CALL_UNRESOLVED,
    CALL_FUNCTION,                      /* decl: the user's function              */
    CALL_BUILTIN,                       /* builtin: check/builtin.h               */
    CALL_CONSTRUCT,                     /* a value of expr->type from parts; no
                                           arguments: the zero value; one argument
                                           of another shape: conversion or splat  */
} CallKind;

struct Expr {
    ExprKind     kind;
    bool         parenthesized;         /* (e)                                    */
    EvalStage    stage;                 /* [check]                                */
    Span         span;                  /* its text; every message points here    */
    const Type  *type;                  /* [check] NULL before, never NULL after;
                                           the error type after a reported error;
                                           abstract only inside constants         */
    const Value *value;                 /* [check] non-NULL if stage is EVAL_CONST
                                           and there was no error: the value, of
                                           type `type`. Nothing below a node with
                                           a value needs to be looked at again.
                                           In the right side of && or ||, if the
                                           left side is known and decides, what
                                           would fail has no value: nothing there
                                           is ever evaluated                      */
    union {
        struct {
            LiteralKind kind;
            bool        boolean;
            uint64_t    integer;        /* magnitude as written                   */
            double      real;           /* nearest to the text                    */
        } literal;
        struct {
            Ident      ident;
            Expr     **args;            /* template list                          */
            uint32_t   nargs;
            bool       has_template;    /* "<" was written                        */
            Decl      *decl;            /* [check] NULL for predeclared names     */
        } name;
        struct {
            Expr      *callee;          /* always EXPR_NAME                       */
            Expr     **args;
            uint32_t   nargs;
            CallKind   kind;            /* [check]                                */
            Decl      *function;        /* [check] for CALL_FUNCTION              */
            uint16_t   builtin;         /* [check] BuiltinId, for CALL_BUILTIN    */
        } call;
        struct {
            Expr      *of;
            Ident      field;
            uint8_t    swizzle[4];      /* [check] component numbers              */
            uint8_t    width;           /* [check] components; 0: structure member */
            uint32_t   member;          /* [check] index of the structure member  */
        } member;
        struct { Expr *of, *at; }                       index;
        struct { UnOp op; bool implied; Expr *of; }     unary;
        struct { BinOp op; Span op_span; Expr *lhs, *rhs; } binary;
        struct { Expr *of; }                            load;
    };
};

/* ---- attributes and diagnostic filters ---- */

typedef enum AttrKind {
#define ATTR(kind, text, min, max, takes) ATTR_##kind,
#include "syntax/attr.def"
#undef ATTR
    ATTR_KIND_COUNT
} AttrKind;

typedef struct Attr {
    AttrKind kind;
    Span     span;                      /* from '@' to ')'                        */
    Expr    *args[3];                   /* VALUES                                 */
    Ident    names[3];                  /* NAMES; for DIAGNOSTIC: severity, rule,
                                           rule part after '.' (name NULL: none)  */
    uint32_t nargs;
} Attr;

typedef struct Attrs {
    Attr    *data;
    uint32_t len;
} Attrs;

/* ---- declarations ---- */

typedef enum DeclKind {
    DECL_CONST,
    DECL_OVERRIDE,
    DECL_LET,
    DECL_VAR,
    DECL_PARAM,
    DECL_ALIAS,
    DECL_STRUCT,
    DECL_FN,
    DECL_CONST_ASSERT,                  /* at module scope; has no name           */
} DeclKind;

typedef enum AddressSpace {
    SPACE_NONE,
    SPACE_FUNCTION,
    SPACE_PRIVATE,
    SPACE_WORKGROUP,
    SPACE_UNIFORM,
    SPACE_STORAGE,
    SPACE_HANDLE,                       /* textures and samplers; cannot be written */
    SPACE_IMMEDIATE,
} AddressSpace;

typedef enum Access {
    ACCESS_NONE,
    ACCESS_READ,
    ACCESS_WRITE,
    ACCESS_READ_WRITE,
} Access;

typedef struct Member {
    Ident       ident;
    Attrs       attrs;
    Expr       *type_expr;
    const Type *type;                   /* [check]                                */
    uint32_t    offset, align, size;    /* [check] bytes; size with padding of @size;
                                           0 for types without layout             */
    const struct IoAttrs *io;           /* [check] check/interface.h; never NULL  */
} Member;

typedef struct FnInfo FnInfo;           /* check/module.h */

struct Decl {
    DeclKind    kind;
    Ident       ident;
    Span        span;                   /* the whole declaration                  */
    Attrs       attrs;
    const Type *type;                   /* [check] store type of a variable, type
                                           of a value or parameter, the type an
                                           alias or structure names, result of fn
                                           (void type if none)                    */
    bool        is_global;
    uint32_t    index;                  /* [check] module scope: place in
                                           Module.ordered; local: number of the
                                           variable or value in its function      */
    uint32_t    bound_at;               /* [check] local: place in the checker's list
                                           of bindings while it is in scope       */
    union {
        /* CONST OVERRIDE LET VAR PARAM ALIAS: what is written */
        struct {
            Expr       *type_expr;      /* NULL: from the initialiser             */
            Expr       *init;           /* NULL: none                             */
            Expr      **space_args;     /* var<...>                               */
            uint32_t    nspace_args;
            bool        has_template;
            AddressSpace space;         /* [check] VAR                            */
            Access      access;         /* [check] VAR                            */
            const Value *value;         /* [check] CONST                          */
            bool        has_binding;    /* [check] VAR with @group and @binding   */
            uint32_t    group, binding; /* [check]                                */
            bool        has_id;         /* [check] OVERRIDE with @id              */
            uint32_t    id;             /* [check] OVERRIDE: @id or one of our own */
            uint32_t    override_index; /* [check] OVERRIDE: place in
                                           ModuleInfo.overrides                   */
            uint32_t    param_index;    /* PARAM                                  */
            Decl       *root;           /* [check] LET of pointer type: the variable
                                           or parameter it points into            */
            const struct IoAttrs *io;   /* [check] PARAM of an entry point        */
        } var;
        struct {
            Member     *members;
            uint32_t    nmembers;
        } structure;
        struct {
            Decl      **params;         /* DECL_PARAM                             */
            uint32_t    nparams;
            Expr       *result_expr;    /* NULL: no result                        */
            Attrs       result_attrs;
            Block      *body;
            FnInfo     *info;           /* [check]                                */
        } fn;
        struct { Expr *condition; } const_assert;
    };
};

/* ---- statements ---- */

typedef enum StmtKind {
#define STMT(kind, what) STMT_##kind,
#include "syntax/stmt.def"
#undef STMT
    STMT_KIND_COUNT
} StmtKind;

struct Block {
    Span     span;                      /* from '{' to '}'                        */
    Attrs    attrs;
    Stmt   **stmts;
    uint32_t len;
};

typedef struct IfClause {               /* if c {} else if c {}                   */
    Expr  *condition;
    Block *block;
} IfClause;

typedef struct SwitchClause {
    Span     span;
    Expr   **selectors;                 /* NULL element: `default`                */
    uint32_t nselectors;
    Block   *block;
} SwitchClause;

struct Stmt {
    StmtKind kind;
    Span     span;
    Attrs    attrs;                     /* @diagnostic before if, loop, ...       */
    uint8_t  behavior;                  /* [check] BEHAVIOR_* bits, check/behavior.h */
    union {
        Block *block;
        Decl  *decl;
        struct { Expr *lhs, *rhs; }                    assign;
        struct { Expr *lhs, *rhs; BinOp op; Span op_span; } compound;
        struct { Expr *lhs; bool decrement; }          increment;
        struct { Expr *rhs; }                          phony;
        struct { Expr *call; }                         call;
        struct {
            IfClause *clauses;
            uint32_t  nclauses;
            Block    *otherwise;        /* NULL: no else                          */
        } if_;
        struct {
            Expr         *selector;
            Attrs         body_attrs;
            SwitchClause *clauses;
            uint32_t      nclauses;
        } switch_;
        struct {
            Block *body;                /* without the continuing part            */
            Block *continuing;          /* NULL: none; break_if is its last stmt  */
        } loop;
        struct {
            Stmt  *init;                /* NULL: none                             */
            Expr  *condition;           /* NULL: none                             */
            Stmt  *update;              /* NULL: none                             */
            Block *body;
        } for_;
        struct { Expr *condition; Block *body; }       while_;
        struct { Expr *condition; }                    break_if;
        struct { Expr *value; }                        return_;
        struct { Expr *condition; }                    const_assert;
    };
};

/* ---- the module ---- */

typedef struct Directive {
    enum { DIRECTIVE_ENABLE, DIRECTIVE_REQUIRES, DIRECTIVE_DIAGNOSTIC } kind;
    Span   span;
    Ident *names;                       /* ENABLE, REQUIRES                       */
    uint32_t nnames;
    Attr   filter;                      /* DIAGNOSTIC, as the attribute           */
} Directive;

typedef struct ModuleInfo ModuleInfo;   /* check/module.h */

typedef struct Module {
    Arena    *arena;                    /* of everything below                    */
    Str       source;                   /* copied into the arena                  */
    struct {                            /* interner: names.c                      */
        Name   **roots;                 /* by the hash's first bits               */
        Name    *last;                  /* the newest; older ones by `before`     */
        uint32_t bits, count;
    } names;
    VEC(Directive) directives;
    VEC(Decl *)    decls;               /* in the order of the text               */
    ModuleInfo *info;                   /* [check]                                */
} Module;

/* Printed names of kinds and operators. */
const char *expr_kind_name(ExprKind kind);
const char *stmt_kind_name(StmtKind kind);
const char *attr_kind_name(AttrKind kind);
const char *un_op_text(UnOp op);
const char *bin_op_text(BinOp op);

#endif
