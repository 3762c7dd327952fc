# SPDX-License-Identifier: Apache-2.0
defmodule Mix.Tasks.Compile.WeftNif do
  @moduledoc "Compiles c_src with cc. WEFT_INCLUDE and WEFT_LIB_DIR, or pkg-config, say where Weft is."
  use Mix.Task.Compiler

  @impl true
  def run(_arguments) do
    sources = Path.wildcard("c_src/*.c")
    output = Path.join([Mix.Project.app_path(), "priv", "weft_nif.so"])
    File.mkdir_p!(Path.dirname(output))

    if Mix.Utils.stale?(sources ++ Path.wildcard("c_src/*.h"), [output]),
      do: build(sources, output),
      else: {:noop, []}
  end

  defp build(sources, output) do
    {compile, link} = flags()
    erlang = Path.join([:code.root_dir(), "usr", "include"])

    options =
      ~w(-std=c11 -D_POSIX_C_SOURCE=200809L -O2 -Wall -Wextra -fPIC -fvisibility=hidden -shared) ++
        ["-I", erlang] ++ compile ++ sources ++ ["-o", output] ++ link ++ ["-lm"]

    case System.cmd(System.get_env("CC", "cc"), options, stderr_to_stdout: true) do
      {_, 0} -> {:ok, []}
      {text, _} -> Mix.raise("the native functions do not compile:\n" <> text)
    end
  end

  defp flags do
    case {System.get_env("WEFT_INCLUDE"), System.get_env("WEFT_LIB_DIR")} do
      {include, lib} when is_binary(include) and is_binary(lib) ->
        {["-I", include], ["-L", lib, "-lweft", "-Wl,-rpath," <> lib]}

      _ ->
        lib = pkg_config("--variable=libdir")
        {pkg_config("--cflags"), pkg_config("--libs") ++ Enum.map(lib, &("-Wl,-rpath," <> &1))}
    end
  end

  defp pkg_config(option) do
    case System.cmd("pkg-config", [option, "weft"], stderr_to_stdout: true) do
      {text, 0} -> String.split(text)
      {text, _} -> Mix.raise("libweft was not found: set WEFT_INCLUDE and WEFT_LIB_DIR\n" <> text)
    end
  end
end

defmodule Weft.MixProject do
  use Mix.Project

  def project do
    [
      app: :weft,
      version: "0.1.0",
      elixir: "~> 1.14",
      compilers: [:weft_nif] ++ Mix.compilers(),
      deps: [],
      description: "WGSL compute kernels on CPUs and GPUs: one call, tensors, curve fits, models",
      package: [licenses: ["Apache-2.0"], files: ~w(lib c_src mix.exs README.md), links: %{}]
    ]
  end

  def application, do: [extra_applications: []]
end
