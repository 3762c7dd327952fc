// SPDX-License-Identifier: Apache-2.0
/*
 * spirv_priv.h - the emitter's state, and who does what inside emit/spirv.
 *
 *   module.c    sections of words, ids, types and constants that exist once
 *   emit.c      the module around the kernel: capabilities, variables, inputs
 *   layout.c    types of memory, with and without a layout
 *   flow.c      regions and constructs        leave.c   ways out of them
 *   keep.c      values that leave loops, on a driver that does not keep them
 *   arith.c     operations on numbers: a table, and what needs more than a row
 *   math.c      what WGSL defines and SPIR-V does not      math_fn.c   what it does
 *               not define well enough
 *   place.c     places, and their bounds      memory.c  loads, stores, lengths
 *   words.c     memory that is addressed as 32-bit words
 *   sync.c      atomics, barriers             subgroup.c   subgroups and quads
 *   start.c     what memory starts with
 *   print.c     modules as text
 *
 * A value of the IR is one SPIR-V value: i32 is the unsigned type, and signed
 * operations are applied to it. Where the driver has no f16, an f16 is an f32 that
 * is rounded after every operation.
 */
#ifndef WEFT_EMIT_SPIRV_SPIRV_PRIV_H
#define WEFT_EMIT_SPIRV_SPIRV_PRIV_H

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "analysis/analysis.h"
#include "emit/spirv/spirv.h"

/* In the order of the module; ENTRY_CODE is what is hoisted into the first block. */
typedef enum Section {
    SECTION_CAPABILITIES, SECTION_EXTENSIONS, SECTION_IMPORTS, SECTION_MODEL, SECTION_ENTRY,
    SECTION_MODES, SECTION_NAMES, SECTION_DECORATIONS, SECTION_GLOBALS, SECTION_FUNCTION,
    SECTION_LOCALS, SECTION_HOISTED, SECTION_CODE,
    SECTION_COUNT
} Section;

typedef VEC(uint32_t) Words;

/* How a variable is declared. */
typedef enum VarForm {
    VAR_PLAIN,                      /* as its own type                            */
    VAR_WRAPPED,                    /* the only member of a block                 */
    VAR_BLOCK,                      /* its structure is the block                 */
    VAR_WORDS,                      /* a block or array of 32-bit words           */
    VAR_QUADS,                      /* a block of vectors of four words           */
} VarForm;

typedef struct VarState {
    VarForm           form;
    SpvId             id;           /* 0: not declared                            */
    SpvStorageClass   storage;
    SpvId             length;       /* elements of its runtime-sized array; 0: not
                                       asked for                                  */
    SpvId             last;         /* that less one; 0: not asked for            */
} VarState;

/* Where a place is. */
typedef struct Where {
    const IrVar *var;
    SpvId    pointer;               /* MEM_VALUE that is accessed                 */
    SpvId   *indices;               /* from the variable on                       */
    uint32_t nindices;
    uint64_t offset;                /* WORDS, QUADS: bytes that are known,        */
    SpvId    dynamic;               /* and the others; 0: none                    */
} Where;

/* A branch to a merge block or a continue target, and what it brings. */
typedef struct Arrival {
    SpvId        from;              /* block                                      */
    uint32_t     route;             /* 0: to the construct; else see Route        */
    const SpvId *values;
} Arrival;
typedef VEC(Arrival) Arrivals;

/* A way out that cannot be taken at once: through the merge block of a construct in
 * between, from where it goes on (leave.c). */
typedef struct Route {
    IrOp        op;                 /* BREAK or CONTINUE                          */
    const Inst *target;
    uint32_t    nvalues;
    IrType     *types;              /* [nvalues]                                  */
} Route;

/* A construct that is being emitted. */
typedef struct Frame {
    struct Frame *outer;
    const Inst *construct;
    SpvId    merge, again;          /* again: LOOP, the continue target           */
    bool     fused;                 /* no construct of SPIR-V: its end is just the
                                       next instruction                           */
    Arrivals arrivals, continued;
    VEC(Route) routes;
} Frame;

