//===- ProblemOptions.cpp - a problem from the command line ---------------===//

#include "ProblemOptions.h"

#include <charconv>
#include <cmath>

using namespace jacquard;

void TypeOptions::declare(CLI::App &command, int64_t defaultHeadDim) {
  headDim = defaultHeadDim;
  command.add_option("--dtype", dtype, "Element type of q, k, v and out")
      ->check(CLI::IsMember({"f32", "f16", "bf16"}))
      ->capture_default_str();
  command.add_option("--head-dim", headDim, "Head dim of q and k")
      ->capture_default_str();
  command
      .add_option("--value-dim", valueDim,
                  "Head dim of v and out; 0: --head-dim")
      ->capture_default_str();
}

ElementType TypeOptions::element() const {
  return dtype == "f16"    ? ElementType::F16
         : dtype == "bf16" ? ElementType::BF16
                           : ElementType::F32;
}

void ProblemOptions::declare(CLI::App &command, int64_t defaultLength) {
  q = defaultLength;
  command.add_option("CARD", card, "A card: file, library name, or -")
      ->required();
  command.add_option("--q", q, "Query length")->capture_default_str();
  command.add_option("--k", k, "Key length (default: as --q)");
  command.add_option("--batch", batch, "Batch size")->capture_default_str();
  command.add_option("--heads", heads, "Query heads")->capture_default_str();
  command.add_option("--kv-heads", kvHeads,
                     "KV heads (default: half of --heads, or as many)");
  command.add_option("--q-lens", qLens, "Query length of each batch element")
      ->delimiter(',');
  command.add_option("--k-lens", kLens, "Key length of each batch element")
      ->delimiter(',');
  command
      .add_option("--q-offset", qOffsets,
                  "Position of query row 0: one, or one per batch element")
      ->delimiter(',');
  command
      .add_option("--align", align, "Where queries stand when lengths differ")
      ->check(CLI::IsMember({"top_left", "bottom_right"}));
  command.add_option("-p,--param", params, "A parameter: NAME=VALUE")
      ->take_all();
  command
      .add_option("-t,--tensor", tensors,
                  "Data of a tensor or selection: NAME=FILE.npy")
      ->take_all();
  command.add_option("--seed", seed, "Of random data")->capture_default_str();
}

/// NAME=VALUE in two.
static Expected<std::pair<std::string, std::string>>
split(const std::string &option, const std::string &text) {
  size_t at = text.find('=');
  if (at == 0 || at == std::string::npos || at + 1 == text.size())
    return makeError(ErrorKind::Usage, "E0504",
                     option + " takes NAME=VALUE, got '" + text + "'");
  return std::pair(text.substr(0, at), text.substr(at + 1));
}

static Expected<double> parseNumber(const std::string &name,
                                    const std::string &text) {
  if (text == "true" || text == "false")
    return text == "true" ? 1 : 0;
  double value = 0;
  auto [end, failed] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size())
    return makeError(ErrorKind::Usage, "E0505",
                     "parameter `" + name + "` is '" + text +
                         "'; a number, true or false is needed");
  return value;
}

template <typename Declarations>
static bool declares(const Declarations &declarations,
                     const std::string &name) {
  for (const auto &decl : declarations)
    if (decl.name == name)
      return true;
  return false;
}

static Status readParams(const std::vector<std::string> &given,
                         LoadedProblem &loaded) {
  for (const std::string &text : given) {
    auto parts = split("-p", text);
    if (!parts)
      return parts.takeError();
    Expected<double> value = parseNumber(parts->first, parts->second);
    if (!value)
      return value.takeError();
    if (!loaded.owned.inputs.params.emplace(parts->first, *value).second)
      return makeError(ErrorKind::Usage, "E0506",
                       "parameter `" + parts->first + "` is given twice");
  }
  return {};
}

