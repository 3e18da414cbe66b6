// SPDX-License-Identifier: Apache-2.0
// The input of a report: a dataset, or a profile and a dataset with a line "---" between them, through the
// comparison under both laws, text, JSON, figures and the HTML report. Nothing is drawn: that is gnuplot's
// part.
#include <fathom/algorithms/registry.h>
#include <fathom/reports/figures.h>
#include <fathom/reports/html.h>
#include <fathom/reports/json/json.h>
#include <fathom/reports/plot/gnuplot.h>
#include <fathom/reports/text/text.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <sstream>

#include "compared.h"
#include "fuzz.h"
#include "stored.h"

namespace fathom {
namespace {

constexpr std::string_view separator = "\n---\n";

const DeviceProfile& usual_profile() {
  static const DeviceProfile profile = [] {
    DeviceProfile h200 = built_in_profile("h200");
    h200.series.clear();  // copied with every input, and drawn the same each time
    return h200;
  }();
  return profile;
}

struct Parts {
  DeviceProfile profile;
  Dataset dataset;
};

Parts parse(const std::string& text) {
  const std::size_t at = text.find(separator);
  if (at == text.npos) return {usual_profile(), parse_dataset(text, "dataset")};
  return {parse_profile(text.substr(0, at), "profile"),
          parse_dataset(text.substr(at + separator.size()), "dataset")};
}

reports::ReportInput compared(const Parts& parts) {
  reports::ReportInput input;
  input.profile = parts.profile;
  input.datasets = {parts.dataset};
  for (LawName law : {LawName::counted, LawName::published})
    input.comparisons.push_back(
        {law, compare(input.profile, input.datasets, find_descriptor, Law{.law = law}, 0, {},
                      fuzz::work_in_tables(input.profile.architecture.value_or(90)))});
  for (const ComparedRun& compared : input.comparisons.front().comparison.runs)
    if (!compared.predicted)
      input.unpredicted.push_back({.algorithm = compared.run->algorithm,
                                   .law = LawName::counted,
                                   .problem = compared.run->problem,
                                   .input = compared.run->input,
                                   .measured = true,
                                   .why = compared.run->algorithm});
  return input;
}

std::set<std::string, std::less<>> words(const std::string& text) {
  std::istringstream list(text);
  return {std::istream_iterator<std::string>(list), {}};
}

/// The names of elements and attributes are those that the page itself writes; values of attributes must end
/// before the tag does.
void check_tags(std::string_view html) {
  static const auto elements = words(
      "!DOCTYPE a b body caption circle code dd defs desc details div dl dt figcaption figure g h1 h2 h3 "
      "head "
      "header html li main marker meta p path pattern script section span style summary svg table tbody td "
      "text "
      "th thead title tr ul");
  static const auto attributes = words(
      "aria-hidden aria-label aria-labelledby charset class content d data-k data-parameter data-type data-x "
      "data-y fill-opacity height href html id lang markerHeight markerWidth name patternUnits r role scope "
      "style tabindex transform viewBox width x y");
  // The script's own '<' are no tags.
  if (const std::size_t script = html.rfind("<script>"); script != html.npos) html = html.substr(0, script);
  for (std::size_t at = 0; (at = html.find('<', at)) != html.npos;) {
    ++at;
    if (html[at] == '/') ++at;
    const std::size_t end = html.find_first_of(" >/", at);
    fuzz::expect(end != html.npos, "a tag ends");
    const std::string_view name = html.substr(at, end - at);
    if (!elements.contains(name))
      fuzz::expect(false, fmt::format("HTML has only the page's own elements, not {}", name));
    for (at = end; html[at] == ' ';) {
      const std::size_t name_end = html.find_first_of("= >", ++at);
      const std::string_view attribute = html.substr(at, name_end - at);
      if (!attributes.contains(attribute))
        fuzz::expect(false, fmt::format("HTML has only the page's own attributes, not {}", attribute));
      if (html[name_end] != '=') {
        at = name_end;
        continue;
      }
      fuzz::expect(html[name_end + 1] == '"', "an attribute is quoted");
      at = html.find('"', name_end + 2);
      fuzz::expect(at++ != html.npos, "an attribute ends");
    }
  }
}

}  // namespace
}  // namespace fathom

/// In place of fathom::reports::run_gnuplot(), see CMakeLists.txt.
std::string
not_drawn(const fathom::reports::Figure& figure, const fathom::reports::GnuplotScript& script) asm(
    "__wrap__ZN6fathom7reports11run_gnuplotB5cxx11ERKNS0_6FigureERKNS0_13GnuplotScriptE");
std::string not_drawn(const fathom::reports::Figure&, const fathom::reports::GnuplotScript& script) {
  std::string svg = "<svg><path stroke='rgb( 64,  64,  64)'  d='M60,10 L60,300 L540,300'/>";
  for (std::size_t k = 0; k < script.layers.size(); ++k)
    svg += fmt::format("<g id=\"gnuplot_plot_{}\" ><title></title><path d='M70,20 L80,30'/></g>", k + 1);
  return svg + "</svg>";
}

using namespace fathom;

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  const auto run = [](std::string_view algorithm) {
    return run_of(algorithm, R"({"E":15,"t":128})", "[]", "[1e-6]");
  };
  return {dataset_of(listed([&](std::size_t i) { return run(fmt::format("a{}", i)); }, bytes)),
          dataset_of(run(repeated("<b>", bytes - 1000)))};
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto parts = fuzz::accepted([&] { return parse(std::string(text)); });
  if (!parts) return 0;
  const reports::ReportInput input = compared(*parts);
  for (const reports::LawComparison& one : input.comparisons) fuzz::check(one.comparison);
  constexpr std::array kinds{reports::FigureKind::throughput, reports::FigureKind::algorithms,
                             reports::FigureKind::sweep,      reports::FigureKind::saturation,
                             reports::FigureKind::footprint,  reports::FigureKind::conflicts,
                             reports::FigureKind::parity,     reports::FigureKind::terms};
  std::size_t choice = 0;
  const auto is_next = [&] { return fuzz::is_chosen(text, choice++, kinds.size() + 3); };
  for (const reports::FigureKind kind : kinds)
    if (is_next()) figures(input, kind);
  if (is_next()) {
    reports::text(input.comparisons);
    reports::json(input.comparisons);
    reports::text(input.datasets.front());
  }
  if (is_next()) check_tags(html_report(input));
  if (is_next()) check_tags(html_comparison(reports::compare(input.datasets.front(), input.datasets.back())));
  return 0;
}
