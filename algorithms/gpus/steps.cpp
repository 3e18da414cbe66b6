// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/gpus/rank_parts.h>
#include <fathom/algorithms/gpus/schemes.h>
#include <fathom/algorithms/gpus/sort_gpus.h>
#include <fathom/algorithms/gpus/steps.h>

#include <algorithm>
#include <cmath>

namespace fathom {
namespace {

int gpus_of(const Problem& problem) {
  return problem.parameters.at("gpus");
}
/// Elements of the GPU that has most.
double of_gpu(const Problem& problem) {
  return std::ceil(problem.n / gpus_of(problem));
}

/// Each GPU sends so many bytes to all others.
Exchange all_gather(double bytes, int gpus) {
  return {ExchangeKind::all_gather, bytes * (gpus - 1)};
}

/// The step of a GPU that solves another problem.
RankStep solving(const Algorithm& algorithm, double n, const Instantiation& of, Parameters parameters,
                 std::vector<std::size_t> launches = {}) {
  RankStep step{.local = &algorithm, .problem = algorithm.problem(n, of), .launches = std::move(launches)};
  if (!parameters.empty()) step.problem.parameters = std::move(parameters);
  return step;
}
RankStep named(std::string_view name, RankStep step) {
  step.name = name;
  return step;
}
RankStep followed_by(Exchange exchange, RankStep step = {}) {
  step.exchange = exchange;
  return step;
}

/// As SortGpus sorts on a rank.
RankStep local_sort(double n, const Problem& problem) {
  const bool by_msd = sorts_by_msd(problem) && n <= double(most_of_msd);
  return named("sort",
               solving(algorithm(by_msd ? "radix-msd" : "radix-onesweep"), n, Instantiation(problem), {}));
}

/// The steps of a sort, in the order in which they are added.
class StepsOfSort {
 public:
  StepsOfSort(const Problem& problem, const PlanDevice& device)
      : problem_(problem),
        gpus_(gpus_of(problem)),
        n_(of_gpu(problem)),
        prefixes_(prefix_division(problem, device)),
        finds_buckets_(scheme_of(problem, gpus_) == SortScheme::split_first && prefixes_.fits),
        by_prefix_(finds_buckets_ && !has_large_bucket()),
        division_(by_prefix_ ? Division{1, pieces_of_buckets(problem, n_)}
                             : division_of(problem, gpus_, Index(n_))) {}

  bool finds_buckets() const { return finds_buckets_; }  ///< whether ranks look if they can take scheme 2
  bool by_prefix() const { return by_prefix_; }          ///< whether they take it

  void sort_slice() { steps_.push_back(local_sort(n_ / division_.slices, problem_)); }

  /// All ranks get samples of each, sort them, and choose the cuts. That is done beside the sort, if there is
  /// one; its time is added nevertheless, about a tenth of a millisecond on two GPUs.
  void choose_cuts() {
    const double samples = double(samples_of(Index(n_)));
    steps_.push_back(followed_by(all_gather(samples * sizeof(u64), gpus_), cuts(0)));
    steps_.push_back(named("cuts", solving(algorithm("radix-onesweep"), samples * gpus_,
                                           Instantiation({ElementType::u64, ElementType::u32}, true), {})));
    steps_.push_back(cuts(1));
  }
  /// Each slice is exchanged while the next one is sorted, but for the last, which is not exchanged.
  void sort_and_cut(double elements) {
    sort_slice();
    choose_cuts();
    steps_.push_back(followed_by(begins_of_parts(), cuts(2)));
    for (int slice = 1; slice < division_.slices; ++slice) {
      exchange_beside_next(elements / division_.slices);
      sort_slice();
      steps_.push_back(followed_by(begins_of_parts(), cuts(2)));
    }
  }
  /// Ranks tell each other their buckets.
  void find_buckets() {
    steps_.push_back(followed_by(all_gather(double(prefixes_.words()) * sizeof(u32), gpus_),
                                 launches_by_prefix("buckets", n_, {0, 1})));
    steps_.push_back(launches_by_prefix("cuts", n_, {2}));
  }
  void split() { steps_.push_back(launches_by_prefix("split", n_, {3, 4})); }

  /// All of a rank's elements.
  void exchange(double elements) {
    for (const Exchange& each : exchanges(elements)) steps_.push_back(followed_by(each));
  }
  void exchange_and_merge(double elements) {
    if (gpus_ > ListedRuns::most) return exchange_and_sort(elements);
    exchange_and(named("merge", solving(merge_part(), n_ / division_.pieces, Instantiation(problem_),
                                        {{"runs", gpus_ * division_.slices}})),
                 elements);
  }
  void exchange_and_sort(double elements) {
    exchange_and(named("sort", solving(algorithm("radix-onesweep"), n_ / division_.pieces,
                                       Instantiation(problem_), {})),
                 elements);
  }
  void exchange_and_sort_buckets(double elements) {
    exchange_and(launches_by_prefix("sort", n_ / division_.pieces, {5}), elements);
  }

