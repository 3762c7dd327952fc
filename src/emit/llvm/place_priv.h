// SPDX-License-Identifier: Apache-2.0
/*
 * place_priv.h - addresses, between place.c and those who load and store.
 */
#ifndef WEFT_EMIT_LLVM_PLACE_PRIV_H
#define WEFT_EMIT_LLVM_PLACE_PRIV_H

#include "emit/llvm/emit_priv.h"

typedef enum AddressShape {
    ADDRESS_UNIFORM,
    ADDRESS_STRIDED,
    ADDRESS_SCATTERED,
} AddressShape;

/* (index + plus) * stride bytes. */
typedef struct Term {
    const Inst *index;
    uint32_t    plus;
    uint64_t    stride;
    uint64_t    fixed;              /* elements; 0: runtime-sized                */
    LlvmValue   count;              /* i32 to check against; NULL: proved        */
} Term;

typedef struct Address {
    const IrVar   *var;
    const MemType *mem;             /* what is there                             */
    uint64_t       offset;          /* bytes                                     */
    Term          *terms;
    uint32_t       nterms;
    uint32_t       align;           /* bytes: 4, 2 or 1                          */
    bool           for_all;         /* proofs about active lanes do not count    */
    bool           viewed;          /* inside a view, which has its own bounds   */
    AddressShape   shape;
    int64_t        lane_stride;     /* STRIDED: bytes from lane to lane          */
    bool           streams;         /* stores may pass the caches by             */
    bool           alone;           /* lanes that are off may store what is there: no
                                       other thread sees it                      */
    bool           whole;           /* the value is in pieces (whole.c)          */
} Address;

/* What is proved of an index holds in the lanes that are on; the others may have any
 * number. `for_all` asks for an address that stays in bounds in all lanes. */
Address address_of(Emit *e, const Inst *place, bool for_all);
bool    address_is_private(const Address *a);       /* one memory a lane         */

bool    address_is_proved(const Address *a);        /* no check is needed        */
/* Is a place in bounds whatever lanes are on? Indices are made from local ids alone. */
bool    place_is_always_inside(const Emit *e, const Inst *place);

/* For UNIFORM and STRIDED: i1, the checks that are still needed; NULL: none.
 * Without `uniform_too` only those that clamping a scalar would not settle. */
LlvmValue address_fits(Emit *e, const Address *a, bool uniform_too);
/* For all: <lanes x i1>, or NULL: no check is needed. */
LlvmValue address_fits_lanes(Emit *e, const Address *a);

/* A pointer for UNIFORM; for STRIDED the first lane's. Clamping concerns uniform
 * indices only. */
LlvmValue address_scalar(Emit *e, const Address *a, bool clamped);

/* One address a lane: a common base, and units of bytes from there. */
typedef struct LaneAddress {
    LlvmValue base, units;          /* units: <lanes x i32>                      */
    uint32_t  unit;                 /* bytes                                     */
} LaneAddress;

LaneAddress address_lanes(Emit *e, const Address *a, bool clamped);
LlvmValue   address_in_lane(Emit *e, const LaneAddress *l, uint32_t lane);
LlvmValue   address_unit(Emit *e, const LaneAddress *l, LlvmValue units);  /* i64   */

/* [lanes]: a pointer for each; to a place that needs no check; from the first lane's of a
 * STRIDED one. */
LlvmValue  *address_lane_pointers(Emit *e, const LaneAddress *l);
LlvmValue  *address_pointers(Emit *e, const Address *a);
LlvmValue  *address_even_pointers(Emit *e, const Address *a, LlvmValue first);

/* ---- memory.c ---- */

/* What one component is in memory; to there and back. */
LlvmType  memory_type(Emit *e, const Address *a);
LlvmValue memory_pack(Emit *e, const Address *a, LlvmValue v);
LlvmValue memory_unpack(Emit *e, const Address *a, LlvmValue v);
uint32_t  memory_element_size(const Address *a);        /* bytes                  */
bool      memory_is_word(const Address *a);
void      memory_tag_at(Emit *e, LlvmValue access, const Address *a);  /* aliasing */
/* The address of component c of a vector. */
Address   memory_component(const Address *a, uint32_t c);

/* One access. */
LlvmValue memory_load_at(Emit *e, const Address *a, LlvmType type, LlvmValue pointer);
LlvmValue memory_store_at(Emit *e, const Address *a, LlvmValue v, LlvmValue pointer);
/* The same of a vector, for the lanes in `mask`. */
LlvmValue memory_load_masked(Emit *e, const Address *a, LlvmType type, LlvmValue pointer,
                             LlvmValue mask);
void      memory_store_masked(Emit *e, const Address *a, LlvmValue v, LlvmValue pointer,
                              LlvmValue mask);

/* Is it known which lanes are on, and are they far from each other and in bounds? Then only
 * these access memory, one by one: the last steps of sums in workgroup memory. */
bool      memory_some_known(const Emit *e, const Address *a);
/* Can vectors be loaded and stored whole, one a lane? */
bool      memory_has_rows(const Emit *e, const Address *a, uint32_t width);
/* STRIDED: elements from lane to lane, if one wide access can cover all lanes; else 0. */
#define MEMORY_SPREAD 4                                 /* at most                */
uint32_t  memory_spread(const Address *a);
/* May lanes turn out to follow each other? Do they: i1. */
bool      memory_may_follow(const Emit *e, const Address *a, uint32_t width);
LlvmValue memory_follows(Emit *e, const LaneAddress *l);

/* ---- table.c ---- */

/* Is it a table of constants so small that a permutation finds words of this type? */
bool      table_suits(const Emit *e, const Address *a, LlvmType type);
LlvmValue table_load(Emit *e, const Address *a, LlvmType type, const LaneAddress *at);

