# embed_text(OUTPUT NAME FILES...): a build rule that writes OUTPUT, a C++ file which defines
#   std::span<const fathom::HeaderText> fathom::NAME()
# with every file's text, named "fathom/<path>" relative to the project.
function(embed_text output name)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAME=${name} -DROOT=${PROJECT_SOURCE_DIR} "-DFILES=${ARGN}"
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedTextScript.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/EmbedTextScript.cmake
    VERBATIM)
endfunction()
