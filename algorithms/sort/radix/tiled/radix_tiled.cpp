#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/radix/tiled/radix_tiled.h>
#include <fathom/model/formulas.h>

#include <cmath>

namespace fathom {
namespace {

using namespace asymptotic;

RadixShape shape(const Problem& problem) {
  const double E = problem.parameters.at("E");
  return {.k = 32 * words(problem.type),
          .r = std::exp2(problem.parameters.at("d")),
          .m = problem.parameters.at("t") * E,
          .E = E};
}

/// Keys are compared by their digits, and the sort is stable whether asked for or not. The name must be
/// unique in the library: GCC 12 does not tell alias templates of unnamed namespaces apart when it links.
template <class Element, class LessThan, class Stability>
using AnyRadixTiled = RadixTiled<Element>;

}  // namespace

Algorithm radix_tiled() {
  return make_sort_with_values<AnyRadixTiled>(
      {.slug = "radix-tiled",
       .group = "sort/radix",
       .source = "merrill2010, after Satish et al. 2009",
       .parameters = {{"t", "threads per block", {128, 256, 512}, 256},
                      {"d", "bits of a digit", consecutive(1, 8), 4},
                      {"E", "elements per thread", {2, 4, 8}, 4}},
       .formula = formulas::radix_tiled(),
       .asymptotic_costs = {
           .umm = [](const Instance& of) { return radix_tiled_global(of.size, shape(of.problem)); },
           .dmm =
               [](const Instance& of) {
                 return radix_tiled_shared(of.size, shape(of.problem), of.conflict);
               }}},
      RadixKeys{}, RecordTypes{}, "d", "t", "E");
}

}  // namespace fathom
