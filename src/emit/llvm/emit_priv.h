// SPDX-License-Identifier: Apache-2.0
/*
 * emit_priv.h - the emitter's state, and who does what inside emit/llvm.
 *
 *   emit.c        the function around the kernel: workgroups, entry, memory
 *   target.c      the machine, LLVM's passes, object files, dumps
 *   fatal.c       what LLVM cannot recover from
 *   effort.c      how much LLVM does, by the size of the kernel
 *   widen.c       masks as wide as values, after these passes
 *   ternary.c     logic that must not be merged into lanes, after them
 *   cut.c         long basic blocks into parts, after these
 *   constants.c   constants of functions with very many, last of all
 *
 *   wide.c        barriers, and the constructs around them
 *   segment.c     between barriers: loops over the lane groups
 *   context.c     values that cross from one segment to another
 *
 *   flow.c        regions and constructs, instruction by instruction
 *   loop.c        loops                     strip.c   several rounds of one at once
 *   guard.c       ifs that lanes seldom or mostly take
 *   construct.c   who arrives, who leaves   slots.c   what they bring along
 *   mask.c        which lanes are on        condition.c   what lanes say to one
 *
 *   value.c       values as scalars and as vectors of lanes
 *   whole.c       vectors that stay as they are in memory
 *   arith.c       operations on numbers     sums.c   sums of squares
 *   dot.c         dot products of packed bytes
 *   math*.c       functions that no instruction computes
 *   atomic.c      atomics                   accumulate.c  those that can wait
 *   subgroup.c    subgroups and quads
 *
 *   place.c       places, and their bounds
 *   memory.c      what is in memory, single accesses
 *   load.c        loads                     store.c   stores
 *   rows.c        vectors in memory one a lane; lanes one at a time
 *   runs.c        words side by side in each lane, loaded at once
 *   beside.c      words that a lane stores one beside the other
 *   spot.c        which words these are
 *   pattern.c     lanes at known distances  partner.c   lanes that change places
 *   prefetch.c    ahead of loops            stream.c   past the caches
 *   gather.c      lanes each at its own place
 *   lanewise.c    one lane at a time
 *   outline.c     functions beside the kernel, for math.c and gather.c
 *
 * A value of shape WORKGROUP or GROUP is one LLVM scalar a component, AFFINE is
 * the first lane's scalar, VARYING is one vector of `lanes` a component, or, if it is kept
 * whole, a piece (whole.c).
 */
#ifndef WEFT_EMIT_LLVM_EMIT_PRIV_H
#define WEFT_EMIT_LLVM_EMIT_PRIV_H

#include <llvm-c/Core.h>

#include "emit/llvm/emit.h"

typedef LLVMValueRef      LlvmValue;
typedef LLVMTypeRef       LlvmType;
typedef LLVMBasicBlockRef LlvmBlock;

/* Lane groups that go through the code side by side, at most. */
#define MAX_JAM 16u

/* One IR value: a component each, for each lane group that is side by side. */
typedef struct Val {
    LlvmValue c[4][MAX_JAM];
    uint32_t  segment;              /* where it was emitted                       */
} Val;

/* What belongs to one variable. */
typedef struct VarState {
    LlvmValue base;                 /* pointer: first byte; NULL: not used        */
    LlvmValue size;                 /* i64 bytes of the binding; NULL: fixed      */
    uint64_t  offset;               /* WORKGROUP: in the thread's memory; FUNCTION
                                       and PRIVATE that are kept there             */
    LlvmValue scope, noalias;       /* metadata: what its accesses may touch      */
    bool      read;                 /* the kernel reads it, too                   */
} VarState;

/* A construct that is being emitted: where its leavers go. */
typedef struct Target {
    struct Target *outer;
    const Inst *construct;
    bool       wide;                /* emitted by wide.c; slots are contexts      */
    LlvmValue  away;                /* wide: who left it from inside another one  */
    LlvmBlock  exit;                /* after the construct                        */
    LlvmBlock  way_end;             /* BREAK: exit, or the end of one way of a
                                       divergent SWITCH                           */
    LlvmBlock  again;               /* LOOP: the continuing region                */
    bool       meets;               /* results of earlier arrivals must be kept   */
    LlvmValue  arrived;             /* mask slot if apart, else NULL              */
    LlvmValue  continuing;          /* mask slot of the continuing region, or NULL */
    LlvmValue  looping;             /* mask slot if apart: lanes still in the loop */
    LlvmValue *results;             /* [nresults * 4] slots                       */
    LlvmValue *params, *continued;  /* LOOP: of body and continuing, the same way */
} Target;

