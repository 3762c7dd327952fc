// SPDX-License-Identifier: Apache-2.0
/*
 * device.h - programs on a device of webgpu.h, as a further way to run them.
 */
#ifndef WEFT_FUZZ_DIFFER_DEVICE_H
#define WEFT_FUZZ_DIFFER_DEVICE_H

#include "run.h"

/* The one that support/device.h chooses. It is opened by the first program, and not
 * closed: each has a process of its own. */
extern const RunDevice run_device;

#endif
