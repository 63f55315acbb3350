// Files that become shorter while their records are read out of a mapping.
#include <algorithm>
#include <filesystem>
#include <ostream>
#include <thread>

#include <unistd.h>

#include "tests/formats/sample_records.h"
#include "tests/support/forked_test.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::OwnedRecord;

constexpr std::size_t kRecords = 40;
constexpr ImageShape kShape{.height = 36, .width = 36, .channels = 3};

struct Row {
  Format format;
  ReadOrder order = ReadOrder::kSequential;

  std::string name() const {
    std::string name(format.name);
    std::replace(name.begin(), name.end(), '-', '_');
    return order == ReadOrder::kRandom ? name + "_shuffled" : name;
  }
  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.name(); }
};

class CutFiles : public ::testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    const Format& format = GetParam().format;
    for (std::size_t i = 0; i < kRecords; ++i) {
      OwnedRecord record{std::to_string(100 + i), testing::fake_image(i, kShape.size()), 0,
                         format.payload};
      if (format.payload == Payload::kPixels) record.shape = kShape;
      records_.push_back(std::move(record));
    }
    const auto path = folder_ / ("data" + std::string(format.suffix));
    WriterOptions options = testing::options_for(records_);
    options.shape = kShape;
    testing::write_dataset(format, path, records_, options);
    reader_ = open_dataset(path, {.order = GetParam().order, .files = FileReads::kMmap});
    cursor_ = reader_->open_cursor();
    file_ = reader_->files().at(0);
    EXPECT_EQ(testing::own(cursor_->read(0)), records_[0]);
  }

  void cut_to(std::uintmax_t size) const { std::filesystem::resize_file(file_, size); }
  // Whole pages, so that the record it goes through is missed, and not half of it zeros.
  std::uintmax_t half() const {
    const auto page = static_cast<std::uintmax_t>(::sysconf(_SC_PAGESIZE));
    return std::filesystem::file_size(file_) / 2 / page * page;
  }

  // The first record that cannot be read, and why; those before it are as they were.
  std::string read_until_it_fails() {
    try {
      for (std::size_t i = 0; i < kRecords; ++i) {
        if (testing::own(cursor_->read(i)) != records_[i]) return "record " + std::to_string(i);
      }
    } catch (const FormatError& error) {
      return error.what();
    }
    return "no error";
  }

  testing::TempFolder folder_;
  std::vector<OwnedRecord> records_;
  std::unique_ptr<RecordReader> reader_;
  std::unique_ptr<RecordCursor> cursor_;
  std::filesystem::path file_;
};

TEST_P(CutFiles, are_an_error_with_their_name) {
  cut_to(half());
  EXPECT_THAT(read_until_it_fails(),
              AllOf(HasSubstr(file_.string()), HasSubstr("became shorter while it was read")));
}

TEST_P(CutFiles, are_an_error_in_another_thread) {
  cut_to(half());
  std::string message;
  std::jthread([&] { message = read_until_it_fails(); }).join();
  EXPECT_THAT(message, HasSubstr("became shorter while it was read"));
}

TEST_P(CutFiles, are_an_error_in_a_forked_process) {
  EXPECT_THAT(testing::run_forked([&] {
                cut_to(half());
                return read_until_it_fails();
              }),
              HasSubstr("became shorter while it was read"));
}

TEST_P(CutFiles, stay_an_error) {
  cut_to(0);
  EXPECT_THAT(message_of<FormatError>([&] { (void)cursor_->read(kRecords - 1); }),
              HasSubstr("became shorter"));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_THROW((void)cursor_->read(i), FormatError);
  EXPECT_THROW((void)reader_->open_cursor()->read(0), FormatError);
}

TEST_P(CutFiles, are_noticed_inside_their_last_page) {
  cut_to(std::filesystem::file_size(file_) - 1);
  EXPECT_THAT(message_of<FormatError>([&] { (void)reader_->open_cursor()->read(0); }),
              HasSubstr("became shorter"));
  const auto read_many = [&] {
    for (std::size_t i = 0; i < 200; ++i) (void)cursor_->read(0);
  };
  EXPECT_THROW(read_many(), FormatError);
}

std::vector<Row> rows() {
  std::vector<Row> all;
  for (const Format& format : formats()) {
    if (format.suffix.empty()) continue;
    all.push_back({format});
    all.push_back({format, ReadOrder::kRandom});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, CutFiles, ::testing::ValuesIn(rows()),
                         [](const auto& row) { return row.param.name(); });

}  // namespace
}  // namespace feedrate
