// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>

#include "core/crc32c.h"
#include "formats/formats.h"
#include "formats/tfrecord/example.h"
#include "formats/tfrecord/frame.h"
#include "formats/tfrecord/tfrecord_index.h"
#include "formats/tfrecord/wire.h"
#include "tests/formats/sample_records.h"

namespace feedrate::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBytesKind = 1;
constexpr std::uint64_t kFloatKind = 2;
constexpr std::uint64_t kIntegerKind = 3;

std::string field(std::uint64_t number, std::string_view bytes) {
  std::string out;
  append_bytes(out, number, bytes);
  return out;
}

std::string varint(std::uint64_t value) {
  std::string out;
  append_varint(out, value);
  return out;
}

/// An entry of the map of features; `list` is already serialized.
std::string feature(std::string_view name, std::uint64_t kind, std::string_view list) {
  return field(1, field(1, name) + field(2, field(kind, list)));
}

std::string image_feature(std::string_view name, std::string_view image) {
  return feature(name, kBytesKind, field(1, image));
}

std::string label_feature(std::string_view name, std::uint64_t label) {
  return feature(name, kIntegerKind, field(1, varint(label)));
}

/// The header of a frame, with the right checksum.
std::string header_of_length(std::uint64_t length) {
  std::string header(sizeof(length), '\0');
  std::memcpy(header.data(), &length, sizeof(length));
  const std::uint32_t checksum = masked_crc32c(std::as_bytes(std::span(header)));
  header.resize(kFrameHeader);
  std::memcpy(header.data() + sizeof(length), &checksum, sizeof(checksum));
  return header;
}

std::string framed(std::string_view features) { return format_frame(field(1, features)); }

class TfrecordFormat : public ::testing::Test {
 protected:
  fs::path path() const { return folder_ / "a.tfrecord"; }
  fs::path index() const { return folder_ / "a.tfrecord.idx"; }
  void put(std::string_view bytes) const { write_file(path(), bytes); }
  std::unique_ptr<RecordReader> open() const { return open_dataset(path()); }
  std::vector<OwnedRecord> read() const { return read_all(*open()); }
  std::string error() const {
    return message_of<FormatError>([&] { (void)read(); });
  }
  void make_index_older() const {
    const timespec times[2] = {{.tv_sec = 1, .tv_nsec = 2}, {.tv_sec = 1, .tv_nsec = 2}};
    ASSERT_EQ(::utimensat(AT_FDCWD, index().c_str(), times, 0), 0);
  }

  const std::string image_ = fake_image(0, 700);
  TempFolder folder_;
};

TEST_F(TfrecordFormat, reads_what_tensorflows_converters_write) {
  put(framed(image_feature("image/encoded", image_) + label_feature("image/class/label", 17) +
             feature("image/height", kIntegerKind, field(1, varint(7)))) +
      framed(label_feature("image/class/label", 3) + image_feature("image/encoded", image_)));
  EXPECT_THAT(read(),
              ElementsAre(OwnedRecord{"000000", image_, 17}, OwnedRecord{"000001", image_, 3}));
}

TEST_F(TfrecordFormat, takes_the_feature_that_is_an_image_where_none_has_the_usual_name) {
  put(framed(image_feature("text", "hello") + image_feature("photo", image_) +
             image_feature("thumbnail", fake_image(0, 30)) + label_feature("label", 5)));
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"000000", image_, 5}));
}

TEST_F(TfrecordFormat, takes_the_opaque_bytes_that_dlio_writes) {
  put(framed(image_feature("image", "some bytes") + label_feature("size", 3)) +
      framed(label_feature("size", 2) + image_feature("image", "others")));
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"000000", "some bytes", kNoLabel, Payload::kBytes},
                                  OwnedRecord{"000001", "others", kNoLabel, Payload::kBytes}));
  EXPECT_EQ(open()->payload(), Payload::kBytes);
}

