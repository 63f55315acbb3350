// SPDX-License-Identifier: Apache-2.0
// The ranks of one start, as one of them sees them: they meet, exchange texts and add up numbers.
//
// Every rank calls the same functions in the same order ("collectives"), all of them from one
// thread at a time. They block until all ranks have called, and throw
//  - RankLost when a rank is killed, hangs up, or its node is gone: within 10 s where rank 0 waits
//    or checks, too, since it is the one that tells the others,
//  - Cancelled when `stop` is requested,
//  - Error when ranks call different functions.
// After any of these the group is of no use but to leave() it.
#pragma once
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace feedrate {

/// A rank has gone. Fails the cell in all others.
class RankLost : public Error {
 public:
  /// `node` may be empty, where it was not known yet; `rank` -1, where it is not known which.
  RankLost(int rank, std::string node, std::string cause);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] const std::string& node() const noexcept { return node_; }
  [[nodiscard]] const std::string& cause() const noexcept { return cause_; }

 private:
  int rank_;
  std::string node_;
  std::string cause_;
};

/// One rank, as the others know it.
struct RankPlace {
  int local_rank = 0;
  std::string node;
};

class RankGroup {
 public:
  virtual ~RankGroup() = default;

  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;
  /// By rank. Of the group's life.
  [[nodiscard]] virtual const std::vector<RankPlace>& places() const noexcept = 0;
  /// How all_reduce() moves its bytes: "shared memory", "Open MPI 4.1.4"; "none" of one rank.
  [[nodiscard]] virtual std::string data_path() const = 0;

  virtual void barrier(const std::stop_token& stop = {}) = 0;
  /// Each rank's text, by rank, on all. At most kMostBytes each.
  [[nodiscard]] virtual std::vector<std::string> all_gather(std::string own,
                                                            const std::stop_token& stop = {}) = 0;
  /// The same on rank 0 only, and nothing on the others: of many ranks and long texts much quicker.
  [[nodiscard]] virtual std::vector<std::string> gather(std::string own,
                                                        const std::stop_token& stop = {}) = 0;
  /// The text of rank `root` on all; what the others give is not looked at.
  [[nodiscard]] virtual std::string broadcast(std::string own, int root = 0,
                                              const std::stop_token& stop = {}) = 0;
  /// A barrier that tells whether all ranks were `ok`: how ranks end a cell together that one of
  /// them cannot go on with, without losing the group.
  [[nodiscard]] virtual bool agree(bool ok, const std::stop_token& stop = {}) = 0;
  /// Each number becomes the sum of all ranks' at its place, as the gradients of a step do. All
  /// give equally many.
  virtual void all_reduce(std::span<float> values, const std::stop_token& stop = {}) = 0;

  /// Throws RankLost if one is known to be lost; does not wait.
  virtual void check() = 0;
  /// Goes. With a reason ("its cell failed: …") the others get RankLost at once, in whatever they
  /// wait, and from check(); without one when they call what this rank would have to answer. The
  /// destructor leaves without one. Any later collective here throws Error.
  virtual void leave(std::string_view why) noexcept = 0;

  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
};

/// The texts of the ranks of this rank's node, by local rank. All ranks of the group call it.
[[nodiscard]] std::vector<std::string> gather_on_node(RankGroup& group, std::string own,
                                                      const std::stop_token& stop = {});

/// One rank, alone.
[[nodiscard]] std::unique_ptr<RankGroup> make_single_group(std::string node);

}  // namespace feedrate
