// SPDX-License-Identifier: Apache-2.0
/*
 * runtime_priv.h - the parts of a model that runs, and who does what in model/runtime.
 *
 *   arch.def     architectures              params.c   numbers from a file's metadata
 *   repack.c     blocks of a file as the kernels read them (formats.def)   workers.c   threads
 *   matrix.c     matrices and vectors of weights on a device
 *   weights.c    which tensors a model consists of
 *   kernels.c    pipelines from the .wgsl files      format_text.c   lines for each format
 *   ops.c        one function for each kernel: bindings and sizes
 *   ops_experts.c   the kernels of mixtures of experts
 *   forward.c    a batch through all layers
 *   rope.c       tables of rotations
 *   stage.c      which layers are on which device
 *   selftest.c   kernels against plain arithmetic, once a model is loaded
 *   model.c      the object weft_model      session.c   weft_model_session, its buffers
 *   sequence.c   the sequences of a cache   state.c     caches as files
 *   decode.c     batches of tokens          batch.c     what a batch has to be
 *   generate.c   text from text             embed.c     vectors from texts
 *   tensors.c    weights and results as tensors under the model's name
 *   async.c      the calls that do not wait
 *
 * A row is what one token has. Activations are f32 [rows][stride] between kernels.
 *
 * Errors of a device's context become errors of the model's context at the border of the
 * library: model_fail().
 */
#ifndef WEFT_MODEL_RUNTIME_PRIV_H
#define WEFT_MODEL_RUNTIME_PRIV_H

#include <weft/model.h>

#include "base/arena.h"
#include "base/text.h"
#include "context/context.h"
#include "model/runtime/repack.h"

/* ---- architectures ---- */

typedef enum RopeKind { ROPE_NONE, ROPE_NORM, ROPE_NEOX } RopeKind;
typedef enum NormKind { NORM_RMS, NORM_LAYER } NormKind;
typedef enum ActKind { ACT_SILU, ACT_GELU, ACT_GELU_ERF, ACT_RELU, ACT_SWIGLU_OAI } ActKind;
typedef enum WindowKind { WINDOW_NO, WINDOW_EVEN, WINDOW_ALL_BUT_6TH, WINDOW_ALL } WindowKind;
enum {
    TRAIT_EMBED_SCALE = 1, TRAIT_PARALLEL = 2, TRAIT_MAYBE_PARALLEL = 4, TRAIT_POST_NORM = 8,
    TRAIT_BIDIRECTIONAL = 16, TRAIT_GATE_IN_UP = 32, TRAIT_NEEDS_GATE = 64, TRAIT_CAPS = 128,
    TRAIT_EXPERTS = 256, TRAIT_POST_IS_FFN_NORM = 512, TRAIT_LOGIT_CAP = 1024,
};

typedef struct Arch {
    const char *name;
    RopeKind    rope;
    NormKind    norm;
    ActKind     act;
    WindowKind  window;
    uint32_t    traits;
} Arch;

const Arch *arch_find(const char *name);

/* ---- numbers ---- */

typedef struct Params {
    const Arch *arch;
    uint32_t vocabulary, context, embedding, layers, heads, kv_heads, feed_forward;
    uint32_t key_size, value_size;      /* of a head                               */
    uint32_t rotated;                   /* dimensions of a head                    */
    uint32_t window;                    /* 0: none                                 */
    uint32_t window_period;             /* every so manyth layer sees all; 0: none does */
    uint32_t experts, experts_used, expert_feed_forward;    /* 0: not a mixture    */
    float    expert_scale;              /* of the weights of experts               */
    uint32_t positions;                 /* learned ones, 0: none                   */
    bool     parallel;
    float    epsilon, rope_base, rope_base_local, rope_factor;
    bool     local_rope;                /* layers with a window rotate otherwise   */
    bool     local_unscaled;            /* and are not scaled                      */
    weft_model_scaling scaling;
    uint32_t original_context;          /* of yarn and longrope                    */
    float    yarn_attention;            /* factor of cosines and sines             */
    float    attention_scale, attention_cap, logit_cap, embed_factor;
    weft_model_pooling pooling;
} Params;

