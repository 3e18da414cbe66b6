// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/case.h>
#include <fathom/algorithms/gpus/bench.h>
#include <fathom/algorithms/gpus/exchanged.h>
#include <fathom/algorithms/gpus/group_workload.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace fathom {
namespace {

/// The memory of a GPU that was idle is up to 15 % slower for its first hundredths of a second (H200).
constexpr double warm_up_s = 0.1;
constexpr int least_warm_ups = 2;
constexpr double most_warm_ups = 1000;

/// Where the ranks meet before a run. It is an exchange: none ends before all ranks have begun it, and if a
/// rank fails, the others do not wait for it.
class Start {
 public:
  explicit Start(Communicator& own)
      : own_(&own), sent_(own.executor(), 1), received_(own.executor(), std::size_t(own.size())) {
    own.executor().fill(sent_.data(), 0, sent_.bytes());
  }
  void wait() {
    own_->all_gather(sent_.data(), sent_.bytes(), received_.data());
    own_->executor().synchronize();
  }

 private:
  Communicator* own_;
  DeviceArray<std::byte> sent_, received_;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// When a rank began and ended each run, in seconds, and its clock in Hz before the first and after the last.
struct RankTimes {
  std::vector<double> begins, ends, clocks;
};

void add_run(Communicator& own, Start& start, GroupWorkload& workload, RankTimes& times) {
  start.wait();
  times.begins.push_back(now());
  workload.run();
  own.executor().synchronize();
  times.ends.push_back(now());
}

RankTimes times_of(Communicator& own, GroupWorkload& workload, int repeats, const RankClock& clock,
                   const std::function<void(int)>& before) {
  Start start(own);
  RankTimes times;
  times.clocks.push_back(clock(own.rank()));
  for (int i = 0; i < repeats; ++i) {
    before(i);
    add_run(own, start, workload, times);
  }
  times.clocks.push_back(clock(own.rank()));
  return times;
}

/// Every rank has one number for each run; `pick` takes one of a run's numbers. Returns these.
template <class Pick>
std::vector<double> of_ranks(Communicator& own, const std::vector<double>& of_rank, Pick pick) {
  const std::vector<double> all = gathered(own, std::span<const double>(of_rank));
  std::vector<double> picked = of_rank;
  for (std::size_t i = 0; i < all.size(); ++i) {
    double& one = picked[i % of_rank.size()];
    one = pick(one, all[i]);
  }
  return picked;
}

double smaller(double a, double b) {
  return std::min(a, b);
}
double larger(double a, double b) {
  return std::max(a, b);
}

/// On each rank the same, so that all decide the same. Clocks are those of the slowest GPU. Where hosts have
/// a time each, a run's is the longest of a rank.
void take(Communicator& own, RankTimes times, bool has_one_clock, Measurement& measurement) {
  constexpr double moved = 0.01;
  for (std::size_t i = 0; i < times.begins.size() && !has_one_clock; ++i) {
    times.ends[i] -= times.begins[i];
    times.begins[i] = 0;
  }
  const std::vector<double> begins = of_ranks(own, times.begins, smaller),
                            ends = of_ranks(own, times.ends, larger),
                            clocks = of_ranks(own, times.clocks, smaller);
  measurement.seconds.clear();
  for (std::size_t i = 0; i < begins.size(); ++i) measurement.seconds.push_back(ends[i] - begins[i]);
  measurement.clock_hz = clocks.back();
  const std::vector<double> change{std::abs(times.clocks.back() / times.clocks.front() - 1)};
  measurement.clock_moved = of_ranks(own, change, larger).front() > moved;
}

/// All ranks run it equally often.
void warm_up(Communicator& own, GroupWorkload& workload) {
  Start start(own);
  RankTimes times;
  for (int i = 0; i < least_warm_ups; ++i) add_run(own, start, workload, times);
  const double seconds = of_ranks(own, {times.ends.back() - times.begins.back()}, larger).front();
  for (double i = 0; i < std::min(warm_up_s / seconds, most_warm_ups); ++i) workload.run();
}

/// Exceptions that `work` throws say which run it was.
template <class Work>
void named_after(const Measurement& run, Work work) {
  const auto named = [&](const std::exception& failure) { return in_words(run) + ": " + failure.what(); };
  try {
    work();
  } catch (const KernelFailure& failure) {
    throw KernelFailure(named(failure));
  } catch (const ExchangeFailure& failure) {
    throw ExchangeFailure(named(failure));
  } catch (const OutOfDeviceMemory& failure) {
    throw OutOfDeviceMemory(named(failure));
  } catch (const std::invalid_argument& failure) {
    throw std::invalid_argument(named(failure));
  }
}

}  // namespace

Problem with_gpus(const GroupCase& one, int gpus) {
  Problem problem = one.problem;
  problem.parameters.set("gpus", gpus);
  return problem;
}

Measurement bench(Group& group, const GroupCase& one, int repeats, const RankClock& clock,
                  const Progress& progress) {
  const Measurement planned{.algorithm = one.algorithm->slug,
                            .problem = with_gpus(one, group.size()),
                            .input = one.input,
                            .checked = true};
  std::vector<Measurement> of_rank(std::size_t(group.size()), planned);
  named_after(planned, [&] {
    group.run([&](Communicator& own) {
      const auto workload = make_group_workload(*one.algorithm, own, one.problem, one.input,
                                                equal_parts(Index(one.problem.n), own.size()));
      workload->check();
      warm_up(own, *workload);
      const auto before = [&](int repeat) {
        if (progress && own.rank() == 0)
          progress(one.algorithm->slug, std::size_t(repeat), std::size_t(repeats));
      };
      Measurement& measurement = of_rank[std::size_t(own.rank())];
      for (int attempt = 0; attempt < 2 && (attempt == 0 || measurement.clock_moved); ++attempt)
        take(own, times_of(own, *workload, repeats, clock, before), group.has_one_clock(), measurement);
    });
  });
  return of_rank.front();
}

}  // namespace fathom
