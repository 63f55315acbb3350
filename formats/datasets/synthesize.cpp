// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/synthesize.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/error.h"
#include "core/random.h"
#include "formats/datasets/in_order.h"
#include "formats/payload.h"
#include "formats/registry.h"
#include "loaders/decode/encoder.h"
#include "loaders/decode/pixel_limit.h"

namespace feedrate {
namespace {

/// Random streams of one image. They are separate, so that the size does not change the content.
enum Stream : std::uint64_t { kSizeStream = 0, kContentStream = 1 };

void require(bool condition, const std::string& message) {
  if (!condition) throw ConfigError(message);
}

std::vector<std::string> name_classes(const MakeOptions& options, const Preset& preset) {
  if (preset.opaque) return {};
  const std::size_t sensible =
      std::clamp<std::size_t>(options.count / preset.images_per_class, 1, preset.classes);
  std::vector<std::string> names(options.classes.value_or(sensible));
  for (std::size_t label = 0; label < names.size(); ++label)
    names[label] = preset.class_name(label);
  return names;
}

void check(const MakeOptions& options) {
  require(options.count > 0, "--count 0: out of range; must be at least 1");
  const int quality = options.quality.value_or(90);
  require(quality >= 1 && quality <= 100,
          fmt::format("--quality {}: out of range; must be between 1 and 100", quality));
  const std::size_t classes = options.classes.value_or(1);
  constexpr std::size_t kMaxClasses = 99999;  // Names with more digits would not sort.
  require(
      classes >= 1 && classes <= kMaxClasses,
      fmt::format("--classes {}: out of range; must be between 1 and {}", classes, kMaxClasses));
  if (!options.size) return;
  const ImageSize size = *options.size;
  constexpr int kMaxSide = 65500;  // JPEG's limit
  require(size.width >= 1 && size.height >= 1 && size.width <= kMaxSide &&
              size.height <= kMaxSide && std::int64_t{size.width} * size.height <= kMaxPixels,
          fmt::format(
              "--size {}x{}: out of range; sides must be between 1 and {}, with at most {} pixels",
              size.width, size.height, kMaxSide, kMaxPixels));
}

void check_no_record_bytes(const MakeOptions& options, const char* what) {
  require(!options.record_bytes && options.record_bytes_stdev == 0,
          fmt::format("--record-bytes: preset {} makes {}; must be --preset bytes", options.preset,
                      what));
}

void check_no_images(const MakeOptions& options) {
  require(!options.size && !options.encoding && !options.quality && !options.classes,
          fmt::format("--preset {}: does not make images; --size, --encoding, --quality and "
                      "--classes apply only to images",
                      options.preset));
}

void check_sizes(const RecordSizes& sizes) {
  require(sizes.mean >= 1 && sizes.mean <= kMaxRecordBytes,
          fmt::format("--record-bytes {}: out of range; must be between 1 and {}", sizes.mean,
                      kMaxRecordBytes));
  require(sizes.stdev <= sizes.mean,
          fmt::format("--record-bytes-stdev {}: out of range; must be at most the mean, {}",
                      sizes.stdev, sizes.mean));
}

std::optional<OpaqueRecords> opaque_records(const MakeOptions& options, const Preset& preset) {
  if (!preset.opaque) {
    check_no_record_bytes(options, "images");
    return std::nullopt;
  }
  check_no_images(options);
  const auto* const usual = std::get_if<RecordSizes>(&*preset.opaque);
  if (!usual) {
    check_no_record_bytes(options, "records of fixed sizes");
    return preset.opaque;
  }
  const RecordSizes sizes{options.record_bytes.value_or(usual->mean), options.record_bytes_stdev};
  check_sizes(sizes);
  return sizes;
}

ImageSize size_of(const DatasetPlan& plan, std::size_t index) {
  auto dice = sample_stream(plan.seed, kSizeStream, index).below(100);
  for (const SizeShare& share : plan.sizes) {
    if (dice < share.percent) return share.size;
    dice -= share.percent;
  }
  return plan.sizes.front().size;
}

std::vector<std::byte> encode(const DatasetPlan& plan, const Image& image) {
  return plan.encoding == ImageEncoding::kPng ? encode_png(image)
                                              : encode_jpeg(image, plan.quality);
}

std::vector<std::byte> pixels_of(const Image& image) {
  const Bytes bytes = std::as_bytes(std::span(image.pixels)).first(image.shape.size());
  return {bytes.begin(), bytes.end()};
}

std::optional<ImageShape> common_shape(const DatasetPlan& plan, const Format& format) {
  if (!format.one_shape) return std::nullopt;
  const ImageSize size = plan.sizes.front().size;
  require(plan.sizes.size() == 1,
          fmt::format("format {}: needs images of one size; set one, such as --size {}x{}",
                      format.name, size.width, size.height));
  return ImageShape{size.height, size.width, 3};
}

Payload kind_in(const Format& format, const DatasetPlan& plan) {
  const std::optional<Payload> kind =
      payload_in(format, plan.opaque ? Payload::kBytes : Payload::kEncoded);
  if (kind) return *kind;
  throw ConfigError(
      plan.opaque
          ? fmt::format("format {}: holds images; npz and tfrecord hold opaque bytes", format.name)
          : fmt::format("format {}: holds opaque bytes; --preset bytes makes them", format.name));
}

/// Limits the threads, so that results in the reorder window take about 1 GiB at most.
Job sparing_memory(Job job, const DatasetPlan& plan) {
  if (!plan.opaque) return job;
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  const auto bytes = static_cast<std::size_t>(std::max(1.0, mean_bytes(*plan.opaque)));
  const std::size_t most = kMostBytes / (kAheadPerWorker * bytes);
  job.threads = static_cast<unsigned>(std::clamp<std::size_t>(most, 1, job.worker_count()));
  return job;
}

OwnedRecord make_opaque_record(const DatasetPlan& plan, std::size_t index) {
  return {.payload = draw_record(*plan.opaque, sample_stream(plan.seed, kSizeStream, index),
                                 sample_stream(plan.seed, kContentStream, index)),
          .key = fmt::format("{:07}", index),
          .kind = Payload::kBytes};
}

}  // namespace

DatasetPlan resolve(const MakeOptions& options) {
  const Preset& preset = find_preset(options.preset);
  check(options);
  DatasetPlan plan{.count = options.count,
                   .seed = options.seed,
                   .encoding = options.encoding.value_or(preset.encoding),
                   .quality = options.quality.value_or(preset.quality),
                   .sizes = {preset.sizes.begin(), preset.sizes.end()},
                   .class_names = name_classes(options, preset),
                   .style = preset.style,
                   .opaque = opaque_records(options, preset)};
  if (options.size) plan.sizes = {{*options.size, 100}};
  return plan;
}

OwnedRecord make_record(const DatasetPlan& plan, std::size_t index, Payload kind) {
  if (plan.opaque) return make_opaque_record(plan, index);
  const ImageSize size = size_of(plan, index);
  const std::size_t label = index % plan.class_names.size();
  Image image;
  draw_synthetic_image({size.height, size.width, 3}, plan.style,
                       sample_stream(plan.seed, kContentStream, index), image);
  return {.payload = kind == Payload::kPixels ? pixels_of(image) : encode(plan, image),
          .label = static_cast<std::int64_t>(label),
          .key = fmt::format("{}/{:07}", plan.class_names[label], index),
          .kind = kind,
          .shape = image.shape};
}

MakeResult make_dataset(const MakeOptions& options, const std::filesystem::path& path,
                        std::string_view format_name, const Job& job) {
  const Format& format = find_format(format_name);
  const DatasetPlan plan = resolve(options);
  const Payload kind = kind_in(format, plan);
  const auto writer = format.create(path, {.class_names = plan.class_names,
                                           .records = plan.count,
                                           .shape = common_shape(plan, format),
                                           .shard_bytes = options.shard_bytes,
                                           .chunk = options.chunk,
                                           .codec = options.codec,
                                           .zarr_format = options.zarr_format});
  MakeResult result{.classes = plan.class_names.size()};
  const auto make_worker = [&]() -> std::function<OwnedRecord(std::size_t)> {
    return [&](std::size_t index) { return make_record(plan, index, kind); };
  };
  in_order<OwnedRecord>("making", plan.count, sparing_memory(job, plan), make_worker,
                        [&](std::size_t, const OwnedRecord& record) {
                          writer->append(record.view());
                          ++result.records;
                          result.bytes += record.payload.size();
                        });
  writer->finish();
  return result;
}

}  // namespace feedrate
