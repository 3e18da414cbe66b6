// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/system/whole_file.h>
#include <fathom/core/text/nearest.h>
#include <fathom/model/constants.h>
#include <fathom/store/estimate_json.h>
#include <fathom/store/json_fields.h>
#include <fathom/store/links_json.h>
#include <fathom/store/profile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fathom {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view schema = "fathom.profile";

// Ranges that a profile can have, beside the physical ranges of the machine's constants (model/machine.h).
constexpr int most_units = 1 << 20;  ///< multiprocessors, cores, threads, blocks
constexpr int least_architecture = 10, most_architecture = 999;
constexpr Range shared_bytes{1024, 1e12};
constexpr Range reserved_bytes{0, 1e6};
constexpr Range memory_bytes{1, 1e18};
constexpr Range errors{0, 1e3};      ///< relative
constexpr Range knees{0, 1e9};       ///< accesses in flight per core
constexpr Range factors{1e-3, 1e3};  ///< of an algorithm's fit
constexpr Range covariances{-1e3, 1e3};
constexpr Range raw{-1e18, 1e18};  ///< samples and coordinates: what is out of place is not fitted

/// The file's version: that of the newest constant.
int current_version() {
  return std::ranges::max(constants<double>(), {}, &ConstantInfo::since).since;
}

Json limits_to_json(const OccupancyLimits& limits) {
  return {{"threads_per_multiprocessor", limits.threads_per_multiprocessor},
          {"blocks_per_multiprocessor", limits.blocks_per_multiprocessor},
          {"threads_per_block", limits.threads_per_block},
          {"registers_per_multiprocessor", limits.registers_per_multiprocessor},
          {"register_granularity", limits.register_granularity},
          {"shared_bytes_per_multiprocessor", exact(limits.shared_bytes_per_multiprocessor)},
          {"shared_bytes_per_block", exact(limits.shared_bytes_per_block)},
          {"shared_bytes_reserved", exact(limits.shared_bytes_reserved)}};
}

OccupancyLimits parse_limits(const Field& field) {
  OccupancyLimits limits;
  limits.threads_per_multiprocessor = field.at("threads_per_multiprocessor").integer(1, most_units);
  limits.blocks_per_multiprocessor = field.at("blocks_per_multiprocessor").integer(1, most_units);
  limits.threads_per_block = field.at("threads_per_block").integer(1, most_units);
  limits.registers_per_multiprocessor = field.at("registers_per_multiprocessor").integer(1, 1 << 28);
  limits.register_granularity = field.at("register_granularity").integer(1, most_units);
  limits.shared_bytes_per_multiprocessor = field.at("shared_bytes_per_multiprocessor").number(shared_bytes);
  limits.shared_bytes_per_block = field.at("shared_bytes_per_block").number(shared_bytes);
  limits.shared_bytes_reserved = field.at("shared_bytes_reserved").number(reserved_bytes);
  return limits;
}

/// The properties that the driver reports; measured constants are stored separately, in `constants`.
Json machine_to_json(const Machine<double>& machine) {
  return {{"name", machine.name},
          {"multiprocessors", machine.multiprocessors},
          {"cores_per_multiprocessor", machine.cores_per_multiprocessor},
          {"warp_width", machine.warp_width},
          {"clock_hz", exact(machine.clock.value)},
          {"global_memory_bytes", exact(machine.global_memory.value)},
          {"l2_capacity_bytes", machine.l2_capacity ? exact(machine.l2_capacity->value) : Json(nullptr)},
          {"limits", limits_to_json(machine.limits)}};
}

Machine<double> parse_machine(const Field& field) {
  Machine<double> machine;
  machine.name = field.at("name").text();
  machine.multiprocessors = field.at("multiprocessors").integer(1, most_units);
  machine.cores_per_multiprocessor = field.at("cores_per_multiprocessor").integer(1, most_units);
  machine.warp_width = field.at("warp_width").integer(1, 1024);
  machine.clock = Hertz{field.at("clock_hz").number(clocks_hz)};
  machine.global_memory = Bytes{field.at("global_memory_bytes").number(memory_bytes)};
  if (const Field l2 = field.at("l2_capacity_bytes"); !l2.is_null())
    machine.l2_capacity = Bytes{l2.number(memory_bytes)};
  machine.limits = parse_limits(field.at("limits"));
  return machine;
}

