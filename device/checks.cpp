#include "device/checks.h"

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {

void require_fits(std::string_view device, std::size_t source_size, std::size_t target_size) {
  if (source_size <= target_size) return;
  throw DeviceError(
      fmt::format("{}: copy of {} bytes into {}: the target must be at least as large", device,
                  source_size, target_size));
}

}  // namespace feedrate
