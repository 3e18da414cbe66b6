// A figure as a value, and gnuplot called on it. What is drawn for which result is decided in figures.h.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace fathom::reports {

enum class Scale { linear, log2, log10 };

struct Tick {
  double at;
  std::string label;
};

struct Axis {
  std::string label;  ///< with its unit: "time (ms)"
  Scale scale = Scale::linear;
  std::optional<double> low{}, high{};  ///< where absent: from the points; linear axes then include 0
  std::vector<Tick> ticks{};            ///< where empty: chosen by the scale
};

struct Point {
  double x, y;
  double low, high;  ///< ends of the bar, edges of the band or of the box
  Point(double x_value, double y_value) : x(x_value), y(y_value), low(y_value), high(y_value) {}
  Point(double x_value, double y_value, double low_end, double high_end)
      : x(x_value), y(y_value), low(low_end), high(high_end) {}
};

/// Okabe and Ito's palette, which stays apart under every form of colour blindness; its yellow is too pale
/// for lines on white and is left out.
enum class Colour { blue, vermillion, green, purple, orange, sky, black, grey };
enum class Marker { circle, square, triangle, wedge, diamond, pentagon };
enum class Style {
  line,
  points,      ///< markers, with bars where low and high differ
  band,        ///< between low and high
  boxes,       ///< from low to high around each x
  legend_only  ///< an entry in the legend that explains the others
};

/// The n-th of a set of curves gets colours[n], its own marker and its own dashes, so that grey print keeps
/// them apart.
Colour nth_colour(std::size_t n);
Marker nth_marker(std::size_t n);

struct Layer {
  std::string label;  ///< in the legend; empty: not listed
  Style style = Style::line;
  Colour colour = Colour::black;
  std::vector<Point> points{};
  Marker marker = Marker::circle;
  bool hollow = false;  ///< markers: outline only
  double size = 0.6;    ///< markers: relative to the terminal's
  int dash = 0;         ///< lines: 0 solid, 1 dashed, 2 dotted, 3 dash-dotted
  double width = 2;     ///< lines: in points of the terminal
  int pattern = -1;     ///< boxes: gnuplot's fill pattern; −1 solid
};

struct Figure {
  std::string id;  ///< letters, digits and '-': file name, prefix of the ids in SVG
  std::string title;
  std::string description{};  ///< what there is to see, one sentence: the alternative text
  Axis x, y;
  std::vector<Layer> layers{};  ///< drawn in this order
};

struct GnuplotError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Draws to a file, whole or not at all; .svg, .png or .pdf says the format. Throws std::invalid_argument for
/// another ending or a figure without points, GnuplotError where gnuplot is missing (its text names the
/// package) or fails.
void draw(const Figure& figure, const std::filesystem::path& file);

/// The figure as SVG text without XML prologue, to stand in HTML or in a file: every id in it starts with
/// figure.id, title and description are set for screen readers. Throws as draw().
std::string svg(const Figure& figure);

}  // namespace fathom::reports
