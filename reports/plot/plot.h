// SPDX-License-Identifier: Apache-2.0
// A figure as a value, and drawing it with gnuplot. figures.h decides which figures a result has.
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
  std::string label{};  ///< with its unit: "time (ms)"
  Scale scale = Scale::linear;
  std::optional<double> low{}, high{};  ///< if absent, from the points; linear axes then include 0
  std::vector<Tick> ticks{};            ///< if empty, chosen by the scale
  bool slanted_ticks = false;           ///< for labels that are words
};

struct Point {
  double x, y;
  double low, high;  ///< ends of the bar, edges of the band or of the box
  Point(double x_value, double y_value) : x(x_value), y(y_value), low(y_value), high(y_value) {}
  Point(double x_value, double y_value, double low_end, double high_end)
      : x(x_value), y(y_value), low(low_end), high(high_end) {}
};

/// Okabe and Ito's palette, whose colours remain distinct under every form of colour blindness. Its yellow
/// is too pale for lines on white: a brown stands for it.
enum class Colour { blue, vermillion, green, purple, orange, sky, black, brown, grey, white };
enum class Marker { circle, square, triangle, wedge, diamond, pentagon };
enum class Style {
  line,
  points,      ///< markers, with bars where low and high differ
  band,        ///< between low and high
  boxes,       ///< from low to high around each x
  legend_only  ///< a legend entry without data
};

/// Colour, marker and dash of the n-th curve of a figure. Curves differ in colour and marker, so that they
/// remain distinct in greyscale; from the ninth on colours return, with another dash.
Colour nth_colour(std::size_t n);
Marker nth_marker(std::size_t n);
int nth_dash(std::size_t n);

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
  double opacity = 1;   ///< boxes, if solid
};

/// Text at a place of a figure, in the units of its axes.
struct Label {
  double x, y;  ///< of its centre
  std::string text;
};

struct Figure {
  /// What of the input is drawn, for choices among figures; empty where a figure shows several.
  struct Subject {
    std::string algorithm{}, type{};
    std::string parameter{};  ///< the one varied
    double n = 0;             ///< at which it is varied
  };
  std::string id;  ///< identifier(id) is its file name and the prefix of the ids in SVG
  std::string title;
  std::string description{};  ///< the alternative text
  std::string note{};         ///< a smaller line below the title; may be empty
  Axis x{}, y{};
  std::vector<Layer> layers{};  ///< drawn in this order
  std::vector<Label> labels{};  ///< over the layers; pages of reports leave them out
  Subject of{};
  /// Drawn side by side, each with its own title, axes and legend; the figure then has no axes and layers
  /// itself. Panels have no panels.
  std::vector<Figure> panels{};
};

struct GnuplotError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct GnuplotMissing : GnuplotError {
  using GnuplotError::GnuplotError;
};
/// Why nothing can be drawn here, and what to install; absent if gnuplot can be started.
std::optional<std::string> why_not_drawn();

/// Throws std::invalid_argument unless draw() could write a file of this name: before the work.
void check_format(const std::filesystem::path& file);
/// Draws to a file, whole or not at all. The extension .svg, .png or .pdf selects the format. Throws
/// std::invalid_argument for another extension or a figure without points, GnuplotError if gnuplot fails or
/// is missing (the message names the package).
void draw(const Figure& figure, const std::filesystem::path& file);

/// The figure as SVG text without XML prologue, for HTML or a file. Every id in it starts with
/// identifier(figure.id); title and description are set for screen readers. Throws as draw().
std::string svg(const Figure& figure);

}  // namespace fathom::reports
