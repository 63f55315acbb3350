// SPDX-License-Identifier: Apache-2.0
// A group whose ranks communicate through rank 0. Subclasses implement only the sums.
#pragma once
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/ranks/group.h"
#include "bench/ranks/launch.h"
#include "bench/ranks/links.h"

namespace feedrate {

class StarGroup : public RankGroup {
 public:
  StarGroup(const StarGroup&) = delete;
  StarGroup& operator=(const StarGroup&) = delete;
  ~StarGroup() override;

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  [[nodiscard]] const std::vector<RankLocation>& locations() const noexcept override {
    return locations_;
  }

  void barrier(const std::stop_token& stop) override;
  std::vector<std::string> all_gather(std::string own, const std::stop_token& stop) override;
  std::vector<std::string> gather(std::string own, const std::stop_token& stop) override;
  std::string broadcast(std::string own, int root, const std::stop_token& stop) override;
  bool agree(bool ok, const std::stop_token& stop) override;
  void check() override;
  void leave(std::string_view why) noexcept override;

 protected:
  /// Collective.
  StarGroup(const Launch& launch, std::unique_ptr<Links> links, const std::stop_token& stop);

  /// A barrier between the steps of a sum of `count` numbers.
  void meet_for_sum(std::size_t count, const std::stop_token& stop);

 private:
  /// Runs one collective and returns its texts: those of all ranks, or one.
  std::vector<std::string> call(Collective collective, std::uint64_t about, std::string own,
                                const std::stop_token& stop);
  std::vector<std::string> lead(Frame own, const std::stop_token& stop);
  std::vector<std::string> follow(const Frame& own, const std::stop_token& stop);

  void take_next(const std::stop_token& stop);
  void take(Links::Incoming&& incoming);
  void take_leave(int from, std::string why);
  [[nodiscard]] bool has_all_given() const;
  void require_present();
  void require_same_calls();

  void lose(int rank, std::string cause, FrameKind how);
  void fail(const std::string& cause);
  void tell_all(const Frame& frame) noexcept;
  void throw_if_over() const;

  const int rank_;
  const int size_;
  std::unique_ptr<Links> links_;
  std::vector<RankLocation> locations_;
  std::vector<std::optional<Frame>> given_;       // Rank 0: inputs, indexed by rank.
  std::vector<std::string> results_;              // Other ranks: results of rank 0.
  std::vector<std::optional<std::string>> left_;  // Reasons for leaving, indexed by rank.
  std::exception_ptr over_;                       // The failure that ended the group.
  bool has_left_ = false;
};

}  // namespace feedrate
