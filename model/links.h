// SPDX-License-Identifier: Apache-2.0
// What links between GPUs, and to the host, can do, as measured: the time of an exchange by its kind, its
// bytes, and the number of GPUs that take part.
#pragma once

#include <fathom/core/exchange.h>
#include <fathom/core/measurement.h>
#include <fathom/model/estimate.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

inline constexpr std::array all_exchange_kinds{ExchangeKind::peer_copy,      ExchangeKind::send_receive,
                                               ExchangeKind::all_to_all,     ExchangeKind::all_gather,
                                               ExchangeKind::all_reduce,     ExchangeKind::host_to_device,
                                               ExchangeKind::device_to_host, ExchangeKind::host_both_ways};
std::string_view name(ExchangeKind kind);  ///< "all-to-all"
/// Throws std::invalid_argument for an unknown name, with the choices.
ExchangeKind parse_exchange_kind(std::string_view text);

/// The part of a GPU's array that leaves it, or is copied in each direction: of the array that it copies,
/// sends, distributes, gathers (with its own part) or sums. Gathering and summing are counted with the least
/// that must leave each of `gpus` GPUs if all send alike.
double share_sent(ExchangeKind kind, int gpus);

/// A range of bytes in which a library uses one protocol: the time is a line, latency + per_byte · bytes, up
/// to where the next range begins.
struct LinkRange {
  double from_bytes = 0;
  Estimate latency;  ///< α, s: of the line, where it would begin; it may be negative, but for the first range
  Estimate per_byte;  ///< β, s
};

/// Exchanges of one kind among so many GPUs.
struct LinkCurve {
  ExchangeKind kind;
  int gpus;                       ///< at least fewest_gpus()
  double most_bytes;              ///< the largest exchange measured
  std::vector<LinkRange> ranges;  ///< from 0 bytes on; each begins where the line before it has arrived
  /// Of the lines, on the medians that they were fitted to.
  double mean_relative_error = 0, worst_relative_error = 0;
  int hosts = 1;  ///< on which as many of the GPUs are; 1 for copies with the host

  /// The time of the lines, for at least 0 bytes.
  double seconds(double bytes) const;
  const LinkRange& range_of(double bytes) const;
};

/// What connects two GPUs.
enum class LinkType { nvlink, pcie, host };
inline constexpr std::array all_link_types{LinkType::nvlink, LinkType::pcie, LinkType::host};
std::string_view name(LinkType type);  ///< "nvlink"
/// Throws std::invalid_argument for an unknown name, with the choices.
LinkType parse_link_type(std::string_view text);

struct LinkedPair {
  int first, second;  ///< GPUs, numbered from 0
  LinkType type;
};

struct Links {
  std::vector<LinkCurve> curves{};  ///< one of a kind, a number of GPUs, and a number of hosts
  std::vector<LinkedPair> pairs{};  ///< empty if unknown
  Provenance provenance{};          ///< of the last measurement, not that of the machine's other constants
  /// On which the GPUs that exchange are, as many on each: not of the machine that was measured, but asked
  /// for (WhatIf).
  int hosts = 1;
};

struct ExchangeTime {
  double seconds = 0;
  std::optional<Interval> interval_s{};    ///< absent if the constants have none
  std::vector<std::string> assumptions{};  ///< one sentence each; empty if all was measured
};

/// The time of an exchange among so many GPUs.
///
/// Between two numbers of GPUs that were measured it is interpolated. For more than were measured:
/// - A byte takes as long as among the most GPUs measured: bytes are those that leave a GPU, and behind a
///   switch each GPU has its full rate whatever the others do. Pairs that are not linked by NVLink share
///   PCIe or the host's memory: the interval then reaches to where the rate falls as the number of GPUs
///   rises.
/// - The latency goes on as it grew between the two largest numbers measured; from one number it stays. For
///   kinds in which a GPU sends to all others the interval reaches to where their messages follow one after
///   another, g − 1 of them: libraries send them at a time, in rings, or in trees, and which one is theirs to
///   choose.
/// - The links of GPUs to the host are as fast as one alone; the interval reaches to where all share it.
///
/// Among GPUs of several hosts (Links::hosts) it follows from the exchange of the kind that was measured
/// among GPUs of several: of these from as many hosts, or the nearest number, and the nearest number of GPUs.
/// - A byte that leaves a host takes as long: each GPU has its own part of the network. Of an all-to-all,
///   those bytes leave the host that are for GPUs of others; sums and gathered parts go around in rings, of
///   which each crosses all hosts, so that all bytes go at the rate of the network.
/// - Bytes that stay in a host go at the same time, and take as long as among its GPUs alone, if that was
///   measured.
/// - The interval reaches to where all hosts share one network, and to messages that follow one another.
///
/// One GPU exchanges nothing but with the host, which takes no time. Throws MissingConstant if no exchange of
/// the kind was measured, std::invalid_argument for no GPU, for bytes that are negative or not finite, for
/// less than one piece, for GPUs that are not as many on each host, and for copies between several hosts and
/// their GPUs.
ExchangeTime exchange_time(const Exchange& exchange, int gpus, const Links& links);

/// The same with another latency and bandwidth: the time of an empty exchange times `latency`, and all that
/// bytes add to it over `bandwidth`.
Links scaled(Links links, double latency, double bandwidth);

}  // namespace fathom
