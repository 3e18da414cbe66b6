#include "samples.h"

#include <fathom/reports/html.h>

#include <catch2/catch.hpp>
#include <regex>
#include <set>

using namespace fathom;
using namespace fathom::reports;
using Catch::Matchers::Contains;

TEST_CASE("the report is one self-contained page with ids that do not collide") {
  const std::string page = html_report(sample_input());
  CHECK_THAT(page, !Contains("http") && !Contains("<script") && !Contains("src=") && !Contains("@import"));
  CHECK_THAT(page, Contains("NVIDIA &lt;H200&gt;"));

  const std::regex id_pattern("\\sid=['\"]([^'\"]+)['\"]");
  std::set<std::string> ids;
  for (std::sregex_iterator at(page.begin(), page.end(), id_pattern), end; at != end; ++at) {
    INFO((*at)[1].str());
    CHECK(ids.insert((*at)[1]).second);
  }
  const std::regex use_pattern("(?:href=['\"]#|url\\(#)([^'\")]+)");
  for (std::sregex_iterator at(page.begin(), page.end(), use_pattern), end; at != end; ++at) {
    INFO((*at)[1].str());
    CHECK(ids.contains((*at)[1]));
  }
  for (const char* figure :
       {"throughput-sort-pairwise-u32", "algorithms-sort-u32", "sweep-sort-pairwise-u32-4194304-E",
        "saturation-global", "parity-calibrated", "parity-published", "terms-sort-pairwise-u32"})
    CHECK(ids.contains(std::string(figure) + "-title"));
}

TEST_CASE("what the report lacks is said in its place") {
  const std::string page = html_report({});
  CHECK_THAT(page, !Contains("<svg"));
  CHECK_THAT(page,
             Contains("fathom calibrate -o profile.json") && Contains("no measured runs to compare with"));
}
