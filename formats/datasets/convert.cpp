// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/convert.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/error.h"
#include "core/random.h"
#include "formats/datasets/in_order.h"
#include "formats/datasets/owned_record.h"
#include "formats/datasets/record_source.h"
#include "formats/registry.h"
#include "formats/staging.h"
#include "loaders/decode/encoder.h"
#include "loaders/decode/points_pipeline.h"
#include "loaders/decode/record_pixels.h"

namespace feedrate {
namespace {

class RecordConverter {
 public:
  using Converted = std::variant<OwnedRecord, Problem>;
  using Surveyed = std::variant<ImageShape, Problem>;

  RecordConverter(const RecordReader& reader, Payload wanted, const ConvertOptions& options)
      : source_(reader),
        wanted_(wanted),
        decode_check_(options.decode_check),
        sample_points_(options.sample_points) {}

  Converted convert(std::size_t index) {
    return attempt<Converted>(
        index, [this, index](const Record& record) { return to_target(record, index); });
  }

  /// The shape of the pixels that convert() would return.
  Surveyed survey(std::size_t index) {
    return attempt<Surveyed>(index,
                             [this](const Record& record) { return pixels_.decode(record).shape; });
  }

 private:
  template <typename Result, typename Work>
  Result attempt(std::size_t index, Work work) {
    const std::variant<Record, Problem> read = source_.read(index);
    if (const auto* problem = std::get_if<Problem>(&read)) return *problem;
    try {
      return work(std::get<Record>(read));
    } catch (const FormatError& error) {
      return source_.problem(index, error.what());
    }
  }

  OwnedRecord to_target(const Record& record, std::size_t index) {
    OwnedRecord result{
        .payload = {}, .label = record.label, .key = std::string(record.key), .kind = wanted_};
    if (wanted_ == Payload::kBytes) {
      require_bytes(record);
      result.payload = sample_points_ ? points_of(record, index) : copy_of(record.payload);
    } else if (wanted_ == Payload::kPixels) {
      const Image& image = pixels_.decode(record);
      result.payload = copy_of(std::as_bytes(std::span(image.pixels)).first(image.shape.size()));
      result.shape = image.shape;
    } else if (record.kind == Payload::kPixels) {
      result.payload = encode_png(pixels_.decode(record));
    } else {
      if (decode_check_) (void)pixels_.decode(record);
      result.payload = copy_of(record.payload);
    }
    return result;
  }

  static std::vector<std::byte> copy_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

  // Draws points as epoch 0 would.
  [[nodiscard]] std::vector<std::byte> points_of(const Record& record, std::size_t index) const {
    constexpr std::uint64_t kSeed = 0;
    constexpr std::uint64_t kEpoch = 0;
    require_points(record);
    std::vector<std::byte> points(*sample_points_ * kPointBytes);
    draw_points(record.payload, sample_stream(kSeed, kEpoch, index), points);
    return points;
  }

  static void require_bytes(const Record& record) {
    if (record.kind == Payload::kBytes) return;
    throw FormatError("is an image, but the first record is opaque bytes");
  }

  RecordSource source_;
  RecordPixels pixels_;
  Payload wanted_;
  bool decode_check_;
  std::optional<std::size_t> sample_points_;
};

class Conversion {
 public:
  Conversion(const RecordReader& source, const std::filesystem::path& target,
             const ConvertOptions& options, const Job& job)
      : source_(source),
        target_(target),
        options_(options),
        job_(job),
        format_(find_format(options.format)) {}

  ConvertResult run() && {
    require_absent(target_);
    payload_ = target_payload();
    WriterOptions writer_options{.class_names = source_.class_names(),
                                 .shard_bytes = options_.shard_bytes,
                                 .chunk = options_.chunk,
                                 .codec = options_.codec,
                                 .zarr_format = options_.zarr_format};
    if (format_.one_shape) {
      survey();
      writer_options.records = usable_.size();
      writer_options.shape = shape_;
    } else {
      usable_.resize(source_.size());
      for (std::size_t i = 0; i < usable_.size(); ++i) usable_[i] = i;
    }
    write(writer_options);
    return std::move(result_);
  }

