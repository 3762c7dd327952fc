// SPDX-License-Identifier: Apache-2.0
/*
 * weft/model.h - language models from GGUF files.
 *
 *     weft_model *m = weft_model_create(ctx, &(weft_model_desc){ .path = "tinyllama.gguf" });
 *     weft_model_session *s = weft_model_session_create(m, NULL);
 *     weft_model_session_generate(NULL, s, "Once upon a time", &(weft_model_generate_desc){
 *         .max_tokens = 64, .on_text = print, .user = stdout });
 *     weft_model_session_release(s);
 *     weft_model_release(m);
 *
 * The parts, each usable alone. Those above the line need no device:
 *
 *     weft_gguf            a file: metadata and tensors
 *     weft_model_tokenizer text to token ids and back
 *     weft_model_decoder   token ids to text as they arrive
 *     weft_model_grammar   which tokens may follow (GBNF, JSON schema)
 *     weft_model_sampler   logits to one token
 *     weft_model_template  messages of a conversation to one prompt
 *     ---------------------------------------------------------------
 *     weft_model           weights on devices
 *     weft_model_session   a KV cache with its sequences: decode, generate, chat, embed
 *
 * Ownership  each _create() gives the caller the only reference; _retain() adds one,
 *            _release() takes one away (NULL is allowed). An object keeps what it was
 *            made from alive. Arguments are copied before a call returns, unless a
 *            comment says "borrowed".
 * Threads    files, tokenizers and templates do not change once made: any thread may
 *            read them, but errors go to their context, which belongs to one thread at
 *            a time. All else belongs to the context's thread;
 *            weft_model_session_cancel() may be called from any.
 * Errors     creators return NULL, actions false; weft_context_error(ctx) has the
 *            reason. A NULL object fails the same way, so a chain is checked once.
 * Texts      are UTF-8. A `size` of WEFT_MODEL_TEXT means up to the NUL.
 * Outputs    of varying length: `*count` is the room at `out` on entry and the length
 *            on return. With `out` NULL the call only tells the length; with too little
 *            room it fails, and tells the length, too.
 * Not here   serving over HTTP (`weft serve`), other file formats (weft/store.h).
 */
#ifndef WEFT_MODEL_H
#define WEFT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <webgpu/webgpu.h>
#include <weft/api.h>
#include <weft/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_gguf            weft_gguf;
typedef struct weft_model_tokenizer weft_model_tokenizer;
typedef struct weft_model_decoder   weft_model_decoder;
typedef struct weft_model_grammar   weft_model_grammar;
typedef struct weft_model_sampler   weft_model_sampler;
typedef struct weft_model_template  weft_model_template;
typedef struct weft_model           weft_model;
typedef struct weft_model_session   weft_model_session;

typedef int32_t weft_token;         /* an index into the vocabulary                */
#define WEFT_TOKEN_NONE ((weft_token)-1)

#define WEFT_MODEL_TEXT SIZE_MAX    /* as a size: up to the terminating NUL        */

/* As a value of a setting whose zero means "the default": turned off. */
#define WEFT_MODEL_OFF (-1)

/* ==== files ==================================================================== */

/* How to open a GGUF file of version 2 or 3. Either `path` or `data`. */
typedef struct weft_gguf_desc {
    const char *path;               /* of the file, or of the first of a split model:
                                       the others, NAME-00002-of-00005.gguf, are found
                                       beside it                                   */
    const void *data;               /* the file in memory; borrowed until the object
                                       is released                                 */
    size_t      size;               /* bytes at `data`                             */
    const void *const *parts;       /* further parts of a split model in memory,
                                       in order, borrowed likewise   NULL: none    */
    const size_t *part_sizes;
    size_t      part_count;
    bool        copy;               /* read the file into memory instead of mapping
                                       it: it may change or vanish afterwards      */
    bool        header_only;        /* metadata and the list of tensors alone: their
                                       data, and the other parts of a split model, may
                                       be missing, and cannot be read              */
    weft_progress progress;         /* NULL: none                                  */
    void       *user;
} weft_gguf_desc;

/*
 * Opens and checks a file: every count, offset, type, alignment and name. What is
 * wrong is told with the field's name and its place in the file (kind "format").
 * Mapped files are read only as far as their tensor list.
 */
WEFT_API weft_gguf *weft_gguf_create(weft_context *ctx, const weft_gguf_desc *desc);
WEFT_API weft_gguf *weft_gguf_retain(weft_gguf *file);
WEFT_API void       weft_gguf_release(weft_gguf *file);

/* Types of metadata, numbered as in files. */
typedef enum weft_gguf_kind {
    WEFT_GGUF_U8 = 0,
    WEFT_GGUF_I8,
    WEFT_GGUF_U16,
    WEFT_GGUF_I16,
    WEFT_GGUF_U32,
    WEFT_GGUF_I32,
    WEFT_GGUF_F32,
    WEFT_GGUF_BOOL,
    WEFT_GGUF_STRING,
    WEFT_GGUF_ARRAY,
    WEFT_GGUF_U64,
    WEFT_GGUF_I64,
    WEFT_GGUF_F64,
} weft_gguf_kind;

