// SPDX-License-Identifier: Apache-2.0
// Work asked for once.
#pragma once

#include <fathom/model/laws/predict_counted.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace fathom::calls {

/// Asks for the work of each choice of parameters once, and remembers why some is unavailable.
class RememberedWork {
 public:
  explicit RememberedWork(WorkLookup lookup) : lookup_(std::move(lookup)) {}

  /// This must outlive it.
  WorkLookup lookup() {
    return [this](const Descriptor& of, const Instantiation& type, const Parameters& parameters,
                  Input input) { return work(of, type, parameters, input); };
  }
  /// nullptr if the work is known or was never asked for.
  const std::string* why_unavailable(const Descriptor& of, const Problem& problem, Input input) const {
    const auto found = unavailable_.find({of.slug, Instantiation(problem), problem.parameters, input});
    return found == unavailable_.end() ? nullptr : &found->second;
  }

 private:
  using Key = std::tuple<std::string, Instantiation, Parameters, Input>;

  std::shared_ptr<const AlgorithmWork> work(const Descriptor& of, const Instantiation& type,
                                            const Parameters& parameters, Input input) {
    const Key key{of.slug, type, parameters, input};
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    if (const auto why = unavailable_.find(key); why != unavailable_.end())
      throw WorkUnavailable(why->second);
    if (const auto why = too_large_.find(key); why != too_large_.end()) throw BlockTooLarge(why->second);
    try {
      return known_.emplace(key, lookup_(of, type, parameters, input)).first->second;
    } catch (const BlockTooLarge& too_large) {
      too_large_.emplace(key, too_large.what());
      throw;
    } catch (const WorkUnavailable& unavailable) {
      unavailable_.emplace(key, unavailable.what());
      throw;
    }
  }

  WorkLookup lookup_;
  std::map<Key, std::shared_ptr<const AlgorithmWork>> known_;
  std::map<Key, std::string> unavailable_, too_large_;  // why
};

}  // namespace fathom::calls
