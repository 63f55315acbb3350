// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/summary.h"

#include <algorithm>
#include <memory>
#include <system_error>
#include <variant>

#include "core/error.h"
#include "core/random.h"
#include "formats/datasets/in_order.h"
#include "formats/datasets/record_source.h"
#include "formats/payload.h"
#include "loaders/decode/record_pixels.h"

namespace feedrate {
namespace {

enum class Encoding { kPng, kJpeg, kPixels, kBytes };

struct Look {
  Encoding encoding;
  ImageShape shape;
  std::size_t bytes;
  std::int64_t label;
};

using LookOrProblem = std::variant<Look, Problem>;

/// One thread.
class Looker {
 public:
  explicit Looker(const RecordReader& reader) : source_(reader) {}

  LookOrProblem look(std::size_t index) {
    const std::variant<Record, Problem> read = source_.read(index);
    if (const auto* problem = std::get_if<Problem>(&read)) return *problem;
    const auto& record = std::get<Record>(read);
    try {
      const ImageShape shape =
          record.kind == Payload::kBytes ? ImageShape{} : pixels_.decode(record).shape;
      return Look{encoding_of(record), shape, record.payload.size(), record.label};
    } catch (const FormatError& error) {
      return source_.problem(index, error.what());
    }
  }

 private:
  static Encoding encoding_of(const Record& record) {
    if (record.kind == Payload::kPixels) return Encoding::kPixels;
    if (record.kind == Payload::kBytes) return Encoding::kBytes;
    return looks_like_png(record.payload) ? Encoding::kPng : Encoding::kJpeg;
  }

  RecordSource source_;
  RecordPixels pixels_;
};

std::vector<std::size_t> choose(std::size_t records, std::size_t sample) {
  std::vector<std::size_t> chosen(std::min(records, std::max<std::size_t>(sample, 1)));
  RandomStream random(0);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::size_t begin = i * records / chosen.size();
    const std::size_t end = (i + 1) * records / chosen.size();
    chosen[i] = begin + random.below(end - begin);
  }
  return chosen;
}

void add(DatasetSummary& summary, const Look& look) {
  if (look.encoding == Encoding::kPng) ++summary.png;
  if (look.encoding == Encoding::kJpeg) ++summary.jpeg;
  if (look.encoding == Encoding::kPixels) ++summary.pixels;
  if (look.encoding == Encoding::kBytes) ++summary.bytes;
  if (summary.record_bytes.empty()) {
    summary.first = summary.smallest = summary.largest = look.shape;
  }
  summary.smallest.height = std::min(summary.smallest.height, look.shape.height);
  summary.smallest.width = std::min(summary.smallest.width, look.shape.width);
  summary.largest.height = std::max(summary.largest.height, look.shape.height);
  summary.largest.width = std::max(summary.largest.width, look.shape.width);
  summary.record_bytes.push_back(static_cast<double>(look.bytes));
  ++summary.labels[look.label];
}

}  // namespace

DatasetSummary summarise_dataset(const RecordReader& reader, std::size_t sample, const Job& job) {
  const std::vector<std::size_t> chosen = choose(reader.size(), sample);
  DatasetSummary summary;
  summary.sampled = chosen.size();
  for (const std::filesystem::path& file : reader.files()) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    ++summary.files;
    if (!error) summary.file_bytes += size;
  }
  const auto make_worker = [&]() -> std::function<LookOrProblem(std::size_t)> {
    return [&chosen, looker = std::make_shared<Looker>(reader)](std::size_t item) {
      return looker->look(chosen[item]);
    };
  };
  in_order<LookOrProblem>("inspecting", chosen.size(), job, make_worker,
                          [&](std::size_t, const LookOrProblem& result) {
                            if (const auto* problem = std::get_if<Problem>(&result)) {
                              summary.problems.push_back(problem->text);
                            } else {
                              add(summary, std::get<Look>(result));
                            }
                          });
  return summary;
}

}  // namespace feedrate
