// SPDX-License-Identifier: Apache-2.0
// Records for tests of formats: bytes that begin like an image, or pixels; all differ.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "formats/record_reader.h"
#include "formats/record_writer.h"
#include "formats/registry.h"
#include "tests/support/matchers.h"
#include "tests/support/message_of.h"
#include "tests/support/temp_folder.h"

namespace feedrate::testing {

inline constexpr std::string_view kJpegStart = "\xFF\xD8\xFF\xE0";
inline constexpr std::string_view kPngStart = "\x89PNG\r\n\x1A\n";
inline constexpr ImageShape kSampleShape{.height = 4, .width = 5, .channels = 3};

/// A record that owns its key and payload.
struct OwnedRecord {
  std::string key;
  std::string payload;
  std::int64_t label = kNoLabel;
  Payload kind = Payload::kEncoded;
  ImageShape shape = {};

  [[nodiscard]] Record view() const {
    return {.payload = std::as_bytes(std::span(payload)),
            .label = label,
            .key = key,
            .kind = kind,
            .shape = shape};
  }
  friend bool operator==(const OwnedRecord&, const OwnedRecord&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const OwnedRecord& record) {
  return out << record.key << " (label " << record.label << ", " << record.payload.size()
             << " bytes)";
}

inline std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline OwnedRecord own(const Record& record) {
  return {std::string(record.key), text_of(record.payload), record.label, record.kind,
          record.shape};
}

/// `size` bytes that begin like JPEG, or PNG for odd numbers, and depend on `number`.
inline std::string fake_image(std::size_t number, std::size_t size) {
  std::string bytes(number % 2 == 0 ? kJpegStart : kPngStart);
  while (bytes.size() < size) bytes.push_back(static_cast<char>(number * 7 + bytes.size() * 31));
  return bytes;
}

inline OwnedRecord encoded_record(std::string key, std::int64_t label = kNoLabel,
                                  std::size_t number = 0) {
  return {std::move(key), fake_image(number, 40 + number * 997), label};
}

inline OwnedRecord pixel_record(std::string key, std::int64_t label = kNoLabel,
                                std::size_t number = 0) {
  std::string pixels;
  for (std::size_t i = 0; i < kSampleShape.size(); ++i)
    pixels.push_back(static_cast<char>(number + i));
  return {std::move(key), std::move(pixels), label, Payload::kPixels, kSampleShape};
}

/// A record of opaque bytes, which do not begin like an image.
inline OwnedRecord bytes_record(std::string key, std::int64_t label = kNoLabel,
                                std::size_t number = 0) {
  std::string bytes(30 + number * 997, static_cast<char>(number + 1));
  return {std::move(key), std::move(bytes), label, Payload::kBytes};
}

inline OwnedRecord sample_record(Payload kind, std::string key, std::int64_t label = kNoLabel,
                                 std::size_t number = 0) {
  if (kind == Payload::kBytes) return bytes_record(std::move(key), label, number);
  return kind == Payload::kPixels ? pixel_record(std::move(key), label, number)
                                  : encoded_record(std::move(key), label, number);
}

/// Records of 30 kB each.
inline std::vector<OwnedRecord> large_records(std::size_t count) {
  std::vector<OwnedRecord> records;
  for (std::size_t i = 0; i < count; ++i) {
    records.push_back({"k" + std::to_string(100 + i), fake_image(i, 30'000), 1});
  }
  return records;
}

inline WriterOptions options_for(const std::vector<OwnedRecord>& records,
                                 std::vector<std::string> class_names = {}) {
  return {.class_names = std::move(class_names), .records = records.size(), .shape = kSampleShape};
}

inline void write_dataset(const Format& format, const std::filesystem::path& path,
                          const std::vector<OwnedRecord>& records, const WriterOptions& options) {
  const auto writer = format.create(path, options);
  for (const OwnedRecord& record : records) writer->append(record.view());
  writer->finish();
}

inline std::vector<OwnedRecord> read_all(const RecordReader& reader) {
  std::vector<OwnedRecord> records;
  const auto cursor = reader.open_cursor();
  for (std::size_t i = 0; i < reader.size(); ++i) records.push_back(own(cursor->read(i)));
  return records;
}

inline std::vector<std::string> keys_of(const RecordReader& reader) {
  std::vector<std::string> keys;
  for (const OwnedRecord& record : read_all(reader)) keys.push_back(record.key);
  return keys;
}

/// Writes `bytes` to `path` and reads the dataset. Only an Error may be thrown.
inline void expect_survives(const std::filesystem::path& path, const std::string& bytes) {
  write_file(path, bytes);
  try {
    (void)read_all(*open_dataset(path));
  } catch (const Error&) {
  }
}

/// Calls expect_survives() for copies of `bytes` with random changes; `wrap` turns each into a
/// file.
inline void expect_survives_random_damage(
    const std::filesystem::path& path, const std::string& bytes,
    const std::function<std::string(const std::string&)>& wrap) {
  constexpr int kRounds = 300;
  constexpr std::uint64_t kMostChanges = 8;
  RandomStream random(7);
  for (int round = 0; round < kRounds; ++round) {
    std::string damaged = bytes;
    for (auto changes = 1 + random.below(kMostChanges); changes > 0; --changes) {
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    }
    expect_survives(path, wrap(damaged));
  }
}

/// Calls expect_survives() for prefixes of `bytes`, for copies with one byte changed, and for
/// copies with several changed.
inline void expect_survives_damage(const std::filesystem::path& path, const std::string& bytes,
                                   std::size_t step) {
  for (std::size_t length = 0; length < bytes.size(); length += step)
    expect_survives(path, bytes.substr(0, length));
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(~damaged[at]);
    expect_survives(path, damaged);
  }
  expect_survives_random_damage(path, bytes, [](const std::string& damaged) { return damaged; });
}

}  // namespace feedrate::testing
