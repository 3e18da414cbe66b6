// What of the input each figure draws: series and runs picked, grouped and brought into the figures' ready
// values.
#include <fathom/algorithms/registry.h>
#include <fathom/reports/figures.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace fathom::reports {
namespace {

using NamedValues = std::map<std::string, int>;

constexpr std::string_view kind_names[] = {"throughput", "algorithms", "sweep", "saturation", "footprint",
                                           "conflicts",  "parity",     "terms", "machines",   "tradeoff"};

/// Of one algorithm and type.
struct Subject {
  std::string algorithm, type;
  auto operator<=>(const Subject&) const = default;
  std::string words() const { return algorithm + ", " + type; }
  std::string id() const { return algorithm + "-" + type; }
};

/// One configuration, by every law that predicts it.
struct Configuration {
  const Run* run;  ///< null for a prediction without measurement
  double n;
  NamedValues parameters;
  std::map<LawName, const Prediction*> predicted;  ///< calibrated comes last in LawName: see preferred()
};

const Prediction* preferred(const Configuration& configuration) {
  for (LawName law : {LawName::calibrated, LawName::published})
    if (const auto found = configuration.predicted.find(law); found != configuration.predicted.end())
      return found->second;
  return nullptr;
}

/// Every configuration on random input, measured or only predicted. A configuration that was measured more
/// than once stays one, with its first run.
std::map<Subject, std::vector<Configuration>> configurations(const ReportInput& input) {
  using Key = std::pair<double, NamedValues>;
  std::map<Subject, std::map<Key, Configuration>> found;
  const auto at = [&](const Subject& subject, double n, const NamedValues& parameters) -> Configuration& {
    return found[subject]
        .try_emplace({n, parameters}, Configuration{nullptr, n, parameters, {}})
        .first->second;
  };
  const auto add_run = [&](const Run& run) -> Configuration* {
    if (run.input != "random" || run.seconds.empty()) return nullptr;
    Configuration& configuration = at({run.algorithm, run.type}, run.n, run.parameters);
    if (!configuration.run) configuration.run = &run;
    return &configuration;
  };
  for (const auto& [law, comparison] : input.comparisons)
    for (const ComparedRun& compared : comparison.runs)
      if (Configuration* configuration = add_run(compared.run); configuration && compared.predicted)
        configuration->predicted.try_emplace(law, &*compared.predicted);
  for (const Dataset& dataset : input.datasets)
    for (const Run& run : dataset.runs) add_run(run);
  for (const PredictionReport& report : input.predictions) {
    const auto& values = report.problem.parameters;
    at({report.algorithm, std::string(name(report.problem.type))}, report.problem.n,
       NamedValues(values.begin(), values.end()))
        .predicted.try_emplace(report.law, &report.prediction);
  }
  std::map<Subject, std::vector<Configuration>> lists;
  for (auto& [subject, by_key] : found)
    for (auto& [key, configuration] : by_key) lists[subject].push_back(std::move(configuration));
  return lists;
}

std::string family_of(const std::string& slug) {
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.slug == slug) return algorithm.family;
  return "other";
}

std::string device_of(const ReportInput& input) {
  return input.profile.name;
}

bool has_any(const Configuration& configuration) {
  return configuration.run || !configuration.predicted.empty();
}

// ---- throughput
// ----------------------------------------------------------------------------------------------

/// The parameters that cover the most sizes, and of those the fastest at the largest size: the curve to show.
NamedValues parameters_to_show(const std::vector<Configuration>& all) {
  std::map<NamedValues, std::set<double>> sizes;
  for (const Configuration& one : all)
    if (has_any(one)) sizes[one.parameters].insert(one.n);
  std::size_t most = 0;
  double largest = 0;
  for (const auto& [parameters, covered] : sizes) {
    most = std::max(most, covered.size());
    largest = std::max(largest, *covered.rbegin());
  }
  const auto time_at_largest = [&](const NamedValues& parameters) {
    for (const Configuration& one : all)
      if (one.n == largest && one.parameters == parameters) {
        if (one.run) return quartiles(one.run->seconds).median;
        if (const Prediction* prediction = preferred(one)) return prediction->time_s;
      }
    return double(INFINITY);
  };
  const NamedValues* best = nullptr;
  double best_time = INFINITY;
  for (const auto& [parameters, covered] : sizes) {
    if (covered.size() < most) continue;
    const double time = time_at_largest(parameters);
    if (!best || time < best_time) {
      best = &parameters;
      best_time = time;
    }
  }
  return best ? *best : NamedValues{};
}