Json constants_to_json(const DeviceProfile& profile) {
  Json json = Json::object();
  for (const ConstantRow<double>& constant : constants<double>()) {
    const std::optional<double>& value = constant.member.of(profile.machine);
    json[std::string(constant.name)] =
        value ? estimate_to_json({*value, profile.interval_of(constant.name)}, suffix(constant.unit))
              : Json(nullptr);
  }
  return json;
}

/// A constant that no version has would be lost without a word.
void check_constants_known(const Field& fields) {
  std::vector<std::string> names;
  for (const ConstantRow<double>& constant : constants<double>()) names.emplace_back(constant.name);
  for (const auto& [name, value] : fields.members())
    if (std::ranges::count(names, name) == 0) value.fail("is no constant" + did_you_mean(name, names));
}

/// Every constant of the file's version must be present, null if unknown. Otherwise a misspelt one would
/// count as unmeasured.
void parse_constants(const Field& fields, int version, DeviceProfile& profile) {
  for (const ConstantRow<double>& constant : constants<double>()) {
    if (version < constant.since) continue;
    const Field field = fields.at(constant.name);
    if (field.is_null()) continue;
    const Estimate estimate = parse_estimate(field, suffix(constant.unit), constant.range);
    constant.member.of(profile.machine) = estimate.value;
    profile.estimates.emplace(constant.name, estimate);
  }
  check_constants_known(fields);
}

Json quality_to_json(const std::map<std::string, FitQuality>& quality) {
  Json levels = Json::object();
  for (const auto& [level, fit] : quality)
    levels[level] = {{"mean_relative_error", exact(fit.mean_relative_error)},
                     {"worst_relative_error", exact(fit.worst_relative_error)},
                     {"knee_accesses_per_core", exact(fit.knee)}};
  return levels;
}

std::map<std::string, FitQuality> parse_quality(const Field& levels) {
  std::map<std::string, FitQuality> quality;
  for (const auto& [level, field] : levels.members())
    quality[level] = {field.at("mean_relative_error").number(errors),
                      field.at("worst_relative_error").number(errors),
                      field.at("knee_accesses_per_core").number(knees)};
  return quality;
}

Json fit_to_json(const AlgorithmFit& fit) {
  Json covariance = Json::array();
  for (double entry : fit.covariance) covariance.push_back(exact(entry));
  return {{"algorithm", fit.algorithm},
          {"factors",
           {{"work", estimate_to_json(fit.factors.work, "")},
            {"waiting", estimate_to_json(fit.factors.waiting, "")}}},
          {"covariance_log", covariance},
          {"residual_log", exact(fit.residual)},
          {"runs", fit.runs},
          {"dataset", fit.dataset}};
}

/// A covariance matrix is symmetric and has no negative eigenvalue, but for rounding.
std::array<double, 4> parse_covariance(const Field& field) {
  const std::vector<double> entries = field.numbers(covariances);
  if (entries.size() != 4) field.fail("must have four numbers: a row and a column for each factor");
  const double a = entries[0], b = entries[1], c = entries[2], d = entries[3];
  const double rounding = 1e-9 * std::max({std::abs(a), std::abs(b), std::abs(d)});
  if (std::abs(b - c) > rounding) field.fail("must be symmetric");
  const double smaller = (a + d) / 2 - std::hypot((a - d) / 2, b);
  if (smaller < -rounding) field.fail("must have no negative eigenvalue");
  return {a, b, c, d};
}

bool has_old_layout(const Field& fit) {
  return fit.find("constants") || fit.find("q") || fit.find("type");
}

AlgorithmFit parse_fit(const Field& field) {
  if (has_old_layout(field))
    field.fail(
        "is a fit of an older version, whose law is gone: replace all of them with fathom fit DATASETS "
        "`profile=FILE`");
  AlgorithmFit fit;
  fit.algorithm = field.at("algorithm").text();
  const Field values = field.at("factors");
  fit.factors.work = parse_estimate(values.at("work"), "", factors);
  fit.factors.waiting = parse_estimate(values.at("waiting"), "", factors);
  fit.covariance = parse_covariance(field.at("covariance_log"));
  fit.residual = field.at("residual_log").number(errors);
  fit.runs = std::size_t(field.at("runs").integer(0, std::numeric_limits<int>::max()));
  fit.dataset = field.at("dataset").text();
  return fit;
}

