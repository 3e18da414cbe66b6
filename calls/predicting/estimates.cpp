// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/estimates.h>

#include <fathom/calls/predicting/prediction.h>
#include <fathom/counting/work.h>
#include <fathom/model/laws/estimated_work.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace fathom::calls {
namespace {

constexpr int best_known = 90;  ///< the architecture whose tables have most choices

/// The built-in tables have most choices of these.
Case of_unsigned(Case of) {
  of.problem.type = unsigned_like(of.problem.type);
  if (of.problem.value_type) of.problem.value_type = unsigned_like(*of.problem.value_type);
  return of;
}

/// Cases that do much the same as this one, the most alike first: of unsigned numbers of the same size and
/// random input, and on sm_90.
std::vector<std::pair<Case, int>> similar_cases(const Case& of, int architecture) {
  Case same_type = of;
  same_type.input = Input::random;
  const Case same_size = of_unsigned(same_type);
  std::vector<std::pair<Case, int>> similar;
  std::vector keys{work_key(of, architecture)};
  for (const auto& [one, on] : {std::pair(same_size, architecture), std::pair(same_type, best_known),
                                std::pair(same_size, best_known)}) {
    if (std::ranges::find(keys, work_key(one, on)) != keys.end()) continue;
    keys.push_back(work_key(one, on));
    similar.emplace_back(one, on);
  }
  return similar;
}

}  // namespace

std::optional<AlgorithmWork> estimated_by(const Case& of, const DeviceProfile& profile,
                                          const AlgorithmWork& reference) try {
  for (const auto& [similar, architecture] : similar_cases(of, architecture_of(profile))) {
    const auto same_parameters = known_work(similar, architecture);
    if (!same_parameters) continue;
    Case with_reference = similar;
    with_reference.problem.parameters = reference.parameters;
    const auto neither = known_work(with_reference, architecture);
    if (!neither) continue;
    auto estimated =
        estimated_work(*of.algorithm, profile.machine, of.problem.n,
                       {.same_case = reference, .same_parameters = *same_parameters, .neither = *neither});
    if (estimated) return estimated;
  }
  return std::nullopt;
} catch (const std::invalid_argument&) {  // no block of one of them fits
  return std::nullopt;
}

std::optional<AlgorithmWork> estimated_by_type(const Case& of, const DeviceProfile& profile) {
  const int architecture = architecture_of(profile);
  const Case same_size = of_unsigned(of);
  if (work_key(same_size, architecture) == work_key(of, architecture)) return std::nullopt;
  const auto here = known_work(same_size, architecture), there = known_work(same_size, best_known),
             wanted = known_work(of, best_known);
  if (!here || !there || !wanted || here == there) return std::nullopt;
  auto estimated = estimated_work(*of.algorithm, profile.machine, of.problem.n,
                                  {.same_case = *here, .same_parameters = *wanted, .neither = *there});
  if (estimated) static_cast<WorkKey&>(*estimated) = work_key(of, architecture);
  return estimated;
}

std::optional<AlgorithmWork> estimated_without_counting(const Case& of, const DeviceProfile& profile) try {
  Case usual = of;
  usual.problem.parameters = of.algorithm->default_parameters();
  auto reference = known_work(usual, architecture_of(profile));
  if (!reference) reference = estimated_by_type(usual, profile);
  if (!reference || usual.problem.parameters == of.problem.parameters) return reference;
  return estimated_by(of, profile, *reference);
} catch (const std::invalid_argument&) {  // no block of one of them fits
  return std::nullopt;
}

}  // namespace fathom::calls
