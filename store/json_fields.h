// SPDX-License-Identifier: Apache-2.0
// Reads JSON with errors that name the location: every value knows its path.
#pragma once

#include <fathom/model/constants.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// A value inside a JSON document and its path in it, "machine.limits.threads_per_block" or
/// "series[3].samples". Every accessor throws FormatError, naming document and path, if the value is not of
/// the requested kind.
class Field {
 public:
  using Json = nlohmann::ordered_json;  ///< members keep the order in which they were written

  /// `document` and `where`, the document's name in errors, must outlive the field.
  Field(const Json& document, const std::string& where) : value_(&document), where_(&where) {}

  Field at(std::string_view key) const;                        ///< the member of this name; must exist
  std::optional<Field> find(std::string_view key) const;       ///< absent if there is no such member
  std::vector<Field> elements() const;                         ///< of an array
  std::vector<std::pair<std::string, Field>> members() const;  ///< of an object, in the file's order

  bool has(std::string_view key) const { return value_->is_object() && value_->contains(key); }
  bool is_null() const { return value_->is_null(); }
  bool is_text() const { return value_->is_string(); }
  bool is_number() const { return value_->is_number(); }
  bool is_array() const { return value_->is_array(); }
  double number() const;
  double number(Range range) const;               ///< must lie in the range
  std::optional<double> optional_number() const;  ///< absent if null
  int integer() const;
  int integer(int lowest, int highest) const;  ///< must lie in this range
  double count() const;                        ///< a whole number from 1 to 2^53, exact as a double
  bool boolean() const;
  std::string text() const;
  std::string text_or_empty() const;  ///< empty if null
  std::string scalar() const;         ///< a string, or a number or boolean as JSON writes it
  std::vector<double> numbers() const;
  std::vector<double> numbers(Range range) const;  ///< all of them must lie in the range
  /// The text, parsed by `parse`. Its std::invalid_argument, which should name the choices, becomes a
  /// FormatError.
  template <class Parse>
  auto parsed(Parse parse) const {
    const std::string written = text();
    try {
      return parse(written);
    } catch (const std::invalid_argument& error) {
      fail_because(error.what());
    }
  }

  /// `problem` continues "field 'x'": "must be positive".
  [[noreturn]] void fail(std::string_view problem) const;
  /// `reason` is a clause of its own: "unknown input 'x': …".
  [[noreturn]] void fail_because(std::string_view reason) const;

 private:
  friend class DocumentReader;
  Field(const Json& value, const std::string& where, std::string path)
      : value_(&value), where_(&where), path_(std::move(path)) {}

  const Json* value_;
  const std::string* where_;
  std::string path_;
};

/// The long array or object at a document's end: its records are handed over one by one and not kept, so that
/// a file of any length needs little memory.
struct Records {
  std::string_view name;
  /// `head`: the document's members before the array. False if they do not yet tell how to read records,
  /// which are then in the document that parse_json() returns.
  std::function<bool(const Field& head)> begin;
  std::function<void(const Field& record)> add;
};

/// Parses a document; throws FormatError with line and column if `text` is not JSON. Files are data, not
/// programs: also thrown for nesting deeper than 32, for objects of more than 1000 members, and for a member
/// that is given twice, of which only one would count.
nlohmann::ordered_json parse_json(const std::string& text, const std::string& where);
/// The same; the array or object in the result lacks the records handed over, of which an object may have any
/// number.
nlohmann::ordered_json parse_json(const std::string& text, const std::string& where, const Records& records);

/// A multiprocessor's clock in Hz, of today's GPUs, of the past and of some time to come.
inline constexpr Range clocks_hz{1e6, 1e11};

/// The document's version. Throws FormatError unless the document is of this schema and not newer than
/// `newest`.
int checked_version(const Field& document, std::string_view schema, int newest);

/// The number as JSON, exact. Throws std::invalid_argument if it is not finite: JSON has no such number, and
/// null would mean "unknown".
nlohmann::ordered_json exact(double number);
/// A raw sample, rounded to 7 significant digits: finer than any clock it is read from (CUDA events tick in
/// halves of a microsecond), and a third of the file size of exact doubles.
nlohmann::ordered_json rounded(double sample);
/// 0 means "not observed" in measurements; files store null instead.
nlohmann::ordered_json rounded_or_null(double sample);
nlohmann::ordered_json text_or_null(const std::string& text);

/// JSON text without control characters, and with bytes that are not UTF-8 replaced: a command line or a name
/// that holds such bytes must not cost the measurements that it belongs to. `indent` −1: on one line.
std::string dump(const nlohmann::ordered_json& json, int indent = -1);

/// A document whose last member is a long array, with one record per line. `head` holds the other members.
std::string document_with_records(const nlohmann::ordered_json& head, std::string_view records_name,
                                  const std::vector<nlohmann::ordered_json>& records);

struct Provenance;
nlohmann::ordered_json to_json(const Provenance& provenance);
Provenance parse_provenance(const Field& field);

}  // namespace fathom
