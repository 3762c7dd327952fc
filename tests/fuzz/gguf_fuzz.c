// SPDX-License-Identifier: Apache-2.0
/*
 * gguf_fuzz.c - any bytes as a GGUF file: all that it says is read, and its vocabulary
 * tokenizes a few texts.
 */
#include <stdlib.h>
#include <string.h>

#include <weft/model.h>

#include "base/macro.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_values(const weft_gguf *file)
{
    for (uint64_t i = 0; i < weft_gguf_value_count(file); i++) {
        const weft_gguf_value *v = weft_gguf_value_get(file, i);
        BUG_IF(weft_gguf_value_find(file, v->key) != v, "a key is not found");
        weft_gguf_value element;
        for (uint64_t k = 0; k < v->count && weft_gguf_element(&element, file, v, k); k++)
            BUG_IF(element.size && !memchr(element.text + element.size - 1,
                                           element.text[element.size - 1], 1), "unreadable");
    }
}

static void read_tensors(const weft_gguf *file)
{
    float out[512];
    for (uint64_t i = 0; i < weft_gguf_tensor_count(file); i++) {
        const weft_gguf_tensor *t = weft_gguf_tensor_get(file, i);
        BUG_IF(weft_gguf_tensor_find(file, t->name) != t, "a tensor is not found");
        uint64_t count = MIN_OF(t->elements, (uint64_t)300);
        if (!weft_gguf_type_readable(t->type))
            continue;
        BUG_IF(!weft_gguf_read(out, file, t, 0, count), "a tensor cannot be read");
        BUG_IF(!weft_gguf_read(out, file, t, t->elements - count, count), "its end cannot be read");
    }
}

static void tokenize(const weft_model_tokenizer *t)
{
    static const char *const texts[] = {
        "Hello, world! It's 12345 o'clock.\n\n  x",
        "日本語 é 🚀",
        "<s></s><|end|>[CLS]",
        "\xff\xe2\x82",
    };
    weft_token tokens[256];
    char       back[4096];
    for (size_t i = 0; i < 2 * COUNTOF(texts); i++) {
        size_t count = COUNTOF(tokens), room = sizeof back;
        const char *text = texts[i / 2];
        BUG_IF(weft_model_tokenize_bound(t, strlen(text)) > COUNTOF(tokens), "too small");
        BUG_IF(!weft_model_tokenize(tokens, &count, t, text, WEFT_MODEL_TEXT,
                                    i % 2 ? WEFT_MODEL_TOKENIZE_SPECIAL : 0),
               "more than the bound");
        weft_model_detokenize(back, &room, t, tokens, count, (uint32_t)i & 7);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weft_context *ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    weft_gguf    *file = weft_gguf_create(ctx, &(weft_gguf_desc){.data = data, .size = size});
    BUG_IF(!file && !weft_context_error(ctx)->kind, "no file and no error");
    if (file) {
        read_values(file);
        read_tensors(file);
        weft_context_error_clear(ctx);
        weft_model_tokenizer *t = weft_model_tokenizer_create(ctx, file);
        BUG_IF(!t && !weft_context_error(ctx)->kind, "no tokenizer and no error");
        if (t)
            tokenize(t);
        weft_model_tokenizer_release(t);
    }
    weft_gguf_release(file);
    weft_context_release(ctx);
    return 0;
}
