// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/laws/law.h>

#include <charconv>
#include <stdexcept>

namespace fathom {

extern const LawDefinition published_law, counted_law, fitted_law;

const LawDefinition& definition(LawName law) {
  static const std::array<const LawDefinition*, all_laws.size()> table{&published_law, &counted_law,
                                                                       &fitted_law};
  return *table.at(std::size_t(law));
}

std::string_view name(LawName law) {
  return definition(law).name;
}

LawName parse_law(std::string_view text) {
  for (const LawName law : all_laws)
    if (text == name(law)) return law;
  throw std::invalid_argument("unknown law '" + std::string(text) + "': choose counted, fitted or published");
}

Ceiling parse_ceiling(std::string_view text) {
  if (text == "as-printed") return Ceiling::as_printed;
  if (text == "always") return Ceiling::always;
  if (text == "never") return Ceiling::never;
  throw std::invalid_argument("`ceiling` '" + std::string(text) + "': choose as-printed, always or never");
}

Composition parse_composition(std::string_view text) {
  if (text == "sum") return Composition::sum();
  if (text == "max") return Composition::max();
  double q = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), q);
  if (error != std::errc{} || end != text.data() + text.size() || !(1 <= q && q <= 64))
    throw std::invalid_argument("`compose` '" + std::string(text) +
                                "': choose sum, max, or an exponent from 1 to 64");
  return {q};
}

}  // namespace fathom
