// SPDX-License-Identifier: Apache-2.0
/*
 * projection_priv.h - what a projection consists of.
 */
#ifndef WEFT_VECTORS_PROJECTION_PRIV_H
#define WEFT_VECTORS_PROJECTION_PRIV_H

#include "vectors/vectors_priv.h"

struct weft_vectors_projection {
    uint32_t      refs;
    weft_context *ctx;
    weft_vectors_projection_desc desc;  /* resolved                                       */
    char         *label;
    uint64_t      count;
    double        weight;               /* of the rows so far, with the half-life         */
    double       *mean;                 /* [dim]                                          */
    weft_buffer  *covariance;           /* [dim][dim]                                     */
    weft_buffer  *zeros;                /* [dim]                                          */
    uint32_t      basis_rows;           /* components and some more, for convergence      */
    double       *basis;                /* [basis_rows][dim]: principal directions        */
    bool          has_basis;
    float        *axes;                 /* [components][dim], aligned                     */
    weft_buffer  *axes_buffer;          /* the same                                       */
    bool          has_axes;
    double        total;                /* trace of the covariance                        */
    double        variance[WEFT_VECTORS_MAX_COMPONENTS];
    uint64_t      random;
};

#endif
