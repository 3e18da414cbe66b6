#include <fathom/algorithms/registry.h>
#include <fathom/model/formulas.h>

namespace fathom {

Algorithm sort_mms() {
  return {{.slug = "sort-mms",
           .kind = Kind::sort,
           .group = "sort/merge",
           .source = "karsin2018 §5",
           .parameters = {{"K", "lists merged at a time", {2, 4, 8, 16, 32}, 8}},
           .formula = formulas::sort_mms()}};
}

}  // namespace fathom
