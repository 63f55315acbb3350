// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/synthetic_image.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>

#include "formats/datasets/noise.h"

namespace feedrate {
namespace {

/// Luminance and two color differences, in gray levels. They are separate because luminance varies
/// several times as much as color in photographs.
struct Color {
  float y;
  float blue;
  float red;
};

struct Canvas {
  Plane y;
  Plane blue;
  Plane red;
  Canvas(int width, int height) : y(width, height), blue(width, height), red(width, height) {}
};

/// A surface: shading in one direction, and texture, taken from the image's noise at an offset of
/// its own.
struct Surface {
  Color color;
  float shade_x;
  float shade_y;
  float texture;
  float color_texture;
  int noise_x;
  int noise_y;
};

struct Leaf {
  float x;
  float y;
  float radius;    ///< the longer radius
  float flatness;  ///< longer radius / shorter radius
  float cosine;
  float sine;
  float softness;  ///< pixels over which the edge fades
};

class Painter {
 public:
  Painter(const ImageShape& shape, const SceneStyle& style, RandomStream& random)
      : width_(shape.width),
        height_(shape.height),
        random_(random),
        texture_(style.texture * random.uniform(0.1, 1.9)),
        smallest_leaf_(std::max(1.5, shorter_side() * random.uniform(0.006, 0.12))),
        noise_(draw_noise(style.sharpness)),
        canvas_(width_, height_) {}

  Canvas paint() && {
    paint_background();
    // Leaves of 2.5 times the image's area hide most of the background.
    const double wanted = 2.5 * static_cast<double>(width_) * static_cast<double>(height_);
    for (double painted = 0.0; painted < wanted;) painted += paint_leaf();
    return std::move(canvas_);
  }

 private:
  /// Pixels by which the noise exceeds the image, so that surfaces can use different parts of it.
  static int spare(int side) noexcept { return side / 3 + 1; }

  /// Draws in separate statements, because the evaluation order of arguments is unspecified.
  Plane draw_noise(double sharpness) {
    const double finest = sharpness * random_.uniform(0.6, 1.4);
    const double slope = random_.uniform(0.85, 1.15);
    return fractal_noise(width_ + spare(width_), height_ + spare(height_), slope, finest, random_);
  }

  double shorter_side() const { return static_cast<double>(std::min(width_, height_)); }

  Surface draw_surface(double extent) {
    const double contrast = 40.0;
    const double shade = 30.0 / std::max(extent, 1.0);
    const double texture = texture_ * random_.uniform(0.2, 1.8);
    return {.color = {.y = static_cast<float>(120.0 + contrast * random_.normal()),
                      .blue = static_cast<float>(10.0 * random_.normal()),
                      .red = static_cast<float>(9.0 * random_.normal())},
            .shade_x = static_cast<float>(shade * random_.uniform(-1.0, 1.0)),
            .shade_y = static_cast<float>(shade * random_.uniform(-1.0, 1.0)),
            .texture = static_cast<float>(texture),
            .color_texture = static_cast<float>(texture * random_.uniform(0.05, 0.25)),
            .noise_x = static_cast<int>(random_.uniform(0.0, spare(width_))),
            .noise_y = static_cast<int>(random_.uniform(0.0, spare(height_)))};
  }

  /// Radii have the density r^-3 between two bounds, which makes the image look alike at every
  /// scale (Lee, Mumford, Huang: "Occlusion models for natural images", IJCV 2001).
  Leaf draw_leaf() {
    const double largest = std::max(smallest_leaf_, 0.5 * shorter_side());
    const double ratio = smallest_leaf_ / largest;
    const double radius =
        smallest_leaf_ / std::sqrt(1.0 - random_.uniform() * (1.0 - ratio * ratio));
    const double angle = random_.uniform(0.0, std::numbers::pi);
    return {.x = static_cast<float>(random_.uniform(0.0, width_)),
            .y = static_cast<float>(random_.uniform(0.0, height_)),
            .radius = static_cast<float>(radius),
            .flatness = static_cast<float>(random_.uniform(1.0, 2.5)),
            .cosine = static_cast<float>(std::cos(angle)),
            .sine = static_cast<float>(std::sin(angle)),
            .softness = static_cast<float>(random_.uniform(0.8, 2.5))};
  }

