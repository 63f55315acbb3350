// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/convert.h"

#include <cerrno>

#include "core/error.h"
#include "formats/datasets/verify.h"
#include "tests/formats/datasets/small_dataset.h"

namespace feedrate::testing {
namespace {

ConvertResult convert(const std::filesystem::path& source, const std::filesystem::path& target,
                      ConvertOptions options, const Job& job = {}) {
  return convert_dataset(*open_dataset(source), target, options, job);
}

VerifyResult verify(const std::filesystem::path& a, const std::filesystem::path& b) {
  return verify_datasets(*open_dataset(a), *open_dataset(b), {});
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : formats()) {
    if (payload_in(format, Payload::kEncoded)) names.emplace_back(format.name);
  }
  return names;
}

std::filesystem::path path_for(const TempFolder& folder, const std::string& stem,
                               const std::string& format) {
  return folder / (stem + '-' + format + std::string(find_format(format).suffix));
}

using Route = std::tuple<std::string, std::string>;

class ConvertMatrix : public ::testing::TestWithParam<Route> {};

TEST_P(ConvertMatrix, delivers_identical_images_there_and_back) {
  const auto& [from, to] = GetParam();
  const TempFolder folder;
  const auto source = path_for(folder, "source", from);
  const auto there = path_for(folder, "there", to);
  const auto back = path_for(folder, "back", from);
  make_dataset(small_images(), source, from, {});

  const ConvertResult converted = convert(source, there, {.format = to, .chunk = 5});
  EXPECT_EQ(converted.records, 12U);
  EXPECT_THAT(converted.skipped, IsEmpty());
  EXPECT_EQ(open_dataset(there)->format(), to);
  convert(there, back, {.format = from, .chunk = 5});

  for (const auto& copy : {there, back}) {
    const VerifyResult result = verify(source, copy);
    EXPECT_TRUE(result.identical()) << copy << ::testing::PrintToString(result.differences);
    EXPECT_FALSE(result.matched_by_position);
    EXPECT_EQ(result.identical_bytes + result.identical_pixels, 12U);
    EXPECT_EQ(open_dataset(copy)->class_names(), open_dataset(source)->class_names());
  }
}

INSTANTIATE_TEST_SUITE_P(EveryFormat, ConvertMatrix,
                         ::testing::Combine(::testing::ValuesIn(format_names()),
                                            ::testing::ValuesIn(format_names())),
                         [](const auto& test) {
                           std::string name =
                               std::get<0>(test.param) + "_to_" + std::get<1>(test.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Convert, copies_encoded_bytes_unchanged) {
  const TempFolder folder;
  const auto source = make_folder(folder, small_photos());
  convert(source, folder / "copy.lmdb", {.format = "lmdb"});
  EXPECT_EQ(verify(source, folder / "copy.lmdb").identical_bytes, 12U);
}

TEST(Convert, keeps_the_order_of_the_records) {
  const TempFolder folder;
  make_dataset(small_images(), folder / "a.lmdb", "lmdb", {});
  convert(folder / "a.lmdb", folder / "b.tar", {.format = "tar"}, {.threads = 3});
  const auto a = open_dataset(folder / "a.lmdb");
  const auto b = open_dataset(folder / "b.tar");
  const auto cursor_a = a->open_cursor();
  const auto cursor_b = b->open_cursor();
  for (std::size_t i = 0; i < a->size(); ++i) {
    const Record record_a = cursor_a->read(i);
    const Record record_b = cursor_b->read(i);
    EXPECT_EQ(record_a.key, record_b.key);
    EXPECT_EQ(record_a.label, record_b.label);
  }
}

class ConvertDamaged : public ::testing::Test {
 protected:
  ConvertDamaged() : source_(make_folder(folder_, small_photos())) {
    cut_in_half(source_ / "bird/0000005.jpg");
  }
  TempFolder folder_;
  std::filesystem::path source_;
};

TEST_F(ConvertDamaged, skips_a_truncated_jpeg_and_names_it) {
  const ConvertResult result = convert(source_, folder_ / "x.tar", {.format = "tar"});
  EXPECT_EQ(result.records, 11U);
  EXPECT_THAT(result.skipped, ElementsAre(HasSubstr("bird/0000005.jpg: record 9")));
  EXPECT_EQ(count_records(folder_ / "x.tar"), 11U);
}

TEST_F(ConvertDamaged, skips_it_for_formats_with_a_known_count_too) {
  const ConvertResult result = convert(source_, folder_ / "x.h5", {.format = "hdf5-contiguous"});
  EXPECT_EQ(result.records, 11U);
  EXPECT_THAT(result.skipped, ElementsAre(HasSubstr("bird/0000005.jpg: record 9")));
}

TEST_F(ConvertDamaged, skips_a_file_that_cannot_be_read) {
  std::filesystem::remove(source_ / "bird/0000005.jpg");
  std::filesystem::create_symlink("nowhere", source_ / "bird/0000005.jpg");
  const ConvertResult result = convert(source_, folder_ / "x.tar", {.format = "tar"});
  EXPECT_EQ(result.records, 11U);
  EXPECT_THAT(result.skipped, ElementsAre(HasSubstr("bird/0000005.jpg")));
}

/// A dataset whose record `refused` fails with `error_number`.
class Refusing final : public RecordReader {
 public:
  Refusing(const std::filesystem::path& path, std::size_t refused, int error_number)
      : real_(open_dataset(path)), refused_(refused), error_number_(error_number) {}

  [[nodiscard]] std::string_view format() const noexcept override { return real_->format(); }
  [[nodiscard]] std::size_t size() const noexcept override { return real_->size(); }
  [[nodiscard]] Payload payload() const noexcept override { return real_->payload(); }
  [[nodiscard]] const std::vector<std::string>& class_names() const noexcept override {
    return real_->class_names();
  }
  [[nodiscard]] std::vector<std::filesystem::path> files() const override { return real_->files(); }
  [[nodiscard]] DataLocation locate(std::size_t index) const override {
    return real_->locate(index);
  }
  [[nodiscard]] std::string layout() const override { return real_->layout(); }
  [[nodiscard]] std::unique_ptr<RecordCursor> open_cursor() const override {
    return std::make_unique<Cursor>(*this);
  }

 private:
  class Cursor final : public RecordCursor {
   public:
    explicit Cursor(const Refusing& reader) : reader_(reader), real_(reader.real_->open_cursor()) {}
    Record read(std::size_t index) override {
      if (index != reader_.refused_) return real_->read(index);
      throw SystemError(reader_.locate(index).file, "cannot open", reader_.error_number_);
    }

   private:
    const Refusing& reader_;
    std::unique_ptr<RecordCursor> real_;
  };

  std::unique_ptr<RecordReader> real_;
  std::size_t refused_;
  int error_number_;
};

TEST(Convert, stops_at_a_system_error_and_leaves_nothing) {
  const TempFolder folder;
  const auto source = make_folder(folder, small_images());
  for (const int error_number : {EMFILE, EACCES, ESTALE, EIO, ENOMEM}) {
    for (const std::string format : {"tar", "hdf5-decoded"}) {
      const Refusing reader(source, 3, error_number);
      EXPECT_THAT([&] { convert_dataset(reader, folder / "x", {.format = format}, {}); },
                  ThrowsMessage<SystemError>(HasSubstr("airplane/0000009.png: cannot open")));
      EXPECT_THAT(names_in(folder.path()), ElementsAre("source"));
    }
  }
}

TEST_F(ConvertDamaged, fails_at_it_when_strict_and_leaves_nothing) {
  for (const std::string format : {"tar", "hdf5-decoded"}) {
    EXPECT_THAT([&] { convert(source_, folder_ / "x", {.format = format, .strict = true}); },
                ThrowsMessage<FormatError>(HasSubstr("bird/0000005.jpg: record 9")));
    EXPECT_THAT(names_in(folder_.path()), ElementsAre("source"));
  }
}

TEST_F(ConvertDamaged, copies_it_when_not_asked_to_decode) {
  const ConvertResult result =
      convert(source_, folder_ / "x.tar", {.format = "tar", .decode_check = false});
  EXPECT_EQ(result.records, 12U);
  EXPECT_EQ(verify(source_, folder_ / "x.tar").identical_bytes, 12U);
}

TEST_F(ConvertDamaged, fails_when_nothing_is_left) {
  const auto one = make_folder(folder_, small_photos(1), "one");
  cut_in_half(one / "airplane/0000000.jpg");
  for (const std::string format : {"tar", "hdf5-decoded"}) {
    EXPECT_THAT([&] { convert(one, folder_ / "x", {.format = format}); },
                ThrowsMessage<FormatError>(HasSubstr("none of 1 records")));
  }
}

TEST(Convert, refuses_images_of_two_sizes_for_a_format_of_pixels_and_names_alternatives) {
  const TempFolder folder;
  const auto source = make_folder(folder, small_images());
  MakeOptions other = small_images(1);
  other.size = ImageSize{8, 8};
  const auto odd = make_folder(folder, other, "odd");
  std::filesystem::copy_file(odd / "airplane/0000000.png", source / "bird/odd.png");
  EXPECT_THAT(
      [&] { convert(source, folder / "x.h5", {.format = "hdf5-decoded"}); },
      ThrowsMessage<FormatError>(AllOf(HasSubstr("bird/odd.png: record 12: is 8×8"),
                                       HasSubstr("16×12"), HasSubstr("folder, tar, lmdb, hdf5"))));
  EXPECT_FALSE(std::filesystem::exists(folder / "x.h5"));
}

TEST(Convert, takes_images_of_two_sizes_for_a_format_that_has_a_shape_for_each) {
  const TempFolder folder;
  const auto source = make_folder(folder, small_images());
  MakeOptions other = small_images(1);
  other.size = ImageSize{8, 8};
  const auto odd = make_folder(folder, other, "odd");
  std::filesystem::copy_file(odd / "airplane/0000000.png", source / "bird/odd.png");
  EXPECT_EQ(convert(source, folder / "x", {.format = "npy"}).records, 13U);
  EXPECT_EQ(verify(source, folder / "x").identical_pixels, 13U);
}

TEST(Convert, refuses_a_target_that_exists_before_it_reads_a_record) {
  const TempFolder folder;
  const auto source = make_folder(folder, small_images());
  write_file(folder / "x.h5", "precious");
  EXPECT_THAT([&] { convert(source, folder / "x.h5", {.format = "hdf5-decoded"}); },
              ThrowsMessage<ConfigError>(HasSubstr("x.h5: exists")));
  EXPECT_EQ(read_file(folder / "x.h5"), "precious");
}

TEST(Convert, leaves_nothing_when_it_is_cancelled) {
  const TempFolder folder;
  const auto source = make_folder(folder, small_images());
  std::stop_source stop;
  const Job job{
      .threads = 2, .stop = stop.get_token(), .on_start = {}, .on_advance = [&](std::size_t) {
        stop.request_stop();
      }};
  for (const std::string format :
       {"folder", "tar", "lmdb", "hdf5", "hdf5-decoded", "tfrecord", "zip", "npy"}) {
    EXPECT_THROW(convert(source, folder / "x", {.format = format}, job), Cancelled);
    EXPECT_THAT(names_in(folder.path()), ElementsAre("source"));
  }
}

TEST(Convert, guesses_the_format_from_the_suffix) {
  EXPECT_EQ(guess_format("a/b.tar"), "tar");
  EXPECT_EQ(guess_format("a/b.lmdb/"), "lmdb");
  EXPECT_EQ(guess_format("b.h5"), "hdf5");
  EXPECT_EQ(guess_format("b.hdf5"), "hdf5");
  EXPECT_EQ(guess_format("b.tfrecord"), "tfrecord");
  EXPECT_EQ(guess_format("b.tfrecords"), "tfrecord");
  EXPECT_EQ(guess_format("b.zip"), "zip");
  EXPECT_EQ(guess_format("a.tar/b"), "folder");
  EXPECT_EQ(guess_format("v1.2"), "folder");
}

}  // namespace
}  // namespace feedrate::testing
