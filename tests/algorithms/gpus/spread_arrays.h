// SPDX-License-Identifier: Apache-2.0
// Arrays that are spread over GPUs, and what an algorithm makes of them.
#pragma once

#include <fathom/algorithms/gpus/registry.h>
#include <fathom/device/group/communicator.h>

#include <numeric>
#include <vector>

namespace fathom::tests {

/// Elements of each rank.
using Shares = std::vector<std::size_t>;

inline Shares equal_shares(std::size_t n, std::size_t ranks) {
  Shares shares;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    shares.push_back((rank + 1) * n / ranks - rank * n / ranks);
  return shares;
}

/// What all ranks have of a result, in their order.
template <class Key, class Value = u32>
struct Result {
  std::vector<Key> keys;
  std::vector<Value> values;
  Shares shares;
};

/// The algorithm on elements [0, shares[0]) of the arrays on rank 0, and so on. `values` may be empty.
template <class Key, class Value = u32>
Result<Key, Value> result_of(Group& group, const GroupAlgorithm& algorithm, const Problem& problem,
                             const Shares& shares, const std::vector<Key>& keys,
                             const std::vector<Value>& values = {}) {
  std::vector<std::vector<Key>> keys_of_rank(shares.size());
  std::vector<std::vector<Value>> values_of_rank(shares.size());
  group.run([&](Communicator& own) {
    const std::size_t rank = std::size_t(own.rank());
    const std::size_t begin = std::accumulate(shares.begin(), shares.begin() + own.rank(), std::size_t(0));
    const auto on_device = [&]<class T>(const std::vector<T>& of) {
      return DeviceArray<T>(own.executor(), std::span<const T>(of).subspan(begin, shares[rank]));
    };
    const DeviceArray<Key> key_array = on_device(keys);
    const DeviceArray<Value> value_array =
        values.empty() ? DeviceArray<Value>(own.executor(), 0) : on_device(values);
    Problem of_rank = problem;
    of_rank.n = double(shares[rank]);
    const auto call = algorithm.make_call(own, of_rank);
    OwnPart part;
    for (int run = 0; run < 2; ++run)  // a call can run again
      part = call->run({key_array.data(), values.empty() ? nullptr : value_array.data()});
    keys_of_rank[rank] =
        download(own.executor(), Span<const Key>{static_cast<const Key*>(part.keys), u64(part.count)});
    if (!values.empty())
      values_of_rank[rank] = download(
          own.executor(), Span<const Value>{static_cast<const Value*>(part.values), u64(part.count)});
  });
  Result<Key, Value> all;
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    all.keys.insert(all.keys.end(), keys_of_rank[rank].begin(), keys_of_rank[rank].end());
    all.values.insert(all.values.end(), values_of_rank[rank].begin(), values_of_rank[rank].end());
    all.shares.push_back(keys_of_rank[rank].size());
  }
  return all;
}

}  // namespace fathom::tests
