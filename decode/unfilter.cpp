#include "decode/unfilter.h"

#include <cstdlib>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace feedrate {
namespace {

enum Filter : std::uint8_t { kNone, kSub, kUp, kAverage, kPaeth };

int paeth(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int to_left = std::abs(guess - left);
  const int to_above = std::abs(guess - above);
  const int to_corner = std::abs(guess - corner);
  if (to_left <= to_above && to_left <= to_corner) return left;
  return to_above <= to_corner ? above : corner;
}

/// `predict` makes the prediction of a byte from those left, above, and above of left.
template <typename Predict>
void add_prediction(const FilteredRow& row, std::size_t channels, std::uint8_t* target,
                    Predict predict) {
  for (std::size_t i = 0; i < row.size; ++i) {
    const int left = i < channels ? 0 : target[i - channels];
    const int corner = i < channels ? 0 : row.above[i - channels];
    target[i] = static_cast<std::uint8_t>(row.bytes[i] + predict(left, row.above[i], corner));
  }
}

#ifdef __SSE2__
// Each pixel needs the one before, so a vector holds one pixel. Wider vectors than SSE2's, which
// every x86-64 has, would not help.

__m128i load_png_pixel(const std::uint8_t* bytes) {
  int value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return _mm_cvtsi32_si128(value);
}

template <std::size_t kSize>
void store_png_pixel(std::uint8_t* target, __m128i pixel) {
  const int value = _mm_cvtsi128_si32(pixel);
  std::memcpy(target, &value, kSize);
}

/// Four bytes are stored at once, of which the next pixel overwrites the last; only behind the end
/// of the row none may be.
template <std::size_t kSize, typename Undo>
void for_each_pixel(std::size_t size, std::uint8_t* target, Undo undo) {
  std::size_t at = 0;
  for (; at + kSize < size; at += kSize) store_png_pixel<4>(target + at, undo(at));
  store_png_pixel<kSize>(target + at, undo(at));
}

template <std::size_t kSize>
void undo_sub(const FilteredRow& row, std::uint8_t* target) {
  __m128i left = _mm_setzero_si128();
  for_each_pixel<kSize>(row.size, target, [&](std::size_t at) {
    return left = _mm_add_epi8(left, load_png_pixel(row.bytes + at));
  });
}

template <std::size_t kSize>
void undo_average(const FilteredRow& row, std::uint8_t* target) {
  const __m128i one = _mm_set1_epi8(1);
  __m128i left = _mm_setzero_si128();
  for_each_pixel<kSize>(row.size, target, [&](std::size_t at) {
    const __m128i above = load_png_pixel(row.above + at);
    // The instruction rounds up; PNG rounds down.
    const __m128i excess = _mm_and_si128(_mm_xor_si128(left, above), one);
    const __m128i average = _mm_sub_epi8(_mm_avg_epu8(left, above), excess);
    return left = _mm_add_epi8(average, load_png_pixel(row.bytes + at));
  });
}

__m128i absolute(__m128i value) {
  return _mm_max_epi16(value, _mm_sub_epi16(_mm_setzero_si128(), value));
}

__m128i choose(__m128i mask, __m128i where_set, __m128i otherwise) {
  return _mm_or_si128(_mm_and_si128(mask, where_set), _mm_andnot_si128(mask, otherwise));
}

template <std::size_t kSize>
void undo_paeth(const FilteredRow& row, std::uint8_t* target) {
  const __m128i zero = _mm_setzero_si128();
  __m128i left = zero;  // Of 16 bits a channel, as are all below.
  __m128i corner = zero;
  for_each_pixel<kSize>(row.size, target, [&](std::size_t at) {
    const __m128i above = _mm_unpacklo_epi8(load_png_pixel(row.above + at), zero);
    const __m128i rise = _mm_sub_epi16(above, corner);
    const __m128i run = _mm_sub_epi16(left, corner);
    const __m128i to_left = absolute(rise);
    const __m128i to_above = absolute(run);
    const __m128i to_corner = absolute(_mm_add_epi16(rise, run));
    const __m128i nearest = _mm_min_epi16(to_corner, _mm_min_epi16(to_left, to_above));
    const __m128i not_left = choose(_mm_cmpeq_epi16(nearest, to_above), above, corner);
    const __m128i guess = choose(_mm_cmpeq_epi16(nearest, to_left), left, not_left);
    const __m128i bytes = _mm_unpacklo_epi8(load_png_pixel(row.bytes + at), zero);
    // The high bytes are zero on both sides, so adding bytes keeps them so.
    left = _mm_add_epi8(guess, bytes);
    corner = above;
    return _mm_packus_epi16(left, left);
  });
}

void undo_up(const FilteredRow& row, std::uint8_t* target) {
  constexpr std::size_t kWidth = sizeof(__m128i);
  const auto load = [](const std::uint8_t* bytes) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  };
  std::size_t i = 0;
  for (; i + kWidth <= row.size; i += kWidth) {
    const __m128i sum = _mm_add_epi8(load(row.bytes + i), load(row.above + i));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target + i), sum);
  }
  for (; i < row.size; ++i) target[i] = static_cast<std::uint8_t>(row.bytes[i] + row.above[i]);
}

template <std::size_t kSize>
void undo_serial(const FilteredRow& row, std::uint8_t* target) {
  if (row.filter == kSub) return undo_sub<kSize>(row, target);
  if (row.filter == kAverage) return undo_average<kSize>(row, target);
  undo_paeth<kSize>(row, target);
}
#endif

}  // namespace

bool unfilter_plain(const FilteredRow& row, int channels, std::uint8_t* target) noexcept {
  const auto pixel = static_cast<std::size_t>(channels);
  switch (row.filter) {
    case kNone:
      std::memmove(target, row.bytes, row.size);
      return true;
    case kSub:
      add_prediction(row, pixel, target, [](int left, int, int) { return left; });
      return true;
    case kUp:
      add_prediction(row, pixel, target, [](int, int above, int) { return above; });
      return true;
    case kAverage:
      add_prediction(row, pixel, target,
                     [](int left, int above, int) { return (left + above) / 2; });
      return true;
    case kPaeth:
      add_prediction(row, pixel, target, paeth);
      return true;
    default:
      return false;
  }
}

bool unfilter(const FilteredRow& row, int channels, std::uint8_t* target) noexcept {
#ifdef __SSE2__
  if (row.filter == kUp) {
    undo_up(row, target);
    return true;
  }
  if (channels != 1 && row.filter != kNone && row.filter <= kPaeth) {
    channels == 3 ? undo_serial<3>(row, target) : undo_serial<4>(row, target);
    return true;
  }
#endif
  return unfilter_plain(row, channels, target);
}

}  // namespace feedrate
