// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strongly connected components without recursion, and their stages and levels. Where there are no
// cycles, levels are all, and found in one search that reads a number for each need.
#include "datalog/engine/bits/scc_order.hpp"

#include <algorithm>

namespace ikra::datalog {

namespace {

constexpr u32 no_component = ~u32(0);

/// The levels of rows where none is on a cycle.
class levels_only {
public:
  enum outcome : u8 { found, cyclic, narrow };

  /// \param most_levels if there are more, the search ends.
  levels_only(u32 rows, const sparse_rows& needs, const std::vector<u8>& starts, u64 most_levels)
      : needs_(needs), starts_(starts), most_levels_(most_levels), states_(rows, unseen) {}

  outcome run() {
    for (u32 r = 0; r < states_.size(); ++r)
      if (states_[r] == unseen)
        if (const outcome ended = search(r); ended != found)
          return ended;
    return found;
  }

  row_order take() const {
    std::vector<u64> ends(levels_ + 1, 0);
    for (const u32 state : states_)
      if (state != empty)
        ++ends[state - first_level + 1];
    for (u64 l = 0; l < levels_; ++l)
      ends[l + 1] += ends[l];
    row_order made;
    made.rows.resize(ends.back());
    std::vector<u64> next = ends;
    for (u32 r = 0; r < states_.size(); ++r)
      if (states_[r] != empty)
        made.rows[next[states_[r] - first_level]++] = r;
    made.levels.assign(ends.begin() + 1, ends.end());
    if (!made.rows.empty())
      made.stages.push_back({0, made.rows.size(), made.rows.size()});
    return made;
  }

private:
  /// Of a row: not entered, not left yet, without tuples, or the first of the levels.
  static constexpr u32 unseen = 0, open = 1, empty = 2, first_level = 3;

  struct frame {
    u32 row;
    u32 state; ///< by what it needs so far
    u64 next;  ///< of its needs
  };

  void enter(u32 row) {
    states_[row] = open;
    frames_.push_back({row, starts_[row] != 0 ? first_level : empty, needs_.offsets[row]});
  }

  outcome search(u32 root) {
    enter(root);
    while (!frames_.empty()) {
      frame& now = frames_.back();
      if (now.next != needs_.offsets[now.row + 1]) {
        const u32 state = states_[needs_.columns[now.next]];
        if (state == open)
          return cyclic;
        if (state == unseen) {
          enter(needs_.columns[now.next]); // and then this need again
          continue;
        }
        ++now.next;
        if (state != empty)
          now.state = std::max(now.state, state + 1);
        continue;
      }
      states_[now.row] = now.state;
      if (now.state != empty)
        levels_ = std::max<u64>(levels_, now.state - first_level + u64(1));
      if (levels_ > most_levels_)
        return narrow;
      frames_.pop_back();
    }
    return found;
  }

  const sparse_rows& needs_;
  const std::vector<u8>& starts_;
  u64 most_levels_, levels_ = 0;
  std::vector<u32> states_;
  std::vector<frame> frames_;
};

/// What was found about a row with its component.
struct place {
  u32 stage = 0;
  u32 level = 0; ///< above the levels of all that it needs, but for its own component
  bool cyclic = false, needed = false;
};

class ordering {
public:
  ordering(u32 rows, const sparse_rows& needs, bool themselves, const std::vector<u8>& starts)
      : rows_(rows), needs_(needs), themselves_(themselves), starts_(starts), visited_(rows, 0),
        low_(rows, 0), component_(rows, no_component), places_(rows) {
    for (u32 r = 0; r < rows_; ++r)
      if (visited_[r] == 0)
        search(r);
  }

  row_order take() const {
    u32 stages = 0, levels = 0;
    for (const place& p : places_)
      if (p.needed) {
        stages = std::max(stages, p.stage + 1);
        levels = std::max(levels, p.level + 1);
      }
    row_order made;
    std::vector<u32> all(rows_);
    for (u32 r = 0; r < rows_; ++r)
      all[r] = r;
    // By stage, then those on no cycle, then by level: two stable distributions.
    made.rows = distributed(all, levels, [&](u32 r) { return places_[r].level; });
    made.rows = distributed(made.rows, 2 * stages, [&](u32 r) { return part_of(places_[r]); });
    for (u64 at = 0; at < made.rows.size();) {
      const u32 stage = places_[made.rows[at]].stage;
      row_stage s{at, at, at};
      while (s.cyclic < made.rows.size() && part_of(places_[made.rows[s.cyclic]]) == 2 * stage)
        ++s.cyclic;
      s.end = s.cyclic;
      while (s.end < made.rows.size() && places_[made.rows[s.end]].stage == stage)
        ++s.end;
      for (u64 p = s.begin + 1; p < s.cyclic; ++p)
        if (places_[made.rows[p]].level != places_[made.rows[p - 1]].level)
          made.levels.push_back(p);
      for (const u64 end : {s.cyclic, s.end})
        if (end != s.begin && (made.levels.empty() || made.levels.back() != end))
          made.levels.push_back(end);
      made.most_cyclic = std::max(made.most_cyclic, s.end - s.cyclic);
      made.stages.push_back(s);
      at = s.end;
    }
    return made;
  }

private:
  struct frame {
    u32 row;
    u64 next; ///< of its needs
  };