ThroughputCurve throughput_curve(const Subject& subject, const std::vector<Configuration>& all) {
  const NamedValues shown = parameters_to_show(all);
  ThroughputCurve curve;
  curve.label =
      shown.empty() ? subject.algorithm : fmt::format("{} ({})", subject.algorithm, parameters(shown));
  for (LawName law : {LawName::calibrated, LawName::published}) {
    ThroughputCurve::Law of_law{law, {}};
    for (const Configuration& one : all)
      if (one.parameters == shown && one.predicted.contains(law))
        of_law.points.push_back({one.n, *one.predicted.at(law)});
    if (!of_law.points.empty()) curve.predicted.push_back(std::move(of_law));
  }
  for (const Configuration& one : all)
    if (one.parameters == shown && one.run) curve.measured.push_back({one.n, quartiles(one.run->seconds)});
  return curve;
}

bool has_several_sizes(const ThroughputCurve& curve) {
  const auto several = [](const auto& points) { return points.size() > 1; };
  return several(curve.measured) ||
         std::any_of(curve.predicted.begin(), curve.predicted.end(),
                     [&](const ThroughputCurve::Law& law) { return several(law.points); });
}

const std::string bench_sizes_command = "fathom bench ALGORITHM --sizes 2^10..2^28 -o data.json";

/// What was measured of the family's baselines, in elements of this type.
std::vector<ThroughputCurve> baselines_of(const Subject& of,
                                          const std::map<Subject, std::vector<Configuration>>& all) {
  std::vector<ThroughputCurve> curves;
  for (const auto& [subject, configurations] : all) {
    if (subject.type != of.type || family_of(subject.algorithm) != family_of(of.algorithm)) continue;
    ThroughputCurve curve = throughput_curve(subject, configurations);
    if (curve.predicted.empty() && has_several_sizes(curve)) curves.push_back(std::move(curve));
  }
  return curves;
}

std::vector<FigureOrMissing> throughput_figures(const ReportInput& input) {
  std::vector<FigureOrMissing> all;
  const auto by_subject = configurations(input);
  for (const auto& [subject, of_subject] : by_subject) {
    const ThroughputCurve curve = throughput_curve(subject, of_subject);
    if (curve.predicted.empty() || !has_several_sizes(curve)) continue;  // baselines: beside the others
    all.push_back(throughput_figure("throughput-" + subject.id(),
                                    fmt::format("{} {} on {}", curve.label, subject.type, device_of(input)),
                                    {curve}, baselines_of(subject, by_subject)));
  }
  if (all.empty())
    all.push_back(Missing{"Throughput against n", "no algorithm was predicted or measured at several sizes",
                          bench_sizes_command});
  return all;
}

/// Reductions and scans of one type in one picture: a scan's elements cost twice the traffic of a
/// reduction's, and the slowest a hundred times the time of the fastest, hence the logarithmic axis.
Figure reductions_and_scans(const std::string& type, const std::vector<ThroughputCurve>& reductions,
                            const std::vector<ThroughputCurve>& scans, const std::string& device) {
  std::vector<ThroughputCurve> curves = reductions;
  curves.insert(curves.end(), scans.begin(), scans.end());
  for (ThroughputCurve& curve : curves)  // its parameters stand in its own family's picture
    curve.label = curve.label.substr(0, curve.label.find(' '));
  Figure figure = throughput_figure(algorithms_figure_id("reduce-and-scan", type),
                                    fmt::format("All reductions and scans, {}, on {}", type, device), curves);
  figure.y.scale = Scale::log2;
  return figure;
}

std::vector<FigureOrMissing> algorithm_figures(const ReportInput& input) {
  std::map<std::pair<std::string, std::string>, std::vector<ThroughputCurve>> by_family_and_type;
  for (const auto& [subject, configurations] : configurations(input))
    if (ThroughputCurve curve = throughput_curve(subject, configurations); has_several_sizes(curve))
      by_family_and_type[{family_of(subject.algorithm), subject.type}].push_back(std::move(curve));
  std::vector<FigureOrMissing> all;
  for (const auto& [key, curves] : by_family_and_type)
    if (const auto scans = by_family_and_type.find({"scan", key.second});
        key.first == "reduce" && scans != by_family_and_type.end())
      all.push_back(reductions_and_scans(key.second, curves, scans->second, device_of(input)));
  for (auto& [key, curves] : by_family_and_type) {
    const auto& [family, type] = key;
    if (curves.size() > 1)
      all.push_back(throughput_figure(
          algorithms_figure_id(family, type),
          fmt::format("All {} algorithms, {}, on {}", family, type, device_of(input)), curves));
  }
  if (all.empty())
    all.push_back(Missing{"Algorithms side by side",
                          "no two algorithms of a family were measured at several sizes",
                          "fathom bench sort-pairwise cub-merge --sizes 2^10..2^28 -o data.json"});
  return all;
}