Json series_to_json(const Series& series) {
  Json coordinates = Json::object();
  for (const auto& [key, value] : series.coordinates) coordinates[key] = exact(value);
  Json samples = Json::array();
  for (double sample : series.samples) samples.push_back(rounded(sample));
  return {{"question", series.benchmark},
          {"at", coordinates},
          {"unit", series.unit},
          {"clock_hz", rounded_or_null(series.clock_hz)},
          {"clock_moved", series.clock_moved},
          {"samples", samples}};
}

Series parse_series(const Field& field) {
  Series series;
  series.benchmark = field.at("question").text();
  for (const auto& [key, value] : field.at("at").members()) series.coordinates[key] = value.number(raw);
  series.unit = field.at("unit").text();
  series.clock_hz = field.at("clock_hz").is_null() ? 0 : field.at("clock_hz").number(clocks_hz);
  series.clock_moved = field.at("clock_moved").boolean();
  series.samples = field.at("samples").numbers(raw);
  return series;
}

}  // namespace

std::optional<Interval> DeviceProfile::interval_of(std::string_view constant) const {
  const auto found = estimates.find(std::string(constant));
  return found == estimates.end() ? std::nullopt : found->second.interval;
}

const AlgorithmFit* DeviceProfile::find_fit(std::string_view algorithm) const {
  const auto found = std::ranges::find(algorithms, algorithm, &AlgorithmFit::algorithm);
  return found == algorithms.end() ? nullptr : &*found;
}

std::string to_json(const DeviceProfile& profile) {
  Json fits = Json::array();
  for (const AlgorithmFit& fit : profile.algorithms) fits.push_back(fit_to_json(fit));
  Json head = {{"schema", schema},
               {"version", current_version()},
               {"name", profile.name},
               {"origin", profile.origin},
               {"provenance", to_json(profile.provenance)},
               {"architecture", profile.architecture ? Json(*profile.architecture) : Json(nullptr)},
               {"machine", machine_to_json(profile.machine)},
               {"constants", constants_to_json(profile)},
               {"quality", quality_to_json(profile.quality)},
               {"warnings", profile.warnings},
               {"algorithms", fits}};
  // Only where there is something to say: older files, profiles of single GPUs, and those that can be
  // believed do not have it.
  if (profile.machine.links) head["links"] = links_to_json(*profile.machine.links);
  if (!profile.implausible.empty()) head["implausible"] = profile.implausible;
  std::vector<Json> series;
  series.reserve(profile.series.size());
  for (const Series& one : profile.series) series.push_back(series_to_json(one));
  std::string text = document_with_records(head, "series", series);
  parse_profile(text, "the profile to write");
  return text;
}

DeviceProfile parse_profile(const std::string& text, const std::string& where, OldFits old_fits) {
  const Json json = parse_json(text, where);
  const Field document(json, where);
  const int version = checked_version(document, schema, current_version());

  DeviceProfile profile;
  profile.name = document.at("name").text();
  profile.origin = document.at("origin").text();
  constexpr std::string_view origins[] = {"measured", "published", "published rates", "scaled"};
  if (!std::ranges::count(origins, profile.origin))
    document.at("origin").fail("must be 'measured', 'published', 'published rates' or 'scaled'");
  profile.provenance = parse_provenance(document.at("provenance"));
  if (const auto architecture = document.find("architecture"); architecture && !architecture->is_null())
    profile.architecture = architecture->integer(least_architecture, most_architecture);
  profile.machine = parse_machine(document.at("machine"));
  parse_constants(document.at("constants"), version, profile);
  if (const auto links = document.find("links")) profile.machine.links = parse_links(*links);
  profile.quality = parse_quality(document.at("quality"));
  for (const Field& warning : document.at("warnings").elements()) profile.warnings.push_back(warning.text());
  if (const auto implausible = document.find("implausible"))
    for (const Field& reason : implausible->elements()) profile.implausible.push_back(reason.text());
  for (const Field& fit : document.at("algorithms").elements())
    if (old_fits == OldFits::refused || !has_old_layout(fit)) profile.algorithms.push_back(parse_fit(fit));
  for (const Field& series : document.at("series").elements()) profile.series.push_back(parse_series(series));
  return profile;
}

DeviceProfile read_profile(const std::filesystem::path& file, OldFits old_fits) {
  return parse_profile(read_whole(file), file.string(), old_fits);
}

void write_profile(const DeviceProfile& profile, const std::filesystem::path& file) {
  write_whole(file, to_json(profile));
}

}  // namespace fathom