/* One key with its value. Pointers live as long as the file. */
typedef struct weft_gguf_value {
    const char    *key;             /* NUL-terminated                              */
    weft_gguf_kind kind;
    weft_gguf_kind element;         /* of an ARRAY; otherwise equal to kind        */
    uint64_t       count;           /* elements of an ARRAY; otherwise 1           */
    uint64_t       u;               /* unsigned integers and BOOL                  */
    int64_t        i;               /* all integers and BOOL; u64 wraps            */
    double         f;               /* all numbers                                 */
    const char    *text;            /* STRING: NUL-terminated copy; may hold NULs  */
    size_t         size;            /* STRING: bytes                               */
    const void    *data;            /* the elements as in the file, unaligned      */
    const uint64_t *offsets;        /* [count] of the strings of an ARRAY from `data`;
                                       NULL: elements of one size                  */
} weft_gguf_value;

/* Types of tensors, numbered as in files. Those without a comment can be read as
 * f32 by weft_gguf_read(). */
typedef enum weft_gguf_type {
    WEFT_GGUF_TYPE_F32 = 0,
    WEFT_GGUF_TYPE_F16 = 1,
    WEFT_GGUF_TYPE_Q4_0 = 2,
    WEFT_GGUF_TYPE_Q4_1 = 3,
    WEFT_GGUF_TYPE_Q5_0 = 6,
    WEFT_GGUF_TYPE_Q5_1 = 7,
    WEFT_GGUF_TYPE_Q8_0 = 8,
    WEFT_GGUF_TYPE_Q8_1 = 9,        /* listed only                                 */
    WEFT_GGUF_TYPE_Q2_K = 10,
    WEFT_GGUF_TYPE_Q3_K = 11,
    WEFT_GGUF_TYPE_Q4_K = 12,
    WEFT_GGUF_TYPE_Q5_K = 13,
    WEFT_GGUF_TYPE_Q6_K = 14,
    WEFT_GGUF_TYPE_Q8_K = 15,       /* listed only                                 */
    WEFT_GGUF_TYPE_IQ2_XXS = 16,
    WEFT_GGUF_TYPE_IQ2_XS = 17,     /* listed only                                 */
    WEFT_GGUF_TYPE_IQ3_XXS = 18,    /* listed only                                 */
    WEFT_GGUF_TYPE_IQ1_S = 19,      /* listed only                                 */
    WEFT_GGUF_TYPE_IQ4_NL = 20,
    WEFT_GGUF_TYPE_IQ3_S = 21,      /* listed only                                 */
    WEFT_GGUF_TYPE_IQ2_S = 22,      /* listed only                                 */
    WEFT_GGUF_TYPE_IQ4_XS = 23,
    WEFT_GGUF_TYPE_I8 = 24,
    WEFT_GGUF_TYPE_I16 = 25,
    WEFT_GGUF_TYPE_I32 = 26,
    WEFT_GGUF_TYPE_I64 = 27,
    WEFT_GGUF_TYPE_F64 = 28,
    WEFT_GGUF_TYPE_IQ1_M = 29,      /* listed only                                 */
    WEFT_GGUF_TYPE_BF16 = 30,
    WEFT_GGUF_TYPE_TQ1_0 = 34,      /* listed only                                 */
    WEFT_GGUF_TYPE_TQ2_0 = 35,      /* listed only                                 */
    WEFT_GGUF_TYPE_MXFP4 = 39,
    WEFT_GGUF_TYPE_NVFP4 = 40,      /* listed only                                 */
    WEFT_GGUF_TYPE_Q1_0 = 41,       /* listed only                                 */
    WEFT_GGUF_TYPE_Q2_0 = 42,       /* listed only                                 */
} weft_gguf_type;

/* One tensor of a file. Pointers live as long as the file. */
typedef struct weft_gguf_tensor {
    const char    *name;
    weft_gguf_type type;
    uint32_t       rank;            /* 0 to 4                                      */
    uint64_t       shape[4];        /* fastest dimension first; 1 beyond the rank  */
    uint64_t       elements;
    uint64_t       size;            /* bytes                                       */
    uint64_t       offset;          /* bytes from the start of its file            */
    uint32_t       part;            /* the file of a split model, from 0           */
} weft_gguf_tensor;

/* What a file is as a whole. */
typedef struct weft_gguf_info {
    uint32_t    version;            /* 2 or 3                                      */
    uint32_t    alignment;          /* of tensor data                              */
    uint32_t    parts;              /* files                                       */
    uint64_t    size;               /* bytes of all parts                          */
    uint64_t    tensor_size;        /* bytes of all tensors                        */
    uint64_t    elements;           /* of all tensors: parameters                  */
    const char *architecture;       /* "llama"; "" if it is not given              */
    const char *name;               /* "" if it is not given                       */
    const char *type;               /* "Q4_K - medium", from general.file_type; the
                                       most used tensor type without that          */
} weft_gguf_info;

WEFT_API bool     weft_gguf_info_get(weft_gguf_info *out, const weft_gguf *file);
WEFT_API uint64_t weft_gguf_value_count(const weft_gguf *file);
WEFT_API uint64_t weft_gguf_tensor_count(const weft_gguf *file);
/* In the order of the file; NULL if `index` is out of range. */
WEFT_API const weft_gguf_value  *weft_gguf_value_get(const weft_gguf *file, uint64_t index);
WEFT_API const weft_gguf_tensor *weft_gguf_tensor_get(const weft_gguf *file, uint64_t index);
/* By name; NULL, without an error, if there is none. */
WEFT_API const weft_gguf_value  *weft_gguf_value_find(const weft_gguf *file, const char *key);
WEFT_API const weft_gguf_tensor *weft_gguf_tensor_find(const weft_gguf *file, const char *name);

/* Element `index` of an ARRAY, as a value without a key (a single value is its own
 * element 0). A string element is not NUL-terminated. False if there is none, or the
 * element is itself an array. */
WEFT_API bool weft_gguf_element(weft_gguf_value *out, const weft_gguf *file,
                                const weft_gguf_value *value, uint64_t index);

