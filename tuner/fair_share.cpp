#include "tuner/fair_share.h"

#include <algorithm>

namespace feedrate {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-12;
// No event is closer to another: the clock would not tell them apart.
constexpr double kMoment = 1e-12;

}  // namespace

FairShare::FairShare(double capacity, std::size_t groups, double group_limit)
    : capacity_(capacity), group_limit_(group_limit), groups_(groups) {}

void FairShare::begin(std::size_t group, double amount, std::uint64_t user) {
  Group& joined = groups_[group];
  if (joined.goals.empty()) joined.got = 0.0;  // Sums that only grow lose digits.
  joined.goals.emplace(joined.got + amount, user);
  share();
}

double FairShare::next_end() const {
  double next = kNever;
  for (const Group& group : groups_) {
    if (group.goals.empty()) continue;
    const double left = std::max(0.0, group.goals.top().first - group.got);
    next = std::min(next, now_ + (has_ended(group) ? 0.0 : left / group.rate));
  }
  return next;
}

void FairShare::advance_to(double time) {
  const double seconds = time - now_;
  now_ = time;
  if (!(seconds > 0.0)) return;
  for (Group& group : groups_) {
    if (group.goals.empty()) continue;
    const double each = std::min(group.rate * seconds, group.goals.top().first - group.got);
    group.got += each;
    served_ += each * static_cast<double>(group.goals.size());
  }
}

bool FairShare::pop_ended(std::uint64_t& user) {
  for (Group& group : groups_) {
    if (group.goals.empty() || !has_ended(group)) continue;
    user = group.goals.top().second;
    group.goals.pop();
    share();
    return true;
  }
  return false;
}

bool FairShare::has_ended(const Group& group) {
  const double goal = group.goals.top().first;
  const double left = goal - group.got;
  return group.rate == kNever || left <= kRounding * goal || left <= kMoment * group.rate;
}

// The group with the most users is the first that its limit holds back; what it leaves raises the
// share of the others, so groups are taken from the largest on until none is held back.
void FairShare::share() {
  std::size_t users = 0;
  waiting_.clear();
  for (Group& group : groups_) {
    if (group.goals.empty()) continue;
    waiting_.push_back(&group);
    users += group.goals.size();
  }
  if (group_limit_ == kNever) {
    for (Group* group : waiting_) group->rate = capacity_ / static_cast<double>(users);
    return;
  }
  std::sort(waiting_.begin(), waiting_.end(),
            [](const Group* a, const Group* b) { return a->goals.size() > b->goals.size(); });
  double left = capacity_;
  for (Group* group : waiting_) {
    const auto own = static_cast<double>(group->goals.size());
    const double equal = left / static_cast<double>(users);
    group->rate = std::min(equal, group_limit_ / own);
    left -= group->rate * own;
    users -= group->goals.size();
    if (left != left) left = kNever;  // Infinity less infinity.
  }
}

}  // namespace feedrate
