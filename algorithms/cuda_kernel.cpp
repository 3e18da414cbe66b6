// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/check/run_check.h>
#include <fathom/algorithms/cuda_kernel.h>
#include <fathom/core/text/number.h>
#include <fathom/core/text/size.h>
#include <fathom/device/code/cubin.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>
#include <fathom/device/cuda/cuda_executor.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>

namespace fathom {
namespace {

using Numbers = Types<u32, u64, i32, i64, f32, f64>;

constexpr double most_blocks = 0x7fffffff, most_threads = 1024, most_elements = 0x1p53;

/// As C++ spells it; nullptr for a type that is no number.
const char* spelled(ElementType type) {
  switch (type) {
    case ElementType::u32:
      return "unsigned int";
    case ElementType::u64:
      return "unsigned long long";
    case ElementType::i32:
      return "int";
    case ElementType::i64:
      return "long long";
    case ElementType::f32:
      return "float";
    case ElementType::f64:
      return "double";
    default:
      return nullptr;
  }
}

/// The value if it is a whole number from `least` to `most`. `what` names it and `member` what to change.
Index whole(const CudaKernel& kernel, const Problem& problem, const char* what, const char* member,
            double value, double least, double most) {
  if (value >= least && value <= most && value == std::floor(value)) return Index(value);
  throw std::invalid_argument(
      fmt::format("{} at n = {} has {} {}: whole numbers from {:.0f} to {:.0f} can "
                  "be launched (CudaKernel::{}, or choose another n or parameter)",
                  kernel.slug, elements(problem.n), value, what, least, most, member));
}

std::string source_text(const CudaKernel& kernel, ElementType type, const Parameters& parameters) {
  std::string text = fmt::format("#define FATHOM_ELEMENT {}\n", spelled(type));
  for (const auto& [name, value] : parameters) text += fmt::format("#define FATHOM_{} {}\n", name, value);
  return text + fmt::format("#line 1 \"{}\"\n", kernel.file) + kernel.text;
}

/// Plans of a kernel, and what they refer to: a KernelInfo for each type and choice of parameters.
class CudaPlans {
 public:
  explicit CudaPlans(std::shared_ptr<const CudaKernel> kernel) : kernel_(std::move(kernel)) {}

  Plan operator()(const Problem& problem, const PlanDevice& device) {
    Launch launch{};
    launch.kernel = &info(problem.type, problem.parameters);
    launch.blocks = whole(*kernel_, problem, "blocks", "blocks", kernel_->blocks(problem), 1, most_blocks);
    launch.shape.threads = int(
        whole(*kernel_, problem, "threads per block", "threads", kernel_->threads(problem), 1, most_threads));
    launch.shape.shared_bytes =
        int(whole(*kernel_, problem, "bytes of shared memory per block", "shared_bytes",
                  kernel_->shared_bytes(problem), 0, std::min(device.shared_bytes_per_block, 0x1p30)));
    return {launch};
  }

 private:
  const KernelInfo& info(ElementType type, const Parameters& parameters) {
    const std::lock_guard lock(mutex_);
    const auto known = infos_.find({type, parameters});
    if (known != infos_.end()) return known->second;
    const KernelSource source{"", kernel_->name, {}, source_text(*kernel_, type, parameters)};
    return infos_
        .emplace(std::pair(type, parameters),
                 KernelInfo{struct_name(kernel_->name), &typeid(CudaKernel),
                            [source](std::span<const int>) { return source; }, HostKernel{0, nullptr, false}})
        .first->second;
  }

  std::shared_ptr<const CudaKernel> kernel_;
  std::mutex mutex_;  // tune plans on several threads
  std::map<std::pair<ElementType, Parameters>, KernelInfo> infos_;
};

class CudaWorkload final : public Workload {
 public:
  CudaWorkload(Executor& executor, std::shared_ptr<const CudaKernel> kernel, const Problem& problem,
               Input input, const Launch& launch)
      : executor_(&executor),
        gpu_(dynamic_cast<CudaExecutor*>(&executor)),
        kernel_(std::move(kernel)),
        problem_(problem),
        blocks_(launch.blocks) {
    if (gpu_) {
      const int architecture = gpu_->gpu().compute_capability;
      check_arguments(*kernel_, problem,
                      cached_kernel(launch.source(), launch.shape.threads, architecture).symbol);
    }
    prepared_ = executor.prepare(launch);
    for (const CudaArgument& argument : kernel_->arguments) {
      arrays_.emplace_back();
      if (argument.is_array())
        arrays_.back().emplace(executor, argument.length(problem) * argument.element_bytes(problem));
      values_.push_back(gpu_ || !argument.is_array() ? argument.bytes(problem) : CudaArgument::Bytes{});
    }
    if (!gpu_) return;
    for (std::size_t i = 0; i < arrays_.size(); ++i) begin_with(kernel_->arguments[i], i, input);
    executor.synchronize();
    for (CudaArgument::Bytes& value : values_) pointers_.push_back(value.data());
  }

