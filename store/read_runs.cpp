// SPDX-License-Identifier: Apache-2.0
// Foreign runs in the words used here. A quarter of it is tables of the names that benchmarks give to types,
// inputs and coordinates; the class that reads a run asks all of them, and so stands beside them.
#include <fathom/core/system/whole_file.h>
#include <fathom/core/text/number.h>
#include <fathom/store/foreign/format.h>
#include <fathom/store/read_runs.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

namespace fathom {
namespace {

constexpr double largest_n = 0x1p53;
constexpr std::size_t most_coordinates = 1000;  ///< of a run: far more than any sweep has

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = char(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// 1000000, 1e6 or 2^20, if it is a number of elements.
std::optional<double> size_in(std::string_view text) {
  const std::size_t power = text.find('^');
  auto n = number_in<double>(text.substr(0, power));
  if (power != text.npos) {
    const auto exponent = number_in<int>(text.substr(power + 1));
    n = n && exponent ? std::optional(std::pow(*n, *exponent)) : std::nullopt;
  }
  return n && *n >= 1 && *n <= largest_n && *n == std::floor(*n) ? n : std::nullopt;
}

struct Spelling {
  std::string_view name;
  ElementType type;
};
/// C++'s names of types that have another name here.
constexpr std::array<Spelling, 18> spellings{{{"int", ElementType::i32},
                                              {"int32_t", ElementType::i32},
                                              {"int32", ElementType::i32},
                                              {"unsigned", ElementType::u32},
                                              {"unsigned int", ElementType::u32},
                                              {"uint", ElementType::u32},
                                              {"uint32_t", ElementType::u32},
                                              {"uint32", ElementType::u32},
                                              {"long", ElementType::i64},
                                              {"long long", ElementType::i64},
                                              {"int64_t", ElementType::i64},
                                              {"int64", ElementType::i64},
                                              {"unsigned long", ElementType::u64},
                                              {"unsigned long long", ElementType::u64},
                                              {"uint64_t", ElementType::u64},
                                              {"size_t", ElementType::u64},
                                              {"float", ElementType::f32},
                                              {"double", ElementType::f64}}};

std::optional<ElementType> type_in(std::string_view text) {
  std::string name = lower(text);
  if (name.starts_with("std::")) name.erase(0, 5);
  const auto* const found = std::ranges::find(spellings, name, &Spelling::name);
  if (found != spellings.end()) return found->type;
  try {
    return parse_element_type(name);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// "u32", or "u32:u64" for keys with values.
std::optional<KeyAndValue> types_in(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos || text.find("::") == colon) {
    const auto key = type_in(text);
    return key ? std::optional(KeyAndValue{*key, {}}) : std::nullopt;
  }
  const auto key = type_in(text.substr(0, colon)), value = type_in(text.substr(colon + 1));
  return key && value ? std::optional(KeyAndValue{*key, value}) : std::nullopt;
}

/// Independent keys of full entropy are those of random input.
std::optional<Input> input_in(const std::string& text) {
  try {
    const Input input = parse_input(text);
    return input == Input(Input::entropy, 1) ? Input(Input::random) : input;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

enum class Meaning { n, type, value, input, sortedness, entropy };
struct Name {
  std::string_view name;
  Meaning meaning;
};
/// The first ones are those that a reading gives; the others are what benchmarks usually call them.
constexpr std::size_t own_names = 6;
constexpr std::array<Name, 19> usual_names{{{"n", Meaning::n},
                                            {"type", Meaning::type},
                                            {"value", Meaning::value},
                                            {"input", Meaning::input},
                                            {"sortedness", Meaning::sortedness},
                                            {"entropy", Meaning::entropy},
                                            {"elements", Meaning::n},
                                            {"num_elements", Meaning::n},
                                            {"numelements", Meaning::n},
                                            {"num_items", Meaning::n},
                                            {"size", Meaning::n},
                                            {"problem_size", Meaning::n},
                                            {"t", Meaning::type},
                                            {"keyt", Meaning::type},
                                            {"key", Meaning::type},
                                            {"key_type", Meaning::type},
                                            {"valuet", Meaning::value},
                                            {"value_type", Meaning::value},
                                            {"elementtype", Meaning::type}}};

std::optional<Meaning> own_meaning(std::string_view name) {
  for (std::size_t i = 0; i < own_names; ++i)
    if (usual_names.at(i).name == name) return usual_names.at(i).meaning;
  return std::nullopt;
}

std::optional<Meaning> usual_meaning(std::string_view name) {
  const std::string small = lower(name);
  const auto* const found = std::ranges::find(usual_names, small, &Name::name);
  return found == usual_names.end() ? std::nullopt : std::optional(found->meaning);
}

/// "BM_sort_pairwise" → "sort-pairwise"
std::string slug_of(std::string_view benchmark) {
  std::string slug = lower(benchmark);
  std::ranges::replace(slug, '_', '-');
  for (const std::string_view prefix : {"bm-", "bench-"})
    if (slug.starts_with(prefix)) return slug.substr(prefix.size());
  return slug;
}

/// A foreign run in the words used here.
struct Meant {
  std::optional<double> n{};
  std::optional<ElementType> type{}, value{};
  std::optional<Input> input{};
  Parameters parameters{};
  std::vector<std::pair<std::string, std::string>> rest{};  ///< that means nothing here
  std::string left_out{};
};

/// Takes the runs of one file.
class Interpreter {
 public:
  Interpreter(const RunReading& reading, ReadRuns& result) : reading_(reading), result_(result) {}

  void take(std::vector<ForeignRun> runs) {
    std::vector<Meant> all;
    for (const ForeignRun& run : runs) {
      all.push_back(meant(run));
      if (all.back().left_out.empty()) note_values(run.name, all.back());
    }
    for (std::size_t i = 0; i < runs.size(); ++i) add(std::move(runs[i]), std::move(all[i]));
  }

 private:
  /// What the reading says of the name, if it explains it; nullptr otherwise.
  const std::string* said_of(const std::string& name) {
    const auto found = reading_.names.find(name);
    if (found == reading_.names.end() || is_value_of(name, found->second)) return nullptr;
    result_.used.insert(name);
    return &found->second;
  }

  Meant meant(const ForeignRun& run) {
    Meant meant{.left_out = run.left_out};
    if (!meant.left_out.empty()) return meant;
    // What the reading names comes first, and then what is named as usual.
    for (const auto& [name, value] : run.coordinates) {
      result_.names.insert(name);
      if (const std::string* said = said_of(name)) set(*said, own_meaning(*said), value, meant);
    }
    for (const auto& [name, value] : run.counters)
      if (const std::string* said = said_of(name))
        set(*said, own_meaning(*said), value, meant);
      else if (usual_meaning(name) == Meaning::n && !meant.n)
        meant.n = size_in(value);
    for (const auto& [name, value] : run.coordinates)
      if (!said_of(name)) set(name, usual_meaning(name), value, meant);
    return meant;
  }

  void set(const std::string& name, std::optional<Meaning> meaning, const std::string& value, Meant& meant) {
    const std::optional<int> whole = number_in<int>(value);
    // Of a benchmark without names of its arguments, the first is the size.
    if (name == "arg1" && !meant.n) meaning = Meaning::n;
    // T is a type, t a number of threads.
    if (whole && meaning == Meaning::type) meaning.reset();
    if (meaning == Meaning::n && !meant.n) return set_n(value, meant);
    if (meaning == Meaning::type && !meant.type) return set_type(value, meant.type, meant.value, meant);
    if (meaning == Meaning::value && !meant.value && !whole) return set_value_type(value, meant);
    if (meaning && !meant.input && set_input(*meaning, value, meant)) return;
    if (whole && !meant.parameters.contains(name))
      meant.parameters.set(name, *whole);
    else
      meant.rest.emplace_back(name, value);
  }

  static void set_n(const std::string& value, Meant& meant) {
    meant.n = size_in(value);
    if (!meant.n) meant.left_out = "whose n is no whole number from 1 to 2^53";
  }
  static void set_type(const std::string& text, std::optional<ElementType>& key,
                       std::optional<ElementType>& value, Meant& meant) {
    const auto types = types_in(text);
    if (!types) return set_unknown_type(meant);
    key = types->key;
    if (types->value) value = types->value;
  }
  static void set_value_type(const std::string& text, Meant& meant) {
    meant.value = type_in(text);
    if (!meant.value) set_unknown_type(meant);
  }
  static void set_unknown_type(Meant& meant) { meant.left_out = "of types that fathom does not have"; }
  static bool set_input(Meaning meaning, const std::string& value, Meant& meant) {
    switch (meaning) {
      case Meaning::input:
        meant.input = input_in(value);
        break;
      case Meaning::sortedness:
        meant.input = input_in("sortedness=" + value);
        break;
      case Meaning::entropy:
        meant.input = input_in("entropy=" + value);
        break;
      default:
        break;
    }
    return meant.input.has_value();
  }

  void note_values(const std::string& name, const Meant& meant) {
    auto& values = values_[name];
    for (const auto& [coordinate, value] : meant.rest) values[coordinate].insert(value);
  }

  /// The benchmark, and what of the rest differs between its runs.
  std::string series_of(const std::string& benchmark, const Meant& meant) const {
    std::string name = benchmark;
    for (const auto& [coordinate, value] : meant.rest)
      if (values_.at(benchmark).at(coordinate).size() > 1) name += fmt::format(" {}={}", coordinate, value);
    return name;
  }

  const Descriptor* algorithm_of(const std::string& series, std::string& name) {
    const std::string* said = said_of(series);
    name = said ? *said : slug_of(series);
    const Descriptor* const algorithm = reading_.find(name);
    if (!algorithm && !said) name = series;
    return algorithm;
  }

  /// Gives the run a value of the reading, unless the file says another or it is none of the run's.
  static bool fill(const std::string& name, const std::string& text, const Descriptor* algorithm,
                   Meant& meant) {
    const std::optional<Meaning> meaning = own_meaning(name);
    if (meaning == Meaning::n && !meant.n)
      set_n(text, meant);
    else if (meaning == Meaning::type && !meant.type)
      set_type(text, meant.type, meant.value, meant);
    else if (meaning)
      return !meant.input && set_input(*meaning, text, meant);
    else if (algorithm && algorithm->find_parameter(name) && !meant.parameters.contains(name))
      meant.parameters.set(name, number_in<int>(text).value_or(0));
    else
      return false;
    return true;
  }

  /// Gives the run what the file does not say.
  void complete(const Descriptor* algorithm, Meant& meant) {
    for (const auto& [name, text] : reading_.names)
      if (is_value_of(name, text) && fill(name, text, algorithm, meant)) result_.used.insert(name);
  }

  void add(ForeignRun run, Meant meant) {
    if (!meant.left_out.empty()) {
      ++result_.left_out[meant.left_out];
      return;
    }
    const std::string series = series_of(run.name, meant);
    result_.names.insert(series);
    Measurement one;
    const Descriptor* const algorithm = algorithm_of(series, one.algorithm);
    complete(algorithm, meant);
    if (!meant.n) {
      ++result_.left_out[ReadRuns::without_n];
      return;
    }
    if (algorithm && !meant.type) ++result_.without_type;
    one.problem.kind = algorithm ? algorithm->kind : Kind::other;
    one.problem.n = *meant.n;
    one.problem.type = meant.type.value_or(one.problem.type);
    one.problem.value_type = meant.value;
    one.problem.parameters = std::move(meant.parameters);
    one.input = meant.input.value_or(Input::random);
    one.seconds = std::move(run.seconds);
    one.checked = reading_.vouched;
    result_.dataset.runs.push_back(std::move(one));
  }

  const RunReading& reading_;
  ReadRuns& result_;
  /// By benchmark and coordinate: the values of those that mean nothing.
  std::map<std::string, std::map<std::string, std::set<std::string>>> values_;
};

/// The file of this name beside the document. Whatever its path was where it was written, it is in a folder
/// beside the document, and nothing else is read.
std::optional<std::string> content_beside(const std::filesystem::path& document, const std::string& name) {
  const std::filesystem::path written(name);
  const std::filesystem::path file =
      document.parent_path() / written.parent_path().filename() / written.filename();
  std::error_code none;
  if (written.parent_path().filename() == ".." || !std::filesystem::is_regular_file(file, none))
    return std::nullopt;
  return read_whole(file);
}

}  // namespace

bool is_meaning(std::string_view name) {
  return own_meaning(name).has_value();
}

bool is_value_of(std::string_view name, const std::string& text) {
  if (name == "n") return size_in(text).has_value();
  if (name == "type") return types_in(text).has_value();
  if (name == "input") return input_in(text).has_value();
  if (name == "sortedness" || name == "entropy")
    return input_in(fmt::format("{}={}", name, text)).has_value();
  return number_in<int>(text).has_value();
}

ReadRuns parse_runs(const std::string& text, const std::string& where, const RunReading& reading,
                    const std::function<std::optional<std::string>(const std::string&)>& beside) {
  ReadRuns result;
  const ForeignFormat* const format = foreign_format_of(text);
  if (!format) {
    result.dataset = parse_dataset(text, where);
    return result;
  }
  const FileBeside none = [](const std::string&) { return std::nullopt; };
  ForeignRuns foreign = format->parse(text, where, beside ? beside : none);
  for (const ForeignRun& run : foreign.runs)
    if (run.coordinates.size() + run.counters.size() > most_coordinates)
      throw FormatError(
          fmt::format("{}: a run has more than {} axes, parameters and counters", where, most_coordinates));
  result.tool = format->tool;
  result.dataset.provenance = std::move(foreign.provenance);
  Interpreter(reading, result).take(std::move(foreign.runs));
  return result;
}

ReadRuns read_runs(const std::filesystem::path& file, const RunReading& reading) {
  return parse_runs(read_whole(file), file.string(), reading,
                    [&](const std::string& name) { return content_beside(file, name); });
}

}  // namespace fathom
