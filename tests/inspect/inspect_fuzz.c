/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect_fuzz.c - any text as a kernel to analyse.
 */
#include <stddef.h>
#include <stdint.h>
#include <weft/kernel.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    weft_kernel *k = weft_kernel_create(&(weft_kernel_desc){
        .wgsl = (const char *)data, .wgsl_size = size, .memory_limit = (size_t)64 << 20,
    });
    weft_kernel_optimized o;
    if (k && weft_kernel_optimize(&o, k) && weft_kernel_json(k) && o.wgsl != o.original) {
        weft_kernel *again = weft_kernel_create(&(weft_kernel_desc){.wgsl = o.wgsl});
        if (weft_kernel_error(again))
            __builtin_trap();           /* a rewritten kernel must compile */
        weft_kernel_release(again);
    }
    weft_kernel_release(k);
    return 0;
}