// ---- sweeps and terms
// ----------------------------------------------------------------------------------------

/// All configurations of one n that vary one parameter most.
struct Sweep {
  double n;
  std::string parameter;
  std::map<NamedValues, std::vector<const Configuration*>>
      by_others;  ///< by the values of the other parameters
};

/// Sweeps are worth a figure from this many values of the parameter on.
constexpr std::size_t least_swept_values = 4;

std::vector<Sweep> sweeps(const std::vector<Configuration>& all) {
  std::map<double, std::map<std::string, std::set<int>>> values_at;
  for (const Configuration& one : all)
    for (const auto& [name, value] : one.parameters) values_at[one.n][name].insert(value);
  std::vector<Sweep> found;
  for (const auto& [n, by_name] : values_at) {
    const auto most = std::max_element(by_name.begin(), by_name.end(), [](const auto& a, const auto& b) {
      return a.second.size() < b.second.size();
    });
    if (most->second.size() < least_swept_values) continue;
    Sweep sweep{n, most->first, {}};
    for (const Configuration& one : all) {
      if (one.n != n || !one.parameters.contains(sweep.parameter)) continue;
      NamedValues others = one.parameters;
      others.erase(sweep.parameter);
      sweep.by_others[others].push_back(&one);
    }
    std::erase_if(sweep.by_others, [](const auto& entry) { return entry.second.size() < 2; });
    if (!sweep.by_others.empty()) found.push_back(std::move(sweep));
  }
  return found;
}

/// The smallest and the largest n that were swept: what changes between them is seen, and the report stays
/// short.
std::vector<Sweep> first_and_last(std::vector<Sweep> all) {
  if (all.size() > 2) all.erase(all.begin() + 1, all.end() - 1);
  return all;
}

double fastest_s(const std::vector<const Configuration*>& curve) {
  double fastest = INFINITY;
  for (const Configuration* one : curve) {
    if (one->run)
      fastest = std::min(fastest, quartiles(one->run->seconds).median);
    else if (const Prediction* prediction = preferred(*one))
      fastest = std::min(fastest, prediction->time_s);
  }
  return fastest;
}

SweepCurve sweep_curve(const std::string& parameter, const NamedValues& others,
                       const std::vector<const Configuration*>& configurations) {
  SweepCurve curve;
  if (!others.empty()) curve.label = parameters(others);
  for (const Configuration* one : configurations) {
    const double x = one->parameters.at(parameter);
    if (const Prediction* prediction = preferred(*one)) curve.predicted.push_back({x, *prediction});
    if (one->run) curve.measured.push_back({x, quartiles(one->run->seconds)});
  }
  return curve;
}

/// The curves of a sweep, in the order of the other parameters; the slowest are left out where there are too
/// many to be told apart.
std::vector<SweepCurve> sweep_curves(const Sweep& sweep) {
  constexpr std::size_t most_curves = 5;
  std::vector<double> times;
  for (const auto& [others, configurations] : sweep.by_others) times.push_back(fastest_s(configurations));
  std::sort(times.begin(), times.end());
  const double slowest_shown = times[std::min(times.size(), most_curves) - 1];
  std::vector<SweepCurve> curves;
  for (const auto& [others, configurations] : sweep.by_others)
    if (fastest_s(configurations) <= slowest_shown)
      curves.push_back(sweep_curve(sweep.parameter, others, configurations));
  return curves;
}

std::string parameter_label(const Subject& subject, const std::string& parameter) {
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.slug == subject.algorithm)
      for (const ParameterInfo& info : algorithm.parameters)
        if (info.name == parameter) return fmt::format("{}, {}", parameter, info.meaning);
  return parameter;
}

