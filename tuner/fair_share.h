// A capacity that all who use it share equally at each moment (processor sharing), as a storage's
// bandwidth; each group of users, as a node, may have a limit of its own. What a limited group
// leaves is shared by the others (max-min fairness). Times are seconds; one thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace feedrate {

class FairShare {
 public:
  /// Units a second; infinity is no limit. REQUIRES: groups > 0, positive limits
  FairShare(double capacity, std::size_t groups, double group_limit);

  /// `user` wants `amount` from now on. REQUIRES: amount > 0, it has ended what it began before
  void begin(std::size_t group, double amount, std::uint64_t user);
  /// When the next one has got all; infinity where there is none.
  [[nodiscard]] double next_end() const;
  /// REQUIRES: now <= time <= next_end()
  void advance_to(double time);
  /// Takes one out that has got all, by now; false where there is none.
  [[nodiscard]] bool pop_ended(std::uint64_t& user);

  /// Units that were handed out so far.
  [[nodiscard]] double served() const { return served_; }

 private:
  // All users of a group get the same at each moment, so one count of what each of them has got
  // since the beginning tells when each has all.
  struct Group {
    using Goal = std::pair<double, std::uint64_t>;
    std::priority_queue<Goal, std::vector<Goal>, std::greater<>> goals;
    double got = 0.0;
    double rate = 0.0;  // Of each user.
  };

  void share();
  [[nodiscard]] static bool has_ended(const Group& group);

  double capacity_;
  double group_limit_;
  std::vector<Group> groups_;
  std::vector<Group*> waiting_;  // Of share(), kept for its memory.
  double now_ = 0.0;
  double served_ = 0.0;
};

}  // namespace feedrate
