// SPDX-License-Identifier: Apache-2.0
#include "../support/environment.h"
#include "samples.h"

#include <fathom/algorithms/registry.h>
#include <fathom/core/text/escape.h>
#include <fathom/reports/html.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <regex>
#include <set>

using namespace fathom;
using namespace fathom::reports;
using Catch::Matchers::Contains;

namespace {

/// A page as a browser splits it: the names of elements with those of their attributes, and the text between.
struct Page {
  std::set<std::string> markup;  ///< "svg", "svg role"
  std::vector<std::string> ids;
  std::string text;  ///< with character references resolved
};

Page parsed(const std::string& page) {
  Page result;
  for (std::size_t at = 0; at < page.size();) {
    const bool tag = page[at] == '<' && at + 1 < page.size() && std::strchr("/!?", page[at + 1]) == nullptr;
    if (page[at] != '<') {
      const std::size_t end = std::min(page.find('<', at), page.size());
      result.text.append(page, at, end - at);
      at = end;
    } else if (!tag) {
      at = page.find('>', at) + 1;
    } else {
      const std::string name = page.substr(at + 1, page.find_first_of(" \t\n/>", at) - at - 1);
      result.markup.insert(name);
      at += 1 + name.size();
      while (page[at = page.find_first_not_of(" \t\n/", at)] != '>') {
        const std::size_t end = page.find_first_of("= \t\n/>", at);
        const std::string attribute = page.substr(at, end - at);
        INFO(page.substr(at, 80));
        const std::size_t equals = page.find_first_not_of(' ', end),
                          open = page.find_first_not_of(' ', equals + 1);
        REQUIRE((page[equals] == '=' && (page[open] == '"' || page[open] == '\'')));
        result.markup.insert(name + ' ' + attribute);
        at = page.find(page[open], open + 1) + 1;
        REQUIRE(at != 0);
        if (attribute == "id") result.ids.push_back(page.substr(open + 1, at - open - 2));
      }
      ++at;
      if (name == "script") at = page.find("</script>", at);
    }
  }
  for (const auto& [reference, character] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
    result.text = std::regex_replace(result.text, std::regex(reference), character);
  return result;
}

}  // namespace

TEST_CASE("the report is one self-contained page with unique ids") {
  const std::string page = html_report(sample_input());
  CHECK_THAT(page, !Contains("http") && !Contains("src=") && !Contains("@import"));
  CHECK_THAT(page, Contains("NVIDIA &lt;H200&gt;"));

  std::set<std::string> ids;
  for (const std::string& id : parsed(page).ids) {
    INFO(id);
    CHECK(ids.insert(id).second);
  }
  const std::regex use_pattern("(?:href=['\"]#|url\\(#)([^'\")]+)");
  for (std::sregex_iterator at(page.begin(), page.end(), use_pattern), end; at != end; ++at) {
    INFO((*at)[1].str());
    CHECK(ids.contains((*at)[1]));
  }
  for (const char* figure :
       {"throughput-sort-pairwise-u32", "algorithms-sort-u32", "sweep-sort-pairwise-u32-4194304-E", "speed",
        "saturation-global", "parity-counted", "terms-sort-pairwise-u32"})
    CHECK(ids.contains(std::string(figure) + "-title"));
}

TEST_CASE("text from files adds no element and no attribute to the report, and is all in its text") {
  const std::string page = html_report(input_with(hostile_text));
  const Page hostile = parsed(page), benign = parsed(html_report(input_with("benign")));
  std::set<std::string> expected = benign.markup;
  expected.insert({"text xml:space", "tspan xml:space"});  // gnuplot keeps consecutive blanks
  for (const std::string& markup : hostile.markup) {
    INFO(markup);
    CHECK(expected.contains(markup));
  }
  CHECK(benign.markup.contains("svg role"));
  // Once for every time that the benign text is shown; newlines are kept in HTML, but not in the labels of
  // ticks.
  std::string in_figures = line_for_terminal(hostile_text), in_html = for_terminal(hostile_text);
  CHECK(occurrences(hostile.text, in_html) > 20);
  CHECK(occurrences(hostile.text, in_figures) + occurrences(hostile.text, in_html) ==
        occurrences(benign.text, "benign"));

  for (const std::string& id : hostile.ids) {
    INFO(id);
    CHECK(std::all_of(id.begin(), id.end(),
                      [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; }));
  }
  CHECK(std::set(hostile.ids.begin(), hostile.ids.end()).size() == hostile.ids.size());
  CHECK(hostile.ids.size() == benign.ids.size());
  CHECK_FALSE(std::filesystem::exists("fathom-was-here"));
}

TEST_CASE("progress is told before each figure, and what it throws ends the report") {
  struct Enough {};
  std::size_t calls = 0;
  const Progress third = [&](std::string_view, std::size_t done, std::size_t total) {
    CHECK(done == calls);
    CHECK(total > 3);
    if (++calls == 3) throw Enough();
  };
  CHECK_THROWS_AS(html_report(sample_input(), third), Enough);
  CHECK(calls == 3);
}

TEST_CASE("the report says what is missing, in its place") {
  const std::string page = html_report({});
  CHECK_THAT(page, !Contains("<figure"));
  CHECK_THAT(page,
             Contains("fathom calibrate -o profile.json") && Contains("no measured runs to compare with"));
}

TEST_CASE("the verdict comes first, then three figures, and each algorithm has a section") {
  const std::string page = html_report(sample_input());
  const std::size_t verdict = page.find("Each algorithm on the type with most runs"),
                    header = page.find("</header>"),
                    section = page.find("<details id=\"algorithm-sort-pairwise\"");
  REQUIRE(section != page.npos);
  CHECK(verdict < header);
  CHECK(header < section);
  const std::string first = page.substr(0, header);
  CHECK_THAT(first, Contains("<a href=\"#algorithm-sort-pairwise\">") && Contains("id=\"speed\"") &&
                        Contains("id=\"parity-counted\"") && !Contains("<details"));
  CHECK(first.find("mean error over algorithms 10.0 %") < first.find("times as fast"));
  CHECK(first.find("id=\"parity-counted\"") < first.find("id=\"speed\""));
  CHECK_THAT(first, Contains("sort-pairwise is 0.900 times as fast as cub-merge on u32 at n = 2^22"));
  CHECK_THAT(page.substr(section), Contains("id=\"throughput-sort-pairwise-u32\" data-type=\"u32\"") &&
                                       Contains("data-parameter=\"E\"") && Contains("fathom plot parity"));
}

TEST_CASE("without runs the report has predictions, constants, and what to do next") {
  ReportInput input = sample_input();
  input.datasets.clear();
  input.comparisons.clear();
  for (const double n : {0x1p10, 0x1p20, 0x1p28})
    input.predictions.push_back({.algorithm = "sort-pairwise",
                                 .device = "h200",
                                 .law = LawName::counted,
                                 .problem = {.n = n, .parameters = {{"E", 17}}},
                                 .prediction = counted_prediction_of(1e-9 * n)});
  const std::string page = html_report(input), first = page.substr(0, page.find("</header>"));
  CHECK_THAT(first, Contains("<td>1.05 ms</td>") && Contains("<td>2^28</td><td>268 ms</td>") &&
                        !Contains("<td>2^10</td>"));
  CHECK_THAT(first, Contains("fathom bench ALGORITHM") && Contains("fathom tune sort -n 1e8 --device h200"));
  CHECK_THAT(page, Contains("<details id=\"machine\" class=\"printed\" open=\"\">"));
}

TEST_CASE("without gnuplot the report is written without figures, and says so") {
  const tests::Environment nothing("PATH", "/nonexistent");
  const std::string page = html_report(sample_input());
  CHECK_THAT(page, !Contains("<figure") && Contains("install the package gnuplot-nox"));
  CHECK_THAT(page, Contains("Each algorithm on the type with most runs") && Contains("Bottlenecks"));
}

TEST_CASE("the tables of bottlenecks say the law and the parts") {
  ReportInput input = sample_input();
  for (Measurement& run : input.datasets[0].runs)
    if (run.algorithm == "sort-pairwise") run.problem.parameters = {{"E", 17}, {"t", 256}};
  const std::string page = html_report(input);
  CHECK_THAT(page.substr(page.find("<caption>Bottlenecks of the sort algorithms")),
             Contains("law counted") && Contains("DRAM") && Contains(">20 %<"));
  std::swap(input.comparisons[0], input.comparisons[1]);
  CHECK_THAT(html_report(input), Contains("under the law published") && Contains(">registers</th>"));
}

TEST_CASE("text from datasets and profiles stays text in comparisons") {
  const auto pages = [](const std::string& text) {
    ReportInput before = input_with(text);
    Dataset after = before.datasets[0];
    after.runs.pop_back();
    ProfilePair profiles{.first = before.profile, .second = before.profile, .notes = {text}};
    for (auto* of : {&profiles.of_first, &profiles.of_second})
      for (const double n : {1024., 2048.})
        of->push_back(
            {.algorithm = text, .device = text, .problem = {.n = n}, .prediction = counted_prediction_of(n)});
    return std::array{html_comparison(compare(before.datasets[0], after)), html_comparison(profiles)};
  };
  const auto hostile = pages(hostile_text), benign = pages("benign");
  for (std::size_t k = 0; k < hostile.size(); ++k) {
    const Page dangerous = parsed(hostile[k]), plain = parsed(benign[k]);
    CHECK(dangerous.markup == plain.markup);
    CHECK(plain.markup.contains("svg data-x"));
    CHECK(occurrences(plain.text, "benign") > 3);
    CHECK(occurrences(dangerous.text, line_for_terminal(hostile_text)) +
              occurrences(dangerous.text, for_terminal(hostile_text)) ==
          occurrences(plain.text, "benign"));
  }
  CHECK(occurrences(parsed(benign[0]).text, "\u00a0=\u00a0") > 0);  // a line ends between parameters
  CHECK_FALSE(std::filesystem::exists("fathom-was-here"));
}

TEST_CASE("the report says in one line how many points have no prediction, and why") {
  ReportInput input = sample_input();
  CHECK_THAT(html_report(input), !Contains("no prediction"));
  for (const double n : {1024., 2048.})
    input.unpredicted.push_back(
        {.algorithm = "sort-pairwise", .law = LawName::counted, .problem = {.n = n}, .why = "install <it>"});
  CHECK_THAT(html_report(input),
             Contains("<p>2 points have no prediction and are left out: install &lt;it&gt;</p>"));
}

TEST_CASE("trade-offs are in their algorithm's section, in words and as a figure") {
  const Descriptor& scan = *find_descriptor("scan-matrix");
  ReportInput input = sample_input();
  input.trade_offs = {trade_off(built_in_profile("h200"), scan, "alpha", {LawName::published}),
                      trade_off(built_in_profile("m4000"), scan, "alpha", {LawName::published})};
  const std::string page = html_report(input);
  CHECK_THAT(page,
             Contains("scan-matrix on h200, n = 2^26, u32, t = 256: Bandwidth under the published law"));
  CHECK_THAT(page, Contains("id=\"tradeoff-multiplicity-scan-matrix-u32-alpha\""));
  CHECK_THAT(page, Contains("fathom plot tradeoff"));
  CHECK_THAT(page, Contains("fathom bench scan-matrix --sizes 2^28 --set alpha=1..32"));
}
