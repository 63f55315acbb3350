// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/verify.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "formats/datasets/compare_records.h"
#include "formats/datasets/in_order.h"

namespace feedrate {
namespace {

struct KeyedRecord {
  std::string key;
  std::size_t index;
};

struct Pair {
  std::size_t a;
  std::size_t b;
};

class Verification {
 public:
  Verification(const RecordReader& a, const RecordReader& b, const Job& job)
      : a_(a), b_(b), job_(job) {}

  VerifyResult run() && {
    compare_positions();
    const std::vector<Pair> pairs = match_rest();
    compare_pairs(pairs);
    return std::move(result_);
  }

 private:
  /// Compares record i with record i. If both datasets have the same order, this reads every record
  /// once and leaves no rest.
  void compare_positions() {
    using Probe = RecordComparer::Probe;
    const auto make_worker = [this]() -> std::function<Probe(std::size_t)> {
      return [comparer = make_comparer()](std::size_t index) { return comparer->probe(index); };
    };
    in_order<Probe>("comparing", std::max(a_.size(), b_.size()), job_, make_worker,
                    [this](std::size_t index, const Probe& probe) {
                      if (probe.comparison) {
                        count(*probe.comparison);
                        return;
                      }
                      set_aside(probe.a, index, rest_a_);
                      set_aside(probe.b, index, rest_b_);
                    });
  }

  void set_aside(const std::optional<std::variant<std::string, Problem>>& read, std::size_t index,
                 std::vector<KeyedRecord>& rest) {
    if (!read) return;
    if (const auto* problem = std::get_if<Problem>(&*read)) {
      ++result_.unreadable;
      note(problem->text);
    } else {
      rest.push_back({std::get<std::string>(*read), index});
    }
  }

  std::vector<Pair> match_rest() {
    std::vector<Pair> pairs = match_by_key();
    const bool no_key_in_common =
        pairs.empty() && !rest_a_.empty() && !rest_b_.empty() &&
        result_.identical_bytes + result_.identical_pixels + result_.different == 0;
    if (no_key_in_common) pairs = match_by_position();
    return pairs;
  }

  std::vector<Pair> match_by_key() {
    std::unordered_map<std::string_view, std::size_t> indices;  // in rest_b_
    for (std::size_t i = 0; i < rest_b_.size(); ++i) indices.emplace(rest_b_[i].key, i);
    std::vector<Pair> pairs;
    std::vector<KeyedRecord> only_a;
    std::vector<bool> matched(rest_b_.size(), false);
    for (const KeyedRecord& record : rest_a_) {
      const auto found = indices.find(record.key);
      if (found == indices.end() || matched[found->second]) {
        only_a.push_back(record);
        continue;
      }
      matched[found->second] = true;
      pairs.push_back({record.index, rest_b_[found->second].index});
    }
    std::vector<KeyedRecord> only_b;
    for (std::size_t i = 0; i < rest_b_.size(); ++i) {
      if (!matched[i]) only_b.push_back(rest_b_[i]);
    }
    rest_a_ = std::move(only_a);
    rest_b_ = std::move(only_b);
    return pairs;
  }

  std::vector<Pair> match_by_position() {
    result_.matched_by_position = true;
    const std::size_t count = std::min(rest_a_.size(), rest_b_.size());
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < count; ++i) pairs.push_back({rest_a_[i].index, rest_b_[i].index});
    rest_a_.erase(rest_a_.begin(), rest_a_.begin() + static_cast<std::ptrdiff_t>(count));
    rest_b_.erase(rest_b_.begin(), rest_b_.begin() + static_cast<std::ptrdiff_t>(count));
    return pairs;
  }

  void compare_pairs(const std::vector<Pair>& pairs) {
    for (const KeyedRecord& record : rest_a_) note(record.key + ": only in A");
    for (const KeyedRecord& record : rest_b_) note(record.key + ": only in B");
    result_.only_in_a = rest_a_.size();
    result_.only_in_b = rest_b_.size();
    if (pairs.empty()) return;
    const auto make_worker = [&]() -> std::function<RecordComparison(std::size_t)> {
      return [&pairs, comparer = make_comparer()](std::size_t item) {
        return comparer->compare(pairs[item].a, pairs[item].b);
      };
    };
    in_order<RecordComparison>(
        "comparing records by key", pairs.size(), job_, make_worker,
        [this](std::size_t, const RecordComparison& comparison) { count(comparison); });
  }

  void count(const RecordComparison& comparison) {
    switch (comparison.payload) {
      case PayloadMatch::kBytes:
        ++result_.identical_bytes;
        break;
      case PayloadMatch::kPixels:
        ++result_.identical_pixels;
        break;
      case PayloadMatch::kDifferent:
        ++result_.different;
        break;
    }
    if (comparison.label == LabelMatch::kDifferent) ++result_.different_labels;
    if (comparison.label == LabelMatch::kMissing) ++result_.labels_missing;
    if (!comparison.difference.empty()) note(comparison.difference);
  }

  void note(const std::string& difference) {
    if (result_.differences.size() < VerifyResult::kMaxDifferences) {
      result_.differences.push_back(difference);
    }
  }

  std::shared_ptr<RecordComparer> make_comparer() const {
    return std::make_shared<RecordComparer>(a_, b_);
  }

  const RecordReader& a_;
  const RecordReader& b_;
  const Job& job_;
  std::vector<KeyedRecord> rest_a_;
  std::vector<KeyedRecord> rest_b_;
  VerifyResult result_;
};

}  // namespace

VerifyResult verify_datasets(const RecordReader& a, const RecordReader& b, const Job& job) {
  return Verification(a, b, job).run();
}

}  // namespace feedrate
