// SPDX-License-Identifier: Apache-2.0
// A value that several benchmarks share, made only if one of them runs.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace feedrate {

/// Makes its value on first use. If making it throws, the next use tries again. Safe from any
/// thread.
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
