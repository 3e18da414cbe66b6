// SPDX-License-Identifier: Apache-2.0
// Loads a built-in profile and predicts with it, and calls a function where there is a GPU.
#include <fathom/algorithms/registry.h>
#include <fathom/device/executor.h>
#include <fathom/functions/functions.h>
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
  try {
    fathom::sort(static_cast<unsigned*>(nullptr), 0);
  } catch (const fathom::DeviceUnavailable& unavailable) {
    std::cout << unavailable.what() << "\n";
  }
  return prediction.time_s > 0 ? 0 : 1;
}
