// SPDX-License-Identifier: Apache-2.0
// Memory in which the ranks of a node add up their numbers. One thread an object.
//
// Each rank puts its numbers into its place (give), adds up one part of those of all
// (add_own_part), and takes the parts of all (take). Between these all ranks meet. There are two
// places a rank, used in turn, so that take() of one sum and give() of the next one need no meeting
// between them.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "core/unique_fd.h"

namespace feedrate {

class SumMemory {
 public:
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 20;

  /// Makes it. Throws SystemError.
  SumMemory(int rank, int size);
  /// Opens that of another rank at its path(). Throws SystemError.
  SumMemory(int rank, int size, const std::string& path);
  SumMemory(const SumMemory&) = delete;
  SumMemory& operator=(const SumMemory&) = delete;
  ~SumMemory();

  /// Where other processes of this user open it, as long as it is here.
  [[nodiscard]] std::string path() const;

  /// REQUIRES: at most kMostNumbers, as many in all ranks
  void give(std::span<const float> values);
  void add_own_part(std::size_t count);
  void take(std::span<float> values);

 private:
  SumMemory(int rank, int size, UniqueFd fd);
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::span<float> place(std::size_t rank, std::size_t count) const;

  std::size_t rank_;
  std::size_t size_;
  UniqueFd fd_;
  float* numbers_ = nullptr;
  std::size_t turn_ = 0;  // 0 or 1
};

}  // namespace feedrate
