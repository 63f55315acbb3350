// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_document.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "analysis/profile/event_fields.h"
#include "analysis/profile/json_text.h"

namespace feedrate {
namespace {

constexpr int kDeepest = 64;

// Iterates over the bytes of a JsonText for nlohmann's parser. It asks for a piece only when the
// parser compares with the end, so that the parser never reads past the current bracket.
class TextIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  struct Source {
    JsonText& text;
    std::string_view piece = {};
  };

  TextIterator() = default;  // The end iterator.
  explicit TextIterator(Source& source) : source_(&source) {}

  reference operator*() const { return source_->piece.front(); }
  TextIterator& operator++() {
    source_->piece.remove_prefix(1);
    return *this;
  }
  friend bool operator!=(const TextIterator& a, const TextIterator& /*end*/) {
    if (a.source_->piece.empty()) a.source_->piece = a.source_->text.next();
    return !a.source_->piece.empty();
  }

 private:
  Source* source_ = nullptr;
};

int small_number(std::uint64_t value) {
  constexpr std::uint64_t kMost = 1'000'000;
  return static_cast<int>(std::min(value, kMost));
}

class TraceSax final : public nlohmann::json_sax<nlohmann::json> {
 public:
  TraceSax(const JsonText& text, TraceSink& sink) : text_(text), sink_(sink) {}

  [[nodiscard]] bool has_events() const { return has_events_; }
  /// The trace format makes the bracket at the end of a bare list optional.
  [[nodiscard]] bool lacks_only_bracket() const { return is_bare_ && depth_ == 1; }

  bool start_object(std::size_t /*size*/) override { return open(true); }
  bool start_array(std::size_t /*size*/) override { return open(false); }
  bool end_object() override { return close(true); }
  bool end_array() override { return close(false); }
  bool key(string_t& name) override {
    if (in_event_) {
      fields_.key(name);
    } else {
      (depth_ == 1 ? member_ : key_) = name;
    }
    return true;
  }

  bool null() override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool boolean(bool value) override { return take_fact(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    if (!in_event_) return take_fact(std::to_string(value));
    fields_.number(value);
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t value, const string_t& text) override {
    if (!in_event_) return take_fact(text);
    fields_.number(value, text);
    return true;
  }
  bool string(string_t& text) override {
    if (in_event_) fields_.text(text);
    if (section_ == Section::kGpus && depth_ == 3 && key_ == "name") gpu_.name = text;
    return take_fact(text);
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  enum class Section : std::uint8_t { kMembers, kEvents, kGpus, kRank, kOther };

  [[nodiscard]] int event_depth() const { return is_bare_ ? 2 : 3; }

  bool open(bool is_object);
  bool close(bool is_object);
  [[nodiscard]] Section section_of_member(bool is_object) const;
  void enter_events();
  void take_event();
  bool take_fact(std::string_view value) {
    if (section_ == Section::kMembers && depth_ == 1) sink_.take_fact(member_, value);
    return true;
  }

  const JsonText& text_;
  TraceSink& sink_;
  int depth_ = 0;
  Section section_ = Section::kOther;
  bool is_bare_ = false;
  bool has_events_ = false;
  bool in_event_ = false;
  TraceEventFields fields_;
  std::uint64_t repairs_ = 0;  // Repairs before the current event.
  GpuProperties gpu_;
  std::string member_;  // Current member of the document.
  std::string key_;     // Current key of a nested object that is not an event.
};

bool TraceSax::open(bool is_object) {
  if (++depth_ > kDeepest) return false;
  if (in_event_) {
    fields_.open();
  } else if (depth_ == 1) {
    is_bare_ = !is_object;
    section_ = is_object ? Section::kMembers : Section::kEvents;
    if (is_bare_) enter_events();
  } else if (depth_ == 2 && section_ == Section::kMembers) {
    section_ = section_of_member(is_object);
    if (section_ == Section::kEvents) enter_events();
  } else if (is_object && section_ == Section::kEvents && depth_ == event_depth()) {
    in_event_ = true;
    fields_.begin();
  } else if (is_object && section_ == Section::kGpus && depth_ == 3) {
    gpu_ = {};
  }
  return true;
}

TraceSax::Section TraceSax::section_of_member(bool is_object) const {
  if (!is_object && member_ == "traceEvents") return Section::kEvents;
  if (!is_object && member_ == "deviceProperties") return Section::kGpus;
  if (is_object && member_ == "distributedInfo") return Section::kRank;
  return Section::kOther;
}

void TraceSax::enter_events() {
  has_events_ = true;
  repairs_ = text_.repairs();
}

bool TraceSax::close(bool is_object) {
  const int depth = depth_--;
  if (in_event_) {
    depth == event_depth() ? take_event() : fields_.close();
  } else if (is_object && section_ == Section::kGpus && depth == 3) {
    sink_.take_gpu(std::move(gpu_));
  } else if (depth == 2 && !is_bare_) {
    section_ = Section::kMembers;
  }
  return true;
}

void TraceSax::take_event() {
  in_event_ = false;
  const bool is_repaired = text_.repairs() != repairs_;
  repairs_ = text_.repairs();
  sink_.take_event(fields_.event(), is_repaired);
}

bool TraceSax::number_unsigned(number_unsigned_t value) {
  if (in_event_) {
    fields_.number(value);
  } else if (section_ == Section::kRank && depth_ == 2 && key_ == "rank") {
    sink_.take_rank(value);
  } else if (section_ == Section::kGpus && depth_ == 3) {
    if (key_ == "id") gpu_.device = small_number(value);
    if (key_ == "totalGlobalMem") gpu_.memory_bytes = value;
    if (key_ == "computeMajor") gpu_.compute_major = small_number(value);
    if (key_ == "computeMinor") gpu_.compute_minor = small_number(value);
    if (key_ == "numSms") gpu_.multiprocessors = small_number(value);
    if (key_ == "warpSize") gpu_.warp_size = small_number(value);
  } else {
    take_fact(std::to_string(value));
  }
  return true;
}

}  // namespace

TraceDocument read_trace_document(ByteInput& input, TraceSink& sink) {
  JsonText text(input);
  TextIterator::Source source{text};
  TraceSax sax(text, sink);
  const bool is_whole = nlohmann::json::sax_parse(TextIterator(source), TextIterator(), &sax);
  TraceDocument document;
  document.has_events = sax.has_events();
  if (is_whole) return document;
  if (!text.is_at_end()) document.damaged_at = text.offset();
  document.is_truncated = text.is_at_end() && !sax.lacks_only_bracket();
  return document;
}

}  // namespace feedrate
