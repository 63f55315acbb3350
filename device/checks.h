// What every backend checks before it issues a call. Free functions without state.
#pragma once
#include <cstddef>
#include <string_view>

namespace feedrate {

/// Throws DeviceError, naming `device`, if `source_size` bytes do not fit into `target_size`.
void require_fits(std::string_view device, std::size_t source_size, std::size_t target_size);

}  // namespace feedrate
