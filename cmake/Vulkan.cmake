# SPDX-License-Identifier: Apache-2.0
#
# Vulkan.cmake - the headers of Vulkan, and the drivers that tests run on.
#
# out    WEFT_LAVAPIPE, WEFT_SWIFTSHADER: the files that describe the two drivers
#        which need no GPU, or NOTFOUND. Nothing is linked: the loader is opened at
#        run time.

find_path(WEFT_VULKAN_INCLUDE vulkan/vulkan_core.h)
if(NOT WEFT_VULKAN_INCLUDE)
    message(FATAL_ERROR "the headers of Vulkan are missing. Run tools/setup, or "
        "name their folder with -DWEFT_VULKAN_INCLUDE=/path/to/include")
endif()

set(_drivers /usr/share/vulkan/icd.d /usr/local/share/vulkan/icd.d /etc/vulkan/icd.d)
find_file(WEFT_LAVAPIPE
    NAMES lvp_icd.${CMAKE_SYSTEM_PROCESSOR}.json lvp_icd.json
    PATHS ${_drivers} NO_DEFAULT_PATH)
find_file(WEFT_SWIFTSHADER
    NAMES vk_swiftshader_icd.json
    PATHS /usr/lib/chromium /usr/lib/chromium-browser /opt/google/chrome ${_drivers}
    NO_DEFAULT_PATH)
