// SPDX-License-Identifier: Apache-2.0
/*
 * ir.h - one kernel, between WGSL and machine code or SPIR-V.
 *
 * made by   lower/ (from a typed module, one entry point, its overrides known,
 *           every call inlined) or read.c (from text)
 * read by   analysis/, emit/, opt/ (which also changes it)
 * knows     what WGSL means, in few operations
 * not       syntax trees, LLVM, SPIR-V, devices, how many lanes there are
 *
 * Values are in SSA form and small: a scalar or a vector of bool, i32, f32, f16
 * or f64. Signedness is in the operation. Structures, arrays and matrices exist
 * only in memory; a place (VAR, FIELD, ELEM, VIEW) says where. Places are never
 * stored, selected or passed to a region, so each has exactly one origin.
 *
 * Control flow is a tree. IF, SWITCH, LOOP and BLOCK are constructs: instructions
 * with regions inside. A construct's results are RESULT instructions in
 * Inst.results; an instruction that leaves the construct (YIELD, BREAK) has a value
 * for each. Every region ends in exactly one FLOW instruction that leaves it; a
 * region that ends in YIELD, BREAK, CONTINUE, ... has nothing after it. A value
 * may be used after its definition in the same region and in the regions inside;
 * the parameters of a loop's body also in its continuing region.
 *
 *   IF b         regions: then, else. Each ends in YIELD, or leaves further out.
 *   SWITCH i     a region for each case; the last one is the default. Each ends
 *                in BREAK (of this switch) or leaves further out.
 *   LOOP a...    regions: body (parameters a...), continuing (parameters given by
 *                CONTINUE). The body ends in CONTINUE or leaves. Continuing ends
 *                in NEXT or BREAK_IF, and contains no BREAK or CONTINUE of this
 *                loop elsewhere.
 *   BLOCK        one region; ends in BREAK (of this block) or leaves further out.
 *
 * Memory: an ELEM index is a 32-bit unsigned number. Out of bounds it must stay
 * inside the variable (loads give some value of the variable or zero, stores
 * write somewhere inside it or nothing, atomics likewise); the back end checks
 * unless in_bounds says that it is proved.
 */
#ifndef WEFT_IR_IR_H
#define WEFT_IR_IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/str.h"
#include "base/text.h"

/* ---- types of values ---- */

typedef enum ScalarKind {
    SCALAR_NONE,                        /* no value                               */
    SCALAR_BOOL,
    SCALAR_I32,
    SCALAR_F32,
    SCALAR_F16,
    SCALAR_F64,
    SCALAR_PLACE,                       /* width 1                                */
} ScalarKind;

typedef struct IrType {
    uint8_t kind;                       /* ScalarKind                             */
    uint8_t width;                      /* 1: scalar; 2, 3, 4: vector; 0: no value */
} IrType;

#define IR_VOID  ((IrType){SCALAR_NONE, 0})
#define IR_BOOL  ((IrType){SCALAR_BOOL, 1})
#define IR_I32   ((IrType){SCALAR_I32, 1})
#define IR_F32   ((IrType){SCALAR_F32, 1})
#define IR_F16   ((IrType){SCALAR_F16, 1})
#define IR_F64   ((IrType){SCALAR_F64, 1})
#define IR_PLACE ((IrType){SCALAR_PLACE, 1})

static inline bool ir_type_eq(IrType a, IrType b)
{
    return a.kind == b.kind && a.width == b.width;
}

/* ---- types of memory ---- */

typedef enum MemKind {
    MEM_VALUE,                          /* a scalar or a vector                   */
    MEM_ARRAY,                          /* also a matrix: an array of columns     */
    MEM_STRUCT,
    MEM_BYTES,                          /* opaque, for VIEW                       */
} MemKind;

typedef struct MemType MemType;

typedef struct MemField {
    const MemType *type;
    uint32_t       offset;              /* bytes                                  */
    Str            name;                /* for dumps                              */
} MemField;

/* Interned in the Ir: the same type is the same pointer. Bool takes four bytes,
 * zero or one. FUNCTION, PRIVATE and CONSTANT variables are laid out in slots of
 * four bytes, one a scalar whatever its kind, but two an f64, without padding. */
