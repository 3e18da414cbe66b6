// SPDX-License-Identifier: Apache-2.0
// The only list of algorithms for several GPUs.
//
// It is a list of its own, beside that of one GPU (algorithms/registry.h): those have a plan, which is one
// device's, and a workload on one executor, which everything that reads that list uses.
#pragma once

#include <fathom/algorithms/gpus/group_call.h>
#include <fathom/core/exchange.h>
#include <fathom/model/descriptor.h>

#include <deque>
#include <functional>
#include <string_view>
#include <vector>

namespace fathom {

struct GroupAlgorithm : Descriptor {
  MakeGroupCall make_call{};
  /// The law prices these: the exchanges of a run, in order, of a problem with n elements in all, which are
  /// random and in equal parts.
  std::function<std::vector<Exchange>(const Problem&, int gpus)> exchanges{};
};

const std::deque<GroupAlgorithm>& group_algorithms();
/// Throws std::invalid_argument, naming the nearest slug, if there is no such algorithm.
const GroupAlgorithm& group_algorithm(std::string_view slug);
/// nullptr if there is no such algorithm.
const GroupAlgorithm* find_group_algorithm(std::string_view slug);

}  // namespace fathom
