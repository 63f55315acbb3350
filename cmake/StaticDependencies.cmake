# SPDX-License-Identifier: Apache-2.0
# Defines the targets of Dependencies.cmake from static libraries, for the portable program, which needs only
# libc and the kernel, and nothing that a GPU node's administrator would have to install.
#
# Libraries are found by the names of their archives: FindHDF5 with HDF5_USE_STATIC_LIBRARIES also takes
# libm and libpthread as archives and forgets libaec, and the --static line of a .pc file names libraries that
# our objects never use (HDF5's S3 driver: curl, OpenSSL).

# feedrate_static_library(<target> HEADER <header> ARCHIVES <name>... [SUFFIXES <include folder>...])
function(feedrate_static_library target)
  cmake_parse_arguments(ARG "" "HEADER" "ARCHIVES;SUFFIXES" ${ARGN})
  string(MAKE_C_IDENTIFIER "static_${target}" prefix)
  find_path(${prefix}_INCLUDE ${ARG_HEADER} PATH_SUFFIXES ${ARG_SUFFIXES} REQUIRED)
  set(archives)
  foreach(name ${ARG_ARCHIVES})
    find_library(${prefix}_${name} NAMES lib${name}.a REQUIRED)
    list(APPEND archives ${${prefix}_${name}})
  endforeach()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${prefix}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${archives} ${CMAKE_DL_LIBS})
endfunction()

feedrate_static_library(feedrate_yaml HEADER yaml-cpp/yaml.h ARCHIVES yaml-cpp)
feedrate_static_library(EXPAT::EXPAT HEADER expat.h ARCHIVES expat)
feedrate_static_library(JPEG::JPEG HEADER jpeglib.h ARCHIVES jpeg)
feedrate_static_library(PNG::PNG HEADER png.h ARCHIVES png16 z)
feedrate_static_library(hdf5::hdf5 HEADER hdf5.h ARCHIVES hdf5_serial sz aec z SUFFIXES hdf5/serial)
feedrate_static_library(ZLIB::ZLIB HEADER zlib.h ARCHIVES z)
feedrate_static_library(PkgConfig::LMDB HEADER lmdb.h ARCHIVES lmdb)
feedrate_static_library(PkgConfig::DEFLATE HEADER libdeflate.h ARCHIVES deflate)
feedrate_static_library(PkgConfig::ZSTD HEADER zstd.h ARCHIVES zstd)
feedrate_static_library(PkgConfig::SODIUM HEADER sodium.h ARCHIVES sodium)
feedrate_static_library(PkgConfig::BLOSC HEADER blosc.h ARCHIVES blosc lz4 snappy zstd z)

# Debian has no libfmt.a, but the headers contain all of it.
feedrate_static_library(fmt::fmt HEADER fmt/format.h)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)

# Debian has no libbenchmark.a either, so it is built from the distribution's sources.
set(FEEDRATE_BENCHMARK_SOURCE ${PROJECT_SOURCE_DIR}/build/benchmark CACHE PATH "Sources of Google Benchmark, as scripts/benchmark_source unpacks them")
if(NOT EXISTS ${FEEDRATE_BENCHMARK_SOURCE}/CMakeLists.txt)
  message(FATAL_ERROR "${FEEDRATE_BENCHMARK_SOURCE}: has no sources of Google Benchmark; scripts/benchmark_source unpacks them there")
endif()
file(GLOB benchmark_sources ${FEEDRATE_BENCHMARK_SOURCE}/src/*.cc)
list(FILTER benchmark_sources EXCLUDE REGEX "benchmark_main\\.cc$")
add_library(feedrate_benchmark STATIC ${benchmark_sources})
target_include_directories(feedrate_benchmark SYSTEM PUBLIC ${FEEDRATE_BENCHMARK_SOURCE}/include)
target_compile_definitions(feedrate_benchmark PUBLIC BENCHMARK_STATIC_DEFINE PRIVATE HAVE_STD_REGEX HAVE_STEADY_CLOCK)
target_compile_options(feedrate_benchmark PRIVATE -w)
set_target_properties(feedrate_benchmark PROPERTIES UNITY_BUILD OFF)
add_library(benchmark::benchmark ALIAS feedrate_benchmark)
