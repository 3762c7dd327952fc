# SPDX-License-Identifier: Apache-2.0
#
# execute.exs - a small known kernel from Elixir: microseconds a call, on one binary and by name.
wgsl = """
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&y) { y[id.x] = x[id.x] * 2.0; }
}
"""

x = for _ <- 1..64, into: <<>>, do: <<1.0::float-32-native>>
options = [outputs: %{"y" => {:f32, 64}}]
one = fn -> {:ok, <<2.0::float-32-native, _::binary>>} = Weft.execute(wgsl, x) end
named = fn -> {:ok, %{"y" => _}} = Weft.execute(wgsl, %{"x" => x}, options) end

turn = fn call ->
  {time, _} = :timer.tc(fn -> Enum.each(1..200, fn _ -> call.() end) end)
  time / 200
end

median = fn list -> Enum.at(Enum.sort(list), div(length(list), 2)) end
{ones, names} = Enum.unzip(for _ <- 1..60, do: {turn.(one), turn.(named)})
IO.puts("Elixir(binary) #{Float.round(median.(ones), 1)}")
IO.puts("Elixir(named) #{Float.round(median.(names), 1)}")
