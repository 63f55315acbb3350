# SPDX-License-Identifier: Apache-2.0
# Installs the program, and makes the bundle with cpack: one folder that runs wherever it is unpacked.
include(OldGlibc)
if(FEEDRATE_STATIC)
  # libgcc stays shared: every machine with C++ programs has it, and the static one needs a newer libc.
  # Unused sections are removed.
  foreach(program feedrate device_test)
    if(TARGET ${program})
      target_link_options(${program} PRIVATE -static-libstdc++ LINKER:--gc-sections)
      feedrate_link_old_glibc(${program})
    endif()
  endforeach()
endif()

install(TARGETS feedrate RUNTIME DESTINATION bin COMPONENT program)
if(SKBUILD)  # A wheel installs it as a script.
  install(TARGETS feedrate RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel)
endif()
install(DIRECTORY configs DESTINATION . COMPONENT program)
install(DIRECTORY scripts/slurm DESTINATION . COMPONENT program)
install(FILES README.md DESTINATION . COMPONENT program)
install(PROGRAMS scripts/gpu_check studies/agreement studies/real_training DESTINATION . COMPONENT program)
if(TARGET device_test)  # The device contract for gpu_check.
  install(TARGETS device_test RUNTIME DESTINATION bin COMPONENT program)
endif()

string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" platform)
if(FEEDRATE_HAVE_CUDA)
  string(APPEND platform "-cuda${CUDAToolkit_VERSION_MAJOR}")
endif()
set(CPACK_PACKAGE_FILE_NAME "feedrate-${PROJECT_VERSION}-${platform}")
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
include(CPack)
