# embed_text(OUTPUT NAME ROOT PREFIX FILES...): a build rule that writes OUTPUT, a C++ file which defines
#   std::span<const fathom::HeaderText> NAME()
# with every file's text, named PREFIX and the path relative to ROOT. NAME may begin with a namespace.
set(fathom_embed_text_script ${CMAKE_CURRENT_LIST_DIR}/EmbedTextScript.cmake)
function(embed_text output name root prefix)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAME=${name} -DROOT=${root} -DPREFIX=${prefix} "-DFILES=${ARGN}"
            -P ${fathom_embed_text_script}
    DEPENDS ${ARGN} ${fathom_embed_text_script}
    VERBATIM)
endfunction()

# fathom_embed_headers(TARGET NAME HEADERS...): compiles the text of kernel headers into TARGET, which has a function
#   std::span<const fathom::HeaderText> NAME();
# with it: the argument of fathom::make_launch. A header is included, and named in Kernel::header, by its path relative
# to the current source folder.
function(fathom_embed_headers target name)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE headers)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  embed_text(${output} ${name} ${CMAKE_CURRENT_SOURCE_DIR} "" ${headers})
  target_sources(${target} PRIVATE ${output})
endfunction()
