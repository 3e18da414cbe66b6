// SPDX-License-Identifier: Apache-2.0
// Changes values inside JSON documents: half of all mutations. Of libFuzzer's own, on bytes, few leave a
// document that is accepted, and those mostly changed a digit.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed);

namespace {

using Json = nlohmann::ordered_json;
using Random = std::minstd_rand;

constexpr std::string_view between_documents = "\n---\n";  // as in report_input

std::size_t below(std::size_t count, Random& random) {
  return random() % count;
}

/// All values of a document, containers before what is in them.
std::vector<Json*> values(Json& document) {
  std::vector<Json*> all{&document};
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i]->is_structured())
      for (Json& each : *all[i]) all.push_back(&each);
  return all;
}

Json one_of(const std::vector<Json>& some, Random& random) {
  return some[below(some.size(), random)];
}

void change_number(Json& number, Random& random) {
  static const std::vector<Json> extremes{
      0,     1,      -1,    2,    0.5,   32,         1024,       -0.0,
      1e-9,  1e9,    1e-18, 1e18, 1e300, 2147483647, 2147483648, 9007199254740993,
      1e308, 1e-308, 5e-324};
  static constexpr double factors[] = {-1, 0.5, 0.999, 1.001, 2, 10, 0.1, 1e3, 1e-3, 1e6, 1e-6, 1e30, 1e-30};
  if (below(2, random)) {
    number = one_of(extremes, random);
    return;
  }
  const double scaled = number.get<double>() * factors[below(std::size(factors), random)];
  if (number.is_number_integer() && std::abs(scaled) < 1e15)
    number = std::int64_t(scaled);
  else
    number = scaled;
}

void change_text(Json& text, Random& random) {
  static const std::vector<Json> others{"",    "\x1b[2J", "<b onclick=x>", "u32",
                                        "u64", "u32:u64", "pair",          "a\nb"};
  text = one_of(others, random);
}

/// Repeats an element or removes an element or a member.
void change_size(Json& container, Random& random) {
  if (container.empty()) return;
  auto place = container.begin();
  std::advance(place, below(container.size(), random));
  if (container.is_array() && below(2, random))
    container.push_back(Json(*place));
  else
    container.erase(place);
}

/// Mostly into a value of the same type: others are refused at once.
void change(Json& document, Random& random) {
  static const std::vector<Json> others{nullptr, true, false, 0, "", Json::array(), Json::object()};
  const std::vector<Json*> all = values(document);
  Json& one = *all[below(all.size(), random)];
  const std::size_t choice = below(16, random);
  if (choice == 0)
    one = one_of(others, random);
  else if (choice == 1)
    one = Json(*all[below(all.size(), random)]);
  else if (one.is_number())
    change_number(one, random);
  else if (one.is_string())
    change_text(one, random);
  else if (one.is_boolean())
    one = !one.get<bool>();
  else if (one.is_structured())
    change_size(one, random);
}

/// The document with one value changed, or two; empty if it is none, or deep enough to be a danger to this
/// program.
std::string changed(std::string_view text, Random& random) {
  if (std::ranges::count_if(text, [](char c) { return c == '[' || c == '{'; }) > 1000) return {};
  Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return {};
  for (std::size_t changes = 1 + below(2, random); changes > 0; --changes) change(document, random);
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  if (below(2, random) == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t middle = text.find(between_documents);
  std::string result;
  if (middle == text.npos) {
    result = changed(text, random);
  } else if (below(2, random)) {
    if (const std::string first = changed(text.substr(0, middle), random); !first.empty())
      result = first + text.substr(middle);
  } else if (const std::string second = changed(text.substr(middle + between_documents.size()), random);
             !second.empty()) {
    result = text.substr(0, middle).append(between_documents) + second;
  }
  if (result.empty() || result.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, result.data(), result.size());
  return result.size();
}
