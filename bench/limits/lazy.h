// SPDX-License-Identifier: Apache-2.0
// What several benchmarks share, and what takes too long to be made for one that --only leaves out.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace feedrate {

/// Made on first use; an exception from making it may be thrown again on the next use. Any thread.
template <typename T>
class Lazy {
 public:
  explicit Lazy(std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {}

  [[nodiscard]] T& get() {
    const std::lock_guard lock(mutex_);
    if (!value_) value_ = make_();
    return *value_;
  }

 private:
  std::function<std::unique_ptr<T>()> make_;
  std::mutex mutex_;
  std::unique_ptr<T> value_;  // Guarded by mutex_.
};

template <typename T>
[[nodiscard]] std::shared_ptr<Lazy<T>> lazily(std::function<std::unique_ptr<T>()> make) {
  return std::make_shared<Lazy<T>>(std::move(make));
}

}  // namespace feedrate
