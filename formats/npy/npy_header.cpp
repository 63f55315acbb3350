// SPDX-License-Identifier: Apache-2.0
#include "formats/npy/npy_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace feedrate {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
/// Magic, two bytes of version, and two of length in version 1, four in versions 2 and 3.
constexpr std::size_t kVersion1Start = 10;
constexpr std::size_t kVersion2Start = 12;
/// NumPy pads the header so that the first number of the shape may grow to 21 digits.
constexpr std::size_t kGrowthDigits = 21;
/// NumPy's alignment of the data.
constexpr std::size_t kAlignment = 64;

std::string_view characters_of(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view dictionary_of(Bytes file, const DataLocation& location) {
  const std::string_view text = characters_of(file);
  if (!text.starts_with(kNpyMagic) || text.size() < kVersion2Start) {
    throw FormatError(location, "is not a .npy file: must begin with \\x93NUMPY");
  }
  const auto byte = [&](std::size_t at) -> std::size_t {
    return static_cast<unsigned char>(text[at]);
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) {
    throw FormatError(location, fmt::format(".npy version {}; must be 1 to 3", version));
  }
  const std::size_t begin = version == 1 ? kVersion1Start : kVersion2Start;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > text.size() - begin) {
    throw FormatError(location, "the file ends inside its header; it is truncated");
  }
  return text.substr(begin, length);
}

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin);
}

/// The text after `key`, a quoted name with its colon; empty if there is no such key.
std::string_view value_of(std::string_view dictionary, std::string_view key) noexcept {
  const std::size_t at = dictionary.find(key);
  if (at == std::string_view::npos) return {};
  return trimmed(dictionary.substr(at + key.size()));
}

struct Tuple {
  std::array<int, 4> numbers{};
  std::size_t size = 0;
};

/// Parses "(4, 5, 3)…"; empty for any other text and for longer tuples.
std::optional<Tuple> parse_tuple(std::string_view text) noexcept {
  if (!text.starts_with('(')) return std::nullopt;
  text = trimmed(text.substr(1));
  Tuple tuple;
  while (!text.starts_with(')')) {
    int number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || tuple.size == tuple.numbers.size()) return std::nullopt;
    tuple.numbers[tuple.size++] = number;
    text = trimmed(text.substr(static_cast<std::size_t>(stop - text.data())));
    if (text.starts_with(',')) text = trimmed(text.substr(1));
  }
  return tuple;
}

/// The shape H×W×C, or H×W with one channel; empty for any other.
std::optional<ImageShape> image_shape(const std::optional<Tuple>& tuple) noexcept {
  if (!tuple || tuple->size < 2 || tuple->size > 3) return std::nullopt;
  const auto& numbers = tuple->numbers;
  const int channels = tuple->size == 3 ? numbers[2] : 1;
  if (numbers[0] <= 0 || numbers[1] <= 0 || (channels != 1 && channels != 3)) return std::nullopt;
  return ImageShape{.height = numbers[0], .width = numbers[1], .channels = channels};
}

bool is_8_bit(std::string_view descr) {
  constexpr std::array<std::string_view, 4> kNames{"'|u1'", "'u1'", "'<u1'", "'>u1'"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return descr.starts_with(name); });
}

/// `first` is the first number of the shape, `rest` the rest of the tuple.
std::string header_of(std::string_view descr, const std::string& first, std::string_view rest) {
  std::string dictionary = fmt::format(
      "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr, first, rest);
  dictionary.append(kGrowthDigits - first.size(), ' ');
  const std::size_t used = kVersion1Start + dictionary.size() + 1;
  dictionary.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  dictionary += '\n';
  std::string header(kNpyMagic);
  header += '\1';
  header += '\0';
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace

NpyHeader parse_npy_header(Bytes file, const DataLocation& location) {
  const std::string_view dictionary = dictionary_of(file, location);
  const auto shape = image_shape(parse_tuple(value_of(dictionary, "'shape':")));
  if (!is_8_bit(value_of(dictionary, "'descr':")) ||
      !value_of(dictionary, "'fortran_order':").starts_with("False") || !shape) {
    constexpr std::size_t kLongest = 200;
    throw FormatError(
        location,
        fmt::format(
            "holds {}; must be uint8 in C order, H×W, H×W×1 or H×W×3",
            dictionary.substr(0, dictionary.find_last_not_of(" \n") + 1).substr(0, kLongest)));
  }
  const char* end = dictionary.data() + dictionary.size();
  return {.size = static_cast<std::size_t>(end - characters_of(file).data()), .shape = *shape};
}

std::size_t npy_data_offset(Bytes file, const DataLocation& location) {
  const std::string_view dictionary = dictionary_of(file, location);
  if (value_of(dictionary, "'descr':").starts_with("'|O'")) {
    throw FormatError(location,
                      "holds Python objects, which are not read because unpickling runs "
                      "code; must be numbers");
  }
  return static_cast<std::size_t>(dictionary.data() + dictionary.size() -
                                  characters_of(file).data());
}

std::string format_npy_header(const ImageShape& shape) {
  return header_of("|u1", std::to_string(shape.height),
                   fmt::format(", {}, {}", shape.width, shape.channels));
}

std::string format_npy_header(std::string_view descr, std::size_t length) {
  return header_of(descr, std::to_string(length), ",");
}

}  // namespace feedrate
