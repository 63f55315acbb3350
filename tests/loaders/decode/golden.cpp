// SPDX-License-Identifier: Apache-2.0
#include "tests/loaders/decode/golden.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "core/fnv1a.h"
#include "loaders/decode/decoder.h"

namespace feedrate::golden {
namespace {

std::ifstream open(const std::string& file) {
  std::ifstream stream(std::string(FEEDRATE_SOURCE_DIR "/tests/golden/decode/") + file,
                       std::ios::binary);
  if (!stream) throw std::runtime_error(file + ": cannot open");
  return stream;
}

std::vector<int> parse_arguments(const std::string& text) {
  std::vector<int> arguments;
  if (text == "-") return arguments;
  std::istringstream stream(text);
  for (std::string number; std::getline(stream, number, ',');) {
    arguments.push_back(std::stoi(number));
  }
  return arguments;
}

}  // namespace

std::vector<Expected> expected(const std::string& operation) {
  std::ifstream stream = open("expected.txt");
  std::vector<Expected> lines;
  Expected line{};
  std::string arguments;
  std::string checksum;
  while (stream >> line.file >> line.operation >> arguments >> line.height >> line.width >>
         checksum) {
    line.arguments = parse_arguments(arguments);
    line.checksum = std::stoull(checksum, nullptr, 16);
    if (line.operation == operation) lines.push_back(line);
  }
  return lines;
}

std::vector<std::byte> read(const std::string& file) {
  std::ifstream stream = open(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::vector<float> read_floats(const std::string& file) {
  const std::vector<std::byte> bytes = read(file);
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

Image decode(const std::string& file) {
  Image image;
  make_decoder()->decode(read(file), image);
  return image;
}

std::uint64_t checksum(const Image& image) {
  return fnv1a({reinterpret_cast<const char*>(image.pixels.data()), image.shape.size()});
}

std::string to_string(const Expected& expected) {
  std::string text = expected.file + " " + expected.operation;
  for (const int argument : expected.arguments) text += " " + std::to_string(argument);
  return text;
}

}  // namespace feedrate::golden
