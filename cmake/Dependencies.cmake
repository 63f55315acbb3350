# Everything comes from the system's packages. An imported target each, so that a layer names
# exactly what it may use.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(Boost 1.74 REQUIRED)  # Boost.Math, headers only
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(LibArchive REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)

find_package(PkgConfig REQUIRED)
pkg_check_modules(LMDB REQUIRED IMPORTED_TARGET lmdb)

find_package(CLI11 QUIET)
if(NOT CLI11_FOUND)  # Debian 12 ships the headers without a CMake package.
  find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)
  add_library(CLI11::CLI11 INTERFACE IMPORTED)
  target_include_directories(CLI11::CLI11 SYSTEM INTERFACE ${CLI11_INCLUDE_DIR})
endif()

if(TARGET yaml-cpp::yaml-cpp)
  add_library(feedrate_yaml ALIAS yaml-cpp::yaml-cpp)
else()
  add_library(feedrate_yaml INTERFACE)
  target_link_libraries(feedrate_yaml INTERFACE yaml-cpp)
endif()

if(FEEDRATE_TESTS)
  find_package(GTest REQUIRED)
endif()
find_package(benchmark REQUIRED)
