# SPDX-License-Identifier: Apache-2.0
#
# Curve fits by formula.

"""
    fit(context, "y = a*exp(-b*x) + c", ["x" => x, "y" => y]; starts = ["b" => 0.5])

Fits the parameters of a formula to columns of equal length: pairs of name and
`(value, standard deviation)`.
"""
function fit(c::Context, formula::AbstractString, columns; starts = [])
    names = String[c_text(p[1]) for p in columns]
    lists = [Vector{Float64}(p[2]) for p in columns]
    count = isempty(lists) ? 0 : length(lists[1])
    all(l -> length(l) == count, lists) ||
        throw(WeftError(:shape, "the columns have different lengths", names))
    rows = Float64[lists[k][i] for k in eachindex(lists), i in 1:count]     # [row][column] in C
    code = c_text(formula)
    known = String[c_text(p[1]) for p in starts]
    lock(c.lock) do
        GC.@preserve names rows code known begin
            columns_c = Cstring[c_pointer(n) for n in names]
            guesses = [weft_solve_guess(c_pointer(known[i]), starts[i][2], 0, 0, false)
                       for i in eachindex(known)]
            GC.@preserve columns_c guesses begin
                desc = with(zeroed(weft_solve_fit_desc); formula = c_pointer(code),
                    columns = pointer(columns_c), column_count = UInt32(length(names)),
                    data = pointer(rows), count = UInt32(count),
                    guesses = isempty(guesses) ? Ptr{weft_solve_guess}(C_NULL) : pointer(guesses),
                    guess_count = UInt32(length(guesses)))
                raw = ccall((:weft_solve_fit_create, libweft), Ptr{Cvoid},
                    (Ptr{Cvoid}, Ref{weft_solve_fit_desc}), live(c), desc)
            end
        end
        raw == C_NULL && throw(take_error(c))
        try
            fit_parameters(raw)
        finally
            ccall((:weft_solve_fit_release, libweft), Cvoid, (Ptr{Cvoid},), raw)
        end
    end
end

function fit_parameters(raw::Ptr{Cvoid})
    found = Pair{String, Tuple{Float64, Float64}}[]
    p = Ref(zeroed(weft_solve_fit_parameter))
    while ccall((:weft_solve_fit_parameter_get, libweft), Bool,
            (Ref{weft_solve_fit_parameter}, Ptr{Cvoid}, UInt32), p, raw, length(found))
        push!(found, text_of(p[].name) => (p[].value, p[].error))
    end
    return found
end
