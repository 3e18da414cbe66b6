# SPDX-License-Identifier: Apache-2.0
# Run by the build rules of embed_text (EmbedText.cmake): writes names and texts of files in turn, and a null pointer. The
# file includes nothing, so that it compiles at once.
cmake_minimum_required(VERSION 3.25)
set(entries "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  file(RELATIVE_PATH path ${ROOT} ${file})
  string(APPEND entries "    \"${PREFIX}${path}\", R\"embedded(${text})embedded\",\n")
endforeach()
file(WRITE ${OUTPUT} "extern const char* const ${ARRAY}[];
const char* const ${ARRAY}[] = {
${entries}    nullptr};
")
