// SPDX-License-Identifier: Apache-2.0
#include "plan/dlio.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/payload.h"
#include "plan/values.h"

namespace feedrate {
namespace {

constexpr auto kMostBytes = static_cast<double>(kMaxRecordBytes);
/// Of imagenet-like: 110 kB for 500×375 pixels.
constexpr double kJpegBytesPerPixel = 0.587;

/// The keys of a workload with DLIO's defaults; knows which were asked for.
class Workload {
 public:
  explicit Workload(const ConfigNode& root) : root_(root) {}

  const ConfigNode* find(std::string_view section, std::string_view key) {
    used_.insert(fmt::format("{}.{}", section, key));
    const ConfigNode* map = root_.find(section);
    return map ? map->find(key) : nullptr;
  }

  std::string text(std::string_view section, std::string_view key, const char* fallback) {
    const ConfigNode* node = find(section, key);
    return node ? text_value(*node, fmt::format("{}.{}", section, key)) : fallback;
  }

  // Numbers of bytes may be mean values with a fraction.
  double number(std::string_view section, std::string_view key, double fallback, double least,
                double most) {
    const ConfigNode* node = find(section, key);
    return node ? number_value(*node, fmt::format("{}.{}", section, key), least, most) : fallback;
  }

  std::int64_t integer(std::string_view section, std::string_view key, std::int64_t fallback,
                       std::int64_t least) {
    const ConfigNode* node = find(section, key);
    return node ? integer_value(*node, fmt::format("{}.{}", section, key), least, kMany) : fallback;
  }

  // YAML 1.1 as Python reads it: True and Yes, too.
  bool flag(std::string_view section, std::string_view key, bool fallback) {
    const ConfigNode* node = find(section, key);
    if (!node) return fallback;
    std::string word = text_value(*node, fmt::format("{}.{}", section, key));
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (word == "true" || word == "yes" || word == "on") return true;
    if (word == "false" || word == "no" || word == "off") return false;
    throw config_error(*node, fmt::format("{}.{}", section, key), "must be true or false");
  }

  std::vector<std::string> unused() const {
    std::vector<std::string> names;
    for (const auto& [section, node] : root_.entries) {
      if (section == "model" || section == "framework") continue;  // Of checkpoints and of names.
      for (const auto& [key, value] : node.entries) {
        std::string name = fmt::format("{}.{}", section, key);
        if (!used_.contains(name)) names.push_back(std::move(name));
      }
    }
    return names;
  }

 private:
  const ConfigNode& root_;
  std::set<std::string> used_;
};

std::int64_t rounded_count(double number) { return std::llround(number); }

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

class DlioConverter {
 public:
  DlioConverter(const ConfigNode& root, std::string name)
      : workload_(root), name_(std::move(name)) {}