bool params_read(Params *out, weft_context *ctx, const weft_gguf *file, const char *arch);
/* Does a layer see a window only? */
bool params_is_local(const Params *p, uint32_t layer);

/* ---- weights ---- */

/* ---- workers.c: the only threads of a model ---- */

#define WORKERS_MOST 16u
uint32_t workers_count(void);           /* 1 to WORKERS_MOST                       */
/* work(contexts[i]) for all i at once; returns when all are done. */
void     workers_run(void (*work)(void *context), void **contexts, uint32_t count);

typedef struct MatrixPart {
    const char  *name;                  /* of its first tensor                     */
    WeightFormat format;
    uint32_t     first;                 /* row of a result that it begins with     */
    uint64_t     begin;                 /* its first row among those of its tensors, experts
                                           one behind the other; a multiple of 16  */
    uint32_t     rows;                  /* padded to 16                            */
    uint32_t     expert_rows;           /* of one expert, padded; 0: no experts    */
    float        unit;                  /* what products are multiplied with       */
    weft_buffer *weights, *scales, *least;
} MatrixPart;

/* y = w x, from one tensor of a file or several one below the other. */
typedef struct Matrix {
    uint32_t    k, padded_k;
    uint32_t    rows, stride;           /* stride: padded rows of all parts; with experts
                                           those of one expert                     */
    uint32_t    experts;                /* 0: a plain matrix                       */
    MatrixPart *parts;
    uint32_t    nparts;
    const weft_gguf_tensor *tensors[3];
    uint32_t    ntensors;
    uint32_t    starts[4];              /* first row of each tensor                */
} Matrix;

typedef struct Layer {
    weft_buffer *attn_norm, *attn_norm_bias, *ffn_norm, *ffn_norm_bias;
    weft_buffer *attn_post, *ffn_post;              /* norms after (gemma)         */
    weft_buffer *attn_out_norm, *attn_out_norm_bias, *layer_out_norm, *layer_out_norm_bias;
    weft_buffer *q_norm, *k_norm, *sinks;
    Matrix       qkv, output, up, down;             /* up: gate and up             */
    Matrix       router;                            /* of a mixture of experts     */
    weft_buffer *qkv_bias, *output_bias, *up_bias, *down_bias, *router_bias;
    bool         gated;
    bool         local;                             /* sees a window               */
} Layer;

typedef struct Pipelines Pipelines;

typedef struct Weights {
    Matrix       embedding, positions, types, head;
    bool         tied;                              /* head is the embedding       */
    weft_buffer *embed_norm, *embed_norm_bias, *out_norm, *out_norm_bias, *head_bias;
    float       *rope_factors, *rope_long, *rope_short;   /* [rotated / 2] or NULL */
    Layer       *layers;
    uint64_t     bytes;                             /* on the device               */
} Weights;

/* A run of layers on one device. The first stage also has the embeddings and the head. */
typedef struct Stage {
    weft_context *ctx;
    Pipelines    *pipelines;
    weft_buffer  *nothing;              /* for bindings that are not used          */
    uint32_t      first, end;           /* layers                                  */
} Stage;

/* Adds up what is loaded, for progress. */
typedef struct Loader {
    weft_context    *ctx;               /* of the device that is loaded to         */
    const Stage     *stages;            /* NULL: all to ctx                        */
    uint64_t        *layer_bytes;       /* [layers], or NULL                       */
    const weft_gguf *file;
    Arena           *arena;
    weft_progress    progress;
    void            *user;
    uint64_t         done, total, device_bytes;
    void            *room;              /* memory for what is under way            */
    uint64_t         room_size;
    bool             measure;           /* only device_bytes is wanted             */
} Loader;

