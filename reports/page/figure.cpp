// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/page/figure.h>

#include <fathom/core/text/escape.h>
#include <fathom/reports/page/drawing.h>
#include <fathom/reports/plot/gnuplot.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace fathom::reports::page {
namespace {

constexpr PlotArea plot_area{.width = 560, .height = 350, .left = 66, .right = 14, .top = 34, .bottom = 50};
constexpr int room_for_slanted_ticks = 66, room_for_upright_ticks = 100;

PlotArea area_of(const Figure& figure) {
  PlotArea area = plot_area;
  if (figure.x.slanted_ticks) {
    const int room =
        figure.x.ticks.size() > most_slanted_ticks ? room_for_upright_ticks : room_for_slanted_ticks;
    area.height += room;
    area.bottom += room;
  }
  return area;
}

constexpr std::array shapes{"<circle r=\"1\"",
                            "<path d=\"M-.95-.95H.95V.95H-.95Z\"",
                            "<path d=\"M0-1.33L-1.33.67H1.33Z\"",
                            "<path d=\"M0 1.33L-1.33-.67H1.33Z\"",
                            "<path d=\"M0-1.4L1.4 0 0 1.4-1.4 0Z\"",
                            "<path d=\"M0-1.33L1.265-.411.782 1.067H-.782L-1.265-.411Z\""};
static_assert(shapes.size() == std::size_t(Marker::pentagon) + 1);
constexpr std::array patterns{1, 4};  ///< those of gnuplot that layers use
constexpr int colours = int(Colour::white) + 1;
constexpr double pixels_per_size = 5.25;  ///< gnuplot's radius of a marker of size 1
const double usual_size = Layer{}.size, usual_width = Layer{}.width;

std::string marker_id(Marker marker, bool hollow, int colour) {
  return fmt::format("m{}{}-{}", int(marker), int(hollow), colour);
}
std::string pattern_id(int pattern, int colour) {
  return fmt::format("h{}-{}", pattern, colour);
}

/// The k of each layer. Layers without a label belong to a labelled one of the same colour: lines to the next
/// layer, markers to the next of the same shape; else to the last before.
std::vector<std::size_t> legend_entries(const std::vector<Layer>& layers) {
  const auto belongs = [&](std::size_t unnamed, std::size_t named) {
    const Layer &a = layers[unnamed], &b = layers[named];
    const bool both_markers = a.style == Style::points && b.style == Style::points;
    return !b.label.empty() && b.style != Style::legend_only && a.colour == b.colour &&
           (both_markers ? a.marker == b.marker : named < unnamed || named == unnamed + 1);
  };
  std::vector<std::size_t> entries;
  for (std::size_t k = 0; k < layers.size(); ++k) {
    std::size_t entry = k;
    if (layers[k].label.empty()) {
      for (std::size_t before = 0; before < k; ++before)
        if (belongs(k, before)) entry = before;
      for (std::size_t after = layers.size(); --after > k;)
        if (belongs(k, after)) entry = after;
    }
    entries.push_back(entry);
  }
  return entries;
}

std::string line_path(const Layer& layer, const std::string& d) {
  const std::string dash = layer.dash == 0 ? "" : fmt::format(" d{}", layer.dash);
  const std::string width =
      layer.width == usual_width ? "" : fmt::format(" style=\"stroke-width:{}\"", layer.width);
  return fmt::format("<path class=\"l c{}{}\"{} d=\"{}\"/>", int(layer.colour), dash, width, d);
}
std::string marker_path(const Layer& layer, const std::string& d) {
  const std::string size =
      layer.size == usual_size ? "" : fmt::format(";stroke-width:{:.3g}", pixels_per_size * layer.size);
  return fmt::format("<path class=\"p\" style=\"marker:url(#{}){}\" d=\"{}\"/>",
                     marker_id(layer.marker, layer.hollow, int(layer.colour)), size, d);
}
std::string area_path(const Layer& layer, const std::string& d) {
  const std::string opacity = layer.opacity == 1 ? "" : fmt::format(" fill-opacity=\"{}\"", layer.opacity);
  if (layer.style == Style::band)
    return fmt::format("<path class=\"a c{}\" d=\"{}\"/>", int(layer.colour), d);
  if (layer.pattern < 0)
    return fmt::format("<path class=\"x c{}\"{} d=\"{}\"/>", int(layer.colour), opacity, d);
  return fmt::format("<path class=\"x\" style=\"fill:url(#{})\" d=\"{}\"/>",
                     pattern_id(layer.pattern, int(layer.colour)), d);
}

std::string layer_elements(const Layer& layer, const Drawing::Plot& plot) {
  switch (layer.style) {
    case Style::line:
      return line_path(layer, plot.paths);
    case Style::band:
    case Style::boxes:
      return area_path(layer, plot.areas);
    case Style::points:
      return (plot.bars.empty()
                  ? ""
                  : fmt::format("<path class=\"b c{}\" d=\"{}\"/>", int(layer.colour), plot.bars)) +
             marker_path(layer, plot.markers);
    case Style::legend_only:
      break;
  }
  return "";
}

int base_of(Scale scale) {
  return scale == Scale::linear ? 0 : scale == Scale::log2 ? 2 : 10;
}

/// Grid lines, and labels that gnuplot has escaped.
template <class PlaceOf>
std::string ticks(const char* css_class, const std::vector<Drawing::Tick>& ticks, const std::string& lines,
                  PlaceOf place_of) {
  std::string out = fmt::format("<g class=\"{}\"><path d=\"{}\"/>", css_class, lines);
  for (const Drawing::Tick& tick : ticks)
    out += fmt::format("<text {}>{}</text>", place_of(tick), tick.label);
  return out + "</g>";
}

std::string axes(const Figure& figure, const PlotArea& area, const Drawing& drawing) {
  std::string vertical, horizontal;
  for (const Drawing::Tick& tick : drawing.x_ticks)
    vertical += fmt::format("M{:.6g} {:.6g}V{:.6g}", tick.at, drawing.bottom, drawing.top);
  for (const Drawing::Tick& tick : drawing.y_ticks)
    horizontal += fmt::format("M{:.6g} {:.6g}H{:.6g}", drawing.left, tick.at, drawing.right);
  const auto below = [&](const Drawing::Tick& tick) {
    return tick.rotation.empty() ? fmt::format("x=\"{:.6g}\" y=\"{:.6g}\"", tick.at, drawing.bottom + 20)
                                 : fmt::format("transform=\"translate({:.6g} {:.6g}) {}\"", tick.at + 4,
                                               drawing.bottom + 14, tick.rotation);
  };
  const auto beside = [&](const Drawing::Tick& tick) {
    return fmt::format("x=\"{:.6g}\" y=\"{:.6g}\"", drawing.left - 8, tick.at + 5);
  };
  return ticks(figure.x.slanted_ticks ? "t tx words" : "t tx", drawing.x_ticks, vertical, below) +
         ticks("t ty", drawing.y_ticks, horizontal, beside) +
         fmt::format("<path class=\"e\" d=\"M{0:.6g} {1:.6g}V{2:.6g}H{3:.6g}\"/>", drawing.left, drawing.top,
                     drawing.bottom, drawing.right) +
         fmt::format("<text class=\"yl\" x=\"6\" y=\"18\">{}</text>", for_html(figure.y.label)) +
         fmt::format("<text class=\"xl\" x=\"{}\" y=\"{}\">{}</text>",
                     (area.left + area.width - area.right) / 2, area.height - 8, for_html(figure.x.label));
}

std::string value_text(double value) {
  return significant(value);
}

/// The description, and where each curve begins and ends.
std::string alternative_text(const Figure& figure) {
  std::string text = figure.description;
  for (const Layer& layer : figure.layers) {
    if (layer.label.empty() || layer.points.empty() || layer.style == Style::band || figure.x.slanted_ticks)
      continue;
    const Point &first = layer.points.front(), &last = layer.points.back();
    text += fmt::format(" {}: {} at {}", layer.label, value_text(first.y), elements(first.x));
    if (layer.points.size() > 1) text += fmt::format(" to {} at {}", value_text(last.y), elements(last.x));
    text += '.';
  }
  return text;
}

std::string swatch(const Figure& figure, const std::vector<std::size_t>& entries, std::size_t entry) {
  std::string shapes;
  for (std::size_t k = 0; k < figure.layers.size(); ++k) {
    const Layer& layer = figure.layers[k];
    if (entries[k] != entry) continue;
    const bool is_line = layer.style == Style::line || (layer.style == Style::legend_only && layer.size == 0);
    if (is_line)
      shapes += line_path(layer, "M1 8L29 8");
    else if (layer.style == Style::points || layer.style == Style::legend_only)
      shapes += marker_path(layer, "M15 8L15 8");
    else
      shapes += area_path(layer, "M3 2L27 2L27 14L3 14Z");
  }
  return fmt::format("<svg class=\"k\" viewBox=\"0 0 30 16\" aria-hidden=\"true\">{}</svg>", shapes);
}

std::string legend(const Figure& figure) {
  const std::vector<std::size_t> entries = legend_entries(figure.layers);
  std::string out;
  for (std::size_t k = 0; k < figure.layers.size(); ++k) {
    const Layer& layer = figure.layers[k];
    if (layer.label.empty()) continue;
    const std::string hides = layer.style == Style::legend_only ? "" : fmt::format(" data-k=\"{}\"", k);
    out += fmt::format("<li{}>{}{}</li>", hides, swatch(figure, entries, k), for_html(layer.label));
  }
  return out.empty() ? "" : fmt::format("<ul class=\"legend\">{}</ul>\n", out);
}

std::string data_attributes(const Figure::Subject& of) {
  std::string out;
  if (!of.type.empty()) out += fmt::format(" data-type=\"{}\"", for_html(of.type));
  if (!of.parameter.empty()) out += fmt::format(" data-parameter=\"{}\"", for_html(of.parameter));
  return out;
}

}  // namespace

