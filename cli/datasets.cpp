#include "datasets.h"

#include <fmt/format.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "arguments.h"
#include "terminal.h"

namespace fathom::cli {

CLI::Option* add_dataset_arguments(CLI::App& command, std::vector<std::filesystem::path>& files) {
  return command.add_option("datasets", files, "Datasets written by fathom bench");
}

namespace {

/// The runs of a file given twice would count twice.
void check_distinct(const std::vector<std::filesystem::path>& files) {
  std::error_code none;  // a file that is missing is reported when it is read
  for (auto file = files.begin(); file != files.end(); ++file)
    for (auto other = files.begin(); other != file; ++other)
      if (*file == *other || std::filesystem::equivalent(*file, *other, none))
        throw UsageError(fmt::format("'{}' is listed twice{}: list it once", file->string(),
                                     *file == *other ? "" : fmt::format(", also as '{}'", other->string())));
}

}  // namespace

std::vector<Dataset> read_datasets(const std::vector<std::filesystem::path>& files) {
  check_distinct(files);
  std::vector<Dataset> datasets;
  for (const auto& file : files) {
    check_interrupted();
    datasets.push_back(read_dataset(file));
    const std::string &first = datasets.front().provenance.gpu, &gpu = datasets.back().provenance.gpu;
    if (gpu != first)
      throw UsageError(fmt::format("{} was measured on '{}', {} on '{}': give the runs of one GPU at a time",
                                   files.front().string(), first, file.string(), gpu));
  }
  return datasets;
}

Dataset joined(const std::vector<std::filesystem::path>& files) {
  Dataset all;
  for (Dataset& dataset : read_datasets(files)) {
    if (all.runs.empty()) all.provenance = dataset.provenance;
    all.runs.insert(all.runs.end(), std::make_move_iterator(dataset.runs.begin()),
                    std::make_move_iterator(dataset.runs.end()));
  }
  return all;
}

}  // namespace fathom::cli
