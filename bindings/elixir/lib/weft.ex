# SPDX-License-Identifier: Apache-2.0
defmodule Weft do
  @moduledoc """
  WGSL compute kernels in one call, on whichever device suits.

      iex> wgsl = \"""
      ...> @group(0) @binding(0) var<storage, read_write> v : array<f32>;
      ...> @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
      ...>   if id.x < arrayLength(&v) { v[id.x] *= 2.0; }
      ...> }
      ...> \"""
      iex> {:ok, data} = Weft.execute(wgsl, <<1.0::float-32-little, 2.0::float-32-little>>)
      iex> for <<x::float-32-little <- data>>, do: x
      [2.0, 4.0]
      iex> Weft.webgpu_execute_kernel(wgsl, [1.0, 2.5], {1, 1, 1})
      {:ok, [2.0, 5.0]}

  Data are binaries in the byte order of the machine. Executions with named data run on threads of
  the library and end with a message, so that a kernel that hangs holds no scheduler; compiling, and
  kernels on one binary or list, run on dirty ones. Errors are `{:error, %Weft.Error{}}`; functions with `!` raise it.

  Objects are given back when they are collected, or by `close/1`; after that every call is an error
  of the kind `:invalid`. Any process may use them.
  """
  alias Weft.{Error, Native, Pool}

  @type type :: :f32 | :f16 | :f64 | :i32 | :u32 | :bytes
  @type shape :: [non_neg_integer]
  @type input :: binary | number | {type, binary} | {type, shape, binary} | Weft.Data.t()
  @type output :: type | {type, non_neg_integer | shape} | Weft.Data.t()

  @types %{bytes: 0, i32: 2, u32: 3, f32: 4, f16: 5, f64: 6}
  @sizes %{bytes: 1, i32: 4, u32: 4, f32: 4, f16: 2, f64: 8}

  @options [:context, :outputs, :type, :timeout, :entry, :constants, :groups, :invocations] ++
             [:device, :priority, :deadline, :time_limit, :memory_limit, :no_retry, :optimize] ++
             [:label, :report]

  @doc """
  Runs a kernel.

  With a binary, that is the kernel's first variable that is only read, and the result is the first
  writable one: `{:ok, binary}`. `:type` is that of the elements, `:f32` unless given.

  With a map, the inputs by the names of the kernel's variables or members (`"params.n"`):
  `{:ok, %{name => binary}}` for the `:outputs`. A binary is f32, `{type, binary}` and
  `{type, shape, binary}` say more; a number is f64, which the library converts for variables of f32.

  Options:

    * `:outputs` - `%{"y" => {:f32, 1000}}`; a type alone has the size of the variable
    * `:groups`, `:invocations` - `{x, y, z}`; else from the kernel and its data
    * `:context` - a `Weft.Pool.context/2`; else one that the VM shares
    * `:timeout` - milliseconds to wait; then the execution is cancelled, and the kind is `:timeout`
    * `:deadline`, `:time_limit` - nanoseconds until its end, and that it may run
    * `:constants` - `%{"step" => 5}`, of overrides
    * `:entry`, `:device`, `:priority`, `:memory_limit`, `:no_retry`, `:optimize`, `:label`
    * `:report` - true: `{:ok, outputs, report}`
  """
  @spec execute(String.t(), binary | %{String.t() => input}, keyword) ::
          {:ok, binary | map} | {:ok, map, map} | {:error, Error.t()}
  def execute(wgsl, data, options \\ [])

  def execute(wgsl, data, options) when is_binary(wgsl) and is_binary(data) do
    type = Keyword.get(options, :type, :f32)

    with :ok <- check_options(options),
         {:ok, number} <- type_number(type, "data"),
         {:ok, context} <- context_of(options) do
      size = {number, Map.fetch!(@sizes, type)}
      Native.wrap(Native.execute_array(context, wgsl, size, data, native_options(options)))
    end
  end

  def execute(wgsl, inputs, options) when is_binary(wgsl) and is_map(inputs) do
    with {:ok, execution} <- start(wgsl, inputs, options),
         do: await(execution, Keyword.get(options, :timeout, :infinity))
  end

  def execute(_wgsl, _data, _options),
    do: Error.new(:invalid, "execute takes a kernel as text, and a binary or a map of inputs")

  @doc "The same, raising `Weft.Error`."
  def execute!(wgsl, data, options \\ []) do
    case execute(wgsl, data, options) do
      {:ok, result} -> result
      {:ok, result, report} -> {result, report}
      {:error, error} -> raise error
    end
  end

  @doc """
  Runs a kernel on a list of numbers as f32, in `{x, y, z}` workgroups: `{:ok, list}`, or
  `{:error, message}`.
  """
  @spec webgpu_execute_kernel(String.t(), [number], {integer, integer, integer}) ::
          {:ok, [float]} | {:error, String.t()}
  def webgpu_execute_kernel(shader, list, groups) do
    data = for x <- list, into: <<>>, do: <<x::float-32-native>>

    case execute(shader, data, type: :f32, groups: groups) do
      {:ok, result} -> {:ok, for(<<x::float-32-native <- result>>, do: x)}
      {:error, error} -> {:error, Exception.message(error)}
    end
  rescue
    ArgumentError -> {:error, "invalid: expected a list of numbers"}
  end

  # ---- executions ----

  @doc "Starts an execution with named inputs; `await/2` has its outcome."
  @spec start(String.t(), %{String.t() => input}, keyword) ::
          {:ok, Weft.Execution.t()} | {:error, Error.t()}
  def start(wgsl, inputs, options \\ []) do
    reference = make_ref()
    outputs = Keyword.get(options, :outputs, %{})

    with :ok <- check_options(options),
         {:ok, context} <- context_of(options),
         {:ok, inputs} <- each(inputs, &input/2),
         {:ok, outputs} <- each(outputs, &output/2),
         {:ok, handle} <-
           Native.wrap(
             Native.execute_start(
               context,
               reference,
               wgsl,
               inputs,
               outputs,
               native_options(options)
             )
           ) do
      report = Keyword.get(options, :report, false)
      {:ok, %Weft.Execution{handle: handle, reference: reference, report: report}}
    end
  end

  @doc "Waits for an execution that this process started. After `timeout` ms it is cancelled."
  def await(%Weft.Execution{handle: handle, reference: reference} = execution, timeout \\ :infinity) do
    receive do
      {:weft, ^reference, {:ok, {outputs, report}}} ->
        if execution.report, do: {:ok, outputs, report}, else: {:ok, outputs}

      {:weft, ^reference, error} ->
        Native.wrap(error)
    after
      timeout ->
        Native.execution_cancel(handle)
        Error.new(:timeout, "the execution did not end within #{timeout} ms")
    end
  end

  @doc "Cancels an execution; true if it had not ended."
  def cancel(%Weft.Execution{handle: handle}), do: Native.wrap(Native.execution_cancel(handle))

  @doc "Gives a pool, context, data, tensor or model back now."
  def close(%{handle: handle}), do: Native.close(handle)

  # ---- arguments ----

  defp check_options(options) do
    case Enum.find(options, fn {key, _} -> key not in @options end) do
      nil -> :ok
      {key, _} -> Error.new(:invalid, "there is no option #{inspect(key)}")
    end
  end

  defp native_options(options) do
    options
    |> Keyword.drop([:context, :outputs, :type, :timeout, :report])
    |> Map.new(fn
      {:constants, constants} -> {:constants, Enum.map(constants, fn {k, v} -> {k, v * 1.0} end)}
      other -> other
    end)
  end

  defp context_of(options) do
    case Keyword.get(options, :context) do
      nil -> Pool.shared_handle()
      %Weft.PoolContext{handle: handle} -> {:ok, handle}
      other -> Error.new(:invalid, ":context is not a context of a pool: #{inspect(other)}")
    end
  end

  defp each(map, convert) when is_map(map) or is_list(map) do
    map
    |> Enum.reverse()
    |> Enum.reduce_while({:ok, []}, fn {name, value}, {:ok, done} ->
      case convert.(name, value) do
        {:ok, term} -> {:cont, {:ok, [term | done]}}
        error -> {:halt, error}
      end
    end)
  end

  defp each(other, _), do: Error.new(:invalid, "expected a map by name, not #{inspect(other)}")

  defp input(name, %Weft.Data{handle: handle}), do: {:ok, {name, 0, [], handle}}
  defp input(name, x) when is_number(x), do: {:ok, {name, @types.f64, [], <<x::float-64-native>>}}
  defp input(name, data) when is_binary(data), do: input(name, {:f32, data})
  defp input(name, {type, data}) when is_binary(data), do: input(name, {type, [], data})

  defp input(name, {type, shape, data}) when is_list(shape) and is_binary(data) do
    with {:ok, number} <- type_number(type, name), do: {:ok, {name, number, shape, data}}
  end

  defp input(name, other),
    do: Error.new(:type, "input #{inspect(name)}: #{inspect(other)} is not an input", ["#{name}"])

  defp output(name, %Weft.Data{handle: handle}), do: {:ok, {name, 0, [], handle}}
  defp output(name, type) when is_atom(type), do: output(name, {type, []})
  defp output(name, {type, count}) when is_integer(count), do: output(name, {type, [count]})

  defp output(name, {type, shape}) when is_list(shape) do
    with {:ok, number} <- type_number(type, name), do: {:ok, {name, number, shape, nil}}
  end

  defp output(name, other),
    do: Error.new(:type, "output #{inspect(name)}: #{inspect(other)} is not an output", ["#{name}"])

  @doc false
  def type_number(type, name) do
    case @types do
      %{^type => number} -> {:ok, number}
      _ -> Error.new(:type, "#{inspect(name)}: there is no type #{inspect(type)}", ["#{name}"])
    end
  end
end