/// Logarithmic where only powers of two were swept, as they are for alpha.
Axis parameter_axis(const Subject& subject, const Sweep& sweep) {
  bool powers_of_two = true;
  for (const auto& [others, configurations] : sweep.by_others)
    for (const Configuration* one : configurations) {
      const int value = one->parameters.at(sweep.parameter);
      powers_of_two = powers_of_two && value > 0 && (value & (value - 1)) == 0;
    }
  return {.label = parameter_label(subject, sweep.parameter),
          .scale = powers_of_two ? Scale::log2 : Scale::linear};
}

std::string id_of(const Subject& subject, double n, const std::string& parameter) {
  return fmt::format("{}-{:.0f}-{}", subject.id(), n, parameter);
}

std::vector<FigureOrMissing> sweep_figures(const ReportInput& input) {
  std::vector<FigureOrMissing> all;
  for (const auto& [subject, configurations] : configurations(input))
    for (const Sweep& sweep : first_and_last(sweeps(configurations)))
      all.push_back(sweep_figure(
          "sweep-" + id_of(subject, sweep.n, sweep.parameter),
          fmt::format("{} at n = {}, on {}", subject.words(), elements(sweep.n), device_of(input)),
          parameter_axis(subject, sweep), sweep_curves(sweep)));
  if (all.empty())
    all.push_back(Missing{"Parameter sweeps", "no parameter was measured at four values or more for one n",
                          "fathom bench sort-pairwise --sizes 2^24 --set E=7,11,15,19,23 -o data.json"});
  return all;
}

std::optional<Figure> terms_over_n(const Subject& subject, const std::vector<Configuration>& configurations,
                                   const std::string& device) {
  const ThroughputCurve curve = throughput_curve(subject, configurations);
  if (curve.predicted.empty()) return std::nullopt;
  // Sizes between powers of two would squeeze the bars.
  std::vector<PredictedPoint> powers;
  int exponent;
  for (const PredictedPoint& point : curve.predicted.front().points)
    if (std::frexp(point.x, &exponent) == 0.5) powers.push_back(point);
  if (powers.size() < 2) return std::nullopt;
  return term_shares_figure(
      "terms-" + subject.id(),
      fmt::format("{} {} on {}: where the time goes", curve.label, subject.type, device), powers);
}

std::vector<FigureOrMissing> terms_figures(const ReportInput& input) {
  std::vector<FigureOrMissing> all;
  for (const auto& [subject, configurations] : configurations(input)) {
    if (auto figure = terms_over_n(subject, configurations, device_of(input))) all.push_back(*figure);
    const std::vector<Sweep> swept = sweeps(configurations);
    if (swept.empty()) continue;
    const Sweep& largest = swept.back();
    const auto fastest = std::min_element(
        largest.by_others.begin(), largest.by_others.end(),
        [](const auto& a, const auto& b) { return fastest_s(a.second) < fastest_s(b.second); });
    const SweepCurve curve = sweep_curve(largest.parameter, fastest->first, fastest->second);
    if (curve.predicted.empty()) continue;
    all.push_back(terms_figure(
        "terms-" + id_of(subject, largest.n, largest.parameter),
        fmt::format("{}{}{} at n = {}, on {}: where the time goes", subject.words(),
                    curve.label.empty() ? "" : ", ", curve.label, elements(largest.n), device_of(input)),
        parameter_axis(subject, largest), curve.predicted, curve.measured));
  }
  if (all.empty())
    all.push_back(Missing{"Time split into its terms", "nothing was predicted at several sizes or parameters",
                          bench_sizes_command});
  return all;
}

// ---- the profile's series
// ------------------------------------------------------------------------------------

double clock_of(const Series& series, const DeviceProfile& profile) {
  return series.clock_hz > 0 ? series.clock_hz : profile.machine.clock.value;
}

/// τ: clocks from one access of a thread to its next.
double clocks_per_access(const Series& series, const DeviceProfile& profile) {
  return quartiles(series.samples).median * clock_of(series, profile) / series.at.at("accesses");
}

/// Series of one question that carry these keys; others cannot be drawn.
std::vector<const Series*> series_of(const DeviceProfile& profile, std::string_view question,
                                     std::initializer_list<const char*> keys) {
  std::vector<const Series*> found;
  for (const Series& series : profile.series)
    if (series.question == question && !series.samples.empty() && series.unit == "s" &&
        std::all_of(keys.begin(), keys.end(), [&](const char* key) { return series.at.contains(key); }))
      found.push_back(&series);
  return found;
}

