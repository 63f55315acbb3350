// SPDX-License-Identifier: Apache-2.0
// The contract of formats, tested on every row of the registry.
#include <algorithm>
#include <csignal>
#include <latch>
#include <thread>

#include <fmt/format.h>
#include <sys/resource.h>

#include "tests/formats/sample_records.h"
#include "tests/loaders/decode/allocations.h"

namespace feedrate::testing {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kClasses{"cat", "dog"};

/// A row of the registry and the options to read it with.
struct Case {
  Format format;
  ReadOptions reads = {};

  std::string name() const {
    std::string name(format.name);
    std::replace(name.begin(), name.end(), '-', '_');
    if (reads.order == ReadOrder::kRandom) name += "_shuffled";
    if (reads.hdf5 == Hdf5Reads::kDirect) name += "_direct";
    return name;
  }
};

void PrintTo(const Case& row, std::ostream* out) { *out << row.name(); }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Format& format : formats()) {
    all.push_back({format});
    all.push_back({format, {.order = ReadOrder::kRandom}});
    if (format.name == "hdf5-contiguous") all.push_back({format, {.hdf5 = Hdf5Reads::kDirect}});
  }
  return all;
}

class FormatContract : public ::testing::TestWithParam<Case> {
 protected:
  const Format& format() const { return GetParam().format; }
  fs::path path() const { return folder_ / ("data" + std::string(format().suffix)); }
  std::unique_ptr<RecordReader> open() const { return open_dataset(path(), GetParam().reads); }

  // Uses sorted class folders, whose order every format can keep.
  std::vector<OwnedRecord> records() const {
    std::vector<OwnedRecord> records;
    for (std::size_t i = 0; i < 7; ++i) {
      const std::int64_t label = i < 4 ? 0 : 1;
      const std::string key = kClasses[i < 4 ? 0 : 1] + "/000" + std::to_string(i);
      records.push_back(sample_record(format().payload, key, label, i));
    }
    return records;
  }

  void write(const std::vector<OwnedRecord>& records, std::vector<std::string> class_names = {}) {
    write_dataset(format(), path(), records, options_for(records, std::move(class_names)));
  }

  std::vector<std::string> names_in_folder() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  TempFolder folder_;
};

TEST_P(FormatContract, returns_the_records_in_the_order_in_which_they_were_written) {
  write(records(), kClasses);
  EXPECT_EQ(read_all(*open()), records());
}

TEST_P(FormatContract, opens_as_the_format_it_was_written_in) {
  write(records(), kClasses);
  const auto reader = open();
  EXPECT_EQ(reader->format(), format().name);
  EXPECT_EQ(reader->payload(), format().payload);
  EXPECT_EQ(reader->size(), records().size());
  EXPECT_FALSE(reader->layout().empty());
  EXPECT_EQ(read_all(*format().open(path(), GetParam().reads)), records());
}

TEST_P(FormatContract, keeps_class_names) {
  write(records(), kClasses);
  EXPECT_EQ(open()->class_names(), kClasses);
}

TEST_P(FormatContract, keeps_class_names_that_are_not_sorted) {
  const std::vector<std::string> unsorted{"zebra", "ant, \"red\"", "mole"};
  write(records(), unsorted);
  const auto reader = open();
  EXPECT_EQ(reader->class_names(), unsorted);
  EXPECT_EQ(read_all(*reader), records());
}

TEST_P(FormatContract, keeps_labels_without_class_names) {
  auto labelled = records();
  labelled[2].label = 1'000'000'000'000;
  write(labelled);
  const auto reader = open();
  EXPECT_EQ(read_all(*reader), labelled);
  EXPECT_TRUE(reader->class_names().empty());
}

TEST_P(FormatContract, keeps_records_without_labels) {
  auto unlabelled = records();
  for (OwnedRecord& record : unlabelled) record.label = kNoLabel;
  write(unlabelled);
  EXPECT_EQ(read_all(*open()), unlabelled);
}

TEST_P(FormatContract, keeps_keys_with_dots_percents_spaces_and_letters_beyond_ascii) {
  std::vector<OwnedRecord> odd;
  for (const char* key : {"a.b.c", "b%2E%25", "c d,\"e\"", "d/e.f/g", "zürich/é", "~.png"}) {
    odd.push_back(sample_record(format().payload, key, 3, odd.size()));
  }
  write(odd);
  EXPECT_EQ(read_all(*open()), odd);
}

TEST_P(FormatContract, keeps_long_keys) {
  const std::string part(90, 'x');
  std::vector<OwnedRecord> records;
  for (const std::string& end :
       {part, fmt::format("{0}/{0}", part), fmt::format("{0}/{0}/{0}/{0}", part)}) {
    records.push_back(sample_record(format().payload, "k/" + end, 3, records.size()));
  }
  write(records);
  EXPECT_EQ(read_all(*open()), records);
}

