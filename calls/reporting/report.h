// SPDX-License-Identifier: Apache-2.0
// Reports as self-contained HTML.
#pragma once

#include <fathom/calls/listener.h>
#include <fathom/calls/options.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace fathom::calls {

/// Writes the page of two datasets or profiles, if the options name two to compare; else the whole story of a
/// GPU: predictions, and what was measured, if the options name datasets. `spelling` makes options in its
/// text what the user writes. Notes why there are no figures. Throws std::invalid_argument if something is to
/// be compared but not two of a kind and nothing else, std::runtime_error for one that does not exist, and
/// what claim(), ReportInputs, reading and predicting throw.
void report(const ReportOptions& options, const std::filesystem::path& output,
            const std::function<std::string(std::string_view)>& spelling, const Listener& listener);

}  // namespace fathom::calls
