# SPDX-License-Identifier: Apache-2.0
#
# Modules.cmake - one folder of src/ is one module.
#
#   weft_module(check
#       SOURCES check.c scope.c
#       DEPS    base syntax
#       LIBS    m
#       LIBRARY weft)
#
# makes the object library weft_check. Its files include what is below src/
# by folder, "check/check.h", and the public headers, <weft/wgsl.h>. DEPS names
# modules, LIBS whatever else must be linked. A nested folder joins its names
# with an underscore: emit/llvm is the module emit_llvm.
#
# LIBRARY names the library that the module becomes part of: webgpu_weft (below
# the waist, the default), weft (above it) or none (linked only into commands and
# tests, as the server is).

set(WEFT_MODULES "" CACHE INTERNAL "modules that exist in this tree")
foreach(library webgpu_weft weft none)
    set(WEFT_MODULES_${library} "" CACHE INTERNAL "modules of one library")
endforeach()

function(weft_module name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "LIBRARY" "SOURCES;DEPS;LIBS")
    if(NOT arg_LIBRARY)
        set(arg_LIBRARY webgpu_weft)
    endif()
    if(NOT arg_LIBRARY MATCHES "^(webgpu_weft|weft|none)$")
        message(FATAL_ERROR "weft_module(${name}): unknown library ${arg_LIBRARY}")
    endif()
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "weft_module(${name}): ${arg_UNPARSED_ARGUMENTS}?")
    endif()

    add_library(weft_${name} OBJECT ${arg_SOURCES})
    target_include_directories(weft_${name}
        PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(weft_${name}
        PRIVATE weft_flags Threads::Threads ${arg_LIBS})

    set_property(GLOBAL PROPERTY WEFT_DEPS_${name} ${arg_DEPS})
    set_property(GLOBAL PROPERTY WEFT_LIBS_${name} ${arg_LIBS})
    set(WEFT_MODULES ${WEFT_MODULES} ${name} CACHE INTERNAL "")
    set(WEFT_MODULES_${arg_LIBRARY} ${WEFT_MODULES_${arg_LIBRARY}} ${name}
        CACHE INTERNAL "")
endfunction()

# Embeds the .wgsl files of a module's folder kernels/: the table
# `const EmbeddedKernel NAME_kernels[]` (context/context.h), sorted by name.
#   weft_embed_kernels(tensor [FOLDER])
function(weft_embed_kernels name)
    set(folder kernels)
    if(ARGC GREATER 1)
        set(folder ${ARGV1})
    endif()
    file(GLOB files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.wgsl")
    set(out "${CMAKE_CURRENT_BINARY_DIR}/${name}_kernels.c")
    add_custom_command(
        OUTPUT  "${out}"
        DEPENDS ${files} "${PROJECT_SOURCE_DIR}/tools/embed-kernels"
        COMMAND "${PROJECT_SOURCE_DIR}/tools/embed-kernels" "${name}" "${out}" ${files}
        VERBATIM)
    target_sources(weft_${name} PRIVATE "${out}")
endfunction()

# The named modules and all they depend on, each once.
function(weft_module_closure out)
    set(todo ${ARGN})
    set(done "")
    while(todo)
        list(POP_FRONT todo name)
        if(name IN_LIST done)
            continue()
        endif()
        if(NOT name IN_LIST WEFT_MODULES)
            message(FATAL_ERROR "there is no module '${name}' in src/")
        endif()
        list(APPEND done ${name})
        get_property(deps GLOBAL PROPERTY WEFT_DEPS_${name})
        list(APPEND todo ${deps})
    endwhile()
    set(${out} ${done} PARENT_SCOPE)
endfunction()

# Links the named modules and all they depend on into a test or a command.
function(weft_link_modules target)
    weft_module_closure(modules ${ARGN})
    foreach(name IN LISTS modules)
        get_property(libs GLOBAL PROPERTY WEFT_LIBS_${name})
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:weft_${name}>)
        target_link_libraries(${target} PRIVATE ${libs})
    endforeach()
    target_include_directories(${target}
        PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(${target} PRIVATE weft_flags Threads::Threads)
endfunction()

# A command of src/cli, with the modules it uses linked into it:
#   weft_command(weft SOURCES main.c MODULES compile)
function(weft_command name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;MODULES;LIBS")
    add_executable(${name} ${arg_SOURCES})
    weft_link_modules(${name} ${arg_MODULES})
    target_link_libraries(${name} PRIVATE ${arg_LIBS})
    set_property(GLOBAL APPEND PROPERTY WEFT_COMMANDS ${name})
endfunction()
