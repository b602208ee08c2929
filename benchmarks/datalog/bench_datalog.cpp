// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one of the benchmark's programs on facts from files, and prints sizes, checksums and times:
// a line of tab-separated values for each derived relation. With --expected, sizes and checksums
// are compared with a table, and a difference is an error. A checksum is the sum, over the tuples
// (a, b), of splitmix64's finaliser of (a << 32 | b): it does not depend on the order. The form
// `rows` is the automatic choice without rows in order and without lists of tuples, `lists` with
// lists on CPUs too, `ordered` has rows in order wherever rules allow it. The floor
// is the time that a memory of 4 TB/s, what an H200 reaches, takes to read the facts and write the
// results once, 8 bytes a tuple. `joined` counts the results of the recursive rule over the whole
// relation: bits that an evaluation over bits tests at least; 0 where they are not counted.
#include "programs.hpp"

#include "datalog/engine/engine.hpp"

#include <ikra/error.hpp>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <stdexcept>

#include <sys/resource.h>

namespace {

using ikra::datalog::engine;
namespace plan = ikra::datalog::plan;

struct arguments {
  std::string program = "reach", input, expected, device = "cpu", form = "auto", small = "auto";
  int repeat = 1;
  std::uint64_t resident_delta = 0;
  bool profile = false, describe = false, check = true;
};

constexpr const char* usage =
    "usage: bench_datalog [--program reach|reach-left|reach-nonlinear|source|mutual|sg|cspa]\n"
    "         [--device cpu|cuda] [--form auto|runs|dense|ordered|rows|lists]\n"
    "         [--small auto|on|off] [--small-delta TUPLES] [--repeat N] [--profile]\n"
    "         [--describe] [--no-check]\n"
    "         [--expected TABLE] FILE.facts | path:EDGES | FOLDER (cspa: with assign.facts and "
    "dereference.facts)\n";

arguments parse(int count, char** values) {
  arguments a;
  for (int i = 1; i < count; ++i) {
    const std::string now = values[i];
    const auto next = [&]() -> std::string {
      if (++i == count)
        throw std::invalid_argument(now + " needs a value");
      return values[i];
    };
    if (now == "--program")
      a.program = next();
    else if (now == "--device")
      a.device = next();
    else if (now == "--form")
      a.form = next();
    else if (now == "--small")
      a.small = next();
    else if (now == "--small-delta")
      a.resident_delta = std::stoull(next());
    else if (now == "--repeat")
      a.repeat = std::stoi(next());
    else if (now == "--expected")
      a.expected = next();
    else if (now == "--profile")
      a.profile = true;
    else if (now == "--describe")
      a.describe = true;
    else if (now == "--no-check")
      a.check = false;
    else if (now[0] == '-')
      throw std::invalid_argument("there is no option " + now);
    else
      a.input = now;
  }
  if (a.input.empty())
    throw std::invalid_argument("no input is given");
  return a;
}

struct pairs {
  std::vector<std::uint32_t> first, second;
};

/// The edges 0 to 1, 1 to 2 and so on.
pairs path_of(std::uint32_t edges) {
  pairs made;
  for (std::uint32_t i = 0; i < edges; ++i) {
    made.first.push_back(i);
    made.second.push_back(i + 1);
  }
  return made;
}

/// The choice that an option's value names.
template <class Choice>
Choice named(const std::string& value, Choice otherwise,
             std::initializer_list<std::pair<const char*, Choice>> choices) {
  for (const auto& [name, choice] : choices)
    if (value == name)
      return choice;
  return otherwise;
}

pairs read_pairs(const std::string& path) {
  if (path.starts_with("path:"))
    return path_of(static_cast<std::uint32_t>(std::stoul(path.substr(5))));
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot read " + path);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const std::string text = bytes.str();
  pairs made;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t line = 1; at != end; ++line) {
    std::uint32_t values[2];
    for (std::uint32_t& value : values) {
      while (at != end && (*at == '\t' || *at == ' '))
        ++at;
      const auto [stop, status] = std::from_chars(at, end, value);
      if (status != std::errc())
        throw std::runtime_error(path + ":" + std::to_string(line) + ": no number");
      at = stop;
    }
    made.first.push_back(values[0]);
    made.second.push_back(values[1]);
    while (at != end && *at != '\n')
      ++at;
    if (at != end)
      ++at;
  }
  return made;
}

std::uint64_t finalised(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// How many facts have a value in a column, by value.
std::vector<std::uint64_t> degrees(const std::vector<std::uint32_t>& column) {
  std::vector<std::uint64_t> counts;
  for (const std::uint32_t value : column) {
    if (value >= counts.size())
      counts.resize(value + std::size_t(1), 0);
    ++counts[value];
  }
  return counts;
}

struct summary {
  std::uint64_t checksum = 0;
  std::uint64_t joined = 0; ///< results of the recursive rule over the whole relation
};

/// \param left, right how many results a tuple has, by its first and second value; empty: 1
summary summarise(engine& from, std::uint32_t relation, const std::vector<std::uint64_t>& left,
                  const std::vector<std::uint64_t>& right) {
  const auto weight = [](const std::vector<std::uint64_t>& of, std::uint32_t value) {
    if (of.empty())
      return std::uint64_t(1);
    return value < of.size() ? of[value] : 0;
  };
  summary all;
  from.read(relation, [&](std::span<const ikra::datalog::column_view> columns, std::uint64_t rows) {
    const auto* a = static_cast<const std::uint32_t*>(columns[0].data);
    const auto* b = static_cast<const std::uint32_t*>(columns[1].data);
    for (std::uint64_t i = 0; i < rows; ++i) {
      all.checksum += finalised(std::uint64_t(a[i]) << 32 | b[i]);
      all.joined += weight(left, a[i]) * weight(right, b[i]);
    }
  });
  return all;
}

std::string stem(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind(".facts");
  return dot == std::string::npos ? name : name.substr(0, dot);
}

/// \returns whether the table has this line, or nothing to say.
bool as_expected(const std::string& table, const std::string& query, const std::string& input,
                 const std::string& relation, std::uint64_t rows, std::uint64_t sum) {
  std::ifstream file(table);
  if (!file)
    throw std::runtime_error("cannot read " + table);
  for (std::string line; std::getline(file, line);) {
    std::istringstream parts(line);
    std::string q, i, r, n, c;
    parts >> q >> i >> r >> n >> c;
    if (q != query || i != input || r != relation)
      continue;
    char hex[17];
    std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(sum));
    return n == std::to_string(rows) && (c == "-" || c == hex);
  }
  return true;
}

