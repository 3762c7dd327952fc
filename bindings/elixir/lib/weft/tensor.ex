# SPDX-License-Identifier: Apache-2.0
defmodule Weft.Context do
  @moduledoc "A device for tensors, fits and models. Processes that use one wait for each other."
  alias Weft.Native
  defstruct [:handle]
  @type t :: %__MODULE__{}

  @doc """
  Opens a device. Options: `:adapter` ("cpu", "gpu", a part of a name), `:library`, `:threads`,
  `:dispatch_deadline` (nanoseconds), `:memory_budget` (bytes), `:no_cache`.
  """
  def open(options \\ []) do
    with {:ok, handle} <- Native.wrap(Native.context_open(Map.new(options))),
         do: {:ok, %__MODULE__{handle: handle}}
  end

  @doc "`{name, backend, reason}`"
  def device(%__MODULE__{handle: handle}), do: Native.wrap(Native.context_device(handle))

  @doc "Bytes in use on the device."
  def memory(%__MODULE__{handle: handle}), do: Native.wrap(Native.tensor_memory(handle))
end

defmodule Weft.Tensor do
  @moduledoc """
  Tensors: lazy operations that are fused into few kernels.

      iex> {:ok, context} = Weft.Context.open(adapter: "cpu")
      iex> {:ok, a} = Weft.Tensor.from_list(context, [1.0, 2.0, 3.0, 4.0], [2, 2])
      iex> {:ok, b} = Weft.Tensor.apply(a, :matmul, other: a)
      iex> Weft.Tensor.to_list(b)
      {:ok, [7.0, 10.0, 15.0, 22.0]}
      iex> {:ok, sum} = Weft.Tensor.apply(b, :sum, axes: [1])
      iex> Weft.Tensor.to_list(sum)
      {:ok, [17.0, 37.0]}
  """
  alias Weft.{Context, Error, Native}
  defstruct [:handle]
  @type t :: %__MODULE__{}

  @doc "A tensor of these elements, the last axis fastest."
  def new(%Context{handle: context}, type, shape, binary)
      when is_atom(type) and is_list(shape) and is_binary(binary),
      do: give(Native.tensor_new(context, Atom.to_string(type), shape, binary))

  @doc "The same of numbers, as f32."
  def from_list(context, list, shape),
    do: new(context, :f32, shape, for(x <- list, into: <<>>, do: <<x::float-32-native>>))

  @doc "`{type, shape}`"
  def info(%__MODULE__{handle: handle}), do: Native.wrap(Native.tensor_info(handle))

  @doc "Computes it: its elements as a binary."
  def read(%__MODULE__{handle: handle}), do: Native.wrap(Native.tensor_read(handle))

  @doc "Computes it: its elements as numbers."
  def to_list(tensor) do
    with {:ok, {type, _}} <- info(tensor), {:ok, data} <- read(tensor) do
      case type do
        :f32 -> {:ok, for(<<x::float-32-native <- data>>, do: x)}
        :f64 -> {:ok, for(<<x::float-64-native <- data>>, do: x)}
        :i32 -> {:ok, for(<<x::signed-32-native <- data>>, do: x)}
        :u32 -> {:ok, for(<<x::unsigned-32-native <- data>>, do: x)}
        :bool -> {:ok, for(<<x <- data>>, do: x != 0)}
        other -> Error.new(:type, "elements of #{other} are read as a binary")
      end
    end
  end

  @doc "Another shape of the same elements."
  def reshape(%__MODULE__{handle: handle}, shape), do: give(Native.tensor_reshape(handle, shape))

  @doc """
  An operation of `weft/tensor_ops.def` by name (`:relu`, `:add`, `:sum`, ...), or `:matmul`,
  `:softmax`, `:transpose`, `:rms_norm`, `:add_scalar`, `:mul_scalar`. Options: `:other` (a tensor),
  `:axes`, `:keep`, `:number`.
  """
  def apply(%__MODULE__{handle: handle}, operation, options \\ []) when is_atom(operation) do
    options =
      Map.new(options, fn
        {:other, %__MODULE__{handle: other}} -> {:other, other}
        option -> option
      end)

    give(Native.tensor_apply(handle, operation, options))
  end

  defp give({:ok, handle}), do: {:ok, %__MODULE__{handle: handle}}
  defp give(error), do: Native.wrap(error)
end

defmodule Weft.Fit do
  @moduledoc "Curve fits by formula."
  alias Weft.{Context, Error, Native}
  defstruct parameters: %{}, rms: 0.0, r2: 0.0, converged: false, summary: ""
  @type t :: %__MODULE__{}

  @doc """
  Fits the parameters of a formula to columns of equal length. `parameters` of the result are
  `{value, standard deviation}` by name. `starts` has known starts by name.

      iex> {:ok, context} = Weft.Context.open(adapter: "cpu")
      iex> x = Enum.map(0..19, &(&1 / 4))
      iex> y = Enum.map(x, &(3 * :math.exp(-0.5 * &1) + 1))
      iex> {:ok, fit} = Weft.Fit.run(context, "y = a*exp(-b*x) + c", %{"x" => x, "y" => y})
      iex> {b, _} = fit.parameters["b"]
      iex> {fit.converged, Float.round(b, 6)}
      {true, 0.5}
  """
  def run(%Context{handle: context}, formula, columns, starts \\ %{}) do
    {names, lists} = columns |> Enum.to_list() |> Enum.unzip()

    if lists |> Enum.map(&length/1) |> Enum.uniq() |> length() > 1 do
      Error.new(:shape, "the columns have different lengths", names)
    else
      rows =
        for row <- Enum.zip(lists), x <- Tuple.to_list(row), into: <<>>, do: <<x::float-64-native>>

      starts = Enum.map(starts, fn {name, start} -> {name, start * 1.0} end)

      with {:ok, {parameters, rms, r2, converged, summary}} <-
             Native.wrap(Native.solve_fit(context, formula, names, rows, starts)) do
        {:ok,
         %__MODULE__{
           parameters: parameters,
           rms: rms,
           r2: r2,
           converged: converged,
           summary: summary
         }}
      end
    end
  end
end

defmodule Weft.Model do
  @moduledoc "Language models from GGUF files."
  alias Weft.{Context, Native}
  defstruct [:handle]
  @type t :: %__MODULE__{}

  @doc "Loads a file by its path, or by `{:bytes, binary}`."
  def load(context, path) when is_binary(path), do: load(context, {:path, path})

  def load(%Context{handle: context}, source) do
    with {:ok, handle} <- Native.wrap(Native.model_load(context, source)),
         do: {:ok, %__MODULE__{handle: handle}}
  end

  @doc "`%{architecture, name, parameters, embedding, layers}`"
  def info(%__MODULE__{handle: handle}) do
    with {:ok, {architecture, name, parameters, embedding, layers}} <-
           Native.wrap(Native.model_info(handle)) do
      {:ok,
       %{
         architecture: architecture,
         name: name,
         parameters: parameters,
         embedding: embedding,
         layers: layers
       }}
    end
  end

  @doc """
  Goes on from a prompt: `{:ok, text, why it ended}`. Options: `:max_tokens`, `:temperature` (0: the
  likeliest token each time), `:seed`.
  """
  def generate(%__MODULE__{handle: handle}, prompt, options \\ []) do
    options = options |> Map.new() |> Map.put(:seeded, Keyword.has_key?(options, :seed))

    with {:ok, {text, stop, _tokens}} <-
           Native.wrap(Native.model_generate(handle, prompt, options)),
         do: {:ok, text, stop}
  end
end
