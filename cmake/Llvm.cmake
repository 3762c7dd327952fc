# SPDX-License-Identifier: Apache-2.0
#
# Llvm.cmake - finds LLVM 16 to 19 through llvm-config, newest first.
#
# out    the interface target weft_llvm: the C API's headers, and the shared
#        libLLVM to link. Only modules that ask for it see it:
#        weft_module(... LIBS weft_llvm). WEFT_LLVM_VERSION, and for those
#        who link our static library WEFT_LLVM_LIBDIR and WEFT_LLVM_LIBS.
# -DWEFT_LLVM_CONFIG=/path/to/llvm-config chooses one by hand.

set(WEFT_LLVM_MIN 16)
set(WEFT_LLVM_MAX 19)

# The version of the LLVM behind `command`, or "" if it is not one of ours.
function(_weft_llvm_version out command)
    execute_process(COMMAND "${command}" --version
        OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE
        RESULT_VARIABLE failed ERROR_QUIET)
    string(REGEX MATCH "^[0-9]+" major "${text}")
    if(failed OR NOT major OR major LESS WEFT_LLVM_MIN OR major GREATER WEFT_LLVM_MAX)
        set(text "")
    endif()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

function(_weft_llvm_ask out)
    execute_process(COMMAND "${WEFT_LLVM_CONFIG}" ${ARGN}
        OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE
        RESULT_VARIABLE failed ERROR_VARIABLE why)
    if(failed)
        message(FATAL_ERROR "${WEFT_LLVM_CONFIG} ${ARGN}: ${why}")
    endif()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

if(NOT WEFT_LLVM_CONFIG)
    foreach(name llvm-config-19 llvm-config-18 llvm-config-17 llvm-config-16
                 llvm-config)
        unset(_command CACHE)
        find_program(_command ${name})
        if(_command)
            _weft_llvm_version(_version "${_command}")
            if(_version)
                set(WEFT_LLVM_CONFIG "${_command}" CACHE FILEPATH
                    "The llvm-config of the LLVM to use")
                break()
            endif()
        endif()
    endforeach()
    unset(_command CACHE)
endif()

if(NOT WEFT_LLVM_CONFIG)
    message(FATAL_ERROR
        "LLVM ${WEFT_LLVM_MIN} to ${WEFT_LLVM_MAX} not found: no llvm-config "
        "of these versions. Run tools/setup, or name one with "
        "-DWEFT_LLVM_CONFIG=/path/to/llvm-config")
endif()

_weft_llvm_version(WEFT_LLVM_VERSION "${WEFT_LLVM_CONFIG}")
if(NOT WEFT_LLVM_VERSION)
    message(FATAL_ERROR "${WEFT_LLVM_CONFIG} is not the llvm-config of an LLVM "
        "from ${WEFT_LLVM_MIN} to ${WEFT_LLVM_MAX}")
endif()
_weft_llvm_ask(_include --includedir)
_weft_llvm_ask(WEFT_LLVM_LIBDIR --libdir)
_weft_llvm_ask(WEFT_LLVM_LIBS --link-shared --libs)
separate_arguments(WEFT_LLVM_LIBS)
message(STATUS "LLVM ${WEFT_LLVM_VERSION} (${WEFT_LLVM_CONFIG})")

add_library(weft_llvm INTERFACE)
# Code for other machines than the host, where LLVM was built for it: `weft compile --cpu`.
_weft_llvm_ask(_targets --targets-built)
if(_targets MATCHES "AArch64")
    target_compile_definitions(weft_llvm INTERFACE WEFT_LLVM_AARCH64)
endif()
target_include_directories(weft_llvm SYSTEM INTERFACE "${_include}")
target_link_directories(weft_llvm INTERFACE "${WEFT_LLVM_LIBDIR}")
target_link_libraries(weft_llvm INTERFACE ${WEFT_LLVM_LIBS})
