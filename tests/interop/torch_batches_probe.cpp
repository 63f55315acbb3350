// SPDX-License-Identifier: Apache-2.0
// Prints the batches of the native loader, for the test that compares them with the PyTorch engine.
//
//   torch_batches_probe PATH BATCH_SIZE SEED SHUFFLE DROP_LAST EPOCH BATCHES SIDE GROUP_BY_LENGTH
//
// Prints a line per batch: the labels, then the CRC-32 of the tensors' bytes. SIDE is the size to
// which images are resized, or 0 for no resize: then samples are uint8, otherwise float32 and
// normalized. A negative SIDE is resize_bytes; longest or max_length is the padding of sequences.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "core/clock.h"
#include "device/open.h"
#include "formats/registry.h"
#include "loaders/loader.h"
#include "loaders/record_dataset.h"

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

constexpr std::size_t kMaxLength = 300;  // The same value as in torch_batches.py.

PipelineSpec tokens(Padding padding) {
  PipelineSpec spec{.transforms = {}, .dtype = SampleDtype::kUint8};
  spec.tokens = TokenSequences{.max_length = kMaxLength, .padding = padding};
  return spec;
}

PipelineSpec pipeline(const std::string& word) {
  if (word == "longest") return tokens(Padding::kLongest);
  if (word == "max_length") return tokens(Padding::kMaxLength);
  const int side = std::atoi(word.c_str());
  if (side <= 0) {
    PipelineSpec spec{.transforms = {}, .dtype = SampleDtype::kUint8};
    if (side < 0) spec.resize_bytes = static_cast<std::size_t>(-side);
    return spec;
  }
  return {.transforms = {Resize{side, side}},
          .dtype = SampleDtype::kFloat32,
          .normalize = Normalize{{0.4F, 0.5F, 0.6F}, {0.2F, 0.25F, 0.3F}}};
}

void print(const Batch& batch) {
  for (const std::int64_t label : batch.labels) {
    std::printf("%lld ", static_cast<long long>(label));
  }
  std::printf("%08x\n", crc32(batch.bytes()));
}

void run(char** words) {
  LoaderOptions options;
  options.batch_size = std::atoll(words[1]);
  options.seed = static_cast<std::uint64_t>(std::atoll(words[2]));
  options.shuffle = std::atoi(words[3]) != 0;
  options.drop_last = std::atoi(words[4]) != 0;
  options.group_by_length = std::atoi(words[8]) != 0;
  options.shuffle_window = std::atoll(words[9]);
  SteadyClock clock;
  const auto device = open_device("sim:a100-pcie4", clock);
  const auto dataset =
      make_record_dataset(open_dataset(words[0]), pipeline(words[7]), options.seed);
  const auto loader = make_loader(*dataset, resolve(options), *device);
  loader->start_epoch(static_cast<std::uint64_t>(std::atoll(words[5])),
                      static_cast<std::size_t>(std::atoll(words[6])));
  while (const auto batch = loader->next({})) print(*batch);
}

}  // namespace
}  // namespace feedrate

int main(int argc, char** argv) {
  if (argc != 11) {
    std::fputs("usage: see the first lines of torch_batches_probe.cpp\n", stderr);
    return 2;
  }
  try {
    feedrate::run(argv + 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "torch_batches_probe: %s\n", error.what());
    return 1;
  }
  return 0;
}
