// SPDX-License-Identifier: Apache-2.0
// Predictions of many problems at once, into arrays.
#include "arguments.h"
#include "functions.h"
#include "interrupt.h"

#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/profiles.h>

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace nb = nanobind;

namespace fathom::python {
namespace {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Choices = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// The points of one choice of parameters.
struct Group {
  Problem problem;
  std::vector<std::size_t> points;
};

/// `values` holds a row per name, with a value for each point. What it does not name has the default of the
/// point's n.
std::vector<Group> groups_of(const Descriptor& algorithm, const Problem& problem, const Numbers& n,
                             const std::vector<std::string>& names, const Choices& values) {
  using Choice = std::pair<int, std::vector<int>>;
  const KeyAndValue type{problem.type, problem.value_type};
  std::map<Choice, std::size_t> known;
  std::vector<Group> groups;
  Choice choice{0, std::vector<int>(names.size())}, before;
  std::size_t group = 0;
  for (std::size_t point = 0; point < n.shape(0); ++point) {
    choice.first = algorithm.range_of_defaults(n(point));
    for (std::size_t i = 0; i < names.size(); ++i) choice.second[i] = values(i, point);
    if (point == 0 || choice != before) {
      const auto [found, is_new] = known.emplace(choice, groups.size());
      if (is_new) {
        groups.push_back({problem, {}});
        Parameters& parameters = groups.back().problem.parameters;
        parameters = algorithm.default_parameters(n(point), type);
        for (std::size_t i = 0; i < names.size(); ++i) {
          algorithm.check(Parameters{{names[i], choice.second[i]}});
          parameters.set(names[i], choice.second[i]);
        }
      }
      group = found->second;
      before = choice;
    }
    groups[group].points.push_back(point);
  }
  return groups;
}

/// Whether the GPU's memory is enough. More elements need more.
class Fits {
 public:
  Fits(const Descriptor& algorithm, const Group& group, const Numbers& n, const Machine<double>& machine)
      : algorithm_(algorithm), machine_(machine), problem_(group.problem) {
    for (const std::size_t point : group.points) problem_.n = std::max(problem_.n, n(point));
    all_ = holds(problem_.n);
  }
  bool operator()(double n) { return all_ || holds(n); }

 private:
  bool holds(double n) {
    const double there = machine_.global_memory.value;
    problem_.n = n;
    return !(there > 0) || calls::bytes_needed(algorithm_, problem_, machine_) <= there;
  }

  const Descriptor& algorithm_;
  const Machine<double>& machine_;
  Problem problem_;
  bool all_ = false;
};

/// Rows of seconds: the time, and the ends of its 95 % interval. NaN for what the GPU cannot run, and for
/// intervals that the law does not have.
std::vector<double> seconds_of(const calls::Question& question, DeviceProfile profile, const Numbers& n,
                               const std::vector<std::string>& names, const Choices& values,
                               const calls::Listener& listener) {
  const Descriptor& algorithm = *question.algorithm;
  const std::size_t points = n.shape(0);
  for (std::size_t point = 0; point < points; ++point) checked_count(n(point));
  std::vector<Group> groups = groups_of(algorithm, question.problem, n, names, values);

  calls::apply_what_if(question.what_if, profile);
  Predictor predictor(profile, algorithm, question.law, calls::work_lookup(profile, listener.progress),
                      calls::conflict_lookup(profile, listener.progress));
  std::vector<double> seconds(3 * points, missing);
  std::size_t done = 0;
  for (Group& group : groups) {
    Fits fits(algorithm, group, n, profile.machine);
    for (const std::size_t point : group.points) {
      if (done++ % 1024 == 0) listener.progress("predicting", done, points);
      group.problem.n = n(point);
      if (!fits(group.problem.n)) continue;
      try {
        const Prediction prediction = predictor(group.problem, question.input);
        seconds[point] = prediction.time_s;
        if (!prediction.interval_s) continue;
        seconds[points + point] = prediction.interval_s->low;
        seconds[2 * points + point] = prediction.interval_s->high;
      } catch (const BlockTooLarge&) {
      }
    }
  }
  return seconds;
}

/// The names of the device and of the law, whether the law has intervals, and the seconds.
std::tuple<std::string, std::string, bool, Result> sweep(const std::string& algorithm, const Numbers& n,
                                                         const std::vector<std::string>& names,
                                                         const Choices& values, const OptionValues& options) {
  auto [device, law, found] = interruptible([&](const calls::Listener& listener) {
    const auto asked = options_from<calls::PredictOptions>(options);
    const calls::Question about = question(descriptor(calls::any_algorithm(algorithm)), 1, {}, asked);
    const DeviceProfile profile = calls::choose_profile(asked.device, listener);
    return std::tuple(profile.name, &definition(about.law.law),
                      seconds_of(about, profile, n, names, values, listener));
  });
  auto* seconds = new std::vector<double>(std::move(found));
  const nb::capsule owner(seconds,
                          [](void* owned) noexcept { delete static_cast<std::vector<double>*>(owned); });
  return {std::move(device), std::string(law->name), law->has_intervals(),
          Result(seconds->data(), {3, n.shape(0)}, owner)};
}

}  // namespace

void add_sweep(nb::module_& module) {
  module.def("sweep", sweep);
}

}  // namespace fathom::python