struct MemType {
    MemKind  kind;
    uint32_t id;
    uint32_t align;                     /* bytes; of a value at most four         */
    uint64_t size;                      /* bytes; runtime-sized: without the array */
    union {
        struct { IrType type; bool atomic; uint32_t stride; } value; /* bytes from
                                           component to component                 */
        struct {
            const MemType *of;
            uint64_t count;             /* 0: runtime-sized                       */
            uint32_t stride;            /* bytes                                  */
            bool     matrix;
        } array;
        struct {
            MemField *fields;
            uint32_t  count;
            Str       name;             /* for dumps                              */
        } structure;
    };
};

/* ---- variables ---- */

typedef enum IrSpace {
    IRSPACE_FUNCTION,                        /* one an invocation                      */
    IRSPACE_PRIVATE,                         /* one an invocation, zero at the start   */
    IRSPACE_WORKGROUP,                       /* zero at the start                      */
    IRSPACE_UNIFORM,
    IRSPACE_STORAGE,
    IRSPACE_IMMEDIATE,
    IRSPACE_CONSTANT,                        /* a table, never written: IrVar.data     */
    IRSPACE_COUNT
} IrSpace;

typedef struct IrVar {
    uint32_t       id;                  /* place in Ir.vars                       */
    IrSpace        space;
    Str            name;                /* for dumps and messages                 */
    const MemType *type;
    uint32_t       group, binding;      /* UNIFORM, STORAGE                       */
    bool           read_only;           /* STORAGE                                */
    const uint32_t *data;               /* CONSTANT: [type->size / 4] slots, f16 in
                                           the low half, f64 low slot first; NULL:
                                           all are zero                           */
} IrVar;

/* ---- instructions ---- */

typedef enum IrOp {
#define IROP(op, text, shape, kinds, effect) IR_##op,
#include "ir/ops.def"
#undef IROP
    IR_OP_COUNT
} IrOp;

typedef enum IrEffect { EFFECT_PURE, EFFECT_READ, EFFECT_WRITE, EFFECT_SYNC,
                        EFFECT_FLOW } IrEffect;

/* What INPUT gives, as scalars: the component is part of the input. */
typedef enum IrInput {
    INPUT_LOCAL_ID_X, INPUT_LOCAL_ID_Y, INPUT_LOCAL_ID_Z,
    INPUT_LOCAL_INDEX,
    INPUT_WORKGROUP_ID_X, INPUT_WORKGROUP_ID_Y, INPUT_WORKGROUP_ID_Z,
    INPUT_NUM_WORKGROUPS_X, INPUT_NUM_WORKGROUPS_Y, INPUT_NUM_WORKGROUPS_Z,
    INPUT_SUBGROUP_LANE,                /* subgroup_invocation_id                 */
    INPUT_SUBGROUP_SIZE,
    INPUT_SUBGROUP_ID,
    INPUT_NUM_SUBGROUPS,
    INPUT_COUNT
} IrInput;                              /* global ids are computed from these     */

typedef enum IrAtomic {
    ATOMIC_LOAD, ATOMIC_STORE,          /* LOAD: no value; STORE: no result       */
    ATOMIC_ADD, ATOMIC_SUB, ATOMIC_SMIN, ATOMIC_SMAX, ATOMIC_UMIN, ATOMIC_UMAX,
    ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR, ATOMIC_EXCHANGE, ATOMIC_COMPARE_EXCHANGE,
    ATOMIC_COUNT
} IrAtomic;

enum { BARRIER_WORKGROUP = 1, BARRIER_STORAGE = 2, BARRIER_TEXTURE = 4 };

typedef enum IrSubgroup {               /* operands in brackets                   */
    SUBGROUP_ADD, SUBGROUP_MUL, SUBGROUP_MIN, SUBGROUP_MAX,         /* (x)        */
    SUBGROUP_SMIN, SUBGROUP_SMAX, SUBGROUP_UMIN, SUBGROUP_UMAX,
    SUBGROUP_AND, SUBGROUP_OR, SUBGROUP_XOR,
    SUBGROUP_EXCLUSIVE_ADD, SUBGROUP_EXCLUSIVE_MUL,
    SUBGROUP_INCLUSIVE_ADD, SUBGROUP_INCLUSIVE_MUL,
    SUBGROUP_ALL, SUBGROUP_ANY,                                     /* (b): b     */
    SUBGROUP_BALLOT,                                                /* (b): vec4 i */
    SUBGROUP_BROADCAST,                                             /* (x, lane)  */
    SUBGROUP_BROADCAST_FIRST,                                       /* (x)        */
    SUBGROUP_ELECT,                                                 /* (): b      */
    SUBGROUP_SHUFFLE, SUBGROUP_SHUFFLE_UP, SUBGROUP_SHUFFLE_DOWN,
    SUBGROUP_SHUFFLE_XOR,                                           /* (x, i)     */
    QUAD_BROADCAST,                                                 /* (x, lane)  */
    QUAD_SWAP_X, QUAD_SWAP_Y, QUAD_SWAP_DIAGONAL,                   /* (x)        */
    SUBGROUP_COUNT
} IrSubgroup;

