// SPDX-License-Identifier: Apache-2.0
#include <fathom/store/foreign/format.h>
#include <fathom/store/measurements_in.h>

#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <string_view>

namespace fathom {
namespace {

using Json = nlohmann::json;

constexpr const char* kinds[] = {"profile", "dataset"};

std::string kind_of(std::string_view schema) {
  for (const std::string kind : kinds)
    if (schema == "fathom." + kind) return kind;
  return "";
}

/// The value of the document's own member "schema"; what has been read of it if the document is damaged.
struct Found {
  std::string schema;
  bool is_damaged;
};
Found find_schema(std::istream& file) {
  Found found{};
  bool is_next = false;
  // Everything but the document itself is discarded as soon as it is read.
  const auto look = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth == 1 && event == Json::parse_event_t::key)
      is_next = parsed == "schema";
    else if (depth == 1 && event == Json::parse_event_t::value && is_next && parsed.is_string())
      found.schema = parsed.get<std::string>();
    return depth == 0;
  };
  found.is_damaged = Json::parse(file, look, false).is_discarded();
  return found;
}

}  // namespace

std::string measurements_in(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file)) return "";
  std::ifstream stream(file, std::ios::binary);
  return measurements_in(stream);
}

std::string measurements_in(std::istream& document) {
  const Found found = find_schema(document);
  if (!found.schema.empty()) return kind_of(found.schema);
  document.clear();
  document.seekg(0);
  if ((document >> std::ws).peek() != '{') return "";
  const std::string text{std::istreambuf_iterator<char>(document), {}};
  if (foreign_format_of(text)) return "dataset";
  if (!found.is_damaged) return "";
  // Of a document that breaks off before its schema: whatever of it names one.
  for (const std::string kind : kinds)
    if (text.find("\"fathom." + kind + '"') != text.npos) return kind;
  return "";
}

}  // namespace fathom
