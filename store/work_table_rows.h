// SPDX-License-Identifier: Apache-2.0
// How the records of a work table are written and read, for readers of whole tables and of single rows.
#pragma once

#include <fathom/store/json_fields.h>
#include <fathom/store/work_table.h>

namespace fathom {

KernelWork parse_kernel_work(const Field& field);

/// A row as it is stored. Rows that differ only in the input are one.
struct StoredRow {
  WorkKey key;  ///< without the input
  std::vector<Input> inputs;
  std::vector<std::size_t> kernels;  ///< indices into the table's
};
/// `kernels`: how many the table has.
StoredRow parse_row(const Field& field, int architecture, std::size_t kernels);

/// The beginning of the line of every row of this key, up to its inputs.
std::string beginning_of_row(const WorkKey& key);

}  // namespace fathom
