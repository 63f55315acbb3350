# SPDX-License-Identifier: Apache-2.0
include(CheckLinkerFlag)

# Flags of all our targets. Linked PRIVATE, so that they never reach a dependency.
add_library(feedrate_flags INTERFACE)
target_compile_options(feedrate_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow;-Wnon-virtual-dtor;-Woverloaded-virtual>
  $<$<AND:$<BOOL:${FEEDRATE_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>)
# GCC 12 inlines destructors of the standard library and then warns that they read uninitialized values.
target_compile_options(feedrate_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
# Rounds a * b + c twice on every machine. A compiler that may contract it, as on aarch64, rounds once, and the last digits of printed
# values would differ between machines. Baseline x86_64 has no such instruction, so it loses nothing. Eigen's vectors for aarch64
# still use it.
target_compile_options(feedrate_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
# GCC spends a tenth of its time on garbage collection, to stay below 1 GB.
target_compile_options(feedrate_flags INTERFACE
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-expand=300;--param=ggc-min-heapsize=1000000>")
if(FEEDRATE_SANITIZE)
  # -O1 -g1 compiles in 60 % of the time of -O2 -g and still names each line in a report. clang takes three
  # quarters of the time of GCC.
  target_compile_options(feedrate_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${FEEDRATE_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer;-O1;-g1>)
  # The vptr check probes memory through a pipe; in a process without free descriptors it reports a
  # damaged object.
  target_compile_options(feedrate_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=vptr>)
  if(FEEDRATE_SANITIZE MATCHES "address")
    # AddressSanitizer already finds reads of null pointers and past an object; checking them twice takes a quarter
    # of the compile time.
    target_compile_options(feedrate_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,object-size>)
  endif()
  target_link_options(feedrate_flags INTERFACE -fsanitize=${FEEDRATE_SANITIZE})
endif()

# The tests' own sources compile in half the time of -O2, under sanitizers in a third; the code under test
# stays optimized. Link it after feedrate_flags, so that its -O comes last.
add_library(feedrate_test_flags INTERFACE)
target_compile_options(feedrate_test_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-O0;-g1>)
# GNU's default linker takes 2 s per test program, these less than 1.
foreach(linker lld gold)
  check_linker_flag(CXX -fuse-ld=${linker} FEEDRATE_HAS_${linker})
  if(FEEDRATE_HAS_${linker})
    target_link_options(feedrate_test_flags INTERFACE -fuse-ld=${linker})
    break()
  endif()
endforeach()

# Precompiled headers that most sources include save a third of the time. Presets clang and fuzz do without, to
# check that each source includes what it uses; so does ccache, which cannot read them.
get_filename_component(compiler_program ${CMAKE_CXX_COMPILER} REALPATH)
if(NOT compiler_program MATCHES "ccache" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile_by_default ON)
else()
  set(precompile_by_default OFF)
endif()
option(FEEDRATE_PRECOMPILE "Precompile the standard library's headers, fmt's and GoogleTest's." ${precompile_by_default})

# All layers share one set of headers, all tests another. The macros that `target` links must equal those of `links`.
function(feedrate_precompile target name links)
  if(NOT FEEDRATE_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET ${name})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${name}.cpp CONTENT "")
    add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
    target_compile_features(${name} PRIVATE cxx_std_20)
    target_link_libraries(${name} PRIVATE ${links})
    target_precompile_headers(${name} PRIVATE
      <algorithm> <chrono> <filesystem> <fstream> <functional> <map> <memory> <optional> <span> <sstream> <stop_token>
      <string> <thread> <vector> ${ARGN})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()

# feedrate_layer(NAME <folder> SOURCES <files> HEADERS <files> USES <lower layers> [LINKS <targets>])
#
# One static library per top-level folder. USES is the layering rule: a folder may include from the
# folders named here and from no other, which scripts/check_layers enforces. LINKS names third-party
# targets; they stay private, because no header of ours shows a third-party type.
#
# Each header compiles alone: the source of the same name includes it first (scripts/check_layers); headers
# without a source are compiled by the test headers_compile_alone.
function(feedrate_layer)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;HEADERS;USES;LINKS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "feedrate_layer(${ARG_NAME}): unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  add_library(feedrate_${ARG_NAME} STATIC ${ARG_SOURCES})
  add_library(feedrate::${ARG_NAME} ALIAS feedrate_${ARG_NAME})
  set(headers_with_source ${ARG_SOURCES})
  list(TRANSFORM headers_with_source REPLACE "\\.cpp$" ".h")
  set(headers_alone ${ARG_HEADERS})
  list(REMOVE_ITEM headers_alone ${headers_with_source})
  list(REMOVE_ITEM ARG_HEADERS ${headers_alone})
  target_sources(feedrate_${ARG_NAME} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ARG_HEADERS}
    FILE_SET alone TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers_alone})
  target_compile_features(feedrate_${ARG_NAME} PUBLIC cxx_std_20)
  set_target_properties(feedrate_${ARG_NAME} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON INTERFACE_HEADER_SETS_TO_VERIFY alone)
  list(TRANSFORM ARG_USES PREPEND feedrate::)
  target_link_libraries(feedrate_${ARG_NAME}
    PUBLIC ${ARG_USES} Threads::Threads
    PRIVATE ${ARG_LINKS} feedrate_flags)
  feedrate_precompile(feedrate_${ARG_NAME} feedrate_layer_headers "Threads::Threads;fmt::fmt;feedrate_flags" <fmt/format.h>)
endfunction()

# feedrate_test(NAME <folder> SOURCES <files> USES <layers> [LINKS <targets>] [SERIAL])
#
# One GoogleTest program per folder, mirroring the sources; every test suite is a ctest test, NAME.Suite.
# SERIAL: no other test runs at the same time, because these measure in real time.
function(feedrate_test)
  cmake_parse_arguments(ARG "SERIAL" "NAME" "SOURCES;USES;LINKS" ${ARGN})
  add_executable(${ARG_NAME}_test ${ARG_SOURCES})
  list(TRANSFORM ARG_USES PREPEND feedrate::)
  target_include_directories(${ARG_NAME}_test PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_features(${ARG_NAME}_test PRIVATE cxx_std_20)
  target_link_libraries(${ARG_NAME}_test PRIVATE ${ARG_USES} ${ARG_LINKS} GTest::gmock GTest::gtest_main
                                                 feedrate_flags feedrate_test_flags)
  target_compile_definitions(${ARG_NAME}_test PRIVATE
    FEEDRATE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" FEEDRATE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  feedrate_precompile(${ARG_NAME}_test feedrate_test_headers
                      "GTest::gmock;Threads::Threads;feedrate_flags;feedrate_test_flags" <gmock/gmock.h> <gtest/gtest.h>)
  # One ctest test per suite, because a process per case would take longer than most of the thousands of cases.
  configure_file(${PROJECT_SOURCE_DIR}/cmake/suites.cmake.in suites_of_${ARG_NAME}.cmake.in @ONLY)
  file(GENERATE OUTPUT suites_of_${ARG_NAME}.cmake INPUT ${CMAKE_CURRENT_BINARY_DIR}/suites_of_${ARG_NAME}.cmake.in)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/suites_of_${ARG_NAME}.cmake)
endfunction()
