// SPDX-License-Identifier: Apache-2.0
// feedrate explain: explains columns, knobs, terms of the glossary, and fields of the JSON
// documents from the sources of the documentation. feedrate columns: prints the columns.
#include <algorithm>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/columns.h"
#include "analysis/limits.h"
#include "bench/plan/knobs.h"
#include "cli/commands/carried_files.h"
#include "cli/options/subcommands.h"
#include "core/did_you_mean.h"
#include "core/error.h"
#include "core/verdict.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kGlossary = "glossary.md";

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

class Meanings {
 public:
  Meanings() {
    for (const Column& column : metric_columns()) add_column(column);
    for (const Knob& knob : knobs()) add_knob(knob);
    std::map<std::string_view, std::string> files;
    for (const CarriedFile& file : explained_files()) files[file.path] += file.text;
    add_glossary(files.at(kGlossary));
    add_printed_words();
    files.erase(kGlossary);
    for (const auto& [path, text] : files) {
      const Json schema = Json::parse(text);
      add_fields(schema, schema, schema.at("title").get<std::string>(), "", 0);
    }
  }

  /// Empty for an unknown word. A field is found by its name and by its path in the document.
  [[nodiscard]] const std::vector<std::string>& of(const std::string& word) const {
    static const std::vector<std::string> kNone;
    const auto exact = texts_.find(word);
    if (exact != texts_.end()) return exact->second;
    const auto alike = std::find_if(texts_.begin(), texts_.end(), [&](const auto& one) {
      return lower_case(one.first) == lower_case(word);
    });
    return alike == texts_.end() ? kNone : alike->second;
  }

  [[nodiscard]] std::vector<std::string_view> words() const {
    std::vector<std::string_view> words;
    for (const auto& [word, texts] : texts_) words.push_back(word);
    return words;
  }

 private:
  void add(std::string_view word, std::string text) {
    std::vector<std::string>& texts = texts_[std::string(word)];
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
      texts.push_back(std::move(text));
    }
  }

  void add_column(const Column& column) {
    const std::string_view unit = unit_name(column.unit);
    add(column.tag, fmt::format("column{}: {}", unit.empty() ? "" : fmt::format(" in {}", unit),
                                column.meaning));
  }

  void add_knob(const Knob& knob) {
    const std::string location =
        knob.section.empty() ? std::string(knob.key) : fmt::format("{}.{}", knob.section, knob.key);
    add(knob.name,
        fmt::format("knob, {} in a sweep: {}{}", location, knob.help,
                    knob.fallback.empty() ? "" : fmt::format("; default {}", knob.fallback)));
  }

  // A term is a heading with its explanation below; links are removed.
  void add_glossary(const std::string& page) {
    static const std::regex kTerm(R"(\n## ([^\n]+)\n\n((?:[^\n]+\n)+))");
    static const std::regex kLink(R"(\[([^\]]+)\]\([^)]*\))");
    for (auto term = std::sregex_iterator(page.begin(), page.end(), kTerm);
         term != std::sregex_iterator(); ++term) {
      std::string text = std::regex_replace((*term)[2].str(), kLink, "$1");
      text.pop_back();
      std::replace(text.begin(), text.end(), '\n', ' ');
      add((*term)[1].str(), "term: " + text);
    }
  }

  // Words in tables and summaries are explained by their glossary term.
  void add_printed_words() {
    for (const char* const bound :
         {"INPUT-BOUND", "BALANCED", "TRAINING-BOUND", "GPU-BOUND", "UNKNOWN"}) {
      add_as(bound, "bound");
    }
    for (const Verdict verdict :
         {Verdict::kWin, Verdict::kTie, Verdict::kLose, Verdict::kUndecided}) {
      add_as(to_string(verdict), "verdict");
    }
    for (const Bottleneck stage :
         {Bottleneck::kStorage, Bottleneck::kDecode, Bottleneck::kTransport, Bottleneck::kCopy,
          Bottleneck::kGpu, Bottleneck::kCpuStep, Bottleneck::kBalanced, Bottleneck::kForeign}) {
      add_as(to_string(stage), "bottleneck");
    }
    add_as("samples/s", "samples_per_second");
    add_as("limit", "bottleneck");
  }

  void add_as(std::string_view word, const std::string& term) {
    for (const std::string& text : std::vector<std::string>(texts_.at(term))) add(word, text);
  }

  void add_fields(const Json& schema, const Json& node, const std::string& document,
                  const std::string& path, int depth) {
    constexpr int kDeepest = 12;  // a definition may refer to itself
    if (depth > kDeepest) return;
    if (const auto ref = node.find("$ref"); ref != node.end()) {
      add_fields(schema, schema.at(Json::json_pointer(ref->get<std::string>().substr(1))), document,
                 path, depth + 1);
    }
    for (const char* const either : {"anyOf", "oneOf", "allOf"}) {
      if (const auto found = node.find(either); found != node.end()) {
        for (const Json& one : *found) add_fields(schema, one, document, path, depth + 1);
      }
    }
    if (const auto items = node.find("items"); items != node.end()) {
      add_fields(schema, *items, document, path + "[]", depth + 1);
    }
    if (const auto values = node.find("additionalProperties");
        values != node.end() && values->is_object()) {
      add_fields(schema, *values, document, path + ".*", depth + 1);
    }
    if (const auto patterns = node.find("patternProperties"); patterns != node.end()) {
      for (const Json& one : *patterns) {
        add_fields(schema, one, document, path + ".*", depth + 1);
      }
    }
    if (const auto fields = node.find("properties"); fields != node.end()) {
      for (const auto& [name, field] : fields->items()) {
        const std::string at = path.empty() ? name : fmt::format("{}.{}", path, name);
        if (field.contains("description")) {
          const auto meaning =
              fmt::format("{} of {}: {}", at, document, field.at("description").get<std::string>());
          add(name, meaning);
          add(at, meaning);
        }
        add_fields(schema, field, document, at, depth + 1);
      }
    }
  }

  std::map<std::string, std::vector<std::string>> texts_;
};

// Throws ConfigError with the closest word for an unknown one.
int run_explain(const std::vector<std::string>& words, Console& console) {
  const Meanings meanings;
  for (const std::string& word : words) {
    const std::vector<std::string>& texts = meanings.of(word);
    if (texts.empty()) {
      throw ConfigError(
          fmt::format("{}: unknown word; expected a column, a knob, a term or a field{}", word,
                      did_you_mean(word, meanings.words())));
    }
    console.out << word << '\n';
    for (const std::string& text : texts) console.out << "  " << text << '\n';
  }
  return kExitOk;
}

}  // namespace

void add_explain(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "explain", "Print what a word means: a column, a knob, a term, or a field of JSON output.");
  const auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("word", *words, "for example samples_per_second, prefetch_factor, regret")
      ->required();
  command->callback(
      [=] { chosen([=](Console& console) { return run_explain(*words, console); }); });
}

void add_columns(CLI::App& app, const Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("columns", "Print the meaning of each column of a result.");
  command->callback([=] {
    chosen([](Console& console) {
      console.out << columns_markdown();
      return kExitOk;
    });
  });
}

}  // namespace feedrate
