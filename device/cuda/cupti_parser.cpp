// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cupti_parser.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <cxxabi.h>
#include <fmt/format.h>

namespace feedrate::cupti {
namespace {

// Names equal those of the PyTorch profiler, so that its tools recognize them.
constexpr std::array<std::string_view, 8> kMemoryNames = {
    "Unknown", "Pageable", "Pinned",        "Device",
    "Array",   "Managed",  "Device Static", "Managed Static"};
constexpr std::array<std::string_view, 11> kCopyNames = {
    "Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
constexpr std::array<std::string_view, 5> kSyncNames = {
    "Unknown Sync", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};
// CUpti_ActivityOverheadKind: 1, then 1 << 16, 2 << 16, …
constexpr std::array<std::string_view, 9> kOverheadNames = {"Driver Compiler",
                                                            "Buffer Flush",
                                                            "Instrumentation",
                                                            "Resource",
                                                            "Runtime Triggered Module Loading",
                                                            "Lazy Function Loading",
                                                            "Command Buffer Full",
                                                            "Activity Buffer Request",
                                                            "UVM Activity Init"};

template <std::size_t kSize>
std::string_view name_in(const std::array<std::string_view, kSize>& names, std::size_t index) {
  return index < kSize ? names[index] : std::string_view("Unknown");
}

ActivityMemory memory_of(std::uint32_t kind) {
  switch (kind) {
    case kMemoryPageable:
      return ActivityMemory::kPageable;
    case kMemoryPinned:
      return ActivityMemory::kPinned;
    case kMemoryDevice:
    case kMemoryArray:
    case kMemoryDeviceStatic:
      return ActivityMemory::kDevice;
    case kMemoryManaged:
    case kMemoryManagedStatic:
      return ActivityMemory::kManaged;
    default:
      return ActivityMemory::kUnknown;
  }
}

ActivityDirection direction_of(std::uint8_t kind) {
  if (kind == kCopyHostToDevice) return ActivityDirection::kHostToDevice;
  if (kind == kCopyDeviceToHost) return ActivityDirection::kDeviceToHost;
  return ActivityDirection::kOther;
}

std::uint64_t volume(const std::int32_t (&sides)[3]) {
  std::uint64_t product = 1;
  for (const std::int32_t side : sides) {
    product *= static_cast<std::uint64_t>(std::max(side, 0));
  }
  return product;
}

std::string demangled(const char* mangled) {
  struct Free {
    void operator()(char* text) const noexcept { std::free(text); }
  };
  int status = 0;
  const std::unique_ptr<char, Free> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &status));
  return status == 0 && text ? text.get() : mangled;
}

// Returns nothing if `record` is not at least `from` bytes into `valid`.
std::optional<Bytes> rest_at(std::span<std::uint8_t> valid, const Record* record,
                             std::size_t from) {
  const auto begin = reinterpret_cast<std::uintptr_t>(valid.data());
  const auto at = reinterpret_cast<std::uintptr_t>(record);
  if (at < begin + from || at >= begin + valid.size()) return std::nullopt;
  const Bytes rest = std::as_bytes(valid.subspan(at - begin));
  if (rest.size() < sizeof(Record)) return std::nullopt;
  return rest;
}

// Calls `visit` for each record until it returns false. Returns whether all of `valid` was read.
template <typename Visit>
bool walk(NextRecord* next_record, std::span<std::uint8_t> valid, Visit visit) {
  Record* record = nullptr;
  std::size_t from = 0;
  for (;;) {
    const int result = next_record(valid.data(), valid.size(), &record);
    if (result == kMaxLimitReached) return true;
    if (result != kSuccess) return false;
    const std::optional<Bytes> rest = rest_at(valid, record, from);
    if (!rest || !visit(*rest)) return false;
    from = valid.size() - rest->size() + sizeof(Record);  // The next record must be later.
  }
}

}  // namespace

Parser::Parser(Setup setup, ActivityTrace& trace) : setup_(std::move(setup)), trace_(trace) {}

void Parser::parse(std::span<std::uint8_t> valid) {
  if (valid.empty()) return;
  if (!walk(setup_.next_record, valid, [this](Bytes rest) { return read(rest); })) {
    ++trace_.unreadable;
  }
}

