# SPDX-License-Identifier: Apache-2.0
#
# The structs of the headers, with their names and fields. `bindings/julia/check.py` compares sizes
# and offsets with C.

struct weft_pool_error
    kind::Cuint
    message::NTuple{496, UInt8}
    name::NTuple{72, UInt8}
end

struct weft_constant
    name::Cstring
    value::Cdouble
end

struct weft_pool_desc
    libraries::Ptr{Cstring}
    no_own::Bool
    adapters::Ptr{Cstring}
    probe_in_process::Bool
    probe_timeout::UInt64
    benchmark_timeout::UInt64
    cache_dir::Cstring
    no_cache::Bool
    threads::UInt32
    dispatch_deadline::UInt64
    time_limit::UInt64
    memory_limit::UInt64
    device_memory::UInt64
    host_limit::UInt64
    policy::Cuint
    device::Cstring
    retries::UInt32
    backoff_ns::UInt64
    give_up::UInt32
    program_limit::UInt32
    alert_speed::Cdouble
    alert_memory::Cdouble
    alert_errors::Cdouble
    sample_ns::UInt64
    alert::Ptr{Cvoid}
    sample::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

struct weft_pool_context_desc
    label::Cstring
    memory_quota::UInt64
    execution_quota::UInt32
    time_quota::UInt64
    weight::UInt32
    policy::Cuint
    device::Cstring
end

struct weft_pool_data_desc
    name::Cstring
    type::Cuint
    rank::UInt32
    shape::NTuple{8, UInt64}
    data::Ptr{Cvoid}
    size::UInt64
    device_only::Bool
end

struct weft_execute_input
    name::Cstring
    type::Cuint
    rank::UInt32
    shape::NTuple{8, UInt64}
    data::Ptr{Cvoid}
    size::UInt64
    resident::Ptr{Cvoid}
    split::Bool
end

struct weft_execute_output
    name::Cstring
    type::Cuint
    rank::UInt32
    shape::NTuple{8, UInt64}
    data::Ptr{Cvoid}
    size::UInt64
    resident::Ptr{Cvoid}
    split::Bool
end

struct weft_execute_desc
    wgsl::Cstring
    entry::Cstring
    constants::Ptr{weft_constant}
    constant_count::UInt32
    inputs::Ptr{weft_execute_input}
    input_count::UInt32
    outputs::Ptr{weft_execute_output}
    output_count::UInt32
    groups::NTuple{3, UInt32}
    invocations::NTuple{3, UInt32}
    policy::Cuint
    device::Cstring
    priority::Int32
    deadline::UInt64
    time_limit::UInt64
    memory_limit::UInt64
    optimize::Bool
    no_retry::Bool
    split_unit::UInt32
    split_offset::Cstring
    split_count::Cstring
    label::Cstring
    callback::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

struct weft_execute_report
    id::UInt64
    error::weft_pool_error
    device::Cstring
    device_index::UInt32
    groups::NTuple{3, UInt32}
    workgroup_size::NTuple{3, UInt32}
    queue_ns::UInt64
    compile_ns::UInt64
    upload_ns::UInt64
    run_ns::UInt64
    read_ns::UInt64
    total_ns::UInt64
    bytes_uploaded::UInt64
    bytes_read::UInt64
    memory::UInt64
    expected_ns::Cdouble
    baseline_ns::Cdouble
    attempts::UInt32
    parts::UInt32
    batch::UInt32
    samples::UInt32
    stolen::Bool
    note::NTuple{200, UInt8}
end

struct weft_execute_array_desc
    wgsl::Cstring
    entry::Cstring
    type::Cuint
    data::Ptr{Cvoid}
    count::UInt64
    groups::NTuple{3, UInt32}
    device::Cstring
    time_limit::UInt64
    no_retry::Bool
end

struct weft_error
    kind::Cuint
    message::Cstring
    names::NTuple{4, Cstring}
    name_count::UInt32
end

struct weft_context_desc
    share::Ptr{Cvoid}
    adapter::Cstring
    library::Cstring
    no_device::Bool
    threads::UInt32
    dispatch_deadline::UInt64
    timed_waits_help::Bool
    memory_budget::UInt64
    host_budget::UInt64
    spill_dir::Cstring
    memory_mode::Cuint
    pipeline_limit::UInt32
    eval_threshold::UInt64
    checked::Bool
    no_cache::Bool
    log::Ptr{Cvoid}
    log_user::Ptr{Cvoid}
    label::Cstring
end

struct weft_tensor_desc
    dtype::Cuint
    rank::UInt32
    shape::NTuple{8, UInt64}
    data::Ptr{Cvoid}
    data_size::UInt64
    borrow::Bool
    borrow_end::Ptr{Cvoid}
    borrow_user::Ptr{Cvoid}
    buffer::Ptr{Cvoid}
    buffer_offset::UInt64
    label::Cstring
end

struct weft_axes
    count::UInt32
    axes::NTuple{8, Cint}
    keep::Bool
    none::Bool
end

struct weft_solve_guess
    name::Cstring
    start::Cdouble
    lower::Cdouble
    upper::Cdouble
    fixed::Bool
end

struct weft_solve_fit_desc
    formula::Cstring
    columns::Ptr{Cstring}
    column_count::UInt32
    data::Ptr{Cdouble}
    count::UInt32
    observed::Cstring
    sigma::Cstring
    guesses::Ptr{weft_solve_guess}
    guess_count::UInt32
    trials::UInt32
    loss::Ptr{Cvoid}
    options::Ptr{Cvoid}
end

struct weft_solve_fit_parameter
    name::Cstring
    value::Cdouble
    error::Cdouble
    start::Cdouble
end

"A struct of zeros: every field at its default."
function zeroed(::Type{T}) where {T}
    r = Ref{T}()
    p = Ptr{UInt8}(Base.unsafe_convert(Ptr{T}, r))
    GC.@preserve r for i in 1:sizeof(T)
        unsafe_store!(p, 0x00, i)
    end
    return r[]
end

"A copy of a struct with other values in some fields."
function with(x::T; fields...) where {T}
    values = [haskey(fields, f) ? fields[f] : getfield(x, f) for f in fieldnames(T)]
    return T(values...)
end
