// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/links.h>
#include <fathom/model/machine.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace fathom {
namespace {

constexpr std::array kind_names{std::string_view("peer-copy"),      std::string_view("send-receive"),
                                std::string_view("all-to-all"),     std::string_view("all-gather"),
                                std::string_view("all-reduce"),     std::string_view("host-to-device"),
                                std::string_view("device-to-host"), std::string_view("host-both-ways")};
static_assert(kind_names.size() == all_exchange_kinds.size());
constexpr std::array type_names{std::string_view("nvlink"), std::string_view("pcie"),
                                std::string_view("host")};
static_assert(type_names.size() == all_link_types.size());

template <class Enum, std::size_t count>
Enum parsed(std::string_view text, std::string_view what, const std::array<std::string_view, count>& names) {
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return Enum(found - names.begin());
  std::string choices;
  for (const std::string_view name : names) choices += (choices.empty() ? "" : ", ") + std::string(name);
  throw std::invalid_argument("unknown " + std::string(what) + " '" + std::string(text) +
                              "': choose one of " + choices);
}

/// "8 GPUs"
std::string gpus_in_words(int gpus) {
  return std::to_string(gpus) + (gpus == 1 ? " GPU" : " GPUs");
}

std::string in_bytes(double bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g bytes", bytes);
  return text.data();
}

/// A GPU sends to all others, not to one.
bool is_among_all(ExchangeKind kind) {
  return kind != ExchangeKind::peer_copy && kind != ExchangeKind::send_receive && !is_with_host(kind);
}

/// How far the time can be off to one side: latency and time per byte as if they were independent. They are
/// opposed, since a line that begins lower is steeper, so that this is rather too much.
double deviation(const LinkRange& range, double bytes, double Interval::*end) {
  return std::hypot((*range.latency.interval).*end - range.latency.value,
                    ((*range.per_byte.interval).*end - range.per_byte.value) * bytes);
}

ExchangeTime time_of(const LinkCurve& curve, double bytes) {
  ExchangeTime time{.seconds = curve.seconds(bytes)};
  const LinkRange& range = curve.range_of(bytes);
  if (range.latency.interval && range.per_byte.interval)
    time.interval_s = {std::max(0.0, time.seconds - deviation(range, bytes, &Interval::low)),
                       time.seconds + deviation(range, bytes, &Interval::high)};
  if (bytes > curve.most_bytes)
    time.assumptions.push_back("exchanges beyond the largest measured, " + in_bytes(curve.most_bytes) +
                               ", go on at its rate");
  return time;
}

const LinkRange& first(const LinkCurve& curve) {
  return curve.ranges.front();
}

/// Those of one host.
std::vector<const LinkCurve*> curves_of(ExchangeKind kind, const Links& links) {
  std::vector<const LinkCurve*> curves;
  for (const LinkCurve& curve : links.curves)
    if (curve.kind == kind && curve.hosts == 1) curves.push_back(&curve);
  std::ranges::sort(curves, {}, [](const LinkCurve* curve) { return curve->gpus; });
  return curves;
}

ExchangeTime interpolated(const LinkCurve& fewer, const LinkCurve& more, int gpus, double bytes) {
  const ExchangeTime low = time_of(fewer, bytes), high = time_of(more, bytes);
  const double part = double(gpus - fewer.gpus) / (more.gpus - fewer.gpus);
  const auto between = [part](double a, double b) { return a + part * (b - a); };
  ExchangeTime time{.seconds = between(low.seconds, high.seconds)};
  if (low.interval_s && high.interval_s)
    time.interval_s = {between(low.interval_s->low, high.interval_s->low),
                       between(low.interval_s->high, high.interval_s->high)};
  time.assumptions.push_back(std::string(name(fewer.kind)) + " among " + gpus_in_words(gpus) +
                             " is interpolated between " + std::to_string(fewer.gpus) + " and " +
                             gpus_in_words(more.gpus));
  for (const ExchangeTime& end : {low, high})
    for (const std::string& sentence : end.assumptions)
      if (std::ranges::count(time.assumptions, sentence) == 0) time.assumptions.push_back(sentence);
  return time;
}

/// Seconds that the latency grew with each GPU between the two largest numbers of them.
double growth_of_latency(const std::vector<const LinkCurve*>& curves) {
  if (curves.size() < 2) return 0;
  const LinkCurve &most = *curves.back(), &fewer = *curves[curves.size() - 2];
  return std::max(0.0, (first(most).latency.value - first(fewer).latency.value) / (most.gpus - fewer.gpus));
}

ExchangeTime extrapolated(const std::vector<const LinkCurve*>& curves, int gpus, double bytes,
                          const Links& links) {
  const LinkCurve& most = *curves.back();
  const double latency = first(most).latency.value, grown = growth_of_latency(curves) * (gpus - most.gpus);
  ExchangeTime time = time_of(most, bytes);
  const double of_bytes = time.seconds - latency;
  const bool all_nvlink =
      std::ranges::all_of(links.pairs, [](const LinkedPair& pair) { return pair.type == LinkType::nvlink; });
  const bool may_share = is_with_host(most.kind) || !all_nvlink;
  time.seconds += grown;
  std::string sentence =
      std::string(name(most.kind)) + " among " + gpus_in_words(gpus) + " is extrapolated from " +
      gpus_in_words(most.gpus) +
      (is_with_host(most.kind) ? ": each has a link of its own, and a byte takes as long"
                               : ": a byte that leaves a GPU takes as long, as behind a switch");
  if (time.interval_s) {
    const double in_turn = is_among_all(most.kind) ? latency * (double(gpus - 1) / (most.gpus - 1) - 1) : 0;
    const double shared = may_share ? of_bytes * (double(gpus) / most.gpus - 1) : 0;
    time.interval_s->low += grown;
    time.interval_s->high += std::max(grown, in_turn) + shared;
    if (is_among_all(most.kind)) sentence += ", and the interval reaches to one message after another";
    if (is_with_host(most.kind))
      sentence += "; the interval reaches to one link to the host that all share";
    else if (may_share)
      sentence += "; without NVLink it reaches to one link that all share";
  }
  time.assumptions.push_back(sentence);
  return time;
}

ExchangeTime time_of_piece(ExchangeKind kind, double bytes, int gpus, const Links& links) {
  const std::vector<const LinkCurve*> curves = curves_of(kind, links);
  if (curves.empty())
    throw MissingConstant("no exchange of the kind " + std::string(name(kind)) +
                          " was measured: measure the links with fathom calibrate `links=true`");
  const auto more =
      std::ranges::lower_bound(curves, gpus, {}, [](const LinkCurve* one) { return one->gpus; });
  if (more == curves.end()) return extrapolated(curves, gpus, bytes, links);
  if ((*more)->gpus == gpus) return time_of(**more, bytes);
  if (more != curves.begin()) return interpolated(**std::prev(more), **more, gpus, bytes);
  ExchangeTime time = time_of(**more, bytes);
  time.assumptions.push_back(std::string(name(kind)) + " among " + gpus_in_words(gpus) +
                             " is taken to be as fast as among " + gpus_in_words((*more)->gpus) +
                             ", the fewest measured");
  return time;
}

std::string in_words(int gpus, int hosts) {
  return gpus_in_words(gpus) + " of " + std::to_string(hosts) + " hosts";
}

/// The curve whose numbers of hosts, and then of GPUs, are nearest as factors; null if none is of several
/// hosts.
const LinkCurve* nearest_between_hosts(ExchangeKind kind, int gpus, const Links& links) {
  const auto factor = [](int a, int b) { return std::abs(std::log(double(a) / b)); };
  const auto distance = [&](const LinkCurve& curve) {
    return std::pair(factor(curve.hosts, links.hosts), factor(curve.gpus, gpus));
  };
  const LinkCurve* nearest = nullptr;
  for (const LinkCurve& curve : links.curves)
    if (curve.kind == kind && curve.hosts > 1 && (!nearest || distance(curve) < distance(*nearest)))
      nearest = &curve;
  return nearest;
}

/// The part of the bytes that leave a GPU which go at the rate of the network.
double part_between_hosts(ExchangeKind kind, int gpus, int hosts) {
  if (kind != ExchangeKind::all_to_all) return 1;
  return double(gpus - gpus / hosts) / (gpus - 1);
}

ExchangeTime between_hosts(ExchangeKind kind, double bytes, int gpus, const Links& links) {
  const int hosts = links.hosts;
  const LinkCurve* const measured = nearest_between_hosts(kind, gpus, links);
  if (!measured)
    throw MissingConstant("no exchange of the kind " + std::string(name(kind)) +
                          " among GPUs of several hosts was measured: take one from files of nccl-tests with "
                          "fathom calibrate `links_from`");
  if (measured->hosts == hosts && measured->gpus == gpus) return time_of(*measured, bytes);

  const double part = part_between_hosts(kind, gpus, hosts);
  ExchangeTime time =
      time_of(*measured, bytes * part / part_between_hosts(kind, measured->gpus, measured->hosts));
  const double latency = first(*measured).latency.value, of_bytes = std::max(0.0, time.seconds - latency);
  if (time.interval_s) {
    const double in_turn =
        is_among_all(kind) ? std::max(0.0, latency * (double(gpus - 1) / (measured->gpus - 1) - 1)) : 0;
    time.interval_s->high += in_turn + of_bytes * std::max(0.0, double(hosts) / measured->hosts - 1);
  }
  std::string sentence = std::string(name(kind)) + " among " + in_words(gpus, hosts) +
                         " is extrapolated from " + in_words(measured->gpus, measured->hosts) +
                         ": a byte that leaves a host takes as long";
  if (hosts > measured->hosts) sentence += "; the interval reaches to one network that all hosts share";
  time.assumptions.insert(time.assumptions.begin(), sentence);
  if (const int of_host = gpus / hosts;
      part < 1 && of_host >= fewest_gpus(kind) && !curves_of(kind, links).empty()) {
    const ExchangeTime within = time_of_piece(kind, bytes * (1 - part), of_host, links);
    if (within.seconds > time.seconds) {
      time.seconds = within.seconds;
      std::ranges::copy(within.assumptions, std::back_inserter(time.assumptions));
    }
    if (time.interval_s && within.interval_s)
      time.interval_s = {std::max(time.interval_s->low, within.interval_s->low),
                         std::max(time.interval_s->high, within.interval_s->high)};
  }
  return time;
}

}  // namespace