  /// Throws std::invalid_argument on an executor that does not run on a GPU.
  void run() override {
    if (!gpu_) throw std::invalid_argument(kernel_->slug + " runs on a GPU only");
    gpu_->launch_cuda(*prepared_, blocks_, pointers_);
  }

  void check() override {
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      if (kernel_->arguments[i].role() == CudaArgument::Role::output)
        executor_->fill(arrays_[i]->data(), 0xa5, arrays_[i]->bytes());  // unwritten: must not look right
    run();
    try {
      executor_->synchronize();
    } catch (const KernelFailure& failure) {
      throw KernelFailure(
          fmt::format("{}: compare its accesses with the lengths of its arguments, as under "
                      "compute-sanitizer",
                      failure.what()));
    }
    if (!has_check()) return;
    std::vector<CudaArgument::Bytes> arrays;
    for (const auto& array : arrays_) arrays.push_back(array ? array->download() : CudaArgument::Bytes{});
    const std::string wrong = kernel_->check(CudaRun(problem_, std::move(arrays)));
    if (!wrong.empty()) wrong_result(wrong);
  }

  bool has_check() const override { return bool(kernel_->check); }
  std::vector<KernelResources> kernels() const override { return {prepared_->resources}; }

 private:
  /// Fills the array of argument i for the first run. Its pointer is then the argument's value.
  void begin_with(const CudaArgument& argument, std::size_t i, Input input) {
    if (!argument.is_array()) return;
    DeviceArray<std::byte>& array = *arrays_[i];
    const CudaArgument::Bytes contents = std::move(values_[i]);
    if (argument.role() == CudaArgument::Role::input)
      with_element_type(Numbers{}, problem_.type, [&]<class T>(std::type_identity<T>) {
        fill_summands<T>(*executor_, {reinterpret_cast<T*>(array.data()), array.size() / sizeof(T)}, input);
      });
    else if (contents.empty())
      executor_->fill(array.data(), 0, array.bytes());
    else if (contents.size() == array.bytes())
      executor_->upload(array.data(), contents.data(), contents.size());
    else
      throw std::invalid_argument(
          fmt::format("the contents of argument {} of {} have {} bytes, its length "
                      "says {}: make both the same",
                      i, kernel_->slug, contents.size(), array.bytes()));
    const std::byte* const address = array.data();
    values_[i].resize(sizeof address);
    std::memcpy(values_[i].data(), &address, sizeof address);
  }