  void paint_background() {
    const Surface surface = draw_surface(shorter_side());
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        blend(x, y, 1.0F,
              color_at(surface, x, y, static_cast<float>(x - width_ / 2),
                       static_cast<float>(y - height_ / 2)));
      }
    }
  }

  /// Returns the leaf's area, uncropped.
  double paint_leaf() {
    const Leaf leaf = draw_leaf();
    const Surface surface = draw_surface(leaf.radius);
    const int reach = static_cast<int>(std::ceil(leaf.radius + leaf.softness));
    const int left = std::max(0, static_cast<int>(leaf.x) - reach);
    const int right = std::min(width_ - 1, static_cast<int>(leaf.x) + reach);
    const int top = std::max(0, static_cast<int>(leaf.y) - reach);
    const int bottom = std::min(height_ - 1, static_cast<int>(leaf.y) + reach);
    for (int y = top; y <= bottom; ++y) {
      for (int x = left; x <= right; ++x) {
        const float dx = static_cast<float>(x) - leaf.x;
        const float dy = static_cast<float>(y) - leaf.y;
        const float cover = coverage(leaf, dx, dy);
        if (cover > 0.0F) blend(x, y, cover, color_at(surface, x, y, dx, dy));
      }
    }
    return std::numbers::pi * static_cast<double>(leaf.radius * leaf.radius / leaf.flatness);
  }

  static float coverage(const Leaf& leaf, float dx, float dy) noexcept {
    const float along = leaf.cosine * dx + leaf.sine * dy;
    const float across = leaf.flatness * (leaf.cosine * dy - leaf.sine * dx);
    const float distance = leaf.radius - std::sqrt(along * along + across * across);
    return std::clamp(0.5F + distance / (leaf.softness * leaf.flatness), 0.0F, 1.0F);
  }

  Color color_at(const Surface& surface, int x, int y, float dx, float dy) const noexcept {
    const float* row = noise_.row(y + surface.noise_y);
    const float noise = row[surface.noise_x + x];
    const float other = row[surface.noise_x + width_ - 1 - x];
    const float shade = surface.shade_x * dx + surface.shade_y * dy;
    return {.y = surface.color.y + shade + surface.texture * noise,
            .blue = surface.color.blue + surface.color_texture * other,
            .red = surface.color.red - surface.color_texture * other};
  }

  void blend(int x, int y, float cover, const Color& color) noexcept {
    const auto mix = [&](Plane& plane, float value) {
      float& pixel = plane.row(y)[x];
      pixel += cover * (value - pixel);
    };
    mix(canvas_.y, color.y);
    mix(canvas_.blue, color.blue);
    mix(canvas_.red, color.red);
  }

  const int width_;
  const int height_;
  RandomStream& random_;
  const double texture_;
  const double smallest_leaf_;  ///< radius in pixels
  const Plane noise_;
  Canvas canvas_;
};

std::uint8_t to_level(float value) noexcept {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
}

/// Converts to RGB by ITU-R BT.601, as JPEG does.
void expose(const Canvas& canvas, float grain, RandomStream& random, Image& image) {
  std::uint8_t* out = image.pixels.data();
  for (std::size_t i = 0; i < canvas.y.values.size(); ++i, out += 3) {
    const float y = canvas.y.values[i];
    const float blue = canvas.blue.values[i];
    const float red = canvas.red.values[i];
    out[0] = to_level(y + 1.402F * red + grain * quick_normal(random));
    out[1] = to_level(y - 0.344F * blue - 0.714F * red + grain * quick_normal(random));
    out[2] = to_level(y + 1.772F * blue + grain * quick_normal(random));
  }
}

}  // namespace

void draw_synthetic_image(const ImageShape& shape, const SceneStyle& style, RandomStream random,
                          Image& image) {
  image.reset(shape);
  const Canvas canvas = Painter(shape, style, random).paint();
  const double grain = style.grain * random.uniform(0.6, 1.4);
  expose(canvas, static_cast<float>(grain), random, image);
}

}  // namespace feedrate