/* With `experts` the third dimension of the tensors is that many matrices. */
bool matrix_load(Matrix *out, Loader *l, const weft_gguf_tensor *const *tensors, uint32_t count,
                 uint32_t experts);
/* NAME.scale beside NAME.weight multiplies products; 1 without it. */
bool matrix_scale(float *out, weft_context *ctx, const weft_gguf *file,
                  const weft_gguf_tensor *t);
void matrix_release(Matrix *m);
bool vector_load(weft_buffer **out, Loader *l, const weft_gguf_tensor *t);
bool weights_load(Weights *out, Loader *l, const Params *p);
void weights_release(Weights *w, const Params *p);

/* ---- kernels ---- */

typedef enum KernelKind {
    KERNEL_MUL, KERNEL_PREPARE, KERNEL_NORM, KERNEL_HEAD_NORM, KERNEL_ROPE, KERNEL_ATTENTION,
    KERNEL_GATE, KERNEL_ADD, KERNEL_EMBED, KERNEL_PICK, KERNEL_CAP, KERNEL_ROUTE, KERNEL_GROUP,
    KERNEL_COMBINE, KERNEL_COUNT
} KernelKind;

/* What distinguishes pipelines of one kind. */
typedef struct KernelKey {
    uint32_t   kind;                    /* KernelKind                              */
    uint32_t   format;                  /* WeightFormat, or CacheFormat            */
    uint32_t   tile;
    uint32_t   i8;                      /* 1: activations of 8 bits                */
    uint32_t   k, d, dv;
    uint32_t   flags;                   /* of the kind: bits of overrides          */
    uint32_t   groups;                  /* products: runs of 16 rows a workgroup   */
} KernelKey;

/* Flags of KERNEL_MUL. With MUL_ROUTED the higher bits are how many experts a token has. */
enum { MUL_ROUTED = 1, MUL_EACH_CHOICE = 2 };

/* format_text.c: names and values of the lines that read weights of a quantised format; `column`
 * is the place of a token in a row of activations. Returns how many, at most FORMAT_PARAMS. */
#define FORMAT_PARAMS 24u
uint32_t       format_params(const char **out, Arena *a, WeightFormat format, const char *column);

Pipelines     *pipelines_create(weft_context *ctx);
void           pipelines_release(Pipelines *p);
weft_pipeline *pipelines_get(Pipelines *p, const KernelKey *key);
/* How many runs of 16 rows a workgroup of a product with `runs` of them has; 0: not known yet. */
uint32_t      *pipelines_groups(Pipelines *p, const KernelKey *key, uint32_t runs);

/* ---- tensors.c ---- */

/* Puts all weights under the model's name, which gets a number if another model has it. */
bool tensors_share(weft_model *m);
void tensors_unshare(weft_model *m);
/* Rows of a buffer under a name of results; *last is what was shared before. */
typedef struct SharedRows {
    const weft_buffer *buffer;
    uint32_t           rows;
} SharedRows;
bool tensors_share_rows(SharedRows *last, weft_model *m, const char *name, weft_buffer *b,
                        uint32_t rows, uint32_t stride, uint32_t n);
bool tensors_share_copy(weft_model *m, const char *name, const float *data, uint64_t rows,
                        uint32_t n);

/* ---- sessions ---- */

/* How keys and values lie in a cache. */
typedef enum CacheFormat {
    CACHE_F32,
    CACHE_F16,                          /* two neighbours of a head in a word      */
    CACHE_Q8,                           /* four; a scale in f32 for 32 of them     */
} CacheFormat;

/* Words, and scales, of one cell of one head. */
uint32_t cache_words(CacheFormat format, uint32_t size);
uint32_t cache_scales(CacheFormat format, uint32_t size);

typedef struct Scratch {
    weft_buffer *hidden, *normed, *qkv, *heads, *output, *up, *middle, *down, *picked, *logits;
    weft_buffer *prepared, *scales;     /* activations for products                */
    weft_buffer *ids, *types, *positions, *cells, *spots, *rows, *table, *table_local;
    weft_buffer *router, *chosen, *shares, *order, *items;      /* of experts      */
    weft_buffer *places;                /* [sequences][context]                    */
} Scratch;