/* The bytes of a tensor, as in the file; borrowed, as long as the file. */
WEFT_API const void *weft_gguf_data(const weft_gguf *file, const weft_gguf_tensor *tensor);
/* `count` elements from `first` on, as f32. `first` may be any. */
WEFT_API bool weft_gguf_read(float *out, const weft_gguf *file, const weft_gguf_tensor *tensor,
                             uint64_t first, uint64_t count);

/* "Q4_K"; NULL: no such type. */
WEFT_API const char *weft_gguf_type_name(weft_gguf_type type);
/* Elements of a block, and its bytes; 0: no such type. */
WEFT_API uint32_t weft_gguf_type_elements(weft_gguf_type type);
WEFT_API uint32_t weft_gguf_type_bytes(weft_gguf_type type);
/* Can weft_gguf_read() and weft_gguf_dequantize() read it? */
WEFT_API bool     weft_gguf_type_readable(weft_gguf_type type);
/* `count` elements, a multiple of the block's, as f32: the reference that kernels are
 * tested against. False if the type is not readable. */
WEFT_API bool     weft_gguf_dequantize(float *out, const void *blocks, weft_gguf_type type,
                                       uint64_t count);

/* ==== converting =============================================================== */

/* How to make a GGUF file of a folder as models are published: config.json, tokenizer.json
 * or vocab.txt, and *.safetensors. Models of the type "bert" can be converted. */
typedef struct weft_model_convert_desc {
    const char   *dir;
    const char   *path;             /* of the file; replaced if it exists          */
    const char   *name;             /* general.name              NULL: the folder's */
    bool          f32;              /* matrices in F32 instead of what they are    */
    weft_progress progress;         /* tensors                   NULL: none        */
    void         *user;
} weft_model_convert_desc;

/* Needs no device. A failed call leaves no file. */
WEFT_API bool weft_model_convert(weft_context *ctx, const weft_model_convert_desc *desc);

/* ==== tokenizers =============================================================== */

typedef enum weft_model_vocabulary {
    WEFT_MODEL_VOCABULARY_SPM = 1,  /* "llama": SentencePiece with byte fallback   */
    WEFT_MODEL_VOCABULARY_BPE,      /* "gpt2": merges of byte-level words          */
    WEFT_MODEL_VOCABULARY_WPM,      /* "bert": WordPiece                           */
} weft_model_vocabulary;

/* What a token is, as files number it. */
typedef enum weft_model_token_kind {
    WEFT_MODEL_TOKEN_NORMAL = 1,
    WEFT_MODEL_TOKEN_UNKNOWN,
    WEFT_MODEL_TOKEN_CONTROL,       /* such as the start of a text: prints nothing */
    WEFT_MODEL_TOKEN_USER_DEFINED,
    WEFT_MODEL_TOKEN_UNUSED,
    WEFT_MODEL_TOKEN_BYTE,
} weft_model_token_kind;

typedef struct weft_model_tokenizer_info {
    weft_model_vocabulary vocabulary;
    const char *pre;                /* the BPE pre-tokenizer's name; "" for others */
    uint32_t    count;              /* tokens                                      */
    weft_token  bos, eos, eot, eom, unk, sep, pad, mask;    /* WEFT_TOKEN_NONE: none */
    bool        add_bos, add_eos, add_sep, add_space_prefix;
} weft_model_tokenizer_info;

/* The tokenizer of a file's vocabulary, which is copied. A pre-tokenizer that is not
 * known is an error that names it (kind "unsupported"). */
WEFT_API weft_model_tokenizer *weft_model_tokenizer_create(weft_context *ctx,
                                                           const weft_gguf *file);
WEFT_API weft_model_tokenizer *weft_model_tokenizer_retain(weft_model_tokenizer *tokenizer);
WEFT_API void weft_model_tokenizer_release(weft_model_tokenizer *tokenizer);

WEFT_API bool weft_model_tokenizer_info_get(weft_model_tokenizer_info *out,
                                            const weft_model_tokenizer *tokenizer);

/* One entry of the vocabulary. */
typedef struct weft_model_token_info {
    const char *text;               /* as the file has it, not NUL-terminated      */
    size_t      size;
    float       score;
    weft_model_token_kind kind;
    bool        ends;               /* ends a generation: EOS, end of turn, ...    */
} weft_model_token_info;

WEFT_API bool weft_model_token_info_get(weft_model_token_info *out,
                                        const weft_model_tokenizer *tokenizer, weft_token token);
/* The token with exactly this text (as the file has it); WEFT_TOKEN_NONE: none. */
WEFT_API weft_token weft_model_token_find(const weft_model_tokenizer *tokenizer,
                                          const char *text, size_t size);

typedef enum weft_model_tokenize_flag {
    WEFT_MODEL_TOKENIZE_SPECIAL = 1,    /* text such as "<|im_end|>" becomes that
                                           token. Never for text from strangers    */
    WEFT_MODEL_TOKENIZE_NO_AFFIXES = 2, /* no BOS, EOS, CLS or SEP, even if the
                                           vocabulary asks for them                */
    WEFT_MODEL_TOKENIZE_CONTINUES = 4,  /* the text continues another: no space is
                                           put before it                           */
} weft_model_tokenize_flag;

/*
 * The tokens of a text. Any bytes are a text; those that are not UTF-8 become byte tokens
 * (SPM), U+FFFD (BPE) or nothing (WPM). Bytes that the vocabulary has no token for are
 * unknown, or lost where it has no unknown token either.
 */
