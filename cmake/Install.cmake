# SPDX-License-Identifier: Apache-2.0
#
# Install.cmake - what `make install PREFIX=...` puts where.
#
#   bin/weft
#   include/webgpu/, include/weft/
#   lib/libwebgpu_weft.so, lib/libwebgpu_weft.a
#   lib/pkgconfig/webgpu_weft.pc
#   lib/cmake/weft/              find_package(weft): weft::webgpu, weft::webgpu_static
#
# All of it may be moved after installation: nothing holds the prefix.

include(CMakePackageConfigHelpers)

install(TARGETS webgpu_weft webgpu_weft_static
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

set(_libs_private "")
foreach(_lib IN LISTS WEFT_LINK_LIBS)
    if(_lib STREQUAL "Threads::Threads")
        list(APPEND _libs_private "-pthread")
    elseif(_lib MATCHES "/" OR _lib MATCHES "^-")
        list(APPEND _libs_private "${_lib}")
    else()
        list(APPEND _libs_private "-l${_lib}")
    endif()
endforeach()
list(JOIN _libs_private " " _libs_private)

set(_root "/prefix")    # any will do: only the way from one to the other counts
file(RELATIVE_PATH _up "${_root}/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "${_root}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/webgpu_weft.pc.in"
    "${PROJECT_BINARY_DIR}/webgpu_weft.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/webgpu_weft.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
