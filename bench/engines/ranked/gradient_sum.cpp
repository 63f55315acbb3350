// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/ranked/gradient_sum.h"

#include <vector>

namespace feedrate {
namespace {

class GroupSum final : public GradientSum {
 public:
  GroupSum(RankGroup& group, std::size_t bytes)
      : group_(group), values_((bytes + sizeof(float) - 1) / sizeof(float) + 1) {}

  float add_up(float own, const std::stop_token& stop) override {
    values_.back() = own;
    group_.all_reduce(values_, stop);
    return values_.back();
  }
  std::string path() const override { return group_.data_path(); }

 private:
  RankGroup& group_;
  std::vector<float> values_;  // The gradients, then this rank's `own`.
};

}  // namespace

std::unique_ptr<GradientSum> make_group_sum(RankGroup& group, std::size_t bytes) {
  return std::make_unique<GroupSum>(group, bytes);
}

}  // namespace feedrate
