# SPDX-License-Identifier: Apache-2.0
#
# Language models from GGUF files.

# weft/model.h
struct weft_model_desc
    path::Cstring
    data::Ptr{Cvoid}
    size::Csize_t
    file::Ptr{Cvoid}
    name::Cstring
    devices::Ptr{Cvoid}
    device_count::Csize_t
    shares::Ptr{Cfloat}
    memory_limit::UInt64
    architecture::Cstring
    activations::Cuint
    no_self_test::Bool
    no_fallback::Bool
    progress::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

struct weft_model_answer
    text::Cstring
    size::Csize_t
    stop::Cuint
    prompt_tokens::UInt32
    reused_tokens::UInt32
    tokens::UInt32
    prompt_seconds::Cdouble
    seconds::Cdouble
end

mutable struct Model <: Handle
    pointer::Ptr{Cvoid}
    process::Cint
    context::Context
end

"    Model(context, path): loads a file"
function Model(c::Context, path::AbstractString)
    file = c_text(path)
    lock(c.lock) do
        GC.@preserve file begin
            desc = with(zeroed(weft_model_desc); path = c_pointer(file))
            raw = ccall((:weft_model_create, libweft), Ptr{Cvoid},
                (Ptr{Cvoid}, Ref{weft_model_desc}), live(c), desc)
        end
        raw == C_NULL && throw(take_error(c))
        finalizer(finish, Model(raw, getpid(), c))
    end
end

function finish(m::Model)
    if trylock(m.context.lock)
        try
            close(m)
        finally
            unlock(m.context.lock)
        end
    else
        finalizer(finish, m)
    end
    return nothing
end

function Base.close(m::Model)
    raw = take_pointer(m)
    raw == C_NULL || ccall((:weft_model_release, libweft), Cvoid, (Ptr{Cvoid},), raw)
    return nothing
end

"Goes on from a prompt, with the sampling that the library has as its default."
function generate(m::Model, prompt::AbstractString)
    c = m.context
    answer = Ref(zeroed(weft_model_answer))
    lock(c.lock) do
        session = ccall((:weft_model_session_create, libweft), Ptr{Cvoid},
            (Ptr{Cvoid}, Ptr{Cvoid}), live(m), C_NULL)
        session == C_NULL && throw(take_error(c))
        try
            ok = ccall((:weft_model_session_generate, libweft), Bool,
                (Ref{weft_model_answer}, Ptr{Cvoid}, Cstring, Ptr{Cvoid}),
                answer, session, c_text(prompt), C_NULL)
            ok || throw(take_error(c))
            text_of(answer[].text)
        finally
            ccall((:weft_model_answer_fini, libweft), Cvoid, (Ref{weft_model_answer},), answer)
            ccall((:weft_model_session_release, libweft), Cvoid, (Ptr{Cvoid},), session)
        end
    end
end
