// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/constants.h>
#include <fathom/model/laws/sensitivities.h>

#include <algorithm>
#include <cmath>

namespace fathom {

Machine<Dual> as_dual(const Machine<double>& machine) {
  Machine<Dual> dual;
  dual.name = machine.name;
  dual.multiprocessors = machine.multiprocessors;
  dual.cores_per_multiprocessor = machine.cores_per_multiprocessor;
  dual.warp_width = machine.warp_width;
  dual.clock = machine.clock;
  dual.global_memory = machine.global_memory;
  dual.l2_capacity = machine.l2_capacity;
  dual.limits = machine.limits;
  dual.links = machine.links;
  std::vector<std::optional<double>> values;
  for_each_constant(machine,
                    [&](std::string_view, const std::optional<double>& value) { values.push_back(value); });
  std::size_t next = 0;
  for_each_constant(dual, [&](std::string_view, std::optional<Dual>& value) {
    if (const auto& plain = values[next++]) value = Dual(*plain);
  });
  return dual;
}

Dual variable(double value) {
  return boost::math::differentiation::make_fvar<double, 1>(value);
}

std::vector<Sensitivity> sensitivities(const Machine<double>& machine,
                                       const std::function<Dual(const Machine<Dual>&)>& seconds,
                                       double least) {
  Machine<Dual> dual = as_dual(machine);
  std::vector<Sensitivity> found;
  for_each_constant(dual, [&](std::string_view name, std::optional<Dual>& constant) {
    if (!constant) return;
    const Dual kept = *constant;
    constant = variable(real::plain(kept));
    const Dual time = seconds(dual);
    constant = kept;
    const double slope = time[1] / time[0] * real::plain(kept);
    if (std::abs(slope) > least) found.push_back({std::string(name), slope});
  });
  std::ranges::stable_sort(found, [](const Sensitivity& a, const Sensitivity& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  return found;
}

}  // namespace fathom
