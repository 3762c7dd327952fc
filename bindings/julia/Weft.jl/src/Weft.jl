# SPDX-License-Identifier: Apache-2.0
"""
WGSL compute kernels in one call, on whichever device suits; tensors, curve fits, language models.

    using Weft
    execute(wgsl, Float32[1, 2, 3])                     # an array in, an array out
    julia_webgpu_execute(wgsl, [1.0, 2.0])              # the same in Float64

Errors are `WeftError`s with a `kind`, the same in every language. Objects are released by
finalizers, or earlier by `close`; after that, and after fork(), calls throw.
"""
module Weft

import Libdl

export WeftError, Pool, PoolContext, PoolData, Report, execute, execute!, start, cancel, devices,
    julia_webgpu_execute, Context, Tensor, read_array, matmul, softmax, fit, Model, generate

"The library: \$WEFT_LIBRARY, else libweft.so where the system finds it."
const libweft = get(ENV, "WEFT_LIBRARY", "libweft")

include("types.jl")
include("errors.jl")
include("pool.jl")
include("execute.jl")
include("tensor.jl")
include("solve.jl")
include("model.jl")

end
