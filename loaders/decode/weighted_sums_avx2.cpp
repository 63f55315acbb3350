// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/weighted_sums_avx2.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
// Set per function: inline functions of the included headers must run on every machine.
#define FEEDRATE_AVX2 __attribute__((target("avx2")))

namespace feedrate {
namespace {

// Weights are split as in weighted_sums.cpp: their 16-bit halves are summed separately and combined
// at the end.
struct Sums {
  __m256i high;
  __m256i low;
};

FEEDRATE_AVX2 inline void add(Sums& sums, __m256i values, __m256i high, __m256i low) {
  sums.high = _mm256_add_epi32(sums.high, _mm256_madd_epi16(values, high));
  sums.low = _mm256_add_epi32(sums.low, _mm256_madd_epi16(values, low));
}

FEEDRATE_AVX2 inline __m256i combine(const Sums& sums) {
  return _mm256_add_epi32(_mm256_slli_epi32(sums.high, AxisFilter::kLowBits), sums.low);
}

FEEDRATE_AVX2 inline __m256i without_fraction(__m256i sum) {
  constexpr int kHalf = 1 << (AxisFilter::kPrecisionBits - 1);
  return _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(kHalf)),
                           AxisFilter::kPrecisionBits);
}

FEEDRATE_AVX2 inline __m256i load_twice(const void* bytes) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(bytes)));
}

// A filter's pointers. As local values they need not be reloaded after each write of a pixel.
struct Columns {
  explicit Columns(const AxisFilter& filter)
      : windows(filter.windows.data()), pairs(filter.pairs.data()), each(filter.pairs_each()) {}
  const AxisFilter::Window* windows;
  const AxisFilter::Pair* pairs;
  std::size_t each;
};

FEEDRATE_AVX2 inline void add_four(Sums& sums, const std::uint8_t* pixel,
                                   const AxisFilter::Pair* pairs) {
  // Four pixels: (r0 r1) (g0 g1) (b0 b1) and (r2 r3) (g2 g3) (b2 b3), in 16 bits each.
  const __m256i in_pairs =
      _mm256_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1,  //
                       6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1);
  // Two AxisFilter::Pair: broadcasts one half of the first to the lower lane and of the second to
  // the upper.
  const __m256i high_of = _mm256_setr_epi8(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3,  //
                                           8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11);
  const __m256i low_of = _mm256_add_epi8(high_of, _mm256_set1_epi8(4));
  const __m256i weights = load_twice(pairs);
  add(sums, _mm256_shuffle_epi8(load_twice(pixel), in_pairs), _mm256_shuffle_epi8(weights, high_of),
      _mm256_shuffle_epi8(weights, low_of));
}

// Red, green and blue of output pixel `i`; each lane sums half of the input pixels. kFew: no pixel
// has more than four inputs, which avoids an unpredictable branch.
template <bool kFew>
FEEDRATE_AVX2 inline __m256i weigh_pixel(const std::uint8_t* row, const Columns& columns,
                                         std::size_t i) {
  const AxisFilter::Window window = columns.windows[i];
  const std::uint8_t* pixel = row + static_cast<std::size_t>(window.first) * 3;
  const AxisFilter::Pair* pairs = columns.pairs + i * columns.each;
  Sums sums{_mm256_setzero_si256(), _mm256_setzero_si256()};
  add_four(sums, pixel, pairs);
  for (int done = 4; !kFew && done < window.count; done += 4) {
    add_four(sums, pixel += 12, pairs += 2);
  }
  return combine(sums);
}

// Two pixels, one per lane.
FEEDRATE_AVX2 inline __m256i both(__m256i a, __m256i b) {
  return without_fraction(_mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20),
                                           _mm256_permute2x128_si256(a, b, 0x31)));
}

FEEDRATE_AVX2 inline void store(std::uint8_t* target, int pixel, std::size_t bytes = 4) {
  std::memcpy(target, &pixel, bytes);
}

FEEDRATE_AVX2 inline __m256i load(const std::uint8_t* bytes) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
}

