// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/papers.h>

#include <fathom/algorithms/gpus/rank_parts.h>
#include <fathom/calibration/predictor.h>
#include <fathom/calibration/run_parameters.h>
#include <fathom/calls/predicting/trade_off.h>
#include <fathom/calls/profiles.h>
#include <fathom/counting/work.h>
#include <fathom/reports/quantities.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom::calls {
namespace {

using reports::PaperConflicts, reports::PaperCycles, reports::PaperFigures, reports::PaperPlateaus,
    reports::PaperSweep;

const std::vector<std::string> of_karsin{"m4000", "gtx770", "k40m"};

/// A figure over a parameter, as its paper has it.
struct Swept {
  const char *slug, *parameter;
  double n;
  KeyAndValue type;
  Parameters fixed;  ///< the other parameters default
  std::vector<std::string> gpus;
};
/// The instructions that merrill2010 prints are GT200's: of its eight GPUs, those with this architecture.
const std::vector<Swept> swept{
    {"sort-pairwise", "E", 1e8, {ElementType::u32, {}}, {{"t", 128}}, of_karsin},
    {"sort-multiway-separators", "K", 1e8, {ElementType::u32, {}}, {}, of_karsin},
    {"sort-mms-shuffles", "K", 1e8, {ElementType::u32, {}}, {}, of_karsin},
    {"scan-matrix", "alpha", 0x1p28, {ElementType::u32, {}}, {}, {"k20c"}},
    {"radix-lsd", "d", 0x1p24, {ElementType::u32, ElementType::u32}, {}, {"gtx285", "gtx280", "c1060"}}};

/// A bar of merrill2010's thread-cycles.
struct Counted {
  const char* slug;
  KeyAndValue type;
  Parameters fixed;
};
constexpr int paper_digit = 4;
/// The older scheme has tiles of 1,024 keys.
const std::vector<Counted> counted_cycles{
    {"radix-lsd", {ElementType::u32, {}}, {{"d", paper_digit}}},
    {"radix-lsd", {ElementType::u32, ElementType::u32}, {{"d", paper_digit}}},
    {"radix-tiled", {ElementType::u32, {}}, {{"d", paper_digit}, {"t", 256}, {"E", 4}}},
    {"radix-tiled", {ElementType::u32, ElementType::u32}, {{"d", paper_digit}, {"t", 256}, {"E", 4}}}};
constexpr double cycles_n = 0x1p24;

Problem problem_with(const Descriptor& algorithm, double n, const KeyAndValue& type,
                     const Parameters& fixed) {
  Problem problem = algorithm.problem(n, Instantiation(type, false));
  for (const auto& [name, value] : fixed) problem.parameters.set(name, value);
  return problem;
}

/// "2,4,8", or "3..47" for consecutive values.
std::string list_of(const std::vector<int>& values) {
  if (values.back() - values.front() + 1 == int(values.size()))
    return fmt::format("{}..{}", values.front(), values.back());
  return fmt::format("{}", fmt::join(values, ","));
}

std::string bench_command(const Swept& of) {
  std::string command = fmt::format("fathom bench {} --sizes {}", of.slug, reports::elements(of.n));
  if (of.type.value) command += " --type " + type_text(of.type);
  for (const auto& [name, value] : of.fixed) command += fmt::format(" --set {}={}", name, value);
  const ParameterInfo& swept = *algorithm(of.slug).find_parameter(of.parameter);
  return command + fmt::format(" --set {}={} -o {}.json", of.parameter, list_of(swept.values), of.slug);
}

/// "n = 1e8, u32, t = 128": what the formula of the paper depends on.
std::string setting_of(const Swept& of) {
  std::string setting = fmt::format("n = {}, {}", reports::elements(of.n), type_text(of.type));
  if (of.fixed != Parameters{}) setting += ", " + reports::parameters(of.fixed);
  return setting;
}

PaperSweep sweep_of(const Swept& of, const DegreeQuestion& question, const std::vector<Dataset>& datasets) {
  const Algorithm& algorithm = fathom::algorithm(of.slug);
  // Two values in three make a curve, and a campaign may well skip some.
  const Preference preferred{.problem = problem_with(algorithm, of.n, of.type, of.fixed),
                             .least_share = 2 / 3.};
  PaperSweep sweep{.paper = algorithm.source,
                   .papers = {},
                   .setting = setting_of(of),
                   .here = {},
                   .bench = bench_command(of)};
  for (const std::string& gpu : of.gpus)
    sweep.papers.push_back(
        trade_off(built_in_profile(gpu), algorithm, of.parameter, {LawName::published}, {}, {}, preferred));
  sweep.here =
      trade_off(question.profile, algorithm, of.parameter, question.laws, datasets, question.work, preferred);
  return sweep;
}

std::string cycles_command() {
  std::vector<std::string> slugs, types;
  const auto add = [](std::vector<std::string>& to, const std::string& text) {
    if (std::ranges::count(to, text) == 0) to.push_back(text);
  };
  for (const Counted& of : counted_cycles) add(slugs, of.slug), add(types, type_text(of.type));
  return fmt::format("fathom bench {} --sizes {} --type {} --set d={} -o cycles.json", fmt::join(slugs, " "),
                     reports::elements(cycles_n), fmt::join(types, ","), paper_digit);
}

PaperPlateaus plateaus_of(Level level) {
  PaperPlateaus plateaus{.paper = "karsin2018 §3", .level = level, .gpus = {}};
  for (const std::string& gpu : of_karsin) {
    const Machine<double> machine = built_in_profile(gpu).machine;
    plateaus.gpus.push_back(
        {gpu, machine.at(level),
         double(machine.limits.threads_per_multiprocessor) / machine.cores_per_multiprocessor});
  }
  return plateaus;
}

/// The phases' accesses of registers are thread-instructions, of which a core does one per cycle.
std::vector<PaperCycles::Part> cycles_of_phases(const Prediction& prediction, double n) {
  std::vector<PaperCycles::Part> parts;
  for (const PhaseTime& phase : prediction.phases)
    if (phase.level == Level::registers) parts.push_back({std::string(phase.phase), phase.accesses / n});
  return parts;
}

std::vector<PaperCycles::Part> cycles_of_kernels(const Prediction& prediction, double cycles_per_second) {
  std::vector<PaperCycles::Part> parts;
  for (const KernelTime& kernel : prediction.kernels)
    parts.push_back({kernel.kernel, kernel.seconds * cycles_per_second});
  return parts;
}

/// All cores' cycles in a second.
double core_rate(const Machine<double>& machine) {
  return machine.clock.value * machine.multiprocessors * machine.cores_per_multiprocessor;
}

/// The fastest run with the digit of the figure, whatever its other parameters, at the largest n.
const Measurement* fastest_run(const Counted& of, const std::vector<Dataset>& datasets) {
  const Measurement* best = nullptr;
  const auto is_better = [](const Measurement& a, const Measurement& b) {
    if (a.problem.n != b.problem.n) return a.problem.n > b.problem.n;
    return quartiles(a.seconds).median < quartiles(b.seconds).median;
  };
  for (const Dataset& dataset : datasets)
    for (const Measurement& run : dataset.runs) {
      const Problem& problem = run.problem;
      if (run.algorithm != of.slug || run.input != Input::random || run.seconds.empty() ||
          type_text(problem) != type_text(of.type) || problem.stable || problem.order != Order::ascending ||
          !problem.parameters.contains("d") || problem.parameters.at("d") != paper_digit)
        continue;
      if (!best || is_better(run, *best)) best = &run;
    }
  return best;
}

PaperCycles cycles(const DegreeQuestion& question, const std::vector<Dataset>& datasets) {
  const DeviceProfile old = built_in_profile("gtx285");
  const DeviceProfile& here = question.profile;
  PaperCycles result{.paper = algorithm(counted_cycles.front().slug).source,
                     .setting = fmt::format("d = {} bits per digit", paper_digit),
                     .papers = {old.name, std::string(name(LawName::published)), {}},
                     .here = {here.name, std::string(name(LawName::counted)), {}}};
  for (const Counted& of : counted_cycles) {
    const Algorithm& algorithm = fathom::algorithm(of.slug);
    const Problem problem = problem_with(algorithm, cycles_n, of.type, of.fixed);
    const std::string label = fmt::format("{}, {}", of.slug, type_text(of.type));
    result.papers.sorts.push_back(
        {label,
         cycles_of_phases(Predictor(old, algorithm, Law{.law = LawName::published})(problem), problem.n)});
    PaperCycles::Sort now{label, {}};
    const Measurement* run = fastest_run(of, datasets);
    const Problem solved = run ? problem_of(algorithm, *run) : problem;
    const double rate = core_rate(here.machine) / solved.n;
    if (run) {
      const Quartiles seconds = quartiles(run->seconds);
      now.measured = {seconds.low * rate, seconds.median * rate, seconds.high * rate};
    }
    if (std::ranges::count(question.laws, LawName::counted)) try {
        now.parts = cycles_of_kernels(
            Predictor(here, algorithm, Law{.law = LawName::counted}, question.work).explained(solved), rate);
      } catch (const WorkUnavailable&) {
      } catch (const MissingConstant&) {
      }
    result.here.sorts.push_back(std::move(now));
  }
  const auto is_unknown = [](const PaperCycles::Sort& sort) { return sort.parts.empty() && !sort.measured; };
  if (std::ranges::all_of(result.here.sorts, is_unknown)) result.here.sorts.clear();
  return result;
}

PaperConflicts conflicts(const DegreeQuestion& question) {
  PaperConflicts result{.paper = "karsin2018 §5", .sweeps = {}};
  const std::vector<std::pair<const char*, Parameters>> compared{{"sort-pairwise", {{"E", 15}, {"t", 128}}},
                                                                 {"sort-mms-shuffles", {}}};
  for (const auto& [slug, fixed] : compared) {
    question.progress(fmt::format("conflicts of {}", slug), result.sweeps.size(), compared.size());
    const Algorithm& algorithm = fathom::algorithm(slug);
    result.sweeps.push_back(conflicts_over_degree(
        question, algorithm, problem_with(algorithm, 1, {ElementType::u32, {}}, fixed), Input::sortedness));
  }
  return result;
}

}  // namespace

