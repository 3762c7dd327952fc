# SPDX-License-Identifier: Apache-2.0
"""Language models from GGUF files: weft/model.h.

    model = weft.model.Model("tinyllama.gguf")
    with model.session() as s:
        print(s.generate("Once upon a time", max_tokens=64).text)

Models belong to their context, which serves one call at a time. The asynchronous forms run the
call on a thread of their own."""
from __future__ import annotations

import asyncio
import ctypes
import dataclasses
import json
import os
import queue
import threading
from typing import Any, AsyncIterator, Callable, Iterator, Mapping, Sequence

from . import _abi, errors
from ._buffers import allocate
from ._library import encoded, lib, text
from .context import Context, Owned, default_context

__all__ = ["Answer", "File", "Model", "Session"]

_FLAGS = {"special": 1, "no_affixes": 2, "continues": 4}
_STOPS = {1: "length", 2: "end", 3: "text", 4: "caller", 5: "cancelled", 6: "context"}


def _fields(raw: Any) -> dict:
    return {n: text(v) if isinstance(v := getattr(raw, n), bytes) else v
            for n, _ in raw._fields_}


class File(Owned):
    """A GGUF file: metadata and tensors. Needs no device."""

    __slots__ = ()
    _release = lib.weft_gguf_release
    _what = "file"

    def __init__(self, path: str | os.PathLike, *, header_only: bool = False,
                 context: Context | None = None):
        context = context or default_context()
        desc = _abi.weft_gguf_desc(path=os.fsencode(path), header_only=header_only)
        super().__init__(context.call(lib.weft_gguf_create, context, ctypes.byref(desc)), context)

    @property
    def info(self) -> dict:
        raw = _abi.weft_gguf_info()
        self.context.call(lib.weft_gguf_info_get, ctypes.byref(raw), self)
        return _fields(raw)

    @property
    def metadata(self) -> dict[str, Any]:
        """Keys with numbers, texts and booleans; arrays as their lengths."""
        found = {}
        for i in range(self.context.ask(lib.weft_gguf_value_count, self)):
            raw = _abi.weft_gguf_value.from_address(
                self.context.ask(lib.weft_gguf_value_get, self, i))
            found[text(raw.key)] = _value(raw)
        return found

    @property
    def tensors(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Name -> type, shape (the fastest axis last)."""
        found = {}
        for i in range(self.context.ask(lib.weft_gguf_tensor_count, self)):
            raw = _abi.weft_gguf_tensor.from_address(
                self.context.ask(lib.weft_gguf_tensor_get, self, i))
            found[text(raw.name)] = (text(lib.weft_gguf_type_name(raw.type)),
                                     tuple(reversed(raw.shape[:raw.rank])))
        return found

    def read(self, name: str) -> Any:
        """The elements of a tensor as f32."""
        pointer = self.context.ask(lib.weft_gguf_tensor_find, self, encoded(name))
        if not pointer:
            raise errors.NotFoundError(f"the file has no tensor '{name}'", "not-found", (name,))
        raw = _abi.weft_gguf_tensor.from_address(pointer)
        array, place = allocate("f32", tuple(reversed(raw.shape[:raw.rank])))
        self.context.call(lib.weft_gguf_read, place.address, self, pointer, 0, raw.elements)
        return array


def _value(raw: _abi.weft_gguf_value) -> Any:
    kind = raw.kind
    if kind == _abi.WEFT_GGUF_ARRAY:
        return {"array of": raw.element, "count": raw.count}
    if kind == _abi.WEFT_GGUF_STRING:
        return text(raw.text)
    if kind == _abi.WEFT_GGUF_BOOL:
        return bool(raw.u)
    if kind in (_abi.WEFT_GGUF_F32, _abi.WEFT_GGUF_F64):
        return raw.f
    return raw.u if kind == _abi.WEFT_GGUF_U64 else raw.i


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a model said, and why it stopped: "length", "end", "text", "caller", "cancelled",
    "context"."""
    text: str
    stop: str
    prompt_tokens: int
    reused_tokens: int
    tokens: int
    prompt_seconds: float
    seconds: float

    def __str__(self):
        return self.text


class Model(Owned):
    """The weights of a model on a device."""

    __slots__ = ()
    _release = lib.weft_model_release
    _what = "model"

    def __init__(self, path: str | os.PathLike, *, progress: Callable | None = None,
                 context: Context | None = None):
        context = context or default_context()
        desc = _abi.weft_model_desc(path=os.fsencode(path))
        if progress is not None:
            desc.progress = _abi.weft_progress(
                lambda _user, done, total: progress(done, total) is not False)
        super().__init__(context.call_out(lib.weft_model_create, context, ctypes.byref(desc)),
                         context)

    @property
    def info(self) -> dict:
        raw = _abi.weft_model_info()
        self.context.call(lib.weft_model_info_get, ctypes.byref(raw), self)
        return _fields(raw)

    def tokenize(self, value: str, *, special: bool = False, affixes: bool = True) -> list[int]:
        tokenizer = self.context.call(lib.weft_model_tokenizer_of, self)
        data = value.encode()
        room = ctypes.c_size_t(lib.weft_model_tokenize_bound(tokenizer, len(data)))
        out = (ctypes.c_int32 * max(1, room.value))()
        flags = special * _FLAGS["special"] | (not affixes) * _FLAGS["no_affixes"]
        self.context.call(lib.weft_model_tokenize, out, ctypes.byref(room), tokenizer, data,
                          len(data), flags)
        return list(out[:room.value])

    def detokenize(self, tokens: Sequence[int], *, special: bool = False) -> str:
        tokenizer = self.context.call(lib.weft_model_tokenizer_of, self)
        raw = (ctypes.c_int32 * max(1, len(tokens)))(*tokens)
        size = ctypes.c_size_t()
        flags = (1 if special else 0) | 2
        self.context.ask(lib.weft_model_detokenize, None, ctypes.byref(size), tokenizer, raw,
                         len(tokens), flags)
        out = ctypes.create_string_buffer(size.value + 1)
        self.context.call(lib.weft_model_detokenize, out, ctypes.byref(size), tokenizer, raw,
                          len(tokens), flags)
        return out.raw[:size.value].decode("utf-8", "replace")

    def session(self, **settings) -> "Session":
        """A conversation with its cache: see Session."""
        return Session(self, **settings)


class Session(Owned):
    """A KV cache: generates, chats, embeds."""

    __slots__ = ("model",)
    _release = lib.weft_model_session_release
    _what = "session"

    def __init__(self, model: Model, *, positions: int = 0, sequences: int = 0, batch: int = 0):
        desc = _abi.weft_model_session_desc(context=positions, sequences=sequences, batch=batch)
        super().__init__(model.context.call(lib.weft_model_session_create, model,
                                            ctypes.byref(desc)), model.context)
        self.model = model

    # ---- text ----

    def generate(self, prompt: str, *, on_text: Callable[[str], Any] | None = None,
                 **options) -> Answer:
        """Goes on from a prompt. `on_text` gets the answer as it comes; False stops it.

        Options: max_tokens, stop (texts), ignore_end, special, temperature (0: the likeliest),
        top_k, top_p, min_p, seed, repetition_penalty, frequency_penalty, presence_penalty,
        grammar (GBNF), json_schema."""
        return self._answer(lib.weft_model_session_generate, (encoded(prompt),), on_text, options)

    def chat(self, messages: Sequence[Mapping[str, Any]], *,
             on_text: Callable[[str], Any] | None = None, **options) -> Answer:
        """Answers messages, {"role": "user", "content": "..."}, in the model's template."""
        rows = (_abi.weft_model_message * max(1, len(messages)))()
        for row, m in zip(rows, messages):
            if not isinstance(m.get("role"), str):
                raise errors.InvalidError(f"a message needs a role: {m!r}")
            row.role, row.content = encoded(m["role"]), encoded(m.get("content"))
            extra = {k: v for k, v in m.items() if k not in ("role", "content")}
            row.extra = encoded(json.dumps(extra)) if extra else None
        return self._answer(lib.weft_model_session_chat, (rows, len(messages)), on_text, options)

    def _answer(self, function: Any, args: tuple, on_text: Any, options: dict) -> Answer:
        keep, failed = [], []
        desc = _generate_desc(self, on_text, options, keep, failed)
        raw = _abi.weft_model_answer()
        try:
            self.context.call_out(function, ctypes.byref(raw), self, *args, ctypes.byref(desc))
        except errors.WeftError:
            if not failed:
                raise
        finally:
            for release, pointer in keep[:]:
                if release:
                    release(pointer)
        if failed:
            lib.weft_model_answer_fini(ctypes.byref(raw))
            raise failed[0]
        said = ctypes.string_at(raw.text, raw.size).decode("utf-8", "replace") if raw.text else ""
        lib.weft_model_answer_fini(ctypes.byref(raw))
        return Answer(said, _STOPS.get(raw.stop, "unknown"), raw.prompt_tokens,
                      raw.reused_tokens, raw.tokens, raw.prompt_seconds, raw.seconds)

    def cancel(self) -> None:
        """Ends what is being generated; from any thread."""
        lib.weft_model_session_cancel(self._as_parameter_)

    def stream(self, prompt: str, **options) -> Iterator[str]:
        """The answer in pieces, as it comes. Leaving the loop cancels it."""
        pieces: queue.Queue = queue.Queue()
        thread = self._produce(prompt, options, pieces.put)
        try:
            while True:
                piece = pieces.get()
                if piece is None:
                    return
                if isinstance(piece, BaseException):
                    raise piece
                yield piece
        finally:
            self.cancel()
            thread.join()

    async def stream_async(self, prompt: str, **options) -> AsyncIterator[str]:
        """stream() for asyncio."""
        loop, pieces = asyncio.get_running_loop(), asyncio.Queue()
        thread = self._produce(prompt, options,
                               lambda p: loop.call_soon_threadsafe(pieces.put_nowait, p))
        try:
            while (piece := await pieces.get()) is not None:
                if isinstance(piece, BaseException):
                    raise piece
                yield piece
        finally:
            self.cancel()
            await loop.run_in_executor(None, thread.join)

    def _produce(self, prompt: str, options: dict, put: Callable) -> threading.Thread:
        def work():
            try:
                self.generate(prompt, on_text=put, **options)
            except BaseException as e:
                put(e)
            put(None)
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return thread

    async def generate_async(self, prompt: str, **options) -> Answer:
        """generate() on a thread; cancelling the task cancels the generation."""
        return await self._on_thread(lambda: self.generate(prompt, **options))

    async def chat_async(self, messages: Sequence[Mapping[str, Any]], **options) -> Answer:
        return await self._on_thread(lambda: self.chat(messages, **options))

    async def _on_thread(self, work: Callable) -> Any:
        try:
            return await asyncio.get_running_loop().run_in_executor(None, work)
        except asyncio.CancelledError:
            self.cancel()
            raise

    # ---- numbers ----

    def embed(self, texts: Sequence[str], *, normalize: bool = True,
              truncate: bool = False) -> Any:
        """Vectors of texts: [texts, embedding]."""
        texts = [texts] if isinstance(texts, str) else list(texts)
        raw = (ctypes.c_char_p * max(1, len(texts)))(*map(encoded, texts))
        array, place = allocate("f32", (len(texts), self.model.info["embedding"]))
        desc = _abi.weft_model_embed_desc(no_normalize=not normalize, truncate=truncate)
        self.context.call(lib.weft_model_session_embed, place.address, self, raw, len(texts),
                          ctypes.byref(desc))
        return array

    def decode(self, tokens: Sequence[int]) -> Any:
        """Adds tokens to the cache; the logits after the last of them."""
        raw = (ctypes.c_int32 * max(1, len(tokens)))(*tokens)
        batch = _abi.weft_model_batch(tokens=ctypes.addressof(raw), count=len(tokens))
        array, place = allocate("f32", (self.model.info["vocabulary"],))
        rows = ctypes.c_size_t(1)
        self.context.call(lib.weft_model_session_decode, place.address, ctypes.byref(rows), self,
                          ctypes.byref(batch))
        return array

    def __len__(self):
        """Tokens in the cache."""
        return self.context.ask(lib.weft_model_session_length, self, 0)

    def clear(self) -> None:
        self.context.ask(lib.weft_model_session_clear, self)

    @property
    def timings(self) -> dict:
        raw = _abi.weft_model_timings()
        self.context.call(lib.weft_model_session_timings, ctypes.byref(raw), self)
        return _fields(raw)


# ---- options ----

_SAMPLING = {"top_k", "top_p", "min_p", "typical_p", "top_n_sigma", "xtc_probability",
             "xtc_threshold", "repetition_penalty", "frequency_penalty", "presence_penalty",
             "penalty_last_n", "dry_multiplier", "dry_base", "dry_allowed_length", "dry_last_n",
             "min_keep"}
_OTHERS = {"max_tokens", "stop", "ignore_end", "special", "temperature", "seed", "grammar",
           "json_schema"}


def _generate_desc(session: Session, on_text: Any, options: dict, keep: list, failed: list):
    for name in options:
        if name not in _SAMPLING | _OTHERS:
            raise TypeError(f"no option '{name}'; there are "
                            + ", ".join(sorted(_SAMPLING | _OTHERS)))
    desc, get = _abi.weft_model_generate_desc(), options.get
    desc.max_tokens, desc.ignore_end = get("max_tokens", 0), get("ignore_end", False)
    desc.tokenize = _FLAGS["special"] if get("special") else 0
    stops = get("stop") or ()
    stops = [stops] if isinstance(stops, str) else list(stops)
    if stops:
        raw = (ctypes.c_char_p * len(stops))(*map(encoded, stops))
        keep.append((None, raw))
        desc.stop, desc.stop_count = ctypes.addressof(raw), len(stops)
    _set_sampling(session, desc.sampling, options, keep)
    if on_text is not None:
        desc.on_text = type(desc.on_text)(_text_callback(on_text, failed))
        keep.append((None, desc.on_text))
    return desc


def _set_sampling(session: Session, sampling: Any, options: dict, keep: list) -> None:
    for name in _SAMPLING & options.keys():
        setattr(sampling, name, options[name])
    if (temperature := options.get("temperature")) is not None:
        sampling.temperature = temperature if temperature > 0 else -1.0     # the likeliest
    if (seed := options.get("seed")) is not None:
        sampling.seed, sampling.seeded = seed, True
    grammar, schema = options.get("grammar"), options.get("json_schema")
    if grammar is None and schema is None:
        return
    if schema is not None and not isinstance(schema, str):
        schema = json.dumps(schema)
    desc = _abi.weft_model_grammar_desc(
        gbnf=encoded(grammar), json_schema=encoded(schema),
        tokenizer=lib.weft_model_tokenizer_of(session.model._as_parameter_))
    pointer = session.context.call(lib.weft_model_grammar_create, session.context,
                                   ctypes.byref(desc))
    keep.append((lib.weft_model_grammar_release, pointer))
    sampling.grammar = pointer


def _text_callback(on_text: Callable, failed: list) -> Callable:
    def call(_user, piece):
        try:
            raw = _abi.weft_model_piece.from_address(piece)
            if not raw.size:
                return True
            return on_text(text(raw.text)) is not False
        except BaseException as e:      # raised again when the call has ended
            failed.append(e)
            return False
    return call
