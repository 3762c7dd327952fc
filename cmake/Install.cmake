# SPDX-License-Identifier: Apache-2.0
#
# Install.cmake - what `make install PREFIX=...` puts where.

install(TARGETS webgpu_weft webgpu_weft_static
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")

get_property(_commands GLOBAL PROPERTY WEFT_COMMANDS)
if(_commands)
    install(TARGETS ${_commands}
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
