// SPDX-License-Identifier: Apache-2.0
#include <fathom/store/dataset.h>
#include <fathom/store/foreign/format.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace fathom {
namespace {

const std::array<ForeignFormat, 3>& formats() {
  static const std::array<ForeignFormat, 3> all{
      {{"nvbench", {"devices", "benchmarks"}, parse_nvbench},
       {"Google Benchmark", {"context", "benchmarks"}, parse_google_benchmark},
       {"Kernel Tuner", {"kernel_name", "tune_params_keys", "cache"}, parse_kernel_tuner}}};
  return all;
}

/// Reads a document's own members until they tell its format.
class Recogniser final : public nlohmann::json_sax<nlohmann::ordered_json> {
 public:
  const ForeignFormat* format() const { return format_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(nlohmann::ordered_json::binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  bool key(std::string& name) override {
    if (depth_ > 1) return true;
    if (name == "schema") return false;  // a file of Fathom's
    for (const ForeignFormat& format : formats())
      for (const std::string_view member : format.members)
        if (member == name) seen_.insert(member);
    const auto has = [&](std::string_view member) { return seen_.contains(member); };
    for (const ForeignFormat& format : formats())
      if (std::ranges::all_of(format.members, has)) format_ = &format;
    return format_ == nullptr;
  }

 private:
  bool open() {
    ++depth_;
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  std::set<std::string_view> seen_;
  const ForeignFormat* format_ = nullptr;
};

}  // namespace

const ForeignFormat* foreign_format_of(const std::string& text) {
  Recogniser recogniser;
  nlohmann::ordered_json::sax_parse(text, &recogniser);
  return recogniser.format();
}

std::string foreign_tools() {
  std::string names;
  for (std::size_t i = 0; i < formats().size(); ++i)
    names.append(i == 0 ? "" : i + 1 < formats().size() ? ", " : " and ").append(formats()[i].tool);
  return names;
}

double seconds_in(const Field& field, double unit) {
  const double seconds = field.number() * unit;
  if (!seconds_of_a_run.holds(seconds))
    field.fail(fmt::format("is {} s: a run takes from {} to {} s", seconds, seconds_of_a_run.lowest,
                           seconds_of_a_run.highest));
  return seconds;
}

}  // namespace fathom
