//===- CanonicalTest.cpp - a digest tells structures apart, and only them -===//

#include "CardText.h"

#include <gtest/gtest.h>

using namespace jacquard;

namespace {
std::string digestOf(const std::string &text) {
  return digest(goodGraph(text));
}

TEST(Canonical, NamesDefaultsAndTextDoNotMatter) {
  std::string one = digestOf("# what it is\npattern p(n: int = 4 min 1) {\n"
                             "  let d = q - k\n  keep d < n\n}");
  EXPECT_EQ(
      one,
      digestOf("pattern other(width: int = 9 min 1) { keep q - k < width }"));
  EXPECT_EQ(one,
            digestOf("{\"jacquard\": 1, \"name\": \"p\", \"params\": {\"n\": "
                     "{\"type\": \"int\", \"min\": 1}}, \"keep\": \"q-k<n\"}"));
  EXPECT_EQ(one,
            digestOf("pattern p(n: int = 4 min 1) {\n  let unused = q * 77\n"
                     "  keep n > q - k\n}"));
}

TEST(Canonical, BothSpellingsAndACallGiveTheSame) {
  EXPECT_EQ(digestOf("pattern p() { keep causal() }"),
            digestOf("pattern r() { keep k <= q }"));
  for (std::string_view name : libraryNames()) {
    Expected<Ast> ast = parseCard("card", std::string(libraryCard(name)));
    ASSERT_TRUE(ast);
    EXPECT_EQ(digestOf(printJson(*ast)), digestOf(printText(*ast))) << name;
  }
}

TEST(Canonical, OrderOfOperandsThatCommuteExactlyDoesNotMatter) {
  std::string card = "pattern p(n: int = 4) { keep ";
  EXPECT_EQ(digestOf(card + "q < n and k < n }"),
            digestOf(card + "k < n and q < n }"));
  EXPECT_EQ(digestOf(card + "q + k < n }"), digestOf(card + "k + q < n }"));
  EXPECT_EQ(digestOf(card + "q * k == n }"), digestOf(card + "n == k * q }"));
  EXPECT_EQ(digestOf(card + "min(q, k) < n or max(n, k) < q }"),
            digestOf(card + "max(k, n) < q or min(k, q) < n }"));
  // Deep inside, and where both orders stand in one pattern.
  EXPECT_EQ(digestOf(card + "(q + k) * n < 5 and (k + q) // 2 < n }"),
            digestOf(card + "(q + k) // 2 < n and n * (q + k) < 5 }"));
}

TEST(Canonical, OrderMattersWhereRoundingOrMeaningDepends) {
  std::string card = "pattern p(x: float = 1.0, y: float = 2.0) { score ";
  EXPECT_NE(digestOf(card + "s + x + y }"), digestOf(card + "s + y + x }"));
  EXPECT_NE(digestOf(card + "s + (x + y) }"), digestOf(card + "s + x + y }"));
  EXPECT_NE(digestOf("pattern p() { keep q - k < 2 }"),
            digestOf("pattern p() { keep k - q < 2 }"));
}

TEST(Canonical, EveryDifferenceOfStructureShows) {
  const std::vector<std::string> cards{
      "pattern p() {}",
      "pattern p() { align top_left }",
      "pattern p() { align bottom_right }",
      "pattern p() { keep q < k }",
      "pattern p() { keep q <= k }",
      "pattern p() { keep row < k }",
      "pattern p() { keep q < 1 }",
      "pattern p() { keep q < 2 }",
      "pattern p() { score s }",
      "pattern p() { score s * 2 }",
      "pattern p() { score s * 2.5 }",
      "pattern p() { score s + 2 }",
      "pattern p(n: int) { keep q < n }",
      "pattern p(n: int min 0) { keep q < n }",
      "pattern p(n: int min 1) { keep q < n }",
      "pattern p(n: int max 1) { keep q < n }",
      "pattern p(n: float) { keep q < n }",
      "pattern p(n: int, m: int) { keep q - n < m }",
      "pattern p(n: int, m: int) { keep q - m < n }",
      "pattern p(t: int[k_len]) { keep t[k] < 1 }",
      "pattern p(t: int[k_len] sorted) { keep t[k] < 1 }",
      "pattern p(t: int[q_len]) { keep t[k] < 1 }",
      "pattern p(t: int[7]) { keep t[k] < 1 }",
      "pattern p(t: int[8]) { keep t[k] < 1 }",
      "pattern p(t: float[k_len]) { keep t[k] < 1 }",
      "pattern p(t: float[k_len] grad) { keep t[k] < 1 }",
      "pattern p(t: int[k_len], u: int[k_len]) { keep t[k] < u[q] }",
      "pattern p(t: int[k_len], u: int[k_len]) { keep u[k] < t[q] }",
      "pattern p(t: blocks(q_block = 8, k_block = 8)) { keep t }",
      "pattern p(t: blocks(q_block = 8, k_block = 9)) { keep t }",
      "pattern p(t: blocks(q_block = 9, k_block = 8)) { keep t }",
      "pattern p(t: token_blocks(k_block = 8)) { keep t }",
      "pattern p(t: row_intervals) { keep t }",
      "pattern p(t: column_intervals) { keep t }",
      "pattern p(t: row_intervals) { keep not t }",
      "pattern p(n: int min 1, t: token_blocks(k_block = n)) { keep t }",
      "pattern p(t: float[heads]) { sink t }",
      "pattern p(t: float[heads]) { sink t score s + t[h] }",
      "pattern p(t: float[heads]) { score s + t[h] }",
  };
  std::map<std::string, std::string> forms, digests;
  for (const std::string &card : cards) {
    Graph graph = goodGraph(card);
    auto [form, newForm] = forms.emplace(canonicalForm(graph), card);
    // `score s` says what absence says.
    if (card == "pattern p() { score s }") {
      EXPECT_EQ(form->second, "pattern p() {}");
      continue;
    }
    EXPECT_TRUE(newForm) << card << "\nand " << form->second;
    EXPECT_TRUE(digests.emplace(digest(graph), card).second) << card;
  }
}

TEST(Canonical, DigestsAre64HexDigitsAndDoNotDependOnTheProcess) {
  std::string own = digestOf("pattern p() { keep k <= q }");
  EXPECT_EQ(own.size(), 64u);
  EXPECT_EQ(own.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(own,
            "348c17b7ed1985cba766c42b188790bd814b90194a391048621f7f6a8b47b0c5");
}

TEST(Canonical, LibraryCardsOfOneMeaningOnlyShareADigest) {
  std::map<std::string, std::string> seen;
  for (std::string_view name : libraryNames()) {
    auto [found, isNew] = seen.emplace(digestOf(std::string(libraryCard(name))),
                                       std::string(name));
    EXPECT_TRUE(isNew) << name << " and " << found->second;
  }
}
} // namespace
