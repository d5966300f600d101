//===- ErrorCodesTest.cpp - every mistake has its message and its code ----===//

#include "CardText.h"

#include "patterns/Codes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

using namespace jacquard;

namespace {
struct Mistake {
  const char *code;
  std::string card;
  const char *message;        ///< Part of it.
  const char *note = nullptr; ///< Part of one, or none looked for.
};

std::string keep(const std::string &expression) {
  return "pattern p(n: int = 4 min 0, x: float = 1.0, flag: bool = true, doc: "
         "int[batch, k_len], bias: float[heads], blocks: blocks(q_block = 64, "
         "k_block = 64)) { keep " +
         expression + " }";
}

std::string json(const std::string &rest) {
  return "{\"jacquard\": 1, \"name\": \"p\"" + rest + "}";
}

const std::vector<Mistake> &mistakes() {
  static const std::vector<Mistake> all{
      {"E0101", "pattern p() { keep q + }", "expected an expression, got '}'"},
      {"E0101", "pattern p() { keep q = k }", "got '='",
       "equality is written =="},
      {"E0101", "pattern p() { keep q ? k }", "'?', which is no word"},
      {"E0101", "pattern p() { keep q € k }", "'€', which is no word"},
      {"E0101", "pattern p() { keep (q < k }", "expected ')'"},
      {"E0101", "pattern p() { keep q < k", "got the end"},
      {"E0101", "pattern p() { kep q < k }", "expected let, keep, score"},
      {"E0101", "pattern p(n: number) { }",
       "expected a type (int, float, bool)"},
      {"E0101", "pattern p(n: int = true) { keep n > 0 }", "expected a number"},
      {"E0101", "pattern p(n: bool = 1) { keep n }", "expected true or false"},
      {"E0101", "pattern p(t: int[rows]) { keep t[0] > 0 }",
       "expected an axis"},
      {"E0101", "pattern p() { align left }",
       "expected top_left or bottom_right"},
      {"E0101", "pattern p() { uses \"x }", "an unfinished string"},
      {"E0101", "pattern p() { } }", "expected the end of the card"},
      {"E0101", "keep q < k", "expected 'pattern'"},
      {"E0101", "", "expected 'pattern', got the end"},
      {"E0101", json(", \"keep\": \"q < \""),
       "expected an expression, got the end"},
      {"E0101", json(", \"keep\": \"q < k k\""),
       "expected the end of the expression"},
      {"E0101", "pattern p() { keep 2x < k }", "'2', which is no word"},
      {"E0102", "pattern p() { keep 0 < q < k }", "comparisons don't chain",
       "join two of them by `and`"},
      {"E0103", "pattern p() { keep " + std::string(200, '(') + " }",
       "nest deeper"},
      {"E0103", json(", \"x\": " + std::string(200, '[')), "nest deeper"},
      {"E0104", "pattern p() { keep q < 2147483648 }", "no 32-bit int"},
      {"E0104", "pattern p() { score s * 1e39 }", "too large for a float"},
      {"E0104", "pattern p(n: int = 1.5) { keep q < n }",
       "must be 32-bit ints"},
      {"E0104", "pattern p(n: int max 3000000000) { keep q < n }",
       "32-bit ints"},
      {"E0104", "pattern p(x: float = 1e39) { score s * x }",
       "too large for a float"},
      {"E0105", "pattern p(q: int = 1) { keep q < k }",
       "'q' can't name a parameter"},
      {"E0105", "pattern min() { }", "'min' can't name a pattern"},
      {"E0105", "pattern p() { let k = q keep k < q }", "'k' can't name a let"},
      {"E0105", json(", \"params\": {\"a b\": {\"type\": \"int\"}}"),
       "letters, digits and _"},
      {"E0105", json(", \"params\": {\"\": {\"type\": \"int\"}}"),
       "not be empty"},
      {"E0105",
       json(", \"params\": {\"" + std::string(65, 'a') +
            "\": {\"type\": \"int\"}}"),
       "at most 64 characters"},
      {"E0105", json(", \"sink\": \"\""), "'' is no tensor"},
      {"E0105", json(", \"sink\": \"a b\""), "'a b' is no tensor"},
      {"E0105",
       json(", \"selections\": {\"t\": {\"kind\": \"token_blocks\", "
            "\"k_block\": \"a b\"}}"),
       "'a b' is no parameter"},
      {"E0106", "pattern p(n: int = 1, n: int = 2) { keep q < n }",
       "declared twice"},
      {"E0106", "pattern p(n: int = 1) { let n = 2 keep q < n }",
       "declared twice"},
      {"E0106", "pattern p() { keep q < k keep k < q }", "'keep' stands twice"},
      {"E0106", "pattern p(n: int = 1 = 2) { keep q < n }", "'=' stands twice"},
      {"E0107", "pattern p(n: int min 3 max 2) { keep q < n }",
       "min 3 above max 2"},
      {"E0107", "pattern p(n: int = 1 min 3) { keep q < n }",
       "default 1 outside"},
      {"E0107", "pattern p(n: bool min false) { keep n }", "has no limits"},
      {"E0107", "pattern p() { keep chunked(chunk = 0) }",
       "out of its limits: 0"},
      {"E0108", "pattern p(t: bool[heads]) { keep t[h] }",
       "must be int or float"},
      {"E0108",
       "pattern p(t: int[1, 1, 1, 1, 1]) { keep t[0, 0, 0, 0, 0] > 0 }",
       "at most 4"},
      {"E0108", "pattern p(t: int[0]) { keep t[0] > 0 }", "an axis of 0"},
      {"E0108", "pattern p(t: float[k_len] sorted) { score s * t[k] }",
       "sorted"},
      {"E0108", "pattern p(t: int[k_len] grad) { keep t[k] > 0 }", "gradient"},
      {"E0109", "pattern p(t: blocks(q_block = 64)) { keep t }",
       "needs k_block"},
      {"E0109", "pattern p(t: row_intervals(q_block = 64)) { keep t }",
       "takes no q_block"},
      {"E0109", "pattern p(t: blocks(q_block = 0, k_block = 1)) { keep t }",
       "at least 1"},
      {"E0109",
       "pattern p(n: int = 4, t: token_blocks(k_block = n)) { keep t }",
       "needs a min"},
      {"E0110", "pattern p(t: int[heads], n: int = 1) { keep t[h] < n }",
       "parameters come first"},
      {"E0110",
       "pattern p(i: row_intervals, t: int[heads]) { keep i and t[h] < 1 }",
       "parameters come first"},
      {"E0111", "{\"jacquard\": 1,, }", "this is no JSON: unexpected ','"},
      {"E0111", "{\"jacquard\": 1", "unexpected the end"},
      {"E0112", "{\"jacquard\": 1, \"name\": \"p\", \"name\": \"r\"}",
       "\"name\" stands twice"},
      {"E0113", "{\"name\": \"p\"}",
       "\"jacquard\" (the card version) is missing"},
      {"E0113", "{\"jacquard\": 1}", "the card has no name"},
      {"E0113", json(", \"params\": {\"n\": {}}"), "needs the key \"type\""},
      {"E0113", json(", \"tensors\": {\"t\": {\"type\": \"int\"}}"),
       "needs the key \"shape\""},
      {"E0113", json(", \"selections\": {\"t\": {}}"),
       "needs the key \"kind\""},
      {"E0114", "{\"jacquard\": 2, \"name\": \"p\", \"later\": 1}",
       "card version 2 is newer than this reader's 1"},
      {"E0114", "{\"jacquard\": 0}", "no card version 0"},
      {"E0115", json(", \"keep\": 3"), "'keep' must be a string"},
      {"E0115", json(", \"keep\": true"), "got a boolean"},
      {"E0115", json(", \"params\": []"),
       "'params' must be an object, got an array"},
      {"E0115", json(", \"params\": {\"n\": {\"type\": \"integer\"}}"),
       "unknown type \"integer\"", "int, float and bool"},
      {"E0115",
       json(", \"params\": {\"n\": {\"type\": \"int\", \"default\": true}}"),
       "'default' must be a number"},
      {"E0115",
       json(", \"params\": {\"n\": {\"default\": 1, \"type\": \"bool\"}}"),
       "'default' must be true or false"},
      {"E0115",
       json(", \"tensors\": {\"t\": {\"type\": \"int\", \"shape\": [\"n\"]}}"),
       "an axis must be", "batch, heads"},
      {"E0115", json(", \"selections\": {\"t\": {\"kind\": \"block\"}}"),
       "unknown kind \"block\"", "token_blocks"},
      {"E0115", json(", \"align\": \"left\""), "unknown align \"left\"",
       "top_left"},
      {"E0115", json(", \"uses\": \"causal\""), "'uses' must be an array"},
      {"E0116", json(", \"kep\": \"q < k\""), "unknown key \"kep\"",
       "did you mean \"keep\"?"},
      {"E0116", json(", \"params\": {\"n\": {\"type\": \"int\", \"mn\": 1}}"),
       "unknown key \"mn\" in parameter 'n'", "did you mean \"min\"?"},
      {"E0117", std::string((1 << 20) + 1, ' '), "at most 1048576 bytes"},
      {"E0119", "pattern p() { keep q < k } # \xff", "no UTF-8"},
      {"E0119", "{\"jacquard\": 1, \"name\": \"\xc3(\"}", "no UTF-8"},
      {"E0121", keep("q < m"), "unknown name 'm'"},
      {"E0121", "pattern p(window: int = 3) { keep q - k < windw }",
       "unknown name 'windw'", "did you mean 'window'?"},
      {"E0121", keep("dc[b, k] == 0"), "no tensor is named 'dc'",
       "did you mean 'doc'?"},
      {"E0121", "pattern p() { keep casual() }",
       "unknown function or pattern 'casual'", "did you mean 'causal'?"},
      {"E0121", "pattern p() { keep causal }", "unknown name 'causal'",
       "a pattern is called: causal()"},
      {"E0121", "pattern p() { let a = c let c = 1 keep a < k }",
       "unknown name 'c'", "after its line only"},
      {"E0121", "pattern p() { sink t }", "sink names no tensor"},
      {"E0121",
       "pattern p(tile: int = 1 min 1, t: token_blocks(k_block = tle)) { keep "
       "t }",
       "a block size names no int parameter", "did you mean 'tile'?"},
      {"E0122", keep("q"), "keep must be bool, got int"},
      {"E0122", "pattern p() { score s > 0 }", "score must be float, got bool"},
      {"E0122", keep("q and k"), "and, or take two bools, got int and int"},
      {"E0122", keep("not q"), "not takes a bool, got int"},
      {"E0122", keep("-(q < k) == 1"), "- takes a number"},
      {"E0122", keep("flag < true"), "a comparison takes two numbers"},
      {"E0122", keep("flag == 1"),
       "two numbers or two bools, got bool and int"},
      {"E0122", keep("q + flag > 0"), "arithmetic takes two numbers"},
      {"E0122", keep("x // 2 > 1"), "// takes two ints, got float and int"},
      {"E0122", keep("q % 2.0 == 1"), "% takes two ints, got int and float"},
      {"E0122", keep("flag / 2 > 1"), "/ takes two numbers"},
      {"E0122", keep("doc[b, x] > 1"), "an index must be int, got float"},
      {"E0122", keep("min(flag, 1) > 0"),
       "'min' takes two numbers, got bool, int"},
      {"E0122", keep("abs(flag) > 0"), "'abs' takes a number"},
      {"E0122", keep("where(1, q, k) > 0"),
       "'where' takes a bool and two values"},
      {"E0122", keep("bit(x, 1)"), "'bit' takes two ints, got float, int"},
      {"E0122", keep("exp(flag) > 0"), "'exp' takes a number"},
      {"E0122", keep("chunked(x)"), "'chunk' is int, got float"},
      {"E0122", keep("chunked(doc)"), "'chunk' takes a value, got a tensor"},
      {"E0123", keep("s > 0"), "has no value in keep"},
      {"E0123", "pattern p() { let big = s > 0 keep big score s }",
       "'big' reads s, which has no value in keep"},
      {"E0124", keep("doc[b] == 1"), "tensor 'doc' has 2 axes, got 1 indices"},
      {"E0124", keep("doc == 1"), "tensor 'doc' needs 2 indices"},
      {"E0124", keep("bias > 1"), "tensor 'bias' needs 1 index"},
      {"E0125", keep("q // 0 == 1"), "division by zero"},
      {"E0125", keep("q % (2 - 2) == 1"), "division by zero"},
      {"E0125", "pattern p() { score s / 0 }", "division by zero"},
      {"E0126", keep("min(q) > 0"), "'min' takes 2 arguments, got 1"},
      {"E0126", keep("abs(q, k) > 0"), "'abs' takes 1 argument, got 2"},
      {"E0126", keep("abs(x = q) > 0"), "takes no named arguments"},
      {"E0126", keep("causal(q)"), "'causal' takes 0 arguments"},
      {"E0126", keep("chunked(chnk = 3)"), "'chunked' has no 'chnk'",
       "did you mean 'chunk'?"},
      {"E0126", keep("chunked(3, chunk = 3)"), "'chunk' is given twice"},
      {"E0126", keep("documents()"), "'documents' needs 'doc'"},
      {"E0126", keep("documents(q)"), "must be a tensor of this card"},
      {"E0126", keep("documents(q + 1)"), "takes the name of a declaration"},
      {"E0126", keep("documents(doc)"), "does not fit 'doc' of 'documents'",
       "`sorted` must agree"},
      {"E0126", keep("block_list(doc)"), "must be a selection of blocks"},
      {"E0126", keep("token_block_list(blocks)"),
       "a selection of token_blocks"},
      {"E0126", keep("soft_cap(s = 1)"), "'s' can be given in score only"},
      {"E0127", "pattern p() { uses \"no.jac\" keep causal() }",
       "can't find the pattern \"no.jac\"", ".json or .jac"},
      {"E0128", "pattern p() { keep p() }", "in a circle: p -> p"},
      {"E0129", "pattern p(t: float[k_len]) { sink t }",
       "must be a float[heads]"},
      {"E0129",
       "pattern p(t: float[heads]) { score s + t[h] + learned_sink(t) }",
       "has a sink, which a call can't pass on", "declare the sink"},
      {"E0130", "pattern p(n: int = 1) { keep q < k }",
       "parameter 'n' is never read"},
      {"E0130", "pattern p(t: int[k_len]) { keep q < k }",
       "tensor 't' is never read"},
      {"E0130", "pattern p(i: row_intervals) { }",
       "selection 'i' is never read"},
      {"E0131", "pattern p(bias: float[heads]) { score s * 2 }",
       "does not read the tensor 'bias'"},
      {"E0132", json(", \"description\": \"a\\u001b[31m\""),
       "control character"},
      {"E0132", json(", \"uses\": [\"a\\\"b\"]"), "without quotes"},
  };
  return all;
}

TEST(ErrorCodes, EveryMistakeHasItsMessageCodeAndPlace) {
  for (const Mistake &mistake : mistakes()) {
    Expected<Graph> graph = graphOf(mistake.card);
    ASSERT_FALSE(graph) << mistake.card;
    const Error &error = graph.error();
    EXPECT_EQ(error.code, mistake.code) << error.render();
    EXPECT_EQ(error.kind, ErrorKind::Invalid);
    EXPECT_NE(error.message.find(mistake.message), std::string::npos)
        << error.render() << "\nexpected: " << mistake.message;
    ASSERT_TRUE(error.place) << error.render();
    EXPECT_EQ(error.place->source->name, "card");
    EXPECT_LE(error.place->span.begin, mistake.card.size());
    EXPECT_LE(error.place->span.begin, error.place->span.end) << error.render();
    if (!mistake.note)
      continue;
    std::string notes;
    for (const std::string &note : error.notes)
      notes += note + "\n";
    EXPECT_NE(notes.find(mistake.note), std::string::npos) << error.render();
  }
}

/// Those of mistakes() are joined by the ones that other tests of this program
/// show.
TEST(ErrorCodes, TheTableHoldsExactlyTheCodesThatAreReported) {
  std::set<std::string> table, reported{"E0118"}; // LimitsTest.
  for (const CodeMeaning &entry : cardCodes)
    EXPECT_TRUE(table.emplace(entry.code).second)
        << entry.code << " stands twice";
  for (const Mistake &mistake : mistakes())
    reported.insert(mistake.code);
  EXPECT_EQ(table, reported);
}

TEST(ErrorCodes, TheReadmeListsTheTable) {
  std::ifstream file(JACQUARD_SOURCE_DIR "/patterns/README.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const CodeMeaning &entry : cardCodes) {
    std::string row = "| " + std::string(entry.code) + " | " +
                      std::string(entry.meaning) + " |";
    EXPECT_NE(text.str().find(row), std::string::npos) << row;
  }
}
} // namespace
