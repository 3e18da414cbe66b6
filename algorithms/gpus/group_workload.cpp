// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/gpus/exchanged.h>
#include <fathom/algorithms/gpus/group_workload.h>
#include <fathom/algorithms/make_algorithm.h>

#include <algorithm>

namespace fathom {
namespace {

/// An array that rank 0 has.
Spread on_first(Index elements, int ranks) {
  Spread begins(std::size_t(ranks) + 1, elements);
  begins[0] = 0;
  return begins;
}

Index count_of(const Spread& spread, int rank) {
  return spread[std::size_t(rank) + 1] - spread[std::size_t(rank)];
}

/// This rank's part of an array in another spread.
template <class Element>
DeviceList<Element> moved(Communicator& own, ConstListOf<Element> part, const Spread& from,
                          const Spread& to) {
  DeviceList<Element> moved(own.executor(), std::size_t(count_of(to, own.rank())));
  exchange<Element>(own, part, parts_in(from, own.rank(), to), moved.list(), parts_in(to, own.rank(), from));
  return moved;
}

/// A Role fills the whole input and checks the whole output, both on one GPU.
template <class Element, class Role>
class SpreadWorkload final : public GroupWorkload {
 public:
  SpreadWorkload(const GroupAlgorithm& algorithm, Communicator& own, const Problem& problem,
                 const Input& input, const Spread& spread)
      : own_(&own),
        role_{problem, input},
        spread_(spread),
        input_(on_this_rank()),
        call_(algorithm.make_call(own, of_this_rank(problem))) {}

  void run() override {
    const ConstListOf<Element> in = read_only(input_.list());
    if constexpr (has_values<Element>)
      output_ = call_->run({in.keys.data, in.values.data});
    else
      output_ = call_->run({in.data});
  }

  void check() override {
    run();
    const OwnPart before = output_;
    own_->executor().fill(before.keys, 0xa5, std::size_t(before.count) * sizeof(KeyOf<Element>));
    if constexpr (has_values<Element>)
      own_->executor().fill(before.values, 0xa5,
                            std::size_t(before.count) * sizeof(fathom::ValueOf<Element>));
    run();  // unwritten output must not look right
    const Spread found = output_spread();
    const DeviceList<Element> whole_input = on_rank_0(read_only(input_.list()), spread_);
    const DeviceList<Element> whole_output = on_rank_0(
        detail::list_of<Element>(InputArrays{output_.keys, output_.values}, u64(output_.count)), found);
    if (own_->rank() == 0)
      role_.template check<Element>(own_->executor(), read_only(whole_input.list()),
                                    read_only(whole_output.list()));
  }

  Spread output_spread() override {
    Spread spread{0};
    for (const Index count : gathered(*own_, std::span<const Index>(&output_.count, 1)))
      spread.push_back(spread.back() + count);
    return spread;
  }

 private:
  DeviceList<Element> on_this_rank() {
    const Spread first = on_first(spread_.back(), own_->size());
    const DeviceList<Element> whole(own_->executor(), std::size_t(count_of(first, own_->rank())));
    if (own_->rank() == 0) role_.template fill<Element>(own_->executor(), whole.list());
    DeviceList<Element> part = moved<Element>(*own_, read_only(whole.list()), first, spread_);
    own_->executor().synchronize();  // before the whole is released
    return part;
  }
  DeviceList<Element> on_rank_0(ConstListOf<Element> part, const Spread& from) {
    return moved<Element>(*own_, part, from, on_first(from.back(), own_->size()));
  }
  Problem of_this_rank(Problem problem) const {
    problem.n = double(count_of(spread_, own_->rank()));
    return problem;
  }

  Communicator* own_;
  Role role_;
  Spread spread_;
  DeviceList<Element> input_;
  std::unique_ptr<GroupCall> call_;
  OwnPart output_{};
};

struct SortRole {
  Problem problem;
  Input input;

  template <class Element>
  void fill(Executor& executor, ListOf<Element> list) const {
    fill_keys<KeyOf<Element>>(executor, keys_of(list), input);
    if constexpr (has_values<Element>) fill_values(executor, list.values);
  }
  template <class Element>
  void check(Executor& executor, ConstListOf<Element> in, ConstListOf<Element> out) const {
    if constexpr (has_values<Element>)
      check_sorted_pairs<KeyOf<Element>, ValueOf<Element>, Less>(executor, in.keys, out.keys, out.values,
                                                                 problem.stable);
    else
      check_sorted<Element, Less>(executor, in, out);
  }
};

/// No element passes through more additions than there are elements and ranks.
struct SumRole {
  Problem problem;
  Input input;

  template <class T>
  void fill(Executor& executor, Span<T> elements) const {
    fill_summands<T>(executor, elements, input);
  }
  template <class T>
  void check(Executor& executor, Span<const T> in, Span<const T> out) const {
    const Index depth = rounding_depth(input, Index(in.count + out.count));
    if (problem.kind == Kind::scan) return check_exclusive_scan<T, Plus>(executor, in, out, depth);
    for (u64 rank = 0; rank < out.count; ++rank)
      check_reduction<T, Plus>(executor, in, {out.data + rank, 1}, depth);
  }
};

}  // namespace

std::unique_ptr<GroupWorkload> make_group_workload(const GroupAlgorithm& algorithm, Communicator& own,
                                                   const Problem& problem, const Input& input,
                                                   const Spread& spread) {
  algorithm.check(problem);
  if (spread.size() != std::size_t(own.size()) + 1 || spread.front() != 0 ||
      !std::ranges::is_sorted(spread) || double(spread.back()) != problem.n)
    throw std::invalid_argument("the elements' spread over " + std::to_string(own.size()) +
                                " ranks must ascend from 0 to n, with one number more than there are ranks");
  using Made = std::unique_ptr<GroupWorkload>;
  if (algorithm.kind == Kind::sort)
    return detail::with_sorted<false>(RadixKeys{}, RecordTypes{}, problem,
                                      [&]<class Element>(std::type_identity<Element>, Unstable) -> Made {
                                        return std::make_unique<SpreadWorkload<Element, SortRole>>(
                                            algorithm, own, problem, input, spread);
                                      });
  return with_element_type(SummandTypes{}, problem.type, [&]<class T>(std::type_identity<T>) -> Made {
    return std::make_unique<SpreadWorkload<T, SumRole>>(algorithm, own, problem, input, spread);
  });
}

}  // namespace fathom
