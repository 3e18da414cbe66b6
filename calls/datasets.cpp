// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/datasets.h>

#include <fmt/format.h>

#include <stdexcept>

namespace fathom::calls {

namespace {

/// The runs of a file given twice would count twice.
void check_distinct(const std::vector<std::filesystem::path>& files) {
  std::error_code none;  // a file that is missing is reported when it is read
  for (auto file = files.begin(); file != files.end(); ++file)
    for (auto other = files.begin(); other != file; ++other)
      if (*file == *other || std::filesystem::equivalent(*file, *other, none))
        throw std::invalid_argument(
            fmt::format("'{}' is listed twice{}: list it once", file->string(),
                        *file == *other ? "" : fmt::format(", also as '{}'", other->string())));
}

}  // namespace

std::vector<Dataset> read_datasets(const std::vector<std::filesystem::path>& files,
                                   const Progress& progress) {
  check_distinct(files);
  std::vector<Dataset> datasets;
  for (const auto& file : files) {
    progress("reading " + file.string(), datasets.size(), files.size());
    datasets.push_back(read_dataset(file));
    const std::string &first = datasets.front().provenance.gpu, &gpu = datasets.back().provenance.gpu;
    if (gpu != first)
      throw std::invalid_argument(
          fmt::format("{} was measured on '{}', {} on '{}': give the runs of one GPU at a time",
                      files.front().string(), first, file.string(), gpu));
  }
  progress("read", files.size(), files.size());
  return datasets;
}

Dataset joined(const std::vector<std::filesystem::path>& files, const Progress& progress) {
  Dataset all;
  for (Dataset& dataset : read_datasets(files, progress)) {
    if (all.runs.empty()) all.provenance = dataset.provenance;
    all.runs.insert(all.runs.end(), std::make_move_iterator(dataset.runs.begin()),
                    std::make_move_iterator(dataset.runs.end()));
  }
  return all;
}

}  // namespace fathom::calls