std::vector<std::string> paper_bench_commands() {
  std::vector<std::string> commands;
  for (const Swept& of : swept) commands.push_back(bench_command(of));
  commands.push_back(cycles_command());
  return commands;
}

PaperFigures paper_figures(const DegreeQuestion& question, const std::vector<Dataset>& datasets) {
  PaperFigures figures;
  for (const Swept& of : swept) {
    question.progress(fmt::format("{} over {}", of.slug, of.parameter), figures.sweeps.size(), swept.size());
    figures.sweeps.push_back(sweep_of(of, question, datasets));
  }
  for (const Level level : {Level::global, Level::shared, Level::registers})
    figures.plateaus.push_back(plateaus_of(level));
  figures.cycles.push_back(cycles(question, datasets));
  figures.conflicts.push_back(conflicts(question));
  return figures;
}

WorkLookup known_work_lookup(const DeviceProfile& profile) {
  return
      [&profile](const Descriptor& of, const Instantiation& type, const Parameters& parameters, Input input) {
        Case wanted{&algorithm_or_part(of.slug), of.problem(1, type), input};
        wanted.problem.parameters = parameters;
        auto known = profile.architecture ? known_work(wanted, *profile.architecture) : std::nullopt;
        if (!known) throw WorkUnavailable(fmt::format("the work of {} is not known", of.slug));
        return std::make_shared<const AlgorithmWork>(*std::move(known));
      };
}

}  // namespace fathom::calls
