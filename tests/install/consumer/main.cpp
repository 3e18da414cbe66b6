// SPDX-License-Identifier: Apache-2.0
// Loads a built-in profile and predicts with it.
#include <fathom/algorithms/registry.h>
#include <fathom/model/laws/predict.h>
#include <fathom/store/profile.h>

#include <iostream>

int main() {
  const fathom::DeviceProfile profile = fathom::built_in_profile("m4000");
  const fathom::Machine<double>& machine = profile.machine;
  const fathom::Descriptor& sort = *fathom::find_descriptor("sort-pairwise");
  const fathom::Problem problem = sort.problem(1e8);
  const fathom::Prediction prediction = fathom::predict(sort, machine, problem, {fathom::LawName::published});
  std::cout << machine.name << " sorts 10^8 keys in " << prediction.time_s << " s\n";
  return prediction.time_s > 0 ? 0 : 1;
}