typedef struct Inst   Inst;
typedef struct Region Region;

/* A constant's components, by kind: b and i in `bits`, floats as their IEEE bits.
 * The upper half of component i of an f64 is bits[4 + i], which is zero otherwise. */
typedef struct IrConstant {
    uint32_t bits[8];
} IrConstant;

static inline uint64_t ir_constant_bits64(const IrConstant *k, uint32_t i)
{
    return (uint64_t)k->bits[4 + i] << 32 | k->bits[i];
}

typedef struct IrCases {                /* of a SWITCH                            */
    uint32_t *values;                   /* [count] selector values                */
    uint32_t *regions;                  /* [count] the region of each             */
    uint32_t  count;                    /* the default is the last region         */
} IrCases;

struct Inst {
    uint8_t  op;                        /* IrOp                                   */
    IrType   type;
    bool     in_bounds;                 /* ELEM: index < count is proved          */
    bool     natural;                   /* UDIV, UREM: the dividend is proved to be below
                                           2^31                                   */
    uint8_t  unguarded;                 /* ELEM: and that even if this many IFs around
                                           it go the other way; for opt/          */
    uint32_t id;                        /* unique in the Ir, below Ir.next_id     */
    uint32_t nargs;
    Inst   **args;
    Region  *region;                    /* it stands in; for PARAM: is a parameter
                                           of; for RESULT: where the construct stands */
    Inst    *prev, *next;               /* in the region; PARAM, RESULT: NULL     */
    Span     span;                      /* of the source                          */
    union {
        IrConstant constant;            /* CONST                                  */
        IrInput    input;
        uint32_t   index;               /* PARAM, RESULT, EXTRACT, FIELD          */
        uint8_t    swizzle[4];          /* SWIZZLE                                */
        IrVar     *var;
        const MemType *mem_view;        /* VIEW                                   */
        IrAtomic   atomic;
        uint32_t   barrier;
        IrSubgroup subgroup;
        Inst      *target;              /* BREAK, CONTINUE                        */
        struct {                        /* constructs                             */
            Region **regions;
            uint32_t nregions;
            Inst   **results;
            uint32_t nresults;
            IrCases  cases;
        } flow;
    };
    const MemType *mem;                 /* places: what is there                  */
};

struct Region {
    Inst    *first, *last;
    Inst    *owner;                     /* construct, or NULL: the kernel's body  */
    Inst   **params;
    uint32_t nparams;
};

#define MOST_BAND 6u                    /* workgroups                             */

typedef struct Ir {
    Arena   *arena;
    Str      name;                      /* of the entry point                     */
    uint32_t workgroup_size[3];
    uint32_t subgroup_size;             /* a power of two; 0: any                 */
    uint32_t team;                      /* workgroups along x that go from barrier to
                                           barrier together; 0: each alone        */
    uint32_t band;                      /* workgroups along y that may run as if they were
                                           one, up to MOST_BAND; 0: each alone    */
    bool     fuses_f64;                 /* FMA of f64 rounds once                 */
    bool     turned;                    /* x and y have changed places: inputs, sizes and
                                           workgroups                             */
    Region  *body;
    VEC(IrVar *)   vars;
    VEC(MemType *) mem_types;
    uint32_t next_id;
} Ir;

/* ---- build.c: every function appends to the end of a region ---- */

Ir     *ir_new(Arena *a, Str name);
IrVar  *ir_var_new(Ir *ir, IrSpace space, Str name, const MemType *type);
Region *ir_region_new(Ir *ir, Inst *owner);

/* Where new instructions go: before `before`, or at the end of `region`. */
typedef struct IrCursor {
    Ir     *ir;
    Region *region;
    Inst   *before;                     /* NULL: at the end                       */
    Span    span;                       /* given to every new instruction         */
} IrCursor;

