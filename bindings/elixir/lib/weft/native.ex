# SPDX-License-Identifier: Apache-2.0
defmodule Weft.Native do
  @moduledoc false
  @on_load :load

  def load do
    :erlang.load_nif(Path.join(:code.priv_dir(:weft), "weft_nif") |> String.to_charlist(), 0)
  end

  for {name, arity} <- [
        pool_open: 1,
        pool_devices: 1,
        pool_context: 2,
        pool_shared: 0,
        pool_usage: 1,
        data_new: 3,
        data_read: 1,
        execute_start: 6,
        execute_array: 5,
        execution_cancel: 1,
        context_open: 1,
        context_device: 1,
        tensor_new: 4,
        tensor_info: 1,
        tensor_read: 1,
        tensor_apply: 3,
        tensor_reshape: 2,
        tensor_memory: 1,
        solve_fit: 5,
        model_load: 2,
        model_info: 1,
        model_generate: 3,
        close: 1
      ] do
    arguments = Macro.generate_arguments(arity, __MODULE__) |> Enum.map(&{:_, [], elem(&1, 2)})
    def unquote(name)(unquote_splicing(arguments)), do: :erlang.nif_error(:not_loaded)
  end

  @doc false
  def wrap({:error, {kind, message, names}}),
    do: {:error, %Weft.Error{kind: kind, message: message, names: names}}

  def wrap(other), do: other
end
