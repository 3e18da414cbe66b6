#include <fathom/model/formula.h>
#include <fathom/model/formulas/formulas.h>

#include <catch2/catch.hpp>

using namespace fathom;
using Catch::Matchers::Contains;

TEST_CASE("element types have a name, a size and a way back") {
  for (ElementType type : {ElementType::u32, ElementType::u64, ElementType::f32, ElementType::f64})
    CHECK(parse_element_type(name(type)) == type);
  CHECK(words(ElementType::f32) == 1);
  CHECK(words(ElementType::u64) == 2);
  CHECK_THROWS_WITH(parse_element_type("u16"), Contains("u16") && Contains("u32, u64, f32, f64"));
}

TEST_CASE("parameters are set, replaced and asked for by name") {
  Parameters parameters{{"E", 15}};
  parameters.set("t", 128);
  parameters.set("E", 17);
  CHECK(parameters == Parameters{{"E", 17}, {"t", 128}});
  CHECK(parameters.at("t") == 128);
  CHECK(parameters.contains("E"));
  CHECK_FALSE(parameters.contains("K"));
  CHECK_THROWS_AS(parameters.at("K"), std::out_of_range);
}

TEST_CASE("bad parameters are refused by name and range") {
  const Formula formula = sort_pairwise();
  CHECK_NOTHROW(formula.check(formula.default_parameters()));
  CHECK_THROWS_WITH(formula.check({{"e", 15}}), Contains("did you mean 'E'"));
  CHECK_THROWS_WITH(formula.check({{"E", 48}}), Contains("E") && Contains("48") && Contains("3..47"));
  CHECK_THROWS_WITH(formula.check({{"t", 100}}), Contains("64, 128, 256, 512"));
}

TEST_CASE("every formula's ranges are ascending and hold their standard") {
  for (const Formula& formula : {sort_pairwise(), sort_multiway(), sort_mms(), scan_naive(), scan_interval(),
                                 scan_sequential(), scan_matrix(), scan_lookback()}) {
    INFO(formula.slug);
    for (const ParameterInfo& parameter : formula.parameters) {
      CHECK(std::is_sorted(parameter.values.begin(), parameter.values.end()));
      CHECK(std::count(parameter.values.begin(), parameter.values.end(), parameter.standard) == 1);
      CHECK(formula.find_parameter(parameter.name) == &parameter);
    }
    for (const ConstantInfo& constant : formula.constants) {
      INFO(constant.name);
      CHECK(constant.lowest < constant.highest);
      CHECK(constant.lowest <= constant.standard);
      CHECK(constant.standard <= constant.highest);
    }
    CHECK(formula.standard_constants().size() == formula.constants.size());
    CHECK(formula.find_parameter("nothing") == nullptr);
  }
}
