// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/launches/machine_code.h>

#include <fathom/calibration/predictor.h>
#include <fathom/calls/launches/launches.h>
#include <fathom/calls/predicting/prediction.h>
#include <fathom/core/system/whole_file.h>
#include <fathom/core/text/nearest.h>
#include <fathom/core/text/number.h>
#include <fathom/model/laws/counted.h>
#include <fathom/model/laws/predict_counted.h>
#include <fathom/model/laws/sensitivities.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <span>

namespace fathom::calls {
namespace {

/// A whole number in decimal digits; absent for other text.
std::optional<long> whole(std::string_view text) {
  const std::optional<long> value = number_in<long>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

std::array<int, 3> sizes(std::string_view option, const std::string& text, const std::array<long, 3>& most) {
  if (text.empty())
    throw std::invalid_argument(
        fmt::format("`{}` is missing: machine code does not say how it is launched", option));
  std::array<int, 3> result{1, 1, 1};
  std::string_view rest = text;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const auto value = whole(rest.substr(0, end));
    if (!value)
      throw std::invalid_argument(
          fmt::format("`{}`: '{}' is no size: write one to three numbers, as in 64,64", option, text));
    if (*value < 1 || *value > most[i])
      throw std::invalid_argument(
          fmt::format("`{}`: {} is out of range: {} has 1 to {}", option, *value, "xyz"[i], most[i]));
    result[i] = int(*value);
    if (end == rest.size()) return result;
    rest.remove_prefix(end + 1);
  }
  throw std::invalid_argument(fmt::format("`{}`: '{}' has more than three dimensions", option, text));
}

/// "42=1000", "kernel.cu:42=1000", "0x2a0=1000".
GivenTurns parse_trips(const std::string& text) {
  const auto refuse = [&]() -> GivenTurns {
    throw std::invalid_argument(
        fmt::format("`trips`: '{}' is no loop and number: write a line, as in 42=1000 or kernel.cu:42=1000, "
                    "or an address",
                    text));
  };
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos) return refuse();
  const auto turns = whole(std::string_view(text).substr(equals + 1));
  std::string_view place = std::string_view(text).substr(0, equals);
  if (!turns || place.empty()) return refuse();
  GivenTurns given;
  given.turns = double(*turns);
  if (place.starts_with("0x")) {
    place.remove_prefix(2);
    const auto [end, error] = std::from_chars(place.data(), place.data() + place.size(), given.address, 16);
    return error == std::errc{} && end == place.data() + place.size() ? given : refuse();
  }
  if (const std::size_t colon = place.rfind(':'); colon != place.npos) {
    given.file = place.substr(0, colon);
    place.remove_prefix(colon + 1);
  }
  const auto line = whole(place);
  constexpr long most_lines = 1L << 30;
  if (!line || *line < 1 || *line > most_lines) return refuse();
  given.line = int(*line);
  return given;
}

/// Without its parameters: "void scale<float>".
std::string without_parameters(const std::string& symbol) {
  const std::string whole = demangled(symbol);
  const std::size_t name = whole.find(short_name(symbol));
  int depth = 0;
  for (std::size_t i = name == whole.npos ? 0 : name; i < whole.size(); ++i) {
    if (whole[i] == '<') ++depth;
    if (whole[i] == '>') --depth;
    if (whole[i] == '(' && depth == 0) return whole.substr(0, i);
  }
  return whole;
}

std::vector<std::string> names_of(const std::string& symbol) {
  std::string with_arguments = without_parameters(symbol);
  if (with_arguments.starts_with("void ")) with_arguments = with_arguments.substr(5);
  return {symbol, demangled(symbol), without_parameters(symbol), with_arguments, short_name(symbol)};
}

std::string list_of(const std::vector<const CubinKernel*>& kernels) {
  constexpr std::size_t most = 8;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, kernels.size()); ++i)
    names.push_back(without_parameters(kernels[i]->symbol));
  return fmt::format("{}{}", fmt::join(names, ", "), kernels.size() > most ? ", …" : "");
}

const CubinKernel& choose(const std::vector<CubinKernel>& kernels, const std::string& name,
                          const std::string& file) {
  std::vector<const CubinKernel*> all, found;
  std::vector<std::string> names;
  for (const CubinKernel& kernel : kernels) {
    all.push_back(&kernel);
    const std::vector<std::string> own = names_of(kernel.symbol);
    names.insert(names.end(), own.begin(), own.end());
    if (name.empty() || std::ranges::count(own, name) > 0) found.push_back(&kernel);
  }
  if (found.size() == 1) return *found.front();
  if (name.empty())
    throw std::invalid_argument(
        fmt::format("{} has {} kernels: choose one with `kernel`: {}", file, kernels.size(), list_of(all)));
  if (found.empty())
    throw std::invalid_argument(fmt::format("{} has no kernel '{}'{} (it has {})", file, name,
                                            did_you_mean(name, names), list_of(all)));
  throw std::invalid_argument(fmt::format("{} has {} kernels '{}': choose one by its mangled name, as {}",
                                          file, found.size(), name, found.front()->symbol));
}

}  // namespace

bool is_machine_code(const std::string& name) {
  const std::string extension = std::filesystem::path(name).extension();
  return extension == ".cubin" || extension == ".fatbin" || extension == ".ptx";
}

reports::MachineCodePrediction predict_machine_code(const std::string& file,
                                                    const MachineCodeOptions& options,
                                                    DeviceProfile profile) {
  const Caches caches = parse_caches(options.caches);
  constexpr std::array<long, 3> most_blocks{0x7fffffff, 65535, 65535}, most_threads{1024, 1024, 64};
  const LaunchGrid launch{sizes("grid", options.grid, most_blocks),
                          sizes("block", options.block, most_threads)};
  std::vector<GivenTurns> turns;
  for (const std::string& one : options.trips) turns.push_back(parse_trips(one));
  check_rates(profile);
  apply_what_if(options.what_if, profile);
  const Machine<double> machine = without_sequence(profile.machine);

  const std::string bytes = read_whole(file);
  std::vector<CubinKernel> kernels;
  try {
    kernels = kernels_of({bytes.data(), bytes.size()});
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", file, error.what()));
  }
  const CubinKernel& kernel = choose(kernels, options.kernel, file);
  const Disassembly code = disassemble({bytes.data(), bytes.size()}, kernel.index);

  reports::MachineCodePrediction answer{.file = file,
                                        .kernel = without_parameters(kernel.symbol),
                                        .architecture = code.compute_capability,
                                        .device = profile.name,
                                        .launch = launch,
                                        .caches = caches,
                                        .code = kernel.code,
                                        .has_lines = code.has_lines(),
                                        .what_if = options.what_if};
  answer.work = assumed_work(kernel, code, launch, options.shared, turns);
  if (const std::string why = why_not_priced(answer.work.launch); !why.empty())
    throw std::runtime_error(fmt::format("{}: {} cannot be predicted: {}", file, answer.kernel, why));
  std::vector<CountedLaunch> launches{counted_launch(answer.work.launch, machine, machine)};
  set_reach(launches, caches);
  answer.resident = launches.front().shape.resident;
  answer.demands = launches.front().work;
  const CountedRun run(answer.kernel, launches);
  answer.prediction = run.explained(machine);
  if (const auto error = error_of(answer.work))
    answer.prediction.interval_s = interval_of(answer.prediction.time_s, *error);
  if (options.sensitivities)
    answer.sensitivities =
        sensitivities(machine, [&](const Machine<Dual>& varied) { return run.seconds(varied); });
  return answer;
}

}  // namespace fathom::calls
