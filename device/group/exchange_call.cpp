// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/overlap.h>
#include <fathom/device/group/exchange_call.h>

namespace fathom {
namespace {

using AllCalls = std::vector<ExchangeCall>;

std::optional<std::string> fault_of_sizes(const AllCalls& calls, std::size_t rank) {
  const ExchangeCall& call = calls[rank];
  if (call.kind == ExchangeKind::all_reduce) {
    const std::size_t own = call.numbers(), others = calls[0].numbers();
    if (own == others) return std::nullopt;
    return rank_text(rank) + " adds up " + std::to_string(own) + " numbers, rank 0 " + std::to_string(others);
  }
  if (call.sent.size() != calls.size() || call.received.size() != calls.size())
    return rank_text(rank) + " sends " + std::to_string(call.sent.size()) + " parts and receives " +
           std::to_string(call.received.size()) + " in a group of " + std::to_string(calls.size()) + " ranks";
  for (std::size_t to = 0; to < calls.size(); ++to) {
    if (calls[to].received.size() != calls.size()) continue;  // named in its turn
    if (const std::size_t expected = calls[to].received[rank].bytes; call.sent[to].bytes != expected)
      return rank_text(rank) + " sends " + std::to_string(call.sent[to].bytes) + " bytes to " +
             rank_text(to) + ", which expects " + std::to_string(expected);
  }
  return std::nullopt;
}

std::optional<std::string> fault_of_overlap(const ExchangeCall& call, std::size_t rank) {
  if (call.kind == ExchangeKind::all_reduce) return std::nullopt;  // may be in place
  for (std::size_t one = 0; one < call.received.size(); ++one) {
    const std::byte* const written = call.to + call.received[one].begin;
    const std::size_t bytes = call.received[one].bytes;
    for (std::size_t other = 0; other < one; ++other)
      if (overlap(written, bytes, call.to + call.received[other].begin, call.received[other].bytes))
        return "what " + rank_text(rank) + " receives from " + rank_text(other) + " and " + rank_text(one) +
               " overlaps";
    for (std::size_t other = 0; other < call.sent.size(); ++other) {
      const std::byte* const read = call.from + call.sent[other].begin;
      const bool is_in_place = one == rank && read == written;
      if (!is_in_place && overlap(written, bytes, read, call.sent[other].bytes))
        return rank_text(rank) + " receives from " + rank_text(one) + " over what it sends to " +
               rank_text(other);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string rank_text(std::size_t rank) {
  return "rank " + std::to_string(rank);
}

ExchangeCall ExchangeCall::all_to_all(const void* from, std::span<const Part> sent, void* to,
                                      std::span<const Part> received) {
  return {ExchangeKind::all_to_all,
          static_cast<const std::byte*>(from),
          static_cast<std::byte*>(to),
          {sent.begin(), sent.end()},
          {received.begin(), received.end()}};
}

ExchangeCall ExchangeCall::all_gather(const void* from, std::size_t bytes, void* to, int ranks) {
  ExchangeCall call{ExchangeKind::all_gather,
                    static_cast<const std::byte*>(from),
                    static_cast<std::byte*>(to),
                    std::vector<Part>(std::size_t(ranks), {0, bytes}),
                    {}};
  for (std::size_t rank = 0; rank < std::size_t(ranks); ++rank)
    call.received.push_back({rank * bytes, bytes});
  return call;
}

ExchangeCall ExchangeCall::all_reduce(const unsigned* from, unsigned* to, std::size_t count, int ranks) {
  std::vector<Part> shares;
  for (std::size_t rank = 0, all = std::size_t(ranks); rank < all; ++rank) {
    const std::size_t begin = rank * count / all, end = (rank + 1) * count / all;
    shares.push_back({begin * sizeof(unsigned), (end - begin) * sizeof(unsigned)});
  }
  return {ExchangeKind::all_reduce, reinterpret_cast<const std::byte*>(from),
          reinterpret_cast<std::byte*>(to), shares, shares};
}

std::size_t ExchangeCall::numbers() const {
  return (sent.back().begin + sent.back().bytes) / sizeof(unsigned);
}

std::string call_text(ExchangeKind kind) {
  switch (kind) {
    case ExchangeKind::all_gather:
      return "all_gather";
    case ExchangeKind::all_reduce:
      return "all_reduce";
    default:
      return "all_to_all";
  }
}

std::optional<std::string> fault_of(const std::vector<ExchangeCall>& calls) {
  for (std::size_t rank = 1; rank < calls.size(); ++rank)
    if (calls[rank].kind != calls[0].kind)
      return "rank 0 called it, " + rank_text(rank) + " " + call_text(calls[rank].kind);
  for (std::size_t rank = 0; rank < calls.size(); ++rank)
    if (auto wrong = fault_of_sizes(calls, rank)) return wrong;
  for (std::size_t rank = 0; rank < calls.size(); ++rank)
    if (auto wrong = fault_of_overlap(calls[rank], rank)) return wrong;
  return std::nullopt;
}

std::string how_it_ended(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return std::string(" failed: ") + error.what();
  } catch (...) {  // Interrupted
    return " was stopped";
  }
}

}  // namespace fathom