Missing missing_series(const std::string& title, const DeviceProfile& profile, std::string_view question) {
  return {title, fmt::format("profile '{}' holds no raw samples of {}", profile.name, question),
          "fathom calibrate -o profile.json"};
}

std::vector<FigureOrMissing> saturation_figures(const ReportInput& input) {
  constexpr std::tuple<Level, const char*, const char*> sweeps[] = {
      {Level::global, "global-copy", "Global memory"},
      {Level::l2, "l2-copy", "L2"},
      {Level::shared, "shared-copy", "Shared memory"},
      {Level::registers, "register-ops", "Registers"}};
  const DeviceProfile& profile = input.profile;
  std::vector<FigureOrMissing> all;
  for (const auto& [level, question, words] : sweeps) {
    const std::string title = fmt::format("{} of {}: saturation", words, profile.name);
    std::vector<SaturationSample> samples;
    for (const Series* series : series_of(profile, question, {"X", "I", "accesses"}))
      samples.push_back({series->at.at("X"), series->at.at("I"), clocks_per_access(*series, profile)});
    if (samples.empty())
      all.push_back(missing_series(title, profile, question));
    else
      all.push_back(saturation_figure(fmt::format("saturation-{}", name(level)), title,
                                      profile.machine.at(level), samples));
  }
  return all;
}

/// Bytes per second of each pass: without what launching it costs.
std::vector<Point> passes(const DeviceProfile& profile, std::string_view question) {
  std::vector<Point> points;
  const double overhead = profile.machine.launch_overhead.value_or(0),
               gap = profile.machine.kernel_gap.value_or(0);
  for (const Series* series : series_of(profile, question, {"bytes", "launches"})) {
    const double launches = series->at.at("launches"), bytes = series->at.at("bytes");
    const double pass = (quartiles(series->samples).median - overhead) / launches - gap;
    if (pass > 0) points.emplace_back(bytes, bytes / pass);
  }
  return points;
}

std::vector<FigureOrMissing> footprint_figures(const ReportInput& input) {
  const DeviceProfile& profile = input.profile;
  const std::string title = fmt::format("Bandwidth of {} against footprint", profile.name);
  std::vector<FootprintCurve> curves{
      {"copied", profile.machine.l2_half, passes(profile, "footprint-copy")},
      {"only read", profile.machine.l2_half_reading, passes(profile, "footprint-read")}};
  std::erase_if(curves, [](const FootprintCurve& curve) { return curve.points.empty(); });
  if (curves.empty()) return {missing_series(title, profile, "footprint-copy")};
  return {footprint_figure("footprint", title, profile.machine, curves)};
}

std::vector<FigureOrMissing> conflict_figures(const ReportInput& input) {
  const std::string title = fmt::format("Shared memory of {} under bank conflicts", input.profile.name);
  std::vector<ConflictSample> samples;
  for (const Series* series : series_of(input.profile, "conflict", {"degree", "X", "accesses"}))
    samples.push_back(
        {series->at.at("degree"), series->at.at("X"), clocks_per_access(*series, input.profile)});
  if (samples.empty()) return {missing_series(title, input.profile, "conflict")};
  return {conflict_figure("conflicts", title, input.profile.machine, samples)};
}

// ---- parity
// --------------------------------------------------------------------------------------------------

std::vector<FigureOrMissing> parity_figures(const ReportInput& input) {
  std::vector<FigureOrMissing> all;
  for (const auto& [law, comparison] : input.comparisons) {
    const bool any = std::any_of(comparison.runs.begin(), comparison.runs.end(),
                                 [](const ComparedRun& run) { return run.predicted.has_value(); });
    if (any)
      all.push_back(parity_figure(
          fmt::format("parity-{}", law_name(law)),
          fmt::format("Measured against predicted on {}, law {}", comparison.device, law_name(law)),
          comparison.runs));
  }
  if (all.empty())
    all.push_back(
        Missing{"Measured against predicted", "no measured run has a prediction", bench_sizes_command});
  return all;
}

// ---- memory machines
// ----------------------------------------------------------------------------------------

struct MemoryWords {
  MachineKind kind;
  const char *id, *words;
};
constexpr MemoryWords memories[] = {{MachineKind::umm, "umm", "the UMM (global memory)"},
                                    {MachineKind::dmm, "dmm", "the DMM (shared memory)"}};
