// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/verify.h"

#include "formats/datasets/convert.h"
#include "loaders/decode/decoder.h"
#include "loaders/decode/encoder.h"
#include "tests/formats/datasets/small_dataset.h"

namespace feedrate::testing {
namespace {

std::vector<OwnedRecord> sample_records(ImageEncoding encoding = ImageEncoding::kPng) {
  MakeOptions options = small_images();
  options.encoding = encoding;
  const DatasetPlan plan = resolve(options);
  std::vector<OwnedRecord> records;
  for (std::size_t i = 0; i < plan.count; ++i) {
    records.push_back(make_record(plan, i, Payload::kEncoded));
  }
  return records;
}

const std::vector<std::string> kNames{"airplane", "automobile", "bird"};

/// Two datasets in LMDB, which keeps any bytes, labels and order.
class Verify : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::vector<OwnedRecord>& records,
             const std::vector<std::string>& class_names = kNames) {
    const auto writer = find_format("lmdb").create(
        folder_ / name,
        {.class_names = class_names, .records = records.size(), .shape = std::nullopt});
    for (const OwnedRecord& record : records) writer->append(record.view());
    writer->finish();
  }

  VerifyResult verify(const std::string& a = "a.lmdb", const std::string& b = "b.lmdb") {
    return verify_datasets(*open_dataset(folder_ / a), *open_dataset(folder_ / b), {.threads = 3});
  }

  /// The first dataset with one of the present records.
  VerifyResult compared() {
    write("b.lmdb", records_);
    return verify();
  }

  TempFolder folder_;
  std::vector<OwnedRecord> records_ = sample_records();
};

TEST_F(Verify, finds_equal_datasets_identical) {
  write("a.lmdb", records_);
  const VerifyResult result = compared();
  EXPECT_TRUE(result.identical());
  EXPECT_EQ(result.identical_bytes, 12U);
  EXPECT_THAT(result.differences, IsEmpty());
}

TEST_F(Verify, matches_records_by_key_in_whatever_order) {
  write("a.lmdb", records_);
  std::reverse(records_.begin(), records_.end());
  const VerifyResult result = compared();
  EXPECT_TRUE(result.identical());
  EXPECT_FALSE(result.matched_by_position);
  EXPECT_EQ(result.identical_bytes, 12U);
}

TEST_F(Verify, finds_one_changed_pixel) {
  write("a.lmdb", records_);
  Image image;
  make_decoder()->decode(records_[7].payload, image);
  image.pixels[100] ^= 1;
  records_[7].payload = encode_png(image);
  const VerifyResult result = compared();
  EXPECT_FALSE(result.identical());
  EXPECT_EQ(result.identical_bytes, 11U);
  EXPECT_EQ(result.different, 1U);
  EXPECT_THAT(result.differences, ElementsAre(AllOf(HasSubstr("automobile/0000007"),
                                                    HasSubstr("1 of 576 pixel values differ"))));
}

TEST_F(Verify, finds_a_flipped_byte) {
  write("a.lmdb", records_);
  records_[7].payload[records_[7].payload.size() / 2] ^= std::byte{0x40};
  const VerifyResult result = compared();
  EXPECT_EQ(result.different, 1U);
  EXPECT_THAT(result.differences, ElementsAre(HasSubstr("automobile/0000007")));
}

TEST_F(Verify, finds_a_changed_label_and_names_both_classes) {
  write("a.lmdb", records_);
  records_[3].label = 2;
  const VerifyResult result = compared();
  EXPECT_FALSE(result.identical());
  EXPECT_EQ(result.identical_bytes, 12U);
  EXPECT_EQ(result.different_labels, 1U);
  EXPECT_THAT(result.differences, ElementsAre(AllOf(HasSubstr("airplane/0000003"),
                                                    HasSubstr("class airplane in A, bird in B"))));
}

TEST_F(Verify, compares_classes_by_name_where_both_datasets_name_them) {
  write("a.lmdb", records_);
  for (OwnedRecord& record : records_) record.label = 2 - record.label;
  write("b.lmdb", records_, {"bird", "automobile", "airplane"});
  EXPECT_TRUE(verify().identical());
}

