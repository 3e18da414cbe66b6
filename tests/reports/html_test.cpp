#include "samples.h"

#include <fathom/algorithms/registry.h>
#include <fathom/core/escape.h>
#include <fathom/reports/html.h>

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
        "saturation-global", "parity-counted", "parity-published", "terms-sort-pairwise-u32"})
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
  // Once for every time that the benign text is shown; newlines are kept in HTML, but not in figures.
  std::string in_figures = line_for_terminal(hostile_text), in_html = for_terminal(hostile_text);
  CHECK(occurrences(hostile.text, in_figures) > 20);
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
  CHECK_THAT(page, !Contains("<svg"));
  CHECK_THAT(page,
             Contains("fathom calibrate -o profile.json") && Contains("no measured runs to compare with"));
}

TEST_CASE("the table of bottlenecks is directly below the figure of its kind") {
  ReportInput input = sample_input();
  for (Measurement& run : input.datasets[0].runs)
    if (run.algorithm == "sort-pairwise") run.problem.parameters = {{"E", 17}, {"t", 256}};
  const std::string page = html_report(input);
  const std::size_t figure = page.find("algorithms-sort-u32-title"),
                    limits = page.find("Bottlenecks of the sort algorithms"),
                    next = page.find("<figure>", figure);
  REQUIRE(limits != std::string::npos);
  CHECK(figure < limits);
  CHECK(limits < next);
  CHECK_THAT(page.substr(limits, next - limits),
             Contains("law counted") && Contains("DRAM") && Contains("-20 %") && !Contains("registers"));
  std::swap(input.comparisons[0], input.comparisons[1]);
  CHECK_THAT(html_report(input), Contains("under the law published") && Contains(">registers</th>"));
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
