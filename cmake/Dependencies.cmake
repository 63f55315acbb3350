# SPDX-License-Identifier: Apache-2.0
# All dependencies are packages of the system, each an imported target, so that a layer names exactly
# what it may use.
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(Boost 1.74 REQUIRED)  # Boost.Math, headers only.
find_package(Eigen3 REQUIRED NO_MODULE)  # Headers only.
if(FEEDRATE_STATIC)
  include(StaticDependencies)
else()
  find_package(fmt REQUIRED)
  find_package(benchmark REQUIRED)
  find_package(yaml-cpp REQUIRED)
  find_package(EXPAT REQUIRED)
  find_package(JPEG REQUIRED)
  find_package(PNG REQUIRED)
  find_package(ZLIB REQUIRED)
  find_package(HDF5 REQUIRED COMPONENTS C)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(LMDB REQUIRED IMPORTED_TARGET lmdb)
  pkg_check_modules(DEFLATE REQUIRED IMPORTED_TARGET libdeflate)
  pkg_check_modules(BLOSC REQUIRED IMPORTED_TARGET blosc)
  pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
  pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)
  if(TARGET yaml-cpp::yaml-cpp)
    add_library(feedrate_yaml ALIAS yaml-cpp::yaml-cpp)
  else()
    add_library(feedrate_yaml INTERFACE)
    target_link_libraries(feedrate_yaml INTERFACE yaml-cpp)
  endif()
endif()

# libcurl itself is opened at run time.
find_path(CURL_HEADERS curl/curl.h REQUIRED)
add_library(feedrate_curl_headers INTERFACE)
target_include_directories(feedrate_curl_headers SYSTEM INTERFACE ${CURL_HEADERS})

find_package(CLI11 QUIET)
if(NOT CLI11_FOUND)  # Debian 12 ships the headers without a CMake package.
  find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)
  add_library(CLI11::CLI11 INTERFACE IMPORTED)
  target_include_directories(CLI11::CLI11 SYSTEM INTERFACE ${CLI11_INCLUDE_DIR})
endif()

# `feedrate report` draws its charts with D3. Only versions that were tested are accepted: Debian's libjs-d3
# is version 3.
find_file(FEEDRATE_D3 d3.min.js PATHS /usr/share/nodejs/d3/dist NO_DEFAULT_PATH
          DOC "D3, version 5 to 7, as one minified file: d3.min.js.")
if(NOT FEEDRATE_D3)
  message(FATAL_ERROR "d3.min.js was not found: install Debian's package node-d3 (scripts/bootstrap does), or say "
                      "where D3 lies: -DFEEDRATE_D3=/path/to/d3.min.js, as from https://d3js.org/d3.v7.min.js")
endif()
file(READ ${FEEDRATE_D3} d3_head LIMIT 200)
if(NOT d3_head MATCHES "d3js.org v[567]\\.")
  message(FATAL_ERROR "${FEEDRATE_D3}: is not D3 of version 5 to 7, by its first line; Debian's package node-d3 is")
endif()

if(FEEDRATE_TESTS)
  find_package(GTest REQUIRED)
endif()