  static u32 part_of(const place& p) { return 2 * p.stage + (p.cyclic ? 1 : 0); }

  /// The rows that are needed, stably by key.
  template <class Key>
  std::vector<u32> distributed(const std::vector<u32>& from, u32 keys, const Key& key) const {
    std::vector<u32> starts(keys + u64(1), 0);
    for (const u32 r : from)
      if (places_[r].needed)
        ++starts[key(r) + u64(1)];
    for (u64 k = 0; k < keys; ++k)
      starts[k + 1] += starts[k];
    std::vector<u32> to(starts[keys]);
    for (const u32 r : from)
      if (places_[r].needed)
        to[starts[key(r)]++] = r;
    return to;
  }

  void enter(u32 row) {
    visited_[row] = low_[row] = ++count_;
    open_.push_back(row);
    frames_.push_back({row, needs_.offsets[row]});
  }

  void search(u32 root) {
    enter(root);
    while (!frames_.empty()) {
      frame& now = frames_.back();
      const u32 row = now.row;
      if (now.next == needs_.offsets[row + 1]) {
        frames_.pop_back();
        if (!frames_.empty())
          low_[frames_.back().row] = std::min(low_[frames_.back().row], low_[row]);
        if (low_[row] == visited_[row])
          close(row);
        continue;
      }
      const u32 other = needs_.columns[now.next++];
      if (visited_[other] == 0)
        enter(other); // now is no longer valid
      else if (component_[other] == no_component)
        low_[row] = std::min(low_[row], visited_[other]);
    }
  }

  /// All that the component of this row needs outside has been closed.
  void close(u32 root) {
    const auto first = std::find(open_.rbegin(), open_.rend(), root).base() - 1;
    place found;
    found.cyclic = themselves_ || open_.end() - first > 1;
    for (auto r = first; r != open_.end(); ++r)
      component_[*r] = components_;
    for (auto r = first; r != open_.end(); ++r) {
      found.needed |= starts_[*r] != 0;
      for (u64 e = needs_.offsets[*r]; e < needs_.offsets[*r + 1]; ++e) {
        const u32 other = needs_.columns[e];
        if (component_[other] == components_) {
          found.cyclic = true; // a row alone that needs itself, too
          continue;
        }
        const place& before = places_[other];
        if (!before.needed)
          continue;
        found.needed = true;
        found.stage = std::max(found.stage, before.stage + (before.cyclic ? 1 : 0));
        found.level = std::max(found.level, before.level + 1);
      }
    }
    for (auto r = first; r != open_.end(); ++r)
      places_[*r] = found;
    open_.erase(first, open_.end());
    ++components_;
  }

  u32 rows_;
  const sparse_rows& needs_;
  bool themselves_;
  const std::vector<u8>& starts_;
  std::vector<u32> visited_; ///< 0, or the number at which it was entered
  std::vector<u32> low_, component_, open_;
  std::vector<place> places_;
  std::vector<frame> frames_;
  u32 count_ = 0, components_ = 0;
};

/// Rows on no cycle in a level, on average.
u64 mean_width(const row_order& of) {
  u64 rows = 0;
  for (const row_stage& stage : of.stages)
    rows += stage.cyclic - stage.begin;
  return rows / std::max<u64>(of.levels.size(), 1);
}

std::optional<row_order> order_rows(u32 rows, const sparse_rows& needs, bool themselves,
                                    const std::vector<u8>& starts, u64 least_width) {
  row_order made;
  u64 most = 0; // rows that may have tuples
  for (u32 r = 0; r < rows; ++r)
    most += starts[r] != 0 || needs.offsets[r] != needs.offsets[r + u64(1)] ? 1 : 0;
  levels_only levels(rows, needs, starts, least_width == 0 ? ~u64(0) : most / least_width);
  const levels_only::outcome ended = themselves ? levels_only::cyclic : levels.run();
  if (ended == levels_only::narrow)
    return {};
  if (ended == levels_only::found)
    made = levels.take();
  else
    made = ordering(rows, needs, themselves, starts).take();
  if (mean_width(made) < least_width)
    return {};
  return made;
}

} // namespace

std::optional<row_order> order_rows(u32 rows, const std::vector<sparse_rows>& needs,
                                    bool themselves, const std::vector<u8>& starts,
                                    u64 least_width) {
  if (needs.size() == 1)
    return order_rows(rows, needs.front(), themselves, starts, least_width);
  std::vector<u64> offsets(u64(rows) + 1, 0);
  std::vector<u32> columns;
  for (u32 r = 0; r < rows; ++r) {
    for (const sparse_rows& one : needs)
      columns.insert(columns.end(), one.columns + one.offsets[r], one.columns + one.offsets[r + 1]);
    offsets[r + u64(1)] = columns.size();
  }
  const sparse_rows all{offsets.data(), columns.data()};
  return order_rows(rows, all, themselves, starts, least_width);
}

} // namespace ikra::datalog
