#include <fathom/algorithms/registry.h>
#include <fathom/model/formulas.h>

namespace fathom {

Algorithm sort_multiway() {
  return {{.slug = "sort-multiway",
           .kind = Kind::sort,
           .group = "sort/merge",
           .source = "agpu2015 §7.3, karsin2018 §4.2",
           .parameters = {{"K", "lists merged at a time", {2, 4, 8, 16, 32}, 8}},
           .formula = formulas::sort_multiway()}};
}

}  // namespace fathom
