// SPDX-License-Identifier: Apache-2.0
// Reads the buffers that CUPTI filled. Trusts neither their end nor the records in them: what makes
// no sense is counted, and the rest of that buffer is left out. One thread.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "device/activity.h"
#include "device/cuda/cupti_library.h"

namespace feedrate::cupti {

class Parser {
 public:
  struct Setup {
    /// The library's own, because it alone knows how long its records are.
    NextRecord* next_record = nullptr;
    std::function<Nanos(std::uint64_t)> host_time;        ///< of a record's time
    std::function<std::string(std::uint32_t)> call_name;  ///< of a runtime call's number
  };

  /// Appends to `trace`, which outlives it.
  Parser(Setup setup, ActivityTrace& trace);

  /// `valid`: the bytes of a buffer that CUPTI says it filled.
  void parse(std::span<std::uint8_t> valid);

 private:
  /// False if the record that `rest` begins with does not end in it.
  bool read(Bytes rest);
  template <typename Format>
  bool read_as(Bytes rest);

  void add(const MemcpyRecord& record);
  void add(const MemsetRecord& record);
  void add(const KernelRecord& record);
  void add(const CallRecord& record);
  void add(const SynchronizationRecord& record);
  void add(const OverheadRecord& record);
  void keep(DeviceActivity activity, std::uint64_t start, std::uint64_t end);
  const std::string& kernel_name(const char* mangled);

  Setup setup_;
  ActivityTrace& trace_;
  std::unordered_map<const char*, std::string> kernel_names_;
};

/// How many records `valid` holds, as far as they can be read.
[[nodiscard]] std::uint64_t count_records(NextRecord* next_record, std::span<std::uint8_t> valid);

}  // namespace feedrate::cupti
