// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/tuning/choice_order.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace fathom::calls {
namespace {

/// How much slower than the fastest a choice may be by its estimate and still be counted. Nineteen of twenty
/// estimates were closer to what was then counted (data/predictions/estimated-work.json).
constexpr double hope = 1.15;

int distance(const std::vector<int>& a, const std::vector<int>& b) {
  int steps = 0;
  for (std::size_t i = 0; i < a.size(); ++i) steps += std::abs(a[i] - b[i]);
  return steps;
}

}  // namespace

ChoiceOrder::ChoiceOrder(std::vector<Parameters> choices, const Parameters& usual, SecondsOfChoice seconds,
                         EstimateOfChoice estimate)
    : choices_(std::move(choices)),
      entries_(choices_.size()),
      seconds_(std::move(seconds)),
      estimate_(std::move(estimate)),
      left_(choices_.size()) {
  if (choices_.empty()) return;
  for (const auto& parameter : choices_.front()) {
    std::set<int>& values = values_.emplace_back();
    for (const Parameters& choice : choices_) values.insert(choice.at(parameter.first));
  }
  for (std::size_t i = 0; i < choices_.size(); ++i) entries_[i].steps = steps_of(choices_[i]);
  const Steps usual_steps = steps_of(usual);
  const auto nearest = std::ranges::min_element(
      entries_, {}, [&](const Entry& entry) { return distance(entry.steps, usual_steps); });
  usual_ = std::size_t(nearest - entries_.begin());
}

ChoiceOrder::Steps ChoiceOrder::steps_of(const Parameters& choice) const {
  Steps steps;
  std::size_t i = 0;
  for (const auto& parameter : choices_.front()) {
    const std::set<int>& values = values_[i++];
    const auto at =
        choice.contains(parameter.first) ? values.lower_bound(choice.at(parameter.first)) : values.begin();
    steps.push_back(int(std::distance(values.begin(), at)));
  }
  return steps;
}

void ChoiceOrder::close(Entry& entry, State state) {
  if (entry.state == State::open) --left_;
  entry.state = state;
}

void ChoiceOrder::set(std::size_t choice, SharedWork work) {
  Entry& known = entries_.at(choice);
  close(known, work ? State::known : State::failed);
  known.estimate = nullptr;
  if (!work) return;
  if (const double seconds = seconds_(choices_[choice], *work); seconds < fastest_s_) {
    fastest_s_ = seconds;
    fastest_ = choice;
  }
  add_reference({choices_[choice], std::move(work)});
}

void ChoiceOrder::add_reference(Reference reference) {
  references_.push_back(std::move(reference));
}

/// The nearer the reference, the better the estimate: each entry gets that of the nearest.
void ChoiceOrder::meet_references() {
  if (met_ == references_.size()) return;
  std::vector<Steps> steps;
  for (std::size_t k = met_; k < references_.size(); ++k) steps.push_back(steps_of(references_[k].choice));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.state == State::known || entry.state == State::failed) continue;
    const Reference* nearest = nullptr;
    for (std::size_t k = 0; k < steps.size(); ++k)
      if (const int far = distance(entry.steps, steps[k]); far < entry.distance) {
        entry.distance = far;
        nearest = &references_[met_ + k];
      }
    if (!nearest) continue;
    if (estimate_)
      if (SharedWork estimate = estimate_(choices_[i], *nearest)) entry.estimate = std::move(estimate);
    entry.promised_s = seconds_(choices_[i], entry.estimate ? *entry.estimate : *nearest->work);
  }
  met_ = references_.size();
}

std::optional<std::size_t> ChoiceOrder::most_promising() const {
  std::optional<std::size_t> first;
  const auto rank = [&](std::size_t i) {
    const Entry& entry = entries_[i];
    const bool is_neighbour =
        std::isfinite(fastest_s_) && distance(entry.steps, entries_[fastest_].steps) == 1;
    const int group = entry.estimate ? 0 : is_neighbour ? 1 : 2;
    return std::tuple(group, entry.promised_s, entry.distance, i);
  };
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.state != State::open) continue;
    if (leaves_out_hopeless_ && entry.estimate && entry.promised_s > hope * fastest_s_) continue;
    if (!first || rank(i) < rank(*first)) first = i;
  }
  return first;
}

std::optional<std::size_t> ChoiceOrder::next() {
  if (left_ == 0) return std::nullopt;
  std::optional<std::size_t> chosen = usual_;
  if (entries_[usual_].state != State::open) {
    meet_references();
    chosen = most_promising();
  }
  if (!chosen) {  // the rest is hopeless
    left_ = 0;
    return std::nullopt;
  }
  close(entries_[*chosen], State::given);
  ++given_;
  return chosen;
}

SharedWork ChoiceOrder::estimate(std::size_t choice) {
  meet_references();
  return entries_.at(choice).estimate;
}

}  // namespace fathom::calls
