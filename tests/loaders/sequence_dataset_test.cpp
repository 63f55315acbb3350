// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "core/error.h"
#include "formats/registry.h"
#include "loaders/loader.h"
#include "loaders/record_dataset.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_device.h"

namespace feedrate::testing {
namespace {

using Tokens = std::vector<std::int32_t>;

class SequenceDataset : public ::testing::Test {
 protected:
  std::shared_ptr<const RecordReader> store(const std::vector<Bytes>& payloads,
                                            Payload kind = Payload::kBytes,
                                            const std::string& format = "tfrecord") {
    const auto path = folder_ / ("set." + format);
    const auto writer = find_format(format).create(path, {});
    for (std::size_t i = 0; i < payloads.size(); ++i) {
      const std::string key = "record" + std::to_string(i);
      const auto label = static_cast<std::int64_t>(i);
      writer->append({.payload = payloads[i], .label = label, .key = key, .kind = kind});
    }
    writer->finish();
    return open_dataset(path);
  }

  std::shared_ptr<const RecordReader> store_tokens(const std::vector<Tokens>& sequences) {
    std::vector<Bytes> payloads;
    for (const Tokens& tokens : sequences) payloads.push_back(std::as_bytes(std::span(tokens)));
    return store(payloads);
  }

  // The memory has other content before.
  Batch fetch(const Dataset& dataset, const std::vector<std::uint64_t>& indices) {
    Batch batch;
    batch.buffer = std::make_shared<OwnedMemory>(
        device_->allocate_host(indices.size() * dataset.sample_bytes(), HostMemory::kPageable));
    const MutableBytes bytes = batch.buffer->bytes();
    std::fill(bytes.begin(), bytes.end(), std::byte{0xFF});
    dataset.open_fetcher()->fetch({0, 0, indices}, batch);
    return batch;
  }

  static Tokens values(const Batch& batch) {
    Tokens tokens(batch.bytes_used / sizeof(std::int32_t));
    std::memcpy(tokens.data(), batch.bytes().data(), batch.bytes_used);
    return tokens;
  }

  struct Loaded {
    Tokens values;
    std::vector<std::int64_t> labels;
    std::uint64_t real = 0;
    std::uint64_t padded = 0;

    bool operator==(const Loaded&) const = default;
  };

  // All batches of an epoch, by sequence number.
  std::map<std::uint64_t, Loaded> load(const Dataset& dataset, LoaderOptions options) {
    options.batch_size = 3;
    options.shuffle = true;
    const auto loader = make_loader(dataset, resolve(options), *device_);
    std::map<std::uint64_t, Loaded> batches;
    loader->start_epoch(0);
    while (const auto batch = loader->next({})) {
      batches[batch->sequence] = {values(*batch), batch->labels, batch->tokens.real,
                                  batch->tokens.padded};
    }
    return batches;
  }

