// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/cuda_kernel.h>
#include <fathom/counting/assumed_work.h>
#include <fathom/counting/work_by_code.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>
#include <fathom/model/architectures.h>
#include <fathom/model/laws/assumed_run.h>
#include <fathom/model/laws/reported_launches.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace fathom {
namespace {

const Architecture& listed(int architecture) {
  if (const Architecture* known = find_architecture(architecture)) return *known;
  throw std::invalid_argument(fmt::format("no machine code of compute capability {} is read: known are {}",
                                          architecture, architecture_choices()));
}

CubinKernel kernel_named(const std::string& symbol, const std::vector<char>& cubin) {
  for (CubinKernel& kernel : kernels_of(cubin))
    if (kernel.symbol == symbol) return std::move(kernel);
  throw std::logic_error("the compiler's machine code lacks the kernel " + symbol);
}

/// Launches of one compiled kernel.
class RunsOfCudaKernel final : public AssumedRuns {
 public:
  RunsOfCudaKernel(const Case& of, const Architecture& on)
      : kernel_(of.algorithm->cuda_kernel),
        plan_(of.algorithm->plan),
        problem_(of.problem),
        device_(any_device(on.limits().shared_bytes_per_block)) {
    const Launch launch = launch_of(problem_);
    const CompiledKernel compiled =
        cached_kernel(launch.source(), launch.shape.threads, on.compute_capability);
    check_arguments(*kernel_, problem_, compiled.symbol);
    compiled_ = kernel_named(compiled.symbol, compiled.cubin);
    code_ = disassemble(compiled.cubin, compiled_.index);
    loops_ = assumed_frequencies(code_, flow_graph(code_), {}).loops;
    std::erase_if(loops_, [](const AssumedLoop& loop) { return loop.from == AssumedLoop::From::code; });
  }

  AssumedRun at(double n) const override {
    Problem problem = problem_;
    problem.n = n;
    const Launch launch = launch_of(problem);
    const LaunchGrid grid{{int(launch.blocks), 1, 1}, {launch.shape.threads, 1, 1}};
    const AssumedWork work =
        assumed_work(compiled_, code_, grid, launch.shape.shared_bytes, turns_of(problem));
    if (const std::string why = why_not_priced(work.launch); !why.empty())
      throw std::invalid_argument(fmt::format("{} cannot be predicted: {}", kernel_->slug, why));
    return {{work.launch}, {sentences(work), error_of(work)}};
  }

 private:
  Launch launch_of(const Problem& problem) const { return plan_(problem, device_).front(); }

  /// Only loops count that the code has and whose turns it does not tell: the compiler unrolls some.
  std::vector<GivenTurns> turns_of(const Problem& problem) const {
    std::vector<GivenTurns> all;
    for (const CudaLoop& loop : kernel_->loops) {
      GivenTurns given{source_name(kernel_->file), line_with(kernel_->text, loop.line)};
      if (loops_meant(loops_, given).empty()) continue;
      given.turns = loop.turns(problem);
      if (!(given.turns >= 0 && given.turns < 0x1p53))
        throw std::invalid_argument(
            fmt::format("the loop '{}' of {} turns {} times at n = {:.0f}: make its "
                        "turns at least 0",
                        loop.line, kernel_->slug, given.turns, problem.n));
      all.push_back(std::move(given));
    }
    return all;
  }

  std::vector<std::string> sentences(const AssumedWork& work) const {
    std::vector<std::string> all{
        fmt::format("From machine code for sm_{}: nothing was counted.", code_.compute_capability)};
    for (std::string& one : assumptions(work)) all.push_back(std::move(one));
    for (const AssumedLoop& loop : work.loops) {
      const std::string place = loop.line ? fmt::format("{}:{}", loop.line->file, loop.line->line)
                                          : fmt::format("{:#x}", loop.address);
      if (loop.from == AssumedLoop::From::given)
        all.push_back(fmt::format("Told: the loop at {} turns {:.6g} times.", place, loop.turns));
      if (loop.from == AssumedLoop::From::assumed)
        all.push_back(
            fmt::format("Assumed: the loop at {} turns {:.6g} times. CudaKernel::loops can say more.", place,
                        loop.turns));
    }
    return all;
  }

  std::shared_ptr<const CudaKernel> kernel_;
  std::function<Plan(const Problem&, const PlanDevice&)> plan_;
  Problem problem_;
  PlanDevice device_;
  CubinKernel compiled_{};
  Disassembly code_{};
  std::vector<AssumedLoop> loops_{};  ///< of unknown turns
};

}  // namespace

AlgorithmWork work_by_code(const Case& of, int architecture) {
  AlgorithmWork work{work_key(of, architecture), {}};
  work.assumed = std::make_shared<const RunsOfCudaKernel>(of, listed(architecture));
  return work;
}

}  // namespace fathom
