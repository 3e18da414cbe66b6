// SPDX-License-Identifier: Apache-2.0
#include <fathom/store/estimate_json.h>
#include <fathom/store/links_json.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {
namespace {

using Json = nlohmann::ordered_json;

constexpr int most_gpus = 1 << 20;
constexpr Range exchanged_bytes{0, 1e18};
constexpr Range errors{0, 1e3};  ///< relative
constexpr const char* per_byte_unit = "_s_per_byte";

Json range_to_json(const LinkRange& range) {
  return {{"from_bytes", exact(range.from_bytes)},
          {"latency", estimate_to_json(range.latency, suffix(Unit::seconds))},
          {"per_byte", estimate_to_json(range.per_byte, per_byte_unit)}};
}

LinkRange parse_range(const Field& field, bool is_first) {
  return {
      field.at("from_bytes").number(exchanged_bytes),
      parse_estimate(field.at("latency"), suffix(Unit::seconds), is_first ? first_latencies : line_latencies),
      parse_estimate(field.at("per_byte"), per_byte_unit, seconds_per_byte_of_links)};
}

/// Both lines have been rounded, and differ by less than any measurement.
bool meet(const LinkRange& before, const LinkRange& range) {
  const auto at_border = [&](const LinkRange& line) {
    return line.latency.value + line.per_byte.value * range.from_bytes;
  };
  constexpr double rounding = 1e-6, least_seconds = 1e-12;
  return std::abs(at_border(before) - at_border(range)) <= rounding * at_border(before) + least_seconds;
}

std::vector<LinkRange> parse_ranges(const Field& list) {
  std::vector<LinkRange> ranges;
  for (const Field& field : list.elements()) {
    ranges.push_back(parse_range(field, ranges.empty()));
    if (ranges.size() == 1) {
      if (ranges[0].from_bytes != 0) field.at("from_bytes").fail("must be 0 in the first range");
      continue;
    }
    const LinkRange& before = ranges[ranges.size() - 2];
    if (ranges.back().from_bytes <= before.from_bytes)
      field.at("from_bytes").fail("must be larger than that of the range before");
    if (!meet(before, ranges.back())) field.fail("must begin where the line of the range before arrives");
  }
  if (ranges.empty()) list.fail("must have a range");
  return ranges;
}

Json curve_to_json(const LinkCurve& curve) {
  Json ranges = Json::array();
  for (const LinkRange& range : curve.ranges) ranges.push_back(range_to_json(range));
  Json json{{"kind", name(curve.kind)}, {"gpus", curve.gpus}};
  if (curve.hosts > 1) json["hosts"] = curve.hosts;
  json.update({{"most_bytes", exact(curve.most_bytes)},
               {"mean_relative_error", exact(curve.mean_relative_error)},
               {"worst_relative_error", exact(curve.worst_relative_error)},
               {"ranges", ranges}});
  return json;
}

/// 1 in profiles from before there were others.
int parse_hosts(const Field& curve, ExchangeKind kind, int gpus) {
  const auto field = curve.find("hosts");
  if (!field) return 1;
  const int hosts = field->integer(1, gpus);
  if (hosts > 1 && is_with_host(kind)) field->fail("must be 1: a GPU copies to and from its own host");
  if (gpus % hosts != 0) field->fail("must have as many GPUs on each host");
  return hosts;
}

LinkCurve parse_curve(const Field& field) {
  const ExchangeKind kind = field.at("kind").parsed(parse_exchange_kind);
  const int gpus = field.at("gpus").integer(fewest_gpus(kind), most_gpus);
  return {.kind = kind,
          .gpus = gpus,
          .most_bytes = field.at("most_bytes").number(exchanged_bytes),
          .ranges = parse_ranges(field.at("ranges")),
          .mean_relative_error = field.at("mean_relative_error").number(errors),
          .worst_relative_error = field.at("worst_relative_error").number(errors),
          .hosts = parse_hosts(field, kind, gpus)};
}

LinkedPair parse_pair(const Field& field) {
  const std::vector<Field> gpus = field.at("gpus").elements();
  if (gpus.size() != 2) field.at("gpus").fail("must be the numbers of two GPUs");
  return {gpus[0].integer(0, most_gpus), gpus[1].integer(0, most_gpus),
          field.at("type").parsed(parse_link_type)};
}

}  // namespace

Json links_to_json(const Links& links) {
  Json pairs = Json::array(), curves = Json::array();
  for (const LinkedPair& pair : links.pairs)
    pairs.push_back({{"gpus", {pair.first, pair.second}}, {"type", name(pair.type)}});
  for (const LinkCurve& curve : links.curves) curves.push_back(curve_to_json(curve));
  return {{"provenance", to_json(links.provenance)}, {"pairs", pairs}, {"exchanges", curves}};
}

Links parse_links(const Field& field) {
  Links links;
  links.provenance = parse_provenance(field.at("provenance"));
  for (const Field& pair : field.at("pairs").elements()) links.pairs.push_back(parse_pair(pair));
  for (const Field& one : field.at("exchanges").elements()) {
    LinkCurve curve = parse_curve(one);
    const bool is_known = std::ranges::any_of(links.curves, [&](const LinkCurve& other) {
      return other.kind == curve.kind && other.gpus == curve.gpus && other.hosts == curve.hosts;
    });
    if (is_known)
      one.fail(fmt::format("is the second of {} among {} GPUs{}", name(curve.kind), curve.gpus,
                           curve.hosts > 1 ? fmt::format(" of {} hosts", curve.hosts) : ""));
    links.curves.push_back(std::move(curve));
  }
  return links;
}

}  // namespace fathom
