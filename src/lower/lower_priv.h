// SPDX-License-Identifier: Apache-2.0
/*
 * lower_priv.h - the state of one lowering, and who does what inside lower/.
 *
 *   lower.c        the kernel: its variables, its entry point; limits
 *   types.c        types of WGSL to types of values and of memory
 *   val.c          values in parts
 *   constant.c     values known now; tables for those indexed at run time
 *   memory.c       loads, stores, copies, zeros; homes for values
 *   access.c       expressions that denote memory; paths into values
 *   expr.c         expressions that denote values
 *   operator.c     unary and binary operators
 *   construct.c    value constructors and conversions
 *   call.c         inlined functions; return.c  where they return
 *   input.c        builtin inputs of the entry point
 *   builtin.c      the table of builtin functions
 *   builtin_math.c builtin_bits.c builtin_pack.c builtin_sync.c  its handlers
 *   stmt.c         statements; flow.c  those that branch
 *   promise.c      conditions that barriers depend on
 */
#ifndef WEFT_LOWER_LOWER_PRIV_H
#define WEFT_LOWER_LOWER_PRIV_H

#include <setjmp.h>

#include "lower/lower.h"

/* A value of up to this many leaves (scalars and vectors) is kept as SSA values;
 * a larger one lives in memory, and is copied by loops. */
#define LOWER_MAX_LEAVES 64u
/* Instructions of a kernel, and calls on top of that (a call of a function that
 * does nothing adds no instruction). */
#define LOWER_MAX_WORK 1000000u
/* Calls, statements and expressions inside each other: bounds the C stack. */
#define LOWER_MAX_DEPTH 3000u
/* Regions inside each other: bounds the C stack of those who walk the IR. */
#define LOWER_MAX_REGIONS 500u
/* Bytes of FUNCTION and PRIVATE memory an invocation, and of CONSTANT memory. */
#define LOWER_MAX_PRIVATE  (1u << 20)
#define LOWER_MAX_CONSTANT (64u << 20)

/* ---- values ---- */

/*
 * A value of WGSL, or a pointer or reference. Structures, arrays and matrices
 * come apart into leaves, in the order of memory: scalars and vectors, a matrix
 * is its columns.
 */
typedef struct Val {
    uint32_t n;                     /* leaves; 0: in memory, or no value          */
    Inst    *inst;                  /* n = 1: the leaf; n = 0: the place of a large
                                       value (which never changes), or what a
                                       pointer points to; NULL: no value          */
    Inst   **many;                  /* n > 1: [n]                                 */
    Inst    *count;                 /* pointers: elements of the runtime-sized array
                                       at the end of a view of a buffer; NULL: as
                                       many as the memory has                     */
} Val;

Val   val_one(Inst *leaf);
Val   val_many(Arena *a, Inst *const *leaves, uint32_t n);
Val   val_place(Inst *place);
Inst *val_leaf(const Val *v, uint32_t i);
Val   val_slice(const Val *v, uint32_t first, uint32_t n);

/* ---- what surrounds a statement ---- */

typedef struct Import {             /* a value of a loop's body, in its continuing */
    Inst *value, *param;
} Import;

/* A construct that break or continue may leave. */
typedef struct Flow {
    struct Flow *outer;
    Inst        *construct;         /* LOOP, SWITCH, BLOCK                        */
    bool         is_loop;
    bool         in_continuing;
    uint32_t     exits;             /* BREAKs made                                */
    VEC(Inst *)  continues;         /* CONTINUEs made                             */
    VEC(Import)  imports;
} Flow;

/* A declaration of a function that is being lowered. */
typedef struct Local {
    Val     val;                    /* LET, PARAM; VAR: val.inst is its place     */
    Region *region;                 /* LET, PARAM: where it got its value         */
    Inst   *after;                  /* the last instruction then; NULL: none      */
    Inst   *home;                   /* a place with the value; NULL: not needed yet */
} Local;

/* One inlined call, or the entry point. */
typedef struct Frame {
    const Decl *fn;
    Local      *locals;             /* [fn.info->locals.len], by Decl.index       */
    bool        is_entry;
    Inst       *block;              /* return leaves it; NULL: none is left early  */
    Val         result;             /* without `block`; or the place of a large one */
    Flow       *flow;               /* innermost                                  */
} Frame;

typedef struct ConstantTable {      /* constant.c */
    struct ConstantEntry **buckets;
    uint32_t mask, count;
    uint64_t bytes;
} ConstantTable;

