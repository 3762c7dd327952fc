# SPDX-License-Identifier: Apache-2.0
#
# Devices for tensors, and tensors: lazy operations that are fused into few kernels.

"A device. Tasks that use it wait for each other."
mutable struct Context <: Handle
    pointer::Ptr{Cvoid}
    process::Cint
    lock::ReentrantLock
end

"    Context(; adapter = nothing, threads = 0, dispatch_deadline = 0, memory_budget = 0)"
function Context(; adapter = nothing, threads::Integer = 0, dispatch_deadline::Integer = 0,
        memory_budget::Integer = 0)
    word = adapter === nothing ? nothing : c_text(adapter)
    GC.@preserve word begin
        desc = with(zeroed(weft_context_desc); adapter = c_pointer(word), threads = UInt32(threads),
            dispatch_deadline = UInt64(dispatch_deadline), memory_budget = UInt64(memory_budget))
        raw = ccall((:weft_context_create, libweft), Ptr{Cvoid}, (Ref{weft_context_desc},), desc)
    end
    raw == C_NULL && throw(WeftError(:memory, "no memory for a context"))
    c = Context(raw, getpid(), ReentrantLock())
    e = take_error(c)
    if e.kind !== :none
        close(c)
        throw(e)
    end
    return finalizer(finish, c)
end

"The error of a context, which has none afterwards; kind :none without one."
function take_error(c::Context)
    e = unsafe_load(ccall((:weft_context_error, libweft), Ptr{weft_error}, (Ptr{Cvoid},), live(c)))
    e.kind == 0 && return WeftError(:none, "")
    error = WeftError(kind_symbol(e.kind), text_of(e.message),
        [text_of(e.names[i]) for i in 1:e.name_count])
    ccall((:weft_context_error_clear, libweft), Cvoid, (Ptr{Cvoid},), live(c))
    return error
end

function Base.close(c::Context)
    raw = take_pointer(c)
    raw == C_NULL || ccall((:weft_context_release, libweft), Cvoid, (Ptr{Cvoid},), raw)
    return nothing
end

"Waits until the device has finished all work so far."
Base.wait(c::Context) = lock(c.lock) do
    ccall((:weft_context_wait, libweft), Bool, (Ptr{Cvoid},), live(c)) || throw(take_error(c))
    nothing
end

"A tensor; axes in the order of C, the last fastest."
mutable struct Tensor <: Handle
    pointer::Ptr{Cvoid}
    process::Cint
    context::Context
end

# A finalizer must not wait: what is in use is tried again at the next collection.
finish(h::Handle) = close(h)
function finish(t::Tensor)
    if trylock(t.context.lock)
        try
            close(t)
        finally
            unlock(t.context.lock)
        end
    else
        finalizer(finish, t)
    end
    return nothing
end

function Base.close(t::Tensor)
    raw = take_pointer(t)
    raw == C_NULL || ccall((:weft_tensor_release, libweft), Cvoid, (Ptr{Cvoid},), raw)
    return nothing
end

function give(c::Context, raw::Ptr{Cvoid})
    raw == C_NULL && throw(take_error(c))
    return finalizer(finish, Tensor(raw, getpid(), c))
end

dtype(::Type{Float32}) = Cuint(1)
dtype(::Type{Float16}) = Cuint(2)
dtype(::Type{Float64}) = Cuint(4)
dtype(::Type{Int32}) = Cuint(5)
dtype(::Type{UInt32}) = Cuint(6)
dtype(::Type{Int8}) = Cuint(7)
dtype(::Type{UInt8}) = Cuint(8)
dtype(::Type{Int64}) = Cuint(9)
dtype(::Type{Bool}) = Cuint(10)
dtype(::Type{T}) where {T} = throw(WeftError(:type, "tensors have no elements of $T"))

"    Tensor(context, array): its axes are reversed, so that the memory is the same"
function Tensor(c::Context, data::Array{T}) where {T}
    lock(c.lock) do
        GC.@preserve data begin
            desc = with(zeroed(weft_tensor_desc); dtype = dtype(T), rank = UInt32(ndims(data)),
                shape = shape_of(data), data = Ptr{Cvoid}(pointer(data)),
                data_size = UInt64(sizeof(data)))
            give(c, ccall((:weft_tensor_create, libweft), Ptr{Cvoid},
                (Ptr{Cvoid}, Ref{weft_tensor_desc}), live(c), desc))
        end
    end
end

