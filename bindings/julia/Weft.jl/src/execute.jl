# SPDX-License-Identifier: Apache-2.0
#
# Executions: one array, or inputs and outputs by name.

"Where an execution ran, and how long."
struct Report
    device::String
    groups::NTuple{3, Int}
    run_ns::Int
    total_ns::Int
    attempts::Int
end

Report(r::weft_execute_report) =
    Report(text_of(r.device), Int.(r.groups), Int(r.run_ns), Int(r.total_ns), Int(r.attempts))

three(groups) = (UInt32(groups[1]), UInt32(groups[2]), UInt32(groups[3]))

"""
    execute(wgsl, array; groups = (0, 0, 0), context = PoolContext())

Runs a kernel on one array. The array is the kernel's first variable that is only read, the result
its first writable one. Float64 is converted for variables of f32.
"""
function execute(wgsl::AbstractString, data::Array{T}; groups = (0, 0, 0),
        context::PoolContext = PoolContext()) where {T}
    code = c_text(wgsl)
    report = Ref(zeroed(weft_execute_report))
    count = Ref(UInt64(0))
    GC.@preserve code data begin
        desc = with(zeroed(weft_execute_array_desc); wgsl = c_pointer(code), type = scalar(T),
            data = Ptr{Cvoid}(pointer(data)), count = UInt64(length(data)), groups = three(groups))
        run(out) = ccall((:weft_execute_array, libweft), Bool,
            (Ptr{Cvoid}, Ref{UInt64}, Ptr{Cvoid}, Ref{weft_execute_array_desc},
             Ref{weft_execute_report}), out, count, live(context), desc, report)
        run(C_NULL) || throw(error_of(report[].error))
        result = Vector{T}(undef, count[])
        GC.@preserve result begin
            run(pointer(result)) || throw(error_of(report[].error))
        end
    end
    return result
end

"""
    julia_webgpu_execute(wgsl, data)

`execute` in Float64 through the C function of that name, which says only that it failed.
"""
function julia_webgpu_execute(wgsl::AbstractString, data::Vector{Float64};
        capacity::Integer = length(data))
    result = Vector{Float64}(undef, capacity)
    count = Ref(Csize_t(capacity))
    status = ccall((:julia_webgpu_execute, libweft), Cint,
        (Cstring, Ptr{Cdouble}, Csize_t, Ptr{Cdouble}, Ref{Csize_t}),
        c_text(wgsl), data, length(data), result, count)
    status == 0 || throw(WeftError(:internal, "the kernel failed; execute() says why"))
    return resize!(result, count[])
end

# ---- by name ----

"Sizes of the axes, the last fastest: arrays of Julia have the first fastest."
function shape_of(data::Array)
    ndims(data) <= 8 || throw(WeftError(:shape, "a shape has at most 8 axes"))
    sizes = reverse(size(data))
    return ntuple(i -> i <= length(sizes) ? UInt64(sizes[i]) : UInt64(0), 8)
end

"Texts and arrays that the library reads, kept until the call is over."
struct Arguments
    texts::Vector{String}
    arrays::Vector{Any}
    inputs::Vector{weft_execute_input}
    outputs::Vector{weft_execute_output}
    constants::Vector{weft_constant}
end

Arguments() = Arguments(String[], Any[], weft_execute_input[], weft_execute_output[], weft_constant[])

function keep(a::Arguments, s::AbstractString)
    push!(a.texts, c_text(s))
    return c_pointer(a.texts[end])
end

add_input(a::Arguments, name, d::PoolData) =
    push!(a.inputs, with(zeroed(weft_execute_input); name = keep(a, name), resident = live(d)))

function add_input(a::Arguments, name, data::Array{T}) where {T}
    push!(a.arrays, data)
    push!(a.inputs, with(zeroed(weft_execute_input); name = keep(a, name), type = scalar(T),
        rank = UInt32(ndims(data)), shape = shape_of(data), data = Ptr{Cvoid}(pointer(data)),
        size = UInt64(sizeof(data))))
end

function add_input(a::Arguments, name, value::T) where {T <: Number}
    one = [value]
    push!(a.arrays, one)
    push!(a.inputs, with(zeroed(weft_execute_input); name = keep(a, name), type = scalar(T),
        data = Ptr{Cvoid}(pointer(one)), size = UInt64(sizeof(one))))
end

add_output(a::Arguments, name, d::PoolData) =
    push!(a.outputs, with(zeroed(weft_execute_output); name = keep(a, name), resident = live(d)))

function add_output(a::Arguments, name, data::Array{T}, place::Bool) where {T}
    push!(a.arrays, data)
    push!(a.outputs, with(zeroed(weft_execute_output); name = keep(a, name), type = scalar(T),
        rank = UInt32(ndims(data)), shape = shape_of(data),
        data = place ? Ptr{Cvoid}(pointer(data)) : C_NULL, size = UInt64(sizeof(data))))
end

add_output(a::Arguments, name, d::PoolData, ::Bool) = add_output(a, name, d)