std::string_view name(ExchangeKind kind) {
  return kind_names[std::size_t(kind)];
}
ExchangeKind parse_exchange_kind(std::string_view text) {
  return parsed<ExchangeKind>(text, "exchange", kind_names);
}

std::string_view name(LinkType type) {
  return type_names[std::size_t(type)];
}
LinkType parse_link_type(std::string_view text) {
  return parsed<LinkType>(text, "link", type_names);
}

double share_sent(ExchangeKind kind, int gpus) {
  const double of_others = double(gpus - 1) / gpus;
  switch (kind) {
    case ExchangeKind::peer_copy:
    case ExchangeKind::send_receive:
    case ExchangeKind::host_to_device:
    case ExchangeKind::device_to_host:
    case ExchangeKind::host_both_ways:
      return 1;
    case ExchangeKind::all_to_all:
    case ExchangeKind::all_gather:
      return of_others;
    case ExchangeKind::all_reduce:
      return 2 * of_others;  // the parts that others sum, and the sums that others need
  }
  throw std::logic_error("an exchange has no share that is sent");
}

const LinkRange& LinkCurve::range_of(double bytes) const {
  const auto after = std::ranges::upper_bound(ranges, bytes, {}, &LinkRange::from_bytes);
  return *std::prev(after);
}

