// SPDX-License-Identifier: Apache-2.0
/*
 * check_priv.h - the checker's own state, and who does what inside check/.
 *
 *   check.c       the passes, in order
 *   feature.c     directives: enable, requires, diagnostic filters
 *   scope.c       names to declarations; suggestions for misspelt names
 *   order.c       module-scope dependencies, cycles, recursion; without recursion
 *   predeclared.c names that no declaration binds: types, enumerants, builtins
 *   typexpr.c     type expressions, enumerants as template arguments
 *   space.c       address spaces: access modes, store types
 *   decl.c        declarations
 *   struct.c      structures, their members by name
 *   attr.c        attributes: where they may stand, their values
 *   layout.c      structure layout, address-space layout constraints
 *   expr.c        expressions, the load rule, conversions
 *   operator.c    the typing of unary and binary operators
 *   call.c        calls: functions, builtins (overload.c), construct.c
 *   view.c        views of buffers through parameters
 *   stmt.c        statements
 *   usage.c       what functions use, from which stages they are called
 *   behavior.c    behaviour analysis
 *   alias.c       aliasing of pointer arguments
 *   interface.c   entry points: inputs and outputs; iobuiltin.c  builtin values
 *   reach.c       the resources that entry points reach
 *   uniformity.c  uniformity analysis; uniformity_priv.h says which file does what
 *   override.c    pipeline creation: check_specialize()
 *   reflect.c     reflection; wgsl.c  the public weft/wgsl.h
 *   dump.c        the typed tree as text
 *   type.c value.c fold*.c  types, values, evaluation
 */
#ifndef WEFT_CHECK_CHECK_PRIV_H
#define WEFT_CHECK_CHECK_PRIV_H

#include "check/check.h"
#include "check/fold.h"

/* ---- diagnostic filters ---- */

typedef enum FilterRule {
    RULE_derivative_uniformity,
    RULE_subgroup_uniformity,
    RULE_COUNT
} FilterRule;

/* The severities in force at some point of the text; inner scopes copy. */
typedef struct Filters {
    Severity severity[RULE_COUNT];
} Filters;

/* A name bound in a scope, and what it hid. */
typedef struct Binding {
    Name *name;
    Decl *hidden;
    Decl *decl;
} Binding;

/* A module-scope declaration that another one mentions, and where first. */
typedef struct Mention {
    Decl *decl;
    Span  span;
} Mention;

typedef struct MentionRange {
    uint32_t start, end;
} MentionRange;

typedef struct AliasState AliasState;   /* alias.c */

/* A loop whose body or continuing block is being checked (stmt.c). */
typedef struct LoopScope LoopScope;

typedef struct Checker {
    Module      *module;
    ModuleInfo  *info;
    Arena       *arena;
    Diag        *diag;
    TypeTable   *types;             /* &info->types                              */
    FoldContext  fold;              /* const-expression errors                   */
    CheckOptions options;
    Filters      module_filters;
    VEC(Binding) bindings;          /* function scopes, innermost last           */
    Decl        *function;          /* being checked, or NULL                    */
    FnInfo      *fn;                /* its info                                  */
    Decl       **override_ids;      /* [65536] who has an @id; NULL: none yet    */
    VEC(bool)    uniform_seen;      /* by Type.id: layout.c has looked at it     */
    VEC(Mention) mentions;          /* order.c: who mentions whom at module scope */
    MentionRange *mentioned;        /* [ordered] each declaration's mentions     */
    LoopScope   *loop;              /* innermost, or NULL                        */
    uint64_t     local_bytes;       /* of the function's variables so far        */
    Name        *nameless;          /* of declarations without a name; or NULL   */
    uint32_t     suggestions;       /* scope.c: made so far                      */
    struct MemberTable *members;    /* [ordered] struct.c: members by name       */
    AliasState  *alias;             /* alias.c                                   */
    struct Uniform *uniform;        /* of uniformity.c; NULL: none yet           */
} Checker;

bool feature_enabled(const Checker *c, int enable);     /* ENABLE_*   */
bool feature_language(const Checker *c, int language);  /* LANGUAGE_* */
const char *feature_enable_name(int enable);
const char *feature_language_name(int language);
void feature_directives(Checker *c);
/* `outer` changed by the @diagnostic attributes in `attrs`; conflicting filters
 * are reported. Attributes of other kinds are left alone. */
Filters feature_filters(Checker *c, Filters outer, Attrs attrs);

/* ---- scope.c ---- */

/* The declaration that `name` means here; NULL: predeclared or unknown. */
Decl    *scope_find(Checker *c, const Name *name);
uint32_t scope_enter(Checker *c);
void     scope_leave(Checker *c, uint32_t mark);
/* Declares in the innermost scope that began at `mark`; redeclaration is reported. */
void     scope_declare(Checker *c, uint32_t mark, Decl *decl);
/* Binds without looking for another of the name. */
void     scope_bind(Checker *c, Decl *decl);
void     scope_redeclared(Checker *c, Ident again, const Decl *first);
/* Reports an unknown name, with the nearest known one if there is one near.
 * `what`: "value", "type", "function". */
