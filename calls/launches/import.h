// SPDX-License-Identifier: Apache-2.0
// Reports of profilers, made into files with launches that can be predicted.
#pragma once

#include <fathom/reports/launches.h>

#include <filesystem>
#include <string>

namespace fathom::calls {

/// Reads a report of NVIDIA Nsight Compute, the table that it prints as CSV or its own *.ncu-rep, and writes
/// its launches to `file`; `command` is recorded there. Throws std::invalid_argument unless the file's name
/// ends in ".work", std::runtime_error for a *.ncu-rep that cannot be read here, and what
/// parse_profiler_csv(), launch_report() and claim() throw.
reports::ImportReport import_report(const std::filesystem::path& report, const std::filesystem::path& file,
                                    const std::string& command);

}  // namespace fathom::calls