typedef struct Spirv {
    Arena             *arena;
    const Ir          *ir;
    const Facts       *facts;
    const Facts       *lanes;       /* with many of them; NULL: not asked for     */
    const Facts       *subgroups;   /* with as many as they have; NULL: the same  */
    const bool        *zeros;       /* [ir->vars] analysis_zeros()                */
    const SpirvTarget *target;
    Words   sections[SECTION_COUNT];
    SpvId   next_id;
    bool    too_large;              /* an instruction or the module               */
    bool    lacks_f64;              /* the kernel uses it, the driver has none    */

    uint32_t *interned;             /* hash table: place in GLOBALS + 1           */
    uint32_t  ninterned, interned_room;
    SpvId     glsl;
    VEC(uint32_t) capabilities;

    SpvId    *laid_out, *plain;     /* [mem_types] of MemTypes; 0: none yet       */
    VarState *vars;                 /* [ir->vars]                                 */
    SpvId     inputs[INPUT_COUNT];
    SpvId     wholes[INPUT_COUNT];  /* vectors, at their first component          */
    VEC(SpvId) interface;
    SpvId     never;                /* a bool that is false; 0: not asked for     */
    SpvId     first_lane;           /* whether this is it; 0: not asked for       */
    SpvId    *values;               /* [ir->next_id]                              */
    Where   **places;               /* [ir->next_id]                              */

    /* found in a first walk */
    bool     *accessed;             /* [ir->next_id] places that are read or written */
    uint32_t *breaks;               /* [ir->next_id] BREAKs of a BLOCK            */
    uint32_t *continues;            /* [ir->next_id] CONTINUEs of a LOOP          */
    bool     *written;              /* [ir->vars]                                 */
    bool      syncs_storage;        /* there is a storage barrier                 */

    SpvId     block;                /* being emitted                              */
    Frame    *frame;                /* innermost construct                        */
    uint32_t  continuing;           /* continue constructs around it              */
} Spirv;

/* ---- module.c ---- */

#define OPERANDS(...)                                                       \
    (uint32_t)COUNTOF(((const uint32_t[]){__VA_ARGS__})), (const uint32_t[]){__VA_ARGS__}

SpvId spv_new_id(Spirv *s);
void  spv_put(Spirv *s, Section section, SpvOp op, uint32_t n, const uint32_t *operands);
/* An instruction of the kernel with a result. */
SpvId spv_op_new(Spirv *s, SpvOp op, SpvId type, uint32_t n, const uint32_t *operands);
SpvId spv_op1(Spirv *s, SpvOp op, SpvId type, SpvId x);
SpvId spv_op2(Spirv *s, SpvOp op, SpvId type, SpvId x, SpvId y);
SpvId spv_op3(Spirv *s, SpvOp op, SpvId type, SpvId x, SpvId y, SpvId z);
SpvId spv_glsl1(Spirv *s, enum GLSLstd450 fn, SpvId type, SpvId x);
SpvId spv_glsl2(Spirv *s, enum GLSLstd450 fn, SpvId type, SpvId x, SpvId y);
SpvId spv_glsl3(Spirv *s, enum GLSLstd450 fn, SpvId type, SpvId x, SpvId y, SpvId z);
void  spv_need(Spirv *s, SpvCapability capability);
void  spv_need_extension(Spirv *s, const char *name);
void  spv_put_string(Words *w, Arena *a, const char *text);
void  spv_decorate(Spirv *s, SpvId id, SpvDecoration what, uint32_t n, const uint32_t *operands);
SpirvCode spv_module_assemble(Spirv *s);

/* Types and constants: the same again is the same id. */
SpvId spv_global(Spirv *s, SpvOp op, SpvId type, uint32_t n, const uint32_t *operands);
SpvId spv_type_void(Spirv *s);
SpvId spv_type_value(Spirv *s, IrType t);
SpvId spv_type_u32(Spirv *s);
/* Integers have no sign but in the operands and results of instructions whose meaning is
 * signed and that optimisers of drivers fold by the sign of the type. */
SpvId spv_type_signed(Spirv *s, uint32_t width);
SpvId spv_type_pointer(Spirv *s, SpvStorageClass storage, SpvId to);
SpvId spv_const_u32(Spirv *s, uint32_t n);
SpvId spv_const_value(Spirv *s, IrType t, const IrConstant *k);
SpvId spv_const_slots(Spirv *s, IrType t, const uint32_t *data);    /* as IrVar.data  */
SpvId spv_const_splat(Spirv *s, IrType t, uint32_t bits);
SpvId spv_const_f32(Spirv *s, IrType like, float x);                /* width of like  */
SpvId spv_const_real(Spirv *s, IrType type, double x);              /* f32 or f64     */
SpvId spv_const_null(Spirv *s, SpvId type);
SpvId spv_undef(Spirv *s, SpvId type);

static inline IrType as_kind(IrType t, ScalarKind kind)
{
    return (IrType){(uint8_t)kind, t.width};
}

/* ---- emit.c ---- */

