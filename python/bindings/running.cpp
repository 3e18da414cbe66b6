// SPDX-License-Identifier: Apache-2.0
// The kernels as functions. A call is described first, which needs no GPU, and then run.
#include "functions.h"
#include "gpu_array.h"

#include <fathom/device/arena_executor.h>
#include <fathom/functions/functions.h>
#include <fmt/format.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace nb = nanobind;

namespace fathom::python {
namespace {

/// A task and its arrays; addresses are 0 where there is no array.
struct Call {
  Task task;
  std::uintptr_t input, values, begins, output, output_values, stream;
  std::optional<GpuMemory> work_space{};  ///< absent: the stream's own
};

template <class T = void>
T* pointer(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

void run(const Call& call) {
  CallOptions options{.stream = pointer(call.stream)};
  if (call.work_space) {
    // An empty array has no address, which would stand for the stream's own work space.
    options.work_space =
        pointer(call.work_space->bytes > 0 ? call.work_space->address : ArenaExecutor::alignment);
    options.work_space_bytes = call.work_space->bytes;
  }
  const nb::gil_scoped_release others_run;
  functions().run(call.task, {pointer(call.input), pointer(call.values), pointer<const Index>(call.begins)},
                  {pointer(call.output), pointer(call.output_values)}, options);
}

std::optional<GpuMemory> work_space_of(nb::handle array) {
  if (array.is_none()) return std::nullopt;
  return gpu_memory("work_space", array);
}

/// Throws std::invalid_argument for text that is no kind which has a function.
Kind kind_of(const std::string& text) {
  std::string names;
  for (const Kind kind : all_kinds) {
    if (kind == Kind::other) continue;
    if (name(kind) == text) return kind;
    names += (names.empty() ? "" : ", ") + std::string(name(kind));
  }
  throw std::invalid_argument(fmt::format("kind = '{}': choose from {}", text, names));
}

/// Returns what a call with such arrays needs. begin_bit and end_bit are 0 for all bits.
std::size_t work_space_bytes(const std::string& kind, std::size_t n, const std::string& type, bool stable,
                             bool in_place, std::size_t lists, bool descending, int begin_bit, int end_bit) {
  Task task{kind_of(kind),
            parse_type_text(type),
            n,
            stable,
            in_place,
            lists,
            descending ? Order::descending : Order::ascending,
            {begin_bit, end_bit}};
  if (task.type.value) task.type.value = unsigned_like(*task.type.value);            // as that of a call
  if (task.kind == Kind::segmented_sort) task.stable = task.type.value.has_value();  // as sort_segments is
  const nb::gil_scoped_release others_run;
  return functions().work_space_bytes(task);
}

void release_work_spaces() {
  const nb::gil_scoped_release others_run;  // it waits for the GPU
  functions().release_work_spaces();
}

/// The output is the input where a call has none of its own.
struct InputAndOutput {
  GpuArray input, output;

  bool in_place() const { return input.address == output.address && input.n > 0; }
};

/// Throws what gpu_array() and require_writable() throw.
GpuArray output_array(const char* name, nb::handle array) {
  const GpuArray output = gpu_array(name, array);
  require_writable(output, "give an array that can be");
  return output;
}

/// The arrays have the same number and type of elements. Throws what gpu_array(), require() and
/// require_writable() throw.
InputAndOutput input_and_output(const char* input_name, nb::handle input, const char* output_name,
                                nb::handle output) {
  const GpuArray given = gpu_array(input_name, input);
  if (output.is_none()) {
    require_writable(given, fmt::format("give {}=", output_name));
    return {given, given};
  }
  const GpuArray target = output_array(output_name, output);
  require(target, given.n, given.type);
  return {given, target};
}

/// begin_bit and end_bit are 0 for all bits.
Call sort_call(nb::handle keys, nb::handle values, nb::handle out, nb::handle out_values, bool stable,
               bool descending, int begin_bit, int end_bit, nb::handle stream, nb::handle work_space) {
  const InputAndOutput arrays = input_and_output("keys", keys, "out", out);
  const auto& [given, target] = arrays;
  Call call{{Kind::sort,
             {given.type, {}},
             given.n,
             stable,
             arrays.in_place(),
             0,
             descending ? Order::descending : Order::ascending,
             {begin_bit, end_bit}},
            given.address,
            0,
            0,
            target.address,
            0,
            stream_of(stream, given, target),
            work_space_of(work_space)};
  if (!values.is_none()) {
    const auto [value_given, value_target] = input_and_output("values", values, "out_values", out_values);
    if (value_given.n != given.n)
      throw std::invalid_argument(
          fmt::format("values has {} elements: as many as keys, {}, are needed", value_given.n, given.n));
    if (out.is_none() != out_values.is_none())
      throw std::invalid_argument("give both out and out_values, or neither");
    call.task.type.value = unsigned_like(value_given.type);  // they are moved, not compared
    call.values = value_given.address;
    call.output_values = value_target.address;
  } else if (!out_values.is_none()) {
    throw std::invalid_argument("out_values without values");
  }
  return call;
}

/// The call sorts each list, stably if there are values.
Call segments_call(nb::handle keys, nb::handle begins, nb::handle values, nb::handle out,
                   nb::handle out_values, nb::handle stream, nb::handle work_space) {
  Call call = sort_call(keys, values, out, out_values, !values.is_none(), false, 0, 0, stream, work_space);
  const GpuArray cuts = gpu_array("begins", begins);
  if (cuts.type != ElementType::i64 || cuts.n < 2)
    throw std::invalid_argument("begins has to have elements of i64, one more than there are lists");
  call.task.kind = Kind::segmented_sort;
  call.task.lists = cuts.n - 1;
  call.begins = cuts.address;
  return call;
}

Call scan_call(nb::handle elements, nb::handle out, nb::handle stream, nb::handle work_space) {
  const InputAndOutput arrays = input_and_output("elements", elements, "out", out);
  const auto& [given, target] = arrays;
  return {{Kind::scan, {given.type, {}}, given.n, false, arrays.in_place()},
          given.address,
          0,
          0,
          target.address,
          0,
          stream_of(stream, given, target),
          work_space_of(work_space)};
}

Call reduce_call(nb::handle elements, nb::handle out, nb::handle stream, nb::handle work_space) {
  const GpuArray given = gpu_array("elements", elements), target = output_array("out", out);
  require(target, 1, given.type);
  return {{Kind::reduce, {given.type, {}}, given.n},
          given.address,
          0,
          0,
          target.address,
          0,
          stream_of(stream, given, target),
          work_space_of(work_space)};
}

}  // namespace

void add_running(nb::module_& module) {
  nb::class_<Call>(module, "Call")
      .def_prop_ro("kind", [](const Call& call) { return std::string(name(call.task.kind)); })
      .def_prop_ro("type", [](const Call& call) { return type_text(call.task.type); })
      .def_prop_ro("n", [](const Call& call) { return call.task.n; })
      .def_prop_ro("stable", [](const Call& call) { return call.task.stable; })
      .def_prop_ro("in_place", [](const Call& call) { return call.task.in_place; })
      .def_prop_ro("lists", [](const Call& call) { return call.task.lists; })
      .def_prop_ro("descending", [](const Call& call) { return call.task.order == Order::descending; })
      .def_prop_ro("bits",
                   [](const Call& call) { return nb::make_tuple(call.task.bits.begin, call.task.bits.end); })
      .def_ro("input", &Call::input)
      .def_ro("values", &Call::values)
      .def_ro("begins", &Call::begins)
      .def_ro("output", &Call::output)
      .def_ro("output_values", &Call::output_values)
      .def_ro("stream", &Call::stream)
      .def_prop_ro("work_space", [](const Call& call) {
        return call.work_space ? std::optional(std::pair(call.work_space->address, call.work_space->bytes))
                               : std::nullopt;
      });
  using namespace nanobind::literals;
  // None is refused like all else that is no array, by the argument's name.
  module.def("sort_call", &sort_call, "keys"_a.none(), "values"_a.none(), "out"_a.none(),
             "out_values"_a.none(), "stable"_a, "descending"_a, "begin_bit"_a, "end_bit"_a, "stream"_a.none(),
             "work_space"_a.none());
  module.def("segments_call", &segments_call, "keys"_a.none(), "begins"_a.none(), "values"_a.none(),
             "out"_a.none(), "out_values"_a.none(), "stream"_a.none(), "work_space"_a.none());
  module.def("scan_call", &scan_call, "elements"_a.none(), "out"_a.none(), "stream"_a.none(),
             "work_space"_a.none());
  module.def("reduce_call", &reduce_call, "elements"_a.none(), "out"_a.none(), "stream"_a.none(),
             "work_space"_a.none());
  module.def("run", &run);
  module.def("work_space_bytes", &work_space_bytes);
  module.def("release_work_spaces", &release_work_spaces);
}

}  // namespace fathom::python
