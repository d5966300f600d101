//===- Array.cpp - arrays and .npy files ----------------------------------===//

#include "Array.h"
#include "OutputFile.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>

using namespace jacquard;

Array::Array(ElementType type, std::vector<int64_t> shape)
    : type(type), shape(std::move(shape)) {
  bytes.resize(size() * sizeOf(type));
}

int64_t Array::size() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

TensorView Array::view() { return {bytes.data(), type, shape, {}}; }

double Array::get(int64_t i) const {
  const char *at = bytes.data() + i * sizeOf(type);
  float f;
  int32_t n;
  uint16_t half;
  switch (type) {
  case ElementType::F32:
    std::memcpy(&f, at, 4);
    return f;
  case ElementType::I32:
    std::memcpy(&n, at, 4);
    return n;
  default:
    std::memcpy(&half, at, 2);
    return decode16(half, type);
  }
}

static uint16_t encodeHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double size = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7e00;
  if (size >= 65520) // Halfway past the largest.
    return sign | 0x7c00;
  int exponent;
  std::frexp(size, &exponent);
  int shift = std::max(exponent - 11, -24); // One unit of the last place.
  double units = std::nearbyint(std::ldexp(size, -shift));
  if (units == 2048) {
    units = 1024;
    ++shift;
  }
  int bits = static_cast<int>(units);
  if (bits < 1024) // Subnormal: shift is -24.
    return sign | bits;
  return sign | ((shift + 25) << 10) | (bits - 1024);
}

void Array::set(int64_t i, double value) {
  char *at = bytes.data() + i * sizeOf(type);
  switch (type) {
  case ElementType::F32: {
    float f = static_cast<float>(value);
    std::memcpy(at, &f, 4);
    return;
  }
  case ElementType::I32: {
    int32_t n = static_cast<int32_t>(value);
    std::memcpy(at, &n, 4);
    return;
  }
  case ElementType::F16: {
    uint16_t half = encodeHalf(value);
    std::memcpy(at, &half, 2);
    return;
  }
  case ElementType::BF16: {
    uint32_t word = std::bit_cast<uint32_t>(static_cast<float>(value));
    uint32_t rounded = word + 0x7fff + ((word >> 16) & 1);
    uint16_t half = static_cast<uint16_t>(
        (std::isnan(value) ? word | 0x400000 : rounded) >> 16);
    std::memcpy(at, &half, 2);
    return;
  }
  }
}

static Error bad(const std::string &path, const std::string &what) {
  return makeError(ErrorKind::Invalid, "E0501", "'" + path + "' " + what);
}

/// The value after 'key': in the header's dictionary.
static std::string_view field(std::string_view header, std::string_view key) {
  size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos)
    return {};
  at = header.find(':', at);
  if (at == std::string_view::npos)
    return {};
  std::string_view rest = header.substr(at + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

Expected<Array> jacquard::readNpy(const std::string &path, bool bf16) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return makeError(ErrorKind::Invalid, "E0502", "can't open '" + path + "'");
  unsigned char start[12];
  file.read(reinterpret_cast<char *>(start), 10);
  if (file.gcount() != 10 || std::memcmp(start, "\x93NUMPY", 6) != 0)
    return bad(path, "is no .npy file");
  size_t length = start[8] | start[9] << 8;
  if (start[6] >= 2) {
    file.read(reinterpret_cast<char *>(start + 10), 2);
    length |= static_cast<size_t>(start[10]) << 16 |
              static_cast<size_t>(start[11]) << 24;
  }
  if (start[6] < 1 || start[6] > 3 || length > 65536)
    return bad(path, "has a header that this reader does not know");
  std::string header(length, ' ');
  file.read(header.data(), static_cast<std::streamsize>(length));
  if (file.gcount() != static_cast<std::streamsize>(length))
    return bad(path, "is truncated within its header");
  std::string_view descr = field(header, "descr"),
                   order = field(header, "fortran_order");
  Array array;
  bool wide = descr.starts_with("'<i8'"); // Narrowed where every value fits.
  if (descr.starts_with("'<f4'"))
    array.type = ElementType::F32;
  else if (descr.starts_with("'<f2'"))
    array.type = ElementType::F16;
  else if (descr.starts_with("'<i4'") || wide)
    array.type = ElementType::I32;
  else if (bf16 && (descr.starts_with("'<u2'") || descr.starts_with("'<V2'")))
    array.type = ElementType::BF16;
  else
    return bad(path,
               "holds " + std::string(descr.substr(0, descr.find(','))) +
                   "; '<f4', '<f2', '<i4', '<i8' or, for bf16 with --dtype "
                   "bf16, '<u2' is needed");
  if (!order.starts_with("False"))
    return bad(path, "is in Fortran order; C order is needed");
  std::string_view shape = field(header, "shape");
  if (!shape.starts_with("(") || shape.find(')') == std::string_view::npos)
    return bad(path, "has no shape in its header");
  int64_t elements = 1;
  for (size_t at = 1; at < shape.size() && shape[at] != ')';) {
    if (shape[at] == ' ' || shape[at] == ',') {
      ++at;
      continue;
    }
    int64_t extent = 0;
    size_t from = at;
    while (at < shape.size() && shape[at] >= '0' && shape[at] <= '9' &&
           at < from + 15)
      extent = extent * 10 + (shape[at++] - '0');
    if (at == from)
      return bad(path, "has a shape that can't be read");
    if (extent > (int64_t(1) << 40) ||
        __builtin_mul_overflow(elements, extent, &elements) ||
        elements > (int64_t(1) << 40))
      return bad(path, "has a shape that is too large");
    array.shape.push_back(extent);
  }
  int64_t wanted = elements * (wide ? 8 : sizeOf(array.type));
  std::streampos here = file.tellg();
  file.seekg(0, std::ios::end);
  int64_t there = file.tellg() - here;
  if (there < wanted)
    return bad(path, "is truncated: it holds " + std::to_string(there) +
                         " bytes of data from byte " + std::to_string(here) +
                         " on, its shape says " + std::to_string(wanted));
  file.seekg(here);
  std::vector<char> bytes(static_cast<size_t>(wanted));
  file.read(bytes.data(), wanted);
  if (file.gcount() != wanted)
    return bad(path, "can't be read to its end");
  if (!wide) {
    array.bytes = std::move(bytes);
    return array;
  }
  array.bytes.resize(static_cast<size_t>(elements * 4));
  for (int64_t i = 0; i < elements; ++i) {
    int64_t value;
    std::memcpy(&value, bytes.data() + i * 8, 8);
    if (value != static_cast<int32_t>(value))
      return bad(path, "holds " + std::to_string(value) + " at element " +
                           std::to_string(i) + ", which is no 32-bit int");
    array.set(i, static_cast<double>(value));
  }
  return array;
}

Status jacquard::writeNpy(const std::string &path, const Array &array) {
  const char *descr = array.type == ElementType::F32   ? "<f4"
                      : array.type == ElementType::F16 ? "<f2"
                      : array.type == ElementType::I32 ? "<i4"
                                                       : "<u2";
  std::string shape;
  for (int64_t extent : array.shape)
    shape += std::to_string(extent) + ",";
  std::string header = std::string("{'descr': '") + descr +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(header.size() & 255);
  start += static_cast<char>(header.size() >> 8);
  return writeWhole(path,
                    {start, header, {array.bytes.data(), array.bytes.size()}});
}
