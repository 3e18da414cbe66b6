#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/radix/lsd/radix_lsd.h>
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
using AnyRadixLsd = RadixLsd<Element>;

}  // namespace

Algorithm radix_lsd() {
  return make_sort_with_values<AnyRadixLsd>(
      {.slug = "radix-lsd",
       .group = "sort/radix",
       .source = "merrill2010",
       .parameters = {{"t", "threads per block", {64, 128, 256}, 128},
                      {"d", "bits of a digit", consecutive(1, 8), 6},
                      {"E", "elements per thread", {7, 9, 11, 13, 15, 17, 19, 21, 23}, 23}},
       .formula = formulas::radix_lsd(),
       .asymptotic_costs = {
           .umm = [](const Instance& of) { return radix_lsd_global(of.size, shape(of.problem)); },
           .dmm =
               [](const Instance& of) { return radix_lsd_shared(of.size, shape(of.problem), of.conflict); },
           .agpu = [](const AgpuSize& size,
                      const Problem& problem) { return asymptotic::radix_lsd(size, shape(problem)); }}},
      RadixKeys{}, RecordTypes{}, "d", "t", "E");
}

}  // namespace fathom
