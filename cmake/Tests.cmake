# SPDX-License-Identifier: Apache-2.0
#
# Tests.cmake - how a test joins CTest.
#
#   weft_unit_test(arena SOURCES arena_test.c MODULES base)
#   weft_script_test(layers LABEL layers COMMAND tools/check-layers)
#   weft_fuzzer(parse SOURCES parse_fuzz.c MODULES syntax SEEDS tests/syntax)
#
# Labels: unit, lang, run, fuzz, webgpu, install, docs, layers, bench. The last five
# do not depend on how the code was compiled and exist only in plain builds; the fuzz
# preset has nothing but the fuzzers.

find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

set(WEFT_PLAIN ON)
if(WEFT_SANITIZE OR WEFT_STRESS OR WEFT_FUZZ)
    set(WEFT_PLAIN OFF)
endif()

set(WEFT_TEST_ENV
    "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1"
    "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")       # not the user's

function(_weft_test_properties test label)
    set_tests_properties(${test} PROPERTIES
        LABELS "${label}"
        TIMEOUT 900
        ENVIRONMENT "${WEFT_TEST_ENV}")
endfunction()

# A cmocka program: one process, with its modules' internals in reach. The
# program's folder and tests/support are on its include path.
function(weft_unit_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;MODULES;LIBS")
    if(WEFT_FUZZ)
        return()
    endif()
    add_executable(test_${name} ${arg_SOURCES})
    weft_link_modules(test_${name} ${arg_MODULES})
    target_include_directories(test_${name} PRIVATE
        "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(test_${name} PRIVATE PkgConfig::CMOCKA ${arg_LIBS})
    target_compile_definitions(test_${name} PRIVATE
        WEFT_TEST_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
    set_target_properties(test_${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    add_test(NAME unit.${name} COMMAND test_${name})
    _weft_test_properties(unit.${name} unit)
endfunction()

# A script, run at the top of the source tree. With the label lang or run it
# drives the built command, and so runs in sanitizer builds too.
function(weft_script_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "COMMAND")
    if(WEFT_FUZZ OR (NOT WEFT_PLAIN AND NOT arg_LABEL MATCHES "^(lang|run)$"))
        return()
    endif()
    add_test(NAME ${arg_LABEL}.${name} COMMAND ${arg_COMMAND}
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    _weft_test_properties(${arg_LABEL}.${name} ${arg_LABEL})
endfunction()

# A libFuzzer target. In the fuzz preset it fuzzes for a few seconds as a test;
# in every other preset it replays its seeds. SEEDS are folders below the top
# of the tree, DICT a file there: words that libFuzzer may put together.
function(weft_fuzzer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "DICT" "SOURCES;MODULES;SEEDS")
    set(seeds "")
    foreach(folder IN LISTS arg_SEEDS)
        list(APPEND seeds "${PROJECT_SOURCE_DIR}/${folder}")
    endforeach()
    if(WEFT_FUZZ AND arg_DICT)
        list(PREPEND seeds "-dict=${PROJECT_SOURCE_DIR}/${arg_DICT}")
    endif()

    add_executable(fuzz_${name} ${arg_SOURCES})
    weft_link_modules(fuzz_${name} ${arg_MODULES})
    set_target_properties(fuzz_${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
    if(WEFT_FUZZ)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
        set(found "${PROJECT_BINARY_DIR}/fuzz/${name}.corpus")
        file(MAKE_DIRECTORY "${found}")
        add_test(NAME fuzz.${name} COMMAND fuzz_${name}
            -max_total_time=5 -timeout=10 -rss_limit_mb=2048
            -artifact_prefix=${PROJECT_BINARY_DIR}/fuzz/${name}-
            "${found}" ${seeds})
    else()
        target_sources(fuzz_${name} PRIVATE
            "${PROJECT_SOURCE_DIR}/tests/support/replay.c")
        add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${seeds})
    endif()
    _weft_test_properties(fuzz.${name} fuzz)
    string(REPLACE ";" " " seeds "${seeds}")
    file(APPEND "${PROJECT_BINARY_DIR}/fuzzers.txt" "${name} ${seeds}\n")
endfunction()

file(WRITE "${PROJECT_BINARY_DIR}/fuzzers.txt" "")