TEST_P(FormatContract, reads_at_random) {
  write(records(), kClasses);
  const auto reader = open();
  const auto cursor = reader->open_cursor();
  for (const std::size_t index : {6U, 0U, 3U, 3U, 5U, 1U}) {
    EXPECT_EQ(own(cursor->read(index)), records()[index]);
  }
}

TEST_P(FormatContract, allocates_nothing_after_its_largest_record) {
  write(records(), kClasses);
  const auto reader = open();
  const auto cursor = reader->open_cursor();
  for (std::size_t i = 0; i < reader->size(); ++i) (void)cursor->read(i);
  const std::size_t before = allocations();
  for (std::size_t i = 0; i < reader->size(); ++i) (void)cursor->read(i);
  EXPECT_EQ(allocations(), before);
}

TEST_P(FormatContract, lets_two_threads_read_at_once) {
  write(records(), kClasses);
  const auto reader = open();
  const auto expected = records();
  std::latch ready(2);
  const auto read_repeatedly = [&](std::size_t stride) {
    const auto cursor = reader->open_cursor();
    ready.arrive_and_wait();
    for (std::size_t i = 0; i < 200; ++i) {
      const std::size_t index = i * stride % expected.size();
      ASSERT_EQ(own(cursor->read(index)), expected[index]);
    }
  };
  std::jthread other(read_repeatedly, 3U);
  read_repeatedly(5U);
}

TEST_P(FormatContract, lets_a_cursor_be_opened_by_one_thread_and_used_by_another) {
  write(records(), kClasses);
  const auto reader = open();
  const auto here = reader->open_cursor();
  const auto cursor = reader->open_cursor();
  EXPECT_EQ(own(here->read(0)), records()[0]);
  std::jthread([&] { EXPECT_EQ(own(cursor->read(1)), records()[1]); }).join();
}

TEST_P(FormatContract, lists_files_that_exist_and_locates_records_in_them) {
  write(records(), kClasses);
  const auto reader = open();
  const auto files = reader->files();
  ASSERT_FALSE(files.empty());
  for (const fs::path& file : files) EXPECT_TRUE(fs::is_regular_file(file)) << file;
  for (std::size_t i = 0; i < reader->size(); ++i) {
    const DataLocation location = reader->locate(i);
    EXPECT_NE(std::find(files.begin(), files.end(), fs::path(location.file)), files.end());
    EXPECT_EQ(location.record, i);
    if (!location.offset) continue;
    EXPECT_EQ(read_file(location.file).substr(*location.offset, records()[i].payload.size()),
              records()[i].payload);
  }
}

TEST_P(FormatContract, leaves_nothing_when_it_is_not_finished) {
  {
    const auto writer = format().create(path(), options_for(records()));
    writer->append(records()[0].view());
  }
  EXPECT_TRUE(names_in_folder().empty());
}

TEST_P(FormatContract, shows_nothing_under_the_final_name_until_it_is_finished) {
  const auto one = std::vector{records()[0]};
  const auto writer = format().create(path(), options_for(one));
  writer->append(one[0].view());
  EXPECT_FALSE(fs::exists(path()));
  writer->finish();
  EXPECT_EQ(read_all(*open()), one);
}

TEST_P(FormatContract, leaves_no_temporary_files_beside_a_finished_dataset) {
  write(records(), kClasses);
  for (const std::string& name : names_in_folder()) EXPECT_NE(name.front(), '.') << name;
}

TEST_P(FormatContract, refuses_an_existing_target) {
  write_file(path(), "precious");
  EXPECT_THAT(
      message_of<ConfigError>([&] { (void)format().create(path(), options_for(records())); }),
      HasSubstr("exists; choose another name or remove it"));
  EXPECT_EQ(read_file(path()), "precious");
}

TEST_P(FormatContract, refuses_a_target_on_a_server) {
  for (const char* target : {"s3://bucket/data", "http://host/data", "https://host/data.tar"}) {
    EXPECT_THAT(
        message_of<ConfigError>([&] { (void)format().create(target, options_for(records())); }),
        HasSubstr(std::string(target) + ": nothing is written to a server"));
  }
}

TEST_P(FormatContract, creates_the_parents_of_its_target) {
  (void)format().create(folder_ / "not/yet/data", options_for(records()));
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "not/yet"));
}

TEST_P(FormatContract, refuses_a_target_below_a_file) {
  write_file(folder_ / "file", "precious");
  EXPECT_THAT(message_of<SystemError>(
                  [&] { (void)format().create(folder_ / "file/data", options_for(records())); }),
              HasSubstr("file: cannot create folder"));
}

TEST_P(FormatContract, refuses_to_finish_without_records) {
  const auto writer = format().create(path(), options_for(records()));
  EXPECT_THAT(message_of<FormatError>([&] { writer->finish(); }), HasSubstr("no records"));
}

