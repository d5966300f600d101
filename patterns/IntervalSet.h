//===- IntervalSet.h - sorted disjoint half-open intervals ------*- C++ -*-===//
#ifndef JACQUARD_PATTERNS_INTERVALSET_H
#define JACQUARD_PATTERNS_INTERVALSET_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace jacquard {

struct Interval {
  int64_t begin = 0, end = 0;
  bool operator==(const Interval &) const = default;
};

/// A set of integers: sorted, disjoint, non-touching, non-empty intervals.
class IntervalSet {
public:
  IntervalSet() = default;
  IntervalSet(int64_t begin, int64_t end) {
    if (begin < end)
      parts.push_back({begin, end});
  }
  /// From any intervals; they are sorted and joined.
  explicit IntervalSet(std::vector<Interval> any) : parts(std::move(any)) {
    std::erase_if(parts, [](const Interval &i) { return i.begin >= i.end; });
    std::sort(
        parts.begin(), parts.end(),
        [](const Interval &a, const Interval &b) { return a.begin < b.begin; });
    join();
  }

  const std::vector<Interval> &intervals() const { return parts; }
  bool empty() const { return parts.empty(); }
  bool operator==(const IntervalSet &) const = default;

  IntervalSet unite(const IntervalSet &other) const {
    IntervalSet result;
    result.parts.resize(parts.size() + other.parts.size());
    std::merge(
        parts.begin(), parts.end(), other.parts.begin(), other.parts.end(),
        result.parts.begin(),
        [](const Interval &a, const Interval &b) { return a.begin < b.begin; });
    result.join();
    return result;
  }

  IntervalSet intersect(const IntervalSet &other) const {
    IntervalSet result;
    auto a = parts.begin(), b = other.parts.begin();
    while (a != parts.end() && b != other.parts.end()) {
      Interval both{std::max(a->begin, b->begin), std::min(a->end, b->end)};
      if (both.begin < both.end)
        result.parts.push_back(both);
      a->end < b->end ? ++a : ++b;
    }
    return result;
  }

  /// What [begin, end) has beyond this set.
  IntervalSet complement(int64_t begin, int64_t end) const {
    IntervalSet result;
    int64_t from = begin;
    for (const Interval &part : parts) {
      if (part.begin >= end)
        break;
      if (part.begin > from)
        result.parts.push_back({from, part.begin});
      from = std::max(from, part.end);
    }
    if (from < end)
      result.parts.push_back({from, end});
    return result;
  }

  /// Does a member lie in [begin, end)?
  bool meets(int64_t begin, int64_t end) const {
    auto part = firstEndingAfter(begin);
    return part != parts.end() && part->begin < end;
  }

  /// Is all of [begin, end) in the set?
  bool contains(int64_t begin, int64_t end) const {
    if (begin >= end)
      return true;
    auto part = firstEndingAfter(begin);
    return part != parts.end() && part->begin <= begin && end <= part->end;
  }

  /// How many members.
  int64_t count() const {
    int64_t sum = 0;
    for (const Interval &part : parts)
      sum += part.end - part.begin;
    return sum;
  }

private:
  std::vector<Interval>::const_iterator
  firstEndingAfter(int64_t position) const {
    return std::upper_bound(
        parts.begin(), parts.end(), position,
        [](int64_t at, const Interval &part) { return at < part.end; });
  }

  void join() {
    size_t kept = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (kept && parts[i].begin <= parts[kept - 1].end)
        parts[kept - 1].end = std::max(parts[kept - 1].end, parts[i].end);
      else
        parts[kept++] = parts[i];
    }
    parts.resize(kept);
  }

  std::vector<Interval> parts;
};

} // namespace jacquard

#endif // JACQUARD_PATTERNS_INTERVALSET_H