bool Parser::read(Bytes rest) {
  std::uint32_t kind = 0;
  std::memcpy(&kind, rest.data(), sizeof(kind));
  switch (kind) {
    case kMemcpy:
      return read_as<MemcpyRecord>(rest);
    case kMemset:
      return read_as<MemsetRecord>(rest);
    case kConcurrentKernel:
      return read_as<KernelRecord>(rest);
    case kRuntime:
      return read_as<CallRecord>(rest);
    case kSynchronization:
      return read_as<SynchronizationRecord>(rest);
    case kOverhead:
      return read_as<OverheadRecord>(rest);
    default:
      return true;  // CUPTI sends some kinds without being asked.
  }
}

template <typename Format>
bool Parser::read_as(Bytes rest) {
  Format record;
  if (rest.size() < sizeof(record)) return false;
  std::memcpy(&record, rest.data(), sizeof(record));
  add(record);
  return true;
}

void Parser::add(const MemcpyRecord& record) {
  DeviceActivity copy{.kind = ActivityKind::kMemcpy};
  copy.direction = direction_of(record.copy_kind);
  copy.source = memory_of(record.source_kind);
  copy.target = memory_of(record.target_kind);
  copy.async = (record.flags & kFlagAsync) != 0;
  copy.device = static_cast<std::int32_t>(record.device);
  copy.stream = record.stream;
  copy.correlation = record.correlation;
  copy.bytes = record.bytes;
  copy.name = fmt::format("Memcpy {} ({} -> {})", name_in(kCopyNames, record.copy_kind),
                          name_in(kMemoryNames, record.source_kind),
                          name_in(kMemoryNames, record.target_kind));
  keep(std::move(copy), record.start, record.end);
}

void Parser::add(const MemsetRecord& record) {
  DeviceActivity fill{.kind = ActivityKind::kMemset};
  fill.target = memory_of(record.memory_kind);
  fill.async = (record.flags & kFlagAsync) != 0;
  fill.device = static_cast<std::int32_t>(record.device);
  fill.stream = record.stream;
  fill.correlation = record.correlation;
  fill.bytes = record.bytes;
  fill.name = fmt::format("Memset ({})", name_in(kMemoryNames, record.memory_kind));
  keep(std::move(fill), record.start, record.end);
}

void Parser::add(const KernelRecord& record) {
  DeviceActivity kernel{.kind = ActivityKind::kKernel};
  kernel.device = static_cast<std::int32_t>(record.device);
  kernel.stream = record.stream;
  kernel.correlation = record.correlation;
  kernel.registers_per_thread = record.registers_per_thread;
  kernel.shared_bytes_per_block =
      static_cast<std::uint64_t>(std::max(record.static_shared_bytes, 0)) +
      static_cast<std::uint64_t>(std::max(record.dynamic_shared_bytes, 0));
  kernel.blocks = volume(record.grid);
  kernel.threads_per_block = volume(record.block);
  kernel.name = kernel_name(record.name);
  keep(std::move(kernel), record.start, record.end);
}

void Parser::add(const CallRecord& record) {
  DeviceActivity call{.kind = ActivityKind::kRuntime};
  call.thread = record.thread;
  call.correlation = record.correlation;
  call.name = setup_.call_name(record.call);
  keep(std::move(call), record.start, record.end);
}

void Parser::add(const SynchronizationRecord& record) {
  DeviceActivity wait{.kind = ActivityKind::kSynchronization};
  if (record.stream != kNoStream) wait.stream = record.stream;
  wait.correlation = record.correlation;
  wait.name = name_in(kSyncNames, record.type);
  keep(std::move(wait), record.start, record.end);
}

void Parser::add(const OverheadRecord& record) {
  const std::uint32_t number = record.overhead_kind;
  DeviceActivity overhead{.kind = ActivityKind::kOverhead};
  overhead.name = number == 0 ? "Unknown" : name_in(kOverheadNames, number >> 16U);
  keep(std::move(overhead), record.start, record.end);
}

void Parser::keep(DeviceActivity activity, std::uint64_t start, std::uint64_t end) {
  if (start == 0 || end < start) {
    ++trace_.unfinished;
    return;
  }
  activity.begin = setup_.host_time(start);
  activity.end = setup_.host_time(end);
  trace_.activities.push_back(std::move(activity));
}

const std::string& Parser::kernel_name(const char* mangled) {
  std::string& name = kernel_names_[mangled];
  if (name.empty()) name = mangled == nullptr ? "kernel" : demangled(mangled);
  return name;
}

std::uint64_t count_records(NextRecord* next_record, std::span<std::uint8_t> valid) {
  std::uint64_t count = 0;
  if (valid.empty()) return 0;
  walk(next_record, valid, [&count](Bytes) {
    ++count;
    return true;
  });
  return count;
}

}  // namespace feedrate::cupti