Inst *ir_const(IrCursor *c, IrType type, IrConstant k);
Inst *ir_i32(IrCursor *c, uint32_t n);
Inst *ir_f32(IrCursor *c, float x);
Inst *ir_f64(IrCursor *c, double x, uint32_t width);        /* in all components  */
Inst *ir_bool(IrCursor *c, bool b);
Inst *ir_splat(IrCursor *c, Inst *scalar, uint32_t width);  /* itself for width 1 */
Inst *ir_input(IrCursor *c, IrInput input);
/* Any operation without payload. The type follows from the row for those whose
 * shape starts with T and repeats it; ir_op_as() is told. */
Inst *ir_op(IrCursor *c, IrOp op, uint32_t nargs, Inst *const *args);
Inst *ir_op_as(IrCursor *c, IrOp op, IrType type, uint32_t nargs, Inst *const *args);
Inst *ir_op1(IrCursor *c, IrOp op, Inst *x);
Inst *ir_op2(IrCursor *c, IrOp op, Inst *x, Inst *y);
Inst *ir_op3(IrCursor *c, IrOp op, Inst *x, Inst *y, Inst *z);
Inst *ir_extract(IrCursor *c, Inst *vector, uint32_t component);
Inst *ir_swizzle(IrCursor *c, Inst *vector, const uint8_t *components, uint32_t width);

Inst *ir_place_var(IrCursor *c, IrVar *var);
Inst *ir_place_field(IrCursor *c, Inst *place, uint32_t member);
Inst *ir_place_elem(IrCursor *c, Inst *place, Inst *index);
Inst *ir_place_view(IrCursor *c, Inst *place, Inst *offset, const MemType *as);
Inst *ir_load(IrCursor *c, Inst *place);
Inst *ir_store(IrCursor *c, Inst *place, Inst *value);
Inst *ir_atomic(IrCursor *c, IrAtomic op, Inst *place, Inst *comparand, Inst *value);
Inst *ir_barrier(IrCursor *c, uint32_t kinds);
Inst *ir_subgroup(IrCursor *c, IrSubgroup op, IrType type, uint32_t nargs,
                  Inst *const *args);

Inst *ir_if(IrCursor *c, Inst *condition);          /* with two empty regions     */
Inst *ir_switch(IrCursor *c, Inst *selector, uint32_t nregions);
Inst *ir_loop(IrCursor *c, uint32_t ninits, Inst *const *inits);
Inst *ir_block(IrCursor *c);
Inst *ir_leave(IrCursor *c, IrOp op, Inst *target, uint32_t nargs, Inst *const *args);
Inst *ir_param(Ir *ir, Region *region, IrType type);             /* adds one      */
Inst *ir_result(Ir *ir, Inst *construct, IrType type);           /* adds one      */

void  ir_remove(Inst *inst);                        /* out of its region          */
void  ir_move_before(Inst *inst, Inst *before);     /* to another place           */
/* Appends an operand (to a FLOW instruction whose construct got a result). */
void  ir_add_arg(Ir *ir, Inst *inst, Inst *arg);

/* ---- memtype.c ---- */

const MemType *ir_mem_value(Ir *ir, IrType type, bool atomic, uint32_t component_stride);
const MemType *ir_mem_array(Ir *ir, const MemType *of, uint64_t count, uint32_t stride,
                            bool matrix);
const MemType *ir_mem_struct(Ir *ir, Str name, const MemField *fields, uint32_t count,
                             uint32_t align, uint64_t size);
const MemType *ir_mem_bytes(Ir *ir, uint64_t count);             /* 0: runtime    */

/* ---- place.c ---- */

IrVar *ir_place_root(const Inst *place);            /* the variable it is in      */
bool   ir_var_is_read_only(const IrVar *var);       /* while a kernel runs        */
/* Are there variables of invocations or workgroups? */
bool   ir_has_own_memory(const Ir *ir);

/* ---- facts of the table ---- */

const char *ir_op_name(IrOp op);
const char *ir_op_shape(IrOp op);
const char *ir_op_kinds(IrOp op);
IrEffect    ir_op_effect(IrOp op);
bool        ir_op_is_construct(IrOp op);
bool        ir_op_ends_region(IrOp op);             /* YIELD ... UNREACHABLE      */

/* ---- text ---- */

void ir_print(Text *out, const Ir *ir);
/* Reads what ir_print() writes. NULL after a diagnostic. */
Ir  *ir_read(Arena *a, Str text, Diag *diag);
/* The first thing that is not as it must be, or NULL. In the Ir's arena. */
const char *ir_verify(const Ir *ir);

#endif
