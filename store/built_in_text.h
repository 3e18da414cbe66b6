// SPDX-License-Identifier: Apache-2.0
// Files that are compiled into the library, as text, in sources that store/CMakeLists.txt generates.
#pragma once

#include <span>
#include <string_view>

namespace fathom {

struct BuiltInText {
  std::string_view name;  ///< the file's name without .json
  std::string_view text;
};
std::span<const BuiltInText> built_in_profile_texts();  ///< of profiles/
std::span<const BuiltInText> built_in_work_tables();    ///< of data/work/

}  // namespace fathom