struct VariableWords {
  MachineVariable variable;
  const char *id, *words;
};
constexpr VariableWords variables[] = {{MachineVariable::n, "n", "elements"},
                                       {MachineVariable::threads, "threads", "threads"},
                                       {MachineVariable::width, "width", "banks"},
                                       {MachineVariable::latency, "latency", "latency"},
                                       {MachineVariable::rows, "rows", "rows of a tile"}};

/// The algorithms of one family side by side, one figure for each memory and variable.
std::vector<FigureOrMissing> machine_figures(const ReportInput& input) {
  if (input.machine_sweeps.empty())
    return {Missing{"Time units on the memory machines", "nothing was counted", "fathom report"}};
  std::map<std::string, std::vector<MachineSweep>> families;
  for (const MachineSweep& sweep : input.machine_sweeps)
    families[algorithm(sweep.algorithm).family].push_back(sweep);
  std::vector<FigureOrMissing> all;
  for (const auto& [family, sweeps] : families)
    for (const MemoryWords& memory : memories)
      for (const VariableWords& over : variables) {
        std::vector<MachineSweep> drawn;
        for (const MachineSweep& sweep : sweeps)
          if (sweep.kind == memory.kind && sweep.variable == over.variable) drawn.push_back(sweep);
        if (drawn.empty()) continue;
        all.push_back(
            machine_figure(fmt::format("machines-{}-{}-{}", family, memory.id, over.id),
                           fmt::format("{} on {}: time units over {}", family, memory.words, over.words),
                           over.variable, drawn));
      }
  return all;
}

// ---- the trade-off of α
// --------------------------------------------------------------------------------------

void add_rows_figures(std::vector<FigureOrMissing>& all, const std::string& id, const std::string& where,
                      const std::vector<TradeOff>& gpus) {
  all.push_back(
      rows_bandwidth_figure("tradeoff-bandwidth-" + id, "Matrix scan over α: bandwidth, " + where, gpus));
  if (std::any_of(gpus.begin(), gpus.end(), [](const TradeOff& gpu) { return !gpu.predicted.empty(); }))
    all.push_back(rows_multiplicity_figure("tradeoff-multiplicity-" + id,
                                           "Matrix scan over α: multiplicity, " + where, gpus));
}

/// The profile's GPU with what was measured on it, and then the others side by side.
std::vector<FigureOrMissing> tradeoff_figures(const ReportInput& input) {
  const Missing no_runs{"The trade-off of α",
                        "scan-matrix was not measured at nearly every α and the default t for one n",
                        "fathom bench scan-matrix --sizes 2^28 --set alpha=1..32 -o data.json"};
  std::vector<TradeOff> own, others;
  for (const TradeOff& gpu : input.trade_offs)
    if (!gpu.predicted.empty() || !gpu.measured.empty())
      (gpu.device == device_of(input) ? own : others).push_back(gpu);
  std::vector<FigureOrMissing> all;
  for (const TradeOff& gpu : own)
    add_rows_figures(
        all, "own",
        fmt::format("n = {}, t = {}, on {}", elements(gpu.n), gpu.threads_per_block, device_of(input)),
        {gpu});
  if (own.empty() || own.front().measured.empty()) all.push_back(no_runs);
  if (!others.empty()) add_rows_figures(all, "others", "published law, any n", others);
  return all;
}

}  // namespace

std::string_view name(FigureKind kind) {
  return kind_names[std::size_t(kind)];
}

FigureKind parse_figure_kind(std::string_view text) {
  const auto found = std::find(std::begin(kind_names), std::end(kind_names), text);
  if (found == std::end(kind_names))
    throw std::invalid_argument(
        fmt::format("no figure '{}': choose one of {}", text, fmt::join(kind_names, ", ")));
  return FigureKind(found - std::begin(kind_names));
}

std::vector<FigureOrMissing> figures(const ReportInput& input, FigureKind kind) {
  switch (kind) {
    case FigureKind::throughput:
      return throughput_figures(input);
    case FigureKind::algorithms:
      return algorithm_figures(input);
    case FigureKind::sweep:
      return sweep_figures(input);
    case FigureKind::saturation:
      return saturation_figures(input);
    case FigureKind::footprint:
      return footprint_figures(input);
    case FigureKind::conflicts:
      return conflict_figures(input);
    case FigureKind::parity:
      return parity_figures(input);
    case FigureKind::terms:
      return terms_figures(input);
    case FigureKind::machines:
      return machine_figures(input);
    case FigureKind::tradeoff:
      return tradeoff_figures(input);
  }
  return {};
}

}  // namespace fathom::reports