TEST_F(TfrecordFormat, prefers_an_image_to_opaque_bytes) {
  put(framed(image_feature("image", "some bytes") + image_feature("photo", image_)));
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"000000", image_}));
  EXPECT_EQ(open()->payload(), Payload::kEncoded);
}

TEST_F(TfrecordFormat, writes_opaque_bytes_as_dlio_reads_them) {
  const std::vector records{bytes_record("a", 1), bytes_record("b", 0, 1)};
  write_dataset(find_format("tfrecord"), path(), records, {});
  EXPECT_EQ(read(), records);
  const std::string text = format_example(bytes_record("a").view(), {});
  EXPECT_EQ(describe_features(std::as_bytes(std::span(text))),
            "feedrate/key (bytes), size (int64), image (bytes)");
}

TEST_F(TfrecordFormat, prefers_the_usual_names) {
  put(framed(image_feature("a", fake_image(0, 30)) + image_feature("image/encoded", image_) +
             label_feature("label", 5) + label_feature("image/class/label", 6) +
             label_feature("class", 7)));
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"000000", image_, 6}));
}

TEST_F(TfrecordFormat, reads_labels_that_are_not_packed_and_negative_ones) {
  put(framed(image_feature("i", image_) + feature("label", kIntegerKind, "\x08" + varint(9))) +
      framed(image_feature("i", image_) + label_feature("label", ~std::uint64_t{0})));
  const auto records = read();
  EXPECT_EQ(records[0].label, 9);
  EXPECT_EQ(records[1].label, -1);
}

TEST_F(TfrecordFormat, takes_a_label_that_is_no_integer_for_none) {
  put(framed(image_feature("i", image_) + image_feature("label", "dog") +
             feature("class", kFloatKind, field(1, "\0\0\0\0"))));
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"000000", image_, kNoLabel}));
}

TEST_F(TfrecordFormat, skips_unknown_fields) {
  const std::string unknown = "\x48\x05" + field(10, "x") + std::string("\x5D\0\0\0\0", 5) +
                              std::string("\x61\0\0\0\0\0\0\0\0", 9);
  put(format_frame(unknown + field(1, unknown + image_feature("i", image_)) + unknown));
  EXPECT_EQ(read().front().payload, image_);
}

TEST_F(TfrecordFormat, reads_shards_of_either_name_in_order) {
  write_file(folder_ / "d/train-00001-of-00002", framed(image_feature("b", image_)));
  write_file(folder_ / "d/train-00000-of-00002", framed(image_feature("a", fake_image(1, 20))));
  EXPECT_THAT(read_all(*open_dataset(folder_ / "d")),
              ElementsAre(OwnedRecord{"000000", fake_image(1, 20)}, OwnedRecord{"000001", image_}));
  write_file(folder_ / "e/x.tfrecords", framed(image_feature("a", image_)));
  EXPECT_EQ(open_dataset(folder_ / "e")->format(), "tfrecord");
}

TEST_F(TfrecordFormat, reads_more_shards_than_it_keeps_open) {
  constexpr std::size_t kShards = 300;
  for (std::size_t i = 0; i < kShards; ++i) {
    write_file(folder_ / ("d/" + std::to_string(1000 + i) + ".tfrecord"),
               framed(image_feature("i", fake_image(i, 20 + i))));
  }
  const auto records = read_all(*open_dataset(folder_ / "d"));
  ASSERT_EQ(records.size(), kShards);
  for (std::size_t i = 0; i < kShards; ++i) EXPECT_EQ(records[i].payload, fake_image(i, 20 + i));
}

TEST_F(TfrecordFormat, is_detected_by_its_first_checksum_without_a_suffix) {
  write_file(folder_ / "x", framed(image_feature("i", image_)));
  EXPECT_EQ(open_dataset(folder_ / "x")->format(), "tfrecord");
}