TEST_P(FormatContract, refuses_a_repeated_key) {
  const auto writer = format().create(path(), options_for(records()));
  writer->append(records()[0].view());
  EXPECT_THAT(message_of<FormatError>([&] { writer->append(records()[0].view()); }),
              HasSubstr("two records have the key \"cat/0000\""));
}

TEST_P(FormatContract, refuses_the_other_kind_of_payload) {
  const Payload other = format().payload == Payload::kPixels ? Payload::kEncoded : Payload::kPixels;
  const auto writer = format().create(path(), options_for(records()));
  EXPECT_THROW(writer->append(sample_record(other, "a").view()), FormatError);
}

TEST_P(FormatContract, reports_a_full_disk) {
  // A limit on file sizes simulates a full disk: the same calls fail, with EFBIG.
  OwnedRecord big{"big", fake_image(0, 3 << 20), 0, format().payload};
  if (format().payload == Payload::kPixels) {
    big.payload = std::string(3 << 20, 'p');
    big.shape = {.height = 1024, .width = 1024, .channels = 3};
  }
  WriterOptions options{.records = 1};
  options.shape = big.shape;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 1 << 20, .rlim_max = before.rlim_max};
  ASSERT_NE(std::signal(SIGXFSZ, SIG_IGN), SIG_ERR);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  {
    const auto writer = format().create(path(), options);
    message = message_of<SystemError>([&] {
      writer->append(big.view());
      writer->finish();
    });
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_THAT(message, HasSubstr("cannot write"));
  EXPECT_TRUE(names_in_folder().empty());
}

INSTANTIATE_TEST_SUITE_P(Registry, FormatContract, ::testing::ValuesIn(cases()),
                         [](const auto& row) { return row.param.name(); });

// Formats of one file, or of a folder of shards.
class PackedFormat : public ::testing::TestWithParam<const char*> {
 protected:
  const Format& format() const { return find_format(GetParam()); }
  fs::path path(const std::string& stem) const {
    return folder_ / (stem + std::string(format().suffix));
  }

  TempFolder folder_;
};

TEST_P(PackedFormat, writes_the_same_bytes_for_the_same_records) {
  const std::vector records{encoded_record("a", 1), encoded_record("é/" + std::string(200, 'x'))};
  write_dataset(format(), path("a"), records, {});
  write_dataset(format(), path("b"), records, {});
  EXPECT_EQ(read_file(path("a")), read_file(path("b")));
}

TEST_P(PackedFormat, reports_a_file_that_was_truncated_after_it_was_opened) {
  write_dataset(format(), path("a"), {encoded_record("a", 1, 1)}, {});
  const auto reader = open_dataset(path("a"));
  const auto cursor = reader->open_cursor();
  fs::resize_file(path("a"), 600);
  EXPECT_THAT(message_of<FormatError>([&] { (void)cursor->read(0); }),
              AllOf(HasSubstr(path("a").string() + ": record 0 at byte "),
                    HasSubstr("the file ends inside the ")));
}

INSTANTIATE_TEST_SUITE_P(, PackedFormat, ::testing::Values("tar", "tfrecord", "zip"));

using ShardedFormat = PackedFormat;

TEST_P(ShardedFormat, writes_shards_of_about_the_size_asked_for) {
  const std::vector<OwnedRecord> records = large_records(20);
  WriterOptions options{.class_names = {"a", "b"}};
  options.shard_bytes = 100'000;
  write_dataset(format(), folder_ / "train", records, options);
  const auto reader = open_dataset(folder_ / "train");
  EXPECT_EQ(read_all(*reader), records);
  EXPECT_THAT(reader->class_names(), ElementsAre("a", "b"));
  EXPECT_EQ(reader->files().size(), 7U);
  const bool is_tar = format().name == "tar";
  EXPECT_EQ(reader->files()[0].filename(),
            is_tar ? "train-000000.tar" : "train-00000-of-00007.tfrecord");
  for (const fs::path& shard : reader->files()) EXPECT_LE(fs::file_size(shard), 110'000U);
}

TEST_P(ShardedFormat, writes_one_file_where_the_path_says_so) {
  const std::vector<OwnedRecord> records = large_records(5);
  WriterOptions options{.class_names = {"a", "b"}};
  options.shard_bytes = 1000;
  write_dataset(format(), path("a"), records, options);
  EXPECT_EQ(read_all(*open_dataset(path("a"))), records);
  EXPECT_EQ(read_file(path("a").string() + ".classes.txt"), "a\nb\n");
}

INSTANTIATE_TEST_SUITE_P(, ShardedFormat, ::testing::Values("tar", "tfrecord"));

}  // namespace
}  // namespace feedrate::testing
