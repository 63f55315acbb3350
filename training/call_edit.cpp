// SPDX-License-Identifier: Apache-2.0
#include "training/call_edit.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "training/text_edit.h"

namespace feedrate {
namespace {

using Argument = ScriptCall::Argument;

std::string bool_literal(bool value) { return value ? "True" : "False"; }

std::size_t prefetch_of(const ScriptLoader& loader) { return loader.prefetch_factor.value_or(2); }

// Nothing if the call does not have it.
std::optional<std::string> given_value(const ScriptLoader& loader, std::string_view name) {
  for (const auto& [given, value] : loader.given) {
    if (given == name) return value;
  }
  return std::nullopt;
}

const Argument* find_argument(const ScriptLoader& loader, std::string_view name) {
  if (!loader.call) return nullptr;
  const std::vector<Argument>& all = loader.call->arguments;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Argument& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

// Whether PyTorch refuses the argument as written in a call without workers.
bool is_refused_without_workers(const ScriptLoader& from, std::string_view name) {
  const std::optional<std::string> value = given_value(from, name);
  if (!value && find_argument(from, name) == nullptr) return false;
  return value != "None" && value != "False" && value != "0";
}

void add_removals(std::vector<ArgumentChange>& changes, const ScriptLoader& from) {
  for (const char* const name :
       {"prefetch_factor", "persistent_workers", "multiprocessing_context", "timeout"}) {
    if (is_refused_without_workers(from, name)) changes.push_back({name, std::nullopt});
  }
}

void add_worker_options(std::vector<ArgumentChange>& changes, const ScriptLoader& from,
                        const ScriptLoader& to) {
  if (prefetch_of(from) != prefetch_of(to)) {
    changes.push_back({"prefetch_factor", fmt::format("{}", prefetch_of(to))});
  }
  if (from.persistent_workers != to.persistent_workers) {
    changes.push_back({"persistent_workers", bool_literal(to.persistent_workers)});
  }
  if (from.num_workers == 0 && !from.context.empty()) {
    changes.push_back({"multiprocessing_context", fmt::format("\"{}\"", from.context)});
  }
}

constexpr std::string_view kBlanks = " \t\n\r\\";

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

// The range of `name=value` with the parentheses around the value; nothing if a comment is between
// its parts.
std::optional<TextEdit> whole_argument(const ScriptCall& call, const Argument& argument) {
  const std::string& text = call.text;
  std::size_t begin = argument.begin;
  std::size_t end = argument.end;
  std::size_t parentheses = 0;
  while (begin > 0 && (is_blank(text[begin - 1]) || text[begin - 1] == '(')) {
    parentheses += text[--begin] == '(' ? 1 : 0;
  }
  while (parentheses > 0 && end < text.size() && (is_blank(text[end]) || text[end] == ')')) {
    parentheses -= text[end++] == ')' ? 1 : 0;
  }
  if (parentheses > 0 || begin == 0 || text[begin - 1] != '=') return std::nullopt;
  --begin;
  while (begin > 0 && is_blank(text[begin - 1])) --begin;
  const std::size_t size = argument.name.size();
  if (begin < size || text.compare(begin - size, size, argument.name) != 0) return std::nullopt;
  return TextEdit{begin - size, end, {}};
}

std::size_t after_blanks_and_comments(const std::string& text, std::size_t at) {
  while (at < text.size() && (is_blank(text[at]) || text[at] == '#')) {
    at = text[at] == '#' ? std::min(text.find('\n', at), text.size()) : at + 1;
  }
  return at;
}

bool is_blank(const std::string& text, std::size_t begin, std::size_t end) {
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin),
                     text.begin() + static_cast<std::ptrdiff_t>(end),
                     [](char c) { return is_blank(c); });
}

// Extends the edit to whole lines if they have nothing else.
void widen_to_lines(const std::string& text, TextEdit& edit) {
  const std::size_t begin = begin_of_line(text, edit.begin);
  const std::size_t end = end_of_line(text, edit.end);
  if (begin == 0 || end == text.size()) return;
  if (is_blank(text, begin, edit.begin) && is_blank(text, edit.end, end)) {
    edit = {begin, end + 1, {}};
  }
}

// Removes the argument and its comma. The last argument keeps the comma before it if a comment is
// between them: a call may end with a comma.
std::vector<TextEdit> removal_of(const std::string& text, TextEdit argument) {
  const std::size_t next = after_blanks_and_comments(text, argument.end);
  if (next < text.size() && text[next] == ',') {
    if (!is_blank(text, argument.end, next)) return {argument, {next, next + 1, {}}};
    argument.end = next + 1;
    while (argument.end < text.size() &&
           (text[argument.end] == ' ' || text[argument.end] == '\t')) {
      ++argument.end;
    }
    widen_to_lines(text, argument);
    return {argument};
  }
  std::size_t before = argument.begin;
  while (before > 0 && is_blank(text[before - 1])) --before;
  if (before > 0 && text[before - 1] == ',') argument.begin = before - 1;
  return {argument};
}

// Joins arguments with only a comma between them, so that no comma is removed twice.
std::vector<TextEdit> joined(const std::string& text, std::vector<TextEdit> arguments) {
  std::sort(arguments.begin(), arguments.end(),
            [](const TextEdit& a, const TextEdit& b) { return a.begin < b.begin; });
  std::vector<TextEdit> all;
  for (const TextEdit& argument : arguments) {
    const std::size_t comma = all.empty() ? 0 : text.find_first_not_of(kBlanks, all.back().end);
    const bool follows = !all.empty() && text[comma] == ',' &&
                         text.find_first_not_of(kBlanks, comma + 1) == argument.begin;
    if (follows) {
      all.back().end = argument.end;
    } else {
      all.push_back(argument);
    }
  }
  return all;
}

// Collects the edits of one call.
class CallEditor {
 public:
  explicit CallEditor(const ScriptLoader& loader) : loader_(loader), call_(*loader.call) {}

