// SPDX-License-Identifier: Apache-2.0
/*
 * weft/api.h - marks the functions that libwebgpu_weft exports.
 */
#ifndef WEFT_API_H
#define WEFT_API_H

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

#endif
