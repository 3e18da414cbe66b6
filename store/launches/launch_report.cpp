// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/system/whole_file.h>
#include <fathom/core/text/nearest.h>
#include <fathom/store/json_fields.h>
#include <fathom/store/launches/launch_report.h>
#include <fmt/format.h>

#include <algorithm>

namespace fathom {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view schema = "fathom.launches";

constexpr Range numbers{0, 1e15};  ///< bytes, instructions, clocks, hertz, seconds
constexpr std::size_t most_launches = 1'000'000, longest_name = 1000;
constexpr int most_threads = 1024;

Json or_null(const std::optional<double>& value) {
  return value ? exact(*value) : Json(nullptr);
}

std::optional<double> optional_in_range(const Field& field) {
  return field.is_null() ? std::nullopt : std::optional(field.number(numbers));
}

Json to_json(const WarpClocks& clocks) {
  Json json = Json::object();
  for (const WarpClocksMember& member : all_warp_clocks) json[member.name] = exact(clocks.*member.value);
  return json;
}

WarpClocks parse_warp_clocks(const Field& field) {
  WarpClocks clocks;
  for (const WarpClocksMember& member : all_warp_clocks)
    clocks.*member.value = field.at(member.name).number(numbers);
  if (clocks.utilization > 1) field.at("utilization").fail("must be between 0 and 1");
  return clocks;
}

Json to_json(const ReportedLaunch& launch) {
  Json json = {{"kernel", launch.kernel},
               {"blocks", exact(launch.blocks)},
               {"threads_per_block", launch.threads_per_block}};
  for (const LaunchNumber& number : launch_numbers) json[number.name] = or_null(launch.*number.value);
  json["warp_clocks"] = launch.warp ? to_json(*launch.warp) : Json(nullptr);
  Json work = Json::object();
  for (std::size_t i = 0; i < all_demands.size(); ++i) work[all_demands[i].name] = or_null(launch.demands[i]);
  json["work"] = std::move(work);
  return json;
}

/// A demand that the file does not name is one that was not known when it was written.
ReportedDemands parse_demands(const Field& field) {
  ReportedDemands demands;
  for (const auto& [name, value] : field.members()) {
    const auto found = std::ranges::find(all_demands, name, &Demand::name);
    if (std::ranges::find(dropped_demands, name) != dropped_demands.end()) continue;
    if (found == all_demands.end()) value.fail("is not a demand of a block");
    demands[std::size_t(found - all_demands.begin())] = optional_in_range(value);
  }
  return demands;
}

ReportedLaunch parse_launch(const Field& field) {
  ReportedLaunch launch;
  launch.kernel = field.at("kernel").text();
  if (launch.kernel.size() > longest_name)
    field.at("kernel").fail(fmt::format("has more than {} characters", longest_name));
  launch.blocks = field.at("blocks").count();
  launch.threads_per_block = field.at("threads_per_block").integer(1, most_threads);
  for (const LaunchNumber& number : launch_numbers)
    launch.*number.value = optional_in_range(field.at(number.name));
  const Field warp = field.at("warp_clocks");
  if (!warp.is_null()) launch.warp = parse_warp_clocks(warp);
  launch.demands = parse_demands(field.at("work"));
  return launch;
}

bool fits(const std::optional<double>& value) {
  return !value || numbers.holds(*value);
}

bool is_in_range(const ReportedLaunch& launch) {
  const auto number_fits = [&](const LaunchNumber& number) { return fits(launch.*number.value); };
  const auto clocks_fit = [&](const WarpClocksMember& member) { return fits((*launch.warp).*member.value); };
  return std::ranges::all_of(launch_numbers, number_fits) && std::ranges::all_of(launch.demands, fits) &&
         (!launch.warp || std::ranges::all_of(all_warp_clocks, clocks_fit));
}

}  // namespace

bool is_in_range(const LaunchReport& report) {
  const auto launch_fits = [](const ReportedLaunch& launch) { return is_in_range(launch); };
  return fits(report.multiprocessors) && fits(report.l2_bytes) &&
         std::ranges::all_of(report.launches, launch_fits);
}

bool is_launch_report(const std::string& name) {
  return name.size() > launch_report_extension.size() && name.ends_with(launch_report_extension);
}

std::string to_json(const LaunchReport& report) {
  const Json head = {{"schema", schema},
                     {"version", LaunchReport::version},
                     {"provenance", to_json(report.provenance)},
                     {"architecture", report.architecture ? Json(*report.architecture) : Json(nullptr)},
                     {"multiprocessors", or_null(report.multiprocessors)},
                     {"l2_bytes", or_null(report.l2_bytes)}};
  std::vector<Json> launches;
  for (const ReportedLaunch& launch : report.launches) launches.push_back(to_json(launch));
  return document_with_records(head, "launches", launches);
}

LaunchReport parse_launch_report(const std::string& text, const std::string& where) {
  LaunchReport report;
  const Json json = parse_json(text, where);
  const Field document(json, where);
  checked_version(document, schema, LaunchReport::version);
  report.provenance = parse_provenance(document.at("provenance"));
  const Field architecture = document.at("architecture");
  if (!architecture.is_null()) report.architecture = architecture.integer(10, 999);
  report.multiprocessors = optional_in_range(document.at("multiprocessors"));
  report.l2_bytes = optional_in_range(document.at("l2_bytes"));
  const std::vector<Field> launches = document.at("launches").elements();
  if (launches.empty()) document.at("launches").fail("must have a launch");
  if (launches.size() > most_launches)
    document.at("launches").fail(fmt::format("has more than {} launches", most_launches));
  for (const Field& launch : launches) report.launches.push_back(parse_launch(launch));
  return report;
}

LaunchReport read_launch_report(const std::filesystem::path& file) {
  return parse_launch_report(read_whole(file), file.string());
}

}  // namespace fathom