typedef struct Emit {
    const Ir    *ir;
    const Facts *facts;
    const EmitOptions *options;
    Arena       *arena;
    Diag        *diag;
    uint32_t     lanes;
    uint32_t     invocations, groups;       /* of a workgroup; lane groups in it  */
    uint32_t     all_groups;                /* of all workgroups of a team or band */
    uint32_t     row;                       /* lane groups in a row of it, if rows of
                                               all workgroups come before the next
                                               row of any; 0: one workgroup, then the
                                               next                               */
    bool         failed;
    bool         x86;                       /* the machine                        */
    bool         has_avx2;
    bool         has_fma;                   /* the machine: fused multiply-add    */
    uint32_t     dot_lanes;                 /* most lanes that it multiplies bytes and
                                               adds up four for, at a time; 0: none */
    bool         has_f16;                   /* the machine: arithmetic of f16     */
    bool         has_stream;                /* the machine: see stream.c          */
    uint32_t     estimate_lanes;            /* most that it has estimates of roots
                                               for, at a time; 0: none            */

    LLVMContextRef context;
    LLVMModuleRef  module;
    LLVMBuilderRef builder;
    LLVMBuilderRef entry;                   /* for slots and what is hoisted      */
    LlvmType  void_, i1, i8, i16, i32, i64, f16, f32, f64, ptr;
    LlvmValue function;
    LlvmBlock  leave;                       /* `stop` was seen: return 1          */

    /* Parameters and what is loaded from them at entry. */
    LlvmValue dispatch, memory, stop;
    LlvmValue workgroup_id[3], num_workgroups[3];
    LlvmValue team_groups;                  /* i32: lane groups of the team or band, or
                                               NULL; workgroup_id is its first    */
    LlvmValue band;                         /* i32: workgroups of the band, or NULL */
    LlvmValue immediates, flags;
    uint32_t  streams;                      /* stores that may pass the caches by */
    bool      alone;                        /* inside code for KERNEL_ALONE       */
    VarState *vars;                         /* [ir->vars.len]                     */
    LlvmValue waiting[5];                   /* rows.c: memory for one lane's turn */
    uint64_t  memory_size, workgroup_bytes, zeroed_bytes, stack;

    /* The lane groups that are being emitted: `jam` of them take the same way side by
     * side, so that long chains of arithmetic overlap and what they share is done
     * once. More than one only in segments through which all go together. */
    uint32_t  most_jam;                     /* in any segment                     */
    uint64_t  private_bytes;                /* of private variables, a lane group */
    uint32_t  jam, side;                    /* how many; which is meant now       */
    LlvmValue sides[MAX_JAM];               /* i32: numbers in the workgroup      */
    LlvmValue group;                        /* sides[side]; in a team, of all     */
    LlvmValue column;                       /* i32: which of the lane groups of a row,
                                               while all below each other come before
                                               the next; or NULL                  */
    LlvmValue mask;                         /* <lanes x i1>; NULL: all are active */
    LlvmBlock  group_end;                   /* RETURN of all lanes                */
    LlvmBlock  workgroup_end;               /* the same, of all lane groups       */
    LlvmValue returned;                     /* as Target.away, for the kernel     */
    LlvmBlock  region_end;                  /* where the current region falls to  */
    Target   *target;                       /* innermost construct                */
    struct Strip *strip;                    /* strip.c: rounds being taken at once */
    bool      doubled;                      /* inside a copy for all lanes active */
    bool      inside;                       /* the same for lanes inside a grid   */
    uint64_t  unrolled;                     /* instructions, of loops so far      */

    Val      *values;                       /* [ir->next_id]                      */
    uint32_t  segment;                      /* being emitted, from 1              */
    uint32_t *uses;                         /* [ir->next_id] as an operand        */
    struct Accumulators *accumulators;      /* accumulate.c                       */
    struct Products *products;              /* contract.c                         */
    uint32_t  math_calls[IR_OP_COUNT];      /* in the kernel, by components       */
    uint32_t  all_math_calls;
    uint64_t  emitted;                      /* instructions so far, about: effort.c */
    LlvmValue charged;                      /* the last that is counted           */
    uint32_t  lanewise_accesses;            /* so far: gather.c                   */
    uint32_t *lane_uses;                    /* [ir->next_id] of these, lane by lane */
    bool     *whole;                        /* [ir->next_id] kept whole           */
    struct Run **runs;                      /* [ir->next_id] runs.c; of loads     */
    struct Beside **beside;                 /* [ir->next_id] what it is one with; or NULL */
    VEC(LlvmValue) free_slots;              /* for slot_take()                    */
    struct Contexts *contexts;              /* context.c; NULL without barriers   */
} Emit;

