// SPDX-License-Identifier: Apache-2.0
/* config_fuzz.c - the configuration from any bytes. */
#include <stddef.h>
#include <stdint.h>

#include "server/config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Config c;
    char   why[512];
    config_read(&c, (const char *)data, size, why, sizeof why);
    config_fini(&c);
    return 0;
}
