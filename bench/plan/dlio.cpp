// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/dlio.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/plan/dlio_keys.h"
#include "bench/plan/values.h"
#include "core/format.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

constexpr auto kMostBytes = static_cast<double>(kMaxRecordBytes);
/// The ratio of imagenet-like: 110 kB for 500×375 pixels.
constexpr double kJpegBytesPerPixel = 0.587;

std::int64_t rounded_count(double number) { return std::llround(number); }

class DlioConverter {
 public:
  DlioConverter(const ConfigNode& root, std::string name)
      : workload_(root), name_(std::move(name)) {}

  DlioSweep convert() && {
    require_loading();
    read_records();
    const std::string dataset = dataset_text();
    const std::string loader = loader_text();
    const std::string trainer = trainer_text();
    const std::string measure = measure_text();
    sweep_.yaml = fmt::format(
        "# Does the loader keep the accelerator busy in the DLIO workload {}, {}?\n"
        "dataset: {{{}}}\n"
        "pipeline: {{transforms: [{}]}}\n"
        "loader: {{{}}}\n"
        "trainer: {{{}}}\n"
        "measure: {{{}}}\n",
        model(), records_text(), dataset, transforms(), loader, trainer, measure);
    if (const std::vector<std::string> unused = workload_.without_effect(); !unused.empty()) {
      warning("these keys have no counterpart and are ignored: {}", fmt::join(unused, ", "));
    }
    return std::move(sweep_);
  }

 private:
  template <typename... Parts>
  void warning(fmt::format_string<Parts...> text, Parts&&... parts) {
    sweep_.warnings.push_back("DLIO workload: " + fmt::format(text, std::forward<Parts>(parts)...) +
                              ".");
  }

  std::string model() {
    const std::string name = workload_.text("model.name", name_.c_str());
    return name.substr(0, name.find_first_of("\r\n"));
  }

  void require_loading() {
    if (workload_.flag("workflow.train", true)) return;
    throw workload_.error("workflow.train",
                          "is false: this workload loads nothing, it only generates data or writes "
                          "checkpoints; must be true");
  }

  void read_records() {
    read_format();
    files_ = workload_.integer({"dataset.num_files_train"}, 8, 1);
    per_file_ = workload_.integer({"dataset.num_samples_per_file"}, 1, 1);
    if (per_file_ > 1 && format_ != "tfrecord") {
      throw workload_.error("dataset.num_samples_per_file",
                            fmt::format("a {} file holds one record; must be 1", format_));
    }
    const auto bytes = [&](std::string_view name, std::string_view until_2025, double fallback,
                           double least) {
      return workload_.number({name, until_2025}, fallback, least, kMostBytes);
    };
    bytes_ = bytes("dataset.record_length_bytes", "dataset.record_length", 65536, 1);
    stdev_ = bytes("dataset.record_length_bytes_stdev", "dataset.record_length_stdev", 0, 0);
    const double resized =
        bytes("dataset.record_length_bytes_resize", "dataset.record_length_resize", 0, 0);
    sample_bytes_ = resized > 0 ? resized : bytes_;
    if (is_jpeg_ && stdev_ > 0) {
      throw config_error(
          *workload_.find({"dataset.record_length_bytes_stdev", "dataset.record_length_stdev"}),
          "dataset.record_length_bytes_stdev", "images are made in one size; must be 0 for jpeg");
    }
  }

  void read_format() {
    format_ = workload_.text("dataset.format", "tfrecord");
    is_jpeg_ = format_ == "jpeg";
    if (is_jpeg_ || format_ == "npz" || format_ == "tfrecord") return;
    throw workload_.error(
        "dataset.format",
        fmt::format(
            "'{}' is not supported; must be npz, tfrecord or jpeg; what reads other formats "
            "in Python can be swept as dataset.torch",
            format_));
  }

  std::string records_text() const {
    const auto records = static_cast<std::size_t>(files_ * per_file_);
    return fmt::format("{} {} records of {} bytes, {} in all", count_text(records), format_,
                       count_text(static_cast<std::size_t>(rounded_count(bytes_))),
                       format_value(bytes_ * static_cast<double>(records), Unit::kBytes));
  }

  std::string path() {
    std::string folder = workload_.text("dataset.data_folder", "./data/");
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    const std::filesystem::path root = workload_.text("storage.storage_root", "");
    return (root / (folder + "/train")).string();
  }

  std::string make_text() const {
    if (is_jpeg_) {
      return fmt::format("preset: imagenet-like, count: {}, encoding: jpeg, size: {}", files_,
                         std::max(1L, std::lround(std::sqrt(bytes_ / kJpegBytesPerPixel))));
    }
    std::string text = fmt::format(
        "preset: bytes, format: {}, count: {}, record_bytes: {}, record_bytes_stdev: {}", format_,
        files_ * per_file_, rounded_count(bytes_), rounded_count(stdev_));
    if (format_ == "tfrecord") {
      text += fmt::format(", shard_bytes: {}", file_bytes());
    }
    return text;
  }