/* ---- value.c ---- */

LlvmType  scalar_type(Emit *e, ScalarKind kind);
LlvmType  lane_type(Emit *e, LlvmType scalar);          /* <lanes x scalar>       */
LlvmType  value_type(Emit *e, const Inst *inst);        /* of one component       */
Shape     shape_of(const Emit *e, const Inst *inst);
const Fact *fact_of(const Emit *e, const Inst *inst);
bool      is_vector(LlvmValue v);

LlvmValue const_i32(Emit *e, uint32_t n);
LlvmValue const_i64(Emit *e, uint64_t n);
LlvmValue const_lanes(Emit *e, int32_t first, int32_t step); /* <0, 1, 2 ...>    */
LlvmValue splat(Emit *e, LlvmValue scalar);
/* A constant i32, a type, for as many lanes as `like` has. */
LlvmValue int_like(Emit *e, LlvmValue like, uint32_t n);
LlvmValue long_like(Emit *e, LlvmValue like, uint64_t n);    /* the same of i64 */
LlvmType  with_element(Emit *e, LlvmValue like, LlvmType element);
LlvmValue lane_get(Emit *e, LlvmValue vector, uint32_t lane);
LlvmValue lane_set(Emit *e, LlvmValue vector, LlvmValue x, uint32_t lane);

/* Component `c` of an emitted value: as one scalar (not for VARYING; for AFFINE
 * the first lane's), as a vector of lanes (for all). */
LlvmValue as_scalar(Emit *e, const Inst *inst, uint32_t c);
LlvmValue as_lanes(Emit *e, const Inst *inst, uint32_t c);
/* As vector if `lanes`, else as scalar. */
LlvmValue as_either(Emit *e, const Inst *inst, uint32_t c, bool lanes);
/* VARYING: as it is kept, component or piece. */
LlvmValue as_kept(Emit *e, const Inst *inst, uint32_t c);
void      set_value(Emit *e, const Inst *inst, uint32_t c, LlvmValue v);
/* The next calls mean side `i`. */
void      side_set(Emit *e, uint32_t i);
/* Sides that a value is kept for: one if the workgroup shares it. */
uint32_t  side_count(const Emit *e, const Inst *inst);

/* Slots: variables of the emitter, that LLVM turns into registers. Masks and
 * bools are kept as i32, all ones or zero. */
LlvmValue slot_new(Emit *e, LlvmType type, const char *name);
/* One that is no longer needed, or new; what it holds is not known. LLVM takes time for
 * each slot and each block that it might reach. */
LlvmValue slot_take(Emit *e, LlvmType type);
void      slot_free(Emit *e, LlvmValue slot);           /* or NULL                */
LlvmValue slot_load(Emit *e, LlvmType type, LlvmValue slot);
void      slot_store(Emit *e, LlvmValue slot, LlvmValue v);
LlvmType  slot_type(Emit *e, LlvmType type);            /* i1 becomes i32         */

LlvmValue intrinsic(Emit *e, const char *name, LlvmType *overload, uint32_t noverload,
                    uint32_t nargs, LlvmValue *args);
LlvmValue intrinsic1(Emit *e, const char *name, LlvmValue x);
LlvmValue intrinsic2(Emit *e, const char *name, LlvmValue x, LlvmValue y);
LlvmBlock block_new(Emit *e, const char *name);
void      block_start(Emit *e, LlvmBlock block);
void      jump(Emit *e, LlvmBlock to);                  /* unless the block ended */
void      jump_if(Emit *e, LlvmValue condition, LlvmBlock yes, LlvmBlock no);

