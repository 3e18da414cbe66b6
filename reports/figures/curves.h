// SPDX-License-Identifier: Apache-2.0
// Shared by all figures: points and the style of layers.
#pragma once

#include <fathom/core/measurement.h>
#include <fathom/model/laws/predict.h>
#include <fathom/reports/plot/plot.h>

#include <set>
#include <string>
#include <vector>

namespace fathom::reports {

inline constexpr const char* elements_axis = "n (elements)";

struct PredictedPoint {
  double x;  ///< n, or the parameter's value
  Prediction prediction;
};
struct MeasuredPoint {
  double x;
  Quartiles seconds;
};
double predicted_time(const PredictedPoint& point);
double measured_time(const MeasuredPoint& point);  ///< median

Layer line(std::string label, Colour colour, std::vector<Point> points, int dash = 0, double width = 2);
Layer markers(std::string label, Colour colour, Marker marker, std::vector<Point> points);
Layer interval_band(Colour colour, std::vector<Point> points);
Layer legend_line(std::string label, int dash);
/// "predicted, counted" for the lines of all curves; they may differ in their laws.
Layer legend_of_predictions(const std::set<LawName>& laws);
Layer legend_marker(std::string label, Marker marker, bool hollow);
/// A single highlighted point of a curve.
Layer highlight(std::string label, Marker marker, Point point);

/// The style of a law's curve.
Colour colour_of(LawName law);
int dash_of(LawName law);

/// The axis of an algorithm's parameter, labelled with its meaning: logarithmic if all values are powers of
/// two.
Axis parameter_axis(const std::string& algorithm, const std::string& parameter,
                    const std::vector<int>& values);
/// "E, elements per thread"; the name alone if the registry does not have it.
std::string parameter_label(const std::string& algorithm, const std::string& parameter);

}  // namespace fathom::reports
