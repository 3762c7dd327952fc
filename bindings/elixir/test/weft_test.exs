# SPDX-License-Identifier: Apache-2.0
#
# The interface, objects and their ends, and what must not take the VM down.
defmodule WeftTest do
  use ExUnit.Case
  doctest Weft
  doctest Weft.Tensor
  doctest Weft.Fit

  @double """
  @group(0) @binding(0) var<storage, read> x : array<f32>;
  @group(0) @binding(1) var<storage, read_write> y : array<f32>;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&x) { y[id.x] = x[id.x] * 2.0; }
  }
  """
  @endless """
  @group(0) @binding(0) var<storage, read_write> v : array<u32>;
  @compute @workgroup_size(1) fn main() { loop { v[0] = v[0] * 3u + 1u; if v[0] == 7u { break; } } }
  """
  @model Path.expand("../../../tests/model/seeds/sentence.gguf", __DIR__)

  defp floats(list), do: for(x <- list, into: <<>>, do: <<x::float-32-native>>)

  defp context(more \\ []) do
    {:ok, pool} = Weft.Pool.open([adapters: ["cpu"], unmeasured: true] ++ more)
    {:ok, context} = Weft.Pool.context(pool)
    context
  end

  defp double(context, list) do
    options = [outputs: %{"y" => {:f32, length(list)}}, context: context]

    with {:ok, %{"y" => y}} <- Weft.execute(@double, %{"x" => floats(list)}, options),
         do: {:ok, for(<<x::float-32-native <- y>>, do: x)}
  end

  test "the README does what it says" do
    readme = File.read!(Path.expand("../README.md", __DIR__))
    blocks = Regex.scan(~r/```elixir\n(.*?)```/s, readme, capture: :all_but_first)
    assert length(blocks) == 2
    for [code] <- blocks, do: Code.eval_string(code)
  end

  test "lists and binaries of every type" do
    assert {:ok, [2.0, 4.0]} = Weft.webgpu_execute_kernel(@double, [1, 2.0], {0, 0, 0})
    assert {:error, "compile: " <> _} = Weft.webgpu_execute_kernel("fn", [1.0], {1, 1, 1})
    assert {:error, "invalid: " <> _} = Weft.webgpu_execute_kernel(@double, [:a], {1, 1, 1})
    assert {:error, "shape: " <> _} = Weft.webgpu_execute_kernel(@double, [], {1, 1, 1})
    wide = <<0.5::float-64-native, 3.0::float-64-native>>

    assert {:ok, <<1.0::float-64-native, 6.0::float-64-native>>} =
             Weft.execute(@double, wide, type: :f64)

    assert {:error, %{kind: :type}} = Weft.execute(@double, <<1::32-native>>, type: :i32)
    assert {:error, %{kind: :invalid}} = Weft.execute(@double, <<1, 2, 3>>)
    assert {:error, %{kind: :invalid}} = Weft.execute(@double, 5)
    assert {:error, %{kind: :invalid}} = Weft.execute("a\0b", floats([1]))
    assert {:error, %{kind: :invalid}} = Weft.execute(@double, floats([1]), group: {1, 1, 1})
    assert {:error, %{kind: :type}} = Weft.execute(@double, %{"x" => :a})
    assert {:error, %{kind: :type}} = Weft.execute(@double, %{}, outputs: %{"y" => :f31})

    assert {:error, %{kind: :not_found, names: ["z"]}} =
             Weft.execute(@double, %{"z" => floats([1])})

    assert_raise Weft.Error, ~r/compile/, fn -> Weft.execute!("fn", %{}) end

    assert {%{"y" => <<2.0::float-32-native>>}, %{groups: {1, 1, 1}}} =
             Weft.execute!(@double, %{"x" => floats([1])},
               outputs: %{"y" => {:f32, 1}},
               report: true
             )
  end

  test "objects that were closed give errors" do
    {:ok, pool} = Weft.Pool.open(adapters: ["cpu"], unmeasured: true)
    {:ok, context} = Weft.Pool.context(pool)
    {:ok, data} = Weft.Data.new(context, floats([1, 2]))
    assert :ok = Weft.close(pool)
    assert :ok = Weft.close(pool)
    assert {:error, %{kind: :invalid}} = Weft.Pool.devices(pool)
    assert {:error, %{kind: :invalid}} = Weft.Pool.context(pool)
    assert {:ok, [2.0]} = double(context, [1])
    assert {:ok, <<_::64>>} = Weft.Data.read(data)
    Weft.close(data)
    assert {:error, %{kind: :invalid}} = Weft.Data.read(data)
    assert {:error, %{kind: :invalid}} = Weft.execute(@double, %{"x" => data}, context: context)
    Weft.close(context)
    assert {:error, %{kind: :invalid}} = double(context, [1])
    {:ok, device} = Weft.Context.open(adapter: "cpu")
    {:ok, tensor} = Weft.Tensor.from_list(device, [1, 2], [2])
    Weft.close(device)
    assert {:ok, [1.0, 2.0]} = Weft.Tensor.to_list(tensor)
    Weft.close(tensor)
    assert {:error, %{kind: :invalid}} = Weft.Tensor.read(tensor)
    assert {:error, %{kind: :invalid}} = Weft.Tensor.from_list(device, [1], [1])
  end

  test "many processes share a context" do
    context = context()

    for n <- 1..100 do
      Task.async(fn ->
        assert {:ok, [_, last]} = double(context, [1, n])
        assert last == 2.0 * n
      end)
    end
    |> Task.await_many(300_000)

    {:ok, device} = Weft.Context.open(adapter: "cpu")

    for n <- 1..50 do
      Task.async(fn ->
        {:ok, t} = Weft.Tensor.from_list(device, [n, 1], [2])
        {:ok, sum} = Weft.Tensor.apply(t, :sum)
        assert Weft.Tensor.to_list(sum) == {:ok, [n + 1.0]}
      end)
    end
    |> Task.await_many(300_000)
  end

  test "a kernel that hangs is a timeout, and schedulers are free" do
    context = context(dispatch_deadline: 2_000_000_000)
    options = [outputs: %{"v" => {:u32, 1}}, context: context, no_retry: true]
    assert {:error, %{kind: :timeout}} = Weft.execute(@endless, %{}, options)
    assert {:ok, [4.0]} = double(context, [2])
    slow = context(dispatch_deadline: 2_000_000_000)
    options = [outputs: %{"v" => {:u32, 1}}, context: slow, no_retry: true, timeout: 100]
    many = for _ <- 1..20, do: Task.async(fn -> Weft.execute(@endless, %{}, options) end)
    assert {:ok, [6.0]} = double(context, [3])
    for {:error, error} <- Task.await_many(many, 300_000), do: assert(error.kind == :timeout)
  end

  test "a process that is killed leaves its execution alone" do
    context = context(dispatch_deadline: 200_000_000)
    options = [outputs: %{"v" => {:u32, 1}}, context: context, no_retry: true]
    pid = spawn(fn -> Weft.execute(@endless, %{}, options) end)
    Process.sleep(50)
    Process.exit(pid, :kill)
    assert {:ok, [2.0]} = double(context(), [1])
  end

  test "a failed compile and a lost device are errors" do
    for text <- ["", "fn main(", String.duplicate("(", 100_000), "@compute fn main() {}", "é\u0001"] do
      assert {:error, %Weft.Error{}} = Weft.execute(text, floats([1]))
      assert {:error, %Weft.Error{}} = Weft.execute(text, %{})
    end

    {:ok, none} = Weft.Pool.open(adapters: ["no such device"], unmeasured: true)
    assert {:ok, []} = Weft.Pool.devices(none)
    {:ok, context} = Weft.Pool.context(none)
    assert {:error, %Weft.Error{}} = double(context, [1])
    assert {:error, %Weft.Error{}} = Weft.Context.open(adapter: "no such device")
    {:ok, device} = Weft.Context.open(adapter: "cpu")
    {:ok, t} = Weft.Tensor.from_list(device, [1, 2], [2])
    assert {:error, %{kind: :shape}} = Weft.Tensor.reshape(t, [3])
    assert {:error, %{kind: :not_found}} = Weft.Tensor.apply(t, :magic)
    assert {:error, %{kind: :invalid}} = Weft.Tensor.apply(t, :add)
    assert {:error, %{kind: :shape}} = Weft.Fit.run(device, "a*x", %{"x" => [1.0], "y" => []})
    assert {:error, %Weft.Error{}} = Weft.Fit.run(device, "a*(x", %{"x" => [1.0], "y" => [2.0]})
  end

  test "the VM ends while a kernel runs" do
    code = """
    {:ok, pool} = Weft.Pool.open(adapters: ["cpu"], unmeasured: true)
    {:ok, context} = Weft.Pool.context(pool)
    {:ok, _} = Weft.start(#{inspect(@endless)}, %{}, outputs: %{"v" => {:u32, 1}}, context: context)
    Process.sleep(100)
    IO.puts("end")
    System.halt(0)
    """

    path = Path.join([Mix.Project.build_path(), "lib", "weft", "ebin"])
    assert {"end\n", 0} = System.cmd("timeout", ["300", "elixir", "-pa", path, "-e", code])
  end

  test "a model answers" do
    {:ok, device} = Weft.Context.open(adapter: "cpu")
    {:ok, model} = Weft.Model.load(device, {:bytes, File.read!(@model)})
    {:ok, info} = Weft.Model.info(model)
    assert info.layers > 0
    {:ok, text, :end} = Weft.Model.generate(model, "Hello", temperature: 0)
    assert byte_size(text) > 0
    {:ok, same} = Weft.Model.load(device, @model)
    assert {:ok, ^text, :end} = Weft.Model.generate(same, "Hello", temperature: 0)
    assert {:ok, _, :length} = Weft.Model.generate(same, "Hello", temperature: 0, max_tokens: 1)
    assert {:error, %{kind: :format}} = Weft.Model.load(device, {:bytes, "nonsense"})
    assert {:error, %Weft.Error{}} = Weft.Model.load(device, "/no/such/file.gguf")
    Weft.close(model)
    assert {:error, %{kind: :invalid}} = Weft.Model.generate(model, "Hello")
  end

  defp resident do
    :erlang.garbage_collect()
    [_, pages | _] = File.read!("/proc/self/statm") |> String.split(" ")
    String.to_integer(pages) * 4096
  end

  test "thousands of objects leave nothing behind" do
    {:ok, pool} = Weft.Pool.open(adapters: ["cpu"], unmeasured: true)
    {:ok, device} = Weft.Context.open(adapter: "cpu")

    once = fn i ->
      {:ok, context} = Weft.Pool.context(pool)
      assert {:ok, [2.0, _]} = double(context, [1, i])
      assert {:error, _} = Weft.execute("fn", %{}, context: context)
      {:ok, _} = Weft.Data.new(context, floats([1, 2]))
      {:ok, t} = Weft.Tensor.from_list(device, [i, i], [2])
      {:ok, sum} = Weft.Tensor.apply(t, :sum)
      assert {:ok, [_]} = Weft.Tensor.to_list(sum)
      if rem(i, 100) == 0, do: :erlang.garbage_collect()
    end

    Enum.each(1..500, once)

    # A leak grows each time, what is compiled aside once.
    grown =
      Enum.reduce_while(1..4, [], fn _, grown ->
        before = resident()
        Enum.each(1..2500, once)
        more = resident() - before
        if more < 16_000_000, do: {:halt, [more]}, else: {:cont, [more | grown]}
      end)

    assert hd(grown) < 16_000_000, "memory grew by #{inspect(grown)} bytes"
    :erlang.garbage_collect()
    {:ok, live} = Weft.Context.memory(device)
    assert live < 100_000
  end
end
