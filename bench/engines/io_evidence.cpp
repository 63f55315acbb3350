#include "bench/engines/io_evidence.h"

#include "formats/open_count.h"
#include "host/io_counters.h"

namespace feedrate {

IoEvidence::IoEvidence()
    : from_storage_(storage_read_bytes()),
      by_calls_(called_read_bytes()),
      opened_(opened_files()) {}

std::vector<Metric> IoEvidence::metrics() const {
  std::vector<Metric> metrics;
  const auto add = [&](const char* tag, const std::optional<std::uint64_t>& before,
                       const std::optional<std::uint64_t>& after) {
    if (before && after) metrics.push_back({tag, static_cast<double>(*after - *before)});
  };
  add("storage_read_bytes", from_storage_, storage_read_bytes());
  add("called_read_bytes", by_calls_, called_read_bytes());
  add("files_opened", opened_, opened_files());
  return metrics;
}

}  // namespace feedrate