/* ---- gather.c ---- */

/* All lanes, each at its own place; `type` is what one lane has there. */
LlvmValue gather(Emit *e, const Address *a, LlvmType type, const LaneAddress *at);
void      scatter_all(Emit *e, const Address *a, LlvmValue v, const LaneAddress *at);

/* At even distances (a->lane_stride) from `first` on, by a function: where there are so
 * many such accesses that it is called. gather_note() counts one that is not. */
bool      gather_is_called(const Emit *e);
void      gather_note(Emit *e);
LlvmValue gather_even(Emit *e, const Address *a, LlvmType type, LlvmValue first);
void      scatter_even(Emit *e, const Address *a, LlvmValue v, LlvmValue first);

/* ---- rows.c ---- */

/* For more than one lane. `type` is what one component is in memory; v and out
 * have a vector of lanes for each component.
 * A vector of `width` at each of pointers[lanes]: */
void rows_load(Emit *e, const Address *a, LlvmType type, uint32_t width,
               const LlvmValue *pointers, LlvmValue *out);
void rows_store(Emit *e, const Address *a, const LlvmValue *v, uint32_t width,
                const LlvmValue *pointers);
/* Vectors of four, one after the other from `pointer` on: */
void rows_store_dense(Emit *e, const Address *a, const LlvmValue *v, LlvmValue pointer);
/* The pieces of vectors that are kept whole (whole.c), from their components and back; from
 * and to memory; one after the other in one vector. */
void rows_together(Emit *e, const LlvmValue *v, LlvmValue *out);
void rows_apart(Emit *e, const LlvmValue *pieces, LlvmValue *out);
void rows_load_whole(Emit *e, const Address *a, LlvmType type, const LlvmValue *pointers,
                     LlvmValue *out);
void rows_store_whole(Emit *e, const Address *a, const LlvmValue *pieces,
                      const LlvmValue *pointers);
LlvmValue rows_joined(Emit *e, const LlvmValue *pieces);
/* A vector of three may be loaded as one of four. */
bool rows_have_room(const Address *a);
/* One lane after the other, in little code, for what is seldom, or done by few lanes. */
void lanes_load_in_turn(Emit *e, const Address *a, const LaneAddress *l, LlvmType type,
                        uint32_t width, LlvmValue *out);
void lanes_store_in_turn(Emit *e, const Address *a, const LaneAddress *l, const LlvmValue *v,
                         uint32_t width, LlvmValue mask);

/* ---- spot.c ---- */

#define SPOT_LEAVES 4u              /* of an index, as a sum                      */

/* Where a load or store is: parent[leaves + plus], and `inside` bytes in there. */
typedef struct Spot {
    const Inst *access, *parent;
    const Inst *leaves[SPOT_LEAVES];
    uint32_t    nleaves, plus, inside;
    int64_t     at;                 /* bytes, from where the leaves lead to       */
} Spot;

/* False: in no array, or at a constant index. */
bool      spot_find(Spot *s, const Inst *access);
/* By all but `at`, in some order; 0: they are as far from each other as that says. */
int       spot_compare(const Spot *x, const Spot *y);
/* An element whose index is constant and in bounds. */
bool      spot_is_fixed(const Inst *elem);

/* ---- runs.c ---- */

/* Loads all of a run, if `load` is its first; false: it is not, or there is none that
 * suits. `a`: the address of `load`. */
bool      runs_load(Emit *e, const Inst *load, const Address *a);
/* Was it loaded with the first of its run? */
bool      runs_have(Emit *e, const Inst *load);

/* ---- lanewise.c ---- */

/* Whether what a load gives is only wanted lane by lane. */
bool      lanewise_is(const Emit *e, const Inst *load);
/* lane_get() of an integer, or a way around the vector. */
LlvmValue lanewise_get(Emit *e, LlvmValue v, uint32_t lane);

/* ---- partner.c ---- */

/* The block that holds x[i ^ d] of all lanes; lane i's is at (i ^ by). */
typedef struct Partner {
    LlvmValue pointer, by;
    LlvmValue fits;                 /* i1: all of it is in bounds; NULL: known    */
} Partner;

/* False: the place is another. */
bool      partner_find(Emit *e, const Inst *place, Partner *out);
LlvmValue partner_mask(Emit *e, LlvmValue mask, LlvmValue by);

/* ---- beside.c ---- */

/* Stores to words that follow each other. */
typedef struct Beside {
    const Inst *store[WHOLE];
    uint32_t    count;
} Beside;

void          beside_survey(Emit *e);                   /* at entry               */
/* The stores that one is done with, at once, and the address of the first; NULL: it is
 * done alone. */
const Beside *beside_find(Emit *e, const Inst *store, Address *out);

/* ---- pattern.c ---- */

/* One word a lane; `type`: what it is in memory. False: the distances are not known, or
 * too large. `always_inside`: also in lanes that are off. */
bool      pattern_load(Emit *e, const Address *a, LlvmType type, LlvmValue *out);
bool      pattern_store(Emit *e, const Address *a, LlvmValue v, bool always_inside);

/* ---- stream.c ---- */

/* Whether a store to such an address may pass the caches by. */
bool      stream_may(const Emit *e, const Inst *store, const Address *a);
/* Stores a vector past the caches if the dispatch wants it so, else as any other. */
void      stream_store(Emit *e, const Address *a, LlvmValue v, LlvmValue pointer);

/* ---- prefetch.c ---- */

/* For a load at `pointer` that covers all lanes. */
void      prefetch_next(Emit *e, const Address *a, LlvmValue pointer);

#endif
