// SPDX-License-Identifier: Apache-2.0
// The contract of every loader: it yields the same bytes as the inline loader.
#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "core/error.h"
#include "loaders/loader.h"
#include "loaders/sampler.h"
#include "tests/support/matchers.h"
#include "tests/support/scripted_dataset.h"
#include "tests/support/shared_gate.h"
#include "tests/support/test_device.h"

namespace feedrate::testing {
namespace {

struct Variant {
  const char* name;
  LoaderOptions options;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

LoaderOptions workers(std::int64_t count, std::int64_t prefetch, bool persistent = false,
                      bool in_order = true) {
  return {.num_workers = count,
          .prefetch_factor = prefetch,
          .persistent_workers = persistent,
          .in_order = in_order};
}

LoaderOptions with(Transport transport, bool pin_memory = false) {
  LoaderOptions options = workers(2, 2);
  options.transport = transport;
  options.pin_memory = pin_memory;
  return options;
}

class LoaderContract : public ::testing::TestWithParam<Variant> {
 protected:
  std::unique_ptr<Loader> make(const Dataset& dataset, std::int64_t batch_size, bool drop_last,
                               bool shuffle = true, const Shard& shard = {}) {
    LoaderOptions options = GetParam().options;
    options.batch_size = batch_size;
    options.drop_last = drop_last;
    options.shuffle = shuffle;
    options.seed = 11;
    ResolvedLoaderOptions resolved = resolve(options);
    resolved.shard = shard;
    return make_loader(dataset, resolved, *device_);
  }

  bool in_order() const { return GetParam().options.in_order; }

  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_ideal_device(clock_);
};

using Content = std::vector<std::byte>;

// All batches of an epoch, by sequence number, so that in_order = false is comparable.
std::map<std::uint64_t, Content> run_epoch(Loader& loader, std::uint64_t epoch) {
  std::map<std::uint64_t, Content> batches;
  loader.start_epoch(epoch);
  while (const auto batch = loader.next({})) {
    batches[batch->sequence] = Content(batch->bytes().begin(), batch->bytes().end());
  }
  return batches;
}

// All labels of an epoch in the sampler's order.
std::vector<std::uint64_t> labels_of_epoch(Loader& loader, std::uint64_t epoch) {
  std::map<std::uint64_t, std::vector<std::int64_t>> batches;
  loader.start_epoch(epoch);
  while (const auto batch = loader.next({})) batches[batch->sequence] = batch->labels;
  std::vector<std::uint64_t> labels;
  for (const auto& [sequence, of_batch] : batches) {
    labels.insert(labels.end(), of_batch.begin(), of_batch.end());
  }
  return labels;
}

// tests/loaders/sampler_test.cpp compares that order with PyTorch's.
TEST_P(LoaderContract, gives_each_rank_what_distributed_sampler_gives_it) {
  const ScriptedDataset dataset(53);
  std::set<std::uint64_t> all;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const Shard shard{.replicas = 3, .rank = rank};
    const auto loader = make(dataset, 4, false, true, shard);
    EXPECT_EQ(loader->batches_per_epoch(), 5U);
    const std::vector<std::uint64_t> labels = labels_of_epoch(*loader, 2);
    EXPECT_EQ(labels, distributed_order(53, true, 11, 2, shard));
    all.insert(labels.begin(), labels.end());
  }
  EXPECT_EQ(all.size(), 53U);
}

TEST_P(LoaderContract, gives_ranks_equal_shares_without_the_rest_on_request) {
  const ScriptedDataset dataset(53);
  std::set<std::uint64_t> all;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const auto loader =
        make(dataset, 4, false, true, {.replicas = 3, .rank = rank, .drop_last = true});
    const std::vector<std::uint64_t> labels = labels_of_epoch(*loader, 0);
    EXPECT_EQ(labels.size(), 17U);
    all.insert(labels.begin(), labels.end());
  }
  EXPECT_EQ(all.size(), 51U);
}

TEST_P(LoaderContract, yields_the_same_bytes_as_the_inline_loader) {
  const ScriptedDataset dataset(53);
  const auto loader = make(dataset, 4, false);
  const auto reference = make_inline_loader(
      dataset, resolve({.batch_size = 4, .shuffle = true, .seed = 11}), *device_);
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    EXPECT_EQ(run_epoch(*loader, epoch), run_epoch(*reference, epoch)) << "epoch " << epoch;
  }
}

