//===- SchemaTest.cpp - the schema agrees with the reader -----------------===//

#include "CardText.h"
#include "RandomAst.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

using namespace jacquard;

namespace {
bool validates(const std::string &text) {
  valijson::Schema schema;
  nlohmann::json json = nlohmann::json::parse(cardSchema());
  valijson::SchemaParser().populateSchema(
      valijson::adapters::NlohmannJsonAdapter(json), schema);
  nlohmann::json card = nlohmann::json::parse(text);
  return valijson::Validator().validate(
      schema, valijson::adapters::NlohmannJsonAdapter(card), nullptr);
}

TEST(Schema, EveryLibraryCardValidates) {
  for (std::string_view name : libraryNames())
    EXPECT_TRUE(validates(std::string(libraryCard(name)))) << name;
}

TEST(Schema, EveryPrintedCardValidates) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    std::string text = printJson(randomAst(random));
    ASSERT_TRUE(validates(text)) << text;
  }
}

TEST(Schema, WhatTheReaderRefusesForItsShapeTheSchemaRefusesToo) {
  auto card = [](const std::string &rest) {
    return "{\"jacquard\": 1, \"name\": \"p\"" + rest + "}";
  };
  auto param = [&](const std::string &rest) {
    return card(", \"params\": {\"n\": {" + rest + "}}, \"keep\": \"q < n\"");
  };
  auto selection = [&](const std::string &rest) {
    return card(", \"selections\": {\"t\": {" + rest + "}}, \"keep\": \"t\"");
  };
  const std::vector<std::string> bad{
      "[]",
      "{\"name\": \"p\"}",
      "{\"jacquard\": 1}",
      "{\"jacquard\": 2, \"name\": \"p\"}",
      "{\"jacquard\": \"1\", \"name\": \"p\"}",
      "{\"jacquard\": 1, \"name\": \"a b\"}",
      card(", \"kep\": \"q < k\""),
      card(", \"keep\": true"),
      card(", \"score\": 1"),
      card(", \"align\": \"left\""),
      card(", \"uses\": \"causal\""),
      card(", \"uses\": [1]"),
      card(", \"let\": {\"a\": 1}"),
      card(", \"sink\": 1"),
      card(", \"params\": []"),
      param(""),
      param("\"type\": \"integer\""),
      param("\"type\": \"int\", \"mn\": 1"),
      param("\"type\": \"int\", \"default\": \"1\""),
      param("\"type\": \"int\", \"default\": true"),
      param("\"type\": \"int\", \"default\": 1.5"),
      param("\"type\": \"bool\", \"default\": 1"),
      param("\"type\": \"bool\", \"min\": 0"),
      card(", \"tensors\": {\"t\": {\"type\": \"int\"}}"),
      card(", \"tensors\": {\"t\": {\"type\": \"bool\", \"shape\": []}}"),
      card(", \"tensors\": {\"t\": {\"type\": \"int\", \"shape\": [0]}}"),
      card(", \"tensors\": {\"t\": {\"type\": \"int\", \"shape\": "
           "[1,1,1,1,1]}}"),
      card(
          ", \"tensors\": {\"t\": {\"type\": \"int\", \"shape\": [\"rows\"]}}"),
      selection("\"q_block\": 8, \"k_block\": 8"),
      selection("\"kind\": \"block\""),
      selection("\"kind\": \"blocks\", \"q_block\": 8"),
      selection("\"kind\": \"blocks\", \"q_block\": 0, \"k_block\": 8"),
      selection("\"kind\": \"token_blocks\""),
      selection("\"kind\": \"token_blocks\", \"q_block\": 8, \"k_block\": 8"),
      selection("\"kind\": \"row_intervals\", \"k_block\": 8"),
  };
  for (const std::string &text : bad) {
    EXPECT_FALSE(validates(text)) << text;
    EXPECT_NE(codeOf(text), "") << text;
  }
}
} // namespace
