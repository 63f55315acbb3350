// SPDX-License-Identifier: Apache-2.0
// Tests of the program in a folder of their own.
#pragma once
#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/result.h"
#include "tests/support/matchers.h"
#include "tests/support/run_feedrate.h"
#include "tests/support/temp_folder.h"

namespace feedrate::testing {

/// A sweep with 4 images per batch and 1 ms per step on a simulated device, without reference
/// cells; with the native loader unless the dataset is Python's. `dataset` and `loader` are the
/// contents of these sections; `measure` is added to its section.
inline std::string sweep_config(std::string_view dataset, std::string_view loader = "batch_size: 4",
                                std::string_view measure = "") {
  const bool is_own = dataset.find("torch:") != std::string_view::npos;
  return fmt::format(
      "# Does the loader keep up?\n"
      "dataset: {{{}}}\n"
      "loader: {{{}}}\n"
      "device: {{name: 'sim:a100-pcie4'}}\n"
      "trainer: {{kind: burn, step_ms: 1}}\n"
      "measure: {{steps: 4, warmup: 0, repeats: 1, limits: false{}{}}}\n"
      "{}",
      dataset, loader, measure.empty() ? "" : ", ", measure, is_own ? "" : "engine: native\n");
}

inline std::string without_engine(std::string config) {
  const std::string native = "engine: native\n";
  const std::size_t found = config.find(native);
  return found == std::string::npos ? config : config.erase(found, native.size());
}

/// `engine` may be a list.
inline std::string with_engine(std::string_view engine, std::string config) {
  return without_engine(std::move(config)) + fmt::format("engine: {}\n", engine);
}

/// The preset of an invented device, for `device: {name: sim:FILE}`. Rates in GB/s.
inline std::string device_preset(double pageable_rate, double memory_rate) {
  return fmt::format(
      "name: made up\nsource: made up\nh2d_gb_per_s: 20\nd2h_gb_per_s: 20\n"
      "pageable_gb_per_s: {}\npin_ms_per_mib: 0.1\nregister_ms_per_mib: 0.1\n"
      "memory_gb_per_s: {}\nefficiency: 0.8\nfp32_tflop_per_s: 10\ntf32_tflop_per_s: 10\n"
      "bf16_tflop_per_s: 10\nfp16_tflop_per_s: 10\ncopy_latency_us: 1\n"
      "launch_latency_us: 1\ncopy_call_us: 1\nlaunch_call_us: 1\nevent_call_us: 1\n"
      "pin_base_us: 1\nmemory_bytes: 1000000000\nqueue_depth: 1024\n",
      pageable_rate, memory_rate);
}

class Workspace : public ::testing::Test {
 protected:
  [[nodiscard]] Finished feedrate(std::string_view line) const {
    return run_feedrate(line, {folder_.path()});
  }

  /// A command that must succeed.
  Finished succeeds(std::string_view line) const {
    Finished done = feedrate(line);
    EXPECT_EQ(done.exit_code, 0) << line << '\n' << done.err << done.out;
    return done;
  }
  /// A command that must succeed before the test goes on.
  void prepare(std::string_view line) const { ASSERT_EQ(succeeds(line).exit_code, 0); }
  /// A mistake of the user: exit code 2, and stderr has all `parts`.
  Finished refuses(std::string_view line, std::initializer_list<std::string> parts = {}) const {
    return ends_with(2, line, parts);
  }
  /// A command that must fail by itself: exit code 1, and stderr has all `parts`.
  Finished fails(std::string_view line, std::initializer_list<std::string> parts = {}) const {
    return ends_with(1, line, parts);
  }

  /// 16 images of 32x32 in the folder "ds".
  void make_images(std::string_view options = "") const {
    prepare(fmt::format("data make ds --count 16 {}", options));
  }

  void write(std::string_view name, std::string_view text) const {
    write_file(folder_ / name, text);
  }
  [[nodiscard]] std::string read(std::string_view name) const { return read_file(folder_ / name); }
  [[nodiscard]] bool exists(std::string_view name) const {
    return std::filesystem::exists(folder_ / name);
  }
  void cut_in_half(std::string_view name) const {
    std::filesystem::resize_file(folder_ / name, std::filesystem::file_size(folder_ / name) / 2);
  }
  [[nodiscard]] std::filesystem::path path(std::string_view name) const { return folder_ / name; }

  /// Sorted names of all files in the folder, including hidden ones.
  [[nodiscard]] std::vector<std::string> listing(std::string_view name = ".") const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / name)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  [[nodiscard]] ChildSetup setup() const { return {folder_.path()}; }

 private:
  Finished ends_with(int exit_code, std::string_view line,
                     std::initializer_list<std::string> parts) const {
    Finished done = feedrate(line);
    EXPECT_EQ(done.exit_code, exit_code) << line << '\n' << done.err << done.out;
    for (const std::string& part : parts) EXPECT_THAT(done.err, HasSubstr(part)) << line;
    return done;
  }

  TempFolder folder_;
};

/// The smallest value of a metric over a cell's repeats, infinity without one. A late host only
/// lengthens it, so one undisturbed repeat gives the exact value.
inline double least_of_repeats(const CellResult& cell, const std::string& tag) {
  double least = std::numeric_limits<double>::infinity();
  for (const Repeat& repeat : cell.repeats) {
    if (const double* value = find_metric(repeat.metrics, tag)) least = std::min(least, *value);
  }
  return least;
}

inline std::size_t count(const RunResult& run, Outcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(run.cells.begin(), run.cells.end(),
                    [&](const CellResult& cell) { return cell.outcome == outcome; }));
}

/// The starts that are on record.
inline std::size_t starts_of(const RunResult& run) {
  std::size_t starts = 0;
  for (const CellResult& cell : run.cells) starts += cell.repeats.size();
  return starts;
}

/// The number of starts that the output reports as done: "… left".
inline std::size_t announced(std::string_view err) {
  std::size_t count = 0;
  for (std::size_t at = err.find(" left\n"); at != err.npos; at = err.find(" left\n", at + 1)) {
    ++count;
  }
  return count;
}

/// The cells whose setting `name` has the value `text`.
inline std::vector<CellResult> cells_with(const RunResult& run, const std::string& name,
                                          const std::string& text) {
  std::vector<CellResult> cells;
  for (const CellResult& cell : run.cells) {
    const SettingValue* value = find_setting(cell.settings, name);
    if (value && to_string(*value) == text) cells.push_back(cell);
  }
  return cells;
}

}  // namespace feedrate::testing
