// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/limits/lazy.h"
#include "bench/limits/topics.h"
#include "core/random.h"
#include "formats/registry.h"

namespace feedrate {
namespace {

std::unique_ptr<RecordReader> write_and_open(const Format& format,
                                             const std::filesystem::path& path,
                                             const PictureSet& pictures) {
  WriterOptions options;
  options.class_names = pictures.class_names;
  options.records = pictures.records.size();
  if (format.one_shape) options.shape = pictures.records.front().shape;
  const auto writer = format.create(path, options);
  for (const OwnedRecord& record : pictures.records) {
    if (format.payload == Payload::kPixels) {
      writer->append(as_pixels(record).view());
    } else {
      writer->append(record.view());
    }
  }
  writer->finish();
  return format.open(path, {.order = ReadOrder::kRandom});
}

void read_records(benchmark::State& state, const RecordReader& dataset) {
  const auto cursor = dataset.open_cursor();
  RandomStream random(1);
  double bytes = 0.0;
  for (auto _ : state) {
    const Record record = cursor->read(random.below(dataset.size()));
    benchmark::DoNotOptimize(inspect(record.payload));
    bytes += static_cast<double>(record.payload.size());
  }
  state.SetItemsProcessed(state.iterations());
  state.counters[kSizeCounter] = bytes / static_cast<double>(state.iterations());
}

// Names a row: "lmdb 32x32 PNG", "npy 32x32 pixels".
std::string name_of(const Format& format, Picture picture) {
  std::string what = to_string(picture);
  if (format.payload == Payload::kPixels) what = what.substr(0, what.find(' ')) + " pixels";
  return fmt::format("{} {}", format.name, what);
}

LimitBenchmark reading(const LimitsSetting& setting, const Format& format, Picture picture) {
  // hdf5 and hdf5-decoded have the same suffix.
  const auto path = setting.folder /
                    fmt::format("{}-{}{}", format.name, static_cast<int>(picture), format.suffix);
  const auto dataset = lazily<RecordReader>([&format, path, picture, pictures = setting.pictures] {
    return write_and_open(format, path, pictures->of(picture));
  });
  return {.row = {.name = name_of(format, picture),
                  .unit = "records/s",
                  .note = format.payload == Payload::kPixels ? "pixels: no decoding needed"
                                                             : "encoded: without decoding"},
          .body = [dataset](benchmark::State& state) { read_records(state, dataset->get()); }};
}

}  // namespace

TopicPlan plan_formats(const LimitsSetting& setting) {
  TopicPlan plan;
  for (const Picture picture : {Picture::kSmallPng, Picture::kLargeJpeg}) {
    for (const Format& format : formats()) {
      if (!payload_in(format, Payload::kEncoded)) continue;  // The format stores no images.
      plan.benchmarks.push_back(reading(setting, format, picture));
    }
  }
  return plan;
}

}  // namespace feedrate
