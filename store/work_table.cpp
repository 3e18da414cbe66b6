// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/system/whole_file.h>
#include <fathom/store/work_table_rows.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace fathom {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view schema = "fathom.work";

constexpr Range coefficients{-1e12, 1e12};
constexpr Range errors{0, 1e6};
constexpr int most_registers = 1 << 10;  ///< per thread
constexpr int most_local_bytes = 1 << 20;
constexpr int least_architecture = 10, most_architecture = 999;
constexpr std::size_t most_kernels = 100;  ///< of an algorithm
// Rows name their kernels by numbers, and each has its own copies: without these limits a short file would
// take a lot of memory.
constexpr std::size_t most_copies = 100'000;  ///< of kernels, in all rows
constexpr std::size_t longest_name = 1000;
constexpr std::size_t most_opcodes = 200, longest_opcode = 40;

struct Coefficients {
  const char* name;
  Work KernelWork::*value;
};
constexpr std::array all_coefficients{Coefficients{"constant", &KernelWork::constant},
                                      Coefficients{"per_element", &KernelWork::per_element},
                                      Coefficients{"per_doubling", &KernelWork::per_doubling},
                                      Coefficients{"per_partial", &KernelWork::per_partial}};

/// More digits than the counts have, which are fitted.
double to_5_digits(double number) {
  const std::string digits = fmt::format("{:.5g}", double(exact(number)));
  double value{};
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// Whole numbers without ".0".
Json short_number(double number) {
  const double value = to_5_digits(number);
  if (value == double(std::int64_t(value))) return std::int64_t(value);
  return value;
}

/// The values of all demands, in their order, up to the last that is not 0.
Json work_to_json(const Work& work) {
  Json numbers = Json::array();
  for (const Demand& demand : all_demands) numbers.push_back(short_number(work.*demand.value));
  while (!numbers.empty() && numbers.back() == 0) numbers.erase(numbers.size() - 1);
  return numbers;
}

Work parse_work(const Field& field) {
  const std::vector<double> numbers = field.numbers(coefficients);
  constexpr std::size_t most = all_demands.size() + dropped_demands.size();
  if (numbers.size() > most) field.fail(fmt::format("has more than {} numbers", most));
  Work work;
  for (std::size_t i = 0; i < std::min(numbers.size(), all_demands.size()); ++i)
    work.*all_demands[i].value = numbers[i];
  return work;
}

Json kernel_to_json(const KernelWork& kernel) {
  Json json = {
      {"kernel", kernel.kernel}, {"registers", kernel.registers}, {"local_bytes", kernel.local_bytes}};
  if (kernel.check_error) json["check_error"] = short_number(*kernel.check_error);
  for (const Coefficients& each : all_coefficients)
    if (Json numbers = work_to_json(kernel.*each.value); !numbers.empty()) json[each.name] = numbers;
  if (!kernel.unknown_opcodes.empty()) json["unknown_opcodes"] = kernel.unknown_opcodes;
  if (kernel.uncertain != 0) json["uncertain"] = short_number(kernel.uncertain);
  return json;
}

std::string parse_short_text(const Field& field, std::size_t longest) {
  std::string text = field.text();
  if (text.size() > longest) field.fail(fmt::format("has more than {} characters", longest));
  return text;
}

std::vector<std::string> parse_opcodes(const Field& field) {
  std::vector<std::string> opcodes;
  for (const Field& opcode : field.elements()) {
    if (opcodes.size() == most_opcodes) field.fail(fmt::format("has more than {} opcodes", most_opcodes));
    opcodes.push_back(parse_short_text(opcode, longest_opcode));
  }
  return opcodes;
}

/// The members that identify a row, without its inputs.
Json key_to_json(const WorkKey& key) {
  Json parameters = Json::object();
  for (const auto& [name, value] : key.parameters) parameters[name] = value;
  Json json = {{"algorithm", key.algorithm}, {"type", type_text(key.type.type)}};
  if (key.type.stable) json["stable"] = true;
  json["parameters"] = parameters;
  return json;
}

/// Kernels and rows as they are stored: each once.
class TableRecords {
 public:
  void add(const AlgorithmWork& work) {
    Json row = key_to_json(work);
    Json kernels = Json::array();
    for (const KernelWork& kernel : work.kernels) kernels.push_back(index_of(dump(kernel_to_json(kernel))));
    const std::string same = dump(row) + dump(kernels);
    const auto [known, is_new] = known_rows_.emplace(same, rows_.size());
    if (is_new) {
      row["inputs"] = Json::array();
      row["kernels"] = std::move(kernels);
      rows_.push_back(std::move(row));
    }
    rows_[known->second]["inputs"].push_back(name(work.input));
  }

  const std::vector<std::string>& kernels() const { return kernels_; }
  std::vector<std::string> rows() const {
    std::vector<std::string> lines;
    for (const Json& row : rows_) lines.push_back(dump(row));
    return lines;
  }

 private:
  std::size_t index_of(std::string kernel) {
    const auto [known, is_new] = known_kernels_.emplace(std::move(kernel), kernels_.size());
    if (is_new) kernels_.push_back(known->first);
    return known->second;
  }

  std::vector<std::string> kernels_;
  std::vector<Json> rows_;
  std::map<std::string, std::size_t> known_kernels_, known_rows_;
};

/// `  "name": [` with one record per line, which built_in_work() relies on.
std::string array_of_lines(std::string_view name, const std::vector<std::string>& records) {
  std::string text = fmt::format("  \"{}\": [", name);
  const char* separator = "\n    ";
  for (const std::string& record : records) {
    text += separator;
    text += record;
    separator = ",\n    ";
  }
  return text + "\n  ]";
}

Json names_of_demands() {
  Json names = Json::array();
  for (const Demand& demand : all_demands) names.push_back(demand.name);
  return names;
}

/// Numbers are stored without names; these show that they mean the same here. In a table from before the last
/// demands were counted, these are 0.
void check_demands(const Field& field) {
  const std::vector<Field> names = field.elements();
  std::vector<std::string_view> expected;
  for (const Demand& demand : all_demands) expected.push_back(demand.name);
  expected.insert(expected.end(), dropped_demands.begin(), dropped_demands.end());
  if (names.size() > expected.size()) field.fail(fmt::format("must have at most {} names", expected.size()));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].text() != expected[i])
      names[i].fail(fmt::format("is '{}', must be '{}'", names[i].text(), expected[i]));
}

}  // namespace