typedef struct Lower {
    IrCursor  c;                    /* where the next instruction goes            */
    Ir       *ir;
    Arena    *arena;
    const Module         *module;
    const Specialization *spec;
    Diag     *diag;
    jmp_buf   escape;               /* lower_fail()                               */
    Frame    *frame;
    bool      ended;                /* the region has been left: nothing follows  */
    uint32_t  depth, regions;       /* see LOWER_MAX_DEPTH, LOWER_MAX_REGIONS     */
    uint32_t  calls;
    uint64_t  private_bytes;
    Inst    **globals;              /* [ordered.len] places, by Decl.index        */
    uint8_t  *forms;                /* [ordered.len] ReturnForm of functions      */
    VEC(const MemType *) mems;      /* by Type.id; the specialization's own types
                                       follow the module's                        */
    VEC(const MemType *) slots;     /* by MemType.id                              */
    ConstantTable constants;
} Lower;

/* ---- lower.c ---- */

/* Reports and gives up the whole kernel. */
NORETURN void lower_fail(Lower *l, DiagId id, Span span, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* Around everything that nests: keeps the limits, and gives instructions the span.
 * lower_leave() takes what lower_enter() gave. */
Span lower_enter(Lower *l, Span span);
void lower_leave(Lower *l, Span outer);
/* Makes `region` the current one; `saved` takes the old one back. */
typedef struct Saved {
    Region *region;
    bool    ended;
} Saved;
Saved lower_region_enter(Lower *l, Region *region);
void  lower_region_leave(Lower *l, Saved saved);

/* ---- types.c ---- */

typedef enum NumKind { NUM_BOOL, NUM_SIGNED, NUM_UNSIGNED, NUM_FLOAT } NumKind;

/* Of a scalar, or the components of a vector or matrix. */
NumKind lower_num_kind(const Type *t);
/* Of a scalar or vector; of a matrix's columns. Abstract numbers are i32, f32. */
IrType  lower_ir_type(const Type *t);
/* As WGSL lays it out. */
const MemType *lower_mem(Lower *l, const Type *t);
/* As FUNCTION, PRIVATE and CONSTANT memory is laid out. */
const MemType *lower_slots(Lower *l, const MemType *mem);
const MemType *lower_type_slots(Lower *l, const Type *t);
/* The leaves of a value; LOWER_MAX_LEAVES + 1 if it has more. */
uint32_t lower_leaves(const MemType *mem);
bool     lower_is_large(Lower *l, const Type *t);
/* Parts of a composite: members, columns, elements. Not runtime-sized arrays. */
uint64_t       lower_part_count(const MemType *mem);
const MemType *lower_part(const MemType *mem, uint64_t i);

/* ---- constant.c ---- */

/* The value of a const- or override-expression; NULL for others. */
const Value *lower_constant(const Lower *l, const Expr *e);
Val   lower_value_val(Lower *l, const Value *v);
/* A table with the value, for what is large or indexed at run time. */
Inst *lower_value_place(Lower *l, const Value *v);
Val   lower_zero(Lower *l, const MemType *mem);     /* not large */
/* A float constant in every component of `type`. */
Inst *lower_float(Lower *l, IrType type, double x);
Inst *lower_int(Lower *l, IrType type, uint32_t n);

/* ---- memory.c ---- */

Inst *lower_var_new(Lower *l, IrSpace space, Str name, const MemType *type);
/* The part of a composite in memory. */
Inst *lower_place_part(Lower *l, Inst *place, uint64_t i);
Val   lower_load(Lower *l, Inst *place);
void  lower_store(Lower *l, Inst *place, Val v);
void  lower_copy(Lower *l, Inst *to, Inst *from);
void  lower_clear(Lower *l, Inst *place);
/* A new FUNCTION variable that holds `v`, of memory type `slots`. */
Inst *lower_spill(Lower *l, Val v, const MemType *slots);

/* ---- access.c ---- */

/* A reference, and which component of the vector there, if that is only known at
 * run time and the memory is the invocation's own (so that the vector can be
 * read and written as a whole). */
typedef struct Slot {
    Inst *place;
    Inst *component;                /* NULL: all of it                            */
} Slot;

Slot  lower_slot(Lower *l, const Expr *e);
Val   lower_slot_load(Lower *l, Slot s);
void  lower_slot_store(Lower *l, Slot s, Val v);
/* Of reference or pointer type: val.inst is the place. */
Val   lower_place(Lower *l, const Expr *e);
Val   lower_member(Lower *l, const Expr *e);
Val   lower_index(Lower *l, const Expr *e);
Val   lower_local(Lower *l, const Decl *d);
void  lower_bind(Lower *l, Frame *f, const Decl *d, Val v);

/* ---- expr.c ---- */

/* Never a reference; pointers are places. */
Val   lower_value(Lower *l, const Expr *e);
/* A value of one leaf. */
Inst *lower_scalar(Lower *l, const Expr *e);
/* Evaluates into fresh memory, which `e` itself cannot see. */
void  lower_into(Lower *l, Inst *place, const Expr *e);
void  lower_effects(Lower *l, const Expr *e);       /* the value is not wanted    */

/* ---- operator.c ---- */

Val   lower_unary(Lower *l, UnOp op, Val x);         /* - ! ~                      */
Val   lower_binary(Lower *l, BinOp op, const Type *tx, Val x, const Type *ty, Val y);
Inst *lower_dot(Lower *l, Inst *x, Inst *y);        /* floats or integers         */

/* ---- construct.c ---- */

Val   lower_construct(Lower *l, const Expr *e);
bool  lower_is_aggregate_construct(const Expr *e);
void  lower_construct_into(Lower *l, Inst *place, const Expr *e);
Inst *lower_convert(Lower *l, Inst *x, const Type *from, const Type *to);

/* ---- call.c, input.c ---- */

Val   lower_call(Lower *l, const Expr *e);
void  lower_entry(Lower *l, const Decl *entry);
/* `return`, with what it returns; NULL: nothing. */
void  lower_return(Lower *l, const Expr *value);
/* What a `return` brings to the construct it leaves. */
Val   lower_returned(Lower *l, const Expr *value);
/* The value of a parameter of the entry point. */
Val   lower_input(Lower *l, const Decl *param);

/* ---- return.c ---- */

typedef enum ReturnForm {
    RETURNS_UNKNOWN,
    RETURNS_LAST,                   /* nowhere, or only as its last statement     */
    RETURNS_IN_TREE,                /* from `if`s, at most one way of each goes on */
    RETURNS_ANYWHERE,
} ReturnForm;

ReturnForm lower_return_form(Lower *l, const Decl *fn);
/* The body of a function that returns in a tree. */
Val   lower_tree(Lower *l, Frame *f);
/* Adds a result for each leaf; and all of them as a value. */
void  lower_results(Lower *l, Inst *construct, const MemType *mem);
Val   lower_results_val(Lower *l, const Inst *construct);

/* ---- builtin.c and its handlers ---- */

typedef struct BuiltinCall {
    const Expr *e;
    const Type *type;               /* of the first argument                      */
    uint16_t    f, s, u;            /* operations on floats, signed, unsigned     */
} BuiltinCall;

typedef Val BuiltinHandler(Lower *l, const BuiltinCall *b);

Val   lower_builtin(Lower *l, const Expr *e);
/* Argument `i`, of one leaf; as wide as `width` if it is a scalar. */
Inst *lower_arg(Lower *l, const BuiltinCall *b, uint32_t i);
Inst *lower_arg_wide(Lower *l, const BuiltinCall *b, uint32_t i, uint32_t width);
/* f, s or u, by the kind of the first argument. */
uint16_t lower_by_kind(const BuiltinCall *b);
/* Is there a row for it? */
bool  lower_has_builtin(BuiltinId id);

BuiltinHandler lower_componentwise, lower_abs, lower_sign, lower_clamp, lower_saturate,
    lower_mix, lower_step, lower_smoothstep, lower_fract, lower_modf, lower_frexp,
    lower_degrees, lower_radians, lower_length, lower_distance, lower_normalize,
    lower_dot_product, lower_cross, lower_reflect, lower_refract, lower_face_forward,
    lower_determinant, lower_transpose, lower_quantize;
BuiltinHandler lower_all_any, lower_select, lower_first_leading, lower_first_trailing,
    lower_extract_bits, lower_insert_bits, lower_bitcast;
BuiltinHandler lower_pack_norm, lower_unpack_norm, lower_pack_half, lower_unpack_half,
    lower_pack_bytes, lower_unpack_bytes;
BuiltinHandler lower_atomic, lower_atomic_exchange, lower_barrier, lower_uniform_load,
    lower_subgroup, lower_array_length, lower_buffer_length, lower_buffer_view,
    lower_buffer_array_view;

/* ---- promise.c ---- */

/* Marks what WGSL has shown to be uniform, once the kernel is whole. */
void lower_promises(Lower *l);

/* ---- stmt.c, flow.c ---- */

void lower_block(Lower *l, const Block *block);
void lower_stmt(Lower *l, const Stmt *s);
void lower_if(Lower *l, const Stmt *s);
void lower_switch(Lower *l, const Stmt *s);
void lower_loop(Lower *l, const Stmt *s);
void lower_for(Lower *l, const Stmt *s);
void lower_while(Lower *l, const Stmt *s);
void lower_break(Lower *l);
void lower_continue(Lower *l);
/* What a value or place of the current function is here: inside a continuing
 * part, those of the loop's body come in as parameters. */
Inst *lower_visible(Lower *l, Inst *inst);
/* After a construct that nothing falls out of: ends the region, if the statement
 * cannot be passed by the rules of WGSL, too. (What follows an endless loop that
 * WGSL takes for one that ends is lowered, and never runs.) */
void lower_unreachable(Lower *l, const Stmt *s);
/* `a && b` and `a || b`, once `a` is known. */
Inst *lower_short_circuit(Lower *l, bool is_and, Inst *a, const Expr *b);

#endif