WEFT_API bool weft_model_tokenize(weft_token *out, size_t *count,
                                  const weft_model_tokenizer *tokenizer, const char *text,
                                  size_t size, uint32_t flags);
/* Room that is enough for the tokens of any text of `size` bytes. */
WEFT_API size_t weft_model_tokenize_bound(const weft_model_tokenizer *tokenizer, size_t size);

typedef enum weft_model_detokenize_flag {
    WEFT_MODEL_DETOKENIZE_SPECIAL = 1,  /* print control tokens by their names     */
    WEFT_MODEL_DETOKENIZE_STRIP = 2,    /* leave out affixes that tokenizing with
                                           the defaults adds: BOS, EOS, the space  */
    WEFT_MODEL_DETOKENIZE_CLEAN = 4,    /* no space before . , ? ! 's 'm 're 've, nor
                                           around a lone ', as after BERT          */
} weft_model_detokenize_flag;

/* The text of tokens, without a NUL; what one token gives is its `piece`. Bytes may
 * end in the middle of a character. */
WEFT_API bool weft_model_detokenize(char *out, size_t *size,
                                    const weft_model_tokenizer *tokenizer,
                                    const weft_token *tokens, size_t count, uint32_t flags);

/* ---- text as it arrives ---- */

/* Turns tokens into text one by one: holds back bytes until a character is whole. Of the
 * flags only WEFT_MODEL_DETOKENIZE_SPECIAL counts. */
WEFT_API weft_model_decoder *weft_model_decoder_create(weft_context *ctx,
                                                       weft_model_tokenizer *tokenizer,
                                                       uint32_t flags);
WEFT_API void weft_model_decoder_release(weft_model_decoder *decoder);
/* Adds a token. Sets *text, *size to whole characters, perhaps none, valid until the
 * next call; bytes that can be no character come as U+FFFD. */
WEFT_API bool weft_model_decoder_push(const char **text, size_t *size,
                                      weft_model_decoder *decoder, weft_token token);
/* What is still held back, as U+FFFD; then the decoder may start anew. */
WEFT_API bool weft_model_decoder_finish(const char **text, size_t *size,
                                        weft_model_decoder *decoder);

/* ==== grammars ================================================================= */

/* Which texts are allowed. Either `gbnf` or `json_schema`. */
typedef struct weft_model_grammar_desc {
    const char *gbnf;               /* rules of llama.cpp's notation               */
    size_t      gbnf_size;          /* 0: up to the NUL                            */
    const char *root;               /* the rule to start with   NULL: "root"       */
    const char *json_schema;        /* "{}": any JSON                              */
    size_t      json_schema_size;   /* 0: up to the NUL                            */
    weft_model_tokenizer *tokenizer;/* for masks and tokens     NULL: text only    */
    uint32_t    max_rules;          /* 0: 65,536                                   */
    uint32_t    max_states;         /* that a text may leave open   0: 65,536      */
} weft_model_grammar_desc;

/* What is wrong with a grammar or schema is told with line and column, or the path in
 * the schema (kind "format"). */
WEFT_API weft_model_grammar *weft_model_grammar_create(weft_context *ctx,
                                                       const weft_model_grammar_desc *desc);
/* A grammar in the same state, which goes on alone. */
WEFT_API weft_model_grammar *weft_model_grammar_copy(const weft_model_grammar *grammar);
WEFT_API weft_model_grammar *weft_model_grammar_retain(weft_model_grammar *grammar);
WEFT_API void weft_model_grammar_release(weft_model_grammar *grammar);
/* Back to the start. */
WEFT_API void weft_model_grammar_reset(weft_model_grammar *grammar);

/* Goes on by a text or a token. False, and nothing has changed, if that is not
 * allowed here (kind "invalid"), or too many states would be open ("memory"). */
WEFT_API bool weft_model_grammar_accept_text(weft_model_grammar *grammar, const char *text,
                                             size_t size);
WEFT_API bool weft_model_grammar_accept(weft_model_grammar *grammar, weft_token token);
/* May the text end here? */
WEFT_API bool weft_model_grammar_complete(const weft_model_grammar *grammar);
/* Bit i of out[i / 32] is set if token i may follow; tokens that end a generation may
 * where the text may end. `words` is at least count / 32, rounded up. */
WEFT_API bool weft_model_grammar_mask(uint32_t *out, size_t words,
                                      weft_model_grammar *grammar);

/* The GBNF that a JSON schema becomes. */
WEFT_API bool weft_model_schema_to_gbnf(char *out, size_t *size, weft_context *ctx,
                                        const char *json_schema, size_t json_schema_size);

/* ==== sampling ================================================================= */

typedef struct weft_model_bias {
    weft_token token;
    float      bias;                /* added to the logit; -INFINITY forbids it    */
} weft_model_bias;

/*
 * How a token is chosen. The steps run in this order, each on what the one before
 * left: bias, grammar, penalties, DRY, top-n-sigma, top-k, typical, top-p, min-p, XTC,
 * temperature, draw. Zero is the default of llama.cpp's command.
 */