/* One sequence's part of the cache. */
typedef struct Sequence {
    uint32_t    length;                 /* cells in use                            */
    uint32_t    next;                   /* position                                */
    weft_token *tokens;                 /* [context] by cell                       */
    uint32_t   *places;                 /* [context] positions by cell; ~0: removed */
} Sequence;

struct weft_model {
    uint32_t        references;
    weft_context   *ctx;                /* of the caller: files, texts, errors     */
    Arena           arena;
    weft_gguf      *file;
    weft_model_tokenizer *tokenizer;
    weft_model_template  *tmpl;         /* NULL: none                              */
    Params          params;
    Weights         weights;
    Stage          *stages;
    uint32_t        nstages;
    weft_model_precision activations;
    weft_model_info info;
    char           *name;
    char           *fallback;           /* why another device; NULL: none          */
    bool            shared;             /* tensors are under its name              */
    double          load_seconds;
};

/* Moves the first error of a stage's context to the model's; always false. */
bool model_fail(weft_model *m);

/* Parts of a batch whose times weft_model_session_profile() tells apart. */
typedef enum Op {
#define OP(name, text) OP_##name,
#include "model/runtime/op.def"
#undef OP
    OP_COUNT
} Op;

struct weft_model_session {
    uint32_t       references;
    weft_model    *model;
    weft_model_session_desc desc;       /* resolved                                */
    CacheFormat    cache;
    uint32_t       cells;               /* of a sequence: its context, in whole runs */
    weft_buffer  **keys, **values;      /* [layers]                                */
    weft_buffer  **scales;              /* [layers], of CACHE_Q8                   */
    uint32_t       value_scales;        /* where those of values begin             */
    Scratch       *scratch;             /* [stages]                                */
    uint32_t       logit_rows;          /* room in scratch[0].logits               */
    Sequence      *sequences;
    Arena          arena;
    uint32_t       outputs;             /* rows of the last decode                 */
    float         *logits, *hidden;     /* [outputs], read back on request         */
    size_t         logits_room, hidden_room;
    bool           has_logits, has_hidden;
    SharedRows     shared_logits, shared_hidden;
    bool           want_hidden;         /* keep normed rows instead of logits      */
    bool           busy;                /* has a task that was not waited for      */
    int            cancelled;           /* atomic                                  */
    bool           profile;
    double         op_seconds[OP_COUNT];
    weft_model_timings timings;
};

/* ---- ops.c ---- */

/* One batch on its way through the layers. */
typedef struct Batch {
    weft_model_session *s;
    const Stage *stage;                 /* where it is now                         */
    Scratch     *t;                     /* there                                   */
    uint32_t rows;                      /* tokens                                  */
    bool     i8;
    Op       op;                        /* what is recorded now, for profiles      */
    bool     failed;
} Batch;

#define MAX_BINDINGS 10u
#define RUNS_OF_64(n) (((n) + 63) / 64)

/* A dispatch in the making: bindings in the order of the kernel's. */
typedef struct Call {
    Batch        *b;
    weft_binding  bindings[MAX_BINDINGS];
    uint32_t      count;
} Call;

void call_bind(Call *c, weft_buffer *buffer);
/* A buffer that the kernel may not use: then something that is there. */
void call_bind_maybe(Call *c, weft_buffer *buffer);
void call_run(Call *c, const KernelKey *key, const void *params, uint32_t size, uint32_t x,
              uint32_t y);
/* tune.c: what KernelKey.groups is to be for a product with `runs` runs of 16 rows. */
uint32_t tune_groups(const Call *c, const KernelKey *key, const void *params, uint32_t size,
                     uint32_t runs);
