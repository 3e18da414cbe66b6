// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/plot/gnuplot.h>

#include <fathom/core/text/escape.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace fathom::reports {
namespace {

constexpr std::array colour_codes{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                  "#56B4E9", "#000000", "#7A4419", "#808080", "#FFFFFF"};
constexpr std::array dash_types{"solid", "(10,6)", "(2,4)", "(10,4,2,4)"};
constexpr std::array filled_point_types{7, 5, 9, 11, 13, 15};  // the hollow one of each shape is one less

std::string gnuplot_string(std::string_view text) {
  return fmt::format("'{}'", for_gnuplot(text));
}

/// What can be drawn: beyond these, the end of an axis or of its data would be infinite, or 0.
constexpr double least = 1e-300, most = 1e300;

bool is_drawable(const Figure& figure, const Point& point) {
  const auto fits = [](Scale scale, double value) {
    return std::abs(value) <= most && (scale == Scale::linear || value >= least);
  };
  return fits(figure.x.scale, point.x) && fits(figure.y.scale, point.y) && std::abs(point.low) <= most &&
         std::abs(point.high) <= most;
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// The range of an axis: as given, else that of its points with a margin; always finite.
AxisRange padded(const Axis& axis, Range data) {
  if (axis.scale == Scale::linear) {
    data.include(0);
    data.high += 0.06 * (data.high - data.low);
  } else {
    const double room = std::max(1.15, std::pow(data.high / data.low, 0.04));
    data.low /= room;
    data.high *= room;
  }
  const double lowest = axis.scale == Scale::linear ? -most : least;
  return {std::clamp(axis.low.value_or(data.low), lowest, most),
          std::clamp(axis.high.value_or(data.high), lowest, most)};
}

/// "2²⁰"
std::string power_label(int base, int exponent) {
  constexpr std::array superscripts{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string label = fmt::format("{}", base);
  for (const char c : fmt::format("{}", exponent))
    label += c == '-' ? "⁻" : superscripts[std::size_t(c - '0')];
  return label;
}

/// Multiples of `step` from `first` to `last`, so that figures side by side have the same labels.
std::vector<int> multiples(int first, int last, int step) {
  std::vector<int> found;
  for (int k = int(std::ceil(double(first) / step)) * step; k <= last; k += step) found.push_back(k);
  return found;
}

std::vector<std::pair<double, std::string>> log2_ticks(const AxisRange& range) {
  const int first = int(std::ceil(std::log2(range.low) - 1e-9));
  const int last = int(std::floor(std::log2(range.high) + 1e-9));
  const bool small_numbers = range.high <= 2048 && range.low >= 1.0 / 64;
  std::vector<std::pair<double, std::string>> ticks;
  for (int k : multiples(first, last, 1 + (last - first) / 10))
    ticks.emplace_back(std::exp2(k), small_numbers ? fmt::format("{:g}", std::exp2(k)) : power_label(2, k));
  return ticks;
}

std::vector<std::pair<double, std::string>> log10_ticks(const AxisRange& range) {
  const double span = range.high / range.low;
  const std::vector<double> digits = span > 500 ? std::vector<double>{1}
                                     : span > 4 ? std::vector<double>{1, 2, 5}
                                                : std::vector<double>{1, 1.2, 1.5, 2, 3, 4, 5, 6, 7, 8, 9};
  const int first = int(std::floor(std::log10(range.low)));
  const int last = int(std::floor(std::log10(range.high)));
  std::vector<std::pair<double, std::string>> ticks;
  for (int k : multiples(first, last, 1 + (last - first) / 20))
    for (const double digit : digits) {
      const double at = digit * std::pow(10, k);
      if (at < range.low || at > range.high) continue;
      const bool plain = k >= -3 && k <= 4;
      ticks.emplace_back(at, plain        ? fmt::format("{:g}", at)
                             : digit == 1 ? power_label(10, k)
                                          : fmt::format("{:g}·{}", digit, power_label(10, k)));
    }
  return ticks;
}

std::string axis_commands(char letter, const Axis& axis, const AxisRange& range) {
  std::string out = fmt::format("set {}range [{:.10g}:{:.10g}]\n", letter, range.low, range.high);
  if (axis.scale != Scale::linear) out += fmt::format("set logscale {}\n", letter);
  std::vector<std::pair<double, std::string>> ticks;
  for (const Tick& tick : axis.ticks) ticks.emplace_back(tick.at, for_gnuplot(tick.label));
  if (ticks.empty() && axis.scale == Scale::log2) ticks = log2_ticks(range);
  if (ticks.empty() && axis.scale == Scale::log10) ticks = log10_ticks(range);
  std::string list;
  for (const auto& [at, label] : ticks)
    if (at >= range.low && at <= range.high)
      list += fmt::format("{}'{}' {:.10g}", list.empty() ? "" : ", ", label, at);
  const char* rotated = !axis.slanted_ticks                      ? ""
                        : axis.ticks.size() > most_slanted_ticks ? "rotate by 90 right "
                                                                 : "rotate by 50 right ";
  if (!list.empty()) out += fmt::format("set {}tics {}({})\n", letter, rotated, list);
  return out;
}

std::string marker_options(const Layer& layer) {
  return fmt::format("pt {} ps {}", filled_point_types[std::size_t(layer.marker)] - (layer.hollow ? 1 : 0),
                     layer.size);
}
std::string line_options(const Layer& layer) {
  return fmt::format("lw {} dt {}", layer.width, dash_types[std::size_t(layer.dash)]);
}

/// Half the width of a box in the units of a linear axis, or its factor on a logarithmic one.
double box_half_width(const Axis& axis, const Layer& layer) {
  std::vector<double> at;
  for (const Point& point : layer.points)
    at.push_back(axis.scale == Scale::linear ? point.x : std::log2(point.x));
  std::sort(at.begin(), at.end());
  double closest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < at.size(); ++i) closest = std::min(closest, at[i] - at[i - 1]);
  return 0.4 * (std::isfinite(closest) ? closest : 1);
}

std::string data_row(const Figure& figure, const Layer& layer, const Point& point, double half_width) {
  if (layer.style != Style::boxes)
    return fmt::format("{:.10g} {:.10g} {:.10g} {:.10g}\n", point.x, point.y, point.low, point.high);
  const bool linear = figure.x.scale == Scale::linear;
  const double left = linear ? point.x - half_width : point.x * std::exp2(-half_width);
  const double right = linear ? point.x + half_width : point.x * std::exp2(half_width);
  return fmt::format("{:.10g} {:.10g} {:.10g} {:.10g} {:.10g} {:.10g}\n", point.x, point.y, left, right,
                     point.low, point.high);
}

/// What follows the data's name in the plot command.
std::string layer_options(const Layer& layer) {
  const std::string title = layer.label.empty() ? "notitle" : "title " + gnuplot_string(layer.label);
  const std::string lc = fmt::format("lc rgb '{}'", colour_code(layer.colour));
  switch (layer.style) {
    case Style::line:
      return fmt::format("using 1:2 with lines {} {} {}", lc, line_options(layer), title);
    case Style::points: {
      const bool bars = std::any_of(layer.points.begin(), layer.points.end(),
                                    [](const Point& point) { return point.low != point.high; });
      return fmt::format("using {} with {} {} lw 1.2 {} {}", bars ? "1:2:3:4" : "1:2",
                         bars ? "yerrorbars" : "points", marker_options(layer), lc, title);
    }
    case Style::band:
      return fmt::format("using 1:3:4 with filledcurves {} fs transparent solid 0.2 noborder {}", lc, title);
    case Style::boxes:
      return fmt::format("using 1:2:3:4:5:6 with boxxyerror {} lw 0.7 fs {} border lc rgb '#202020' {}", lc,
                         layer.pattern < 0 ? fmt::format("transparent solid {}", layer.opacity)
                                           : fmt::format("transparent pattern {}", layer.pattern),
                         title);
    case Style::legend_only:
      break;
  }
  return "";
}

/// A legend entry without data: markers where the layer has a marker size, a line otherwise.
std::string legend_entry(const Layer& layer) {
  const std::string look =
      layer.size > 0 ? "points " + marker_options(layer) : "lines " + line_options(layer);
  return fmt::format("keyentry with {} lc rgb '{}' title {}", look, colour_code(layer.colour),
                     gnuplot_string(layer.label));
}

enum class Legend { shown, omitted };

/// Ranges, ticks, data and the plot command.
GnuplotScript plot_commands(const Figure& figure, Legend legend) {
  Range x, y;
  std::string data, plots;
  std::vector<std::size_t> layers;
  for (std::size_t k = 0; k < figure.layers.size(); ++k) {
    const Layer& layer = figure.layers[k];
    std::string part;
    if (layer.style == Style::legend_only) {
      if (legend == Legend::omitted) continue;
      part = legend_entry(layer);
    } else {
      const double half_width = layer.style == Style::boxes ? box_half_width(figure.x, layer) : 0;
      std::string rows;
      for (const Point& point : layer.points) {
        if (!is_drawable(figure, point)) continue;
        rows += data_row(figure, layer, point, half_width);
        x.include(point.x);
        for (double value : {point.y, point.low, point.high})
          if (figure.y.scale == Scale::linear || value > 0) y.include(value);
        if (layer.style == Style::boxes && figure.x.scale == Scale::linear) {
          x.include(point.x - 1.5 * half_width);
          x.include(point.x + 1.5 * half_width);
        } else if (layer.style == Style::boxes) {
          x.include(point.x * std::exp2(-1.5 * half_width));
          x.include(point.x * std::exp2(1.5 * half_width));
        }
      }
      if (rows.empty()) continue;
      data += fmt::format("$layer{} << END\n{}END\n", k, rows);
      part = fmt::format("$layer{} {}", k, layer_options(layer));
    }
    layers.push_back(k);
    plots += (plots.empty() ? "plot " : ", \\\n  ") + part;
  }
  if (!std::isfinite(x.low)) throw std::invalid_argument("figure '" + figure.title + "' has no points");
  const AxisRange x_range = padded(figure.x, x), y_range = padded(figure.y, y);
  return {axis_commands('x', figure.x, x_range) + axis_commands('y', figure.y, y_range) + data + plots + '\n',
          x_range, y_range, std::move(layers)};
}

std::string title(const Figure& figure) {
  const std::string title = gnuplot_string(figure.title);
  if (figure.note.empty()) return title;
  return fmt::format("{} . \"\\n\" . '{{/*0.85 {}}}'", title, for_gnuplot(figure.note));
}

constexpr const char* common_settings =
    "set border 3 lw 1 lc rgb '#404040'\nset tics nomirror out\nset grid lw 0.7 lc rgb '#DDDDDD' dt solid\n"
    "set bars 0.5\n";

std::string label_commands(const std::vector<Label>& labels) {
  std::string out;
  for (const Label& label : labels)
    out += fmt::format("set label {} at first {:.10g},{:.10g} center front\n", gnuplot_string(label.text),
                       label.x, label.y);
  return out;
}

/// Everything but the terminal.
GnuplotScript labelled_script(const Figure& figure) {
  GnuplotScript script = plot_commands(figure, Legend::shown);
  script.commands = fmt::format(
      "set title {} offset 0,-0.3\nset xlabel {}\nset ylabel {}\n"
      "set key bmargin center horizontal Left reverse samplen 2 spacing 1.25 title ' '\n{}{}{}",
      title(figure), gnuplot_string(figure.x.label), gnuplot_string(figure.y.label), common_settings,
      label_commands(figure.labels), script.commands);
  return script;
}

/// A panel must not inherit the ticks and scales of the one before.
std::string panels_commands(const Figure& figure) {
  std::string commands =
      fmt::format("set multiplot layout 1,{} title {} font ',15'\n", figure.panels.size(), title(figure));
  for (const Figure& panel : figure.panels) commands += labelled_script(panel).commands + "reset\n";
  return commands + "unset multiplot\n";
}

}  // namespace

std::string colour_code(Colour colour) {
  return colour_codes[std::size_t(colour)];
}

GnuplotScript full_script(const Figure& figure, const std::string& terminal) {
  GnuplotScript script =
      figure.panels.empty() ? labelled_script(figure) : GnuplotScript{panels_commands(figure), {}, {}, {}};
  script.commands = fmt::format("set encoding utf8\nset terminal {}\n{}", terminal, script.commands);
  return script;
}

GnuplotScript bare_script(const Figure& figure, const PlotArea& area) {
  GnuplotScript script = plot_commands(figure, Legend::omitted);
  const auto x = [&](int pixel) { return double(pixel) / area.width; };
  const auto y = [&](int pixel) { return double(pixel) / area.height; };
  script.commands = fmt::format(
      "set encoding utf8\nset terminal svg size {},{} enhanced font 'sans,15'\nunset key\n"
      "set lmargin at screen {:.6f}\nset rmargin at screen {:.6f}\n"
      "set bmargin at screen {:.6f}\nset tmargin at screen {:.6f}\n{}{}",
      area.width, area.height, x(area.left), x(area.width - area.right), y(area.bottom),
      y(area.height - area.top), common_settings, script.commands);
  return script;
}

}  // namespace fathom::reports