typedef struct weft_model_sampler_desc {
    float    temperature;           /* 0: 0.8       WEFT_MODEL_OFF: the likeliest    */
    int32_t  top_k;                 /* 0: 40        WEFT_MODEL_OFF: all              */
    float    top_p;                 /* 0: 0.95      WEFT_MODEL_OFF, 1: all           */
    float    min_p;                 /* 0: 0.05      WEFT_MODEL_OFF: all              */
    float    typical_p;             /* 0, 1: off                                     */
    float    top_n_sigma;           /* 0: off                                        */
    float    xtc_probability;       /* 0: off                                        */
    float    xtc_threshold;         /* 0: 0.1                                        */
    float    repetition_penalty;    /* 0, 1: off                                     */
    float    frequency_penalty;     /* 0: off                                        */
    float    presence_penalty;      /* 0: off                                        */
    int32_t  penalty_last_n;        /* tokens looked back at; 0: 64  WEFT_MODEL_OFF: none */
    float    dry_multiplier;        /* 0: off                                        */
    float    dry_base;              /* 0: 1.75                                       */
    int32_t  dry_allowed_length;    /* 0: 2                                          */
    int32_t  dry_last_n;            /* 0: 64        WEFT_MODEL_OFF: none             */
    const char *const *dry_breakers;/* NULL: "\n", ":", "\"", "*"                    */
    size_t   dry_breaker_count;
    uint32_t min_keep;              /* tokens that top-p, min-p, typical leave; 0: 1 */
    uint64_t seed;                  /* 0: drawn at random, unless `seeded`           */
    bool     seeded;                /* `seed` holds even if it is 0                  */
    const weft_model_bias *bias;
    size_t   bias_count;
    weft_model_grammar *grammar;    /* copied in its state         NULL: none        */
    uint32_t logprobs;              /* how many of the likeliest tokens to report    */
} weft_model_sampler_desc;

typedef struct weft_model_logprob {
    weft_token token;
    float      logprob;             /* natural, of the model's own distribution      */
} weft_model_logprob;

typedef struct weft_model_choice {
    weft_token token;
    float      logprob;             /* natural, of the model's own distribution      */
    float      probability;         /* among the tokens that were left to draw from  */
    const weft_model_logprob *top;  /* [top_count], likeliest first; valid until the
                                       next call with the sampler                    */
    uint32_t   top_count;
} weft_model_choice;

/* `tokenizer` may be NULL without DRY and grammar. `desc` NULL: all defaults. */
WEFT_API weft_model_sampler *weft_model_sampler_create(weft_context *ctx,
                                                       weft_model_tokenizer *tokenizer,
                                                       const weft_model_sampler_desc *desc);
/* A sampler in the same state, random numbers included, which goes on alone. */
WEFT_API weft_model_sampler *weft_model_sampler_copy(const weft_model_sampler *sampler);
WEFT_API void weft_model_sampler_release(weft_model_sampler *sampler);
/* Forgets all tokens and starts the random numbers again. */
WEFT_API void weft_model_sampler_reset(weft_model_sampler *sampler);
/* The seed that is used. */
WEFT_API uint64_t weft_model_sampler_seed(const weft_model_sampler *sampler);
/* Chooses from `count` logits, one for each token of the vocabulary. Logits that are
 * NaN are an error; so is a grammar that allows none. */
WEFT_API bool weft_model_sampler_sample(weft_model_choice *out, weft_model_sampler *sampler,
                                        const float *logits, size_t count);
/* Tells the sampler of a token that was chosen (`generated`), which penalties and the
 * grammar take note of, or of one of the prompt, which only penalties do. */
WEFT_API bool weft_model_sampler_accept(weft_model_sampler *sampler, weft_token token,
                                        bool generated);

/* ==== chat templates =========================================================== */

typedef struct weft_model_message {
    const char *role;               /* "system", "user", "assistant", "tool"       */
    const char *content;            /* NULL: null                                  */
    size_t      content_size;       /* 0: up to the NUL                            */
    const char *extra;              /* further members as a JSON object, such as
                                       {"tool_calls": [...]}; NULL: none           */
} weft_model_message;

typedef struct weft_model_template_desc {
    const char *source;             /* in Jinja; NULL: the named one, or the file's */
    size_t      source_size;        /* 0: up to the NUL                            */
    const char *name;               /* a built-in: "chatml", "llama2", "zephyr", ... */
    const weft_gguf *file;          /* gives the template and the special tokens
                                       that templates use          NULL: none      */
    const char *bos, *eos;          /* their texts   NULL: the file's; without that "" */
    uint64_t    max_steps;          /* 0: 1,000,000 evaluated nodes                */
    size_t      max_output;         /* 0: 64 MiB                                   */
} weft_model_template_desc;

typedef struct weft_model_render_desc {
    bool        no_generation_prompt;   /* ends after the last message             */
    const char *tools;              /* a JSON array                 NULL: none     */
    const char *variables;          /* further variables as a JSON object, such as
                                       {"enable_thinking": false}   NULL: none     */
    int64_t     now;                /* seconds since 1970, for dates; 0: the clock */
} weft_model_render_desc;

/* Templates are Jinja as published models use it; src/model/jinja.h lists what is known.
 * A template that drops or refuses messages of the system gets them before the text of the
 * next message. What is wrong with a template is told with line and column (kind "format"). */
WEFT_API weft_model_template *weft_model_template_create(weft_context *ctx,
                                                         const weft_model_template_desc *desc);
WEFT_API weft_model_template *weft_model_template_retain(weft_model_template *tmpl);
WEFT_API void weft_model_template_release(weft_model_template *tmpl);
/* Names of the built-in templates; NULL when `index` is past the last. */
WEFT_API const char *weft_model_template_name(uint32_t index);
/* The Jinja text. */
WEFT_API const char *weft_model_template_source(const weft_model_template *tmpl, size_t *size);
/* The prompt of a conversation, without a NUL. `desc` NULL: all defaults. Tokenize it
 * with WEFT_MODEL_TOKENIZE_SPECIAL; a BOS that the template wrote is not added twice
 * by weft_model_session_chat(). A template that raises an exception fails with its
 * message (kind "invalid"). */
