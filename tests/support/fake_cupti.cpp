// SPDX-License-Identifier: Apache-2.0
// FAKE_CUPTI_OLD omits functions newer than CUPTI 11.0, FAKE_CUPTI_BROKEN functions that every
// version has.
#include "tests/support/fake_cupti.h"

#include <chrono>
#include <utility>

using feedrate::testing::FakeCupti;

namespace {

std::uint64_t host_time() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

int answer(const std::map<std::uint32_t, int>& answers, std::uint32_t key) {
  const auto found = answers.find(key);
  return found == answers.end() ? 0 : found->second;
}

}  // namespace

extern "C" {

FakeCupti* fake_cupti() {
  static FakeCupti fake;
  return &fake;
}

int cuptiActivityEnable(std::uint32_t kind) {
  fake_cupti()->calls.emplace_back("enable");
  const int result = answer(fake_cupti()->enable_results, kind);
  if (result == 0) fake_cupti()->enabled.push_back(kind);
  return result;
}

int cuptiActivityDisable(std::uint32_t kind) {
  fake_cupti()->calls.emplace_back("disable");
  std::erase(fake_cupti()->enabled, kind);
  return 0;
}

int cuptiActivityFlushAll(std::uint32_t flag) {
  fake_cupti()->calls.emplace_back(flag == 1 ? "forced flush" : "flush");
  for (const auto& bytes : fake_cupti()->at_flush) fake_cupti()->deliver(bytes);
  fake_cupti()->at_flush.clear();
  return fake_cupti()->flush_result;
}

int cuptiGetTimestamp(std::uint64_t* nanoseconds) {
  *nanoseconds = host_time() + fake_cupti()->ahead;
  return fake_cupti()->timestamp_result;
}

int cuptiGetCallbackName(std::uint32_t domain, std::uint32_t call, const char** name) {
  if (domain != 2) return 1;
  if (call == 505) *name = "__cudaLaunchKernel_ptsz_v13000";
  if (call == 41) *name = "cudaMemcpyAsync_v3020";
  return call == 505 || call == 41 ? 0 : 1;
}

#ifndef FAKE_CUPTI_BROKEN

int cuptiActivityRegisterCallbacks(feedrate::cupti::RequestBuffer* request,
                                   feedrate::cupti::CompleteBuffer* complete) {
  fake_cupti()->calls.emplace_back("register callbacks");
  fake_cupti()->request = request;
  fake_cupti()->complete = complete;
  return fake_cupti()->register_result;
}

int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                               feedrate::cupti::Record** record) {
  return feedrate::testing::fake_next_record(buffer, valid, record);
}

#endif
#ifndef FAKE_CUPTI_OLD

int cuptiActivityRegisterTimestampCallback(feedrate::cupti::Timestamp* timestamp) {
  fake_cupti()->calls.emplace_back("set clock");
  fake_cupti()->timestamp = timestamp;
  return fake_cupti()->clock_result;
}

int cuptiActivityEnableRuntimeApi(std::uint32_t call, std::uint8_t enable) {
  const int result = answer(fake_cupti()->call_results, call);
  if (enable == 0) std::erase(fake_cupti()->enabled_calls, call);
  if (enable != 0 && result == 0) fake_cupti()->enabled_calls.push_back(call);
  return result;
}

int cuptiActivityGetNumDroppedRecords(void* /*context*/, std::uint32_t /*stream*/,
                                      std::size_t* dropped) {
  *dropped = std::exchange(fake_cupti()->dropped, 0);
  return 0;
}

int cuptiGetResultString(int result, const char** text) {
  *text = result == 999 ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_ERROR_OTHER";
  return 0;
}

int cuptiSetThreadIdType(std::uint32_t type) {
  fake_cupti()->calls.emplace_back(type == 1 ? "system thread ids" : "other thread ids");
  return 0;
}

#endif
}
