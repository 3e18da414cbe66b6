// SPDX-License-Identifier: Apache-2.0
#include <fathom/store/built_in_text.h>
#include <fathom/store/profile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace fathom {
namespace {

/// Parsed once: the raw samples take longer than a prediction.
const DeviceProfile& parsed(const BuiltInText& text) {
  static std::mutex mutex;
  static std::map<std::string_view, DeviceProfile> known;
  const std::lock_guard guard(mutex);
  const auto found = known.find(text.name);
  if (found != known.end()) return found->second;
  const std::string where = fmt::format("built-in profile {}", text.name);
  return known.emplace(text.name, parse_profile(std::string(text.text), where)).first->second;
}

}  // namespace

std::vector<std::string> built_in_profiles() {
  std::vector<std::string> names;
  for (const BuiltInText& profile : built_in_profile_texts()) names.emplace_back(profile.name);
  return names;
}

DeviceProfile built_in_profile(const std::string& name) {
  const auto texts = built_in_profile_texts();
  const auto found =
      std::find_if(texts.begin(), texts.end(), [&](const auto& text) { return text.name == name; });
  if (found != texts.end()) return parsed(*found);
  std::vector<std::string> measured, others;
  for (const BuiltInText& text : texts)
    (parsed(text).origin == "measured" ? measured : others).emplace_back(text.name);
  // No nearest name: for a new GPU that would be one of another generation.
  throw std::invalid_argument(
      fmt::format("there is no profile '{}': calibrate its GPU: fathom calibrate `name={}`, or choose "
                  "one of {}; law published only: {}",
                  name, name, fmt::join(measured, ", "), fmt::join(others, ", ")));
}

}  // namespace fathom
