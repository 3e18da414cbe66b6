# Run by embed_text's build rule: see EmbedText.cmake.
cmake_minimum_required(VERSION 3.25)
set(entries "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  file(RELATIVE_PATH path ${ROOT} ${file})
  string(APPEND entries "    {\"fathom/${path}\", R\"embedded(${text})embedded\"sv},\n")
endforeach()
file(WRITE ${OUTPUT} "#include <fathom/device/executor.h>\n
namespace fathom {
std::span<const HeaderText> ${NAME}();
std::span<const HeaderText> ${NAME}() {
  using namespace std::literals;  // whose lengths the compiler knows without counting: it limits constant expressions
  static constexpr HeaderText texts[] = {
${entries}  };
  return texts;
}
}  // namespace fathom\n")
