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

void require_images(std::string_view device, const ImageBatch& batch, std::size_t source_size,
                    std::size_t target_size) {
  if (batch.values() <= source_size && batch.values() <= target_size / sizeof(float)) return;
  throw DeviceError(fmt::format(
      "{}: normalising {} images of {} pixels needs {} bytes and room for {}, not {} and {}",
      device, batch.images, batch.pixels, batch.values(), batch.values() * sizeof(float),
      source_size, target_size));
}

}  // namespace feedrate