 private:
  [[nodiscard]] Payload target_payload() const {
    const std::optional<Payload> payload = payload_in(format_, source_.payload());
    if (options_.sample_points && source_.payload() != Payload::kBytes) {
      throw ConfigError(
          "sampling points: the source has images; point clouds must be opaque bytes");
    }
    if (payload) return *payload;
    const bool bytes = source_.payload() == Payload::kBytes;
    throw ConfigError(fmt::format("format {}: holds {}, and the source has {}", format_.name,
                                  bytes ? "images" : "opaque bytes",
                                  bytes ? "opaque bytes; npz and tfrecord hold them" : "images"));
  }

  /// Finds count and shape, which some formats of pixels need before the first record. Decodes all.
  void survey() {
    const auto make_worker = [this]() -> std::function<RecordConverter::Surveyed(std::size_t)> {
      return [converter = make_converter()](std::size_t item) { return converter->survey(item); };
    };
    in_order<RecordConverter::Surveyed>(
        "checking", source_.size(), job_, make_worker,
        [this](std::size_t index, const RecordConverter::Surveyed& surveyed) {
          if (const auto* problem = std::get_if<Problem>(&surveyed)) return skip(*problem);
          note_shape(index, std::get<ImageShape>(surveyed));
        });
    require_some(usable_.size());
  }

  void note_shape(std::size_t index, const ImageShape& shape) {
    if (!shape_) shape_ = shape;
    if (shape != *shape_) {
      throw FormatError(source_.locate(index),
                        fmt::format("is {}×{}, but record {} is {}×{}; {} needs images of one "
                                    "size: resize them first, or choose a format of encoded images "
                                    "(folder, tar, lmdb, hdf5, tfrecord, zip) or npy",
                                    shape.width, shape.height, usable_.front(), shape_->width,
                                    shape_->height, format_.name));
    }
    usable_.push_back(index);
  }

  void write(const WriterOptions& writer_options) {
    const auto writer = format_.create(target_, writer_options);
    const auto make_worker = [this]() -> std::function<RecordConverter::Converted(std::size_t)> {
      return [this, converter = make_converter()](std::size_t item) {
        return converter->convert(usable_[item]);
      };
    };
    in_order<RecordConverter::Converted>(
        "converting", usable_.size(), job_, make_worker,
        [&](std::size_t, const RecordConverter::Converted& converted) {
          if (const auto* problem = std::get_if<Problem>(&converted)) return skip(*problem);
          append(*writer, std::get<OwnedRecord>(converted));
        });
    require_some(result_.records);
    writer->finish();
  }

  void append(RecordWriter& writer, const OwnedRecord& record) {
    try {
      writer.append(record.view());
    } catch (const FormatError& error) {
      return skip({error.what()});
    }
    ++result_.records;
    result_.bytes += record.payload.size();
  }

  void skip(const Problem& problem) {
    if (options_.strict) throw FormatError(problem.text);
    result_.skipped.push_back(problem.text);
  }

  void require_some(std::size_t count) const {
    if (count > 0) return;
    throw FormatError(fmt::format("none of {} records can be written as {}; the first: {}",
                                  source_.size(), format_.name, result_.skipped.front()));
  }

  std::shared_ptr<RecordConverter> make_converter() const {
    return std::make_shared<RecordConverter>(source_, payload_, options_);
  }

  const RecordReader& source_;
  const std::filesystem::path& target_;
  const ConvertOptions& options_;
  const Job& job_;
  const Format& format_;
  std::vector<std::size_t> usable_;
  std::optional<ImageShape> shape_;
  Payload payload_ = Payload::kEncoded;
  ConvertResult result_;
};

}  // namespace

ConvertResult convert_dataset(const RecordReader& source, const std::filesystem::path& target,
                              const ConvertOptions& options, const Job& job) {
  return Conversion(source, target, options, job).run();
}

std::string_view guess_format(const std::filesystem::path& target) {
  const std::string suffix =
      (target.has_filename() ? target : target.parent_path()).extension().string();
  if (suffix == ".hdf5") return "hdf5";
  if (suffix == ".tfrecords") return "tfrecord";
  const auto found = std::find_if(formats().begin(), formats().end(),
                                  [&](const Format& format) { return format.suffix == suffix; });
  return found != formats().end() ? found->name : "folder";
}

}  // namespace feedrate
