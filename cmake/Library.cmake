# SPDX-License-Identifier: Apache-2.0
#
# Library.cmake - the modules of src/ become libwebgpu_weft.
#
# out    webgpu_weft          the shared library
#        webgpu_weft_static   the static library
#        WEFT_LINK_LIBS       what a user of the static library links as well
#
# Both show wgpu* and weft_* to their users and nothing else: names inside Weft
# are short, and must not meet those of a program it is linked into.

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

# ---- shared ----

set(_exports "${PROJECT_SOURCE_DIR}/cmake/exports.map")

add_library(webgpu_weft SHARED ${_objects})
set_target_properties(webgpu_weft PROPERTIES
    VERSION         ${PROJECT_VERSION}
    SOVERSION       ${PROJECT_VERSION_MAJOR}
    EXPORT_NAME     webgpu
    LINK_DEPENDS    "${_exports}"
    LINKER_LANGUAGE C)
target_link_libraries(webgpu_weft PRIVATE weft_flags ${_libs})
target_link_options(webgpu_weft PRIVATE "LINKER:--version-script=${_exports}")
if(NOT WEFT_SANITIZE)
    target_link_options(webgpu_weft PRIVATE "LINKER:--no-undefined")
endif()

# ---- static ----
#
# A static library has no version script. Linking all objects into one, and
# then making the hidden symbols of that one local, has the same effect.

set(_one "${PROJECT_BINARY_DIR}/webgpu_weft.o")
add_custom_command(
    OUTPUT  "${_one}"
    DEPENDS ${_objects}
    COMMAND ${CMAKE_LINKER} -r -o "${_one}" ${_objects}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden "${_one}"
    COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Merging the objects of libwebgpu_weft.a")

add_library(webgpu_weft_static STATIC "${_one}")
set_source_files_properties("${_one}" PROPERTIES
    GENERATED TRUE EXTERNAL_OBJECT TRUE)
set_target_properties(webgpu_weft_static PROPERTIES
    OUTPUT_NAME     webgpu_weft
    EXPORT_NAME     webgpu_static
    LINKER_LANGUAGE C)

set(WEFT_LINK_LIBS ${_libs})
if("weft_llvm" IN_LIST WEFT_LINK_LIBS)
    list(REMOVE_ITEM WEFT_LINK_LIBS weft_llvm)
    foreach(_lib IN LISTS WEFT_LLVM_LIBS)
        string(REGEX REPLACE "^-l(.*)$" "${WEFT_LLVM_LIBDIR}/lib\\1.so" _lib "${_lib}")
        list(APPEND WEFT_LINK_LIBS "${_lib}")
    endforeach()
endif()
target_link_libraries(webgpu_weft_static INTERFACE ${WEFT_LINK_LIBS})

foreach(_library webgpu_weft webgpu_weft_static)
    target_include_directories(${_library} INTERFACE
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
        "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endforeach()
