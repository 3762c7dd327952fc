# SPDX-License-Identifier: Apache-2.0
#
# Library.cmake - the modules of src/ become two libraries.
#
# out    webgpu_weft, webgpu_weft_static   below the waist: libwebgpu_weft
#        libweft, libweft_static           above it: libweft, which uses libwebgpu_weft
#        WEFT_LINK_LIBS_webgpu_weft, WEFT_LINK_LIBS_weft
#                                          what a user of a static library links as well
#
# Both show wgpu*, weft_* (and julia_webgpu_execute) to their users and nothing else: names inside Weft
# are short, and must not meet those of a program it is linked into.

if(NOT WEFT_MODULES)
    message(FATAL_ERROR "src/ holds no modules")
endif()

set(_exports "${PROJECT_SOURCE_DIR}/cmake/exports.map")

# Objects and system libraries of the modules that are named.
function(_weft_library_parts objects libs)
    set(all_objects "")
    set(all_libs Threads::Threads)
    foreach(name IN LISTS ARGN)
        list(APPEND all_objects $<TARGET_OBJECTS:weft_${name}>)
        get_property(more GLOBAL PROPERTY WEFT_LIBS_${name})
        list(APPEND all_libs ${more})
    endforeach()
    list(REMOVE_DUPLICATES all_libs)
    set(${objects} ${all_objects} PARENT_SCOPE)
    set(${libs} ${all_libs} PARENT_SCOPE)
endfunction()

function(_weft_library_common target export)
    set_target_properties(${target} PROPERTIES
        EXPORT_NAME ${export} LINKER_LANGUAGE C)
    target_include_directories(${target} INTERFACE
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
        "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endfunction()

# weft_shared_library(TARGET OUTPUT EXPORT OBJECTS LIBS [USES])
function(weft_shared_library target output export objects libs)
    add_library(${target} SHARED ${objects})
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME  ${output}
        VERSION      ${PROJECT_VERSION}
        SOVERSION    ${PROJECT_VERSION_MAJOR}
        LINK_DEPENDS "${_exports}")
    target_link_libraries(${target} PRIVATE weft_flags ${libs})
    target_link_libraries(${target} PUBLIC ${ARGN})
    target_link_options(${target} PRIVATE "LINKER:--version-script=${_exports}")
    if(NOT WEFT_SANITIZE)
        target_link_options(${target} PRIVATE "LINKER:--no-undefined")
    endif()
    _weft_library_common(${target} ${export})
endfunction()

# A static library has no version script. Linking all objects into one, and
# then making the hidden symbols of that one local, has the same effect.
function(weft_static_library target output export objects libs)
    set(one "${PROJECT_BINARY_DIR}/${output}.o")
    add_custom_command(
        OUTPUT  "${one}"
        DEPENDS ${objects}
        COMMAND ${CMAKE_LINKER} -r -o "${one}" ${objects}
        COMMAND ${CMAKE_OBJCOPY} --localize-hidden "${one}"
        COMMAND_EXPAND_LISTS VERBATIM
        COMMENT "Merging the objects of lib${output}.a")
    add_library(${target} STATIC "${one}")
    set_source_files_properties("${one}" PROPERTIES
        GENERATED TRUE EXTERNAL_OBJECT TRUE)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output})

    if("weft_llvm" IN_LIST libs)
        list(REMOVE_ITEM libs weft_llvm)
        foreach(lib IN LISTS WEFT_LLVM_LIBS)
            string(REGEX REPLACE "^-l(.*)$" "${WEFT_LLVM_LIBDIR}/lib\\1.so" lib "${lib}")
            list(APPEND libs "${lib}")
        endforeach()
    endif()
    target_link_libraries(${target} INTERFACE ${ARGN} ${libs})
    set(WEFT_LINK_LIBS_${output} ${libs} PARENT_SCOPE)
    _weft_library_common(${target} ${export})
endfunction()

# ---- below the waist ----

_weft_library_parts(_objects _libs ${WEFT_MODULES_webgpu_weft})
weft_shared_library(webgpu_weft webgpu_weft webgpu "${_objects}" "${_libs}")
weft_static_library(webgpu_weft_static webgpu_weft webgpu_static "${_objects}" "${_libs}")

# ---- above it: with its own copy of base/, whose names are hidden ----

_weft_library_parts(_objects _libs base ${WEFT_MODULES_weft})
weft_shared_library(libweft weft weft "${_objects}" "${_libs}" webgpu_weft)
weft_static_library(libweft_static weft weft_static "${_objects}" "${_libs}" webgpu_weft_static)
# It finds libwebgpu_weft.so in its own folder, wherever both are moved.
set_target_properties(libweft PROPERTIES INSTALL_RPATH "$ORIGIN")