WEFT_API bool weft_model_template_render(char *out, size_t *size,
                                         const weft_model_template *tmpl,
                                         const weft_model_message *messages, size_t count,
                                         const weft_model_render_desc *desc);

/* ==== models on devices ======================================================== */

/* What activations are while products are computed. */
typedef enum weft_model_precision {
    WEFT_MODEL_PRECISION_AUTO = 0,  /* INT8: the faster one on all measured devices */
    WEFT_MODEL_PRECISION_F32,
    WEFT_MODEL_PRECISION_INT8,      /* quantised by blocks before each product with
                                       quantised weights                           */
} weft_model_precision;

typedef struct weft_model_desc {
    const char      *path;          /* as in weft_gguf_desc                        */
    const void      *data;          /* borrowed until the model is released        */
    size_t           size;
    weft_gguf       *file;          /* instead of those: a file that is open       */
    const char      *name;          /* under which its tensors are shared
                                       NULL: general.name, or the file's           */
    weft_context *const *devices;   /* more contexts, over whose devices the layers
                                       are split by memory and speed   NULL: none  */
    size_t           device_count;
    const float     *shares;        /* [1 + device_count] of the layers for each
                                       device          NULL: by memory and speed   */
    uint64_t         memory_limit;  /* bytes on all devices    0: the contexts'    */
    const char      *architecture;  /* NULL: the file's                            */
    weft_model_precision activations;
    bool             no_self_test;  /* leave out the check of the kernels          */
    bool             no_fallback;   /* fail where a device cannot run the model,
                                       instead of using the CPU device             */
    weft_progress progress;         /* NULL: none                                  */
    void            *user;
} weft_model_desc;

typedef struct weft_model_info {
    const char *architecture, *name, *type;     /* as in weft_gguf_info            */
    uint64_t    parameters;
    uint64_t    weight_bytes;       /* on devices                                  */
    uint32_t    vocabulary;         /* tokens: the length of a row of logits       */
    uint32_t    context;            /* positions it was trained for                */
    uint32_t    embedding;          /* the length of a hidden state                */
    uint32_t    layers, heads, kv_heads, head_size, feed_forward;
    uint32_t    experts, experts_used;          /* 0: not a mixture                */
    bool        generates;          /* false: it only embeds (bert)                */
    const char *device;             /* the adapter, or several joined by ", "      */
    const char *fallback;           /* why not the device that was asked for; ""   */
} weft_model_info;

/*
 * Loads a model: weights are streamed to device memory without a second copy. They are shared
 * (weft_share_get() of weft/tensor.h) with the model's name as the owner, in the context of the
 * device that has them; a name that another model has gets a number, see weft_model_info.name.
 * Vectors are f32 under the names of the file. Matrices have 16 rows interleaved,
 * [rows / 16][words of a row][16], in f32 or as packed words of u32 with NAME.scales and
 * NAME.minima; those that are multiplied at once (Q, K and V) are one under the first one's name.
 * The results of the last call are "logits", "hidden" (after the last norm) and "embeddings".
 */
WEFT_API weft_model *weft_model_create(weft_context *ctx, const weft_model_desc *desc);
WEFT_API weft_model *weft_model_retain(weft_model *model);
WEFT_API void        weft_model_release(weft_model *model);
WEFT_API bool        weft_model_info_get(weft_model_info *out, const weft_model *model);
WEFT_API weft_gguf  *weft_model_file(const weft_model *model);               /* borrowed */
WEFT_API weft_model_tokenizer *weft_model_tokenizer_of(const weft_model *model);
/* NULL, without an error, if the file has no template. */
WEFT_API weft_model_template  *weft_model_template_of(const weft_model *model);

/* Can the model run on this context's device? If not, weft_context_error() says why. */
WEFT_API bool weft_model_is_available(weft_context *ctx, const weft_gguf *file);
/* Architectures that can be run; NULL when `index` is past the last. */
WEFT_API const char *weft_model_architecture(uint32_t index);

/* ---- sessions ---- */

typedef enum weft_model_cache {
    WEFT_MODEL_CACHE_AUTO = 0,      /* F16                                         */
    WEFT_MODEL_CACHE_F32,
    WEFT_MODEL_CACHE_F16,
    WEFT_MODEL_CACHE_Q8_0,
} weft_model_cache;

typedef enum weft_model_scaling {
    WEFT_MODEL_SCALING_AUTO = 0,    /* the file's                                  */
    WEFT_MODEL_SCALING_NONE,
    WEFT_MODEL_SCALING_LINEAR,
    WEFT_MODEL_SCALING_YARN,
    WEFT_MODEL_SCALING_LONGROPE,
} weft_model_scaling;

typedef struct weft_model_session_desc {
    uint32_t context;               /* positions a sequence    0: the model's, at
                                       most 4,096 and what fits                    */
    uint32_t sequences;             /* 0: 1                                        */
    uint32_t batch;                 /* tokens computed at a time; longer batches are
                                       cut             0: chosen for the device    */
    weft_model_cache     cache;
    weft_model_precision activations;           /* AUTO: the model's               */
    weft_model_scaling   rope_scaling;
    float    rope_base, rope_factor;/* 0: the file's                               */
    bool     no_prefix_reuse;       /* generate() and chat() start from nothing
                                       instead of the common prefix                */
} weft_model_session_desc;

/* Bytes that a model and a session take. */
typedef struct weft_model_memory {
    uint64_t weights, cache, scratch, total;
    uint64_t available;             /* on the context's devices, within its budget */
} weft_model_memory;

