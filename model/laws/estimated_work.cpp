// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/laws/counted.h>
#include <fathom/model/laws/estimated_work.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace fathom {
namespace {

/// Demands that differ by more are not in proportion.
bool are_alike(double a, double b) {
  constexpr double most = 2;
  return a <= most * b && b <= most * a;
}

constexpr std::array parts{&KernelWork::constant, &KernelWork::per_element, &KernelWork::per_doubling,
                           &KernelWork::per_partial};

/// The mean demand of the kernel's launches, each of one block; absent if the plan has none.
std::optional<Work> mean_work(const KernelWork& kernel, const Plan& plan,
                              const std::vector<WorkSize>& sizes) {
  Work sum;
  double launches = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].name() != kernel.kernel) continue;
    const Work one = kernel.at(sizes[i]);
    for (const Demand& demand : all_demands) sum.*demand.value += plan[i].repeats * one.*demand.value;
    launches += plan[i].repeats;
  }
  if (launches == 0) return std::nullopt;
  for (const Demand& demand : all_demands) sum.*demand.value /= launches;
  return sum;
}

/// `kernel`, changed as from `had` to `has`: in proportion or, where these are not alike, by their
/// difference, for as many times the instructions of `had` as the kernel has.
void change(KernelWork& kernel, const Work& had, const Work& has, double times) {
  for (const Demand& demand : all_demands) {
    const double before = had.*demand.value, after = has.*demand.value;
    if (are_alike(before, after)) {
      if (before > 0)
        for (const auto part : parts) kernel.*part.*demand.value *= after / before;
    } else {
      kernel.constant.*demand.value += times * (after - before);
    }
  }
}

const KernelWork* find(const AlgorithmWork& work, const std::string& kernel) {
  const auto found = std::ranges::find(work.kernels, kernel, &KernelWork::kernel);
  return found == work.kernels.end() ? nullptr : &*found;
}

}  // namespace

std::optional<AlgorithmWork> estimated_work(const Descriptor& algorithm, const Machine<double>& machine,
                                            double n, const CountedRelatives& relatives) {
  const auto& [same_case, same_parameters, neither] = relatives;
  Problem problem = algorithm.problem(n, same_case.type);
  problem.parameters = same_case.parameters;
  const Plan plan = plan_with_work(algorithm, machine, problem, same_case);
  const std::vector<WorkSize> sizes = work_sizes(n, plan);

  AlgorithmWork estimate = same_parameters;
  static_cast<WorkKey&>(estimate) = same_case;
  estimate.parameters = same_parameters.parameters;
  for (KernelWork& kernel : estimate.kernels) {
    const KernelWork* wanted = find(same_case, kernel.kernel);
    const KernelWork* other = find(neither, kernel.kernel);
    if (!wanted || !other) continue;
    const auto has = mean_work(*wanted, plan, sizes), had = mean_work(*other, plan, sizes),
               now = mean_work(kernel, plan, sizes);
    if (!has || !had || !now || had->instructions == 0) continue;
    if (!are_alike(has->instructions, had->instructions)) return std::nullopt;
    change(kernel, *had, *has, now->instructions / had->instructions);
    kernel.registers = std::max(1, kernel.registers + wanted->registers - other->registers);
    kernel.uncertain = wanted->uncertain;
    kernel.unknown_opcodes = wanted->unknown_opcodes;
    kernel.check_error.reset();
  }
  estimate.estimate = std::make_shared<const Assumptions>(Assumptions{
      {fmt::format("The work was not counted: it is estimated from that of {}.", in_words(same_parameters))},
      error_of_estimates});
  return estimate;
}

}  // namespace fathom