template <bool kFew>
FEEDRATE_AVX2 void weigh_all(const std::uint8_t* row, const Columns& columns, std::size_t count,
                             std::uint8_t* target) {
  const __m256i zero = _mm256_setzero_si256();
  std::size_t i = 0;
  // Four at a time while another pixel follows, which overwrites the fourth byte of the last one.
  for (; i + 4 < count; i += 4, target += 12) {
    const __m256i first =
        both(weigh_pixel<kFew>(row, columns, i), weigh_pixel<kFew>(row, columns, i + 1));
    const __m256i second =
        both(weigh_pixel<kFew>(row, columns, i + 2), weigh_pixel<kFew>(row, columns, i + 3));
    const __m256i bytes = _mm256_packus_epi16(_mm256_packs_epi32(first, second), zero);
    store(target, _mm256_extract_epi32(bytes, 0));
    store(target + 3, _mm256_extract_epi32(bytes, 4));
    store(target + 6, _mm256_extract_epi32(bytes, 1));
    store(target + 9, _mm256_extract_epi32(bytes, 5));
  }
  for (; i < count; ++i, target += 3) {
    const __m256i pixel = both(weigh_pixel<kFew>(row, columns, i), zero);
    const __m256i bytes = _mm256_packus_epi16(_mm256_packs_epi32(pixel, zero), zero);
    store(target, _mm256_extract_epi32(bytes, 0), 3);
  }
}

}  // namespace

bool has_avx2() noexcept {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}

void weigh_pixels_avx2(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target) {
  const Columns columns(filter);
  const auto weigh = filter.max_inputs <= 4 ? weigh_all<true> : weigh_all<false>;
  weigh(row, columns, filter.windows.size(), target);
}

FEEDRATE_AVX2 std::size_t weigh_rows_avx2(const PixelView& source, const AxisFilter& filter,
                                          std::size_t index, std::uint8_t* target) {
  const __m256i zero = _mm256_setzero_si256();
  const AxisFilter::Window window = filter.windows[index];
  const AxisFilter::Pair* const pairs = filter.pairs.data() + index * filter.pairs_each();
  const std::size_t values = static_cast<std::size_t>(source.width) * 3;
  std::size_t x = 0;
  for (; x + sizeof(__m256i) <= values; x += sizeof(__m256i)) {
    Sums sums[4] = {{zero, zero}, {zero, zero}, {zero, zero}, {zero, zero}};
    for (int i = 0; i < window.count; i += 2) {
      // An odd last row is loaded twice; its second weight is 0.
      const int second = std::min(i + 1, window.count - 1);
      const __m256i a = load(source.row(window.first + i) + x);
      const __m256i b = load(source.row(window.first + second) + x);
      int halves[2];
      static_assert(sizeof halves == sizeof *pairs);
      std::memcpy(halves, pairs + i / 2, sizeof halves);
      const __m256i high = _mm256_set1_epi32(halves[0]);
      const __m256i low = _mm256_set1_epi32(halves[1]);
      const __m256i left = _mm256_unpacklo_epi8(a, b);
      const __m256i right = _mm256_unpackhi_epi8(a, b);
      add(sums[0], _mm256_unpacklo_epi8(left, zero), high, low);
      add(sums[1], _mm256_unpackhi_epi8(left, zero), high, low);
      add(sums[2], _mm256_unpacklo_epi8(right, zero), high, low);
      add(sums[3], _mm256_unpackhi_epi8(right, zero), high, low);
    }
    // Unpacking and packing both work within lanes, so that the order is restored.
    const __m256i first =
        _mm256_packs_epi32(without_fraction(combine(sums[0])), without_fraction(combine(sums[1])));
    const __m256i rest =
        _mm256_packs_epi32(without_fraction(combine(sums[2])), without_fraction(combine(sums[3])));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + x), _mm256_packus_epi16(first, rest));
  }
  return x;
}

}  // namespace feedrate
#else
namespace feedrate {

bool has_avx2() noexcept { return false; }
void weigh_pixels_avx2(const std::uint8_t*, const AxisFilter&, std::uint8_t*) {}
std::size_t weigh_rows_avx2(const PixelView&, const AxisFilter&, std::size_t, std::uint8_t*) {
  return 0;
}

}  // namespace feedrate
#endif
