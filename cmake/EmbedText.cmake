# SPDX-License-Identifier: Apache-2.0
# embed_text(SOURCES NAME ROOT PREFIX FILES...): stores in the variable SOURCES a list of C++ files, made at build time,
# which define
#   std::span<const fathom::HeaderText> NAME()
# with every file's text, named PREFIX and the path relative to ROOT. NAME may begin with a namespace. There is one source
# per folder of FILES, so that editing a file compiles little, and one that joins them.
set(fathom_embed_text_folder ${CMAKE_CURRENT_LIST_DIR})
function(embed_text sources name root prefix)
  string(REGEX REPLACE ".*::" "" plain_name ${name})
  set(output_folder ${CMAKE_CURRENT_BINARY_DIR}/${plain_name})
  set(folders)
  foreach(file IN LISTS ARGN)
    get_filename_component(folder ${file} DIRECTORY)
    list(APPEND folders ${folder})
    list(APPEND files_of_${folder} ${file})
  endforeach()
  list(REMOVE_DUPLICATES folders)

  set(outputs ${output_folder}/all.cpp)
  set(declarations "")
  set(arrays "")
  foreach(folder IN LISTS folders)
    file(RELATIVE_PATH path ${root} ${folder})
    string(MAKE_C_IDENTIFIER "texts_${plain_name}_${path}" array)
    set(output ${output_folder}/${array}.cpp)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DARRAY=${array} -DROOT=${root} -DPREFIX=${prefix}
              "-DFILES=${files_of_${folder}}" -P ${fathom_embed_text_folder}/EmbedTextScript.cmake
      DEPENDS ${files_of_${folder}} ${fathom_embed_text_folder}/EmbedTextScript.cmake
      VERBATIM)
    list(APPEND outputs ${output})
    string(APPEND declarations "extern const char* const ${array}[];\n")
    list(APPEND arrays ${array})
  endforeach()
  list(JOIN arrays ", " arrays)
  set(namespace_begin "")
  set(namespace_end "")
  if(name MATCHES "(.+)::")
    set(namespace_begin "namespace ${CMAKE_MATCH_1} {")
    set(namespace_end "}")
  endif()
  # Alone, so that nothing else is compiled when a text changes.
  set_source_files_properties(${outputs} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  configure_file(${fathom_embed_text_folder}/EmbeddedTexts.cpp.in ${output_folder}/all.cpp @ONLY)
  set(${sources} ${outputs} PARENT_SCOPE)
endfunction()

# fathom_embed_headers(TARGET NAME HEADERS...): compiles the text of kernel headers into TARGET, which has a function
#   std::span<const fathom::HeaderText> NAME();
# with it: the argument of fathom::make_launch. A header is included, and named in Kernel::header, by its path relative
# to the current source folder.
function(fathom_embed_headers target name)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE headers)
  embed_text(sources ${name} ${CMAKE_CURRENT_SOURCE_DIR} "" ${headers})
  target_sources(${target} PRIVATE ${sources})
endfunction()
