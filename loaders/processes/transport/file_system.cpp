// PyTorch's sharing strategy "file_system": a new segment for each tensor that keeps its name; the
// name is sent. The segment passes from worker to receiver, and whoever has it last removes the
// name. (PyTorch counts users in the segment instead; here there is never more than one.) What a
// killed worker leaves is found by the common prefix of all names of a pool; what a killed parent
// leaves is found by the next pool, whoever makes it, for a pool that lives holds a lock. (PyTorch
// has a process for that, torch_shm_manager.)
#include <cerrno>
#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "loaders/processes/limits.h"
#include "loaders/processes/transport/segment.h"
#include "loaders/processes/transport/transport.h"

namespace feedrate {
namespace {

/// A name in /dev/shm, removed by the destructor.
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
  Parcel hand_over() override {
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
  std::shared_ptr<OutgoingTensor> allocate(Tensor /*tensor*/, std::size_t bytes) override {
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
  explicit NamedMemory(Parcel parcel)
      : bytes_(parcel.bytes),
        name_(std::move(parcel.address)),
        memory_(open_by_name(name_, bytes_)) {}

  MutableBytes bytes() const noexcept override { return memory_.bytes().first(bytes_); }
  HostMemory kind() const noexcept override { return HostMemory::kPageable; }

 private:
  std::size_t bytes_;
  SegmentName name_;
  Mapping memory_;
};

constexpr std::string_view kFolder = "/dev/shm";
constexpr std::string_view kLockPrefix = "feedrate-pool_";

/// In the folder of segments.
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

/// Says of a pool's prefix that it is in use: as long as the pool's process or a worker of it
/// lives, since forked processes share the lock. Of no use, and no harm, where the lock cannot be
/// had.
class PoolLock {
 public:
  explicit PoolLock(const std::string& pool)
      : name_(fmt::format("/{}{}", kLockPrefix, pool)),
        descriptor_(::shm_open(name_.text().c_str(), O_CREAT | O_EXCL | O_RDWR, 0600)) {
    if (descriptor_.get() >= 0) static_cast<void>(::flock(descriptor_.get(), LOCK_EX));
  }

 private:
  SegmentName name_;
  UniqueFd descriptor_;
};

bool is_abandoned(const std::string& lock) {
  const UniqueFd descriptor(::shm_open(("/" + lock).c_str(), O_RDWR, 0600));
  return descriptor.get() >= 0 && ::flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_what_dead_pools_left() {
  for (const std::string& lock : names_with(kLockPrefix)) {
    if (!is_abandoned(lock)) continue;
    remove_all_with("feedrate_" + lock.substr(kLockPrefix.size()) + "_");
    ::shm_unlink(("/" + lock).c_str());
  }
}

class FileSystemTransport final : public TensorTransport {
 public:
  FileSystemTransport() : pool_(fmt::format("{}_{:016x}", ::getpid(), random_tag())), lock_(pool_) {
    remove_what_dead_pools_left();
  }

  std::unique_ptr<TensorSender> make_sender(std::size_t /*worker*/) override {
    return std::make_unique<NamedSender>("/" + prefix());
  }
  std::shared_ptr<BatchMemory> receive(Parcel parcel) override {
    return std::make_shared<NamedMemory>(std::move(parcel));
  }

  // Also takes the name of what a batch still lies in, which does the batch no harm.
  void reclaim() noexcept override {
    try {
      remove_all_with(prefix());
    } catch (const std::exception&) {  // Out of memory: a later pool does it.
    }
  }

 private:
  [[nodiscard]] std::string prefix() const { return "feedrate_" + pool_ + "_"; }

  const std::string pool_;
  const PoolLock lock_;
};

}  // namespace

std::unique_ptr<TensorTransport> make_file_system_transport() {
  return std::make_unique<FileSystemTransport>();
}

}  // namespace feedrate
