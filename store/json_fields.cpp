// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/core/text/escape.h>
#include <fathom/store/json_fields.h>
#include <fathom/store/profile.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_set>

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

std::string Field::scalar() const {
  if (value_->is_string()) return value_->get<std::string>();
  if (!value_->is_number() && !value_->is_boolean()) fail("must be a string, a number or a boolean");
  return value_->dump();
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

/// Builds a document from what the parser finds, checks its shape, and hands over its records. Not nlohmann's
/// own builder with a callback, which searches an array anew after each of its objects.
class DocumentReader final : public nlohmann::json_sax<Json> {
 public:
  DocumentReader(const std::string& text, const std::string& where, const Records* records)
      : text_(text), where_(where), records_(records) {}

  Json document() {
    // The parser takes it for the end of the text.
    if (const std::size_t at = text_.find('\0'); at != text_.npos)
      throw FormatError(
          fmt::format("{}: there is a NUL byte at position {}: it is no JSON text", where_, at));
    Json::sax_parse(text_, this);
    return std::move(document_);
  }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }  // not in text

  bool start_object(std::size_t) override {
    check_interruption();
    begin_records();
    return open(Json::object());
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override {
    begin_records();
    return open(Json::array());
  }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    const Json& object = open_.back().value;
    const bool is_record = streaming_ && open_.size() == 2;
    if (is_record ? !names_.insert(name).second : object.contains(name))
      fail(fmt::format("gives the member '{}' twice in one object", name));
    if (object.size() == most_members)
      fail(fmt::format("has an object of more than {} members", most_members));
    open_.back().key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    constexpr int number_out_of_range = 406;  // of the range of double
    if (error.id == number_out_of_range) fail("contains a number out of range");
    // `position` is the 1-based position of the last byte read.
    const std::size_t end = std::min(position > 0 ? position - 1 : 0, text_.size());
    const auto line = 1 + std::count(text_.begin(), text_.begin() + std::ptrdiff_t(end), '\n');
    const std::size_t line_start = end == 0 ? std::string::npos : text_.rfind('\n', end - 1);
    const std::size_t column = line_start == std::string::npos ? end + 1 : end - line_start;
    fail(fmt::format("line {}, column {}: not JSON", line, column));
  }

 private:
  static constexpr std::size_t deepest = 32;
  static constexpr std::size_t most_members = 1000;

  struct Open {
    Json value;       ///< an object or an array, as read so far
    std::string key;  ///< of the object's member that is being read
  };

  /// The document, if it is an object, is as read so far.
  void begin_records() {
    if (records_ && open_.size() == 1 && open_[0].value.is_object() && open_[0].key == records_->name)
      streaming_ = records_->begin(Field(open_[0].value, where_));
  }
  bool open(Json value) {
    if (open_.size() == deepest) fail(fmt::format("is nested deeper than {} levels", deepest));
    open_.push_back({std::move(value), {}});
    return true;
  }
  bool close() {
    if (open_.size() == 2) streaming_ = false;
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }
  bool add(Json value) {
    if (open_.empty())
      document_ = std::move(value);
    else if (streaming_ && open_.size() == 2)
      records_->add(Field(value, where_, path_of_record()));
    else if (open_.back().value.is_array())
      open_.back().value.push_back(std::move(value));
    else
      open_.back().value[open_.back().key] = std::move(value);
    return true;
  }

  std::string path_of_record() {
    const Open& records = open_.back();
    return records.value.is_array() ? fmt::format("{}[{}]", records_->name, next_++)
                                    : fmt::format("{}.{}", records_->name, records.key);
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw FormatError(fmt::format("{}: {}", where_, problem));
  }

  const std::string& text_;
  const std::string& where_;
  const Records* records_;
  std::vector<Open> open_;                 ///< the values that are not complete, from the document inwards
  bool streaming_ = false;                 ///< the records, open_[1], are being handed over
  std::size_t next_ = 0;                   ///< of them, in an array
  std::unordered_set<std::string> names_;  ///< of them, in an object
  Json document_;
};

Json parse_json(const std::string& text, const std::string& where) {
  return DocumentReader(text, where, nullptr).document();
}
Json parse_json(const std::string& text, const std::string& where, const Records& records) {
  return DocumentReader(text, where, &records).document();
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
  return for_json_on_terminal(json.dump(indent, ' ', false, Json::error_handler_t::replace));
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
