// SPDX-License-Identifier: Apache-2.0
// A figure as commands for gnuplot, and running them.
#pragma once

#include <fathom/reports/plot/plot.h>

#include <string>
#include <vector>

namespace fathom::reports {

/// Ends of an axis.
struct AxisRange {
  double low, high;
};

struct GnuplotScript {
  std::string commands;  ///< draw to stdout
  AxisRange x, y;
  /// Indices of the layers that the commands draw, in this order: those with points, and legend entries.
  std::vector<std::size_t> layers;
};

/// More labels that are words stand upright: slanted they would overlap.
inline constexpr std::size_t most_slanted_ticks = 12;

/// With title, axis labels and legend. `terminal` is gnuplot's, with its options. Ranges and layers are empty
/// for a figure of panels. Throws std::invalid_argument for a figure or panel without points.
GnuplotScript full_script(const Figure& figure, const std::string& terminal);

/// Distances of the plot area from the edges of an SVG, and its size, in pixels.
struct PlotArea {
  int width, height, left, right, top, bottom;
};
/// Axes, ticks and layers in an SVG of this layout; neither title, labels nor legend.
GnuplotScript bare_script(const Figure& figure, const PlotArea& area);

/// What gnuplot writes to stdout. Throws GnuplotMissing if there is no gnuplot, and GnuplotError, which names
/// the figure, if it fails.
std::string run_gnuplot(const Figure& figure, const GnuplotScript& script);

/// Colours as "#0072B2", in the order of Colour.
std::string colour_code(Colour colour);

}  // namespace fathom::reports