  std::vector<RankStep> steps() && { return std::move(steps_); }

 private:
  /// Each piece of the last slice is exchanged while the one before is finished.
  void exchange_and(const RankStep& finish, double elements) {
    const double of_piece = elements / (division_.pieces * division_.slices);
    exchange(of_piece);
    for (int piece = 1; piece < division_.pieces; ++piece) {
      exchange_beside_next(of_piece);
      steps_.push_back(finish);
    }
    steps_.push_back(finish);
  }
  void exchange_beside_next(double elements) {
    for (const Exchange& each : exchanges(elements)) {
      steps_.push_back(followed_by(each));
      steps_.back().beside_next = true;
    }
  }

  RankStep cuts(std::size_t launch) const {
    return named("cuts", solving(cuts_part(), n_, problem_.type,
                                 {{"ranks", gpus_}, {"parts", gpus_ * division_.pieces}}, {launch}));
  }
  /// Random floating-point keys have zeros, more than a block sorts.
  bool has_large_bucket() const {
    const PrefixBuckets in_tiles{prefixes_.shape.tile()};
    double large = 0;
    for (const auto& [share, prefixes] : prefix_shares(Input::random, problem_.type, prefixes_.bits))
      large += prefixes * in_tiles.large(Index(problem_.n), share).probability;
    return large >= 0.5;
  }
  /// Some launches for n elements of a rank. One of 2^k pieces has as many in a bucket as all of them.
  RankStep launches_by_prefix(std::string_view name, double n, std::vector<std::size_t> launches) const {
    RankStep step = solving(prefix_part(), n, Instantiation({problem_.type, problem_.value_type}, false), {},
                            std::move(launches));
    step.problem.parameters = {
        {"ranks", gpus_}, {"t", prefixes_.shape.threads}, {"E", prefixes_.shape.elements}};
    return named(name, std::move(step));
  }
  Exchange begins_of_parts() const {
    return all_gather((gpus_ * division_.pieces + 1) * sizeof(Index), gpus_);
  }
  /// Keys, and then values.
  std::vector<Exchange> exchanges(double elements) const {
    std::vector<Exchange> all{{ExchangeKind::all_to_all, elements * size_in_bytes(problem_.type)}};
    if (problem_.value_type)
      all.push_back({ExchangeKind::all_to_all, elements * size_in_bytes(*problem_.value_type)});
    return all;
  }

  const Problem& problem_;
  int gpus_;
  double n_;
  PrefixDivision prefixes_;
  bool finds_buckets_, by_prefix_;
  Division division_;
  std::vector<RankStep> steps_{};
};

}  // namespace

std::vector<RankStep> steps_of_reduction(const Problem& problem, const PlanDevice&) {
  const Algorithm& local = algorithm("reduce-vector");
  const int gpus = gpus_of(problem);
  return {followed_by(all_gather(problem.bytes_per_element(), gpus),
                      named("sums", solving(local, of_gpu(problem), problem.type, {}))),
          named("sums", solving(local, gpus, problem.type, {}))};
}

/// Of the launches of a matrix scan, the one in the middle, which is of one block, runs three times.
std::vector<RankStep> steps_of_scan(const Problem& problem, const PlanDevice&) {
  const Algorithm& local = algorithm("scan-matrix");
  Parameters parameters;
  for (const ParameterInfo& info : local.parameters)
    parameters.set(info.name, problem.parameters.at(info.name));
  const int gpus = gpus_of(problem);
  const auto launches = [&](std::string_view name, double n, std::vector<std::size_t> positions) {
    return named(name, solving(local, n, problem.type, parameters, std::move(positions)));
  };
  return {
      followed_by(all_gather(problem.bytes_per_element(), gpus), launches("sums", of_gpu(problem), {0, 1})),
      launches("sums", gpus, {1}), launches("scan", of_gpu(problem), {1, 2})};
}

std::vector<RankStep> steps_of_sort(const Problem& problem, const PlanDevice& device) {
  const int gpus = gpus_of(problem);
  StepsOfSort steps(problem, device);
  if (gpus == 1) {
    steps.sort_slice();
    return std::move(steps).steps();
  }
  const double leaving = problem.n / gpus * (gpus - 1) / gpus;
  if (steps.finds_buckets()) steps.find_buckets();
  if (steps.by_prefix()) {
    steps.split();
    steps.exchange_and_sort_buckets(leaving);
  } else {
    steps.sort_and_cut(leaving);
    steps.exchange_and_merge(leaving);
  }
  // Few elements move, since parts are within 5 % of equal ones. None are counted: the exchange takes its
  // latency.
  if (problem.parameters.at("equal_parts") != 0) steps.exchange(0);
  return std::move(steps).steps();
}

}  // namespace fathom
