#include "analysis/doubts.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace feedrate {
namespace {

// What the sentences say, whoever wrote them: results of before have no more than the sentences.
constexpr std::array<std::string_view, 14> kLargest{"is a model, not a GPU",
                                                    "without optimisation",
                                                    "damaged",
                                                    "lacks",
                                                    "left out",
                                                    "parts missing",
                                                    "other process",
                                                    "other program",
                                                    "another program",
                                                    "clocks were held down",
                                                    "quota",
                                                    "share",
                                                    "One start",
                                                    "are few"};

auto rank_of(const std::string& doubt) {
  return std::find_if(kLargest.begin(), kLargest.end(),
                      [&](std::string_view part) { return doubt.find(part) != std::string::npos; });
}

}  // namespace

std::vector<std::string> largest_first(std::vector<std::string> doubts) {
  std::stable_sort(doubts.begin(), doubts.end(), [](const std::string& a, const std::string& b) {
    return rank_of(a) < rank_of(b);
  });
  return doubts;
}

}  // namespace feedrate
