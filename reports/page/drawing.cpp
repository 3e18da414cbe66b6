// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/page/drawing.h>

#include <fathom/reports/plot/plot.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace fathom::reports::page {
namespace {

/// Two decimals at most: what gnuplot writes, without trailing zeros.
std::string number(double pixels) {
  std::string text = fmt::format("{:.2f}", pixels);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

/// The value of an attribute, which gnuplot writes as a='b', a="b" or a = 'b'.
std::string_view attribute(std::string_view tag, std::string_view name) {
  for (std::size_t at = 0; (at = tag.find(name, at)) != tag.npos; at += name.size()) {
    if (tag[at - 1] != ' ') continue;
    const std::size_t equals = tag.find_first_not_of(' ', at + name.size());
    if (equals == tag.npos || tag[equals] != '=') continue;
    const std::size_t quote = tag.find_first_of("'\"", equals);
    const std::size_t end = quote == tag.npos ? quote : tag.find(tag[quote], quote + 1);
    if (end != tag.npos) return tag.substr(quote + 1, end - quote - 1);
  }
  return {};
}

struct Vertex {
  char command;  ///< 'M', 'L' or 'Z'; the latter without coordinates
  double x = 0, y = 0;
};

std::optional<double> next_number(const std::string& text, std::size_t& at) {
  const char* begin = text.c_str() + at;
  char* end = nullptr;
  const double value = std::strtod(begin, &end);
  if (end == begin) return std::nullopt;
  at += std::size_t(end - begin);
  while (at < text.size() && (text[at] == ',' || std::isspace(static_cast<unsigned char>(text[at])))) ++at;
  return value;
}

/// The vertices in a path's data, or in the points of a polygon, which have no commands.
std::vector<Vertex> vertices(std::string_view data) {
  const std::string text(data);
  std::vector<Vertex> found;
  char command = 'M';
  for (std::size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
    } else if (text[at] == 'M' || text[at] == 'L') {
      command = text[at++];
    } else if (text[at] == 'Z') {
      found.push_back({'Z'});
      ++at;
    } else {
      const auto x = next_number(text, at), y = x ? next_number(text, at) : std::nullopt;
      if (!y) return {};
      found.push_back({command, *x, *y});
      command = 'L';
    }
  }
  return found;
}

void append(std::string& path, char command, double x, double y) {
  path += fmt::format("{}{} {}", command, number(x), number(y));
}

/// Bars have vertical lines, and caps, which are left out.
void add_path(Drawing::Plot& plot, const std::vector<Vertex>& path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Vertex& vertex = path[i];
    if (vertex.command == 'Z') {
      plot.paths += 'Z';
      continue;
    }
    append(plot.paths, vertex.command, vertex.x, vertex.y);
    if (vertex.command == 'L' && i > 0 && path[i - 1].x == vertex.x) {
      append(plot.bars, 'M', vertex.x, path[i - 1].y);
      append(plot.bars, 'L', vertex.x, vertex.y);
    }
  }
}

void add_area(Drawing::Plot& plot, const std::vector<Vertex>& polygon) {
  for (const Vertex& vertex : polygon) append(plot.areas, vertex.command, vertex.x, vertex.y);
  if (!polygon.empty()) plot.areas += 'Z';
}

/// The position in "translate(72.00,246.24) scale(3.15)".
std::optional<Vertex> translation(std::string_view transform) {
  const std::string text(transform);
  std::size_t at = text.find('(');
  if (!text.starts_with("translate") || at == text.npos) return std::nullopt;
  const auto x = next_number(text, ++at), y = x ? next_number(text, at) : std::nullopt;
  return y ? std::optional(Vertex{'M', *x, *y}) : std::nullopt;
}

/// Text without the elements in it. gnuplot escapes '<' and '&' only.
std::string plain(std::string_view inner) {
  std::string out;
  bool in_tag = false;
  for (const char c : inner) {
    if (c == '<') in_tag = true;
    if (!in_tag) out += c == '>' ? "&gt;" : std::string(1, c);
    if (c == '>') in_tag = false;
  }
  const std::size_t begin = out.find_first_not_of(' ');
  return begin == out.npos ? "" : out.substr(begin);
}

