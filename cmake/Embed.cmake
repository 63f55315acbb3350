# SPDX-License-Identifier: Apache-2.0
# feedrate_embed(OUTPUT <file.cpp> FOLDER <folder> FILES <files in it> TYPE <type> FUNCTION <function> HEADER <header>)
#
# Embeds text files in the program: generates a source that defines FUNCTION, which HEADER declares as
# std::span<const TYPE> FUNCTION(). TYPE is {std::string_view path, std::string_view text}. A file that is
# too long for one literal becomes consecutive elements with the same path.
function(feedrate_embed)
  cmake_parse_arguments(ARG "" "OUTPUT;FOLDER;TYPE;FUNCTION;HEADER" "FILES" ${ARGN})
  list(JOIN ARG_FILES "," file_list)
  list(TRANSFORM ARG_FILES PREPEND ${ARG_FOLDER}/ OUTPUT_VARIABLE paths)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake)
  add_custom_command(
    OUTPUT ${ARG_OUTPUT}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${ARG_FOLDER} -DFILES=${file_list} -DTYPE=${ARG_TYPE} -DFUNCTION=${ARG_FUNCTION}
            -DHEADER=${ARG_HEADER} -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${ARG_OUTPUT} -P ${script}
    DEPENDS ${paths} ${script}
    VERBATIM)
  set_source_files_properties(${ARG_OUTPUT} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # The generated files define the same names.
endfunction()
