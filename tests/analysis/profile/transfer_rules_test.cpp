// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/profile/rules.h"
#include "tests/support/test_advice.h"
#include "tests/support/test_timeline.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;

Timeline copied_from(MemoryKind source, std::int64_t length) {
  TestTimeline built(micros(0, 1000));
  Activity& copy = built.gpu(Role::kMemcpy, "Memcpy HtoD", micros(0, length));
  copy.source = source;
  copy.target = MemoryKind::kDevice;
  copy.bytes = 5'000'000;
  Activity& other = built.gpu(Role::kMemcpy, "Memcpy HtoD", micros(500, 501));
  other.source = MemoryKind::kPinned;
  other.target = MemoryKind::kDevice;
  built.gpu(Role::kMemcpy, "Memcpy DtoH", micros(600, 900)).source = MemoryKind::kDevice;
  return built.finish();
}

TEST(TransferRules, pageable_copies_above_one_percent) {
  EXPECT_EQ(advice_on(AdviceRule::kPageableCopies, copied_from(MemoryKind::kPageable, 20))
                .value()
                .evidence,
            "1 of 2 copies to the GPU from pageable memory, 5.0 MB in total; 2.0 % of the step "
            "(limit 1 %)");
  EXPECT_FALSE(advice_on(AdviceRule::kPageableCopies, copied_from(MemoryKind::kPageable, 10)));
  EXPECT_FALSE(advice_on(AdviceRule::kPageableCopies, copied_from(MemoryKind::kPinned, 20)));
}

TEST(TransferRules, pageable_copies_despite_pinning_have_another_advice) {
  RunFacts facts;
  facts.pin_memory = true;
  EXPECT_THAT(advice_on(AdviceRule::kPageableCopies, copied_from(MemoryKind::kPageable, 20), facts)
                  .value()
                  .text,
              HasSubstr("although pin_memory is set"));
}

/// A copy call and a wait right after it.
Timeline waited_for_copy(std::int64_t length) {
  TestTimeline built(micros(0, 1000));
  const std::uint64_t correlation = built.next_correlation();
  built.host(Role::kRuntime, "cudaMemcpyAsync", micros(90, 100)).correlation = correlation;
  built.host(Role::kRuntime, "cudaStreamSynchronize", micros(100, 100 + length));
  Activity& copy = built.gpu(Role::kMemcpy, "Memcpy HtoD", micros(95, 99 + length));
  copy.correlation = correlation;
  copy.source = MemoryKind::kPinned;
  copy.target = MemoryKind::kDevice;
  return built.finish();
}

TEST(TransferRules, blocking_copies_above_one_percent) {
  const Advice advice = advice_on(AdviceRule::kBlockingCopies, waited_for_copy(31)).value();
  EXPECT_EQ(advice.evidence,
            "the host waited for 1 of 1 copies to the GPU; 3.1 % of the step (limit 1 %)");
  EXPECT_THAT(advice.text, HasSubstr("non_blocking=True"));
  EXPECT_FALSE(advice_on(AdviceRule::kBlockingCopies, waited_for_copy(10)));
}

TEST(TransferRules, blocking_copies_despite_non_blocking_have_another_advice) {
  RunFacts facts;
  facts.non_blocking = true;
  EXPECT_THAT(advice_on(AdviceRule::kBlockingCopies, waited_for_copy(31), facts).value().text,
              HasSubstr("although non_blocking is set"));
}

Timeline copied_beside_kernel(std::int64_t copy_end) {
  TestTimeline built(micros(0, 1000));
  built.gpu(Role::kKernel, "kernel", micros(0, 900));
  built.gpu(Role::kMemcpy, "Memcpy HtoD", micros(850, copy_end), 20);
  return built.finish();
}

TEST(TransferRules, exposed_copies_above_five_percent) {
  EXPECT_FALSE(advice_on(AdviceRule::kCopyOverlap, copied_beside_kernel(950)));
  EXPECT_EQ(advice_on(AdviceRule::kCopyOverlap, copied_beside_kernel(975)).value().evidence,
            "GPU 0: copies without a kernel 7.5 % of the step (limit 5 %); 40.0 % of the copy time "
            "overlapped by kernels");
}

TEST(TransferRules, exposed_copies_are_reported_for_the_worst_gpu) {
  TestTimeline built(micros(0, 1000));
  for (std::int32_t device = 0; device < 3; ++device) {
    built.gpu(Role::kMemcpy, "Memcpy HtoD", micros(0, device == 1 ? 300 : 100), 7, device);
  }
  EXPECT_THAT(advice_on(AdviceRule::kCopyOverlap, built.finish()).value().evidence,
              HasSubstr("GPU 1: copies without a kernel 30.0 % of the step"));
}

}  // namespace
}  // namespace feedrate
