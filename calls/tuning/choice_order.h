// SPDX-License-Identifier: Apache-2.0
// In which order the work of an algorithm's choices of parameters is counted, so that the fastest is found
// before all are.
#pragma once

#include <fathom/model/laws/predict_counted.h>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace fathom::calls {

using SharedWork = std::shared_ptr<const AlgorithmWork>;

/// Predicted seconds of a choice with this work. That of another choice gives an estimate: kernels do about
/// as much per element, and the plan is the choice's own. Infinity for what cannot run or be told.
using SecondsOfChoice = std::function<double(const Parameters&, const AlgorithmWork&)>;

/// First comes the usual choice, then those of which similar work is known, then the neighbours of the
/// fastest one so far, which differ from it in one parameter by one step, then all others; among these, those
/// come first that promise to be fastest by similar work or by that of the nearest choice whose work is
/// known. Not for several threads at once.
class ChoiceOrder {
 public:
  /// `choices` must be different from each other and have the same parameters.
  ChoiceOrder(std::vector<Parameters> choices, const Parameters& usual, SecondsOfChoice seconds);

  /// The work of a choice is known; nullptr: it cannot be had, or the choice cannot run.
  void set(std::size_t choice, SharedWork work);
  /// Work that is about that of the choice, such as that of other elements of the same size.
  void set_similar(std::size_t choice, const AlgorithmWork& work);
  /// The choice to count next, which is not given again; absent if there is none left.
  std::optional<std::size_t> next();

  const std::vector<Parameters>& choices() const { return choices_; }
  std::size_t given() const { return given_; }  ///< how many choices next() has given
  std::size_t left() const { return left_; }    ///< how many next() will give
  /// Predicted seconds of the fastest choice whose work is known; infinity if there is none.
  double fastest_s() const { return fastest_s_; }

 private:
  enum class State { open, given, known, failed };
  struct Entry {
    std::vector<int> steps;  ///< of each parameter, the position of its value among those of the choices
    State state = State::open;
    SharedWork work{};
    /// By similar work or, without, by that of the nearest known choice.
    double promised_s = std::numeric_limits<double>::infinity();
    int distance = std::numeric_limits<int>::max();  ///< to it, in steps; 0: by similar work
  };

  int distance(std::size_t a, std::size_t b) const;
  std::optional<std::size_t> most_promising() const;
  void close(Entry& entry, State state);

  std::vector<Parameters> choices_;
  std::vector<Entry> entries_;  ///< of each choice
  std::size_t usual_ = 0;       ///< the usual choice or, if it is none of the choices, the nearest to it
  SecondsOfChoice seconds_;
  std::size_t fastest_ = 0;
  double fastest_s_ = std::numeric_limits<double>::infinity();
  std::size_t left_, given_ = 0;
};

}  // namespace fathom::calls
