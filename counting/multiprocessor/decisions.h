// SPDX-License-Identifier: Apache-2.0
// Warps and blocks decide at branches so that all together go each way as often as was counted.
#pragma once

#include <fathom/counting/multiprocessor/multiprocessor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace fathom {

/// A choice that has come up often enough, in spite of rounding.
inline constexpr double whole = 1 - 1e-9;

/// Where each choice stands: a warp's, or a block's. Each begins at a phase in [0, 1), so that of warps with
/// evenly spread phases as many take an outcome as its probability says, and then outcomes come up evenly.
/// Choices that do not depend on each other begin at the same phase: the rarest outcomes are the same warps'.
/// One on a way of another begins where that warp's phase lies among those that took this way.
class Decisions {
 public:
  void begin(const MultiprocessorCode& code, double phase) {
    phase_ = phase;
    states_.assign(code.states, phase);
    choices_begun_.assign(code.choices.size(), false);
    loops_begun_.assign(code.loops.size(), false);
    left_.resize(code.choices.size());
  }

  const MultiprocessorCode::Outcome& choose(const MultiprocessorCode& code, std::uint32_t index) {
    const MultiprocessorCode::Choice& choice = code.choices[index];
    if (!choices_begun_[index]) begin(choice, index);
    std::size_t k = 0;
    while (k + 1 < choice.outcomes.size() && !comes_up(choice.state + k, choice.outcomes[k].probability)) ++k;
    return choice.outcomes[k];
  }

  /// −1: none of its own.
  int choose_exit(const MultiprocessorCode& code, std::uint32_t index) {
    const MultiprocessorCode::Loop& loop = code.loops[index];
    if (!loops_begun_[index]) begin(loop, index);
    for (std::size_t k = 0; k < loop.exits.size(); ++k)
      if ((k + 1 == loop.exits.size() && !loop.may_leave_otherwise) ||
          comes_up(loop.state + k, loop.exits[k].probability))
        return int(k);
    return -1;
  }
  std::uint32_t choose_turns(const MultiprocessorCode::Loop& loop, int exit) {
    double& left_over = states_[loop.state + loop.exits.size() + std::size_t(exit)];
    const double turns = loop.exits[std::size_t(exit)].turns + left_over;
    const double chosen = std::floor(turns + (1 - whole));
    left_over = turns - chosen;
    return std::uint32_t(std::max(1.0, chosen));
  }
  bool comes_up(std::size_t state, double probability) {
    double& sum = states_[state];
    sum += probability;
    if (sum < whole) return false;
    sum -= 1;
    return true;
  }

 private:
  double phase_within(int choice) const {
    return choice >= 0 && choices_begun_[std::size_t(choice)] ? left_[std::size_t(choice)] : phase_;
  }

  void begin(const MultiprocessorCode::Choice& choice, std::uint32_t index) {
    choices_begun_[index] = true;
    left_[index] = begin(choice.outcomes, choice.state, phase_within(choice.within));
  }

  void begin(const MultiprocessorCode::Loop& loop, std::uint32_t index) {
    loops_begun_[index] = true;
    const double phase = begin(loop.exits, loop.state, phase_within(loop.within));
    for (std::size_t k = 0; k < loop.exits.size(); ++k) states_[loop.state + loop.exits.size() + k] = phase;
  }

  /// The phase among those that take the same outcome.
  template <class Outcomes>
  double begin(const Outcomes& outcomes, std::size_t state, double phase) {
    double left = phase;
    bool taken = false;
    for (const auto& outcome : outcomes) {
      const double probability = outcome.probability;
      states_[state++] = phase;
      if (phase + probability >= whole) {
        phase = (phase + probability - 1) / probability;
        if (!taken) left = phase;
        taken = true;
      } else {
        phase /= 1 - probability;
        if (!taken) left = phase;
      }
    }
    return std::clamp(left, 0.0, 1.0);
  }
  double phase_ = 0;
  std::vector<double> states_, left_;
  std::vector<char> choices_begun_, loops_begun_;
};

}  // namespace fathom
