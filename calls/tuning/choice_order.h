// SPDX-License-Identifier: Apache-2.0
// In which order the work of an algorithm's choices of parameters is counted, so that the fastest is found
// before all are.
#pragma once

#include <fathom/model/laws/predict_counted.h>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace fathom::calls {

using SharedWork = std::shared_ptr<const AlgorithmWork>;

/// Predicted seconds of a choice with this work. That of another choice gives a rough idea: kernels do about
/// as much per element, and the plan is the choice's own. Infinity for what cannot run or be told.
using SecondsOfChoice = std::function<double(const Parameters&, const AlgorithmWork&)>;

/// A choice whose work is known.
struct Reference {
  Parameters choice;
  SharedWork work;
};
/// The work of a choice, estimated from that of a reference; nullptr if it cannot be.
using EstimateOfChoice = std::function<SharedWork(const Parameters&, const Reference&)>;

/// First comes the usual choice, then those whose work is estimated and, of the rest, the neighbours of the
/// fastest one so far, which differ from it in one parameter by one step, then all others; among these, those
/// come first that promise to be fastest by their estimate or by the work of the nearest reference. Not for
/// several threads at once.
class ChoiceOrder {
 public:
  /// `choices` must be different from each other and have the same parameters. `estimate` may be empty.
  ChoiceOrder(std::vector<Parameters> choices, const Parameters& usual, SecondsOfChoice seconds,
              EstimateOfChoice estimate = {});

  /// The work of a choice is known; nullptr: it cannot be had, or the choice cannot run.
  void set(std::size_t choice, SharedWork work);
  /// The work is known of what is none of the choices, but has the same parameters.
  void add_reference(Reference reference);
  bool has_references() const { return !references_.empty(); }
  /// The choice to count next, which is not given again; absent if there is none left.
  std::optional<std::size_t> next();
  /// From now on, next() leaves out choices whose estimates say that they are not the fastest.
  void leave_out_hopeless() { leaves_out_hopeless_ = true; }
  /// By the nearest reference so far; nullptr if there is none, or for choices whose work is known.
  SharedWork estimate(std::size_t choice);

  const std::vector<Parameters>& choices() const { return choices_; }
  std::size_t given() const { return given_; }  ///< how many choices next() has given
  std::size_t left() const { return left_; }    ///< how many next() will give at most
  /// Predicted seconds of the fastest choice whose work is known; infinity if there is none.
  double fastest_s() const { return fastest_s_; }

 private:
  enum class State { open, given, known, failed };
  using Steps =
      std::vector<int>;  ///< of each parameter, the position of its value among those of the choices
  struct Entry {
    Steps steps;
    State state = State::open;
    SharedWork estimate{};
    /// By the estimate or, without, by the work of the nearest reference.
    double promised_s = std::numeric_limits<double>::infinity();
    int distance = std::numeric_limits<int>::max();  ///< to it, in steps
  };

  Steps steps_of(const Parameters& choice) const;
  void meet_references();
  std::optional<std::size_t> most_promising() const;
  void close(Entry& entry, State state);

  std::vector<Parameters> choices_;
  std::vector<std::set<int>> values_;  ///< of each parameter
  std::vector<Entry> entries_;         ///< of each choice
  std::size_t usual_ = 0;  ///< the usual choice or, if it is none of the choices, the nearest to it
  SecondsOfChoice seconds_;
  EstimateOfChoice estimate_;
  std::vector<Reference> references_{};
  std::size_t met_ = 0;  ///< how many references the entries know
  bool leaves_out_hopeless_ = false;
  std::size_t fastest_ = 0;
  double fastest_s_ = std::numeric_limits<double>::infinity();
  std::size_t left_, given_ = 0;
};

}  // namespace fathom::calls