"Sizes of the axes, the last fastest."
function Base.size(t::Tensor)
    rank = ccall((:weft_tensor_rank, libweft), UInt32, (Ptr{Cvoid},), live(t))
    shape = ccall((:weft_tensor_shape, libweft), Ptr{UInt64}, (Ptr{Cvoid},), live(t))
    return Tuple(Int(unsafe_load(shape, i)) for i in 1:rank)
end

"Computes it: its elements as an array, whose axes are reversed."
function read_array(::Type{T}, t::Tensor) where {T}
    lock(t.context.lock) do
        is = ccall((:weft_tensor_dtype, libweft), Cuint, (Ptr{Cvoid},), live(t))
        is == dtype(T) || throw(WeftError(:type, "the tensor has other elements than $T"))
        out = Array{T}(undef, reverse(size(t))...)
        ok = GC.@preserve out ccall((:weft_tensor_read, libweft), Bool,
            (Ptr{Cvoid}, UInt64, Ptr{Cvoid}), pointer(out), sizeof(out), live(t))
        ok || throw(take_error(t.context))
        out
    end
end

function matmul(a::Tensor, b::Tensor)
    lock(a.context.lock) do
        give(a.context, ccall((:weft_tensor_matmul, libweft), Ptr{Cvoid},
            (Ptr{Cvoid}, Ptr{Cvoid}), live(a), live(b)))
    end
end

function softmax(x::Tensor, axis::Integer = -1)
    lock(x.context.lock) do
        give(x.context, ccall((:weft_tensor_softmax, libweft), Ptr{Cvoid}, (Ptr{Cvoid}, Cint),
            live(x), axis))
    end
end

function Base.reshape(x::Tensor, sizes::Integer...)
    shape = UInt64[sizes...]
    lock(x.context.lock) do
        give(x.context, ccall((:weft_tensor_reshape, libweft), Ptr{Cvoid},
            (Ptr{Cvoid}, UInt32, Ptr{UInt64}), live(x), length(shape), shape))
    end
end

# ---- operations by name: Weft.unary(:relu, x), Weft.binary(:add, a, b), Weft.reduce(:sum, x) ----

const UNARY = (
    :neg, :abs, :sign, :exp, :expm1, :log, :log1p, :log2, :sqrt, :rsqrt, :reciprocal,
    :square, :sin, :cos, :tan, :asin, :acos, :atan, :sinh, :cosh, :tanh, :asinh, :acosh,
    :atanh, :erf, :floor, :ceil, :round, :trunc, :relu, :silu, :sigmoid, :softplus,
    :hard_swish, :hard_sigmoid, :mish, :softsign, :bit_not, :logical_not, :is_nan, :is_inf,
    :is_finite,
)
const BINARY = (
    :add, :sub, :mul, :div, :floor_div, :remainder, :fmod, :pow, :maximum, :minimum, :atan2,
    :hypot, :copysign, :bit_and, :bit_or, :bit_xor, :shl, :shr, :equal, :not_equal, :less,
    :less_equal, :greater, :greater_equal, :logical_and, :logical_or, :logical_xor,
)
const REDUCTION = (
    :sum, :prod, :mean, :max, :min, :any, :all, :logsumexp,
)

function symbol(name::Symbol, known)
    name in known || throw(WeftError(:not_found, "there is no operation :$name"))
    return Libdl.dlsym(Libdl.dlopen(libweft), Symbol(:weft_tensor_, name))
end

function unary(name::Symbol, x::Tensor)
    f = symbol(name, UNARY)
    lock(x.context.lock) do
        give(x.context, ccall(f, Ptr{Cvoid}, (Ptr{Cvoid},), live(x)))
    end
end

function binary(name::Symbol, a::Tensor, b::Tensor)
    f = symbol(name, BINARY)
    lock(a.context.lock) do
        give(a.context, ccall(f, Ptr{Cvoid}, (Ptr{Cvoid}, Ptr{Cvoid}), live(a), live(b)))
    end
end

function reduce(name::Symbol, x::Tensor; axes = (), keep::Bool = false)
    f = symbol(name, REDUCTION)
    all = weft_axes(UInt32(length(axes)), ntuple(i -> i <= length(axes) ? Cint(axes[i]) : Cint(0), 8),
        keep, false)
    lock(x.context.lock) do
        give(x.context, ccall(f, Ptr{Cvoid}, (Ptr{Cvoid}, Ref{weft_axes}), live(x), all))
    end
end

Base.:+(a::Tensor, b::Tensor) = binary(:add, a, b)
Base.:-(a::Tensor, b::Tensor) = binary(:sub, a, b)
Base.:*(a::Tensor, b::Tensor) = matmul(a, b)
