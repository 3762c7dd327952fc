# SPDX-License-Identifier: Apache-2.0
#
# Library.cmake - the modules of src/ become libwebgpu_weft.
#
#   webgpu_weft          the shared library; exports wgpu* and weft_*, no more
#   webgpu_weft_static   the static library
#
# src/cli is not a module: it makes the command `weft` with weft_command().

if(NOT WEFT_MODULES)
    message(FATAL_ERROR "src/ holds no modules")
endif()

set(_objects "")
set(_libs Threads::Threads)
foreach(name IN LISTS WEFT_MODULES)
    list(APPEND _objects $<TARGET_OBJECTS:weft_${name}>)
    get_property(_more GLOBAL PROPERTY WEFT_LIBS_${name})
    list(APPEND _libs ${_more})
endforeach()
list(REMOVE_DUPLICATES _libs)

set(_exports "${PROJECT_SOURCE_DIR}/cmake/exports.map")

add_library(webgpu_weft SHARED ${_objects})
set_target_properties(webgpu_weft PROPERTIES
    VERSION     ${PROJECT_VERSION}
    SOVERSION   ${PROJECT_VERSION_MAJOR}
    LINK_DEPENDS "${_exports}"
    LINKER_LANGUAGE C)
target_link_libraries(webgpu_weft PRIVATE $<BUILD_INTERFACE:weft_flags> ${_libs})
target_link_options(webgpu_weft PRIVATE "LINKER:--version-script=${_exports}")
if(NOT WEFT_SANITIZE)
    target_link_options(webgpu_weft PRIVATE "LINKER:--no-undefined")
endif()

add_library(webgpu_weft_static STATIC ${_objects})
set_target_properties(webgpu_weft_static PROPERTIES
    OUTPUT_NAME webgpu_weft LINKER_LANGUAGE C)
