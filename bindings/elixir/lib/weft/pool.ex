# SPDX-License-Identifier: Apache-2.0
defmodule Weft.Execution do
  @moduledoc "An execution that was started: `Weft.await/2`, `Weft.cancel/1`."
  defstruct [:handle, :reference, report: false]
  @type t :: %__MODULE__{}
end

defmodule Weft.PoolContext do
  @moduledoc "One user of a pool: `Weft.Pool.context/2`."
  defstruct [:handle]
  @type t :: %__MODULE__{}
end

defmodule Weft.Data do
  @moduledoc "Data that stays on devices between executions, of one context."
  alias Weft.Native
  defstruct [:handle]
  @type t :: %__MODULE__{}

  @doc "Copies a binary; it goes to a device when an execution needs it."
  def new(%Weft.PoolContext{handle: context}, binary, type \\ :f32) when is_binary(binary) do
    with {:ok, number} <- Weft.type_number(type, "data"),
         {:ok, handle} <- Native.wrap(Native.data_new(context, number, binary)),
         do: {:ok, %__MODULE__{handle: handle}}
  end

  @doc "Its elements, after the executions that were started before."
  def read(%__MODULE__{handle: handle}), do: Native.wrap(Native.data_read(handle))
end

defmodule Weft.Pool do
  @moduledoc "The devices of the machine, and their users."
  alias Weft.{Error, Native}
  defstruct [:handle]
  @type t :: %__MODULE__{}

  @options [:adapters, :libraries, :no_own, :no_cache, :cache_dir, :unmeasured, :threads] ++
             [:dispatch_deadline, :time_limit, :memory_limit, :retries]
  @quotas [:label, :memory_quota, :execution_quota, :time_quota, :weight, :device]

  @doc """
  Finds devices. Options, times in nanoseconds: `:adapters` (`["cpu"]`), `:libraries`, `:no_own`,
  `:unmeasured`, `:threads`, `:dispatch_deadline`, `:time_limit`, `:memory_limit`, `:retries`,
  `:cache_dir`, `:no_cache`.
  """
  def open(options \\ []) do
    with :ok <- known(options, @options),
         {:ok, handle} <- Native.wrap(Native.pool_open(Map.new(options))),
         do: {:ok, %__MODULE__{handle: handle}}
  end

  @doc "The devices that were found, as maps."
  def devices(%__MODULE__{handle: handle}), do: Native.wrap(Native.pool_devices(handle))

  @doc """
  A user of the pool. Quotas: `:memory_quota`, `:execution_quota`, `:time_quota`, `:weight`,
  `:device`, `:label`.
  """
  def context(%__MODULE__{handle: handle}, quotas \\ []) do
    with :ok <- known(quotas, @quotas),
         {:ok, context} <- Native.wrap(Native.pool_context(handle, Map.new(quotas))),
         do: {:ok, %Weft.PoolContext{handle: context}}
  end

  @doc "The context that the VM shares; `$WEFT_ADAPTER` and `$WEFT_WEBGPU` choose its devices."
  def shared do
    with {:ok, handle} <- shared_handle(), do: {:ok, %Weft.PoolContext{handle: handle}}
  end

  @doc "What a context has used."
  def usage(%Weft.PoolContext{handle: handle}), do: Native.wrap(Native.pool_usage(handle))

  @doc false
  def shared_handle do
    case :persistent_term.get(__MODULE__, nil) do
      nil ->
        with {:ok, handle} <- Native.wrap(Native.pool_shared()) do
          :persistent_term.put(__MODULE__, handle)
          {:ok, handle}
        end

      handle ->
        {:ok, handle}
    end
  end

  defp known(options, names) do
    case Enum.find(options, fn {key, _} -> key not in names end) do
      nil -> :ok
      {key, _} -> Error.new(:invalid, "there is no option #{inspect(key)}")
    end
  end
end
