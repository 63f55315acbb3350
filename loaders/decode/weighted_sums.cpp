// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/weighted_sums.h"

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "loaders/decode/weighted_sums_avx2.h"

namespace feedrate {
namespace {

constexpr int kPrecisionBits = AxisFilter::kPrecisionBits;
constexpr std::int32_t kHalf = 1 << (kPrecisionBits - 1);

std::uint8_t to_byte(std::int32_t sum) {
  // Weights are not negative, so only the upper bound can be exceeded.
  return static_cast<std::uint8_t>(std::min(sum >> kPrecisionBits, 255));
}

#ifdef __SSE2__
// SSE2 multiplies and adds pairs of 16 bits fast, but not of 32: 22-bit weights are split into
// halves, whose sums are combined at the end. The result is exact.
struct Sums {
  __m128i high = _mm_setzero_si128();
  __m128i low = _mm_setzero_si128();

  /// All arguments hold pairs of 16 bits.
  void add(__m128i values, __m128i high_pair, __m128i low_pair) {
    high = _mm_add_epi32(high, _mm_madd_epi16(values, high_pair));
    low = _mm_add_epi32(low, _mm_madd_epi16(values, low_pair));
  }

  /// Four 32-bit sums, rounded to integers.
  [[nodiscard]] __m128i rounded() const {
    const __m128i sum = _mm_add_epi32(_mm_slli_epi32(high, AxisFilter::kLowBits), low);
    return _mm_srai_epi32(_mm_add_epi32(sum, _mm_set1_epi32(kHalf)), kPrecisionBits);
  }
};

__m128i load_pixel(const std::uint8_t* bytes) {
  int value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return _mm_cvtsi32_si128(value);
}

template <std::size_t kSize>
void store_pixel(std::uint8_t* target, __m128i pixel) {
  const int value = _mm_cvtsi128_si32(pixel);
  std::memcpy(target, &value, kSize);
}

struct PairOfWeights {
  __m128i high;
  __m128i low;
};

PairOfWeights broadcast(const AxisFilter::Pair& pair) {
  std::int64_t both = 0;
  static_assert(sizeof both == sizeof pair);
  std::memcpy(&both, &pair, sizeof both);
  const __m128i halves = _mm_cvtsi64_si128(both);
  return {_mm_shuffle_epi32(halves, 0x00), _mm_shuffle_epi32(halves, 0x55)};
}

__m128i weigh_pixel(const std::uint8_t* pixel, const AxisFilter::Pair* pairs, int count) {
  const __m128i zero = _mm_setzero_si128();
  Sums sums;
  for (int i = 0; i < count; i += 2, pixel += 6) {
    const __m128i both = _mm_unpacklo_epi8(load_pixel(pixel), load_pixel(pixel + 3));
    const auto [high, low] = broadcast(*pairs++);
    sums.add(_mm_unpacklo_epi8(both, zero), high, low);
  }
  const __m128i words = _mm_packs_epi32(sums.rounded(), zero);
  return _mm_packus_epi16(words, zero);
}
#endif

}  // namespace

void weigh_pixels_plain(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target) {
  const std::int32_t* weights = filter.weights.data();
  for (const AxisFilter::Window& window : filter.windows) {
    const std::uint8_t* pixel = row + static_cast<std::size_t>(window.first) * 3;
    std::int32_t red = kHalf;
    std::int32_t green = kHalf;
    std::int32_t blue = kHalf;
    for (int i = 0; i < window.count; ++i, pixel += 3) {
      red += pixel[0] * weights[i];
      green += pixel[1] * weights[i];
      blue += pixel[2] * weights[i];
    }
    *target++ = to_byte(red);
    *target++ = to_byte(green);
    *target++ = to_byte(blue);
    weights += filter.taps;
  }
}

void weigh_rows_plain(const PixelView& source, const AxisFilter& filter, std::size_t index,
                      std::uint8_t* target, std::size_t first_value) {
  const AxisFilter::Window window = filter.windows[index];
  const std::int32_t* const weights = filter.weights.data() + index * filter.taps;
  const std::size_t values = static_cast<std::size_t>(source.width) * 3;
  for (std::size_t x = first_value; x < values; ++x) {
    std::int32_t sum = kHalf;
    for (int i = 0; i < window.count; ++i) sum += source.row(window.first + i)[x] * weights[i];
    target[x] = to_byte(sum);
  }
}

#ifdef __SSE2__
void weigh_pixels_sse2(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target) {
  const auto pixel_of = [&](std::size_t i) {
    const AxisFilter::Window window = filter.windows[i];
    const std::uint8_t* const first = row + static_cast<std::size_t>(window.first) * 3;
    return weigh_pixel(first, filter.pairs.data() + i * filter.pairs_each(), window.count);
  };
  // The fourth byte is overwritten by the next pixel; the last pixel must not write it.
  const std::size_t last = filter.windows.size() - 1;
  for (std::size_t i = 0; i < last; ++i, target += 3) store_pixel<4>(target, pixel_of(i));
  store_pixel<3>(target, pixel_of(last));
}

std::size_t weigh_rows_sse2(const PixelView& source, const AxisFilter& filter, std::size_t index,
                            std::uint8_t* target) {
  const __m128i zero = _mm_setzero_si128();
  const AxisFilter::Window window = filter.windows[index];
  const AxisFilter::Pair* const pairs = filter.pairs.data() + index * filter.pairs_each();
  const std::size_t values = static_cast<std::size_t>(source.width) * 3;
  const auto load = [](const std::uint8_t* bytes) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  };
  std::size_t x = 0;
  for (; x + sizeof(__m128i) <= values; x += sizeof(__m128i)) {
    Sums sums[4];
    for (int i = 0; i < window.count; i += 2) {
      // An odd last row is loaded twice; its second weight is 0.
      const int second = std::min(i + 1, window.count - 1);
      const __m128i a = load(source.row(window.first + i) + x);
      const __m128i b = load(source.row(window.first + second) + x);
      const auto [high, low] = broadcast(pairs[i / 2]);
      const __m128i left = _mm_unpacklo_epi8(a, b);
      const __m128i right = _mm_unpackhi_epi8(a, b);
      sums[0].add(_mm_unpacklo_epi8(left, zero), high, low);
      sums[1].add(_mm_unpackhi_epi8(left, zero), high, low);
      sums[2].add(_mm_unpacklo_epi8(right, zero), high, low);
      sums[3].add(_mm_unpackhi_epi8(right, zero), high, low);
    }
    const __m128i first = _mm_packs_epi32(sums[0].rounded(), sums[1].rounded());
    const __m128i rest = _mm_packs_epi32(sums[2].rounded(), sums[3].rounded());
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target + x), _mm_packus_epi16(first, rest));
  }
  return x;
}
#else
void weigh_pixels_sse2(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target) {
  weigh_pixels_plain(row, filter, target);
}

std::size_t weigh_rows_sse2(const PixelView&, const AxisFilter&, std::size_t, std::uint8_t*) {
  return 0;
}
#endif

const char* simd_name() noexcept {
#ifdef __SSE2__
  return has_avx2() ? "AVX2" : "SSE2";
#else
  return "no SIMD";
#endif
}

void weigh_pixels(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target) {
  has_avx2() ? weigh_pixels_avx2(row, filter, target) : weigh_pixels_sse2(row, filter, target);
}

void weigh_rows(const PixelView& source, const AxisFilter& filter, std::size_t index,
                std::uint8_t* target) {
  const std::size_t made = has_avx2() ? weigh_rows_avx2(source, filter, index, target)
                                      : weigh_rows_sse2(source, filter, index, target);
  weigh_rows_plain(source, filter, index, target, made);
}

}  // namespace feedrate
