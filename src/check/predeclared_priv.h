// SPDX-License-Identifier: Apache-2.0
/*
 * predeclared_priv.h - what names mean that no declaration of the module binds.
 */
#ifndef WEFT_CHECK_PREDECLARED_PRIV_H
#define WEFT_CHECK_PREDECLARED_PRIV_H

#include "check/check_priv.h"

typedef enum PredeclaredKind {
    PRE_SCALAR,                     /* of                                        */
    PRE_VECTOR,                     /* of, a: width; of NONE: a generator        */
    PRE_MATRIX,                     /* of, a: columns, b: rows; the same         */
    PRE_TEXTURE,                    /* a: TextureKind, b: TextureDim             */
    PRE_SAMPLER,                    /* a: comparison                             */
    PRE_ARRAY,
    PRE_ATOMIC,
    PRE_PTR,
    PRE_BUFFER,
    PRE_SPACE,                      /* a: AddressSpace                           */
    PRE_ACCESS,                     /* a: Access                                 */
    PRE_TEXEL,                      /* a: TexelFormat                            */
    PRE_BUILTIN,                    /* a: BuiltinId                              */
} PredeclaredKind;

typedef enum PredeclaredScalar {
    PRE_OF_NONE, PRE_OF_BOOL, PRE_OF_I32, PRE_OF_U32, PRE_OF_F32, PRE_OF_F16, PRE_OF_F64,
} PredeclaredScalar;

typedef struct Predeclared {
    PredeclaredKind   kind;
    PredeclaredScalar of;
    uint32_t          a, b;
} Predeclared;

/* Enters the predeclared names into the module's interner, so that afterwards a
 * lookup is a look at Name.predeclared. */
void predeclared_bind(Module *m);
/* What the name means where no declaration hides it. False: nothing, or a thing
 * of a language feature that is not available. */
bool predeclared_find(const Checker *c, const Name *name, Predeclared *out);
/* "a type", "a type generator", "an address space", ... */
const char *predeclared_what(const Predeclared *p);

/* For suggestions: name number `i`; NULL past the last. */
const char *predeclared_name(uint32_t i);
bool        predeclared_is_available(const Checker *c, uint32_t i);
/* Does `enable weft_f64;`, which is missing, declare the name? */
bool        predeclared_needs_f64(const Checker *c, const Name *name);

#endif
