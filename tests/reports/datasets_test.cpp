// SPDX-License-Identifier: Apache-2.0
// Reports on the shipped datasets.
#include "samples.h"

#include <fathom/algorithms/registry.h>

#include <catch2/catch.hpp>
#include <filesystem>

using namespace fathom;
using namespace fathom::reports;

namespace {

ReportInput shipped_input() {
  ReportInput input;
  input.profile = built_in_profile("h200");
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(FATHOM_DATA) / "h200"))
    if (entry.path().extension() == ".json") input.datasets.push_back(read_dataset(entry.path()));
  input.comparisons = {{LawName::counted, compare(input.profile, input.datasets, find_descriptor,
                                                  Law{.law = LawName::counted}, 0, {}, shipped_work())}};
  input.trade_offs =
      trade_offs(input.profile, {LawName::counted, LawName::published}, input.datasets, {}, shipped_work());
  return input;
}

}  // namespace

TEST_CASE("every kind of figure that needs runs is drawn from the shipped datasets") {
  const ReportInput input = shipped_input();
  REQUIRE(input.datasets.size() >= 6);
  for (const Dataset& dataset : input.datasets) CHECK_FALSE(dataset.runs.empty());
  for (FigureKind kind : {FigureKind::throughput, FigureKind::algorithms, FigureKind::sweep,
                          FigureKind::parity, FigureKind::terms, FigureKind::tradeoff, FigureKind::types}) {
    INFO(name(kind));
    for (const auto& one : figures(input, kind)) {
      REQUIRE(std::holds_alternative<Figure>(one));
      const Figure& figure = std::get<Figure>(one);
      INFO(figure.title);
      CHECK_FALSE(figure.description.empty());
      for (const Axis* axis : {&figure.x, &figure.y}) CHECK_FALSE(axis->label.empty());
    }
  }
  for (const char* algorithm : {"sort-pairwise", "scan-matrix", "scan-lookback"})
    CHECK(std::any_of(input.trade_offs.begin(), input.trade_offs.end(), [&](const TradeOff& one) {
      return one.algorithm == algorithm && !one.measured.empty() && one.predicted.size() == 2;
    }));
}
