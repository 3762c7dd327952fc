# SPDX-License-Identifier: Apache-2.0
#
# Tests.cmake - how a test joins CTest.
#
#   weft_unit_test(arena SOURCES arena_test.c MODULES base)
#   weft_script_test(layers LABEL layers COMMAND tools/check-layers)
#   weft_fuzzer(parse SOURCES parse_fuzz.c MODULES syntax SEEDS tests/syntax)
#
# What several tests compile in is compiled once:
#
#   weft_test_support(interp SOURCES support/interp.c)
#   weft_unit_test(run SOURCES run_test.c SUPPORT interp MODULES lower)
#
# Labels: unit, lang, run, fuzz, webgpu, install, docs, layers, bench, node, integration.
# The last seven do not depend on how the code was compiled and exist only in plain builds;
# tests with the label integration need what Debian does not have (npm packages, browsers)
# and run only with `ctest -C integration`, as make test-integration does. Each test also has
# the label layer.FOLDER, and the target tests_FOLDER builds the programs of a folder: make
# test-FOLDER. The fuzz
# preset has nothing but the fuzzers, and tsan nothing but the tests that are marked
# THREADS. Tests marked ONCE, of the accuracy of kernels for instance, find the same
# in every build and exist only in plain ones.

set(WEFT_PLAIN ON)
if(WEFT_SANITIZE OR WEFT_STRESS OR WEFT_FUZZ)
    set(WEFT_PLAIN OFF)
endif()

set(WEFT_TEST_ENV
    "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.txt"
    "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache"        # not the user's
    "npm_config_fetch_retry_mintimeout=1000"            # a network that fails twice is none
    "npm_config_fetch_retry_maxtimeout=10000")

