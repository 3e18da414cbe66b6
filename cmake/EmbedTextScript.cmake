# Run by embed_text's build rule: see EmbedText.cmake.
cmake_minimum_required(VERSION 3.25)
set(entries "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  file(RELATIVE_PATH path ${ROOT} ${file})
  string(APPEND entries "    {\"${PREFIX}${path}\", R\"embedded(${text})embedded\"sv},\n")
endforeach()
set(space_begin "")
set(space_end "")
if(NAME MATCHES "(.+)::(.+)")
  set(space_begin "namespace ${CMAKE_MATCH_1} {\n")
  set(space_end "}  // namespace ${CMAKE_MATCH_1}\n")
  set(NAME ${CMAKE_MATCH_2})
endif()
file(WRITE ${OUTPUT} "#include <fathom/device/executor.h>\n
${space_begin}std::span<const fathom::HeaderText> ${NAME}();
std::span<const fathom::HeaderText> ${NAME}() {
  using namespace std::literals;  // whose lengths the compiler knows without counting: it limits constant expressions
  static constexpr fathom::HeaderText texts[] = {
${entries}  };
  return texts;
}
${space_end}")
