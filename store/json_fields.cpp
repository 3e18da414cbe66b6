#include <fathom/store/json_fields.h>
#include <fathom/store/profile.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fathom {

using Json = nlohmann::ordered_json;

namespace {

std::string outside(Range range) {
  return fmt::format("must be between {} and {}", range.lowest, range.highest);
}

}  // namespace

void Field::fail(std::string_view problem) const {
  if (path_.empty()) throw FormatError(fmt::format("{}: {}", *where_, problem));
  throw FormatError(fmt::format("{}: field '{}' {}", *where_, path_, problem));
}

void Field::fail_because(std::string_view reason) const {
  throw FormatError(fmt::format("{}: field '{}': {}", *where_, path_, reason));
}

Field Field::at(std::string_view key) const {
  if (!value_->is_object()) fail("must be an object");
  const auto found = value_->find(key);
  std::string path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  if (found == value_->end()) throw FormatError(fmt::format("{}: field '{}' is missing", *where_, path));
  return Field(*found, *where_, std::move(path));
}

std::optional<Field> Field::find(std::string_view key) const {
  if (!value_->is_object()) fail("must be an object");
  return value_->contains(key) ? std::optional(at(key)) : std::nullopt;
}

std::vector<Field> Field::elements() const {
  if (!value_->is_array()) fail("must be an array");
  std::vector<Field> fields;
  fields.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i)
    fields.push_back(Field((*value_)[i], *where_, fmt::format("{}[{}]", path_, i)));
  return fields;
}

std::vector<std::pair<std::string, Field>> Field::members() const {
  if (!value_->is_object()) fail("must be an object");
  std::vector<std::pair<std::string, Field>> fields;
  for (const auto& [key, value] : value_->items())
    fields.emplace_back(key, Field(value, *where_, fmt::format("{}.{}", path_, key)));
  return fields;
}

double Field::number() const {
  if (!value_->is_number()) fail("must be a number");
  return value_->get<double>();
}

std::optional<double> Field::optional_number() const {
  if (is_null()) return std::nullopt;
  if (!value_->is_number()) fail("must be a number or null");
  return value_->get<double>();
}

double Field::number(Range range) const {
  const double value = number();
  if (!range.holds(value)) fail(outside(range));
  return value;
}

int Field::integer(int lowest, int highest) const {
  const int value = integer();
  if (value < lowest || value > highest) fail(outside({double(lowest), double(highest)}));
  return value;
}

int Field::integer() const {
  if (!value_->is_number_integer()) fail("must be an integer");
  const auto value = value_->get<std::int64_t>();
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
    fail("is out of the range of an integer");
  return int(value);
}

double Field::count() const {
  constexpr double most = 0x1p53;  // up to there every whole number is exact as a double
  const double value = number();
  const bool whole = value == std::floor(value);
  const bool exact = !value_->is_number_unsigned() || value_->get<std::uint64_t>() <= std::uint64_t(most);
  if (!whole || !exact || value < 1 || value > most) fail("must be a whole number from 1 to 2^53");
  return value;
}

bool Field::boolean() const {
  if (!value_->is_boolean()) fail("must be true or false");
  return value_->get<bool>();
}

std::string Field::text() const {
  if (!value_->is_string()) fail("must be a string");
  return value_->get<std::string>();
}

std::string Field::text_or_empty() const {
  if (is_null()) return {};
  if (!value_->is_string()) fail("must be a string or null");
  return value_->get<std::string>();
}

std::vector<double> Field::numbers() const {
  if (!value_->is_array()) fail("must be an array of numbers");
  std::vector<double> numbers;
  numbers.reserve(value_->size());
  for (const auto& element : *value_) {
    if (!element.is_number()) fail(fmt::format("must hold numbers, but [{}] is not one", numbers.size()));
    numbers.push_back(element.get<double>());
  }
  return numbers;
}

std::vector<double> Field::numbers(Range range) const {
  std::vector<double> values = numbers();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!range.holds(values[i])) fail(fmt::format("holds {} at [{}], {}", values[i], i, outside(range)));
  return values;
}

/// Follows the parser through a document, checks its shape and hands over its records.
class DocumentReader {
 public:
  DocumentReader(const std::string& where, const Records* records) : where_(where), records_(records) {}

