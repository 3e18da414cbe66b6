// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/benchmarks.h>
#include <fathom/microbench/links/links.h>
#include <fathom/microbench/repetition.h>
#include <fathom/model/links.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>

namespace fathom::microbench {
namespace {

constexpr std::size_t smallest_array = 8, largest_array = std::size_t(1) << 30;
constexpr std::size_t word = sizeof(unsigned);
constexpr double most_seconds_of_repetitions = 30;
constexpr int most_exchanges_of_a_sample = 1000;

/// What a rank sends from, and where it receives.
struct Arrays {
  DeviceArray<char> from, to;
  Arrays(Executor& executor, std::size_t bytes) : from(executor, bytes), to(executor, bytes) {}
};

/// Where all ranks meet before a sample.
std::size_t bytes_to_meet(int ranks) {
  return std::size_t(ranks) * word;
}

/// An exchange of one kind, of arrays of one size, among all ranks of a group.
class LinkBench {
 public:
  /// Every rank gets arrays of the same size, the largest that all can hold.
  LinkBench(Group& group, const Effort& effort, const Seconds& now)
      : group_(group), quick_(effort.quick), repeats_(effort.repeats), now_(now) {
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

  Series series(ExchangeKind kind, std::size_t array) {
    Series series = series_of(benchmarks::of(kind), {{along::gpus, double(group_.size())},
                                                     {along::bytes, bytes_sent(kind, array)}});
    const int exchanges = exchanges_of_a_sample(kind, array);
    const int fewest = std::min(fewest_repeats, repeats_);
    series.samples = samples(kind, array, exchanges, fewest);
    if (fewest < repeats_ && !has_settled(series)) {
      const std::vector<double> more = samples(kind, array, exchanges, repeats_ - fewest);
      series.samples.insert(series.samples.end(), more.begin(), more.end());
    }
    return series;
  }

 private:
  static std::size_t index(const Communicator& rank) { return std::size_t(rank.rank()); }
  std::size_t ranks() const { return std::size_t(group_.size()); }

  /// The largest arrays of which a GPU holds two.
  static std::size_t most_held(Communicator& rank) {
    const std::size_t least = std::max(smallest_array, bytes_to_meet(rank.size()));
    for (std::size_t bytes = largest_array; bytes > least; bytes /= 2)
      if (holds(rank.executor(), bytes)) return bytes;
    const Arrays smallest(rank.executor(), least);  // throws if there is no memory at all
    return least;
  }
  static bool holds(Executor& executor, std::size_t bytes) try {
    const Arrays arrays(executor, bytes);
    return true;
  } catch (const OutOfDeviceMemory&) {
    return false;
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
    }
  }

  /// Returns when all ranks have called it and have done what was queued.
  void meet(Communicator& rank) {
    Arrays& own = *arrays_[index(rank)];
    rank.all_gather(own.from.data(), word, own.to.data());
    rank.executor().synchronize();
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

  /// As many that the wait for the last, some ten microseconds, is less than 1 %.
  int exchanges_of_a_sample(ExchangeKind kind, std::size_t array) {
    const double wanted = quick_ ? 1e-3 : 2e-3;  // s
    constexpr int warm_ups = 2;
    const double seconds = samples(kind, array, 1, warm_ups + 1).back();
    return int(std::clamp(std::ceil(wanted / seconds), 1.0, double(most_exchanges_of_a_sample)));
  }

  Group& group_;
  const bool quick_;
  const int repeats_;
  const Seconds& now_;
  std::size_t array_bytes_ = 0;
  std::vector<std::optional<Arrays>> arrays_;  ///< of each rank
};

std::vector<std::size_t> sizes_of_arrays(std::size_t most, bool quick) {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = smallest_array; bytes <= most; bytes *= quick ? 4 : 2) sizes.push_back(bytes);
  return sizes;
}

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
  const auto report = [&](const std::string& what, std::size_t done, std::size_t all) {
    if (progress) progress(what, done, all);
  };
  const auto pause = [&](const Series& disturbed, double seconds, int round) {
    sleep_watchfully(seconds, [&] {
      report(disturbed.benchmark + ": the GPUs are busy, waiting to measure again", std::size_t(round - 1),
             Repetition::rounds);
    });
  };
  Repetition repetition(most_seconds_of_repetitions, pause, now);
  std::vector<Series> all;
  for (const int number : numbers_of_gpus(gpus)) {
    const std::unique_ptr<Group> group = make_group(number);
    LinkBench bench(*group, effort, now);
    const std::vector<std::size_t> sizes = sizes_of_arrays(bench.array_bytes(), effort.quick);
    for (const ExchangeKind kind : all_exchange_kinds) {
      const std::string what = fmt::format("{}, {} GPUs", benchmarks::of(kind).name, number);
      std::set<double> measured;  // the smallest arrays have the same parts of a word
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        report(what, i, sizes.size());
        if (measured.insert(bench.bytes_sent(kind, sizes[i])).second)
          all.push_back(repetition([&] { return bench.series(kind, sizes[i]); }));
      }
      report(what, sizes.size(), sizes.size());
    }
  }
  return all;
}

}  // namespace fathom::microbench
