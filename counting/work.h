// SPDX-License-Identifier: Apache-2.0
// The work of an algorithm's kernels: counted at a few small sizes, or looked up.
#pragma once

#include <fathom/algorithms/case.h>
#include <fathom/device/code/cubin.h>
#include <fathom/device/code/instructions.h>
#include <fathom/device/counting/counts.h>
#include <fathom/model/laws/predict_counted.h>

namespace fathom {

/// The machine code's part of the work of launches that were counted.
struct CodeWork {
  Work work;                                   ///< of a block; only the members that counts alone lack
  std::vector<std::string> unknown_opcodes{};  ///< as in KernelWork
  double uncertain = 0;
};

/// Where count_work() gets what it needs of compiled kernels. Both functions may be called from one thread at
/// a time.
struct CodeReader {
  std::function<KernelCode(const Launch&)> resources;
  std::function<CodeWork(const KernelCounts&)> work;
};

/// Compiles kernels for an architecture (90 for sm_90), through the kernel cache, and disassembles them. Its
/// functions throw DeviceUnavailable without NVRTC and KernelFailure for what does not compile.
CodeReader code_reader(int architecture);

struct CountWorkOptions {
  int workers = 0;      ///< threads; 0 = one per core
  bool checked = true;  ///< count a further size, for KernelWork::check_error
  Progress progress{};
};

/// Counts at a few sizes of which each block handles several tiles, fits KernelWork and, if asked to, checks
/// it at a further size. The problem's n does not matter. With an empty `code`, only what the source alone
/// determines is counted, kernels have unknown_registers, and all that comes from machine code is 0. Throws
/// std::invalid_argument for an algorithm without kernels of its own, an architecture that is not listed in
/// model/architectures.h, or parameters that the algorithm does not accept, BlockDoesNotFit, and what `code`
/// and `progress` throw.
AlgorithmWork count_work(const Case& of, int architecture, const CodeReader& code,
                         const CountWorkOptions& options = {});

/// The part of a block's work that is counted in the kernel's source.
Work counted_work(const KernelCounts& counts);
/// The part that its machine code tells.
Work code_work(const KernelInstructions& counted);

/// Which tool is missing without which no work is counted here, and how to get it, in one line; absent if
/// none is. Takes a moment: it starts the disassembler.
std::optional<std::string> why_not_counted();

/// From the built-in tables, else from the user's cache; absent if it has to be counted.
std::optional<AlgorithmWork> known_work(const Case& of, int architecture);
/// From the built-in tables, else from the user's cache, else counted and cached. A damaged cache entry is
/// counted again. What is counted here is not checked; that of plain CUDA is work_by_code(). The key of the
/// row is work_key(). Throws WorkUnavailable and what count_work() and work_by_code() throw.
AlgorithmWork find_work(const Case& of, int architecture, CountWorkOptions options = {});

}  // namespace fathom
