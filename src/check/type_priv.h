// SPDX-License-Identifier: Apache-2.0
/*
 * type_priv.h - what type.c and type_query.c share: the facts of a type, found
 * once when it is made, so that no question walks its parts again.
 */
#ifndef WEFT_CHECK_TYPE_PRIV_H
#define WEFT_CHECK_TYPE_PRIV_H

#include "check/type.h"

enum {                                  /* bits of Type.facts                   */
    FACT_PLAIN               = 1 << 0,
    FACT_CONSTRUCTIBLE       = 1 << 1,
    FACT_STORABLE            = 1 << 2,
    FACT_HOST_SHAREABLE      = 1 << 3,
    FACT_FIXED               = 1 << 4,
    FACT_CREATION_FIXED      = 1 << 5,
    /* what it contains, or is */
    FACT_HAS_ABSTRACT        = 1 << 6,
    FACT_HAS_ATOMIC          = 1 << 7,
    FACT_HAS_RUNTIME_ARRAY   = 1 << 8,
    FACT_HAS_F16             = 1 << 9,
    FACT_HAS_F64             = 1 << 10,
};

/* The facts of a type whose parts have theirs. A structure of which a member has
 * no type yet, or that is not complete, answers as the error type does. */
uint32_t type_facts(const Type *t);
uint32_t type_struct_facts(const Type *t);

#endif
