// SPDX-License-Identifier: Apache-2.0
// A figure as an element of a page: drawn by gnuplot, with a legend of its own, styled by style.css, made to
// react by script.js.
#pragma once

#include <fathom/reports/plot/plot.h>

#include <string>

namespace fathom::reports::page {

/// The markers and hatchings that figures refer to: once per page.
std::string shared_definitions();

/// A figure element: title, SVG, legend, note. With Figure::of as data attributes, for choices among figures.
/// Throws as run_gnuplot(), and std::invalid_argument for a figure without points.
std::string figure_element(const Figure& figure);

/// The SVG alone. Its attributes data-x and data-y map pixels to values: pixel and value at the axis's low
/// end, the same at its high end, and the base of its logarithm, 0 if it is linear. Each group with data-k
/// has the layers of the k-th entry of the legend.
std::string svg_element(const Figure& figure);

}  // namespace fathom::reports::page
