/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repack.h - how weights lie in device memory: 16 rows interleaved, so that a lane is a row.
 */
#ifndef WEFT_MODEL_RUNTIME_REPACK_H
#define WEFT_MODEL_RUNTIME_REPACK_H

#include <weft/model.h>

typedef enum WeightFormat {
    FORMAT_F32,
    FORMAT_F16,                         /* two neighbours in a word                */
    FORMAT_BF16,
#define FORMAT(name, words, scales, offset, code) FORMAT_##name,
#include "model/runtime/formats.def"
#undef FORMAT
    FORMAT_COUNT
} WeightFormat;

#define FORMAT_QUANTISED FORMAT_Q4      /* the first of them                       */

typedef enum ScaleKind { SCALES_S32, SCALES_S16, SCALES_M32, SCALES_M16, SCALES_K } ScaleKind;
typedef enum CodeKind { CODE_PLAIN, CODE_IQ2 } CodeKind;

/* A row of formats.def. */
typedef struct Format {
    uint32_t  words;
    ScaleKind scales;
    uint32_t  offset;
    CodeKind  code;
} Format;

const Format *format_get(WeightFormat format);          /* NULL: not quantised     */

/* The format for a type of a file; FORMAT_COUNT: none. */
WeightFormat repack_format(weft_gguf_type type);
/* Words of weights, of scales and of minima (or 0) in one row of k elements. */
typedef struct RowWords { uint32_t weights, scales, least; } RowWords;
RowWords     repack_words(WeightFormat format, uint32_t k);
uint32_t     repack_pad(WeightFormat format, uint32_t k);       /* k rounded up    */

/* 16 rows of blocks as words. rows[i] NULL: zeros. `unit` multiplies scales. */
typedef struct RepackJob {
    weft_gguf_type type;
    WeightFormat   format;
    uint32_t       k;
    float          unit;
    const void    *rows[16];
    uint32_t      *weights, *scales, *least;
    float         *scratch;             /* [k]                                     */
} RepackJob;
void repack_group(const RepackJob *job);
/* A power of two by which all scales of these rows may be multiplied to use the range of
 * f16 well. */
float repack_unit(weft_gguf_type type, const void *data, uint64_t rows, uint32_t k);

#endif