/// Reads gnuplot's SVG tag by tag.
class Reader {
 public:
  explicit Reader(std::string_view svg) : rest_(svg) {}

  Drawing drawing() {
    while (next()) read_tag();
    return std::move(drawing_);
  }

 private:
  bool next() {
    const std::size_t begin = rest_.find('<'), end = rest_.find('>', begin);
    if (begin == rest_.npos || end == rest_.npos) return false;
    tag_ = rest_.substr(begin + 1, end - begin - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool is(std::string_view name) const {
    return tag_.starts_with(name) && (tag_.size() == name.size() || std::isspace(tag_[name.size()]));
  }
  /// Up to the end tag; rest_ continues after it.
  std::string_view content(std::string_view end_tag) {
    const std::size_t end = rest_.find(end_tag);
    const std::string_view inner = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + end_tag.size());
    return inner;
  }

  void read_tag() {
    if (is("defs")) {
      content("</defs>");
    } else if (is("g")) {
      if (attribute(tag_, "id").starts_with("gnuplot_plot_")) begin_plot();
      if (const auto transform = attribute(tag_, "transform"); !transform.empty()) text_at_ = transform;
    } else if (is("text")) {
      end_tick(content("</text>"));
    } else if (is("path")) {
      read_path(vertices(attribute(tag_, "d")));
    } else if (is("use")) {
      read_marker();
    } else if (is("polygon") && in_plot_) {
      add_area(drawing_.plots.back(), vertices(attribute(tag_, "points")));
    }
  }

  void begin_plot() {
    content("</title>");  // in which the '>' of a label is as it is
    drawing_.plots.emplace_back();
    last_marker_.clear();
    in_plot_ = true;
  }

  /// Outside plots: a grid line, a tick, or the border, which comes last.
  void read_path(const std::vector<Vertex>& path) {
    const bool is_border = path.size() >= 3 && path[0].x == path[1].x && path[1].y == path[2].y &&
                           path[2].x > path[1].x && attribute(tag_, "stroke") == "rgb( 64,  64,  64)";
    if (is_border) {
      drawing_.left = path[0].x;
      drawing_.top = path[0].y;
      drawing_.bottom = path[1].y;
      drawing_.right = path[2].x;
    } else if (in_plot_) {
      add_path(drawing_.plots.back(), path);
    } else if (path.size() == 2 && tag_.find("gridline") == tag_.npos) {
      tick_ = path;
    }
  }

  void read_marker() {
    const auto at = translation(attribute(tag_, "transform"));
    if (!in_plot_ || !at) return;
    std::string& markers = drawing_.plots.back().markers;
    const std::size_t before = markers.size();
    append(markers, markers.empty() ? 'M' : 'L', at->x, at->y);
    // Behind those with bars gnuplot draws larger ones in the colour of the ground.
    if (std::string_view(markers).substr(before) == last_marker_) markers.resize(before);
    last_marker_ = 'L' + markers.substr(markers.find_last_of("ML") + 1);
  }

  /// The label of the tick that was drawn before: ticks of x go down, those of y to the left.
  void end_tick(std::string_view inner) {
    if (in_plot_ || tick_.size() != 2) return;
    const bool is_x = tick_[0].x == tick_[1].x;
    const std::size_t rotation = text_at_.find("rotate");
    (is_x ? drawing_.x_ticks : drawing_.y_ticks)
        .push_back({is_x ? tick_[0].x : tick_[0].y,
                    std::string(text_at_.substr(std::min(rotation, text_at_.size()))), plain(inner)});
    tick_.clear();
  }

  std::string_view rest_, tag_, text_at_;
  std::vector<Vertex> tick_;
  std::string last_marker_;  ///< of this plot, as it was appended
  bool in_plot_ = false;
  Drawing drawing_;
};

}  // namespace

Drawing parse_drawing(const std::string& svg, std::size_t plots) {
  Drawing drawing = Reader(svg).drawing();
  if (drawing.plots.size() != plots || !(drawing.right > drawing.left) || !(drawing.bottom > drawing.top))
    throw GnuplotError("gnuplot's output is not the SVG that was expected: gnuplot 5 is needed");
  return drawing;
}

}  // namespace fathom::reports::page
