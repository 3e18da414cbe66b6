// The files of profiles/ as text, in a source that store/CMakeLists.txt generates.
#pragma once

#include <span>
#include <string_view>

namespace fathom {

struct BuiltInText {
  std::string_view name;  ///< the file's name without .json
  std::string_view text;
};
std::span<const BuiltInText> built_in_texts();

}  // namespace fathom
