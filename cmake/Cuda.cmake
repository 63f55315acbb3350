# SPDX-License-Identifier: Apache-2.0
# Sets FEEDRATE_HAVE_CUDA: whether the CUDA device is built. Only device/cuda/ depends on it.
#
# cudart is linked statically, and nothing else of the toolkit is linked, so the program also starts
# on a machine that has neither toolkit nor driver.
if(NOT FEEDRATE_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "FEEDRATE_CUDA=${FEEDRATE_CUDA}: must be AUTO, ON or OFF.")
endif()
set(FEEDRATE_HAVE_CUDA OFF)
if(NOT FEEDRATE_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  find_package(CUDAToolkit QUIET)
  if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND)
    # Must be set before the language is enabled. CUDA 13 dropped Volta (70); 12.8 added Blackwell. Each
    # known GPU gets its own code, because PTX of a newer compiler needs a newer driver.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13)
        set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120-real 90-virtual)
      elseif(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.8)
        set(CMAKE_CUDA_ARCHITECTURES 70-real 75-real 80-real 86-real 89-real 90-real 100-real 120-real 90-virtual)
      else()
        set(CMAKE_CUDA_ARCHITECTURES 70-real 75-real 80-real 86-real 89-real 90-real 90-virtual)
      endif()
    endif()
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    enable_language(CUDA)
    set(FEEDRATE_HAVE_CUDA ON)
  elseif(FEEDRATE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "FEEDRATE_CUDA=ON, but nvcc or the CUDA toolkit was not found. Put nvcc on "
                        "PATH (or set CUDACXX), or configure with -DFEEDRATE_CUDA=OFF.")
  endif()
endif()
message(STATUS "CUDA device: ${FEEDRATE_HAVE_CUDA} ${CUDAToolkit_VERSION}")