// Such records are not damaged, so opening the file reports their contents.
TEST_F(TfrecordFormat, says_what_examples_without_image_hold) {
  const std::string other =
      framed(label_feature("label", 5) + feature("x", kFloatKind, field(1, "abcd")));
  put(other + other);
  EXPECT_THAT(message_of<FormatError>([&] { (void)open(); }),
              HasSubstr("a.tfrecord: no records: must be Examples with JPEG or PNG in "
                        "image/encoded, or bytes in image; found label (int64), x (float)"));
  put(format_frame(""));
  EXPECT_THAT(error(), HasSubstr("found no features"));
  put(other + framed(image_feature("image/encoded", image_)));
  EXPECT_EQ(open()->size(), 2U);
  EXPECT_THAT(error(), HasSubstr("a.tfrecord: record 0 at byte 0: the Example has no image"));
}

TEST_F(TfrecordFormat, refuses_records_that_are_no_example) {
  for (const std::string& record :
       {std::string("\x0A\x05"), std::string("\x0B"), field(1, "\x0A\x7F"), std::string(11, '\xFF'),
        field(1, field(1, field(2, "\x0A\x09")))}) {
    put(format_frame(record));
    EXPECT_THAT(error(), HasSubstr("found no tf.train.Example"));
    put(framed(image_feature("image/encoded", image_)) + format_frame(record));
    EXPECT_THAT(error(), AllOf(HasSubstr("record 1 at byte"),
                               HasSubstr("the record is not a tf.train.Example")));
  }
}

TEST_F(TfrecordFormat, names_the_record_whose_bytes_are_damaged) {
  std::string bytes = framed(image_feature("i", image_));
  const std::size_t second = bytes.size();
  bytes += bytes;
  bytes[second + 100] = static_cast<char>(~bytes[second + 100]);
  put(bytes);
  EXPECT_THAT(error(), HasSubstr("record 1 at byte " + std::to_string(second) +
                                 ": the checksum of the record is wrong"));
}

TEST_F(TfrecordFormat, names_the_offset_of_a_length_that_is_damaged) {
  std::string bytes = framed(image_feature("i", image_));
  const std::size_t second = bytes.size();
  bytes += bytes;
  bytes[second] = static_cast<char>(bytes[second] + 1);
  put(bytes);
  EXPECT_THAT(error(),
              HasSubstr("byte " + std::to_string(second) + ": the checksum of a length is wrong"));
}

TEST_F(TfrecordFormat, names_the_offset_of_a_truncation) {
  const std::string frame = framed(image_feature("i", image_));
  put(frame + frame.substr(0, 5));
  EXPECT_THAT(error(), HasSubstr("byte " + std::to_string(frame.size()) +
                                 ": the file ends inside a length; it is truncated"));
  put(frame.substr(0, frame.size() - 1));
  EXPECT_THAT(error(), HasSubstr("does not fit in the file"));
  put(frame.substr(0, 12));
  EXPECT_THAT(error(), HasSubstr("does not fit in the file of 12 bytes"));
}

TEST_F(TfrecordFormat, refuses_absurd_lengths_although_their_checksums_are_right) {
  for (const std::uint64_t size :
       {std::uint64_t{1} << 63, ~std::uint64_t{0}, std::uint64_t{4096}}) {
    put(header_of_length(size) + "x");
    EXPECT_THAT(error(), HasSubstr("does not fit")) << size;
  }
}

TEST_F(TfrecordFormat, says_why_a_file_is_no_tfrecord) {
  put("hello, this is no TFRecord file");
  EXPECT_THAT(error(), HasSubstr("is not a TFRecord file"));
  put("");
  EXPECT_THAT(error(), HasSubstr("no records"));
  write_file(folder_ / "b.tfrecord.gz", "\x1F\x8B\x08 and the rest");
  EXPECT_THAT(message_of<FormatError>([&] { (void)open_dataset(folder_ / "b.tfrecord.gz"); }),
              AllOf(HasSubstr("compressed with gzip"), HasSubstr("gunzip")));
}

TEST_F(TfrecordFormat, survives_any_truncation_and_any_changed_byte) {
  expect_survives_damage(
      path(),
      framed(image_feature("i", fake_image(0, 30)) + label_feature("label", 300)) +
          framed(image_feature("j", fake_image(1, 30))),
      1);
}

