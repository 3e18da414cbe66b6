// SPDX-License-Identifier: Apache-2.0
// Measured runs of one GPU.
#pragma once

#include <fathom/calls/listener.h>
#include <fathom/calls/options.h>
#include <fathom/store/dataset.h>

#include <span>
#include <vector>

namespace fathom::calls {

/// The runs of each file. Notes what runs of other tools lack: those that are left out, why, and that their
/// outputs were not checked. Throws std::invalid_argument for a `read_as` that means nothing here or in the
/// files, std::runtime_error if no run of another tool's file can be read, and what read_runs() and the
/// listener throw.
std::vector<Dataset> read_each(const RunFiles& files, const Listener& listener);
/// The same of files that are used together. Throws std::invalid_argument also for a file listed twice and
/// for files of different GPUs.
std::vector<Dataset> read_datasets(const RunFiles& files, const Listener& listener);

/// All runs in one dataset, with the provenance of measured_first(). Throws what read_datasets() throws.
Dataset joined(const RunFiles& files, const Listener& listener);

/// The first dataset that says on which GPU it was measured, or the first of all. `datasets` must not be
/// empty.
const Dataset& measured_first(std::span<const Dataset> datasets);

}  // namespace fathom::calls
