//===- Comparison.cpp - results against the fp64 reference ----------------===//

#include "Comparison.h"
#include "Picture.h"

#include <cmath>
#include <limits>

using namespace jacquard;

Comparison jacquard::compare(std::string name, const Array &got,
                             const Bounded &expected) {
  Comparison result;
  result.name = std::move(name);
  result.shape = got.shape;
  int64_t width =
      got.shape.size() == 4 ? std::max<int64_t>(got.shape[3], 1) : 1;
  int64_t count = got.size();
  result.rows = count / width;
  if (static_cast<int64_t>(expected.value.size()) != count) {
    result.badRows = std::max<int64_t>(result.rows, 1);
    return result;
  }
  for (int64_t row = 0; row < result.rows; ++row) {
    bool bad = false;
    for (int64_t i = row * width; i < (row + 1) * width; ++i) {
      double value = got.get(i), wanted = expected.value[i];
      bool same = value == wanted || (std::isnan(value) && std::isnan(wanted));
      double error = same ? 0 : std::fabs(value - wanted);
      double ratio = same ? 0 : error / expected.bound[i];
      if (std::isnan(ratio))
        ratio = std::numeric_limits<double>::infinity();
      bad = bad || ratio > 1;
      if (result.worst < 0 || ratio > result.ratio) {
        result.worst = i;
        result.got = value;
        result.expected = wanted;
        result.error = error;
        result.bound = expected.bound[i];
        result.ratio = ratio;
      }
    }
    result.badRows += bad;
  }
  return result;
}

std::vector<Comparison> jacquard::compareAll(const Operands &operands,
                                             const Reference &expected,
                                             bool backward) {
  std::vector<Comparison> all{compare("out", operands.out, expected.out),
                              compare("lse", operands.lse, expected.lse)};
  if (!backward)
    return all;
  all.push_back(compare("dq", operands.dq, expected.dq));
  all.push_back(compare("dk", operands.dk, expected.dk));
  all.push_back(compare("dv", operands.dv, expected.dv));
  for (const auto &[name, array] : operands.gradients) {
    auto found = expected.gradients.find(name);
    all.push_back(
        compare("d" + name, array,
                found == expected.gradients.end() ? Bounded() : found->second));
  }
  return all;
}

/// An element's place: "b 0 h 1 row 17" for operands, "[3, 5]" for the rest.
static std::string placeOf(const Comparison &comparison) {
  const std::vector<int64_t> &shape = comparison.shape;
  std::vector<int64_t> at(shape.size());
  int64_t rest = comparison.worst;
  for (size_t i = shape.size(); i-- > 0;) {
    at[i] = rest % shape[i];
    rest /= shape[i];
  }
  auto number = [&](size_t i) { return std::to_string(at[i]); };
  const std::string &name = comparison.name;
  if (name == "out" || name == "lse" || name == "dq")
    return "b " + number(0) + " h " + number(1) + " row " + number(2);
  if (name == "dk" || name == "dv")
    return "b " + number(0) + " g " + number(1) + " key " + number(2);
  std::string text = "[";
  for (size_t i = 0; i < at.size(); ++i)
    text += (i ? ", " : "") + number(i);
  return text + "]";
}

std::string Comparison::describe() const {
  if (worst < 0)
    return name + (good() ? ": empty" : ": the reference has another size");
  std::string text = name + ": worst at " + placeOf(*this) + ": error " +
                     rounded(error, 3) + ", bound " + rounded(bound, 3);
  if (!good())
    text += ", got " + rounded(got, 9) + ", expected " + rounded(expected, 9) +
            "; " + grouped(badRows) + " of " + grouped(rows) +
            " rows exceed their bound";
  return text;
}

Json jacquard::asJson(const Comparison &comparison) {
  Json json{{"name", comparison.name},
            {"ok", comparison.good()},
            {"rows", comparison.rows},
            {"bad_rows", comparison.badRows}};
  if (comparison.worst >= 0) {
    json["worst"] = placeOf(comparison);
    json["error"] = comparison.error;
    json["bound"] = comparison.bound;
  }
  return json;
}
