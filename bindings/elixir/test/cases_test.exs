# SPDX-License-Identifier: Apache-2.0
#
# The table of cases that every binding runs. On the CPU device; WEFT_TEST_BACKEND names another,
# WEFT_WEBGPU another library.
defmodule Weft.CasesTest do
  use ExUnit.Case

  @folder Path.expand("../../cases", __DIR__)
  @cancel_tries 1000

  defp options do
    case {System.get_env("WEFT_WEBGPU"), System.get_env("WEFT_TEST_BACKEND")} do
      {nil, word} -> {[adapters: [word || "cpu"], unmeasured: true], word in [nil, "cpu"]}
      {library, _} -> {[libraries: [library], no_own: true, unmeasured: true], false}
    end
  end

  defp cases do
    Path.join(@folder, "cases.txt")
    |> File.read!()
    |> String.split("\n")
    |> Enum.reject(&(&1 == "" or String.starts_with?(&1, "#")))
    |> Enum.map(&String.split(&1, " "))
    |> Enum.chunk_while(
      [],
      fn
        ["end"], lines -> {:cont, Enum.reverse(lines), []}
        line, lines -> {:cont, [line | lines]}
      end,
      fn [] -> {:cont, []} end
    )
  end

  defp rows(lines, key), do: for([^key | rest] <- lines, do: rest)
  defp row(lines, key), do: lines |> rows(key) |> List.first()
  defp bytes(hex), do: Base.decode16!(hex, case: :lower)
  defp shape("-"), do: []
  defp shape(text), do: text |> String.split("x") |> Enum.map(&String.to_integer/1)
  defp three([x, y, z]), do: Enum.map([x, y, z], &String.to_integer/1) |> List.to_tuple()

  defp number(text) do
    {value, ""} = Float.parse(text)
    value
  end

  defp run(lines, pool) do
    quotas =
      case row(lines, "context") do
        ["memory_quota", n] -> [memory_quota: String.to_integer(n)]
        nil -> []
      end

    {:ok, context} = Weft.Pool.context(pool, quotas)
    {:ok, stranger} = Weft.Pool.context(pool)
    {:ok, foreign} = Weft.Data.new(stranger, <<0::128>>)

    inputs =
      for [name, type, shape, data] <- rows(lines, "input"), into: %{} do
        if [name] in rows(lines, "foreign"),
          do: {name, foreign},
          else: {name, {String.to_atom(type), shape(shape), bytes(data)}}
      end

    outputs =
      for [name, type, shape] <- rows(lines, "output"),
          into: %{},
          do: {name, {String.to_atom(type), shape(shape)}}

    constants = for [name, value] <- rows(lines, "constant"), into: %{}, do: {name, number(value)}
    wgsl = File.read!(Path.join(@folder, hd(row(lines, "wgsl"))))

    options =
      [context: context, outputs: outputs, constants: constants]
      |> option(:entry, row(lines, "entry"), &hd/1)
      |> option(:groups, row(lines, "groups"), &three/1)
      |> option(:invocations, row(lines, "invocations"), &three/1)
      |> option(:memory_limit, row(lines, "memory_limit"), &String.to_integer(hd(&1)))
      |> option(:deadline, row(lines, "deadline"), &String.to_integer(hd(&1)))
      |> option(:no_retry, row(lines, "no_retry"), fn _ -> true end)

    if row(lines, "cancel") do
      cancelled(wgsl, inputs, options, @cancel_tries)
    else
      with {:ok, execution} <- Weft.start(wgsl, inputs, options), do: Weft.await(execution)
    end
  end

  # A device that ends before it is cancelled gets another go.
  defp cancelled(wgsl, inputs, options, tries) do
    with {:ok, execution} <- Weft.start(wgsl, inputs, options),
         _ = Weft.cancel(execution),
         {:ok, _} = result <- Weft.await(execution) do
      if tries > 1, do: cancelled(wgsl, inputs, options, tries - 1), else: result
    end
  end

  defp option(options, _, nil, _), do: options
  defp option(options, key, row, convert), do: Keyword.put(options, key, convert.(row))

  defp values(data, "f32"), do: for(<<x::float-32-little <- data>>, do: x)
  defp values(data, "f64"), do: for(<<x::float-64-little <- data>>, do: x)

  defp compare(lines, name, outputs) do
    for [output, hex] <- rows(lines, "expect") do
      case row(lines, "tolerance") do
        nil ->
          assert Base.encode16(outputs[output], case: :lower) == hex, "#{name}: #{output}"

        [tolerance] ->
          [type] = for [^output, type, _] <- rows(lines, "output"), do: type
          pairs = Enum.zip(values(outputs[output], type), values(bytes(hex), type))

          for {got, want} <- pairs,
              do: assert(abs(got - want) <= number(tolerance) * max(1, abs(want)), name)
      end
    end
  end

  defp check(lines, name, result) do
    case {row(lines, "error"), result} do
      {nil, {:ok, outputs}} ->
        compare(lines, name, outputs)

      {[kind, subject], {:error, error}} ->
        assert error.kind == kind |> String.replace("-", "_") |> String.to_atom(),
               "#{name}: #{inspect(error)}"

        if subject != "-", do: assert(error.names == [subject], "#{name}: #{inspect(error)}")

      {_, other} ->
        flunk("#{name}: #{inspect(other)}")
    end
  end

  test "every case gives its bytes or its error" do
    {options, is_cpu} = options()
    {:ok, pool} = Weft.Pool.open(options)
    {:ok, [device | _]} = Weft.Pool.devices(pool)

    ran =
      for lines <- cases(),
          [name] = row(lines, "case"),
          Enum.all?(rows(lines, "requires"), fn [feature] -> device[String.to_atom(feature)] end),
          is_cpu or row(lines, "pool") == nil do
        own =
          case row(lines, "pool") do
            nil ->
              pool

            ["dispatch_deadline", ns] ->
              {:ok, own} = Weft.Pool.open([dispatch_deadline: String.to_integer(ns)] ++ options)
              own
          end

        check(lines, name, run(lines, own))
        name
      end

    IO.puts("#{length(ran)} cases ran")
    assert length(ran) >= 40
  end
end
