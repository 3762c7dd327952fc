// SPDX-License-Identifier: Apache-2.0
/*
 * regular_priv.h - index arithmetic that would be regular if a number were as it mostly is.
 *
 * Wishes are made of single instructions: that a quotient is the same in all lanes of a lane
 * group, or that a factor is 1. assume_regular.c has dispatches prove them, quotients.c has
 * lane groups test them.
 */
#ifndef WEFT_OPT_REGULAR_PRIV_H
#define WEFT_OPT_REGULAR_PRIV_H

#include "opt/opt_priv.h"

typedef enum WishKind {
    WISH_QUOTIENT,                  /* of x / y or x % y, lanes counting up in x and sharing
                                       y: no multiple of y lies between lanes     */
    WISH_UNIT,                      /* of x * y, likewise: y is 1                 */
} WishKind;

typedef struct Wish {
    Inst    *inst;
    WishKind kind;
    uint32_t span;                  /* QUOTIENT: the last lane's x less the first's */
    uint32_t align;                 /* QUOTIENT: a power of two that divides y; or 0 */
} Wish;

/* Facts as they are, and as they would be with all wishes so far. */
typedef struct WhatIf {
    Ir          *ir;
    const Facts *before;
    Facts       *now;
    uint32_t     count;             /* instructions that have facts               */
    bool        *among_others;      /* [next_id] one of several products in a sum */
    VEC(Wish)    wishes;
} WhatIf;

/* `count`: instructions that `before` is about; newer ones count as varying. */
void what_if_init(WhatIf *w, Ir *ir, const Facts *before, uint32_t count);

/* The wish that would make `inst` regular; false: it is, or none would. */
bool what_if_wish(const WhatIf *w, Inst *inst, Wish *out);
/* Of an instruction whose operands are up to date. With a wish: that it comes true. */
void what_if_update(WhatIf *w, const Inst *inst);
void what_if_update_region(WhatIf *w, const Region *region);
void what_if_grant(WhatIf *w, const Wish *wish);

/* Which operand of a product counts up, and which is shared. */
Inst *wish_counter(const WhatIf *w, const Inst *product);
Inst *wish_factor(const WhatIf *w, const Inst *product);

typedef struct Gain {
    uint32_t insts;
    uint32_t depth;                 /* of loops around the innermost accesses     */
    uint32_t gained;                /* of these accesses: those that become regular */
    bool     barrier;
} Gain;

/* Drops wishes that no access in [first, end) becomes regular by. */
void  what_if_keep_needed(WhatIf *w, const Inst *first, const Inst *end);
/* What [first, end) gains by the wishes. */
void  what_if_gain(const WhatIf *w, const Inst *first, const Inst *end, Gain *out);

#endif
