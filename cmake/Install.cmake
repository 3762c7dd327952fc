# SPDX-License-Identifier: Apache-2.0
#
# Install.cmake - what `make install PREFIX=...` puts where.
#
#   bin/weft
#   share/weft/web/              the pages of the compute server
#   include/webgpu/, include/weft/
#   lib/libwebgpu_weft.so, lib/libwebgpu_weft.a
#   lib/libweft.so, lib/libweft.a
#   lib/pkgconfig/webgpu_weft.pc, lib/pkgconfig/weft.pc
#   lib/cmake/weft/              find_package(weft): weft::webgpu, weft::webgpu_static,
#                                weft::weft, weft::weft_static
#
# All of it may be moved after installation: nothing holds the prefix.

include(CMakePackageConfigHelpers)

install(TARGETS webgpu_weft webgpu_weft_static libweft libweft_static
    EXPORT weft
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

get_property(_commands GLOBAL PROPERTY WEFT_COMMANDS)
if(_commands)
    install(TARGETS ${_commands}
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

# ---- CMake package ----

set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/weft")
install(EXPORT weft NAMESPACE weft:: FILE weftTargets.cmake
    DESTINATION "${_package}")
configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/weftConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/weftConfig.cmake"
    INSTALL_DESTINATION "${_package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/weftConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/weftConfig.cmake"
    "${PROJECT_BINARY_DIR}/weftConfigVersion.cmake"
    DESTINATION "${_package}")

# ---- pkg-config ----

set(_root "/prefix")    # any will do: only the way from one to the other counts
file(RELATIVE_PATH _up "${_root}/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "${_root}")

# weft_pkg_config(NAME LINK_LIBS...): NAME.pc from NAME.pc.in
function(weft_pkg_config name)
    set(_libs_private "")
    foreach(lib IN LISTS ARGN)
        if(lib STREQUAL "Threads::Threads")
            list(APPEND _libs_private "-pthread")
        elseif(lib MATCHES "/" OR lib MATCHES "^-")
            list(APPEND _libs_private "${lib}")
        else()
            list(APPEND _libs_private "-l${lib}")
        endif()
    endforeach()
    list(JOIN _libs_private " " _libs_private)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in"
        "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${name}.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()

weft_pkg_config(webgpu_weft ${WEFT_LINK_LIBS_webgpu_weft})
weft_pkg_config(weft ${WEFT_LINK_LIBS_weft})
