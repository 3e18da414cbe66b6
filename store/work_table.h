// SPDX-License-Identifier: Apache-2.0
// Work tables: the work of algorithms on one architecture, as a file. Some are compiled into the library.
#pragma once

#include <fathom/core/measurement.h>
#include <fathom/model/work.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fathom {

struct WorkTable {
  static constexpr int version = 1;

  Provenance provenance;  ///< without a GPU and its driver
  int architecture = 0;   ///< compute capability, of all rows
  std::vector<AlgorithmWork> rows;
};

/// Numbers are rounded to 5 significant digits. Kernels that several rows share are stored once, and so are
/// rows that differ only in the input. Throws std::invalid_argument for rows of another architecture or
/// numbers that are not finite.
std::string to_json(const WorkTable& table);
/// Throws FormatError, naming the field, for text that is not a table, numbers out of range and rows given
/// twice.
WorkTable parse_work_table(const std::string& text, const std::string& where);

WorkTable read_work_table(const std::filesystem::path& file);  ///< throws also what read_whole() throws
void write_work_table(const WorkTable& table, const std::filesystem::path& file);

/// Absent if the tables have no such row. Reads only that row: a process that needs a few does not wait for
/// all.
std::optional<AlgorithmWork> built_in_work(const WorkKey& key);

}  // namespace fathom
