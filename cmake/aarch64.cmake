# SPDX-License-Identifier: Apache-2.0
# Toolchain file of the preset aarch64: Debian's cross compiler, with the libraries in the folder of scripts/aarch64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-root)
cmake_path(NORMAL_PATH CMAKE_SYSROOT)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# ctest runs the programs with it.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${CMAKE_SYSROOT})

# nvcc works with any host compiler; scripts/aarch64 puts CUDA's libraries for aarch64 into the folder if it finds nvcc.
set(cuda ${CMAKE_SYSROOT}/usr/local/cuda)
if(EXISTS ${cuda})
  set(CMAKE_CUDA_COMPILER ${cuda}/bin/nvcc)
  set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
endif()
