// SPDX-License-Identifier: Apache-2.0
/*
 * weft.hpp - Weft for C++17: header-only, over the C interface of libweft.
 *
 *     weft::pool pool;
 *     weft::pool_context ctx(pool);
 *     std::vector<float> x = {1, 2, 3}, y(3);
 *     ctx.execute(wgsl, {{"x", x}, {"params.n", 3u}}, {{"y", y}});
 *
 * Ownership  objects count references: copies share, the last one releases. release() gives an
 *            object up before its end.
 * Errors     weft::error is thrown, with the kind of weft/error.h. With -fno-exceptions, or with
 *            WEFT_NO_EXCEPTIONS defined, calls that fail return empty objects or false, and
 *            weft::last_error() of the thread has the reason. Objects that were released, and
 *            those of the parent in a child of fork(), fail with WEFT_ERROR_INVALID.
 * Threads    as in the C headers: pools from any thread, contexts of tensors one at a time.
 * Parts      weft_core.hpp errors, handles, spans; weft_pool.hpp devices, execute;
 *            weft_tensor.hpp tensors; weft_solve.hpp solvers; weft_model.hpp language models
 */
#ifndef WEFT_HPP
#define WEFT_HPP

#include "weft_core.hpp"
#include "weft_model.hpp"
#include "weft_pool.hpp"
#include "weft_solve.hpp"
#include "weft_tensor.hpp"

#endif
