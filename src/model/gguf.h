/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gguf.h - what the runtime of models uses of files beyond weft/model.h.
 */
#ifndef WEFT_MODEL_GGUF_H
#define WEFT_MODEL_GGUF_H

#include <weft/model.h>

/* The data of this tensor will not be used soon: mapped memory is given back to the system, and
 * read again if it is used after all. */
void gguf_forget(const weft_gguf *file, const weft_gguf_tensor *tensor);

#endif
