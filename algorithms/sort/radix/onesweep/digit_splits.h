// SPDX-License-Identifier: Apache-2.0
// The passes of a radix sort on the device, and their work space.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/radix/onesweep/split_in_any_order.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// Launches of SplitByDigit and SplitInAnyOrder, up to `passes` in a run, for which a kernel ahead of them
/// has written passes() and starts().
template <class Element>
class DigitSplits {
 public:
  DigitSplits(Executor& executor, Index n, int bits, int threads, int elements, int passes)
      : n_(n),
        bits_(bits),
        threads_(threads),
        elements_(elements),
        passes_(executor, std::size_t(passes)),
        starts_(executor, std::size_t(passes) << bits),
        states_(executor, std::size_t(states()) * (is_large(n) ? 2 : 1)),
        latest_parity_(executor, 1) {
    executor.fill(states_.data(), 0xff, states_.bytes());  // as a pass of odd parity leaves them
    executor.fill(latest_parity_.data(), 0xff, latest_parity_.bytes());
  }

  /// `Split` is a kernel of SplitByDigit's members, which has its base's type as Split. Throws
  /// std::invalid_argument if a block has fewer threads than a digit has values.
  template <template <class...> class Split = SplitByDigit>
  static Launch launch(Index n, int bits, int threads, int elements, int passes) {
    if (threads < 1 << bits)
      throw std::invalid_argument("a pass by digits: " + std::to_string(threads) +
                                  " threads are fewer than the " + std::to_string(1 << bits) +
                                  " values of a digit: set t to that at least, or d to less");
    return is_large(n) ? launch_as<Split<Element, u64>>(n, bits, threads, elements, passes)
                       : launch_as<Split<Element, u32>>(n, bits, threads, elements, passes);
  }

  /// Returns true if nothing but the bits that the passes sort by matters, which are `sorted`: there is one
  /// order of keys alone that are sorted by all of their bits. So passes may swap keys that agree in the
  /// bits sorted so far.
  static constexpr bool only_keys_matter(BitRange sorted) {
    return !has_values<Element> && sorted.begin == 0 && sorted.end == key_bits<KeyOf<Element>>;
  }
  /// Returns the first of the passes that sort by `sorted`.
  static Launch launch_first(Index n, int bits, int threads, int elements, BitRange sorted) {
    if constexpr (!has_values<Element>)
      if (only_keys_matter(sorted)) return launch<SplitInAnyOrder>(n, bits, threads, elements, 1);
    return launch(n, bits, threads, elements, 1);
  }
  /// Returns so many of the passes after it.
  static Launch launch_later(Index n, int bits, int threads, int elements, int passes, BitRange sorted) {
    if constexpr (!has_values<Element>)
      if (only_keys_matter(sorted)) return launch<SplitKeys>(n, bits, threads, elements, passes);
    return launch(n, bits, threads, elements, passes);
  }

  Span<RadixPass> passes() const { return passes_.span(); }
  Span<u64> starts() const { return starts_.span(); }  ///< of bin b of pass p: [p·2^bits + b]
  Span<u32> latest_parity() const { return latest_parity_.span(); }

  /// Queues pass p; its launch is plan[index]. `more` are the members that Split has beyond SplitByDigit's.
  template <template <class...> class Split = SplitByDigit, class... More>
  void run(PreparedPlan& plan, std::size_t index, const RadixLists<Element>& lists, int p, More... more) {
    is_large(n_) ? run_as<Split, u64>(plan, index, lists, p, 0, more...)
                 : run_as<Split, u32>(plan, index, lists, p, 0, more...);
  }

  /// Queues the pass of launch_first(), which is pass 0.
  void run_first(PreparedPlan& plan, std::size_t index, const RadixLists<Element>& lists, BitRange sorted) {
    if constexpr (!has_values<Element>)
      if (only_keys_matter(sorted)) return run<SplitInAnyOrder>(plan, index, lists, 0);
    run(plan, index, lists, 0);
  }
  /// Queues pass p, one of launch_later(). `first_bit` is the first one that a pass has sorted by.
  void run_later(PreparedPlan& plan, std::size_t index, const RadixLists<Element>& lists, int p,
                 BitRange sorted, int first_bit) {
    if constexpr (!has_values<Element>)
      if (only_keys_matter(sorted))
        return is_large(n_) ? run_as<SplitKeys, u64>(plan, index, lists, p, first_bit)
                            : run_as<SplitKeys, u32>(plan, index, lists, p, first_bit);
    run(plan, index, lists, p);
  }

 private:
  template <class Keys, class Count>
  using SplitKeys = SplitByDigit<Keys, Count, Number, Number, Number, UnprovenDigitRows>;

  static bool is_large(Index n) { return n > Index(DigitStates<u32>::most); }
  Index states() const {
    return (DigitStates<u32>::rows_ahead + ceil_div(n_, Index(threads_) * elements_)) << bits_;
  }

  template <class Split>
  static Launch launch_as(Index n, int bits, int threads, int elements, int passes) {
    return launch_of_tiles<Split>(n, Index(threads) * elements,
                                  {threads, Split::shared_memory(threads, elements, bits)},
                                  {threads, elements, bits}, passes);
  }
  template <template <class...> class Split, class Count, class... More>
  void run_as(PreparedPlan& plan, std::size_t index, const RadixLists<Element>& lists, int p, int first_bit,
              More... more) {
    const Span<const RadixPass> pass{passes_.data() + p, 1};
    const Span<const u64> starts{starts_.data() + (Index(p) << bits_), u64(1) << bits_};
    const Span<Count> words{reinterpret_cast<Count*>(states_.data()), u64(states())};
    using Kernel = Split<Element, Count>;
    const typename Kernel::Split split{lists, pass, starts, words, n_, threads_, elements_, bits_, first_bit};
    plan.launch(index, Kernel{split, more...});
  }

  Index n_;
  int bits_, threads_, elements_;
  DeviceArray<RadixPass> passes_;
  DeviceArray<u64> starts_;
  DeviceArray<u32> states_;  // of DigitStates
  DeviceArray<u32> latest_parity_;
};

}  // namespace fathom