TEST_P(LoaderContract, returns_batches_in_the_samplers_order_if_asked_to) {
  const ScriptedDataset dataset(40);
  const auto loader = make(dataset, 4, false);
  loader->start_epoch(0);
  std::vector<std::uint64_t> sequence;
  while (const auto batch = loader->next({})) sequence.push_back(batch->sequence);
  if (!in_order()) std::sort(sequence.begin(), sequence.end());
  EXPECT_THAT(sequence, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_P(LoaderContract, drop_last_leaves_out_the_incomplete_batch) {
  const ScriptedDataset dataset(23);
  const auto loader = make(dataset, 4, true);
  EXPECT_EQ(loader->batches_per_epoch(), 5U);
  const auto batches = run_epoch(*loader, 0);
  EXPECT_EQ(batches.size(), 5U);
  for (const auto& [sequence, content] : batches) EXPECT_EQ(content.size(), 4 * 16U);
}

TEST_P(LoaderContract, an_epoch_may_have_a_given_number_of_batches) {
  const ScriptedDataset dataset(10);
  const auto loader = make(dataset, 4, false);
  loader->start_epoch(0, 8);
  std::size_t count = 0;
  while (loader->next({})) ++count;
  EXPECT_EQ(count, 8U);
}

TEST_P(LoaderContract, throws_an_error_in_the_place_of_its_batch_and_goes_on) {
  const ScriptedDataset dataset(24, [](std::size_t, const BatchTask& task) {
    if (task.sequence == 2) throw FormatError("record 9 is damaged");
  });
  const auto loader = make(dataset, 4, false, false);
  loader->start_epoch(0);
  std::set<std::uint64_t> seen;
  std::size_t errors = 0;
  for (int i = 0; i < 6; ++i) {
    try {
      const auto batch = loader->next({});
      ASSERT_TRUE(batch);
      seen.insert(batch->sequence);
    } catch (const FormatError& error) {
      EXPECT_THAT(error.what(), StartsWith("record 9 is damaged"));
      if (in_order()) {
        EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1}));
      }
      ++errors;
    }
  }
  EXPECT_FALSE(loader->next({}));
  EXPECT_EQ(errors, 1U);
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 3, 4, 5}));
}

TEST_P(LoaderContract, an_epoch_may_be_left_early) {
  const ScriptedDataset dataset(64);
  const auto loader = make(dataset, 4, false);
  loader->start_epoch(0);
  ASSERT_TRUE(loader->next({}));
  const auto reference = make_inline_loader(
      dataset, resolve({.batch_size = 4, .shuffle = true, .seed = 11}), *device_);
  EXPECT_EQ(run_epoch(*loader, 1), run_epoch(*reference, 1));
}

TEST_P(LoaderContract, gives_up_when_a_stop_is_requested) {
  SharedGate gate;
  std::stop_source stop;
  const ScriptedDataset dataset(
      8, [&](std::size_t fetcher, const BatchTask& task) { gate.enter(fetcher, task.sequence); });
  const auto loader = make(dataset, 4, false);
  loader->start_epoch(0);
  const std::jthread other([&] {
    gate.wait_until_begun(1);
    stop.request_stop();
    if (GetParam().options.num_workers == 0) gate.open();  // Nobody else would end its fetch.
  });
  EXPECT_THROW(
      {
        static_cast<void>(loader->next(stop.get_token()));
        static_cast<void>(loader->next(stop.get_token()));
      },
      Cancelled);
  gate.open();
}

INSTANTIATE_TEST_SUITE_P(
    Loaders, LoaderContract,
    ::testing::Values(Variant{"inline_", {}}, Variant{"inline_pinned", {.pin_memory = true}},
                      Variant{"one_process", workers(1, 2)},
                      Variant{"two_processes", workers(2, 2)},
                      Variant{"four_processes_prefetch_one", workers(4, 1)},
                      Variant{"three_persistent_processes", workers(3, 2, true)},
                      Variant{"three_processes_as_completed", workers(3, 2, false, false)},
                      Variant{"two_persistent_processes_as_completed", workers(2, 3, true, false)},
                      Variant{"by_file_system", with(Transport::kFileSystem)},
                      Variant{"pinned", with(Transport::kFresh, true)}),
    [](const auto& variant) { return std::string(variant.param.name); });

TEST(CachedLoader, returns_one_full_batch_again_and_again) {
  SteadyClock clock;
  const auto device = make_ideal_device(clock);
  std::size_t fetched = 0;
  const ScriptedDataset dataset(3, [&](std::size_t, const BatchTask&) { ++fetched; });
  const auto loader = make_cached_loader(dataset, resolve({.batch_size = 4}), *device);
  loader->start_epoch(0, 5);
  const std::byte* memory = nullptr;
  for (int i = 0; i < 5; ++i) {
    const auto batch = loader->next({});
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->samples(), 4U);
    EXPECT_EQ(batch->times.decode, Nanos(0));
    if (memory) {
      EXPECT_EQ(batch->bytes().data(), memory);
    }
    memory = batch->bytes().data();
  }
  EXPECT_FALSE(loader->next({}));
  EXPECT_EQ(fetched, 1U);
}

}  // namespace
}  // namespace feedrate::testing
