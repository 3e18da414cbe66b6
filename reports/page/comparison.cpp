// SPDX-License-Identifier: Apache-2.0
// Two datasets or two profiles side by side.
#include <fathom/reports/html.h>

#include <fathom/core/text/escape.h>
#include <fathom/reports/page/document.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>

namespace fathom::reports {
namespace {

using namespace page;

std::string warning_without_figures(const Artist& artist) {
  const auto& why_not = artist.why_not();
  return why_not ? paragraph(fmt::format("No figure is drawn: {}.", *why_not), "warning") : "";
}

std::string page_of(const std::string& title, const std::string& answer, const std::string& rest) {
  return document("Fathom: " + title,
                  fmt::format("<main>\n<header class=\"overview\">\n<h1>{}</h1>\n{}</header>\n{}</main>\n",
                              for_html(title), answer, rest));
}

std::string where_and_when(const Provenance& from) {
  return fmt::format("{}, {}, commit {}", from.gpu, from.date, from.commit);
}

std::vector<std::string> answers(const DatasetChange& change) {
  std::vector<std::string> all;
  for (const AlgorithmChange& one : change.algorithms)
    if (one.median_ratio)
      all.push_back(
          fmt::format("{}: {} takes {} times as long as {}, the median of {} configurations; {} are faster "
                      "and {} slower, beyond their quartiles.",
                      one.algorithm, change.second_name(), significant(*one.median_ratio),
                      change.first_name(), one.compared, one.faster, one.slower));
  return all;
}

std::vector<std::string> answers(const ProfilePair& pair) {
  std::vector<double> ratios;
  for (const auto& [algorithm, seconds] : predicted_ratios(pair)) {
    const auto& [first, second] = seconds.rbegin()->second;
    ratios.push_back(second / first);
  }
  if (ratios.empty()) return {};
  std::ranges::sort(ratios);
  return {fmt::format(
      "By the law {}, at the largest n, {} takes {} to {} times as long as {} over {} algorithms.",
      name(pair.law), pair.second.name, significant(ratios.front()), significant(ratios.back()),
      pair.first.name, ratios.size())};
}

}  // namespace

std::string html_comparison(const DatasetChange& change, const Progress& progress) {
  const std::vector<FigureOrMissing> figures = change_figures(change);
  Artist artist(progress, figures.size());
  std::string answer = definitions({{change.first_name(), where_and_when(change.before)},
                                    {change.second_name(), where_and_when(change.after)}});
  answer += warning_without_figures(artist) + bullets(answers(change));
  answer += table(fmt::format("Each algorithm: ratio of the median times, {} / {}; below 1 is faster",
                              change.second_name(), change.first_name()),
                  change_table(change));
  std::string rest = artist.figures(figures);
  if (change.left_out > 0)
    rest +=
        paragraph(fmt::format("{} runs are left out: never checked, or the clock moved.", change.left_out));
  rest += details("runs", "Every configuration", "", table("Every configuration", run_change_table(change)));
  rest += details("provenance", "Provenance", "the commands",
                  definitions({{change.first_name(), change.before.command},
                               {change.second_name(), change.after.command}}));
  const bool one_gpu = change.before.gpu == change.after.gpu;
  return page_of(one_gpu ? fmt::format("{}: before and after", change.before.gpu)
                         : fmt::format("{} and {}: measured times", change.before.gpu, change.after.gpu),
                 answer, rest);
}

std::string html_comparison(const ProfilePair& pair, const Progress& progress) {
  const std::vector<FigureOrMissing> figures = predicted_ratio_figures(pair);
  Artist artist(progress, figures.size());
  std::string answer = warning_without_figures(artist) + bullets(answers(pair));
  for (const std::string& note : pair.notes) answer += paragraph(note);
  const Table ratios = predicted_ratio_table(pair);
  if (!ratios.empty())
    answer += table(fmt::format("Predicted time at default parameters, u32, law {}; ratio: {} / {}",
                                name(pair.law), pair.second.name, pair.first.name),
                    ratios);
  answer += artist.figures(figures);
  return page_of(fmt::format("{} and {}: predicted times and constants", pair.first.name, pair.second.name),
                 answer,
                 table("The GPUs", machine_table(pair)) +
                     table("Constants, with 95 % intervals where they were fitted", constants_table(pair)));
}

}  // namespace fathom::reports
