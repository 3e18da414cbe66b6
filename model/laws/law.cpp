// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/number.h>
#include <fathom/model/laws/law.h>

#include <charconv>
#include <cmath>
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

std::string_view name(Ceiling ceiling) {
  static constexpr std::array names{"as-printed", "always", "never"};
  return names.at(std::size_t(ceiling));
}

Ceiling parse_ceiling(std::string_view text) {
  for (const Ceiling one : {Ceiling::as_printed, Ceiling::always, Ceiling::never})
    if (text == name(one)) return one;
  throw std::invalid_argument("`ceiling` '" + std::string(text) + "': choose as-printed, always or never");
}

std::string text_of(const Composition& composition) {
  if (composition.q == 1) return "sum";
  if (std::isinf(composition.q)) return "max";
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), composition.q).ptr};
}

Composition parse_composition(std::string_view text) {
  if (text == "sum") return Composition::sum();
  if (text == "max") return Composition::max();
  const std::optional<double> q = number_in<double>(text);
  if (!q || !(1 <= *q && *q <= 64))
    throw std::invalid_argument("`compose` '" + std::string(text) +
                                "': choose sum, max, or an exponent from 1 to 64");
  return {*q};
}

}  // namespace fathom