  std::int64_t file_bytes() const {
    constexpr double kFrame = 128;
    return per_file_ == 1 ? 1 : rounded_count((bytes_ + kFrame) * static_cast<double>(per_file_));
  }

  std::string dataset_text() {
    const std::string where = path();
    if (workload_.flag("workflow.generate_data", false)) {
      return fmt::format("path: {}, make: {{{}}}", quoted_yaml(where), make_text());
    }
    warning(
        "workflow.generate_data is false, so the records must be in {}; with true they are "
        "generated",
        where);
    return fmt::format("path: {}", quoted_yaml(where));
  }

  // DLIO passes JPEGs on as gray images; a sample here has three channels and the same number of
  // bytes.
  std::string transforms() const {
    if (!is_jpeg_) return fmt::format("resize_bytes: {}", rounded_count(sample_bytes_));
    const long side = std::max(1L, static_cast<long>(std::sqrt(sample_bytes_ / 3)));
    return fmt::format("center_crop: {}, pil_to_tensor", side);
  }

  // persistent_workers and drop_last are fixed in DLIO's code.
  std::string loader_text() {
    batch_size_ = workload_.integer({"reader.batch_size", "dataset.batch_size"}, 1, 1);
    const std::int64_t threads = workload_.integer({"reader.read_threads"}, 1, 0);
    const std::int64_t prefetch = workload_.integer({"reader.prefetch_size"}, 2, 0);
    const bool pin_memory = workload_.flag("reader.pin_memory", true);
    std::string text =
        fmt::format("batch_size: {}, num_workers: {}, pin_memory: {}, drop_last: true, shuffle: {}",
                    batch_size_, threads, pin_memory, shuffles());
    if (threads > 0) {
      // DLIO replaces 0 by 2.
      const std::int64_t factor = prefetch == 0 ? 2 : (prefetch + threads - 1) / threads;
      text += fmt::format(", prefetch_factor: {}, persistent_workers: true", factor);
    }
    check_data_loader();
    return text;
  }

  void check_data_loader() {
    constexpr std::array<std::string_view, 6> kReaders{
        "pytorch", "tensorflow", "dali", "native_dali", "dlio_pytorch", "dlio_tensorflow"};
    const std::string kind = workload_.text("reader.data_loader", "pytorch");
    if (kind == "pytorch") return;
    if (std::find(kReaders.begin(), kReaders.end(), kind) == kReaders.end()) {
      throw workload_.error("reader.data_loader",
                            fmt::format("'{}' reads other data than dataset.format; must be one of "
                                        "{}",
                                        kind, fmt::join(kReaders, ", ")));
    }
    warning("reader.data_loader is {}; batches are loaded as in PyTorch's DataLoader", kind);
  }

  bool shuffles() {
    const bool files = workload_.text("reader.file_shuffle", "off") != "off";
    const bool samples = workload_.text("reader.sample_shuffle", "off") != "off";
    return files || samples;
  }

  std::string trainer_text() {
    return fmt::format("kind: burn, step_ms: {:g}, reference_batch: {}",
                       1000.0 * computation_time(), batch_size_);
  }

  double computation_time() {
    const ConfigNode* node = workload_.find({"train.computation_time"});
    constexpr double kLongest = 1e4;
    if (!node || node->kind != ConfigNode::Kind::kMap) {
      return workload_.number({"train.computation_time"}, 0, 0, kLongest);
    }
    const ConfigNode* mean = node->find("mean");
    if (!mean) {
      throw config_error(*node, "train.computation_time", "must be seconds, or have a mean");
    }
    const double seconds = number_value(*mean, "train.computation_time.mean", 0, kLongest);
    warning("only the mean of train.computation_time is used, {:g} s", seconds);
    return seconds;
  }

  std::string measure_text() {
    std::string text =
        fmt::format("au_threshold: {:g}", workload_.number({"metric.au"}, 0.9, 0, 1));
    if (const std::int64_t seed = workload_.integer({"train.seed"}, 0, 0); seed > 0) {
      text += fmt::format(", seed: {}", seed);
    }
    if (const ConfigNode* steps = workload_.find({"train.total_training_steps"})) {
      const std::int64_t number = integer_value(*steps, "train.total_training_steps", -1, kMany);
      if (number > 0) text += fmt::format(", steps: {}", number);
    }
    return text;
  }

  DlioKeys workload_;
  std::string name_;
  std::string format_;
  bool is_jpeg_ = false;
  std::int64_t files_ = 0;
  std::int64_t per_file_ = 0;
  std::int64_t batch_size_ = 0;
  double bytes_ = 0;
  double stdev_ = 0;
  double sample_bytes_ = 0;
  DlioSweep sweep_;
};

}  // namespace

bool is_dlio_workload(const ConfigNode& root) {
  const ConfigNode* dataset = root.find("dataset");
  if (dataset && (dataset->find("num_files_train") || dataset->find("data_folder"))) return true;
  return root.find("workflow") || root.find("workload");
}

DlioSweep sweep_of_dlio(const ConfigNode& root, const std::string& name) {
  return DlioConverter(root, name).convert();
}

}  // namespace feedrate