/* What loading would take, before it: needs only the file's tensor list. */
WEFT_API bool weft_model_estimate(weft_model_memory *out, weft_context *ctx,
                                  const weft_gguf *file, const weft_model_desc *model,
                                  const weft_model_session_desc *session);

/* `desc` NULL: all defaults. All memory is taken here; a cache that is full later is
 * an error (kind "memory"), and the session stays as it was. */
WEFT_API weft_model_session *weft_model_session_create(weft_model *model,
                                                       const weft_model_session_desc *desc);
WEFT_API weft_model_session *weft_model_session_retain(weft_model_session *session);
WEFT_API void weft_model_session_release(weft_model_session *session);
WEFT_API weft_model *weft_model_session_model(const weft_model_session *session);  /* borrowed */
/* The resolved values. */
WEFT_API bool weft_model_session_desc_get(weft_model_session_desc *out,
                                          const weft_model_session *session);
/* Makes what the session computes now stop soon with the kind "cancelled"; without
 * work it changes nothing. From any thread. */
WEFT_API void weft_model_session_cancel(weft_model_session *session);

/* ---- decoding by hand ---- */

/* Tokens of one or several sequences, in order of position within each. */
typedef struct weft_model_batch {
    const weft_token *tokens;       /* [count]                                     */
    size_t            count;
    const uint32_t   *sequences;    /* [count]    NULL: all 0                      */
    const uint32_t   *positions;    /* [count]    NULL: each continues its sequence */
    const bool       *outputs;      /* [count] whose logits are wanted
                                       NULL: the last of each sequence             */
} weft_model_batch;

/*
 * Computes a batch and adds it to the KV cache. The logits that were asked for are
 * written to `logits` in order of the batch (NULL: they stay on the device); `*rows` is
 * the room in rows of the vocabulary's length on entry, their number on return.
 */
WEFT_API bool weft_model_session_decode(float *logits, size_t *rows,
                                        weft_model_session *session,
                                        const weft_model_batch *batch);
/* Row `row` of the logits of the last decode; borrowed until the next. */
WEFT_API const float *weft_model_session_logits(weft_model_session *session, size_t row);
/* The hidden state after the last norm, likewise, of `embedding` numbers. */
WEFT_API const float *weft_model_session_hidden(weft_model_session *session, size_t row);

/* The hidden states of all tokens of a text after the last norm: out[count][embedding]. Uses
 * the session's sequences, whose caches are empty afterwards. */
WEFT_API bool weft_model_session_encode(float *out, weft_model_session *session,
                                        const weft_token *tokens, size_t count);

/* Tokens in the cache of a sequence; its next position. */
WEFT_API uint32_t weft_model_session_length(const weft_model_session *session,
                                            uint32_t sequence);
/* Removes the positions from `from` up to, not with, `to` (UINT32_MAX: the end). */
WEFT_API bool weft_model_session_trim(weft_model_session *session, uint32_t sequence,
                                      uint32_t from, uint32_t to);
/* Makes sequence `to` the same as `from`. */
WEFT_API bool weft_model_session_copy(weft_model_session *session, uint32_t to,
                                      uint32_t from);
/* Empties all sequences. */
WEFT_API void weft_model_session_clear(weft_model_session *session);
/* The cache as a file. Loading one of another model or cache type is an error (kind
 * "invalid"), and changes nothing. */
WEFT_API bool weft_model_session_save(weft_model_session *session, const char *path);
WEFT_API bool weft_model_session_load(weft_model_session *session, const char *path);

/* ---- generating text ---- */

/* A part of the answer, as it comes. */
typedef struct weft_model_piece {
    const char *text;               /* whole characters, NUL-terminated; may be "" */
    size_t      size;
    const weft_model_choice *choice;    /* the token behind it                     */
    uint32_t    index;              /* of the token in the answer, from 0          */
} weft_model_piece;

typedef enum weft_model_stop {
    WEFT_MODEL_STOP_LENGTH = 1,     /* max_tokens                                  */
    WEFT_MODEL_STOP_END,            /* the model ended its answer                  */
    WEFT_MODEL_STOP_TEXT,           /* one of `stop`                               */
    WEFT_MODEL_STOP_CALLER,         /* on_text returned false                      */
    WEFT_MODEL_STOP_CANCELLED,      /* weft_model_session_cancel()                 */
    WEFT_MODEL_STOP_CONTEXT,        /* the context is full                         */
} weft_model_stop;

typedef struct weft_model_generate_desc {
    uint32_t max_tokens;            /* 0: as many as the context has room for      */
    const char *const *stop;        /* texts that end the answer and are not part
                                       of it                                       */
    size_t   stop_count;
    uint32_t sequence;
    uint32_t tokenize;              /* weft_model_tokenize_flag, for generate()    */
    bool     ignore_end;            /* go on after an end token                    */
    weft_model_sampler_desc sampling;
    weft_model_sampler     *sampler;/* instead of `sampling`: one that goes on with
                                       what it has accepted     NULL: a fresh one  */
    const weft_model_render_desc *render;       /* for chat()    NULL: defaults    */
    weft_model_template    *tmpl;   /* for chat()                NULL: the model's */
    bool   (*on_text)(void *user, const weft_model_piece *piece);   /* false stops */
    weft_progress on_prompt;        /* tokens of the prompt; false cancels         */
    void    *user;
} weft_model_generate_desc;

