# SPDX-License-Identifier: Apache-2.0
#
# Flags.cmake - how every C file of Weft is compiled.
#
# Everything is on the interface target weft_flags, which each module, test and
# command links; nothing is set globally, so what is installed carries none of
# it.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

find_program(WEFT_CCACHE ccache)
if(WEFT_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER "${WEFT_CCACHE}")
endif()

# What is not installed is linked by a faster linker, where there is one: there are
# some eighty programs of tests in each build. With clang it warns of much.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    include(CheckLinkerFlag)
    check_linker_flag(C -fuse-ld=gold WEFT_LINKER_GOLD)
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

add_library(weft_flags INTERFACE)
target_compile_options(weft_flags INTERFACE
    -Wall -Wextra
    -Wshadow
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
    -Wpointer-arith -Wvla -Wundef -Wwrite-strings -Wcast-qual
    -Wconversion -Wno-sign-conversion
    -Wformat=2 -Wimplicit-fallthrough
    $<$<BOOL:${WEFT_WERROR}>:-Werror>
    -ffp-contract=off)      # constants fold the same on every machine

# C11 alone hides POSIX; the first line shows it, and no compiler extension with
# it. The others tell webgpu.h that we are the library whose functions it names.
target_compile_definitions(weft_flags INTERFACE
    _POSIX_C_SOURCE=200809L
    WGPU_SHARED_LIBRARY WGPU_IMPLEMENTATION
    WEFT_VERSION="${PROJECT_VERSION}")

if(WEFT_SANITIZE)
    target_compile_options(weft_flags INTERFACE
        -fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_link_options(weft_flags INTERFACE -fsanitize=${WEFT_SANITIZE})
else()
    target_compile_options(weft_flags INTERFACE
        -fstack-protector-strong
        $<$<CONFIG:RelWithDebInfo,Release>:-U_FORTIFY_SOURCE>
        $<$<CONFIG:RelWithDebInfo,Release>:-D_FORTIFY_SOURCE=2>)
endif()

if(WEFT_STRESS)
    target_compile_definitions(weft_flags INTERFACE WEFT_STRESS=1)
endif()

if(WEFT_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "WEFT_FUZZ needs clang: cmake --preset fuzz")
    endif()
    target_compile_definitions(weft_flags INTERFACE WEFT_FUZZ=1)
    target_compile_options(weft_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
