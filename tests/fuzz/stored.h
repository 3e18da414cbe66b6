// SPDX-License-Identifier: Apache-2.0
// The parts that fuzzers of files share, and of what is made from them.
#pragma once

#include <fathom/model/laws/predict_counted.h>
#include <fathom/store/profile.h>
#include <fathom/store/work_table.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

namespace fathom::fuzz {

/// What `parse` returns; absent if it refuses the input. Only the parser of the input may: a FormatError of
/// anything else is a finding.
template <class Parse>
auto accepted(Parse parse) -> std::optional<decltype(parse())> try {
  return parse();
} catch (const FormatError&) {
  return std::nullopt;
}

/// The work in the built-in tables, parsed once. Nothing is counted, which would take long.
inline WorkLookup work_in_tables(int architecture) {
  return [architecture](const Descriptor& of, const Instantiation& type, const Parameters& parameters,
                        Input input) {
    using Key = std::tuple<std::string, std::string, std::string, int>;
    static std::map<Key, std::map<Parameters, std::shared_ptr<const AlgorithmWork>>> all;
    auto& known = all[{of.slug, name(type), std::string(name(input)), architecture}];
    if (const auto found = known.find(parameters); found != known.end()) return found->second;
    auto work = built_in_work({of.slug, type, parameters, input, architecture});
    if (!work) throw WorkUnavailable("the work is in no table");
    return known[parameters] = std::make_shared<const AlgorithmWork>(*std::move(work));
  };
}

}  // namespace fathom::fuzz