  TempFolder folder_;
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_ideal_device(clock_);
};

std::vector<Tokens> three() { return {{1, 2, 3}, {4}, {5, 6}}; }

TEST_F(SequenceDataset, pads_to_the_longest_of_the_batch) {
  const auto dataset = make_sequence_dataset(store_tokens(three()), {8}, OnDamaged::kThrow);
  const Batch batch = fetch(*dataset, {1, 0, 2});
  EXPECT_EQ(values(batch), (Tokens{4, 0, 0, 1, 2, 3, 5, 6, 0}));
  EXPECT_EQ(batch.tokens.real, 6U);
  EXPECT_EQ(batch.tokens.padded, 9U);
  EXPECT_EQ(batch.samples(), 3U);
  EXPECT_EQ(values(fetch(*dataset, {1})), Tokens{4});
}

TEST_F(SequenceDataset, pads_to_max_length_for_any_batch) {
  const auto dataset =
      make_sequence_dataset(store_tokens(three()), {4, Padding::kMaxLength}, OnDamaged::kThrow);
  const Batch batch = fetch(*dataset, {0, 1, 2});
  EXPECT_EQ(values(batch), (Tokens{1, 2, 3, 0, 4, 0, 0, 0, 5, 6, 0, 0}));
  EXPECT_EQ(batch.tokens.real, 6U);
  EXPECT_EQ(batch.tokens.padded, 12U);
}

TEST_F(SequenceDataset, truncates_longer_sequences) {
  const auto dataset = make_sequence_dataset(store_tokens(three()), {2}, OnDamaged::kThrow);
  EXPECT_EQ(values(fetch(*dataset, {0, 1, 2})), (Tokens{1, 2, 4, 0, 5, 6}));
  EXPECT_EQ(dataset->sample_bytes(), 8U);
  EXPECT_THAT(dataset->lengths({}), ElementsAre(2U, 1U, 2U));
}

TEST_F(SequenceDataset, moves_rows_apart_however_their_lengths_follow_each_other) {
  for (const std::vector<std::uint64_t>& order :
       std::vector<std::vector<std::uint64_t>>{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {1, 1, 0, 0}}) {
    const std::vector<Tokens> sequences = three();
    const auto dataset = make_sequence_dataset(store_tokens(sequences), {3}, OnDamaged::kThrow);
    Tokens expected;
    for (const std::uint64_t index : order) {
      Tokens row = sequences[index];
      row.resize(3);
      expected.insert(expected.end(), row.begin(), row.end());
    }
    EXPECT_EQ(values(fetch(*dataset, order)), expected);
    std::filesystem::remove(folder_ / "set.tfrecord");
    std::filesystem::remove(folder_ / "set.tfrecord.idx");
  }
}

TEST_F(SequenceDataset, is_what_a_pipeline_of_tokens_makes) {
  PipelineSpec pipeline;
  pipeline.dtype = SampleDtype::kUint8;
  pipeline.tokens = TokenSequences{.max_length = 8};
  const auto dataset = make_record_dataset(store_tokens(three()), pipeline, 0);
  EXPECT_EQ(dataset->sample_bytes(), 32U);
  EXPECT_EQ(values(fetch(*dataset, {2, 1})), (Tokens{5, 6, 4, 0}));
  pipeline.tokens->max_length = 0;
  EXPECT_THAT([&] { static_cast<void>(make_record_dataset(nullptr, pipeline, 0)); },
              ThrowsMessage<ConfigError>(HasSubstr("tokens is 0")));
}

TEST_F(SequenceDataset, names_the_record_that_is_no_sequence) {
  const std::vector<std::byte> five(5);
  const auto dataset = make_sequence_dataset(store({five}), {8}, OnDamaged::kThrow);
  EXPECT_THAT([&] { static_cast<void>(fetch(*dataset, {0})); },
              ThrowsMessage<FormatError>(AllOf(HasSubstr("set.tfrecord: record 0"),
                                               HasSubstr("5 bytes are not a sequence of tokens"))));
  EXPECT_THROW(static_cast<void>(dataset->lengths({})), FormatError);
}

TEST_F(SequenceDataset, has_no_sequence_without_a_token) {
  const auto dataset =
      make_sequence_dataset(store({Bytes()}, Payload::kBytes, "npz"), {8}, OnDamaged::kThrow);
  EXPECT_THAT([&] { static_cast<void>(fetch(*dataset, {0})); },
              ThrowsMessage<FormatError>(HasSubstr("0 bytes are not a sequence of tokens")));
}

TEST_F(SequenceDataset, reads_lengths_once_unless_it_is_stopped) {
  const auto dataset = make_sequence_dataset(store_tokens(three()), {8}, OnDamaged::kThrow);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_THROW(static_cast<void>(dataset->lengths(stopped.get_token())), Cancelled);
  EXPECT_THAT(dataset->lengths({}), ElementsAre(3U, 1U, 2U));
  EXPECT_THAT(dataset->lengths(stopped.get_token()), ElementsAre(3U, 1U, 2U));
}

TEST_F(SequenceDataset, rejects_images) {
  const std::vector<std::byte> jpeg{std::byte{0xFF}, std::byte{0xD8}, std::byte{0xFF},
                                    std::byte{0xE0}};
  const auto dataset =
      make_sequence_dataset(store({jpeg}, Payload::kEncoded), {8}, OnDamaged::kThrow);
  EXPECT_THAT([&] { static_cast<void>(fetch(*dataset, {0})); },
              ThrowsMessage<FormatError>(HasSubstr("holds an image")));
}

TEST_F(SequenceDataset, gives_a_row_of_zeros_for_a_damaged_record_on_request) {
  const std::vector<std::byte> five(5, std::byte{9});
  const Tokens two{1, 2};
  const auto dataset =
      make_sequence_dataset(store({five, std::as_bytes(std::span(two))}), {8}, OnDamaged::kSkip);
  const Batch batch = fetch(*dataset, {0, 1});
  EXPECT_EQ(values(batch), (Tokens{0, 0, 1, 2}));
  EXPECT_THAT(batch.damaged, ElementsAre(HasSubstr("record 0")));
  EXPECT_EQ(batch.labels[0], kNoLabel);
  EXPECT_THAT(dataset->lengths({}), ElementsAre(0U, 2U));
  EXPECT_EQ(values(fetch(*dataset, {0})), Tokens{0});  // A batch is never empty.
}

TEST_F(SequenceDataset, yields_the_same_rows_at_any_number_of_workers_by_any_way) {
  std::vector<Tokens> sequences;
  for (std::int32_t i = 0; i < 20; ++i) {
    sequences.emplace_back(static_cast<std::size_t>(i * 7 % 11 + 1), i);
  }
  const auto dataset = make_sequence_dataset(store_tokens(sequences), {16}, OnDamaged::kThrow);
  for (const bool grouped : {false, true}) {
    const auto reference = load(*dataset, {.group_by_length = grouped});
    ASSERT_EQ(reference.size(), 7U);
    for (const Transport transport : {Transport::kFresh, Transport::kFileSystem}) {
      EXPECT_EQ(load(*dataset, {.num_workers = 2,
                                .pin_memory = true,
                                .group_by_length = grouped,
                                .transport = transport}),
                reference);
    }
  }
}

TEST_F(SequenceDataset, grouped_by_length_needs_less_padding) {
  std::vector<Tokens> sequences;
  for (std::size_t i = 0; i < 60; ++i) sequences.emplace_back(i * 37 % 60 + 1, 1);
  const auto dataset = make_sequence_dataset(store_tokens(sequences), {64}, OnDamaged::kThrow);
  const auto padded = [&](bool grouped) {
    std::size_t sum = 0;
    for (const auto& [sequence, batch] : load(*dataset, {.group_by_length = grouped})) {
      sum += batch.padded;
    }
    return sum;
  };
  EXPECT_LT(padded(true), padded(false));
}

}  // namespace
}  // namespace feedrate::testing
