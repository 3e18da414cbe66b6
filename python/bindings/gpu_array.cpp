// SPDX-License-Identifier: Apache-2.0
#include "gpu_array.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdlib>
#include <stdexcept>
#include <typeinfo>

namespace nb = nanobind;

namespace fathom::python {
namespace {

[[noreturn]] void wrong_type(const std::string& message) {
  throw nb::type_error(message.c_str());
}

/// Made once: making a string takes as long as looking it up.
struct Names {
  nb::object interface = interned("__cuda_array_interface__"), dlpack = interned("__dlpack__"),
             shape = interned("shape"), typestr = interned("typestr"), strides = interned("strides"),
             data = interned("data"), stream = interned("stream"), cuda_stream = interned("cuda_stream"),
             ptr = interned("ptr");

 private:
  static nb::object interned(const char* text) { return nb::steal(PyUnicode_InternFromString(text)); }
};
const Names& names() {
  static const Names* made = new Names;  // which outlives the interpreter's end
  return *made;
}

/// Null if the object has no such attribute. What else goes wrong is the object's to say.
nb::object attribute(nb::handle object, nb::handle name) {
  if (PyObject* found = PyObject_GetAttr(object.ptr(), name.ptr())) return nb::steal(found);
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) nb::raise_python_error();
  PyErr_Clear();
  return {};
}

/// Null if the dictionary has no such item, or None.
nb::handle item(nb::handle dictionary, nb::handle name) {
  const nb::handle found = PyDict_GetItemWithError(dictionary.ptr(), name.ptr());
  if (!found.is_valid() && PyErr_Occurred()) nb::raise_python_error();
  return found.is_valid() && !found.is_none() ? found : nb::handle();
}

nb::handle required_item(const char* of, nb::handle dictionary, nb::handle name) {
  const nb::handle found = item(dictionary, name);
  if (!found.is_valid())
    wrong_type(fmt::format("{} has no {} in its __cuda_array_interface__", of, nb::cast<std::string>(name)));
  return found;
}

ElementType element_type(const char* name, char kind, int bytes) {
  if (bytes == 4 && kind == 'u') return ElementType::u32;
  if (bytes == 8 && kind == 'u') return ElementType::u64;
  if (bytes == 4 && kind == 'i') return ElementType::i32;
  if (bytes == 8 && kind == 'i') return ElementType::i64;
  if (bytes == 4 && kind == 'f') return ElementType::f32;
  if (bytes == 8 && kind == 'f') return ElementType::f64;
  wrong_type(
      fmt::format("{} has elements of type {}{}: give integers or floating-point numbers of 4 or 8 bytes",
                  name, kind, bytes));
}

[[noreturn]] void unreadable(const char* name) {
  wrong_type(fmt::format("{} has a __cuda_array_interface__ that cannot be read", name));
}

bool is_true(nb::handle object) {
  const int found = PyObject_IsTrue(object.ptr());
  if (found < 0) nb::raise_python_error();
  return found != 0;
}

/// The address is what int() makes of the object; absent if that is none.
std::optional<std::uintptr_t> address(nb::handle object) {
  const nb::object number = nb::steal(PyNumber_Long(object.ptr()));
  std::uintptr_t found;
  if (number.is_valid() && nb::try_cast(number, found)) return found;
  PyErr_Clear();
  return std::nullopt;
}

/// An array as it tells of itself, with elements of any type.
struct Layout {
  std::uintptr_t address;
  std::size_t n;
  char kind;  ///< of the elements: 'u', 'i', 'f', or another
  int bytes;  ///< of an element
  bool is_read_only;
  std::optional<std::uintptr_t> stream;
};

/// The interface is of version 2 or 3.
Layout by_interface(const char* name, nb::handle interface) try {
  if (!nb::isinstance<nb::dict>(interface)) wrong_type(fmt::format("{} is no array on a GPU", name));
  const auto shape = nb::tuple(required_item(name, interface, names().shape));
  if (shape.size() != 1)
    throw std::invalid_argument(
        fmt::format("{} has {} dimensions: give an array of one", name, shape.size()));
  const auto type = nb::cast<std::string>(required_item(name, interface, names().typestr));  // "<u4"
  if (type.size() < 3) throw std::bad_cast();
  if (type[0] == '>') wrong_type(fmt::format("{} has big-endian elements: no GPU does", name));
  const int bytes = std::atoi(type.c_str() + 2);
  const auto n = nb::cast<std::size_t>(shape[0]);
  if (const nb::handle given = item(interface, names().strides); given.is_valid() && n > 1)
    if (const nb::tuple strides(given); strides.size() != 1 || nb::cast<std::int64_t>(strides[0]) != bytes)
      throw std::invalid_argument(
          fmt::format("{} has gaps between its elements: give a contiguous array", name));
  const auto data = nb::tuple(required_item(name, interface, names().data));
  if (data.size() != 2) throw std::bad_cast();
  Layout array{
      data[0].is_none() ? 0 : nb::cast<std::uintptr_t>(data[0]), n, type[1], bytes, is_true(data[1]), {}};
  if (const nb::handle stream = item(interface, names().stream); stream.is_valid()) {
    array.stream = address(stream);
    if (!array.stream) throw std::bad_cast();
  }
  return array;
} catch (const std::bad_cast&) {
  unreadable(name);
} catch (const nb::python_error& error) {
  if (!error.matches(PyExc_TypeError)) throw;
  unreadable(name);
}

Layout by_dlpack(const char* name, nb::handle array) {
  using OnGpu = nb::ndarray<nb::device::cuda, nb::c_contig, nb::ndim<1>>;
  OnGpu found;
  if (!nb::try_cast(array, found, false))  // which would be a copy otherwise
    wrong_type(fmt::format("{} is no array on a GPU, of one dimension and without gaps", name));
  const auto code = nb::dlpack::dtype_code(found.dtype().code);
  const char kind = code == nb::dlpack::dtype_code::Int     ? 'i'
                    : code == nb::dlpack::dtype_code::UInt  ? 'u'
                    : code == nb::dlpack::dtype_code::Float ? 'f'
                                                            : '?';
  return {
      reinterpret_cast<std::uintptr_t>(found.data()), found.size(), kind, found.dtype().bits / 8, false, {}};
}

Layout layout(const char* name, nb::handle array) {
  if (const nb::object interface = attribute(array, names().interface);
      interface.is_valid() && !interface.is_none())
    return by_interface(name, interface);
  if (!attribute(array, names().dlpack).is_valid())
    wrong_type(fmt::format("{} is no array on a GPU: give one of CuPy, PyTorch, JAX or Numba", name));
  return by_dlpack(name, array);
}

void require_writable(const char* name, bool is_read_only, std::string_view way_out) {
  if (is_read_only) throw std::invalid_argument(fmt::format("{} cannot be written: {}", name, way_out));
}

}  // namespace