/* ---- mask.c ---- */

/* "Every" is NULL: all lanes, known now. */
LlvmType  mask_type(Emit *e);
LlvmValue mask_and(Emit *e, LlvmValue x, LlvmValue y);
LlvmValue mask_and_not(Emit *e, LlvmValue x, LlvmValue y);
LlvmValue mask_vector(Emit *e);                         /* the current, never NULL */
LlvmValue mask_bits(Emit *e, LlvmValue mask);           /* iN integer             */
LlvmValue mask_has(Emit *e, LlvmValue mask, uint32_t lane); /* i1                 */
bool      mask_may_have(LlvmValue mask, uint32_t lane); /* of a constant          */
LlvmValue mask_any(Emit *e, LlvmValue mask);            /* i1                     */
LlvmValue mask_all(Emit *e, LlvmValue mask);            /* i1                     */
LlvmValue blend(Emit *e, LlvmValue mask, LlvmValue yes, LlvmValue no);
/* With no active lane the rest is skipped, since loops in it could wait for stores
 * that no lane makes. */
void      mask_go_on_if_any(Emit *e, LlvmBlock otherwise);

/* ---- condition.c ---- */

/* Whether any and whether all lanes fulfil a condition: i1. */
typedef struct ConditionTest {
    LlvmValue any, all;
} ConditionTest;

ConditionTest condition_test(Emit *e, const Inst *c);
/* The same if no mask is needed to find out; false: one is. */
bool     condition_test_order(Emit *e, const Inst *c, ConditionTest *out);
bool     condition_is_order(const Inst *c);             /* less, or less or equal */
/* Is a condition made from comparisons of lanes that count up? Then all lanes mostly
 * fulfil it, but for those at a border. */
bool     condition_is_border(const Emit *e, const Inst *c);
/* Invocations from this one on do not fulfil a condition; UINT32_MAX: some may. */
uint32_t condition_below(const Emit *e, const Inst *c);

/* ---- flow.c, slots.c, loop.c: more in flow_priv.h ---- */

void flow_inst(Emit *e, const Inst *inst);
void flow_insts(Emit *e, const Inst *first, const Inst *end); /* NULL: to the last */
/* Gives values to the parameters or results of a wide construct. */
void slots_give_wide(Emit *e, Inst *const *insts, uint32_t n, Inst *const *args,
                     LlvmValue meet);
void loop_stop_check(Emit *e);
/* A loop's parameters, as they are at the start of a round. */
void loop_params(Emit *e, const Target *t);

/* ---- the others ---- */

void arith_inst(Emit *e, const Inst *inst);             /* all PURE ones but places */
/* contract.c: component c of FADD or FSUB, of x and y; v + z, for `arg` with value v below
 * `sum`. COMPONENTS: x and y are vectors of several components. */
#define COMPONENTS UINT32_MAX
void      contract_survey(Emit *e);                     /* at entry               */
LlvmValue contract_inst(Emit *e, const Inst *inst, uint32_t c, LlvmValue x, LlvmValue y);
LlvmValue contract_sum(Emit *e, const Inst *sum, const Inst *arg, LlvmValue v, LlvmValue z);
/* Functions of f32 scalars or lane vectors; f16 is computed in f32. */
LlvmValue math_call(Emit *e, IrOp op, LlvmValue x, LlvmValue y);
/* Before the first call: counts an instruction that may be one. */
void      math_count(Emit *e, const Inst *inst);
LlvmValue input_value(Emit *e, const Inst *inst);
/* At entry: bytes of the thread's memory, for as long as the function runs. */
LlvmValue emit_thread_memory(Emit *e, uint64_t bytes);
LlvmValue local_group(Emit *e);                         /* number in its workgroup */
void emit_zero_private(Emit *e);                        /* PRIVATE variables      */
void load_inst(Emit *e, const Inst *inst);
void store_inst(Emit *e, const Inst *inst);
void memory_length(Emit *e, const Inst *inst);
/* out[lanes]: the address of a place for each lane, in bounds. */
void memory_addresses(Emit *e, const Inst *place, LlvmValue *out);
bool memory_place_is_uniform(const Emit *e, const Inst *place);
/* Do lanes find what they access beside each other? */
bool memory_is_in_order(Emit *e, const Inst *place);
/* Are places of words in bounds and each beside the one of the lane before, if all lanes are
 * active? */