  Executor* executor_;
  CudaExecutor* gpu_;  ///< nullptr: nothing is run
  std::shared_ptr<const CudaKernel> kernel_;
  Problem problem_;
  Index blocks_;
  std::shared_ptr<const PreparedKernel> prepared_;
  std::vector<std::optional<DeviceArray<std::byte>>> arrays_;  ///< of each argument that is one
  std::vector<CudaArgument::Bytes> values_;  ///< of each argument: a pointer if it is an array
  std::vector<void*> pointers_;              ///< to each of these
};

void check_description(const CudaKernel& kernel) {
  const auto refuse = [&](std::string_view what) {
    throw std::invalid_argument(fmt::format("the kernel '{}': CudaKernel::{}", kernel.slug, what));
  };
  if (kernel.slug.empty()) refuse("slug is missing");
  if (kernel.file.empty() || kernel.file.find_first_of("\"\\\n") != std::string::npos)
    refuse("file is no name of a source, as scale.cu is");
  if (kernel.text.empty()) refuse("text is missing: it is the source");
  if (kernel.name.empty()) refuse("name is missing: it is that of the __global__ function");
  if (!kernel.blocks) refuse("blocks is missing");
  if (!kernel.threads || !kernel.shared_bytes) refuse("threads and shared_bytes must not be empty");
  if (kernel.types.empty()) refuse("types is empty");
  for (const ElementType type : kernel.types)
    if (!spelled(type))
      refuse(fmt::format("types has {}: choose from u32, u64, i32, i64, f32, f64", name(type)));
  for (const CudaLoop& loop : kernel.loops) try {
      line_with(kernel.text, loop.line);
      if (!loop.turns) throw std::invalid_argument("its turns are missing");
    } catch (const std::invalid_argument& wrong) {
      refuse(fmt::format("loops: '{}': {}", loop.line, wrong.what()));
    }
}

/// The parameters in a demangled name: "float const*", "int" of "void scale<float>(float const*, int)".
std::vector<std::string_view> parameters_of(std::string_view whole) {
  std::vector<std::string_view> types;
  if (!whole.ends_with(')')) return types;
  whole.remove_suffix(1);
  int depth = 0;  // from the end, where the parameters are
  std::size_t end = whole.size();
  for (std::size_t i = whole.size(); i-- > 0;) {
    if (whole[i] == ')' || whole[i] == '>') ++depth;
    const bool opens = whole[i] == '(' || whole[i] == '<';
    if (depth == 0 && (whole[i] == ',' || whole[i] == '(')) {
      std::string_view type = whole.substr(i + 1, end - i - 1);
      if (type.starts_with(' ')) type.remove_prefix(1);
      if (!type.empty()) types.insert(types.begin(), type);
      end = i;
      if (whole[i] == '(') break;
    } else if (opens) {
      --depth;
    }
  }
  return types;
}

/// Bytes of a number's type; absent for other types.
std::optional<std::size_t> bytes_of_number(std::string_view type) {
  struct Row {
    std::string_view name;
    std::size_t bytes;
  };
  constexpr std::array rows{Row{"bool", 1},          Row{"char", 1},         Row{"signed char", 1},
                            Row{"unsigned char", 1}, Row{"short", 2},        Row{"unsigned short", 2},
                            Row{"int", 4},           Row{"unsigned int", 4}, Row{"long", 8},
                            Row{"unsigned long", 8}, Row{"long long", 8},    Row{"unsigned long long", 8},
                            Row{"float", 4},         Row{"double", 8}};
  const auto row = std::ranges::find(rows, type, &Row::name);
  return row == rows.end() ? std::nullopt : std::optional(row->bytes);
}

/// True unless it is certain that a parameter of this type does not take the argument.
bool takes(std::string_view type, const CudaArgument& argument, const Problem& problem) {
  if (argument.is_array()) return type.ends_with('*') || type.ends_with("__restrict");
  const auto bytes = bytes_of_number(type);
  if (type.ends_with('*')) return !argument.is_number();
  return !bytes || *bytes == argument.element_bytes(problem);
}

}  // namespace

std::size_t CudaArgument::element_bytes(const Problem& problem) const {
  return element_bytes_ > 0 ? element_bytes_ : std::size_t(size_in_bytes(problem.type));
}

std::size_t CudaArgument::length(const Problem& problem) const {
  const double length = length_(problem);
  if (length >= 0 && length <= most_elements) return std::size_t(std::ceil(length));
  throw std::invalid_argument(fmt::format("an array of {} elements at n = {}: make its length at least 0",
                                          length, elements(problem.n)));
}

const CudaArgument::Bytes& CudaRun::bytes_of(std::size_t argument) const {
  if (argument < arrays_.size()) return arrays_[argument];
  throw std::invalid_argument(
      fmt::format("there is no argument {}: there are {}, numbered from 0", argument, arrays_.size()));
}

int line_with(std::string_view text, std::string_view part) {
  const std::size_t at = part.empty() ? text.npos : text.find(part);
  if (at == text.npos) throw std::invalid_argument("no line of the source has it");
  const std::size_t end = std::min(text.find('\n', at), text.size());
  if (text.find(part, end) != text.npos)
    throw std::invalid_argument("several lines of the source have it: name a longer part of the line");
  return 1 + int(std::ranges::count(text.substr(0, at), '\n'));
}

void check_arguments(const CudaKernel& kernel, const Problem& problem, const std::string& symbol) {
  const std::string whole = demangled(symbol);
  if (whole == symbol) return;  // extern "C"
  const std::vector<std::string_view> types = parameters_of(whole);
  if (types.size() != kernel.arguments.size())
    throw KernelFailure(fmt::format("{} has {} parameters, CudaKernel::arguments of {} has {}", whole,
                                    types.size(), kernel.slug, kernel.arguments.size()));
  for (std::size_t i = 0; i < types.size(); ++i)
    if (!takes(types[i], kernel.arguments[i], problem))
      throw KernelFailure(
          fmt::format("argument {} of {}, numbered from 0, is {} of {} bytes: the kernel takes "
                      "a {} there",
                      i, kernel.slug, kernel.arguments[i].is_array() ? "an array of elements" : "a value",
                      kernel.arguments[i].element_bytes(problem), types[i]));
}

Algorithm cuda_algorithm(CudaKernel described) {
  check_description(described);
  const auto kernel = std::make_shared<const CudaKernel>(std::move(described));
  const auto plans = std::make_shared<CudaPlans>(kernel);
  Algorithm algorithm;
  algorithm.slug = kernel->slug;
  algorithm.kind = Kind::other;
  algorithm.group = "own";
  algorithm.source = kernel->file;
  algorithm.parameters = kernel->parameters;
  algorithm.types = kernel->types;
  algorithm.plan = [plans](const Problem& problem, const PlanDevice& device) {
    return (*plans)(problem, device);
  };
  algorithm.make_workload = [kernel, plan = algorithm.plan](Executor& executor, const Problem& problem,
                                                            Input input) -> std::unique_ptr<Workload> {
    const PlanDevice device = any_device(executor.shared_bytes_per_block());
    return std::make_unique<CudaWorkload>(executor, kernel, problem, input, plan(problem, device).front());
  };
  algorithm.cuda_kernel = kernel;
  return algorithm;
}

}  // namespace fathom
