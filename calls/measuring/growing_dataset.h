// SPDX-License-Identifier: Apache-2.0
// A dataset that runs are added to, and its file.
#pragma once

#include <fathom/core/system/whole_file.h>
#include <fathom/store/dataset.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace fathom::calls {

class GrowingDataset {
 public:
  /// With the runs that an earlier call wrote to the file. Throws what OutputFile and read_dataset() throw.
  explicit GrowingDataset(const std::filesystem::path& file);

  /// Adds the command to the dataset's origin. Throws std::runtime_error for a dataset of another GPU.
  void continue_with(const Provenance& now);

  /// The cases that it has no run of, each once. `run_of` says what a case's run is, without its times.
  template <class OneCase>
  std::vector<OneCase> missing(const std::vector<OneCase>& cases,
                               const std::function<Measurement(const OneCase&)>& run_of) const {
    std::vector<Measurement> runs;
    for (const OneCase& one : cases) runs.push_back(run_of(one));
    std::vector<OneCase> left;
    for (const std::size_t at : missing(runs)) left.push_back(cases[at]);
    return left;
  }

  void add(Measurement run) { dataset_.runs.push_back(std::move(run)); }
  /// Takes down why a case has no run.
  void failed(const std::string& why) { failures_.push_back(why); }
  /// Writes the file if it was not written lately. Says whether it did.
  bool write_at_times();

  /// Calls `work`, which adds runs. When it throws, what was added is in the file; Interrupted says so, too.
  void keeping(const std::function<void()>& work);

  /// Writes the file. Throws KernelFailure if any of so many cases failed.
  Dataset finished(std::size_t cases) const;

 private:
  std::vector<std::size_t> missing(const std::vector<Measurement>& runs) const;
  void keep() const;

  OutputFile file_;
  Dataset dataset_;
  std::size_t runs_before_;
  std::chrono::steady_clock::time_point last_write_;
  std::vector<std::string> failures_;
};

}  // namespace fathom::calls