GpuArray gpu_array(const char* name, nb::handle array) {
  const Layout found = layout(name, array);
  return {
      name,        found.address, found.n, element_type(name, found.kind, found.bytes), found.is_read_only,
      found.stream};
}

GpuMemory gpu_memory(const char* name, nb::handle array) {
  const Layout found = layout(name, array);
  require_writable(name, found.is_read_only, "give an array that can be");
  return {found.address, found.n * std::size_t(found.bytes)};
}

void require_writable(const GpuArray& array, std::string_view way_out) {
  require_writable(array.name.c_str(), array.is_read_only, way_out);
}

void require(const GpuArray& array, std::size_t n, ElementType type) {
  if (array.n != n || array.type != type)
    throw std::invalid_argument(fmt::format("{} has {} elements of {}: it must have {} of {}", array.name,
                                            array.n, name(array.type), n, name(type)));
}

std::uintptr_t stream_of(nb::handle asked, const GpuArray& input, const GpuArray& output) {
  if (asked.is_none()) return input.stream ? *input.stream : output.stream.value_or(0);
  nb::object stream = nb::borrow(asked);
  if (!PyLong_Check(stream.ptr()))
    for (const nb::object& address : {names().cuda_stream, names().ptr})  // of PyTorch, of CuPy
      if (const nb::object found = attribute(stream, address); found.is_valid()) stream = found;
  const std::optional<std::uintptr_t> number = address(stream);
  if (!number)
    wrong_type(fmt::format("stream = {}: give a stream of CuPy or PyTorch, or its address",
                           nb::cast<std::string>(nb::repr(asked))));
  return *number;
}

}  // namespace fathom::python
