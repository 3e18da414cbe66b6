// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/plot/plot.h>

#include <fathom/core/system/whole_file.h>
#include <fathom/core/text/escape.h>
#include <fathom/reports/plot/gnuplot.h>
#include <fathom/reports/text/table.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fathom::reports {
namespace fs = std::filesystem;
namespace {

constexpr int panel_width = 800, least_height = 500;                 // in pixels of the SVG
constexpr std::size_t distinct_colours = std::size_t(Colour::grey);  // grey and white are no curve's

/// A long legend makes the figure taller instead of covering the plot.
int height_of(const Figure& figure) {
  int height = least_height;
  for (const Figure& panel : figure.panels) height = std::max(height, height_of(panel));
  if (!figure.panels.empty()) return height;
  // For a 13 px font, with gnuplot's own estimate of an entry's width when it arranges columns.
  constexpr double character = 10, sample = 25, row = 21;
  constexpr std::size_t usual_rows = 3;
  std::size_t entries = 0, longest = 1;
  for (const Layer& layer : figure.layers) {
    if (layer.label.empty()) continue;
    ++entries;
    longest = std::max(longest, display_width(layer.label));
  }
  const auto columns =
      std::size_t(std::max(1.0, 0.875 * panel_width / (character * double(longest) + sample)));
  const std::size_t rows = (entries + columns - 1) / columns;
  return least_height + int(row * double(rows > usual_rows ? rows - usual_rows : 0));
}

std::string terminal(const std::string& extension, int height = least_height, int panels = 1) {
  const int width = panels * panel_width;
  if (extension == ".svg")
    return fmt::format("svg size {},{} dynamic enhanced font 'sans,13' background 'white'", width, height);
  if (extension == ".png")  // twice the pixels, for print
    return fmt::format(
        "pngcairo size {},{} enhanced font 'sans,13' fontscale 2 linewidth 2 pointscale 2 background 'white'",
        2 * width, 2 * height);
  if (extension == ".pdf")
    return fmt::format(
        "pdfcairo size {}in,{}in enhanced font 'sans,10' linewidth 1.2 pointscale 0.7 background 'white'",
        width / 100.0, height / 100.0);
  throw std::invalid_argument("cannot draw a '" + extension + "' file: name it .svg, .png or .pdf");
}

/// The figure as drawn by gnuplot: the bytes of a file of this format.
std::string drawn(const Figure& figure, const std::string& extension) {
  return run_gnuplot(figure, full_script(figure, terminal(extension, height_of(figure),
                                                          std::max(1, int(figure.panels.size())))));
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// gnuplot uses the same ids in every file (markers, clips, plots): two SVGs in one page would collide. Only
/// tags have ids: a label that looks like one remains as it is. In labels gnuplot leaves '>', which XML does
/// not allow after ']]'.
std::string with_prefix_of_ids(std::string_view svg, const std::string& prefix) {
  std::string out;
  for (std::size_t at = 0; at < svg.size();) {
    const std::size_t begin = std::min(svg.find('<', at), svg.size()),
                      end = std::min(svg.find('>', begin), svg.size() - 1) + 1;
    std::string text(svg.substr(at, begin - at)), tag(svg.substr(begin, end - begin));
    replace_all(text, ">", "&gt;");
    for (const char* use : {" id='", " id=\"", "href='#", "href=\"#", "url(#"})
      replace_all(tag, use, use + prefix);
    out += text + tag;
    at = end;
  }
  return out;
}

/// Replaces the first part of the text from `begin` to `end`, both included; false if there is none.
bool replace_span(std::string& text, std::string_view begin, std::string_view end, const std::string& by) {
  const std::size_t from = text.find(begin), to = text.find(end, from);
  if (from == std::string::npos || to == std::string::npos) return false;
  text.replace(from, to + end.size() - from, by);
  return true;
}

}  // namespace

Colour nth_colour(std::size_t n) {
  return Colour(n % distinct_colours);
}
Marker nth_marker(std::size_t n) {
  return Marker(n % (std::size_t(Marker::pentagon) + 1));
}
int nth_dash(std::size_t n) {
  constexpr std::array dashes{0, 1, 3};
  return dashes[n / distinct_colours % dashes.size()];
}

std::string svg(const Figure& figure) {
  const std::string id = identifier(figure.id);
  std::string text = drawn(figure, ".svg");
  text.erase(0, text.find("<svg"));
  text = with_prefix_of_ids(text, id + "-");
  if (!replace_span(text, "<title>", "</title>",
                    fmt::format("<title id=\"{}-title\">{}</title>", id, for_html(figure.title))) ||
      !replace_span(text, "<desc>", "</desc>",
                    fmt::format("<desc id=\"{}-desc\">{}</desc>", id, for_html(figure.description))))
    throw GnuplotError(
        fmt::format("gnuplot could not draw '{}': its output is no SVG; gnuplot 5 is needed", figure.title));
  text.replace(0, 4, fmt::format("<svg role=\"img\" aria-labelledby=\"{0}-title {0}-desc\"", id));
  return text;
}

void check_format(const fs::path& file) {
  terminal(file.extension().string());
}

void draw(const Figure& figure, const fs::path& file) {
  const std::string extension = file.extension().string();
  terminal(extension);  // rejects other extensions before gnuplot is started
  const std::string bytes = extension == ".svg" ? svg(figure) : drawn(figure, extension);
  write_whole(file, bytes);
}

}  // namespace fathom::reports