static Status readTensors(const std::vector<std::string> &given, bool bf16,
                          LoadedProblem &loaded) {
  const Graph &graph = loaded.pattern.graph();
  Inputs &inputs = loaded.owned.inputs;
  for (const std::string &text : given) {
    auto parts = split("-t", text);
    if (!parts)
      return parts.takeError();
    const std::string &name = parts->first;
    bool selection = declares(graph.selections, name);
    if (!selection && !declares(graph.tensors, name)) {
      std::vector<std::string> known, notes;
      for (const Tensor &decl : graph.tensors)
        known.push_back(decl.name);
      for (const Selection &decl : graph.selections)
        known.push_back(decl.name);
      if (std::optional<std::string> near = nearest(name, known))
        notes.push_back("did you mean `" + *near + "`?");
      return makeError(ErrorKind::Invalid, "E0310",
                       "the pattern has no tensor or selection `" + name + "`",
                       std::move(notes));
    }
    Expected<Array> array = readNpy(parts->second, bf16);
    if (!array)
      return array.takeError();
    loaded.owned.arrays.push_back(std::move(*array));
    Array &kept = loaded.owned.arrays.back();
    auto &views = selection ? inputs.selections : inputs.tensors;
    if (!views.emplace(name, kept.view()).second)
      return makeError(ErrorKind::Usage, "E0506",
                       "`" + name + "` is given twice");
    if (kept.type != ElementType::I32)
      loaded.tensorElements[name] = kept.type;
  }
  return {};
}

Expected<LoadedProblem> ProblemOptions::load(bool bf16, bool fill) const {
  Expected<Pattern> pattern = loadCard(card);
  if (!pattern)
    return pattern.takeError();
  LoadedProblem loaded{std::move(*pattern), {}, {}, {}, {}};
  Problem &problem = loaded.problem;
  problem.batch = batch;
  problem.heads = heads;
  problem.kvHeads = kvHeads ? kvHeads : heads % 2 == 0 ? heads / 2 : heads;
  problem.qLen = q;
  problem.kLen = k < 0 ? q : k;
  problem.qLens = qLens;
  problem.kLens = kLens;
  problem.qOffsets = qOffsets;
  problem.align = align == "top_left"       ? Align::TopLeft
                  : align == "bottom_right" ? Align::BottomRight
                                            : Align::Unset;
  if (Status status = readParams(params, loaded); !status)
    return status.takeError();
  if (Status status = readTensors(tensors, bf16, loaded); !status)
    return status.takeError();
  if (!fill)
    return loaded;
  // Sizes that no array can have are refused before any is made.
  constexpr int64_t most = int64_t(1) << 32;
  for (int64_t size : {batch, problem.heads, problem.kvHeads, q, problem.kLen})
    if (size < 0 || size > most)
      return makeError(ErrorKind::Invalid, "E0302",
                       "a size is " + std::to_string(size) + "; 0 to " +
                           std::to_string(most) + " is allowed");
  const Graph &graph = loaded.pattern.graph();
  for (const Tensor &decl : graph.tensors)
    if (!loaded.owned.inputs.tensors.count(decl.name))
      loaded.randomNames.push_back(decl.name);
  for (const Selection &decl : graph.selections)
    if (!loaded.owned.inputs.selections.count(decl.name))
      loaded.randomNames.push_back(decl.name);
  RandomStream random = streamOf(seed, "inputs");
  if (Status status =
          addRandomInputs(loaded.pattern, problem, random, loaded.owned);
      !status)
    return status.takeError();
  return loaded;
}

RandomStream jacquard::streamOf(uint64_t seed, std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u; // FNV-1a.
  for (char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return RandomStream(seed ^ hash);
}

void jacquard::sayRandom(const LoadedProblem &loaded, uint64_t seed) {
  if (loaded.randomNames.empty())
    return;
  std::string names;
  for (const std::string &name : loaded.randomNames)
    names += (names.empty() ? "`" : ", `") + name + "`";
  say("note: " + names + ": random data of seed " + std::to_string(seed) +
      "; -t NAME=FILE.npy gives your own");
}

Json jacquard::asJson(const Problem &problem) {
  return {{"batch", problem.batch},
          {"heads", problem.heads},
          {"kv_heads", problem.kvHeads},
          {"q_len", problem.qLen},
          {"k_len", problem.kLen}};
}
