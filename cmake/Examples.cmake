# SPDX-License-Identifier: Apache-2.0
#
# Examples.cmake - example programs that use libweft and are run as tests without arguments:
#
#   weft_example(bundle bundle.c)

function(weft_example name)
    add_executable(example_${name} ${ARGN})
    set_target_properties(example_${name} PROPERTIES
        OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples")
    target_compile_options(example_${name} PRIVATE
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
        $<$<BOOL:${WEFT_WERROR}>:-Werror>)
    target_link_libraries(example_${name} PRIVATE libweft webgpu_weft m)
    if(COMMAND weft_script_test)
        weft_script_test(example-${name} LABEL run COMMAND example_${name})
    endif()
endfunction()
