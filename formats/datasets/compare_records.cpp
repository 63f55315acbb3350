// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/compare_records.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

bool equal_pixels(const Image& a, const Image& b) {
  return a.shape == b.shape &&
         std::equal(a.pixels.begin(),
                    a.pixels.begin() + static_cast<std::ptrdiff_t>(a.shape.size()),
                    b.pixels.begin());
}

std::string describe_pixels(const Image& a, const Image& b) {
  if (a.shape != b.shape) {
    return fmt::format("{}×{} in A, {}×{} in B", a.shape.width, a.shape.height, b.shape.width,
                       b.shape.height);
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.shape.size(); ++i) count += a.pixels[i] != b.pixels[i] ? 1 : 0;
  return fmt::format("{} of {} pixel values differ", count, a.shape.size());
}

std::string_view class_name(const RecordReader& reader, std::int64_t label) {
  const auto& names = reader.class_names();
  const bool named = label >= 0 && static_cast<std::size_t>(label) < names.size();
  return named ? std::string_view(names[static_cast<std::size_t>(label)]) : std::string_view();
}

std::optional<std::variant<std::string, Problem>> key_or_problem(
    const std::optional<std::variant<Record, Problem>>& read) {
  if (!read) return std::nullopt;
  if (const auto* problem = std::get_if<Problem>(&*read)) return *problem;
  return std::string(std::get<Record>(*read).key);
}

const Record* record_of(const std::optional<std::variant<Record, Problem>>& read) {
  return read ? std::get_if<Record>(&*read) : nullptr;
}

}  // namespace

RecordComparer::RecordComparer(const RecordReader& a, const RecordReader& b) : a_(a), b_(b) {}

RecordComparer::Probe RecordComparer::probe(std::size_t index) {
  std::optional<std::variant<Record, Problem>> a;
  std::optional<std::variant<Record, Problem>> b;
  if (index < a_.reader.size()) a = a_.source.read(index);
  if (index < b_.reader.size()) b = b_.source.read(index);
  const Record* record_a = record_of(a);
  const Record* record_b = record_of(b);
  if (record_a != nullptr && record_b != nullptr && record_a->key == record_b->key) {
    return {.comparison = compare(*record_a, index, *record_b, index), .a = {}, .b = {}};
  }
  return {.comparison = {}, .a = key_or_problem(a), .b = key_or_problem(b)};
}

RecordComparison RecordComparer::compare(std::size_t index_a, std::size_t index_b) {
  const std::variant<Record, Problem> a = a_.source.read(index_a);
  const std::variant<Record, Problem> b = b_.source.read(index_b);
  for (const auto* read : {&a, &b}) {
    if (const auto* problem = std::get_if<Problem>(read)) {
      return {.payload = PayloadMatch::kDifferent, .difference = problem->text};
    }
  }
  return compare(std::get<Record>(a), index_a, std::get<Record>(b), index_b);
}

RecordComparison RecordComparer::compare(const Record& a, std::size_t index_a, const Record& b,
                                         std::size_t index_b) {
  RecordComparison result;
  std::string payload;
  std::string labels;
  result.payload = compare_payload(a, index_a, b, index_b, payload);
  result.label = compare_labels(a, b, labels);
  if (payload.empty() && labels.empty()) return result;
  result.difference = fmt::format("{} (record {} of A, {} of B): {}{}{}", a.key, index_a, index_b,
                                  payload, payload.empty() || labels.empty() ? "" : "; ", labels);
  return result;
}

PayloadMatch RecordComparer::compare_payload(const Record& a, std::size_t index_a, const Record& b,
                                             std::size_t index_b, std::string& difference) {
  if (a.kind == b.kind && a.kind != Payload::kPixels &&
      std::equal(a.payload.begin(), a.payload.end(), b.payload.begin(), b.payload.end())) {
    return PayloadMatch::kBytes;
  }
  if (a.kind == Payload::kBytes && b.kind == Payload::kBytes) {
    difference =
        fmt::format("{} bytes in A and {} in B differ", a.payload.size(), b.payload.size());
    return PayloadMatch::kDifferent;
  }
  const auto decode = [&](Side& side, const Record& record, std::size_t index) -> const Image* {
    try {
      return &side.pixels.decode(record);
    } catch (const FormatError& error) {
      if (!difference.empty()) difference += "; ";
      difference += side.source.problem(index, error.what()).text;
      return nullptr;
    }
  };
  const Image* image_a = decode(a_, a, index_a);
  const Image* image_b = decode(b_, b, index_b);
  if (image_a == nullptr || image_b == nullptr) return PayloadMatch::kDifferent;
  if (equal_pixels(*image_a, *image_b)) return PayloadMatch::kPixels;
  difference = describe_pixels(*image_a, *image_b);
  return PayloadMatch::kDifferent;
}

LabelMatch RecordComparer::compare_labels(const Record& a, const Record& b,
                                          std::string& difference) const {
  if (a.label == kNoLabel && b.label == kNoLabel) return LabelMatch::kSame;
  if (a.label == kNoLabel || b.label == kNoLabel) return LabelMatch::kMissing;
  const std::string_view name_a = class_name(a_.reader, a.label);
  const std::string_view name_b = class_name(b_.reader, b.label);
  if (!name_a.empty() && !name_b.empty()) {
    if (name_a == name_b) return LabelMatch::kSame;
    difference = fmt::format("class {} in A, {} in B", name_a, name_b);
  } else {
    if (a.label == b.label) return LabelMatch::kSame;
    difference = fmt::format("label {} in A, {} in B", a.label, b.label);
  }
  return LabelMatch::kDifferent;
}

}  // namespace feedrate
