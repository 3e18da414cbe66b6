// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/tuning/choice_order.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace fathom::calls {

ChoiceOrder::ChoiceOrder(std::vector<Parameters> choices, const Parameters& usual, SecondsOfChoice seconds)
    : choices_(std::move(choices)),
      entries_(choices_.size()),
      seconds_(std::move(seconds)),
      left_(choices_.size()) {
  if (choices_.empty()) return;
  std::vector<double> from_usual(choices_.size());
  for (const auto& parameter : choices_.front()) {
    const std::string& name = parameter.first;
    std::set<int> values;
    for (const Parameters& choice : choices_) values.insert(choice.at(name));
    const auto step = [&](int value) {
      return int(std::distance(values.begin(), values.lower_bound(value)));
    };
    const int usual_step = usual.contains(name) ? step(usual.at(name)) : 0;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      entries_[i].steps.push_back(step(choices_[i].at(name)));
      from_usual[i] += std::abs(entries_[i].steps.back() - usual_step);
    }
  }
  usual_ = std::size_t(std::ranges::min_element(from_usual) - from_usual.begin());
}

int ChoiceOrder::distance(std::size_t a, std::size_t b) const {
  int steps = 0;
  for (std::size_t i = 0; i < entries_[a].steps.size(); ++i)
    steps += std::abs(entries_[a].steps[i] - entries_[b].steps[i]);
  return steps;
}

void ChoiceOrder::close(Entry& entry, State state) {
  if (entry.state == State::open) --left_;
  entry.state = state;
}

void ChoiceOrder::set(std::size_t choice, SharedWork work) {
  Entry& known = entries_.at(choice);
  close(known, work ? State::known : State::failed);
  known.work = std::move(work);
  if (!known.work) return;
  if (const double seconds = seconds_(choices_[choice], *known.work); seconds < fastest_s_) {
    fastest_s_ = seconds;
    fastest_ = choice;
  }
}

void ChoiceOrder::set_similar(std::size_t choice, const AlgorithmWork& work) {
  entries_.at(choice).promised_s = seconds_(choices_[choice], work);
  entries_[choice].distance = 0;
}

std::optional<std::size_t> ChoiceOrder::most_promising() const {
  std::optional<std::size_t> first;
  const auto rank = [&](std::size_t i) {
    const bool has_similar = entries_[i].distance == 0;
    const bool is_neighbour = std::isfinite(fastest_s_) && distance(i, fastest_) == 1;
    const int group = has_similar ? 0 : is_neighbour ? 1 : 2;
    return std::tuple(group, entries_[i].promised_s, entries_[i].distance, i);
  };
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].state == State::open && (!first || rank(i) < rank(*first))) first = i;
  return first;
}

std::optional<std::size_t> ChoiceOrder::next() {
  if (left_ == 0) return std::nullopt;
  std::optional<std::size_t> chosen;
  if (entries_[usual_].state == State::open) {
    chosen = usual_;
  } else {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      Entry& open = entries_[i];
      if (open.state != State::open) continue;
      const SharedWork* nearest = nullptr;
      for (std::size_t k = 0; k < entries_.size(); ++k)
        if (entries_[k].state == State::known)
          if (const int steps = distance(i, k); steps < open.distance) {
            open.distance = steps;
            nearest = &entries_[k].work;
          }
      if (nearest) open.promised_s = seconds_(choices_[i], **nearest);
    }
    chosen = most_promising();
  }
  close(entries_[*chosen], State::given);
  ++given_;
  return chosen;
}

}  // namespace fathom::calls
