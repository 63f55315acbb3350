// SPDX-License-Identifier: Apache-2.0
// Runs loaders/decode/ on files, for decode_torchvision.py to compare. Reads jobs from standard
// input, one per line: input file, output file, float32 or uint8, then transforms such as "resize
// 256 - hflip".
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "loaders/decode/decoder.h"
#include "loaders/decode/to_tensor.h"
#include "loaders/decode/transform.h"

namespace feedrate {
namespace {

std::vector<std::byte> read(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error(path + ": cannot open");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

void write(const std::string& path, const std::vector<std::byte>& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  if (!stream.flush()) throw std::runtime_error(path + ": cannot write");
}

template <std::size_t N>
std::array<int, N> numbers(std::istream& words) {
  std::array<int, N> values{};
  for (int& value : values) words >> value;
  return values;
}

void run(const std::string& name, std::istream& words, Image& image, TransformScratch& scratch) {
  RandomStream random(0);  // Only the flip draws, with probability 1.
  if (name == "resize_shorter") {
    apply(Resize{numbers<1>(words)[0], {}}, image, scratch, random);
  } else if (name == "resize") {
    const auto [height, width] = numbers<2>(words);
    apply(Resize{height, width}, image, scratch, random);
  } else if (name == "center_crop") {
    const auto [height, width] = numbers<2>(words);
    apply(CenterCrop{height, width}, image, scratch, random);
  } else if (name == "resized_crop") {
    const auto [top, left, height, width, to_height, to_width] = numbers<6>(words);
    scratch.resampler.resize(view_of(image, top, left, height, width), to_height, to_width,
                             scratch.image);
    std::swap(image, scratch.image);
  } else if (name == "hflip") {
    apply(RandomHorizontalFlip{1.0}, image, scratch, random);
  } else {
    throw std::runtime_error(name + ": unknown transform");
  }
}

std::vector<std::byte> to_tensor(const Image& image, const std::string& dtype) {
  if (dtype == "uint8") {
    std::vector<std::byte> tensor(image.shape.size());
    to_uint8_tensor(image, tensor);
    return tensor;
  }
  const Normalize imagenet{{0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}};
  std::vector<std::byte> tensor(image.shape.size() * sizeof(float));
  to_float_tensor(image, tensor_values(imagenet), tensor);
  return tensor;
}

void run_jobs() {
  const auto decoder = make_decoder();
  Image image;
  TransformScratch scratch;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string input;
    std::string output;
    std::string dtype;
    words >> input >> output >> dtype;
    decoder->decode(read(input), image);
    for (std::string name; words >> name;) run(name, words, image, scratch);
    write(output, to_tensor(image, dtype));
  }
}

}  // namespace
}  // namespace feedrate

int main() try {
  feedrate::run_jobs();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "decode_probe: %s\n", error.what());
  return 1;
}