/* Do products with this matrix read activations of 8 bits? */
bool ops_is_i8(const Batch *b, const Matrix *m);
/* How many of `rows` tokens an invocation of a product computes, for which it reads weights once:
 * more where registers have room for more sums. */
#define MOST_TILE 16u
uint32_t ops_tile(uint32_t rows, bool i8);

void ops_prepare(Batch *b, const Matrix *m, weft_buffer *x, uint32_t stride, uint32_t first);
void ops_multiply(Batch *b, weft_buffer *y, const Matrix *m);
typedef struct NormDesc {
    weft_buffer *y, *x, *add, *gain, *bias;
    uint32_t     n, x_stride, add_stride, y_stride;
    float        epsilon;
    bool         layer;
} NormDesc;
void ops_norm(Batch *b, const NormDesc *d);
void ops_head_norm(Batch *b, const Layer *layer, weft_buffer *gain, uint32_t first,
                   uint32_t heads);
void ops_rope_store(Batch *b, const Layer *layer, uint32_t index);
void ops_attention(Batch *b, const Layer *layer, uint32_t index);
void ops_gate(Batch *b, const Layer *layer);
void ops_add(Batch *b, weft_buffer *x, uint32_t n, uint32_t x_stride, uint32_t x_first,
             weft_buffer *a, uint32_t a_stride, weft_buffer *bias);
void ops_embed(Batch *b, weft_buffer *y, const Matrix *m, weft_buffer *ids, float factor, bool add);
void ops_pick(Batch *b, weft_buffer *y, weft_buffer *x, weft_buffer *rows, uint32_t n,
              uint32_t count);
void ops_cap(Batch *b, weft_buffer *x, uint32_t n, float cap);

/* ---- ops_experts.c ---- */

/* Chooses experts for each row by the router's products in scratch.router, and groups rows
 * that have chosen the same one. */
void ops_route(Batch *b, const Layer *layer);
/* Like ops_prepare() for rows of choices instead of tokens. */
void ops_prepare_choices(Batch *b, const Matrix *m, weft_buffer *x, uint32_t stride);
/* y[choice] = the chosen expert times x; `each_choice`: x has a row for each choice, else for
 * each token. */
void ops_multiply_experts(Batch *b, weft_buffer *y, const Matrix *m, bool each_choice);
/* y[row] = the sum of its choices, weighted. */
void ops_combine(Batch *b, weft_buffer *y, const Layer *layer);

/* ---- forward.c, rope.c ---- */

/* All layers: the buffer with the rows after the last norm; NULL after an error. */
weft_buffer *forward_run(Batch *b);
bool rope_tables(weft_model_session *s, const uint32_t *positions, uint32_t rows);

/* ---- session.c, sequence.c ---- */

#define CELL_RUN  64u                   /* cells whose keys lie together           */
#define MOST_BATCH 4096u                /* tokens computed at a time               */

/* Bytes of the cache and of the buffers of a batch. */
void session_estimate(weft_model_memory *out, const Params *p, const weft_model_session_desc *d);
/* Tells the devices which position each cell of a sequence has, from cell `from` on. */
bool session_write_places(weft_model_session *s, uint32_t sequence, uint32_t from);

/* ---- batch.c, decode.c ---- */

double seconds_now(void);

typedef struct Item {
    weft_token token;
    uint32_t   sequence, position, cell;
    bool       output;
} Item;

/* Sequences as they were before a batch. */
typedef struct Saved {
    uint32_t length, next;
} Saved;

/* A batch that was found to be valid. */
typedef struct Plan {
    Item    *items;                     /* [count]                                 */
    size_t   count;
    uint32_t outputs;
    Saved   *saved;                     /* [sequences]                             */
} Plan;

bool plan_init(Plan *plan, weft_model_session *s, const weft_model_batch *batch);
void plan_fini(Plan *plan);

/* Computes a batch: logits, or hidden states with s->want_hidden. */
bool decode_batch(weft_model_session *s, const weft_model_batch *batch, size_t *rows);

#endif