std::string shared_definitions() {
  std::string out = "<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>";
  for (int colour = 0; colour < colours; ++colour) {
    for (std::size_t shape = 0; shape < shapes.size(); ++shape)
      for (const bool hollow : {false, true})
        out += fmt::format(
            "<marker id=\"{}\" viewBox=\"-2 -2 4 4\" markerWidth=\"4\" markerHeight=\"4\">{} class=\"{} "
            "c{}\"/></marker>",
            marker_id(Marker(shape), hollow, colour), shapes[shape], hollow ? "o" : "f", colour);
    for (const int pattern : patterns)
      out += fmt::format(
          "<pattern id=\"{}\" patternUnits=\"userSpaceOnUse\" width=\"8\" height=\"8\"><path class=\"hb\" "
          "d=\"M0 0H8V8H0Z\"/><path class=\"hl c{}\" d=\"{}\"/></pattern>",
          pattern_id(pattern, colour), colour,
          pattern == 1 ? "M-4 0L8 12M0-4L12 8M-4 8L8-4M0 12L12 0" : "M-4 0L8 12M0-4L12 8");
  }
  return out + "</defs></svg>\n";
}

std::string svg_element(const Figure& figure) {
  const PlotArea area = area_of(figure);
  const GnuplotScript script = bare_script(figure, area);
  const Drawing drawing = parse_drawing(run_gnuplot(figure, script), script.layers.size());
  const std::string id = identifier(figure.id);
  std::string out = fmt::format(
      "<svg class=\"figure\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{}-title {}-desc\" "
      "data-x=\"{:.7g} {:.10g} {:.7g} {:.10g} {}\" data-y=\"{:.7g} {:.10g} {:.7g} {:.10g} {}\">"
      "<desc id=\"{}-desc\">{}</desc>",
      area.width, area.height, id, id, drawing.left, script.x.low, drawing.right, script.x.high,
      base_of(figure.x.scale), drawing.bottom, script.y.low, drawing.top, script.y.high,
      base_of(figure.y.scale), id, for_html(alternative_text(figure)));
  out += axes(figure, area, drawing);
  const std::vector<std::size_t> entries = legend_entries(figure.layers);
  for (std::size_t i = 0; i < script.layers.size(); ++i) {
    const std::size_t k = script.layers[i];
    out += fmt::format("<g data-k=\"{}\">{}</g>", entries[k],
                       layer_elements(figure.layers[k], drawing.plots[i]));
  }
  return out + "</svg>";
}

std::string figure_element(const Figure& figure) {
  const std::string id = identifier(figure.id);
  const std::string note =
      figure.note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", for_html(figure.note));
  return fmt::format(
      "<figure id=\"{0}\"{1}>\n<figcaption id=\"{0}-title\">{2}</figcaption>\n{3}\n{4}{5}</figure>\n", id,
      data_attributes(figure.of), for_html(figure.title), svg_element(figure), legend(figure), note);
}

}  // namespace fathom::reports::page