bool memory_is_beside(Emit *e, const Inst *place);
void memory_tag(Emit *e, LlvmValue access, const Inst *place); /* aliasing       */
void atomic_inst(Emit *e, const Inst *inst);
LlvmValue atomic_combine(Emit *e, IrAtomic op, LlvmValue old, LlvmValue v);
LlvmValue atomic_neutral(Emit *e, IrAtomic op);         /* i32: changes nothing   */
const char *atomic_reduction(IrAtomic op);              /* of lanes; NULL: none   */
LLVMAtomicRMWBinOp atomic_machine_op(IrAtomic op);
/* accumulate.c: at entry, once variables have places; before the first workgroup; after the
 * last one. */
void accumulate_survey(Emit *e);
void accumulate_begin(Emit *e);
void accumulate_end(Emit *e);
/* i1: no other thread accesses a variable of storage now. */
LlvmValue accumulate_is_plain(Emit *e, const Inst *place);
/* Adds up the value of each lane at one place. False: it must be done now. */
bool accumulate_lanes(Emit *e, const Inst *inst, LlvmValue pointer, LlvmValue v);
void subgroup_inst(Emit *e, const Inst *inst);
/* Before a loop: takes STRIP_ROUNDS of it at once for as long as there are so many. The
 * caller emits single rounds with round(e, t, test): without the loop's own test. */
#define STRIP_ROUNDS 8u
bool strip_suits(const Emit *e, const Inst *loop);
void strip_loop(Emit *e, Target *t, void (*round)(Emit *e, Target *t, const Inst *test));
/* A load or store in such a round; false: it is like others. */
bool strip_access(Emit *e, const Inst *access);
/* Lane i gets lane (i ^ by) of v; `by` is one number below the lanes. */
LlvmValue lanes_exchange(Emit *e, LlvmValue v, LlvmValue by);
void runs_survey(Emit *e);                              /* at entry               */
void lanewise_survey(Emit *e);                          /* at entry, after uses   */
/* i1, made at entry: has the dispatch this KERNEL_... flag? */
LlvmValue flag_is_set(Emit *e, uint32_t flag);
void stream_end(Emit *e);                               /* before returning       */

/* ---- whole.c ---- */

#define WHOLE 4u                                        /* components, pieces     */
void      whole_survey(Emit *e);                        /* at entry, after variables */
bool      whole_is(const Emit *e, const Inst *inst);
/* Piece k of any vector of four; component c of one that is kept whole. */
LlvmValue whole_piece(Emit *e, const Inst *inst, uint32_t k);
LlvmValue whole_component(Emit *e, const Inst *inst, uint32_t c);
/* Piece k of what has all components alike: one number a lane. */
LlvmValue whole_lanes(Emit *e, LlvmValue lanes, uint32_t k);
/* Piece k of a VEC of one number, of a SWIZZLE, that are kept whole. */
LlvmValue whole_spread(Emit *e, const Inst *vec, uint32_t k);
LlvmValue whole_swizzle(Emit *e, const Inst *swizzle, uint32_t k);

/* ---- wide.c, segment.c, context.c: more in wide_priv.h ---- */

/* Emits the body for all lane groups of a workgroup. */
void wide_body(Emit *e);
/* The active lanes leave `t` (NULL: the kernel) while others go on inside of it. */
void segment_leave(Emit *e, const Target *t);
/* A value that was emitted in another segment, made usable here. */
Val  context_fetch(Emit *e, const Inst *inst);
/* Keeps a value that other segments need. */
void context_keep(Emit *e, const Inst *inst);
/* Is `from` kept where `to`, a parameter of a wide loop, looks for it? */
bool context_has(const Emit *e, const Inst *to, const Inst *from);
/* The slot where component c of a parameter or result is given a value that counts after
 * the segment. */
LlvmValue context_given_slot(Emit *e, const Inst *inst, uint32_t c);

/* ---- effort.c ---- */

/* Counts what was emitted since the last call. Beyond what LLVM takes in a reasonable time
 * it ends the compilation, with a diagnostic. */
void effort_charge(Emit *e);

/* ---- target.c ---- */

void emit_fail(Emit *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
