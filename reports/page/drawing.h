// SPDX-License-Identifier: Apache-2.0
// What gnuplot drew: the geometry of its SVG, without its styles.
#pragma once

#include <string>
#include <vector>

namespace fathom::reports::page {

/// Coordinates are pixels of the SVG. Paths have absolute M, L and Z only, coordinates separated by blanks:
/// "M72 304L330 159.6".
struct Drawing {
  struct Tick {
    double at;             ///< x or y
    std::string rotation;  ///< of the label: "rotate(-50)", or empty
    std::string label;     ///< escaped
  };
  struct Plot {
    std::string paths;    ///< of lines
    std::string bars;     ///< of the vertical lines in `paths`
    std::string markers;  ///< through their centres
    std::string areas;
  };
  double left = 0, right = 0, top = 0, bottom = 0;  ///< of the plot area
  std::vector<Tick> x_ticks, y_ticks;
  std::vector<Plot> plots;
};

/// Reads the SVG that bare_script() draws. Throws GnuplotError unless it has so many plots and axes.
Drawing parse_drawing(const std::string& svg, std::size_t plots);

}  // namespace fathom::reports::page
