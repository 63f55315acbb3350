// SPDX-License-Identifier: Apache-2.0
// Tests which pages reading records brings into the page cache.
#include <algorithm>
#include <ostream>
#include <thread>
#include <vector>

#include <unistd.h>

#include "core/host/page_cache.h"
#include "core/host/storage.h"
#include "tests/formats/sample_records.h"

namespace feedrate::testing {
namespace {

constexpr std::size_t kReadAheadRecords = 3000;
constexpr std::size_t kRead = 50;
constexpr ImageShape kReadAheadShape{.height = 36, .width = 36, .channels = 3};

std::vector<OwnedRecord> records_of(Payload kind) {
  std::vector<OwnedRecord> records;
  for (std::size_t i = 0; i < kReadAheadRecords; ++i) {
    OwnedRecord record{std::to_string(i), fake_image(i, kReadAheadShape.size()), 0, kind};
    if (kind == Payload::kPixels) record.shape = kReadAheadShape;
    records.push_back(std::move(record));
  }
  return records;
}

constexpr ReadOptions kShuffled{.order = ReadOrder::kRandom, .hdf5 = Hdf5Reads::kDirect};

struct ReadAheadRow {
  Format format;

  std::string name() const {
    std::string name(format.name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  }
  friend void PrintTo(const ReadAheadRow& row, std::ostream* out) { *out << row.name(); }
};

class ColdRecords : public ::testing::TestWithParam<ReadAheadRow> {
 protected:
  std::uint64_t resident() const { return page_cache_residency(files_).resident_bytes; }

  // Writes the dataset and drops it and its index from the page cache.
  void make_cold() {
    const Format& format = GetParam().format;
    path_ = folder_ / ("data" + std::string(format.suffix));
    const auto records = records_of(format.payload);
    WriterOptions options = options_for(records);
    options.shape = kReadAheadShape;
    write_dataset(format, path_, records, options);
    files_ = open_dataset(path_, kShuffled)->files();
    drop_page_cache(files_);
  }

  TempFolder folder_;
  std::filesystem::path path_;
  std::vector<std::filesystem::path> files_;
};

TEST_P(ColdRecords, read_only_their_pages_when_shuffled) {
  make_cold();
  if (resident() > 0) {
    GTEST_SKIP() << read_storage_info(folder_.path()).file_system
                 << " keeps what was written in memory: " << folder_.path();
  }
  const auto reader = open_dataset(path_, kShuffled);
  const auto cursor = reader->open_cursor();
  const std::uint64_t before = resident();
  for (std::size_t i = 0; i < kRead; ++i) (void)cursor->read((i * 1237 + 11) % kReadAheadRecords);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  // A record with its header may touch two partial pages besides its whole ones. 16 more pages are
  // for lookups.
  const std::uint64_t most = kRead * (kReadAheadShape.size() / page + 2) * page + 16 * page;
  EXPECT_LE(resident() - before, most);
}

TEST_P(ColdRecords, are_prefetched_when_expected) {
  make_cold();
  if (resident() > 0) {
    GTEST_SKIP() << read_storage_info(folder_.path()).file_system
                 << " keeps what was written in memory: " << folder_.path();
  }
  const auto reader = open_dataset(path_, kShuffled);
  const auto cursor = reader->open_cursor();
  const std::uint64_t before = resident();
  std::vector<std::uint64_t> wanted;
  for (std::size_t i = 0; i < kRead; ++i) wanted.push_back((i * 1237 + 11) % kReadAheadRecords);
  cursor->expect(wanted);
  // Wait until storage has read them all; a failure would wait forever.
  while (resident() - before < kRead * kReadAheadShape.size()) std::this_thread::yield();
  for (const std::uint64_t index : wanted) {
    EXPECT_EQ(cursor->read(index).payload.size(), kReadAheadShape.size());
  }
}

// All formats with many records in one file, except those that the HDF5 library reads.
std::vector<ReadAheadRow> read_ahead_rows() {
  std::vector<ReadAheadRow> all;
  for (const Format& format : formats()) {
    if (!format.suffix.empty() && format.name != "hdf5" && format.name != "hdf5-decoded") {
      all.push_back({format});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, ColdRecords, ::testing::ValuesIn(read_ahead_rows()),
                         [](const auto& row) { return row.param.name(); });

}  // namespace
}  // namespace feedrate::testing