KernelWork parse_kernel_work(const Field& field) {
  KernelWork kernel;
  kernel.kernel = parse_short_text(field.at("kernel"), longest_name);
  kernel.registers = field.at("registers").integer(0, most_registers);
  kernel.local_bytes = field.at("local_bytes").integer(0, most_local_bytes);
  if (const auto error = field.find("check_error")) kernel.check_error = error->number(errors);
  for (const Coefficients& each : all_coefficients)
    if (const auto numbers = field.find(each.name)) kernel.*each.value = parse_work(*numbers);
  if (const auto opcodes = field.find("unknown_opcodes")) kernel.unknown_opcodes = parse_opcodes(*opcodes);
  if (const auto share = field.find("uncertain")) kernel.uncertain = share->number(errors);
  return kernel;
}

StoredRow parse_row(const Field& field, int architecture, std::size_t kernels) {
  StoredRow row;
  row.key.algorithm = field.at("algorithm").text();
  row.key.type.type = field.at("type").parsed(parse_type_text);
  if (const auto stable = field.find("stable")) row.key.type.stable = stable->boolean();
  for (const auto& [name, value] : field.at("parameters").members())
    row.key.parameters.set(name, value.integer());
  row.key.architecture = architecture;
  for (const Field& input : field.at("inputs").elements()) row.inputs.push_back(input.parsed(parse_input));
  const std::vector<Field> indices = field.at("kernels").elements();
  if (indices.size() > most_kernels)
    field.at("kernels").fail(fmt::format("has more than {} kernels", most_kernels));
  for (const Field& index : indices) {
    const int value = index.integer();
    if (value < 0 || std::size_t(value) >= kernels)
      index.fail(fmt::format("is {}, but there are {} kernels", value, kernels));
    row.kernels.push_back(std::size_t(value));
  }
  return row;
}

std::string beginning_of_row(const WorkKey& key) {
  std::string text = dump(key_to_json(key));
  text.back() = ',';  // instead of the closing brace
  return text;
}

std::string to_json(const WorkTable& table) {
  TableRecords records;
  for (const AlgorithmWork& row : table.rows) {
    if (row.architecture != table.architecture)
      throw std::invalid_argument(fmt::format("a work table of sm_{} cannot hold work on sm_{}",
                                              table.architecture, row.architecture));
    records.add(row);
  }
  const Json head = {{"schema", schema},
                     {"version", WorkTable::version},
                     {"provenance", to_json(table.provenance)},
                     {"architecture", table.architecture},
                     {"demands", names_of_demands()}};
  std::string text = dump(head, 2);
  text.resize(text.size() - 2);  // the closing "\n}"
  text += ",\n" + array_of_lines("kernels", records.kernels());
  text += ",\n" + array_of_lines("rows", records.rows()) + "\n}\n";
  parse_work_table(text, "the work table to write");
  return text;
}

WorkTable parse_work_table(const std::string& text, const std::string& where) {
  const Json json = parse_json(text, where);
  const Field document(json, where);
  checked_version(document, schema, WorkTable::version);
  WorkTable table;
  table.provenance = parse_provenance(document.at("provenance"));
  table.architecture = document.at("architecture").integer(least_architecture, most_architecture);
  check_demands(document.at("demands"));
  std::vector<KernelWork> kernels;
  for (const Field& kernel : document.at("kernels").elements()) kernels.push_back(parse_kernel_work(kernel));
  std::set<std::string> keys;
  std::size_t copies = 0;
  for (const Field& field : document.at("rows").elements()) {
    const StoredRow row = parse_row(field, table.architecture, kernels.size());
    for (const Input input : row.inputs) {
      if (!keys.insert(beginning_of_row(row.key) + std::string(name(input))).second)
        field.fail(fmt::format("gives the input '{}' of its case a second time", name(input)));
      copies += row.kernels.size();
      if (copies > most_copies)
        document.at("rows").fail(fmt::format("name more than {} kernels in all", most_copies));
      AlgorithmWork work{row.key, {}};
      work.input = input;
      for (const std::size_t kernel : row.kernels) work.kernels.push_back(kernels[kernel]);
      table.rows.push_back(std::move(work));
    }
  }
  return table;
}

WorkTable read_work_table(const std::filesystem::path& file) {
  return parse_work_table(read_whole(file), file.string());
}

void write_work_table(const WorkTable& table, const std::filesystem::path& file) {
  write_whole(file, to_json(table));
}

}  // namespace fathom
