# SPDX-License-Identifier: Apache-2.0
defmodule Weft.Error do
  @moduledoc """
  Why a call failed. `kind` is the same in every language: `:compile`, `:shape`, `:not_found`,
  `:timeout`, `:device_lost`, ...; `names` are the inputs, outputs or tensors that are involved.
  """
  defexception kind: :internal, message: "", names: []

  @type t :: %__MODULE__{kind: atom, message: String.t(), names: [String.t()]}

  @impl true
  def message(%{kind: kind, message: message}), do: "#{kind}: #{message}"

  @doc false
  def new(kind, message, names \\ []),
    do: {:error, %__MODULE__{kind: kind, message: message, names: names}}
end