# The folder of src/ whose tests are being listed: tests/gpu/vulkan is gpu.
function(_weft_test_layer out)
    file(RELATIVE_PATH layer "${PROJECT_SOURCE_DIR}/tests" "${CMAKE_CURRENT_SOURCE_DIR}")
    if(layer MATCHES "^\\.\\./")
        get_filename_component(layer "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
    endif()
    string(REGEX REPLACE "/.*" "" layer "${layer}")
    set(${out} ${layer} PARENT_SCOPE)
endfunction()

# The target tests_FOLDER builds this program.
function(_weft_test_target target)
    _weft_test_layer(layer)
    if(NOT TARGET tests_${layer})
        add_custom_target(tests_${layer})
    endif()
    add_dependencies(tests_${layer} ${target})
endfunction()

function(_weft_test_properties test label)
    _weft_test_layer(layer)
    set_tests_properties(${test} PROPERTIES
        LABELS "${label};layer.${layer}"
        TIMEOUT 1800
        ENVIRONMENT "${WEFT_TEST_ENV}")
endfunction()

# Whether a test with the mark THREADS or without, and with this label, exists here.
function(_weft_test_wanted out label threads)
    set(wanted ON)
    if(WEFT_FUZZ AND NOT label STREQUAL "fuzz")
        set(wanted OFF)
    elseif(WEFT_SANITIZE MATCHES "thread" AND NOT threads)
        set(wanted OFF)
    elseif(NOT WEFT_PLAIN AND NOT label MATCHES "^(unit|fuzz|lang|run)$")
        set(wanted OFF)
    endif()
    set(${out} ${wanted} PARENT_SCOPE)
endfunction()

# Where a program of tests finds its headers, and how it is linked.
function(_weft_test_program target)
    target_include_directories(${target} PRIVATE
        "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/tests")
    if(WEFT_LINKER_GOLD)
        target_link_options(${target} PRIVATE -fuse-ld=gold)
    endif()
endfunction()

# Objects that tests name under SUPPORT.
function(weft_test_support name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
    add_library(support_${name} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
    target_include_directories(support_${name} PRIVATE
        "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(support_${name} PRIVATE
        weft_flags Threads::Threads PkgConfig::CMOCKA)
    target_include_directories(support_${name} PRIVATE
        "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/tests")
endfunction()

# A cmocka program: one process, with its modules' internals in reach. The
# program's folder and tests/support are on its include path.
function(weft_unit_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "THREADS;ONCE" "" "SOURCES;SUPPORT;MODULES;LIBS")
    _weft_test_wanted(wanted unit ${arg_THREADS})
    if(NOT wanted OR (arg_ONCE AND NOT WEFT_PLAIN))
        return()
    endif()
    add_executable(test_${name} ${arg_SOURCES})
    weft_link_modules(test_${name} ${arg_MODULES})
    _weft_test_program(test_${name})
    foreach(support IN LISTS arg_SUPPORT)
        target_sources(test_${name} PRIVATE $<TARGET_OBJECTS:support_${support}>)
    endforeach()
    target_link_libraries(test_${name} PRIVATE PkgConfig::CMOCKA ${arg_LIBS})
    target_compile_definitions(test_${name} PRIVATE
        WEFT_TEST_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
    set_target_properties(test_${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    _weft_test_target(test_${name})
    add_test(NAME unit.${name} COMMAND test_${name})
    _weft_test_properties(unit.${name} unit)
endfunction()

# A script, run at the top of the source tree. With the label lang or run it
# drives the built command, and so runs in sanitizer builds too.
function(weft_script_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "THREADS" "LABEL" "COMMAND")
    _weft_test_wanted(wanted ${arg_LABEL} ${arg_THREADS})
    if(NOT wanted)
        return()
    endif()
    set(when "")
    if(arg_LABEL STREQUAL "integration")
        set(when CONFIGURATIONS integration)
    endif()
    add_test(NAME ${arg_LABEL}.${name} COMMAND ${arg_COMMAND}
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" ${when})
    _weft_test_properties(${arg_LABEL}.${name} ${arg_LABEL})
    if(when)
        set_tests_properties(${arg_LABEL}.${name} PROPERTIES
            SKIP_REGULAR_EXPRESSION "left out: ")
    endif()
endfunction()

# A libFuzzer target. In the fuzz preset it fuzzes for a few seconds as a test, the
# same way each time (`make fuzz` goes other ways); in the others it replays its seeds. SEEDS are folders below the top of the
# tree, DICT a file there: words that libFuzzer may put together.
function(weft_fuzzer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "DICT" "SOURCES;SUPPORT;MODULES;LIBS;SEEDS")
    _weft_test_wanted(wanted fuzz OFF)
    if(NOT wanted)
        return()
    endif()
    set(seeds "")
    foreach(folder IN LISTS arg_SEEDS)
        list(APPEND seeds "${PROJECT_SOURCE_DIR}/${folder}")
    endforeach()
    if(WEFT_FUZZ AND arg_DICT)
        list(PREPEND seeds "-dict=${PROJECT_SOURCE_DIR}/${arg_DICT}")
    endif()

    add_executable(fuzz_${name} ${arg_SOURCES})
    weft_link_modules(fuzz_${name} ${arg_MODULES})
    _weft_test_program(fuzz_${name})
    foreach(support IN LISTS arg_SUPPORT)
        target_sources(fuzz_${name} PRIVATE $<TARGET_OBJECTS:support_${support}>)
    endforeach()
    target_link_libraries(fuzz_${name} PRIVATE ${arg_LIBS})
    set_target_properties(fuzz_${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
    _weft_test_target(fuzz_${name})
    if(WEFT_FUZZ)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
        set(found "${PROJECT_BINARY_DIR}/fuzz/${name}.corpus")
        file(MAKE_DIRECTORY "${found}")
        add_test(NAME fuzz.${name} COMMAND fuzz_${name}
            -seed=1 -max_total_time=5 -timeout=120 -rss_limit_mb=2048
            -artifact_prefix=${PROJECT_BINARY_DIR}/fuzz/${name}-
            "${found}" ${seeds})
    else()
        target_sources(fuzz_${name} PRIVATE $<TARGET_OBJECTS:support_replay>)
        add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${seeds})
    endif()
    _weft_test_properties(fuzz.${name} fuzz)
    string(REPLACE ";" " " seeds "${seeds}")
    file(APPEND "${PROJECT_BINARY_DIR}/fuzzers.txt" "${name} ${seeds}\n")
endfunction()

file(WRITE "${PROJECT_BINARY_DIR}/fuzzers.txt" "")

# The same test program on a Vulkan driver, with the validation layer, of which no
# message is tolerated:
#   weft_driver_test(gpu_compute lavapipe COMMAND test_gpu_compute)
# makes unit.gpu_compute.lavapipe. Without the driver the test says so and is skipped.
function(weft_driver_test name driver)
    cmake_parse_arguments(PARSE_ARGV 2 arg "ONCE" "LABEL" "COMMAND;ENVIRONMENT")
    if(NOT arg_LABEL)
        set(arg_LABEL unit)
    endif()
    _weft_test_wanted(wanted ${arg_LABEL} OFF)
    if(NOT wanted OR WEFT_STRESS OR (arg_ONCE AND NOT WEFT_PLAIN))
        return()
    endif()
    set(test ${arg_LABEL}.${name}.${driver})
    string(TOUPPER "WEFT_${driver}" icd)
    if(NOT ${icd})
        add_test(NAME ${test} COMMAND "${CMAKE_COMMAND}" -E echo
            "left out: the Vulkan driver ${driver} is missing; tools/setup installs it")
    else()
        add_test(NAME ${test} COMMAND ${arg_COMMAND}
            WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    endif()
    _weft_test_layer(layer)
    set_tests_properties(${test} PROPERTIES
        LABELS "${arg_LABEL};layer.${layer}"
        TIMEOUT 1800
        SKIP_REGULAR_EXPRESSION "^left out: "
        ENVIRONMENT "${WEFT_TEST_ENV};WEFT_TEST_BACKEND=vulkan;\
LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/lsan.txt:print_suppressions=0;WEFT_VULKAN_VALIDATION=fatal;\
VK_ICD_FILENAMES=${${icd}};VK_DRIVER_FILES=${${icd}};${arg_ENVIRONMENT}")
endfunction()