SpvId spv_value(Spirv *s, const Inst *inst);
VarState *spv_var_state(const Spirv *s, const IrVar *var);
SpvId spv_input_value(Spirv *s, IrInput input);

/* ---- layout.c ---- */

SpvId spv_layout_type(Spirv *s, const MemType *mem, bool laid_out);
/* Can it stand in a uniform buffer where arrays step by multiples of 16 bytes? */
bool  spv_layout_is_uniform(const MemType *mem);
bool  spv_layout_has_f16(const MemType *mem);
bool  spv_layout_is_runtime(const MemType *mem);
/* A table in slots. */
SpvId spv_layout_constant(Spirv *s, const MemType *mem, const uint32_t *data);

/* ---- flow.c, leave.c, keep.c ---- */

void  spv_flow_region(Spirv *s, const Region *r);
void  spv_block_start(Spirv *s, SpvId label);
void  spv_branch(Spirv *s, SpvId to);
void  spv_branch_if(Spirv *s, SpvId condition, SpvId yes, SpvId no);
void  spv_selection_merge(Spirv *s, SpvId merge);

void  spv_leave_inst(Spirv *s, const Inst *inst);
/* Where the branch of a BREAK or CONTINUE goes, which the caller makes at once. */
SpvId spv_leave_target(Spirv *s, const Inst *inst);
/* Is it a BREAK or CONTINUE of the innermost loop? */
bool  spv_leave_is_direct(const Spirv *s, const Inst *inst);
/* From the current block to the merge block, with the results that `leaver` (YIELD,
 * BREAK_IF) brings; the branch itself is up to the caller. */
void  spv_leave_arrive(Spirv *s, Frame *f, const Inst *leaver);
/* What arrives at a merge block gets names; routes go on from there. */
void  spv_leave_merge(Spirv *s, Frame *f, Inst *const *results, uint32_t n);
/* Gives the instructions the values that arrive here. */
void  spv_leave_join(Spirv *s, const Arrivals *arrivals, Inst *const *to, uint32_t n);

/* Ends the header of a loop, before whose `body` there may be a way out. */
void  spv_keep_header(Spirv *s, Frame *f, SpvId body);

/* ---- the others ---- */

void  spv_arith_inst(Spirv *s, const Inst *inst);
typedef SpvId ArithFn(Spirv *s, const Inst *inst);
ArithFn spv_math_pow, spv_math_ldexp, spv_math_frexp_fract, spv_math_frexp_exp, spv_math_frem;
ArithFn spv_math_to_signed, spv_math_to_unsigned, spv_math_float_to_float;
ArithFn spv_math_asin, spv_math_acos, spv_math_tanh, spv_math_asinh, spv_math_acosh;
ArithFn spv_math_pack_half, spv_math_unpack_half, spv_math_word, spv_math_from_words;
ArithFn spv_math_part;
/* An f64 and the two words of its bits, the lower one first. */
SpvId spv_double_words(Spirv *s, SpvId x);
SpvId spv_double_of_words(Spirv *s, SpvId low, SpvId high);
/* vec2 of f16 and the word of its bits. */
SpvId spv_half_pack(Spirv *s, SpvId pair);
SpvId spv_half_unpack(Spirv *s, SpvId word);
/* An f16 as f32, and back. */
SpvId spv_math_widen(Spirv *s, IrType type, SpvId x);
SpvId spv_math_narrow(Spirv *s, IrType type, SpvId x);
/* An f32 that stands for an f16, rounded. */
SpvId spv_math_round16(Spirv *s, IrType type, SpvId x);

void  spv_place_inst(Spirv *s, const Inst *inst);
SpvId spv_place_length(Spirv *s, const IrVar *var);     /* of its runtime-sized array */
void  spv_memory_load(Spirv *s, const Inst *inst);
void  spv_memory_store(Spirv *s, const Inst *inst);
void  spv_memory_length(Spirv *s, const Inst *inst);
SpvId spv_words_load(Spirv *s, const Where *p, const MemType *mem);
void  spv_words_store(Spirv *s, const Where *p, const MemType *mem, SpvId v);
void  spv_atomic_inst(Spirv *s, const Inst *inst);
void  spv_barrier(Spirv *s, uint32_t kinds);
void  spv_subgroup_inst(Spirv *s, const Inst *inst);
void  spv_start_workgroup(Spirv *s);
void  spv_start_own(Spirv *s);
/* Whether code fills the variable, which needs no initialiser then. */
bool  spv_start_is_code(const Spirv *s, const IrVar *var);

#endif
