// SPDX-License-Identifier: Apache-2.0
#include "loaders/processes/messages.h"

#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/error.h"

namespace feedrate {
namespace {

enum class ReplyKind : std::uint32_t { kResumed, kBatch, kError };

constexpr std::size_t kTypicalReplySize = 512;

class Packer {
 public:
  explicit Packer(std::size_t capacity) { bytes_.reserve(capacity); }

  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(std::as_bytes(std::span(&value, 1)));
  }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    put_bytes(std::as_bytes(std::span(text)));
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void put_bytes(Bytes bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  std::vector<std::byte> bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(Bytes rest) : rest_(rest) {}

  template <typename T>
  [[nodiscard]] T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    std::memcpy(&value, take_bytes(sizeof(T)).data(), sizeof(T));
    return value;
  }
  [[nodiscard]] std::string take_text() {
    const Bytes text = take_bytes(take<std::uint64_t>());
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }
  [[nodiscard]] std::size_t rest() const noexcept { return rest_.size(); }

 private:
  Bytes take_bytes(std::uint64_t size) {
    if (size > rest_.size()) throw Error("a message between worker and parent is damaged");
    const Bytes taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

  Bytes rest_;
};

void put_handle(Packer& packer, const TensorHandle& handle) {
  packer.put(handle.bytes);
  packer.put(std::string_view(handle.address));
}

TensorHandle take_handle(Unpacker& unpacker) {
  TensorHandle handle;
  handle.bytes = unpacker.take<std::uint64_t>();
  handle.address = unpacker.take_text();
  return handle;
}

void put_content(Packer& packer, const Resumed& /*resumed*/) { packer.put(ReplyKind::kResumed); }

void put_content(Packer& packer, const SentBatch& sent) {
  packer.put(ReplyKind::kBatch);
  packer.put(sent.batch.epoch);
  packer.put(std::uint64_t{sent.batch.bytes_used});
  packer.put(sent.batch.times);
  packer.put(sent.batch.tokens);
  packer.put(sent.batch.history);
  packer.put(sent.batch.worker_cpu);
  packer.put(std::uint64_t{sent.batch.damaged.size()});
  for (const std::string& message : sent.batch.damaged) packer.put(std::string_view(message));
  put_handle(packer, sent.samples);
  put_handle(packer, sent.labels);
}

void put_content(Packer& packer, const RemoteError& error) {
  packer.put(ReplyKind::kError);
  packer.put(error.kind);
  packer.put(std::string_view(error.text));
}

SentBatch take_batch(Unpacker& unpacker, std::uint64_t sequence) {
  SentBatch sent;
  sent.batch.sequence = sequence;
  sent.batch.epoch = unpacker.take<std::uint64_t>();
  sent.batch.bytes_used = unpacker.take<std::uint64_t>();
  sent.batch.times = unpacker.take<StageNanos>();
  sent.batch.tokens = unpacker.take<TokenCount>();
  sent.batch.history = unpacker.take<BatchHistory>();
  sent.batch.worker_cpu = unpacker.take<Nanos>();
  for (auto left = unpacker.take<std::uint64_t>(); left > 0; --left) {
    sent.batch.damaged.push_back(unpacker.take_text());
  }
  sent.samples = take_handle(unpacker);
  sent.labels = take_handle(unpacker);
  return sent;
}

// A tensor has either an address or a descriptor.
bool travels_as_descriptor(const TensorHandle& handle) { return handle.address.empty(); }

}  // namespace

std::vector<std::byte> pack(const Request& request) {
  const std::size_t indices = request.task ? request.task->indices.size() : 0;
  Packer packer(sizeof(bool) + (2 + indices) * sizeof(std::uint64_t));
  packer.put(request.task.has_value());
  if (request.task) {
    packer.put(request.task->sequence);
    packer.put(request.task->epoch);
    for (const std::uint64_t index : request.task->indices) packer.put(index);
  }
  return packer.take();
}

Request unpack_request(Bytes message) {
  Unpacker unpacker(message);
  if (!unpacker.take<bool>()) return {};
  BatchTask task;
  task.sequence = unpacker.take<std::uint64_t>();
  task.epoch = unpacker.take<std::uint64_t>();
  task.indices.reserve(unpacker.rest() / sizeof(std::uint64_t));
  while (unpacker.rest() > 0) task.indices.push_back(unpacker.take<std::uint64_t>());
  return {std::move(task)};
}

std::vector<std::byte> pack(const Reply& reply) {
  Packer packer(kTypicalReplySize);
  packer.put(std::uint64_t{reply.worker});
  packer.put(reply.sequence);
  packer.put(reply.completed);
  std::visit([&](const auto& content) { put_content(packer, content); }, reply.content);
  return packer.take();
}

std::vector<UniqueFd> take_descriptors(Reply& reply) {
  std::vector<UniqueFd> descriptors;
  if (auto* sent = std::get_if<SentBatch>(&reply.content)) {
    for (TensorHandle* handle : {&sent->samples, &sent->labels}) {
      if (travels_as_descriptor(*handle)) descriptors.push_back(std::move(handle->descriptor));
    }
  }
  return descriptors;
}

Reply unpack_reply(Bytes message, std::vector<UniqueFd> descriptors) {
  Unpacker unpacker(message);
  Reply reply;
  reply.worker = unpacker.take<std::uint64_t>();
  reply.sequence = unpacker.take<std::uint64_t>();
  reply.completed = unpacker.take<Nanos>();
  switch (unpacker.take<ReplyKind>()) {
    case ReplyKind::kResumed:
      reply.content = Resumed{reply.worker};
      return reply;
    case ReplyKind::kError: {
      const auto kind = unpacker.take<ErrorKind>();
      reply.content = RemoteError{kind, unpacker.take_text()};
      return reply;
    }
    case ReplyKind::kBatch:
      break;
  }
  SentBatch sent = take_batch(unpacker, reply.sequence);
  std::size_t next = 0;
  for (TensorHandle* handle : {&sent.samples, &sent.labels}) {
    if (!travels_as_descriptor(*handle) || next >= descriptors.size()) continue;
    handle->descriptor = std::move(descriptors[next++]);
  }
  reply.content = std::move(sent);
  return reply;
}

}  // namespace feedrate