  /// nlohmann's parser callback: false drops the value. `depth` is 0 for the document, 1 for its members.
  bool operator()(int depth, Json::parse_event_t event, Json& value) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start) {
      if (depth >= deepest) fail(fmt::format("is nested deeper than {} levels", deepest));
      keys_.resize(std::size_t(depth));
      keys_.emplace_back();
    } else if (event == Event::array_start) {
      if (depth >= deepest) fail(fmt::format("is nested deeper than {} levels", deepest));
      if (depth == 1 && in_records()) streaming_ = records_->begin(Field(head_, where_));
    } else if (event == Event::key) {
      add_key(keys_[std::size_t(depth) - 1], value.get_ref<const std::string&>());
    } else if (depth == 1 && records_ && member() && !in_records()) {
      head_[*member()] = value;
    } else if (depth == 2 && streaming_ && in_records()) {
      records_->add(Field(value, where_, fmt::format("{}[{}]", records_->name, next_++)));
      return false;
    }
    return true;
  }

 private:
  static constexpr int deepest = 32;
  static constexpr std::size_t most_members = 1000;

  /// The document's member that is being read; nullptr if the document is no object.
  const std::string* member() const { return keys_.empty() || keys_[0].empty() ? nullptr : &keys_[0].back(); }
  bool in_records() const { return records_ && member() && *member() == records_->name; }

  void add_key(std::vector<std::string>& keys, const std::string& key) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end())
      fail(fmt::format("gives the member '{}' twice in one object", key));
    if (keys.size() == most_members) fail(fmt::format("has an object of more than {} members", most_members));
    keys.push_back(key);
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw FormatError(fmt::format("{}: {}", where_, problem));
  }

  const std::string& where_;
  const Records* records_;
  std::vector<std::vector<std::string>> keys_;  ///< of the objects that are open, from the document inwards
  Json head_ = Json::object();
  bool streaming_ = false;
  std::size_t next_ = 0;
};

namespace {

Json parsed(const std::string& text, const std::string& where, const Records* records) {
  try {
    DocumentReader reader(where, records);
    return Json::parse(text, std::ref(reader));
  } catch (const Json::parse_error& error) {
    // `byte` is the 1-based position of the last byte read.
    const std::size_t end = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + std::ptrdiff_t(end), '\n');
    const std::size_t line_start = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    const std::size_t column = line_start == std::string::npos ? end + 1 : end - line_start;
    throw FormatError(fmt::format("{}: line {}, column {}: not JSON", where, line, column));
  } catch (const Json::exception&) {  // a number outside the range of double
    throw FormatError(fmt::format("{}: contains a number out of range", where));
  }
}

}  // namespace

Json parse_json(const std::string& text, const std::string& where) {
  return parsed(text, where, nullptr);
}
Json parse_json(const std::string& text, const std::string& where, const Records& records) {
  return parsed(text, where, &records);
}

int checked_version(const Field& document, std::string_view schema, int newest) {
  const std::string found = document.at("schema").text();
  if (found != schema) document.at("schema").fail(fmt::format("is '{}', must be '{}'", found, schema));
  const int version = document.at("version").integer();
  if (version > newest)
    document.at("version").fail(
        fmt::format("is {}, newer than the {} that this program reads: update fathom", version, newest));
  if (version < 1) document.at("version").fail("must be at least 1");
  return version;
}

Json exact(double number) {
  if (!std::isfinite(number))
    throw std::invalid_argument("JSON cannot represent a number that is not finite");
  return number;
}

Json rounded(double sample) {
  const std::string digits = fmt::format("{:.7g}", double(exact(sample)));
  double value{};
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

Json rounded_or_null(double sample) {
  return sample == 0 ? Json(nullptr) : rounded(sample);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string document_with_records(const Json& head, std::string_view records_name,
                                  const std::vector<Json>& records) {
  std::string text = dump(head, 2);
  text.resize(text.size() - 2);  // the closing "\n}"
  text += fmt::format(",\n  \"{}\": [", records_name);
  const char* separator = "\n    ";
  for (const Json& record : records) {
    text += separator;
    text += dump(record);
    separator = ",\n    ";
  }
  text += records.empty() ? "]\n}\n" : "\n  ]\n}\n";
  return text;
}

Json to_json(const Provenance& provenance) {
  return {{"gpu", text_or_null(provenance.gpu)},         {"driver", text_or_null(provenance.driver)},
          {"toolkit", text_or_null(provenance.toolkit)}, {"date", text_or_null(provenance.date)},
          {"commit", text_or_null(provenance.commit)},   {"command", text_or_null(provenance.command)}};
}

Provenance parse_provenance(const Field& field) {
  return {field.at("gpu").text_or_empty(),     field.at("driver").text_or_empty(),
          field.at("toolkit").text_or_empty(), field.at("date").text_or_empty(),
          field.at("commit").text_or_empty(),  field.at("command").text_or_empty()};
}

}  // namespace fathom