double LinkCurve::seconds(double bytes) const {
  const LinkRange& range = range_of(bytes);
  return std::max(0.0, range.latency.value + range.per_byte.value * bytes);  // of two that cancel out, too
}

ExchangeTime exchange_time(const Exchange& exchange, int gpus, const Links& links) {
  if (gpus < 1) throw std::invalid_argument("an exchange needs at least one GPU");
  if (!std::isfinite(exchange.bytes) || exchange.bytes < 0)
    throw std::invalid_argument("the bytes of an exchange must be finite and not negative");
  if (!(exchange.pieces >= 1)) throw std::invalid_argument("an exchange has at least one piece");
  if (gpus < fewest_gpus(exchange.kind)) return {};
  const bool is_on_one_host = links.hosts == 1 || gpus == 1;
  if (!is_on_one_host && is_with_host(exchange.kind))
    throw std::invalid_argument("data in host memory are on one host: leave link.hosts out");
  if (!is_on_one_host && gpus % links.hosts != 0)
    throw std::invalid_argument(gpus_in_words(gpus) + " cannot be divided evenly among " +
                                std::to_string(links.hosts) + " hosts: ask for a multiple of " +
                                std::to_string(links.hosts));
  const double bytes = exchange.bytes / exchange.pieces;
  ExchangeTime time = is_on_one_host ? time_of_piece(exchange.kind, bytes, gpus, links)
                                     : between_hosts(exchange.kind, bytes, gpus, links);
  time.seconds *= exchange.pieces;
  if (time.interval_s)
    time.interval_s = {exchange.pieces * time.interval_s->low, exchange.pieces * time.interval_s->high};
  return time;
}

Links scaled(Links links, double latency, double bandwidth) {
  for (LinkCurve& curve : links.curves) {
    const double empty = first(curve).latency.value;
    const auto of_line = [&](double at_zero) { return latency * empty + (at_zero - empty) / bandwidth; };
    for (LinkRange& range : curve.ranges) {
      const bool is_first = &range == &curve.ranges.front();
      const auto scaled_latency = [&](double at_zero) {
        return is_first ? latency * at_zero : of_line(at_zero);
      };
      range.latency.value = scaled_latency(range.latency.value);
      range.per_byte.value /= bandwidth;
      if (auto& interval = range.latency.interval)
        interval = {scaled_latency(interval->low), scaled_latency(interval->high)};
      if (auto& interval = range.per_byte.interval)
        interval = {interval->low / bandwidth, interval->high / bandwidth};
    }
  }
  return links;
}

}  // namespace fathom