void     scope_unknown(Checker *c, Ident ident, const char *what);
/* The member that may be meant by `word`; data NULL: none is near. */
Str      scope_nearest_member(Checker *c, const Decl *structure, Str word);

/* ---- order.c ---- */

/* Binds the module-scope names, and fills info->ordered, functions, globals,
 * overrides, structs. Reports redeclarations and cycles; a declaration in a
 * cycle gets the error type and is still in the list. */
void order_module(Checker *c);

/* ---- typexpr.c ---- */

/* The type an expression denotes; the error type after a diagnostic. */
const Type *check_type(Checker *c, Expr *e);
/* Does this name, used with a call, construct a type?  NULL: no. For a type
 * generator without template list ("vec3", "array", "mat2x2") *generic is set
 * and the result is NULL. */
typedef enum Generic {
    GENERIC_NONE, GENERIC_ARRAY,
    GENERIC_VEC2, GENERIC_VEC3, GENERIC_VEC4,
    GENERIC_MAT2X2, GENERIC_MAT2X3, GENERIC_MAT2X4,
    GENERIC_MAT3X2, GENERIC_MAT3X3, GENERIC_MAT3X4,
    GENERIC_MAT4X2, GENERIC_MAT4X3, GENERIC_MAT4X4,
} Generic;
const Type *check_type_callee(Checker *c, Expr *callee, Generic *generic);
/* A template argument that is an enumerant: address space, access mode, texel
 * format. False after a diagnostic. */
bool check_space_arg(Checker *c, Expr *e, AddressSpace *out);
bool check_access_arg(Checker *c, Expr *e, Access *out);
bool check_texel_arg(Checker *c, Expr *e, TexelFormat *out);
/* Reports that a name is not what must stand there; an unknown name as such.
 * `wanted`: "a type", "a value". */
void check_not(Checker *c, DiagId id, const Expr *name, const char *wanted);
/* Reports that something needs an extension that is not enabled. */
bool check_needs(Checker *c, Span span, int enable, const char *what);
/* Reports a composite type that would nest too deep. */
bool check_depth(Checker *c, Span span, uint32_t depth);

/* ---- space.c ---- */

/* Completes *access with the default of the space; `written` is where it is
 * given, or NULL. False after a diagnostic. */
bool check_space_access(Checker *c, AddressSpace space, Access *access,
                        const Expr *written);
/* May a pointer into this space point to this type?  Reports if not. Wider than
 * the next: views of buffers are no variables. */
bool check_pointee(Checker *c, Span span, const Type *type, AddressSpace space,
                   Access access);
/* May a variable of this space have this store type?  Reports if not. */
bool check_store_type(Checker *c, Span span, const Type *type, AddressSpace space,
                      Access access);

/* ---- decl.c ---- */

void check_global(Checker *c, Decl *decl);              /* one of info->ordered  */
void check_local(Checker *c, uint32_t scope, Decl *decl); /* const, let, var      */
/* The condition of a const_assert. */
void check_assertion(Checker *c, Expr **condition);

/* ---- struct.c ---- */

void check_struct(Checker *c, Decl *decl);
/* Index of the member; UINT32_MAX: none. */
uint32_t struct_find(const Checker *c, const Type *structure, const Name *name);

/* ---- attr.c ---- */

/* Where a list of attributes stands. */
typedef enum AttrPlace {
    PLACE_FUNCTION, PLACE_PARAM, PLACE_RESULT, PLACE_GLOBAL_VAR, PLACE_OVERRIDE,
    PLACE_MEMBER, PLACE_STATEMENT, PLACE_BLOCK, PLACE_OTHER_DECL,
} AttrPlace;
/* Reports attributes that may not stand there, duplicates, and bad combinations. */
void attr_check_place(Checker *c, Attrs attrs, AttrPlace place);
const Attr *attr_find(Attrs attrs, AttrKind kind);      /* NULL: none            */
/* Attribute's argument as a const-expression of i32 or u32, not negative.
 * False after a diagnostic. */
bool attr_const_u32(Checker *c, const Attr *attr, uint32_t arg, uint32_t *out);
void attr_function(Checker *c, Decl *fn);               /* fills FnInfo          */
void attr_global_var(Checker *c, Decl *var);            /* group, binding        */
void attr_override(Checker *c, Decl *override_);        /* id; duplicates        */
const IoAttrs *attr_io(Checker *c, Attrs attrs);        /* never NULL            */

/* ---- iobuiltin.c: the rows of iobuiltin.def ---- */

