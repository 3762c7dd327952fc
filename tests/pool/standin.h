/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standin.h - a library with webgpu.h that stands before Weft's own and pretends to be
 * another device: with set rates, latency and memory, and with faults.
 *
 * A program opens it, calls standin_configure() and gives its path to a pool; processes that
 * the pool forks have the same settings. Without a call it is a plain device.
 */
#ifndef WEFT_TESTS_POOL_STANDIN_H
#define WEFT_TESTS_POOL_STANDIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum StandinFault {
    STANDIN_NONE = 0,
    STANDIN_CRASH_INSTANCE, STANDIN_HANG_INSTANCE, STANDIN_EXIT_INSTANCE,
    STANDIN_CRASH_ADAPTER, STANDIN_HANG_ADAPTER, STANDIN_NO_ADAPTER,
    STANDIN_CRASH_DEVICE, STANDIN_HANG_DEVICE, STANDIN_NO_DEVICE,
    STANDIN_CRASH_SUBMIT, STANDIN_WRONG_RESULTS,
} StandinFault;

typedef struct StandinSettings {
    const char *name;
    const char *type;               /* "discrete", "integrated", NULL: CPU                  */
    double      f32_rate, function_rate, bandwidth; /* per second; 0: no time passes        */
    double      launch_ns, upload_rate, read_rate;
    uint64_t    memory;             /* bytes; 0: as the machine                             */
    StandinFault fault;
    uint32_t    lose_each;          /* one submit in so many loses the device, by chance    */
    uint64_t    seed;
    double      slowdown;           /* factor on all times          0: 1                    */
    bool        no_f16;
} StandinSettings;

typedef struct StandinState {
    atomic_bool  hold_submits;      /* submits do not return while it is set                */
    atomic_uint  held;              /* that are held now                                    */
    atomic_uint  devices_opened, devices_lost, submits, dispatches;
    atomic_bool  lose_next;         /* the next submit loses the device                     */
    atomic_bool  refuse_devices;
    atomic_ullong simulated_ns;     /* time of launches, arithmetic and transfers so far    */
    _Atomic double slowdown;        /* 0: as configured                                     */
} StandinState;

void          standin_configure(const StandinSettings *settings);
StandinState *standin_state(void);

/* The cost of a kernel is found by analysis, or said in a line of its text, per invocation:
 *     //! flops 12 functions 0 bytes 8
 */

#endif
