// SPDX-License-Identifier: Apache-2.0
#include <fathom/microbench/links/links.h>
#include <fathom/microbench/links/sweep.h>
#include <fathom/model/links.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>

namespace fathom::microbench {
namespace {

constexpr std::size_t word = sizeof(unsigned);

/// What a rank sends from, and where it receives.
struct Arrays {
  DeviceArray<char> from, to;
  Arrays(Executor& executor, std::size_t bytes) : from(executor, bytes), to(executor, bytes) {}
};

/// Where all ranks meet before a sample.
std::size_t bytes_to_meet(int ranks) {
  return std::size_t(ranks) * word;
}

/// Exchanges among all ranks of a group.
class LinkBench {
 public:
  /// Every rank gets arrays of the same size, the largest that all can hold.
  LinkBench(Group& group, const Seconds& now) : group_(group), now_(now) {
    std::vector<std::size_t> held(ranks());
    group.run([&](Communicator& rank) { held[index(rank)] = most_held(rank); });
    array_bytes_ = std::ranges::min(held);
    arrays_.resize(ranks());
    group.run([&](Communicator& rank) { arrays_[index(rank)].emplace(rank.executor(), array_bytes_); });
  }

  std::size_t array_bytes() const { return array_bytes_; }

  /// A part of an array of so many bytes goes to each rank, or is summed by it.
  std::size_t part_of(std::size_t array) const { return std::max(word, array / ranks() / word * word); }
  /// The bytes that leave each GPU.
  double bytes_sent(ExchangeKind kind, std::size_t array) const {
    return share_sent(kind, group_.size()) * double(in_use(kind, array));
  }

  /// The seconds of an exchange, the mean of `exchanges`, on the GPU that ends last.
  std::vector<double> samples(ExchangeKind kind, std::size_t array, int exchanges, int repeats) {
    std::vector<std::vector<double>> taken(ranks(), std::vector<double>(std::size_t(repeats)));
    group_.run([&](Communicator& rank) {
      for (double& seconds : taken[index(rank)]) {
        meet(rank);
        const double begin = now_();
        for (int i = 0; i < exchanges; ++i) exchange(rank, kind, array);
        rank.executor().synchronize();
        seconds = now_() - begin;
      }
    });
    std::vector<double> slowest(std::size_t(repeats), 0);
    for (const std::vector<double>& of_rank : taken)
      for (std::size_t i = 0; i < slowest.size(); ++i)
        slowest[i] = std::max(slowest[i], of_rank[i] / exchanges);
    return slowest;
  }

 private:
  static std::size_t index(const Communicator& rank) { return std::size_t(rank.rank()); }
  std::size_t ranks() const { return std::size_t(group_.size()); }

  /// The largest arrays of which a GPU holds two.
  static std::size_t most_held(Communicator& rank) {
    return largest_held(std::max(LinkSweep::smallest_array, bytes_to_meet(rank.size())),
                        [&](std::size_t bytes) { const Arrays arrays(rank.executor(), bytes); });
  }

  /// The part of the array that is used: parts of whole words, as many as there are ranks.
  std::size_t in_use(ExchangeKind kind, std::size_t array) const {
    const bool in_parts = kind == ExchangeKind::all_to_all || kind == ExchangeKind::all_gather;
    return in_parts ? part_of(array) * ranks() : array;
  }

  void exchange(Communicator& rank, ExchangeKind kind, std::size_t array) {
    Arrays& own = *arrays_[index(rank)];
    const std::size_t next = (index(rank) + 1) % ranks(), before = (index(rank) + ranks() - 1) % ranks();
    switch (kind) {
      case ExchangeKind::peer_copy:
        rank.executor().copy(own.to.data(), arrays_[next]->from.data(), array);
        return;
      case ExchangeKind::send_receive: {
        std::vector<Part> sent(ranks()), received(ranks());
        sent[next].bytes = received[before].bytes = array;
        rank.all_to_all(own.from.data(), sent, own.to.data(), received);
        return;
      }
      case ExchangeKind::all_to_all: {
        std::vector<Part> parts(ranks());
        for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = {i * part_of(array), part_of(array)};
        rank.all_to_all(own.from.data(), parts, own.to.data(), parts);
        return;
      }
      case ExchangeKind::all_gather:
        rank.all_gather(own.from.data(), part_of(array), own.to.data());
        return;
      case ExchangeKind::all_reduce:
        rank.all_reduce(reinterpret_cast<const unsigned*>(own.from.data()),
                        reinterpret_cast<unsigned*>(own.to.data()), array / word);
        return;
      case ExchangeKind::host_to_device:
      case ExchangeKind::device_to_host:
      case ExchangeKind::host_both_ways:
        throw std::logic_error("an exchange with the host is not one of a group");
    }
  }

  /// Returns when all ranks have called it and have done what was queued.
  void meet(Communicator& rank) {
    Arrays& own = *arrays_[index(rank)];
    rank.all_gather(own.from.data(), word, own.to.data());
    rank.executor().synchronize();
  }

  Group& group_;
  const Seconds& now_;
  std::size_t array_bytes_ = 0;
  std::vector<std::optional<Arrays>> arrays_;  ///< of each rank
};

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<int> numbers_of_gpus(int all) {
  std::vector<int> numbers;
  for (int gpus = 2; gpus < all; gpus *= 2) numbers.push_back(gpus);
  if (all >= 2) numbers.push_back(all);
  return numbers;
}

std::vector<Series> measure_links(const MakeGroup& make_group, int gpus, const Effort& effort,
                                  const Progress& progress, const Seconds& now) {
  LinkSweep sweep(effort, progress, now);
  for (const int number : numbers_of_gpus(gpus)) {
    const std::unique_ptr<Group> group = make_group(number);
    LinkBench bench(*group, now);
    for (const ExchangeKind kind : all_exchange_kinds) {
      if (is_with_host(kind)) continue;
      const auto bytes = [&](std::size_t array) { return bench.bytes_sent(kind, array); };
      const auto samples = [&](std::size_t array, int exchanges, int repeats) {
        return bench.samples(kind, array, exchanges, repeats);
      };
      sweep({.kind = kind, .gpus = number, .most = bench.array_bytes(), .bytes = bytes, .samples = samples});
    }
  }
  return sweep.series();
}

}  // namespace fathom::microbench