TEST_F(TfrecordFormat, survives_any_changed_byte_of_an_example_whose_checksum_is_right) {
  const std::string example =
      field(1, image_feature("i", fake_image(0, 30)) + label_feature("label", 300));
  for (std::size_t at = 0; at < example.size(); ++at) {
    for (const int change : {1, 0x80, 0xFF}) {
      std::string damaged = example;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      expect_survives(path(), format_frame(damaged));
    }
  }
  expect_survives_random_damage(path(), example,
                                [](const std::string& damaged) { return format_frame(damaged); });
}

TEST_F(TfrecordFormat, leaves_the_index_that_dali_reads) {
  const std::string one = framed(image_feature("i", image_));
  const std::string two = framed(image_feature("i", fake_image(0, 30)));
  put(one + two);
  (void)open();
  EXPECT_EQ(read_file(index()), "0 " + std::to_string(one.size()) + "\n" +
                                    std::to_string(one.size()) + " " + std::to_string(two.size()) +
                                    "\n");
}

TEST_F(TfrecordFormat, takes_the_index_from_its_file) {
  const std::string frame = framed(image_feature("i", image_));
  put(frame + frame);
  // An index with one frame instead of two shows that the lengths are not walked again.
  write_file(index(), "0 " + std::to_string(2 * frame.size()) + "\n");
  EXPECT_EQ(open()->size(), 1U);
  EXPECT_THAT(error(), HasSubstr("a.tfrecord.idx belongs to another file, remove it"));
}

TEST_F(TfrecordFormat, replaces_an_index_that_is_older_or_does_not_fill_the_file) {
  const std::string frame = framed(image_feature("i", image_));
  const std::string right = "0 " + std::to_string(frame.size()) + "\n";
  put(frame);
  for (const std::string& wrong :
       {"0 " + std::to_string(frame.size() - 1) + "\n",
        "0 " + std::to_string(frame.size() + 1) + "\n",
        "1 " + std::to_string(frame.size() - 1) + "\n", std::string("0 5\n"),
        std::string("0 18446744073709551615\n"), std::string()}) {
    write_file(index(), wrong);
    EXPECT_EQ(read().front().payload, image_) << wrong;
    EXPECT_EQ(read_file(index()), right) << wrong;
  }
  put(frame + frame);
  write_file(index(), "0 " + std::to_string(2 * frame.size()) + "\n");
  make_index_older();
  EXPECT_EQ(open()->size(), 2U);
}

TEST_F(TfrecordFormat, leaves_another_programs_file_alone) {
  put(framed(image_feature("i", image_)));
  for (const char* other : {"FRTIDX01", "1 2 3\n", "a b\n", "0 716", "-1 4\n"}) {
    write_file(index(), other);
    EXPECT_EQ(open()->size(), 1U);
    EXPECT_EQ(read_file(index()), other);
  }
}

TEST_F(TfrecordFormat, works_without_an_index_where_it_cannot_be_written) {
  put(framed(image_feature("i", image_)));
  fs::create_directory(index());
  EXPECT_EQ(open()->size(), 1U);
}

TEST_F(TfrecordFormat, writes_the_features_of_tensorflows_converter) {
  const OwnedRecord record{"cat/1.a", image_, 300};
  const std::string text = format_example(record.view(), "tabby");
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(describe_features(bytes),
            "feedrate/key (bytes), image/filename (bytes), image/format (bytes), image/class/label "
            "(int64), image/class/text (bytes), image/encoded (bytes)");
  EXPECT_THAT(text, AllOf(HasSubstr("1.a.jpg"), HasSubstr("JPEG"), HasSubstr("tabby")));
  const auto example = parse_example(bytes);
  ASSERT_TRUE(example);
  EXPECT_EQ(text_of(example->payload), image_);
  EXPECT_EQ(example->label, 300);
  EXPECT_EQ(example->key, "cat/1.a");
}

}  // namespace
}  // namespace feedrate::testing
