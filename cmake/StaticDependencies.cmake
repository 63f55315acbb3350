# SPDX-License-Identifier: Apache-2.0
# The same targets as Dependencies.cmake's, from static libraries, for the portable program: it needs
# libc and the kernel, and nothing that a GPU node's administrator would have to install.
#
# Each library by the name of its archive: FindHDF5 with HDF5_USE_STATIC_LIBRARIES also takes libm and
# libpthread as archives and forgets libaec, and a .pc file's --static line names what our objects
# never pull in (HDF5's S3 driver: curl, OpenSSL).

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

# Debian has no libfmt.a, but all of it is in the headers, too.
feedrate_static_library(fmt::fmt HEADER fmt/format.h)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
