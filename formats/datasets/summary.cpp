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

struct RecordFacts {
  Encoding encoding;
  ImageShape shape;
  std::size_t bytes;
  std::int64_t label;
};

using FactsOrProblem = std::variant<RecordFacts, Problem>;

class Inspector {
 public:
  explicit Inspector(const RecordReader& reader) : source_(reader) {}

  FactsOrProblem inspect(std::size_t index) {
    const std::variant<Record, Problem> read = source_.read(index);
    if (const auto* problem = std::get_if<Problem>(&read)) return *problem;
    const auto& record = std::get<Record>(read);
    try {
      const ImageShape shape =
          record.kind == Payload::kBytes ? ImageShape{} : pixels_.decode(record).shape;
      return RecordFacts{encoding_of(record), shape, record.payload.size(), record.label};
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

void add(DatasetSummary& summary, const RecordFacts& facts) {
  if (facts.encoding == Encoding::kPng) ++summary.png;
  if (facts.encoding == Encoding::kJpeg) ++summary.jpeg;
  if (facts.encoding == Encoding::kPixels) ++summary.pixels;
  if (facts.encoding == Encoding::kBytes) ++summary.bytes;
  if (summary.record_bytes.empty()) {
    summary.first = summary.smallest = summary.largest = facts.shape;
  }
  summary.smallest.height = std::min(summary.smallest.height, facts.shape.height);
  summary.smallest.width = std::min(summary.smallest.width, facts.shape.width);
  summary.largest.height = std::max(summary.largest.height, facts.shape.height);
  summary.largest.width = std::max(summary.largest.width, facts.shape.width);
  summary.record_bytes.push_back(static_cast<double>(facts.bytes));
  ++summary.labels[facts.label];
}

}  // namespace

DatasetSummary summarize_dataset(const RecordReader& reader, std::size_t sample, const Job& job) {
  const std::vector<std::size_t> chosen = choose(reader.size(), sample);
  DatasetSummary summary;
  summary.sampled = chosen.size();
  for (const std::filesystem::path& file : reader.files()) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    ++summary.files;
    if (!error) summary.file_bytes += size;
  }
  const auto make_worker = [&]() -> std::function<FactsOrProblem(std::size_t)> {
    return [&chosen, inspector = std::make_shared<Inspector>(reader)](std::size_t item) {
      return inspector->inspect(chosen[item]);
    };
  };
  in_order<FactsOrProblem>("inspecting", chosen.size(), job, make_worker,
                           [&](std::size_t, const FactsOrProblem& result) {
                             if (const auto* problem = std::get_if<Problem>(&result)) {
                               summary.problems.push_back(problem->text);
                             } else {
                               add(summary, std::get<RecordFacts>(result));
                             }
                           });
  return summary;
}

}  // namespace feedrate
