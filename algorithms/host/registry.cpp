// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/host/registry.h>
#include <fathom/algorithms/host/sort_host.h>
#include <fathom/algorithms/make_algorithm.h>

#include <algorithm>

namespace fathom {
namespace {

std::unique_ptr<Call> make_sort(const HostStreams& gpu, const Problem& problem, std::size_t memory_bytes) {
  constexpr std::size_t GiB = std::size_t(1) << 30;
  const int limit = problem.parameters.at("memory");
  const std::size_t bytes = limit == 0 ? memory_bytes : std::min(memory_bytes, std::size_t(limit) * GiB);
  return detail::with_sorted<true>(
      RadixKeys{}, RecordTypes{}, problem,
      [&]<class Element, class Stability>(std::type_identity<Element>, Stability) -> std::unique_ptr<Call> {
        return std::make_unique<SortHost<Element, Stability>>(gpu, problem, bytes);
      });
}

HostAlgorithm sort_host() {
  return {{.slug = "sort-host",
           .kind = Kind::sort,
           .group = "host",
           .source = "Fathom: parts copied in, sorted, merged and copied out beside each other",
           .parameters = {{"parts",
                           "parts that are copied at a time, at least; one round has 16 at most",
                           {1, 2, 4, 8, 16, 32, 64},
                           32},
                          {"memory",
                           "GiB of the GPU's memory to use at most; 0: all that is free",
                           {0, 1, 2, 4, 8, 16, 32, 64, 128},
                           0}},
           .types = element_types(RadixKeys{}),
           .pairs = detail::keys_and_values(RecordTypes{}),
           .stable = true},
          make_sort};
}

}  // namespace

const std::deque<HostAlgorithm>& host_algorithms() {
  static const std::deque<HostAlgorithm> all{sort_host()};
  return all;
}

const HostAlgorithm* find_host_algorithm(std::string_view slug) {
  const auto found = std::ranges::find(host_algorithms(), slug, &HostAlgorithm::slug);
  return found == host_algorithms().end() ? nullptr : &*found;
}

}  // namespace fathom
