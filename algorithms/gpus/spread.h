// SPDX-License-Identifier: Apache-2.0
// Where the ranks' parts of an array lie, and their exchange.
#pragma once

#include <fathom/algorithms/sort/device_list.h>
#include <fathom/device/group/communicator.h>

#include <algorithm>
#include <vector>

namespace fathom {

/// Rank r has elements [begins[r], begins[r + 1]) of an array. One more than there are ranks.
using Spread = std::vector<Index>;

/// As equal as whole elements allow.
inline Spread equal_parts(Index elements, int ranks) {
  Spread begins;
  for (Index rank = 0; rank <= ranks; ++rank)
    begins.push_back(elements / ranks * rank + elements % ranks * rank / ranks);
  return begins;
}

/// What a rank has of each part of another spread of the same array, counted from its own first element.
inline std::vector<Part> parts_in(const Spread& of, int rank, const Spread& other) {
  const Index begin = of[std::size_t(rank)], end = of[std::size_t(rank) + 1];
  std::vector<Part> parts;
  for (std::size_t each = 0; each + 1 < other.size(); ++each) {
    const Index first = std::clamp(other[each], begin, end), last = std::clamp(other[each + 1], begin, end);
    parts.push_back({std::size_t(first - begin), std::size_t(last - first)});
  }
  return parts;
}

/// The parts, which count elements, in bytes.
inline std::vector<Part> in_bytes(std::vector<Part> parts, std::size_t of_element) {
  for (Part& part : parts) part = {part.begin * of_element, part.bytes * of_element};
  return parts;
}

/// Some of a list's elements.
template <class Key>
Span<Key> elements_of(Span<Key> keys, Index first, Index count) {
  return {keys.data + first, u64(count)};
}
template <class Key, class Value>
SplitSpan<Key, Value> elements_of(SplitSpan<Key, Value> list, Index first, Index count) {
  return {elements_of(list.keys, first, count), elements_of(list.values, first, count)};
}

/// Elements of every rank go to every rank. The parts count elements, not bytes.
template <class Element>
void exchange(Communicator& own, ConstListOf<Element> from, const std::vector<Part>& sent, ListOf<Element> to,
              const std::vector<Part>& received) {
  const auto all_to_all = [&](const void* source, void* target, std::size_t size) {
    own.all_to_all(source, in_bytes(sent, size), target, in_bytes(received, size));
  };
  all_to_all(keys_of(from).data, keys_of(to).data, sizeof(KeyOf<Element>));
  if constexpr (has_values<Element>)
    all_to_all(from.values.data, to.values.data, sizeof(fathom::ValueOf<Element>));
}

/// Queues the copy of all elements of a list to the begin of another.
template <class Element>
void copy(Executor& executor, ConstListOf<Element> from, ListOf<Element> to) {
  executor.copy(keys_of(to).data, keys_of(from).data, keys_of(from).count * sizeof(KeyOf<Element>));
  if constexpr (has_values<Element>)
    executor.copy(to.values.data, from.values.data, from.values.count * sizeof(fathom::ValueOf<Element>));
}

/// An array that becomes larger when more elements are asked for than ever before.
template <class Element>
class GrowingList {
 public:
  explicit GrowingList(Executor& executor) : executor_(&executor), memory_(executor, 0) {}

  /// Of what was in it nothing is left if it grows.
  ListOf<Element> list(Index count) {
    if (count > room_) {
      memory_ = DeviceList<Element>(*executor_, 0);  // first, as both may not fit
      room_ = 0;
      memory_ = DeviceList<Element>(*executor_, std::size_t(count));
      room_ = count;
    }
    return elements_of(memory_.list(), 0, count);
  }
  /// The first `kept` elements are left. It waits for what is queued if it grows.
  ListOf<Element> grown(Index count, Index kept) {
    if (count > room_) {
      DeviceList<Element> larger(*executor_, std::size_t(count));
      copy<Element>(*executor_, read_only(elements_of(memory_.list(), 0, kept)), larger.list());
      executor_->synchronize();
      memory_ = std::move(larger);
      room_ = count;
    }
    return elements_of(memory_.list(), 0, count);
  }

 private:
  Executor* executor_;
  DeviceList<Element> memory_;
  Index room_ = 0;
};

/// Makes the parts of an array that is spread over ranks as equal as whole elements allow. `sorted` are this
/// rank's elements; returns those that it has then, which are in `room`.
template <class Element>
ListOf<Element> in_equal_parts(Communicator& own, ListOf<Element> sorted, const Spread& spread,
                               GrowingList<Element>& room) {
  const Spread equal = equal_parts(spread.back(), own.size());
  const std::size_t rank = std::size_t(own.rank());
  const ListOf<Element> to = room.list(equal[rank + 1] - equal[rank]);
  exchange<Element>(own, read_only(sorted), parts_in(spread, own.rank(), equal), to,
                    parts_in(equal, own.rank(), spread));
  return to;
}

}  // namespace fathom