int run(const arguments& a) {
  plan::program program;
  std::vector<std::pair<std::uint32_t, pairs>> facts;
  std::string query = "reach";
  if (a.program == "cspa") {
    query = "cspa";
    program = programs::pointer_analysis();
    facts.emplace_back(0, read_pairs(a.input + "/assign.facts"));
    facts.emplace_back(1, read_pairs(a.input + "/dereference.facts"));
  } else {
    const bool many_iterations = a.program == "source" || a.program == "mutual";
    query = a.program == "sg" || many_iterations ? a.program : "reach";
    if (many_iterations)
      program = programs::from_source(a.program == "mutual");
    else
      program = a.program == "sg" ? programs::same_generation() : programs::reach(a.program);
    facts.emplace_back(0, read_pairs(a.input));
  }
  ikra::datalog::engine_options options;
  options.profile = a.profile;
  using ikra::datalog::list_use;
  using ikra::datalog::order_use;
  using ikra::datalog::small_use;
  options.lists = named(a.form, list_use::on_gpus,
                        {{"rows", list_use::nowhere}, {"lists", list_use::everywhere}});
  options.order = named(a.form, order_use::automatic,
                        {{"ordered", order_use::everywhere},
                         {"rows", order_use::nowhere},
                         {"lists", order_use::nowhere}});
  options.small = named(a.small, small_use::automatic,
                        {{"on", small_use::everywhere}, {"off", small_use::nowhere}});
  options.bounds_of_resident.delta = a.resident_delta;
  options.form = named(a.form, plan::form::automatic,
                       {{"runs", plan::form::runs}, {"dense", plan::form::dense}});
  const auto device =
      a.device == "cuda" ? ikra::datalog::device_kind::cuda : ikra::datalog::device_kind::cpu;
  // Each tuple's results: reach(x, y) :- edge(x, z), reach(z, y), or mirrored; sg through both.
  std::vector<std::uint64_t> left, right;
  if (a.program == "reach")
    left = degrees(facts[0].second.second);
  if (a.program == "sg")
    left = degrees(facts[0].second.first);
  if (a.program == "sg" || a.program == "reach-left")
    right = degrees(facts[0].second.first);
  bool all_right = true;
  for (int repeat = 0; repeat < a.repeat; ++repeat) {
    const auto evaluated = ikra::datalog::make_engine(program, device, options);
    for (const auto& [relation, columns] : facts) {
      const ikra::datalog::column_view views[] = {{columns.first.data(), 32},
                                                  {columns.second.data(), 32}};
      evaluated->load(relation, views, columns.first.size());
    }
    evaluated->run();
    const auto& statistics = evaluated->statistics();
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const bool check = a.check && repeat == 0;
    double floor = 0;
    for (std::uint32_t r = 0; r < program.relations.size(); ++r)
      floor += static_cast<double>(evaluated->size(r)) * 8 / 4e12;
    for (const std::uint32_t r : program.strata.back().relations) {
      const std::uint64_t rows = evaluated->size(r);
      const summary found = check ? summarise(*evaluated, r, left, right) : summary{};
      const std::uint64_t sum = found.checksum;
      const bool good =
          !check || a.expected.empty() ||
          as_expected(a.expected, query, stem(a.input), program.relations[r].name, rows, sum);
      all_right = all_right && good;
      const char* const verdict = good ? "right" : "WRONG";
      std::printf("%s\t%s\t%s\t%s\t%s\t%llu\t%016llx\t%.4f s\tfloor %.7f s\t%llu joined\t"
                  "%llu iterations, %llu small\t"
                  "%.3f GB\t%s\n",
                  a.program.c_str(), stem(a.input).c_str(), a.device.c_str(), a.form.c_str(),
                  program.relations[r].name.c_str(), static_cast<unsigned long long>(rows),
                  static_cast<unsigned long long>(sum), statistics.seconds, floor,
                  static_cast<unsigned long long>(left.empty() && right.empty() ? 0 : found.joined),
                  static_cast<unsigned long long>(statistics.iterations),
                  static_cast<unsigned long long>(statistics.small),
                  static_cast<double>(statistics.peak_bytes) / 1e9,
                  check ? verdict : "not checked");
    }
    std::fflush(stdout);
    if (repeat == 0 && a.describe)
      std::printf("%s", evaluated->describe().c_str());
    for (const auto& entry : statistics.profile)
      std::printf("  iteration %u, version %u of %s: %.4f s, %llu tuples\n", entry.iteration,
                  entry.version, program.rules[entry.rule].text.c_str(), entry.seconds,
                  static_cast<unsigned long long>(entry.joined));
  }
  return all_right ? 0 : 1;
}

} // namespace

int main(int count, char** values) {
  try {
    return run(parse(count, values));
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "bench_datalog: %s\n%s", e.what(), usage);
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_datalog: %s\n", e.what());
    return 1;
  }
}
