// SPDX-License-Identifier: Apache-2.0
// Parses the buffers that CUPTI filled. Trusts neither their size nor their records: an unreadable
// record is counted, and the rest of its buffer is skipped. One thread.
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
    /// CUPTI's function, because only CUPTI knows the length of its records.
    NextRecord* next_record = nullptr;
    std::function<Nanos(std::uint64_t)> host_time;        ///< converts a record's timestamp
    std::function<std::string(std::uint32_t)> call_name;  ///< names a runtime call by its number
  };

  /// Appends to `trace`, which must outlive the parser.
  Parser(Setup setup, ActivityTrace& trace);

  void parse(std::span<std::uint8_t> valid);

 private:
  /// Returns false if the first record of `rest` is longer than `rest`.
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

/// The number of records in `valid`, up to the first unreadable one.
[[nodiscard]] std::uint64_t count_records(NextRecord* next_record, std::span<std::uint8_t> valid);

}  // namespace feedrate::cupti
