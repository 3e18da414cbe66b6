#include <fathom/algorithms/registry.h>
#include <fathom/device/counting_executor.h>

#include <catch2/catch.hpp>

#include <set>

using namespace fathom;
using Catch::Matchers::Contains;

TEST_CASE("every slug is unique, found, and has a formula or a kernel or is a baseline") {
  std::set<std::string> slugs;
  for (const Algorithm& each : algorithms()) {
    INFO(each.slug);
    CHECK(slugs.insert(each.slug).second);
    CHECK(&algorithm(each.slug) == &each);
    CHECK((each.formula || each.make_driver || each.baseline));
    CHECK(bool(each.make_driver) == bool(each.device_bytes));
    CHECK(bool(each.make_driver) == !each.types.empty());
  }
  CHECK_THROWS_WITH(algorithm("sort-pairwize"), Contains("did you mean sort-pairwise?"));
}

TEST_CASE("every algorithm of ours with a kernel runs and passes its check on the CPU") {
  for (const Algorithm& each : algorithms()) {
    if (!each.make_driver || each.baseline) continue;
    for (ElementType type : each.types) {
      CountingExecutor executor;
      Problem problem{3000, type, each.formula->default_parameters()};
      INFO(each.slug << " " << name(type));
      const auto driver = each.make_driver(executor, problem, Input::random);
      CHECK_NOTHROW(driver->check());
      CHECK(!driver->kernels().empty());
      const int outputs = each.family == "reduce" ? 1 : 3000;
      CHECK(each.device_bytes(problem) >= std::size_t((3000 + outputs) * size_in_bytes(type)));
    }
  }
}

TEST_CASE("input names round trip, and a wrong one is told the nearest") {
  for (Input input : all_inputs) CHECK(parse_input(name(input)) == input);
  CHECK_THROWS_WITH(parse_input("sortd"), Contains("did you mean sorted?"));
}
