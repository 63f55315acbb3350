// SPDX-License-Identifier: Apache-2.0
// Builds small traces of the PyTorch profiler event by event, and their reports. Times are in
// microseconds.
#pragma once
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/profile/trace_report.h"
#include "tests/support/temp_folder.h"

namespace feedrate::testing {

using TraceJson = nlohmann::ordered_json;

inline constexpr const char* kNext =
    "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";

inline TraceJson host_event(const char* category, const std::string& name, double begin,
                            double duration, TraceJson arguments = TraceJson::object()) {
  return {{"ph", "X"}, {"cat", category}, {"name", name},    {"pid", 1},
          {"tid", 1},  {"ts", begin},     {"dur", duration}, {"args", std::move(arguments)}};
}

inline TraceJson on_gpu(const char* category, const std::string& name, double begin,
                        double duration, int correlation, TraceJson more = TraceJson::object()) {
  more.update({{"device", 0}, {"stream", 7}, {"correlation", correlation}});
  TraceJson made = host_event(category, name, begin, duration, std::move(more));
  made["pid"] = 0;
  made["tid"] = 7;
  return made;
}

inline TraceJson kernel(const std::string& name, double begin, double duration, int correlation) {
  return on_gpu("kernel", name, begin, duration, correlation);
}

inline TraceJson call(const char* category, const std::string& name, double begin, double duration,
                      int correlation) {
  return host_event(category, name, begin, duration, {{"correlation", correlation}});
}

inline TraceJson step(int number, double begin, double duration) {
  return host_event("user_annotation", "ProfilerStep#" + std::to_string(number), begin, duration);
}

class SmallTrace : public ::testing::Test {
 protected:
  [[nodiscard]] TraceReport report_of_text(const std::string& text) const {
    write_file(folder_ / "trace.json", text);
    return make_trace_report("trace.json", read_trace(folder_ / "trace.json"));
  }
  [[nodiscard]] TraceReport report_of(const std::vector<TraceJson>& events,
                                      const TraceJson& gpu = TraceJson()) const {
    TraceJson document{{"traceEvents", events}};
    if (!gpu.is_null()) document["deviceProperties"] = TraceJson::array({gpu});
    return report_of_text(document.dump());
  }
  static std::string print(const TraceReport& report) {
    std::ostringstream out;
    print_trace_report(out, report);
    return out.str();
  }
  static std::string advice_of(const TraceReport& report) {
    std::string text;
    for (const Advice& advice : report.summary.advice) text += advice.text + advice.evidence;
    return text;
  }
  static double micros_of(Nanos time) { return 1e6 * to_seconds(time); }
  static double micros_of(const TraceReport& report, std::size_t step, Role role) {
    return micros_of(report.summary.execution.steps.at(step)[role]);
  }
  static double length_of(const TraceReport& report, std::size_t step) {
    const TimeInterval span = report.summary.execution.steps.at(step).step.span;
    return micros_of(span.end - span.begin);
  }

  TempFolder folder_;
};

}  // namespace feedrate::testing