function describe(a::Arguments, wgsl; inputs, outputs, constants, entry, device, groups,
        invocations, deadline, time_limit, memory_limit, no_retry, place)
    code = keep(a, wgsl)
    names = (entry === nothing ? c_pointer(nothing) : keep(a, entry),
        device === nothing ? c_pointer(nothing) : keep(a, device))
    foreach(p -> add_input(a, p...), inputs)
    foreach(p -> add_output(a, p..., place), outputs)
    foreach(p -> push!(a.constants, weft_constant(keep(a, p[1]), p[2])), constants)
    return with(zeroed(weft_execute_desc); wgsl = code, entry = names[1], device = names[2],
        inputs = pointer(a.inputs), input_count = UInt32(length(a.inputs)),
        outputs = pointer(a.outputs), output_count = UInt32(length(a.outputs)),
        constants = pointer(a.constants), constant_count = UInt32(length(a.constants)),
        groups = three(groups), invocations = three(invocations), deadline = UInt64(deadline),
        time_limit = UInt64(time_limit), memory_limit = UInt64(memory_limit), no_retry = no_retry)
end

"""
    execute!(context, wgsl; inputs = ["x" => x, "params.n" => UInt32(4)], outputs = ["y" => y])

Runs a kernel; the arrays of `outputs` are filled. Names are those of the kernel's variables and
members. Gives a `Report`. Further arguments: `constants`, `entry`, `device`, `groups`,
`invocations`, `deadline`, `time_limit` (nanoseconds), `memory_limit`, `no_retry`.
"""
function execute!(context::PoolContext, wgsl::AbstractString; inputs = [], outputs = [],
        constants = [], entry = nothing, device = nothing, groups = (0, 0, 0),
        invocations = (0, 0, 0), deadline::Integer = 0, time_limit::Integer = 0,
        memory_limit::Integer = 0, no_retry::Bool = false)
    a = Arguments()
    report = Ref(zeroed(weft_execute_report))
    GC.@preserve a inputs outputs begin
        desc = describe(a, wgsl; inputs, outputs, constants, entry, device, groups, invocations,
            deadline, time_limit, memory_limit, no_retry, place = true)
        ok = ccall((:weft_execute, libweft), Bool,
            (Ptr{Cvoid}, Ref{weft_execute_desc}, Ref{weft_execute_report}),
            live(context), desc, report)
    end
    ok || throw(error_of(report[].error))
    return Report(report[])
end

"An execution that was started: `wait`, `cancel`, then `read_array(T, execution, name)`."
mutable struct Execution <: Handle
    pointer::Ptr{Cvoid}
    process::Cint
    context::PoolContext
end

"""
    start(context, wgsl; inputs, outputs = ["y" => zeros(Float32, 4)], ...)

Starts an execution. The arrays of `outputs` say type and shape; `read_array` has the elements.
"""
function start(context::PoolContext, wgsl::AbstractString; inputs = [], outputs = [],
        constants = [], entry = nothing, device = nothing, groups = (0, 0, 0),
        invocations = (0, 0, 0), deadline::Integer = 0, time_limit::Integer = 0,
        memory_limit::Integer = 0, no_retry::Bool = false)
    a = Arguments()
    GC.@preserve a inputs outputs begin
        desc = describe(a, wgsl; inputs, outputs, constants, entry, device, groups, invocations,
            deadline, time_limit, memory_limit, no_retry, place = false)
        raw = ccall((:weft_execute_async, libweft), Ptr{Cvoid},
            (Ptr{Cvoid}, Ref{weft_execute_desc}), live(context), desc)
    end
    raw == C_NULL && throw(WeftError(:memory, "no memory for an execution"))
    return finalizer(close, Execution(raw, getpid(), context))
end

function Base.close(e::Execution)
    raw = take_pointer(e)
    raw == C_NULL || ccall((:weft_execution_release, libweft), Cvoid, (Ptr{Cvoid},), raw)
    return nothing
end

Base.isready(e::Execution) =
    ccall((:weft_execution_done, libweft), Bool, (Ptr{Cvoid},), live(e))

"Waits for the end: a `Report`. Other tasks run meanwhile."
function Base.wait(e::Execution)
    while !ccall((:weft_execution_wait, libweft), Bool, (Ptr{Cvoid}, UInt64), live(e), 1_000_000)
        yield()
    end
    report = Ref(zeroed(weft_execute_report))
    ccall((:weft_execution_report, libweft), Bool, (Ref{weft_execute_report}, Ptr{Cvoid}),
        report, live(e))
    report[].error.kind == 0 || throw(error_of(report[].error))
    return Report(report[])
end

"Cancels it; false if it had ended."
cancel(e::Execution) = ccall((:weft_execution_cancel, libweft), Bool, (Ptr{Cvoid},), live(e))

"A copy of an output."
function read_array(::Type{T}, e::Execution, name::AbstractString) where {T}
    size = Ref(UInt64(0))
    data = ccall((:weft_execution_output, libweft), Ptr{Cvoid}, (Ptr{Cvoid}, Cstring, Ref{UInt64}),
        live(e), c_text(name), size)
    data == C_NULL && throw(WeftError(:not_found, "there is no output '$name'", [String(name)]))
    return copy(unsafe_wrap(Array, Ptr{T}(data), Int(div(size[], sizeof(T)))))
end
