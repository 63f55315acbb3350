# SPDX-License-Identifier: Apache-2.0
# Lets a program start with an older glibc than this machine's: it is compiled with this machine's headers, and linked with
# scripts/old_glibc's folder and with old_glibc.c, which defines what that glibc lacks. A function newer than both is undefined.
set(FEEDRATE_GLIBC "" CACHE STRING "The oldest glibc that the program starts with, such as 2.28; this machine's if empty.")

if(FEEDRATE_GLIBC)
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/old_glibc ${FEEDRATE_GLIBC} ${CMAKE_SYSTEM_PROCESSOR}
                  OUTPUT_VARIABLE old_glibc OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  add_library(feedrate_old_glibc OBJECT ${PROJECT_SOURCE_DIR}/cmake/old_glibc.c)
  target_compile_options(feedrate_old_glibc PRIVATE -fvisibility=hidden)
endif()

function(feedrate_link_old_glibc program)
  if(FEEDRATE_GLIBC)
    # libgcc_s.so is this machine's and may need more of libc than the folder has; the target machine has its own.
    target_link_options(${program} PRIVATE -B${old_glibc} LINKER:--unresolved-symbols=ignore-in-shared-libs)
    # Threads, dlopen() and shm_open() were in separate libraries until 2.34. Without CUDA, whose runtime names them again, they precede
    # the objects that need them, and the compiler's --as-needed would drop them.
    target_link_options(${program} PRIVATE LINKER:--no-as-needed)
    target_link_libraries(${program} PRIVATE feedrate_old_glibc pthread dl rt)
  endif()
endfunction()
