# SPDX-License-Identifier: Apache-2.0
# Sets FEEDRATE_HAVE_MPI: whether ranks can use MPI, which several nodes require. Only bench/ranks/ depends on it.
#
# A program built with it needs MPI's library to start, so the portable one is built without.
if(NOT FEEDRATE_MPI MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "FEEDRATE_MPI=${FEEDRATE_MPI}: must be AUTO, ON or OFF.")
endif()
set(FEEDRATE_HAVE_MPI OFF)
if(FEEDRATE_MPI STREQUAL "ON" OR (FEEDRATE_MPI STREQUAL "AUTO" AND NOT FEEDRATE_STATIC))
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(FEEDRATE_HAVE_MPI ON)
  elseif(FEEDRATE_MPI STREQUAL "ON")
    message(FATAL_ERROR "FEEDRATE_MPI=ON, but no MPI was found. Install it (Debian: libopenmpi-dev), load its module, "
                        "or configure with -DFEEDRATE_MPI=OFF.")
  endif()
endif()
message(STATUS "MPI: ${FEEDRATE_HAVE_MPI} ${MPI_C_VERSION}")
