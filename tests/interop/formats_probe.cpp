// SPDX-License-Identifier: Apache-2.0
// Gives the tests in Python access to the readers and writers.
//
//   formats_probe list PATH              prints the format, then a line per record: key, label,
//                                        shape, bytes, CRC-32
//   formats_probe list-direct PATH       the same with hdf5_reads: direct
//   formats_probe copy SOURCE TARGET FORMAT [chunk=N] [codec=NAME] [zarr_format=N]
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "formats/registry.h"

namespace feedrate {
namespace {

// The same value as zlib.crc32 in Python.
std::uint32_t crc32(Bytes bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::byte byte : bytes) {
    crc ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320U & (0U - (crc & 1U)));
  }
  return ~crc;
}

void list(const char* path, const ReadOptions& options = {}) {
  const auto reader = open_dataset(path, options);
  std::printf("%s\t%s\n", std::string(reader->format()).c_str(), reader->layout().c_str());
  for (const std::string& name : reader->class_names()) std::printf("class\t%s\n", name.c_str());
  const auto cursor = reader->open_cursor();
  for (std::size_t i = 0; i < reader->size(); ++i) {
    const Record record = cursor->read(i);
    std::printf("%s\t%lld\t%dx%dx%d\t%zu\t%08x\n", std::string(record.key).c_str(),
                static_cast<long long>(record.label), record.shape.height, record.shape.width,
                record.shape.channels, record.payload.size(), crc32(record.payload));
  }
}

void set_option(WriterOptions& options, const std::string& word) {
  const std::string value = word.substr(word.find('=') + 1);
  if (word.starts_with("chunk=")) options.chunk = std::stoul(value);
  if (word.starts_with("codec=")) options.codec = value;
  if (word.starts_with("zarr_format=")) options.zarr_format = std::stoi(value);
}

void copy(const char* source, const char* target, const char* name,
          const std::vector<std::string>& words) {
  const auto reader = open_dataset(source);
  const auto cursor = reader->open_cursor();
  WriterOptions options{.class_names = reader->class_names(), .records = reader->size()};
  for (const std::string& word : words) set_option(options, word);
  if (reader->payload() == Payload::kPixels) options.shape = cursor->read(0).shape;
  const auto writer = find_format(name).create(target, options);
  for (std::size_t i = 0; i < reader->size(); ++i) writer->append(cursor->read(i));
  writer->finish();
}

}  // namespace
}  // namespace feedrate

int main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  try {
    if (verb == "list" && argc == 3) {
      feedrate::list(argv[2]);
    } else if (verb == "list-direct" && argc == 3) {
      feedrate::list(argv[2], {.hdf5 = feedrate::Hdf5Reads::kDirect});
    } else if (verb == "copy" && argc >= 5) {
      feedrate::copy(argv[2], argv[3], argv[4], {argv + 5, argv + argc});
    } else {
      std::fputs(
          "usage: formats_probe list PATH | list-direct PATH | copy SOURCE TARGET FORMAT "
          "[OPTION...]\n",
          stderr);
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "formats_probe: %s\n", error.what());
    return 1;
  }
  return 0;
}
