// SPDX-License-Identifier: Apache-2.0
// A fake CUPTI: a test sets its answers and writes its records. The test loads the file that it
// names in FEEDRATE_CUPTI_PATH and calls its fake_cupti(). Calls come from one thread.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "device/cuda/cupti_library.h"
#include "device/cuda/cupti_records.h"

namespace feedrate::testing {

/// Real records are longer than the declared fields by different amounts.
inline constexpr std::size_t kFakeTail = 24;
inline constexpr std::uint32_t kFakeOtherKind = 51;  ///< known to the library, not to feedrate

inline std::size_t fake_record_size(std::uint32_t kind) {
  switch (kind) {
    case cupti::kMemcpy:
      return sizeof(cupti::MemcpyRecord) + kFakeTail;
    case cupti::kMemset:
      return sizeof(cupti::MemsetRecord) + kFakeTail;
    case cupti::kConcurrentKernel:
      return sizeof(cupti::KernelRecord) + kFakeTail;
    case cupti::kRuntime:
      return sizeof(cupti::CallRecord) + kFakeTail;
    case cupti::kSynchronization:
      return sizeof(cupti::SynchronizationRecord) + kFakeTail;
    case cupti::kOverhead:
      return sizeof(cupti::OverheadRecord) + kFakeTail;
    case kFakeOtherKind:
      return 64;
    default:
      return 0;
  }
}

/// Trusts the buffer's content as CUPTI does, up to a record that begins before its end.
inline int fake_next_record(std::uint8_t* buffer, std::size_t valid, cupti::Record** record) {
  constexpr int kInvalidKind = 21;
  std::size_t at = 0;
  if (*record != nullptr) {
    at = static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(*record) - buffer) +
         fake_record_size((*record)->kind);
  }
  if (at >= valid) return cupti::kMaxLimitReached;
  std::uint32_t kind = 0;
  std::memcpy(&kind, buffer + at, std::min(sizeof(kind), valid - at));
  if (fake_record_size(kind) == 0) return kInvalidKind;
  *record = reinterpret_cast<cupti::Record*>(buffer + at);
  return cupti::kSuccess;
}

/// Contiguous records, as in a buffer.
class FakeRecords {
 public:
  template <typename Format>
  FakeRecords& add(const Format& record) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + fake_record_size(record.kind));
    std::memcpy(bytes_.data() + at, &record, sizeof(record));
    return *this;
  }
  FakeRecords& truncate_to(std::size_t size) {
    bytes_.resize(size);
    return *this;
  }
  [[nodiscard]] std::vector<std::uint8_t>& bytes() { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

struct FakeCupti {
  // The answers.
  std::map<std::uint32_t, int> enable_results;  ///< by kind; default: 0
  std::map<std::uint32_t, int> call_results;    ///< by runtime call, of enabling it
  int register_result = 0;
  int clock_result = 0;  ///< result of setting the timestamp callback
  int flush_result = 0;
  int timestamp_result = 0;  ///< result of reading the clock
  std::uint64_t ahead = 0;   ///< how far its own clock is ahead of the host's
  std::size_t dropped = 0;   ///< reading resets it
  std::vector<std::vector<std::uint8_t>> at_flush;  ///< buffers that a flush fills

  // The recorded calls.
  std::vector<std::string> calls;
  std::vector<std::uint32_t> enabled;
  std::vector<std::uint32_t> enabled_calls;
  cupti::Timestamp* timestamp = nullptr;
  cupti::RequestBuffer* request = nullptr;
  cupti::CompleteBuffer* complete = nullptr;

  /// Requests a buffer, fills it and returns it.
  void deliver(const std::vector<std::uint8_t>& bytes) const {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0;
    std::size_t most_records = 1;
    request(&buffer, &size, &most_records);
    if (bytes.size() > size || most_records != 0) return;
    std::memcpy(buffer, bytes.data(), bytes.size());
    complete(nullptr, 0, buffer, size, bytes.size());
  }
};

}  // namespace feedrate::testing

extern "C" feedrate::testing::FakeCupti* fake_cupti();
