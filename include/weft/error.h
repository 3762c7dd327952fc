// SPDX-License-Identifier: Apache-2.0
/*
 * weft/error.h - the kinds of error that every layer of libweft reports.
 *
 * One table serves C, the bindings and the HTTP status of the server. A failed call sets
 * the error of its context (weft/context.h); the first error is kept until cleared.
 */
#ifndef WEFT_ERROR_H
#define WEFT_ERROR_H

#include <stdint.h>

#include <weft/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/*    kind          name            HTTP  meaning                                          */
#define WEFT_ERROR_KINDS(X)                                                                  \
    X(UNSUPPORTED,  "unsupported",  501, "this device, file or library cannot do it")        \
    X(INVALID,      "invalid",      400, "an argument is outside its legal range")           \
    X(SHAPE,        "shape",        400, "shapes, ranks or axes do not fit together")        \
    X(TYPE,         "type",         400, "element types do not fit together")                \
    X(NOT_FOUND,    "not-found",    404, "no object of that name exists")                    \
    X(EXISTS,       "exists",       409, "an object of that name exists already")            \
    X(COMPILE,      "compile",      422, "a kernel does not compile")                        \
    X(FORMAT,       "format",       422, "a file or message is malformed")                   \
    X(MEMORY,       "memory",       507, "the memory or the budget is exhausted")            \
    X(QUOTA,        "quota",        429, "a quota is exhausted")                             \
    X(DENIED,       "denied",       403, "access was not granted")                           \
    X(CANCELLED,    "cancelled",    499, "the caller cancelled the work")                    \
    X(TIMEOUT,      "timeout",      504, "the work did not finish in time")                  \
    X(DEVICE_LOST,  "device-lost",  503, "the device was lost")                              \
    X(IO,           "io",           500, "reading or writing a file failed")                 \
    X(INTERNAL,     "internal",     500, "Weft itself is wrong: please report it")

typedef enum weft_error_kind {
    WEFT_ERROR_NONE = 0,
#define X(kind, name, http, meaning) WEFT_ERROR_##kind,
    WEFT_ERROR_KINDS(X)
#undef X
    WEFT_ERROR_KIND_COUNT
} weft_error_kind;

#define WEFT_ERROR_NAMES 4          /* most names that one error carries */

typedef struct weft_error {
    weft_error_kind kind;           /* WEFT_ERROR_NONE: no error                            */
    const char     *message;        /* one sentence; "" without an error                    */
    const char     *names[WEFT_ERROR_NAMES];  /* the tensors, bindings, files, fields
                                                 involved; unused ones are NULL             */
    uint32_t        name_count;
} weft_error;

/* "not-found", its HTTP status and its general meaning. NULL or 0 for other values. */
WEFT_API const char *weft_error_kind_name(weft_error_kind kind);
WEFT_API uint32_t    weft_error_kind_http(weft_error_kind kind);
WEFT_API const char *weft_error_kind_meaning(weft_error_kind kind);

#ifdef __cplusplus
}
#endif

#endif
