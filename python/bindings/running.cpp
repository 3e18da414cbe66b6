// SPDX-License-Identifier: Apache-2.0
// The kernels as functions, for arrays that Python knows by their addresses.
#include "functions.h"

#include <fathom/functions/functions.h>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <string>
#include <tuple>

namespace nb = nanobind;

namespace fathom::python {
namespace {

template <class T = void>
T* pointer(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

/// Addresses are 0 where there is no array.
void run(const std::string& kind, const std::string& type, std::size_t n, bool stable, bool descending,
         int begin_bit, int end_bit, std::uintptr_t keys, std::uintptr_t values, std::uintptr_t begins,
         std::size_t lists, std::uintptr_t out_keys, std::uintptr_t out_values, std::uintptr_t stream) {
  const nb::gil_scoped_release others_run;
  const bool in_place = keys == out_keys && n > 0 && parse_kind(kind) != Kind::reduce;
  const Order order = descending ? Order::descending : Order::ascending;
  functions().run(
      {parse_kind(kind), parse_type_text(type), n, stable, in_place, lists, order, {begin_bit, end_bit}},
      {pointer(keys), pointer(values), pointer<const Index>(begins)},
      {pointer(out_keys), pointer(out_values)}, {.stream = pointer(stream)});
}

/// Address, elements, letter of the kind and bytes of an element of an array that speaks DLPack: what
/// __cuda_array_interface__ says of others.
std::tuple<std::uintptr_t, std::size_t, std::string, int> of_dlpack(
    const nb::ndarray<nb::device::cuda, nb::c_contig, nb::ndim<1>>& array) {
  const auto type = array.dtype();
  const auto code = nb::dlpack::dtype_code(type.code);
  const char* letter = code == nb::dlpack::dtype_code::Int     ? "i"
                       : code == nb::dlpack::dtype_code::UInt  ? "u"
                       : code == nb::dlpack::dtype_code::Float ? "f"
                                                               : "?";
  return {reinterpret_cast<std::uintptr_t>(array.data()), array.size(), letter, type.bits / 8};
}

}  // namespace

void add_running(nb::module_& module) {
  module.def("run", &run);
  module.def("of_dlpack", &of_dlpack);
}

}  // namespace fathom::python
