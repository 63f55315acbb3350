// SPDX-License-Identifier: Apache-2.0
// PyTorch's sharing strategy "file_system": a new named segment per tensor, whose name is sent. The
// segment passes from worker to receiver, and its last owner removes the name. (PyTorch counts
// users in the segment; here there is only one at a time.) All names of a pool share a prefix, by
// which reclaim() finds segments of killed workers. Names contain their process, by which the next
// pool or run finds segments of a killed parent. (PyTorch has torch_shm_manager for that.)
#include <cerrno>
#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/resource_limits.h"
#include "core/owner_mark.h"
#include "loaders/processes/transport/segment.h"
#include "loaders/processes/transport/transport.h"

namespace feedrate {
namespace {

class SegmentName {
 public:
  explicit SegmentName(std::string name) : name_(std::move(name)) {}
  SegmentName(SegmentName&& other) noexcept : name_(std::exchange(other.name_, {})) {}
  SegmentName& operator=(SegmentName&&) = delete;
  ~SegmentName() {
    if (!name_.empty()) ::shm_unlink(name_.c_str());
  }

  [[nodiscard]] const std::string& text() const noexcept { return name_; }
  [[nodiscard]] std::string release() noexcept { return std::exchange(name_, {}); }

 private:
  std::string name_;
};

class NamedTensor final : public OutgoingTensor {
 public:
  NamedTensor(std::string name, std::size_t bytes)
      : bytes_(bytes), memory_(create_segment(name, bytes).memory), name_(std::move(name)) {}

  MutableBytes bytes() const noexcept override { return memory_.bytes().first(bytes_); }
  HostMemory kind() const noexcept override { return HostMemory::kPageable; }
  TensorHandle hand_over() override {
    return {.bytes = bytes_, .address = name_.release(), .descriptor = {}};
  }

 private:
  std::size_t bytes_;
  Mapping memory_;
  SegmentName name_;
};

class NamedSender final : public TensorSender {
 public:
  explicit NamedSender(std::string prefix) : prefix_(std::move(prefix)) {}
  std::shared_ptr<OutgoingTensor> allocate(std::size_t bytes) override {
    return std::make_shared<NamedTensor>(fmt::format("{}{:016x}_{}", prefix_, tag_, next_++),
                                         bytes);
  }

 private:
  std::string prefix_;
  const std::uint64_t tag_ = random_tag();
  std::uint64_t next_ = 0;
};

Mapping open_by_name(const SegmentName& name, std::size_t bytes) {
  const UniqueFd descriptor(::shm_open(name.text().c_str(), O_RDWR, 0600));
  if (descriptor.get() < 0) {
    const int number = errno;
    throw SystemError(name.text(), "cannot open a batch" + hint_for(number), number);
  }
  return map_segment(descriptor, bytes, name.text());
}

class NamedMemory final : public BatchMemory {
 public:
  explicit NamedMemory(TensorHandle handle)
      : bytes_(handle.bytes),
        name_(std::move(handle.address)),
        memory_(open_by_name(name_, bytes_)) {}

  MutableBytes bytes() const noexcept override { return memory_.bytes().first(bytes_); }
  HostMemory kind() const noexcept override { return HostMemory::kPageable; }

 private:
  std::size_t bytes_;
  SegmentName name_;
  Mapping memory_;
};

constexpr std::string_view kFolder = "/dev/shm";
constexpr std::string_view kPrefix = "feedrate_";

std::vector<std::string> names_with(std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder, error)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(prefix)) names.push_back(std::move(name));
  }
  return names;
}

void remove_all_with(std::string_view prefix) {
  for (const std::string& name : names_with(prefix)) ::shm_unlink(("/" + name).c_str());
}

class FileSystemTransport final : public TensorTransport {
 public:
  FileSystemTransport()
      : prefix_(fmt::format("{}{}_{:016x}_", kPrefix, owner_mark(), random_tag())) {
    remove_left_segments();
  }

  std::unique_ptr<TensorSender> make_sender() override {
    return std::make_unique<NamedSender>("/" + prefix_);
  }
  std::shared_ptr<BatchMemory> receive(TensorHandle handle) override {
    return std::make_shared<NamedMemory>(std::move(handle));
  }

  // Also unlinks segments of batches still in use, which stay mapped.
  void reclaim() noexcept override {
    try {
      remove_all_with(prefix_);
    } catch (const std::exception&) {  // Out of memory: a later pool removes them.
    }
  }

 private:
  const std::string prefix_;
};

}  // namespace

void remove_left_segments() noexcept { remove_left_behind(kFolder, kPrefix); }

std::unique_ptr<TensorTransport> make_file_system_transport() {
  return std::make_unique<FileSystemTransport>();
}

}  // namespace feedrate