IoBuiltin   io_builtin_find(Str name);                  /* IO_NO_BUILTIN: none   */
Str         io_builtin_nearest(Str name);               /* data NULL: none       */
const char *io_builtin_name(IoBuiltin builtin);
/* Is what it needs enabled or available?  Reports if not. */
bool        io_builtin_available(Checker *c, IoBuiltin builtin, Span span);
bool        io_builtin_in(IoBuiltin builtin, Stage stage, bool input);
bool        io_builtin_fits(TypeTable *t, IoBuiltin builtin, const Type *type);
/* For messages: "vertex output or fragment input", "vec3<u32>". */
const char *io_builtin_places(Arena *a, IoBuiltin builtin);
const char *io_builtin_type(Arena *a, TypeTable *t, IoBuiltin builtin);

/* ---- layout.c ---- */

/* Offsets, sizes, @align and @size of a structure's members, once their types
 * are known; fills the structure type's align and size. */
void layout_struct(Checker *c, Decl *structure);
/* Reports what the address space does not allow in the layout of `type`. */
void layout_check_space(Checker *c, const Decl *var);
/* The same for the type that a buffer of the address space is viewed as. */
void layout_check_view(Checker *c, Span span, const Type *type, AddressSpace space);

/* ---- expr.c ---- */

/* Checks *slot and everything in it; may replace *slot. Returns its type, which
 * may be a reference. A name that is not a value is reported. */
const Type *check_expr(Checker *c, Expr **slot);
/* The same, then the load rule: the result is never a reference. */
const Type *check_value(Checker *c, Expr **slot);
/* Converts *slot (already checked) to `to` by the load rule and automatic
 * conversion; false, without a message, if that is not feasible. Constants are
 * converted in place: their value, and the types of the nodes that carry it. */
bool check_convert(Checker *c, Expr **slot, const Type *to);
/* To the concrete type of an abstract one. */
const Type *check_concretize(Checker *c, Expr **slot);
/* check_value, then check_convert with a message "expected T, found U". `what`
 * names the place: "the initializer of 'x'". */
bool check_value_as(Checker *c, Expr **slot, const Type *to, const char *what);
/* A const-expression of any type; reports others. NULL after a diagnostic. */
const Value *check_const(Checker *c, Expr **slot, const char *what);
/* Reports an expression (checked) that is no const-expression. */
bool check_is_const(Checker *c, const Expr *e, const char *what);
void expr_fail(Expr *e, Checker *c);                    /* sets the error type   */
/* The variable or parameter a memory view comes from (WGSL 11.4.1.1), NULL: none. */
Decl *expr_root(const Expr *e);

/* ---- operator.c: children are checked and loaded; set type, stage, value ---- */

void check_unary(Checker *c, Expr *e);                  /* - ! ~                 */
void check_binary(Checker *c, Expr *e);                 /* not && and ||         */
void check_logical(Checker *c, Expr *e);                /* && ||, short-circuit  */
/* The type of `lhs op rhs` for compound assignment, concrete operands; reports.
 * *rhs is converted. */
const Type *check_compound(Checker *c, Span span, BinOp op, const Type *lhs, Expr **rhs);

/* ---- call.c, construct.c, overload.c ---- */

/* `statement`: the value is not used, so @must_use and having no value matter. */
const Type *check_call(Checker *c, Expr **slot, bool statement);
/* A value constructor whose type, or generator, is known; arguments unchecked. */
void check_construct(Checker *c, Expr *e, const Type *type, Generic generic);
/* Resolves the overload for checked arguments, converts them, sets e->type,
 * stage and value. */
void check_builtin_call(Checker *c, Expr *e, BuiltinId id, bool statement);
/* The builtin function of this name. False: none. */
bool builtin_find(Str name, BuiltinId *out);

/* ---- stmt.c ---- */

void check_function(Checker *c, Decl *fn);              /* header is done        */
/* Reports a use, in a continuing block, of a declaration that a `continue` of
 * the loop skips. */
void check_continue_past(Checker *c, Ident use, const Decl *decl);

/* ---- usage.c: what functions use, and from where they are called ---- */

/* Notes that the current function does what only `stages` (1 << Stage) may do;
 * reported once it is known from which stages the function is called. */
void usage_stages(Checker *c, Span span, uint32_t stages, const char *what);
/* After all functions are typed: fills globals and reached of entry points and
 * stages_called_from, reports uses in the wrong stage. */
void usage_module(Checker *c);
/* Fills override_exprs and override_uses of a typed function. */
void usage_overrides(Checker *c, Decl *fn);

/* ---- after all functions are typed: one pass each, callees first ---- */

void view_module(Checker *c);                           /* buffer views          */
void behavior_function(Checker *c, Decl *fn);
void alias_function(Checker *c, Decl *fn);
void uniformity_function(Checker *c, Decl *fn);
void interface_module(Checker *c);                      /* entry points          */
/* Checks the resources that entry points use. */
void reach_module(Checker *c);
/* Fills FnInfo.min_sizes of an entry point; the module has no errors. */
void binding_sizes(Checker *c, Decl *entry);

#endif
