// SPDX-License-Identifier: Apache-2.0
// The work of many choices of parameters: what is known first, the rest on all cores for some seconds.
#pragma once

#include <fathom/core/progress.h>
#include <fathom/model/laws/predict_counted.h>

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace fathom::calls {

using SharedWork = std::shared_ptr<const AlgorithmWork>;

/// Where the work of a choice comes from.
struct WorkSource {
  std::function<SharedWork(const Parameters&)> known;  ///< nullptr if it has to be counted
  /// Called on several threads at a time. The progress throws to stop it.
  std::function<SharedWork(const Parameters&, const Progress&)> count;
};

class ChoiceWork {
 public:
  /// Gets the work of the choices. With a limit, what is not counted by then is left out. Throws what
  /// `progress` and check_interruption() throw; other exceptions of `source` are kept for of().
  ChoiceWork(const std::vector<Parameters>& choices, const WorkSource& source,
             std::optional<std::chrono::milliseconds> limit, const Progress& progress);

  /// Throws what `source` threw for the choice, and WorkUnavailable for one that was left out.
  SharedWork of(const Parameters& choice) const;

 private:
  struct Entry {
    SharedWork work{};
    std::exception_ptr failure{};
  };
  std::map<Parameters, Entry> entries_;  ///< of the choices that are known, or were tried
};

}  // namespace fathom::calls
