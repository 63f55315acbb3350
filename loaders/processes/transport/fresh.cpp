// SPDX-License-Identifier: Apache-2.0
// PyTorch's sharing strategy "file_descriptor": a new segment per tensor, unlinked once it is
// mapped. Its descriptor is sent, and the receiver keeps it open with the mapping.
#include <utility>

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

class FreshTensor final : public OutgoingTensor {
 public:
  FreshTensor(const std::string& name, std::size_t bytes)
      : bytes_(bytes), segment_(create_segment(name, bytes)) {
    ::shm_unlink(name.c_str());
  }

  MutableBytes bytes() const noexcept override { return segment_.memory.bytes().first(bytes_); }
  HostMemory kind() const noexcept override { return HostMemory::kPageable; }
  TensorHandle hand_over() override {
    return {.bytes = bytes_, .address = {}, .descriptor = std::move(segment_.descriptor)};
  }

 private:
  std::size_t bytes_;
  Segment segment_;
};

class FreshSender final : public TensorSender {
 public:
  std::shared_ptr<OutgoingTensor> allocate(std::size_t bytes) override {
    return std::make_shared<FreshTensor>(
        fmt::format("/feedrate_{}_{:016x}_{}", owner_, tag_, next_++), bytes);
  }

 private:
  const std::string owner_ = owner_mark();
  const std::uint64_t tag_ = random_tag();
  std::uint64_t next_ = 0;
};

class FreshMemory final : public BatchMemory {
 public:
  explicit FreshMemory(TensorHandle handle)
      : bytes_(handle.bytes),
        descriptor_(std::move(handle.descriptor)),
        memory_(map_segment(descriptor_, bytes_, "a batch from a worker")) {}

  MutableBytes bytes() const noexcept override { return memory_.bytes().first(bytes_); }
  HostMemory kind() const noexcept override { return HostMemory::kPageable; }

 private:
  std::size_t bytes_;
  UniqueFd descriptor_;  // Stays open while the tensor lives, as in PyTorch.
  Mapping memory_;
};

class FreshTransport final : public TensorTransport {
 public:
  std::unique_ptr<TensorSender> make_sender() override { return std::make_unique<FreshSender>(); }
  std::shared_ptr<BatchMemory> receive(TensorHandle handle) override {
    if (handle.descriptor.get() < 0) {
      throw Error(fmt::format("too many open files: the descriptor of a batch was lost ({})",
                              descriptor_limit_hint()));
    }
    return std::make_shared<FreshMemory>(std::move(handle));
  }
};

}  // namespace

std::unique_ptr<TensorTransport> make_fresh_transport() {
  return std::make_unique<FreshTransport>();
}

}  // namespace feedrate
