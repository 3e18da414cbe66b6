// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/curves.h>

#include <fathom/algorithms/lists.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

namespace fathom::reports {

double predicted_time(const PredictedPoint& point) {
  return point.prediction.time_s;
}
double measured_time(const MeasuredPoint& point) {
  return point.seconds.median;
}

Layer line(std::string label, Colour colour, std::vector<Point> points, int dash, double width) {
  return {.label = std::move(label),
          .style = Style::line,
          .colour = colour,
          .points = std::move(points),
          .dash = dash,
          .width = width};
}
Layer markers(std::string label, Colour colour, Marker marker, std::vector<Point> points) {
  return {.label = std::move(label),
          .style = Style::points,
          .colour = colour,
          .points = std::move(points),
          .marker = marker};
}
Layer interval_band(Colour colour, std::vector<Point> points) {
  return {.label = "95 % interval", .style = Style::band, .colour = colour, .points = std::move(points)};
}
Layer legend_line(std::string label, int dash) {
  return {.label = std::move(label),
          .style = Style::legend_only,
          .colour = Colour::grey,
          .size = 0,
          .dash = dash};
}
Layer legend_of_predictions(const std::set<LawName>& laws) {
  std::vector<std::string_view> names;
  for (const LawName law : laws) names.push_back(name(law));
  return legend_line(fmt::format("predicted, {}", fmt::join(names, " or ")), 0);
}
Layer legend_marker(std::string label, Marker marker, bool hollow) {
  return {.label = std::move(label),
          .style = Style::legend_only,
          .colour = Colour::grey,
          .marker = marker,
          .hollow = hollow};
}
Layer highlight(std::string label, Marker marker, Point point) {
  Layer layer = markers(std::move(label), Colour::black, marker, {point});
  layer.hollow = true;
  layer.size = 1.5;
  return layer;
}

Colour colour_of(LawName law) {
  return law == LawName::published ? Colour::vermillion : Colour::blue;
}
int dash_of(LawName law) {
  return law == LawName::published ? 1 : 0;
}

std::string parameter_label(const std::string& algorithm, const std::string& parameter) {
  const Descriptor* descriptor = find_listed(algorithm);
  const ParameterInfo* info = descriptor ? descriptor->find_parameter(parameter) : nullptr;
  return info ? fmt::format("{}, {}", parameter, info->meaning) : parameter;
}

Axis parameter_axis(const std::string& algorithm, const std::string& parameter,
                    const std::vector<int>& values) {
  const bool powers_of_two = std::all_of(values.begin(), values.end(), [](int value) {
    return value > 0 && std::has_single_bit(unsigned(value));
  });
  return {.label = parameter_label(algorithm, parameter),
          .scale = powers_of_two ? Scale::log2 : Scale::linear};
}

}  // namespace fathom::reports
