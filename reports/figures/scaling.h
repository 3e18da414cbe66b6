// SPDX-License-Identifier: Apache-2.0
// Time and speed-up over the number of GPUs, and where the time of each GPU goes.
#pragma once

#include <fathom/reports/figures.h>

#include <vector>

namespace fathom::reports {

/// Which numbers of elements the curves of a figure have in common.
enum class Fixed { n_in_all, n_per_gpu };

/// Time against the number of GPUs: a curve for each of the totals, or of the numbers of elements on each
/// GPU, predicted as lines with their intervals, dashed where links were not measured, and measured as
/// markers. Without points if no curve has two.
Figure scaling_time_figure(const Scaling& of, Fixed fixed);
/// In the same way the speed-up: of the time on one GPU over that on several for n in all, and of elements
/// per second for n on each GPU. The time on one GPU is predicted for lines, and measured for markers.
Figure scaling_speed_up_figure(const Scaling& of, Fixed fixed);
/// The steps of the predicted time as stacked bars, one for each number of GPUs, for the most elements on
/// each GPU, or the most in all if there are none; with the measured times.
Figure scaling_steps_figure(const Scaling& of);

/// These for each algorithm and type, in the order of the input.
std::vector<FigureOrMissing> scaling_figures(const ReportInput& input);

}  // namespace fathom::reports