TEST_F(Verify, compares_labels_as_numbers_where_one_dataset_names_no_classes) {
  write("a.lmdb", records_);
  write("b.lmdb", records_, {});
  EXPECT_TRUE(verify().identical());
  records_[0].label = 1;
  write("c.lmdb", records_, {});
  EXPECT_EQ(verify("a.lmdb", "c.lmdb").different_labels, 1U);
}

TEST_F(Verify, counts_labels_that_one_dataset_lacks_without_listing_each) {
  write("a.lmdb", records_);
  for (OwnedRecord& record : records_) record.label = kNoLabel;
  const VerifyResult result = compared();
  EXPECT_FALSE(result.identical());
  EXPECT_EQ(result.labels_missing, 12U);
  EXPECT_THAT(result.differences, IsEmpty());
}

TEST_F(Verify, finds_records_that_only_one_dataset_has) {
  write("a.lmdb", records_);
  records_.erase(records_.begin() + 3);
  records_.back().key = "stranger";
  const VerifyResult result = compared();
  EXPECT_EQ(result.identical_bytes, 10U);
  EXPECT_EQ(result.only_in_a, 2U);
  EXPECT_EQ(result.only_in_b, 1U);
  EXPECT_THAT(result.differences, ElementsAre("airplane/0000003: only in A",
                                              "bird/0000011: only in A", "stranger: only in B"));
}

TEST_F(Verify, compares_by_position_where_no_key_is_shared) {
  write("a.lmdb", records_);
  for (std::size_t i = 0; i < records_.size(); ++i) records_[i].key = std::to_string(i);
  const VerifyResult result = compared();
  EXPECT_TRUE(result.identical());
  EXPECT_TRUE(result.matched_by_position);
  EXPECT_EQ(result.identical_bytes, 12U);
}

TEST_F(Verify, counts_equal_bytes_that_do_not_decode_as_identical_bytes) {
  records_[4].payload.resize(40);
  write("a.lmdb", records_);
  write("b.lmdb", records_);
  EXPECT_EQ(verify().identical_bytes, 12U);
}

TEST_F(Verify, counts_unequal_bytes_that_do_not_decode_as_different) {
  records_[4].payload.resize(40);
  write("a.lmdb", records_);
  records_[4].payload.resize(39);
  const VerifyResult result = compared();
  EXPECT_EQ(result.different, 1U);
  EXPECT_THAT(result.differences, ElementsAre(HasSubstr("automobile/0000004")));
}

TEST_F(Verify, counts_a_jpeg_folder_and_its_decoded_pixels_as_identical_pixels) {
  const auto source = make_folder(folder_, small_photos());
  convert_dataset(*open_dataset(source), folder_ / "pixels.h5", {.format = "hdf5-decoded"}, {});
  const VerifyResult result = verify("source", "pixels.h5");
  EXPECT_TRUE(result.identical());
  EXPECT_EQ(result.identical_pixels, 12U);
  EXPECT_EQ(result.identical_bytes, 0U);
}

TEST_F(Verify, counts_records_that_cannot_be_read) {
  const auto source = make_folder(folder_, small_images());
  convert_dataset(*open_dataset(source), folder_ / "b.lmdb", {.format = "lmdb"}, {});
  std::filesystem::resize_file(source / "bird/0000005.png", 0);
  const VerifyResult result = verify("source", "b.lmdb");
  EXPECT_FALSE(result.identical());
  EXPECT_EQ(result.identical_bytes, 11U);
  EXPECT_EQ(result.unreadable, 1U);
  EXPECT_EQ(result.only_in_b, 1U);
  EXPECT_THAT(result.differences,
              ElementsAre(HasSubstr("bird/0000005.png: record 9"), "bird/0000005: only in B"));
}

TEST_F(Verify, names_no_more_than_ten_differences) {
  write("a.lmdb", records_);
  for (OwnedRecord& record : records_) record.label = (record.label + 1) % 3;
  const VerifyResult result = compared();
  EXPECT_EQ(result.different_labels, 12U);
  EXPECT_THAT(result.differences, SizeIs(10));
}

}  // namespace
}  // namespace feedrate::testing