/* An answer; weft_model_answer_fini() frees its text. */
typedef struct weft_model_answer {
    char           *text;           /* NUL-terminated                              */
    size_t          size;
    weft_model_stop stop;
    uint32_t        prompt_tokens;
    uint32_t        reused_tokens;  /* of the prompt, which were in the cache      */
    uint32_t        tokens;         /* of the answer                               */
    double          prompt_seconds, seconds;
} weft_model_answer;

WEFT_API void weft_model_answer_fini(weft_model_answer *answer);

/* Goes on from a prompt, or from messages in the model's chat template. `out` may be
 * NULL. An answer that was cancelled is an answer, so these are true then. `desc` NULL:
 * all defaults. */
WEFT_API bool weft_model_session_generate(weft_model_answer *out, weft_model_session *session,
                                          const char *prompt,
                                          const weft_model_generate_desc *desc);
WEFT_API bool weft_model_session_chat(weft_model_answer *out, weft_model_session *session,
                                      const weft_model_message *messages, size_t count,
                                      const weft_model_generate_desc *desc);

/* ---- embeddings ---- */

typedef enum weft_model_pooling {
    WEFT_MODEL_POOLING_AUTO = 0,    /* the file's; without that the mean           */
    WEFT_MODEL_POOLING_MEAN,
    WEFT_MODEL_POOLING_CLS,         /* the first token                             */
    WEFT_MODEL_POOLING_LAST,
} weft_model_pooling;

typedef struct weft_model_embed_desc {
    weft_model_pooling pooling;
    bool     no_normalize;          /* leave the length as it is instead of 1      */
    bool     truncate;              /* cut texts that are too long, else an error  */
    uint32_t tokenize;              /* weft_model_tokenize_flag                    */
} weft_model_embed_desc;

/* Vectors of texts: out[count][embedding]. Uses the session's sequences, whose caches
 * are empty afterwards. `desc` NULL: all defaults. */
WEFT_API bool weft_model_session_embed(float *out, weft_model_session *session,
                                       const char *const *texts, size_t count,
                                       const weft_model_embed_desc *desc);

/* ---- calls that do not wait ---- */

/*
 * A call on a thread of its own. Until weft_model_task_wait() has returned, the context and all
 * that was made from it belong to that thread: only weft_model_task_is_done(),
 * weft_model_task_cancel() and weft_model_session_cancel() may be called meanwhile; other contexts
 * go on. Prompts are copied; what descriptions, batches and messages point to, and the places for
 * results, are borrowed until then. on_text() and the like run on the task's thread.
 */
typedef struct weft_model_task weft_model_task;

/* When the call is over, on the task's thread; the task may not be waited for in it. */
typedef void (*weft_model_callback)(void *user, weft_model_task *task, bool ok);

/* As the calls without _async. NULL, without an error, while the session has a task that was not
 * waited for. `callback` may be NULL. */
WEFT_API weft_model_task *weft_model_create_async(weft_context *ctx, const weft_model_desc *desc,
                                                  weft_model_callback callback, void *user);
WEFT_API weft_model_task *weft_model_session_generate_async(weft_model_session *session,
                                                            const char *prompt,
                                                            const weft_model_generate_desc *desc,
                                                            weft_model_callback callback,
                                                            void *user);
WEFT_API weft_model_task *weft_model_session_chat_async(weft_model_session *session,
                                                        const weft_model_message *messages,
                                                        size_t count,
                                                        const weft_model_generate_desc *desc,
                                                        weft_model_callback callback, void *user);
WEFT_API weft_model_task *weft_model_session_decode_async(float *logits, size_t *rows,
                                                          weft_model_session *session,
                                                          const weft_model_batch *batch,
                                                          weft_model_callback callback,
                                                          void *user);
WEFT_API weft_model_task *weft_model_session_embed_async(float *out, weft_model_session *session,
                                                         const char *const *texts, size_t count,
                                                         const weft_model_embed_desc *desc,
                                                         weft_model_callback callback, void *user);

/* Both from any thread. A text that is cancelled is an answer, other calls fail. */
WEFT_API bool weft_model_task_is_done(const weft_model_task *task);
WEFT_API void weft_model_task_cancel(weft_model_task *task);
/* Waits until it is done: whether the call succeeded; weft_context_error() has the reason. */
WEFT_API bool weft_model_task_wait(weft_model_task *task);
/* Waits, and frees the task with its results. */
WEFT_API void weft_model_task_release(weft_model_task *task);
/* The model that was loaded, NULL for other calls; borrowed: weft_model_retain() keeps it. */
WEFT_API weft_model *weft_model_task_model(weft_model_task *task);
/* What was generated, as long as the task; NULL for other calls, and after an error. */
WEFT_API const weft_model_answer *weft_model_task_answer(const weft_model_task *task);

/* ---- figures ---- */

typedef struct weft_model_timings {
    double   load_seconds;          /* of the model                                */
    double   prompt_seconds, decode_seconds, sample_seconds;
    uint64_t prompt_tokens, decode_tokens;
    uint64_t dispatches;
    uint64_t cache_bytes, scratch_bytes;
} weft_model_timings;

WEFT_API bool weft_model_session_timings(weft_model_timings *out,
                                         const weft_model_session *session);

/* Times of the parts of what a session computes. While it is on, each kernel is waited for, so
 * that all of it is slower. Turning it on starts from zero. */
WEFT_API bool weft_model_session_profile(weft_model_session *session, bool on);

typedef struct weft_model_part {
    const char *name;               /* "embedding", "norms", "QKV", "rope", "scores", ... */
    double      seconds;
} weft_model_part;

/* False when `index` is past the last. */
WEFT_API bool weft_model_session_part(weft_model_part *out, const weft_model_session *session,
                                      uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
