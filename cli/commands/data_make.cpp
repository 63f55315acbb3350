// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string_view>

#include <fmt/format.h>

#include "cli/commands/data.h"
#include "core/error.h"
#include "core/parse_number.h"
#include "formats/datasets/data_job.h"
#include "formats/datasets/data_text.h"

namespace feedrate {
namespace {

std::optional<ImageSize> parse_size(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::size_t cross = text.find('x');
  const std::optional<int> width = parse_number<int>(text.substr(0, cross));
  const std::optional<int> height =
      cross == std::string_view::npos ? width : parse_number<int>(text.substr(cross + 1));
  if (!width || !height) {
    throw ConfigError(
        fmt::format("--size {}: not a size; must be WIDTHxHEIGHT or one number", text));
  }
  return ImageSize{*width, *height};
}

std::optional<ImageEncoding> parse_encoding(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text == "png") return ImageEncoding::kPng;
  if (text == "jpeg" || text == "jpg") return ImageEncoding::kJpeg;
  throw ConfigError(fmt::format("--encoding {}: unknown encoding; must be png or jpeg", text));
}

std::string what_was_made(const MakeResult& made) {
  if (made.classes == 0) return fmt::format("{} records", count_text(made.records));
  return fmt::format("{} images in {} classes", count_text(made.records), count_text(made.classes));
}

}  // namespace

int run_data_make(const DataMakeOptions& options, Console& console) {
  const std::string format =
      options.format.empty() ? std::string(guess_format(options.target)) : options.format;
  MakeOptions images = options.make;
  images.size = parse_size(options.size);
  images.encoding = parse_encoding(options.encoding);
  const auto start = std::chrono::steady_clock::now();
  const MakeResult made =
      make_dataset(images, options.target, format, console_job(console, options.threads));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  console.out << fmt::format(
      "{}: {}, {}, {} each on average, as {}, in {}\n", options.target.string(),
      what_was_made(made), bytes_text(static_cast<double>(made.bytes)),
      bytes_text(static_cast<double>(made.bytes) / static_cast<double>(made.records)), format,
      format_value(took.count(), Unit::kSeconds));
  return kExitOk;
}

}  // namespace feedrate
