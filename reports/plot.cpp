#include <fathom/reports/plot.h>

#include <fathom/core/escape.h>
#include <fathom/core/run_program.h>
#include <fathom/core/whole_file.h>
#include <fathom/reports/table.h>
#include <fmt/format.h>

#include <sys/wait.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <system_error>

namespace fathom::reports {
namespace fs = std::filesystem;
namespace {

// ---- the gnuplot script ----

constexpr std::array colour_codes{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                  "#56B4E9", "#000000", "#808080", "#FFFFFF"};
constexpr std::array dash_types{"solid", "(10,6)", "(2,4)", "(10,4,2,4)"};
constexpr std::array filled_point_types{7, 5, 9, 11, 13, 15};  // the hollow one of each shape is one less

std::string colour(Colour colour) {
  return colour_codes[std::size_t(colour)];
}

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
Range padded(const Axis& axis, Range data) {
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

std::string power_label(int base, int exponent) {
  return fmt::format("{}^{{{}}}", base, exponent);
}

/// Multiples of `step` from `first` to `last`, so that figures side by side have the same labels.
std::vector<int> multiples(int first, int last, int step) {
  std::vector<int> found;
  for (int k = int(std::ceil(double(first) / step)) * step; k <= last; k += step) found.push_back(k);
  return found;
}

std::vector<std::pair<double, std::string>> log2_ticks(const Range& range) {
  const int first = int(std::ceil(std::log2(range.low) - 1e-9));
  const int last = int(std::floor(std::log2(range.high) + 1e-9));
  const bool small_numbers = range.high <= 2048 && range.low >= 1.0 / 64;
  std::vector<std::pair<double, std::string>> ticks;
  for (int k : multiples(first, last, 1 + (last - first) / 10))
    ticks.emplace_back(std::exp2(k), small_numbers ? fmt::format("{:g}", std::exp2(k)) : power_label(2, k));
  return ticks;
}

std::vector<std::pair<double, std::string>> log10_ticks(const Range& range) {
  const bool decades_only = range.high / range.low > 500;
  const int first = int(std::floor(std::log10(range.low)));
  const int last = int(std::floor(std::log10(range.high)));
  std::vector<std::pair<double, std::string>> ticks;
  for (int k : multiples(first, last, 1 + (last - first) / 20))
    for (int digit : {1, 2, 5}) {
      const double at = digit * std::pow(10, k);
      if (at < range.low || at > range.high || (decades_only && digit != 1)) continue;
      const bool plain = k >= -3 && k <= 4;
      ticks.emplace_back(at, plain        ? fmt::format("{:g}", at)
                             : digit == 1 ? power_label(10, k)
                                          : fmt::format("{}·{}", digit, power_label(10, k)));
    }
  return ticks;
}

std::string axis_commands(char letter, const Axis& axis, const Range& range) {
  std::string out = fmt::format("set {0}label {1}\nset {0}range [{2:.10g}:{3:.10g}]\n", letter,
                                gnuplot_string(axis.label), range.low, range.high);
  if (axis.scale != Scale::linear) out += fmt::format("set logscale {}\n", letter);
  std::vector<std::pair<double, std::string>> ticks;
  for (const Tick& tick : axis.ticks) ticks.emplace_back(tick.at, for_gnuplot(tick.label));
  if (ticks.empty() && axis.scale == Scale::log2) ticks = log2_ticks(range);
  if (ticks.empty() && axis.scale == Scale::log10) ticks = log10_ticks(range);
  std::string list;
  for (const auto& [at, label] : ticks)
    if (at >= range.low && at <= range.high)
      list += fmt::format("{}'{}' {:.10g}", list.empty() ? "" : ", ", label, at);
  if (!list.empty())
    out += fmt::format("set {}tics {}({})\n", letter, axis.slanted_ticks ? "rotate by -25 " : "", list);
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
  const std::string lc = fmt::format("lc rgb '{}'", colour(layer.colour));
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
  return fmt::format("keyentry with {} lc rgb '{}' title {}", look, colour(layer.colour),
                     gnuplot_string(layer.label));
}

std::string plot_commands(const Figure& figure) {
  Range x, y;
  std::string data, plots;
  for (std::size_t k = 0; k < figure.layers.size(); ++k) {
    const Layer& layer = figure.layers[k];
    std::string part;
    if (layer.style == Style::legend_only) {
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
    plots += (plots.empty() ? "plot " : ", \\\n  ") + part;
  }
  if (!std::isfinite(x.low)) throw std::invalid_argument("figure '" + figure.title + "' has no points");
  return axis_commands('x', figure.x, padded(figure.x, x)) +
         axis_commands('y', figure.y, padded(figure.y, y)) + data + plots + '\n';
}

constexpr int width = 800, least_height = 500;  // in pixels of the SVG

/// A long legend makes the figure taller instead of covering the plot.
int height_of(const Figure& figure) {
  // For a 13 px font, with gnuplot's own estimate of an entry's width when it arranges columns.
  constexpr double character = 10, sample = 25, row = 21;
  constexpr std::size_t usual_rows = 3;
  std::size_t entries = 0, longest = 1;
  for (const Layer& layer : figure.layers) {
    if (layer.label.empty()) continue;
    ++entries;
    longest = std::max(longest, display_width(layer.label));
  }
  const auto columns = std::size_t(std::max(1.0, 0.875 * width / (character * double(longest) + sample)));
  const std::size_t rows = (entries + columns - 1) / columns;
  return least_height + int(row * double(rows > usual_rows ? rows - usual_rows : 0));
}

std::string terminal(const std::string& extension, int height = least_height) {
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

std::string title(const Figure& figure) {
  const std::string title = gnuplot_string(figure.title);
  if (figure.note.empty()) return title;
  return fmt::format("{} . \"\\n\" . '{{/*0.85 {}}}'", title, for_gnuplot(figure.note));
}

std::string script(const Figure& figure, const std::string& extension) {
  return fmt::format(
      "set encoding utf8\nset terminal {}\nset title {} offset 0,-0.3\n"
      "set border 3 lw 1 lc rgb '#404040'\nset tics nomirror out\nset grid lw 0.7 lc rgb '#DDDDDD' dt solid\n"
      "set key bmargin center horizontal Left reverse samplen 2 spacing 1.25 title ' '\nset bars 0.5\n{}",
      terminal(extension, height_of(figure)), title(figure), plot_commands(figure));
}

// ---- the gnuplot process ----

/// gnuplot's own words stay out of the message: they name lines of a script that the user never sees.
GnuplotError failure(const Figure& figure, const std::string& why) {
  return GnuplotError(fmt::format("gnuplot could not draw '{}': {}; gnuplot 5 is needed", figure.title, why));
}

ProgramResult run_gnuplot(const std::string& commands) try {
  return run_program({"gnuplot", "-d"}, commands);  // -d: its user's start-up files would change the figures
} catch (const std::system_error& error) {
  if (error.code() == std::errc::no_such_file_or_directory || error.code() == std::errc::permission_denied)
    throw GnuplotError("gnuplot is not in PATH: install the package gnuplot-nox to draw figures");
  throw;
}

/// The figure as drawn by gnuplot: the bytes of a file of this format.
std::string drawn(const Figure& figure, const std::string& extension) {
  const ProgramResult gnuplot = run_gnuplot(script(figure, extension));
  if (WIFSIGNALED(gnuplot.status))
    throw failure(figure, fmt::format("it was ended by signal {}", WTERMSIG(gnuplot.status)));
  if (WEXITSTATUS(gnuplot.status) != 0)
    throw failure(figure, fmt::format("exit status {}", WEXITSTATUS(gnuplot.status)));
  if (gnuplot.output.empty()) throw failure(figure, "it drew nothing");
  return gnuplot.output;
}

// ---- SVG ----

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
  return Colour(n % 7);  // not grey and white
}
Marker nth_marker(std::size_t n) {
  return Marker(n % filled_point_types.size());
}
int nth_dash(std::size_t n) {
  constexpr std::array dashes{0, 1, 3};
  return dashes[n / 7 % dashes.size()];
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
    throw failure(figure, "its output is no SVG");
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
