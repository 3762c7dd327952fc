# SPDX-License-Identifier: Apache-2.0
#
# Pools of devices, their users, and data that stays on devices. Any thread may use them.

const WEFT_OFF = typemax(UInt64)
const WEFT_POLICY_DEVICE = Cuint(6)

"Types of elements, as weft_scalar numbers them."
scalar(::Type{UInt8}) = Cuint(0)
scalar(::Type{Int32}) = Cuint(2)
scalar(::Type{UInt32}) = Cuint(3)
scalar(::Type{Float32}) = Cuint(4)
scalar(::Type{Float16}) = Cuint(5)
scalar(::Type{Float64}) = Cuint(6)
scalar(::Type{T}) where {T} =
    throw(WeftError(:type, "kernels have no elements of $T; there are Float32, Float64, Float16, Int32, UInt32, UInt8"))

"The devices of the machine."
mutable struct Pool <: Handle
    pointer::Ptr{Cvoid}
    process::Cint
end

"""
    Pool(; adapters = ["cpu"], libraries = [], unmeasured = true, dispatch_deadline = 0, ...)

Finds devices. Times are nanoseconds, sizes bytes; 0 means the default.
"""
function Pool(; adapters = String[], libraries = String[], no_own::Bool = false,
        unmeasured::Bool = false, threads::Integer = 0, dispatch_deadline::Integer = 0,
        time_limit::Integer = 0, memory_limit::Integer = 0, retries::Integer = 0)
    words = String[c_text(w) for w in adapters]
    paths = String[c_text(p) for p in libraries]
    GC.@preserve words paths begin
        a = Cstring[[c_pointer(w) for w in words]; Cstring(C_NULL)]
        l = Cstring[[c_pointer(p) for p in paths]; Cstring(C_NULL)]
        GC.@preserve a l begin
            desc = with(zeroed(weft_pool_desc);
                adapters = isempty(words) ? Ptr{Cstring}(C_NULL) : pointer(a),
                libraries = isempty(paths) ? Ptr{Cstring}(C_NULL) : pointer(l),
                no_own = no_own, benchmark_timeout = unmeasured ? WEFT_OFF : UInt64(0),
                threads = UInt32(threads), dispatch_deadline = UInt64(dispatch_deadline),
                time_limit = UInt64(time_limit), memory_limit = UInt64(memory_limit),
                retries = UInt32(retries))
            raw = ccall((:weft_pool_create, libweft), Ptr{Cvoid}, (Ref{weft_pool_desc},), desc)
        end
    end
    raw == C_NULL && throw(WeftError(:memory, "no memory for a pool"))
    return finalizer(close, Pool(raw, getpid()))
end

function Base.close(p::Pool)
    raw = take_pointer(p)
    raw == C_NULL || ccall((:weft_pool_release, libweft), Cvoid, (Ptr{Cvoid},), raw)
    return nothing
end

"How many devices a pool has found."
devices(p::Pool) = Int(ccall((:weft_pool_device_count, libweft), UInt32, (Ptr{Cvoid},), live(p)))

"One user of a pool, with quotas."
mutable struct PoolContext <: Handle
    pointer::Ptr{Cvoid}
    process::Cint
    owned::Bool
end

"    PoolContext(pool; memory_quota = 0, execution_quota = 0, time_quota = 0, device = nothing)"
function PoolContext(p::Pool; memory_quota::Integer = 0, execution_quota::Integer = 0,
        time_quota::Integer = 0, device = nothing)
    word = device === nothing ? nothing : c_text(device)
    GC.@preserve word begin
        desc = with(zeroed(weft_pool_context_desc); memory_quota = UInt64(memory_quota),
            execution_quota = UInt32(execution_quota), time_quota = UInt64(time_quota),
            policy = word === nothing ? Cuint(0) : WEFT_POLICY_DEVICE, device = c_pointer(word))
        raw = ccall((:weft_pool_context_create, libweft), Ptr{Cvoid},
            (Ptr{Cvoid}, Ref{weft_pool_context_desc}), live(p), desc)
    end
    raw == C_NULL && throw(WeftError(:memory, "no memory for a context"))
    return finalizer(close, PoolContext(raw, getpid(), true))
end

"The context that the process shares; \$WEFT_ADAPTER and \$WEFT_WEBGPU choose its devices."
function PoolContext()
    raw = ccall((:weft_pool_shared, libweft), Ptr{Cvoid}, ())
    raw == C_NULL && throw(WeftError(:unsupported, "there is no shared pool in a process made by fork()"))
    return PoolContext(raw, getpid(), false)
end

function Base.close(c::PoolContext)
    raw = take_pointer(c)
    raw == C_NULL || !c.owned ||
        ccall((:weft_pool_context_release, libweft), Cvoid, (Ptr{Cvoid},), raw)
    return nothing
end

function throw_context(c::PoolContext)
    e = Ref(zeroed(weft_pool_error))
    ccall((:weft_pool_context_error, libweft), Bool, (Ref{weft_pool_error}, Ptr{Cvoid}), e, live(c))
    ccall((:weft_pool_context_error_clear, libweft), Cvoid, (Ptr{Cvoid},), live(c))
    throw(error_of(e[]))
end

"Data that stays on devices between executions, of one context."
mutable struct PoolData <: Handle
    pointer::Ptr{Cvoid}
    process::Cint
end

"    PoolData(context, array): a copy of the array"
function PoolData(c::PoolContext, data::Array{T}) where {T}
    GC.@preserve data begin
        desc = with(zeroed(weft_pool_data_desc); type = scalar(T),
            data = Ptr{Cvoid}(pointer(data)), size = UInt64(sizeof(data)))
        raw = ccall((:weft_pool_data_create, libweft), Ptr{Cvoid},
            (Ptr{Cvoid}, Ref{weft_pool_data_desc}), live(c), desc)
    end
    raw == C_NULL && throw_context(c)
    return finalizer(close, PoolData(raw, getpid()))
end

function Base.close(d::PoolData)
    raw = take_pointer(d)
    raw == C_NULL || ccall((:weft_pool_data_release, libweft), Cvoid, (Ptr{Cvoid},), raw)
    return nothing
end

"Its elements, after the executions that were started before."
function read_array(::Type{T}, d::PoolData) where {T}
    size = ccall((:weft_pool_data_size, libweft), UInt64, (Ptr{Cvoid},), live(d))
    out = Vector{T}(undef, div(size, sizeof(T)))
    ok = GC.@preserve out ccall((:weft_pool_data_read, libweft), Bool,
        (Ptr{Cvoid}, Ptr{Cvoid}, UInt64, UInt64), pointer(out), live(d), 0, sizeof(out))
    ok || throw(WeftError(:device_lost, "the data was lost with its device"))
    return out
end
