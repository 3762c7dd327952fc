# SPDX-License-Identifier: Apache-2.0
#
# Tests for those who have Julia: the interface, and the table of cases that every binding runs.
using Test
using Weft

const DOUBLE = """
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
  if id.x < arrayLength(&x) { y[id.x] = x[id.x] * 2.0; }
}
"""

kind_of(f) = try
    f()
    :none
catch error
    error isa WeftError ? error.kind : rethrow()
end

@testset "arrays" begin
    @test execute(DOUBLE, Float32[1, 2]) == Float32[2, 4]
    @test execute(DOUBLE, [0.5, 2.0]) == [1.0, 4.0]
    @test julia_webgpu_execute(DOUBLE, [1.0, 2.0]) == [2.0, 4.0]
    @test kind_of(() -> execute("fn", Float32[1])) === :compile
    @test kind_of(() -> execute(DOUBLE, Int32[1])) === :type
end

@testset "objects" begin
    pool = Pool(adapters = ["cpu"], unmeasured = true)
    context = PoolContext(pool)
    y = zeros(Float32, 3)
    execute!(context, DOUBLE; inputs = ["x" => Float32[1, 2, 3]], outputs = ["y" => y])
    @test y == Float32[2, 4, 6]
    e = start(context, DOUBLE; inputs = ["x" => Float32[1]], outputs = ["y" => zeros(Float32, 1)])
    wait(e)
    @test read_array(Float32, e, "y") == Float32[2]
    data = PoolData(context, Float32[1, 2])
    @test read_array(Float32, data) == Float32[1, 2]
    foreach(close, (data, context, pool))
    @test kind_of(() -> devices(pool)) === :invalid
    device = Context(adapter = "cpu")
    t = Tensor(device, Float32[1 2; 3 4])
    @test read_array(Float32, t + t) == Float32[2 4; 6 8]
    @test kind_of(() -> reshape(t, 3)) === :shape
    close(t)
    @test kind_of(() -> t + t) === :invalid
end

# ---- the table of cases ----

const CASES = joinpath(@__DIR__, "..", "..", "..", "cases")
const CANCEL_TRIES = 1000
const TYPES = Dict("f32" => Float32, "f64" => Float64, "f16" => Float16, "i32" => Int32,
    "u32" => UInt32, "bytes" => UInt8)

function array_of(type, shape, hex)
    values = collect(reinterpret(TYPES[type], hex2bytes(hex)))
    shape == "-" && return values[1]
    return reshape(values, reverse(parse.(Int, split(shape, 'x')))...)
end

function run_case(lines, pool)
    row(key) = [l[2:end] for l in lines if l[1] == key]
    one(key) = isempty(row(key)) ? nothing : row(key)[1]
    number(key) = one(key) === nothing ? 0 : parse(Int, one(key)[1])
    three(key) = one(key) === nothing ? (0, 0, 0) : Tuple(parse.(Int, one(key)))
    quota = one("context") === nothing ? 0 : parse(Int, one("context")[2])
    context, stranger = PoolContext(pool; memory_quota = quota), PoolContext(pool)
    foreign = [r[1] for r in row("foreign")]
    inputs = [r[1] => (r[1] in foreign ? PoolData(stranger, zeros(Float32, 4)) : array_of(r[2:4]...))
              for r in row("input")]
    outputs = [r[1] => zeros(TYPES[r[2]], reverse(parse.(Int, split(r[3], 'x')))...)
               for r in row("output")]
    constants = [r[1] => parse(Float64, r[2]) for r in row("constant")]
    text = read(joinpath(CASES, one("wgsl")[1]), String)
    local e
    # A device that ends before it is cancelled gets another go.
    for _ in 1:(one("cancel") === nothing ? 1 : CANCEL_TRIES)
        e = start(context, text; inputs, outputs, constants,
            entry = one("entry") === nothing ? nothing : one("entry")[1],
            groups = three("groups"), invocations = three("invocations"),
            deadline = number("deadline"), memory_limit = number("memory_limit"),
            no_retry = one("no_retry") !== nothing)
        one("cancel") === nothing || cancel(e)
        wait(e)
    end
    return Dict(name => read_array(UInt8, e, name) for (name, _) in outputs)
end

@testset "cases" begin
    pool = Pool(adapters = ["cpu"], unmeasured = true)
    lines = Vector{SubString{String}}[]
    for line in eachline(joinpath(CASES, "cases.txt"))
        isempty(line) && continue
        words = split(line, ' ')
        if words[1] != "end"
            push!(lines, words)
            continue
        end
        row(key) = [l[2:end] for l in lines if l[1] == key]
        own = isempty(row("pool")) ? pool : Pool(adapters = ["cpu"], unmeasured = true,
            dispatch_deadline = parse(Int, row("pool")[1][2]))
        if isempty(row("error"))
            got = run_case(lines, own)
            isempty(row("tolerance")) && for (name, hex) in row("expect")
                @test bytes2hex(got[name]) == hex
            end
        else
            expected = Symbol(replace(row("error")[1][1], '-' => '_'))
            @test kind_of(() -> run_case(lines, own)) === expected
        end
        empty!(lines)
    end
end