  CallEdit edit(const std::vector<ArgumentChange>& changes) {
    for (const ArgumentChange& change : changes) {
      if (!change.value) remove(change);
    }
    for (const ArgumentChange& change : changes) {
      if (change.value) set(change);
    }
    if (!inserted_.empty()) {
      edits_.push_back({call_.insert, call_.insert, call_.separator + inserted_});
    }
    for (const TextEdit& argument : joined(call_.text, removed_)) {
      for (const TextEdit& edit : removal_of(call_.text, argument)) edits_.push_back(edit);
    }
    std::stable_sort(edits_.begin(), edits_.end(), [](const TextEdit& a, const TextEdit& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    return {apply_edits(call_.text, edits_), changed_lines(call_.text, edits_), std::move(open_)};
  }

 private:
  void remove(const ArgumentChange& change) {
    const Argument* const argument = find_argument(loader_, change.name);
    const auto whole = argument == nullptr ? std::nullopt : whole_argument(call_, *argument);
    if (whole) {
      removed_.push_back(*whole);
    } else {
      open_.push_back(change);
    }
  }

  void set(const ArgumentChange& change) {
    const std::string& value = *change.value;
    if (const Argument* const argument = find_argument(loader_, change.name)) {
      edits_.push_back({argument->begin, argument->end, value});
    } else if (!may_insert(change.name)) {
      open_.push_back(change);
    } else if (!removed_.empty()) {  // Replaces it, so that no comma changes.
      TextEdit place = removed_.back();
      removed_.pop_back();
      place.text = fmt::format("{}={}", change.name, value);
      edits_.push_back(place);
    } else {
      inserted_ += fmt::format("{}{}={}", inserted_.empty() ? "" : ", ", change.name, value);
    }
  }

  // An argument given by position, by * or **, or by the loader's own class already has a value.
  [[nodiscard]] bool may_insert(std::string_view name) const {
    const bool is_pytorchs = loader_.type == "DataLoader" || loader_.type == "StatefulDataLoader";
    const bool is_default = name == "num_workers"          ? loader_.num_workers == 0
                            : name == "pin_memory"         ? !loader_.pin_memory
                            : name == "persistent_workers" ? !loader_.persistent_workers
                            : name == "prefetch_factor"    ? prefetch_of(loader_) == 2
                                                           : true;
    return is_pytorchs && is_default && loader_.library.empty() && !call_.is_open &&
           !given_value(loader_, name);
  }

  const ScriptLoader& loader_;
  const ScriptCall& call_;
  std::vector<TextEdit> edits_;
  std::vector<TextEdit> removed_;  // Arguments that are to go.
  std::string inserted_;
  std::vector<ArgumentChange> open_;
};

}  // namespace

std::vector<ArgumentChange> argument_changes(const ScriptLoader& from, const ScriptLoader& to) {
  std::vector<ArgumentChange> changes;
  if (from.num_workers != to.num_workers) {
    changes.push_back({"num_workers", fmt::format("{}", to.num_workers)});
  }
  if (to.num_workers > 0) {
    add_worker_options(changes, from, to);
  } else if (from.num_workers > 0) {
    add_removals(changes, from);
  }
  if (from.pin_memory != to.pin_memory) {
    changes.push_back({"pin_memory", bool_literal(to.pin_memory)});
  }
  return changes;
}

std::string values_text(const std::vector<ArgumentChange>& changes) {
  std::vector<std::string> values;
  for (const ArgumentChange& change : changes) {
    if (change.value) values.push_back(fmt::format("{}={}", change.name, *change.value));
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

CallEdit edit_call(const ScriptLoader& loader, const std::vector<ArgumentChange>& changes) {
  return CallEditor(loader).edit(changes);
}

}  // namespace feedrate
