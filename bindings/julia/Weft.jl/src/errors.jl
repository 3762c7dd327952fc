# SPDX-License-Identifier: Apache-2.0
#
# Errors of the library become exceptions; objects know whether they may be used.

"Why a call failed: `kind` as in weft/error.h (`:shape`, `:not_found`, ...), a sentence, names."
struct WeftError <: Exception
    kind::Symbol
    message::String
    names::Vector{String}
end

WeftError(kind::Symbol, message::AbstractString) = WeftError(kind, message, String[])

Base.showerror(io::IO, e::WeftError) = print(io, "WeftError: ", e.kind, ": ", e.message)

function kind_symbol(number::Integer)
    name = ccall((:weft_error_kind_name, libweft), Cstring, (Cuint,), number)
    return name == C_NULL ? :internal : Symbol(replace(unsafe_string(name), '-' => '_'))
end

"The text of an array that ends in NUL."
function fixed_text(bytes::NTuple{N, UInt8}) where {N}
    last = findfirst(iszero, bytes)
    return String(UInt8[bytes[i] for i in 1:(last === nothing ? N : last - 1)])
end

text_of(s::Cstring) = s == C_NULL ? "" : unsafe_string(s)

function error_of(e::weft_pool_error)
    name = fixed_text(e.name)
    return WeftError(kind_symbol(e.kind), fixed_text(e.message), isempty(name) ? String[] : [name])
end

"A String that C can read: without NUL inside."
function c_text(s::AbstractString)
    text = String(s)
    occursin('\0', text) && throw(WeftError(:invalid, "a text with a NUL character"))
    return text
end

"The pointer of a text that is preserved by the caller; `nothing`: NULL."
c_pointer(::Nothing) = Cstring(C_NULL)
c_pointer(s::String) = Base.unsafe_convert(Cstring, s)

"What every object of the library has: a pointer, and the process that made it."
abstract type Handle end

"The pointer of an object that may be used, or an exception."
function live(h::Handle)
    h.pointer == C_NULL && throw(WeftError(:invalid, "the object was closed"))
    h.process == getpid() ||
        throw(WeftError(:unsupported, "the object was made before fork() by the parent process"))
    return h.pointer
end

"Takes the pointer out of an object that ends; C_NULL: there is nothing to release."
function take_pointer(h::Handle)
    pointer = h.pointer
    h.pointer = C_NULL
    return h.process == getpid() ? pointer : C_NULL
end