  DlioSweep convert() && {
    read_records();
    const std::string dataset = dataset_text();
    const std::string loader = loader_text();
    const std::string trainer = trainer_text();
    const std::string measure = measure_text();
    sweep_.yaml = fmt::format(
        "# Does the loader keep the accelerator busy in the DLIO workload {}?\n"
        "dataset: {{{}}}\n"
        "pipeline: {{transforms: [{}]}}\n"
        "loader: {{{}}}\n"
        "trainer: {{{}}}\n"
        "measure: {{{}}}\n",
        model(), dataset, transforms(), loader, trainer, measure);
    static_cast<void>(workload_.flag("workflow", "train", true));
    if (const std::vector<std::string> unused = workload_.unused(); !unused.empty()) {
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
    const std::string name = workload_.text("model", "name", name_.c_str());
    return name.substr(0, name.find_first_of("\r\n"));
  }

  void read_records() {
    format_ = workload_.text("dataset", "format", "tfrecord");
    is_jpeg_ = format_ == "jpeg";
    if (!is_jpeg_ && format_ != "npz" && format_ != "tfrecord") {
      throw config_error(
          *workload_.find("dataset", "format"), "dataset.format",
          fmt::format("'{}' is not supported; must be npz, tfrecord or jpeg", format_));
    }
    files_ = workload_.integer("dataset", "num_files_train", 8, 1);
    per_file_ = workload_.integer("dataset", "num_samples_per_file", 1, 1);
    if (per_file_ > 1 && format_ != "tfrecord") {
      throw config_error(*workload_.find("dataset", "num_samples_per_file"),
                         "dataset.num_samples_per_file",
                         fmt::format("a {} file holds one record; must be 1", format_));
    }
    bytes_ = workload_.number("dataset", "record_length_bytes", 65536, 1, kMostBytes);
    stdev_ = workload_.number("dataset", "record_length_bytes_stdev", 0, 0, kMostBytes);
    const double resized =
        workload_.number("dataset", "record_length_bytes_resize", 0, 0, kMostBytes);
    sample_bytes_ = resized > 0 ? resized : bytes_;
  }

  std::string path() {
    std::string folder = workload_.text("dataset", "data_folder", "./data/");
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    return folder + "/train";
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

  // Of a file with per_file_ records, and what TFRecord adds to each.
  std::int64_t file_bytes() const {
    constexpr double kFrame = 128;
    return per_file_ == 1 ? 1 : rounded_count((bytes_ + kFrame) * static_cast<double>(per_file_));
  }

  std::string dataset_text() {
    const std::string where = path();
    if (workload_.flag("workflow", "generate_data", false)) {
      return fmt::format("path: {}, make: {{{}}}", quoted(where), make_text());
    }
    warning(
        "workflow.generate_data is false, so the records must be in {}; with true they are "
        "generated",
        where);
    return fmt::format("path: {}", quoted(where));
  }

  // What DLIO hands over of a JPEG is grey; a sample here has three channels, and as many bytes.
  std::string transforms() const {
    if (!is_jpeg_) return fmt::format("resize_bytes: {}", rounded_count(sample_bytes_));
    const long side = std::max(1L, static_cast<long>(std::sqrt(sample_bytes_ / 3)));
    return fmt::format("center_crop: {}, pil_to_tensor", side);
  }

  // persistent_workers and drop_last stand in DLIO's code.
  std::string loader_text() {
    batch_size_ = workload_.integer("reader", "batch_size", 1, 1);
    const std::int64_t threads = workload_.integer("reader", "read_threads", 1, 0);
    const std::int64_t prefetch = workload_.integer("reader", "prefetch_size", 2, 0);
    const bool pin_memory = workload_.flag("reader", "pin_memory", true);
    std::string text =
        fmt::format("batch_size: {}, num_workers: {}, pin_memory: {}, drop_last: true, shuffle: {}",
                    batch_size_, threads, pin_memory, shuffles());
    if (threads > 0) {
      // DLIO takes 2 for 0.
      const std::int64_t factor = prefetch == 0 ? 2 : (prefetch + threads - 1) / threads;
      text += fmt::format(", prefetch_factor: {}, persistent_workers: true", factor);
    }
    if (const std::string kind = workload_.text("reader", "data_loader", "pytorch");
        kind != "pytorch") {
      warning("reader.data_loader is {}; batches are loaded as in PyTorch's DataLoader", kind);
    }
    return text;
  }

  bool shuffles() {
    const bool files = workload_.text("reader", "file_shuffle", "off") != "off";
    const bool samples = workload_.text("reader", "sample_shuffle", "off") != "off";
    return files || samples;
  }

  std::string trainer_text() {
    return fmt::format("kind: burn, step_ms: {:g}, reference_batch: {}",
                       1000.0 * computation_time(), batch_size_);
  }

  double computation_time() {
    const ConfigNode* node = workload_.find("train", "computation_time");
    constexpr double kLongest = 1e4;
    if (!node || node->kind != ConfigNode::Kind::kMap) {
      return workload_.number("train", "computation_time", 0, 0, kLongest);
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
        fmt::format("au_threshold: {:g}", workload_.number("metric", "au", 0.9, 0, 1));
    if (const std::int64_t seed = workload_.integer("train", "seed", 0, 0); seed > 0) {
      text += fmt::format(", seed: {}", seed);
    }
    if (const ConfigNode* steps = workload_.find("train", "total_training_steps")) {
      const std::int64_t number = integer_value(*steps, "train.total_training_steps", -1, kMany);
      if (number > 0) text += fmt::format(", steps: {}", number);
    }
    return text;
  }

  Workload workload_;
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
  return dataset && (dataset->find("num_files_train") || dataset->find("data_folder"));
}

DlioSweep sweep_of_dlio(const ConfigNode& root, const std::string& name) {
  return DlioConverter(root, name).convert();
}

}  // namespace feedrate
