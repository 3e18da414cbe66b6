#include "samples.h"

#include <fathom/algorithms/registry.h>
#include <fathom/reports/html.h>

#include <catch2/catch.hpp>
#include <regex>
#include <set>

using namespace fathom;
using namespace fathom::reports;
using Catch::Matchers::Contains;

TEST_CASE("the report is one self-contained page with unique ids") {
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

TEST_CASE("the report says what is missing, in its place") {
  const std::string page = html_report({});
  CHECK_THAT(page, !Contains("<svg"));
  CHECK_THAT(page,
             Contains("fathom calibrate -o profile.json") && Contains("no measured runs to compare with"));
}

TEST_CASE("the table of bottlenecks is directly below the figure of its kind") {
  ReportInput input = sample_input();
  for (LawComparison& compared : input.comparisons)
    for (ComparedRun& one : compared.comparison.runs)
      if (one.predicted) one.run.problem.parameters = {{"E", 17}, {"t", 256}};
  const std::string page = html_report(input);
  const std::size_t figure = page.find("algorithms-sort-u32-title"),
                    limits = page.find("Bottlenecks of the sort algorithms"),
                    next = page.find("<figure>", figure);
  REQUIRE(limits != std::string::npos);
  CHECK(figure < limits);
  CHECK(limits < next);
}

TEST_CASE("trade-offs have their own section, in words and figures") {
  const Descriptor& scan = *find_descriptor("scan-matrix");
  ReportInput input = sample_input();
  input.trade_offs = {trade_off(built_in_profile("h200"), scan, "alpha", {LawName::published}),
                      trade_off(built_in_profile("m4000"), scan, "alpha", {LawName::published})};
  const std::string page = html_report(input);
  CHECK_THAT(page,
             Contains("id=\"tradeoff\"") &&
                 Contains("scan-matrix on m4000, n = 2^26, u32, t = 256: Bandwidth under the published law"));
  for (const char* figure :
       {"bandwidth-scan-matrix-u32-alpha", "multiplicity-scan-matrix-u32-alpha",
        "bandwidth-scan-matrix-u32-alpha-others", "multiplicity-scan-matrix-u32-alpha-others"})
    CHECK_THAT(page, Contains(std::string("id=\"tradeoff-") + figure + "-title\""));
  CHECK_THAT(page, Contains("fathom bench scan-matrix --sizes 2^28 --set alpha=1..32"));
}
