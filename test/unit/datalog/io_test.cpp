// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the folders in test/datalog/ cannot hold of input and output: huge and compressed files,
// folders that are not there, files that were there before.
#include <catch2/catch.hpp>

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "datalog/frontend/core.hpp"
#include "datalog/io/fact_files.hpp"

using namespace ikra::datalog;
namespace fs = std::filesystem;

namespace {

// A folder that goes with the test.
class scratch {
public:
  scratch() : path_(fs::temp_directory_path() / ("ikra-datalog-io-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string path() const { return path_.string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string read(const std::string& name) const {
    std::ifstream in(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path_))
      found.push_back(entry.path().filename().string());
    return found;
  }

private:
  fs::path path_;
};

// One relation a(x: number, s: symbol).
struct fixture {
  fixture() : program(make()), values(program), text(program, values) {}
  static core::program make() {
    core::program made;
    core::relation a;
    a.name = "a";
    core::column x;
    x.name = "x";
    core::column s;
    s.name = "s";
    s.kind = value_kind::symbol;
    a.columns = {x, s};
    made.relations.push_back(a);
    return made;
  }
  std::vector<std::string> read(const std::string& folder,
                                std::map<std::string, std::string> parameters = {}) {
    std::vector<std::string> rows;
    read_facts(text, {core::directive_kind::input, 0, std::move(parameters), {}}, folder,
               [&](row facts, std::uint64_t count) {
                 CHECK(facts.size() == 2 * count);
                 for (std::size_t i = 0; i < facts.size(); i += 2)
                   rows.push_back(std::to_string(facts[i]) + " " +
                                  values.symbols.text(facts[i + 1]));
               });
    return rows;
  }
  row_source one_row() {
    return {1, [this](const std::function<void(row)>& take) {
              take(std::vector<core::word>{7, values.symbols.number("seven")});
            }};
  }
  static core::directive output(std::map<std::string, std::string> parameters = {}) {
    return {core::directive_kind::output, 0, std::move(parameters), {}};
  }
  core::program program;
  domain values;
  value_text text;
};

/// What is run with so many threads.
template <class Run> auto with_threads(int threads, const Run& run) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  auto result = run();
  omp_set_num_threads(before);
  return result;
}

/// Lines of more than a file that is read on all cores has to have.
std::string many_lines(const std::string& end = "\n") {
  std::string text;
  for (std::uint64_t i = 0; text.size() < (std::size_t{6} << 20); ++i)
    text +=
        std::to_string(i * 7919 % 1'000'003) + "\tname of " + std::to_string(i * i % 50'021) + end;
  return text;
}

std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const io_error& problem) {
    return problem.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("A Datalog fact file that is one endless line is refused with its place") {
  const scratch folder;
  fixture f;
  folder.write("a.facts", "1\tx\n2\t" + std::string(std::size_t{100} << 20, 'y') + "\n");
  const std::string message = message_of([&] { f.read(folder.path()); });
  CHECK(message ==
        "Error loading a data: " + folder.path() + "/a.facts:2: line is longer than 64 MiB");
}

TEST_CASE("Datalog symbols may be long") {
  const scratch folder;
  fixture f;
  const std::string longest(std::size_t{1} << 20, 'z');
  folder.write("a.facts", "1\t" + longest + "\n2\tshort\n");
  CHECK(f.read(folder.path()) == std::vector<std::string>{"1 " + longest, "2 short"});
}

TEST_CASE("Datalog outputs can be compressed, and compressed facts are read") {
  const scratch folder;
  fixture f;
  {
    output_files files(folder.path());
    std::ostringstream terminal;
    write_relation(f.text, fixture::output({{"compress", "true"}}), f.one_row(), files, terminal);
    files.commit();
  }
  CHECK(folder.names() == std::vector<std::string>{"a.csv.gz"});
  CHECK(f.read(folder.path(), {{"filename", "a.csv.gz"}}) == std::vector<std::string>{"7 seven"});
  const std::string whole = folder.read("a.csv.gz");
  folder.write("a.facts", whole.substr(0, whole.size() - 6));
  CHECK(message_of([&] { f.read(folder.path()); }) ==
        "Error loading a data: " + folder.path() + "/a.facts: unexpected end of file");
}

TEST_CASE("Datalog databases are written and read") {
  const scratch folder;
  fixture f;
  output_files files(folder.path());
  std::ostringstream terminal;
  write_relation(f.text, fixture::output({{"IO", "sqlite"}}), f.one_row(), files, terminal);
  files.commit();
  CHECK(f.read(folder.path(), {{"IO", "sqlite"}}) == std::vector<std::string>{"7 seven"});
  CHECK(message_of([&] {
          f.read(folder.path(), {{"IO", "sqlite"}, {"filename", "none.sqlite"}});
        }) == "Error loading a data: " + folder.path() +
                  "/none.sqlite: Cannot open database: unable to open database file");
}

TEST_CASE("Datalog outputs that are not committed leave what was there") {
  const scratch folder;
  fixture f;
  folder.write("a.csv", "before\n");
  std::ostringstream terminal;
  {
    output_files files(folder.path());
    write_relation(f.text, fixture::output(), f.one_row(), files, terminal);
    CHECK(folder.read("a.csv") == "before\n");
  }
  CHECK(folder.names() == std::vector<std::string>{"a.csv"});
  CHECK(folder.read("a.csv") == "before\n");
  output_files files(folder.path());
  write_relation(f.text, fixture::output(), f.one_row(), files, terminal);
  files.commit();
  CHECK(folder.names() == std::vector<std::string>{"a.csv"});
  CHECK(folder.read("a.csv") == "7\tseven\n");
}

TEST_CASE("Datalog outputs into a folder that is not there are an error") {
  const scratch folder;
  fixture f;
  output_files files(folder.path() + "/missing");
  std::ostringstream terminal;
  const std::string message =
      message_of([&] { write_relation(f.text, fixture::output(), f.one_row(), files, terminal); });
  CHECK(message ==
        "Error: cannot write " + folder.path() + "/missing/a.csv: No such file or directory");
}

TEST_CASE("A Datalog fact file that is a folder is an error") {
  const scratch folder;
  fixture f;
  fs::create_directory(folder.path() + "/a.facts");
  CHECK(message_of([&] { f.read(folder.path()); }) ==
        "Error loading a data: " + folder.path() +
            "/a.facts: Cannot open fact file: it is a folder");
}

TEST_CASE("Large Datalog fact files are read on all cores, as on one") {
  const scratch folder;
  const std::string end = GENERATE("\n", "\r\n");
  const std::string last = GENERATE("", "5\tlast", "\r\n");
  std::string text = "\xEF\xBB\xBFx\ts\n" + many_lines(end);
  if (last == "\r\n") // one value, with nothing before it
    text += "5\t" + last;
  else
    text += last;
  folder.write("a.facts", text);
  const std::map<std::string, std::string> how{{"headers", "true"}};
  fixture one, many, more;
  const auto expected = with_threads(1, [&] { return one.read(folder.path(), how); });
  CHECK(expected.size() > 100'000);
  CHECK((with_threads(2, [&] { return many.read(folder.path(), how); }) == expected));
  CHECK((with_threads(5, [&] { return more.read(folder.path(), how); }) == expected));
  // The numbers, too: they follow the order in which symbols are met.
  REQUIRE(one.values.symbols.size() == more.values.symbols.size());
  bool same = true;
  for (std::uint64_t i = 0; i < one.values.symbols.size(); ++i)
    same = same && one.values.symbols.text(i) == many.values.symbols.text(i) &&
           one.values.symbols.text(i) == more.values.symbols.text(i);
  CHECK(same);
}

TEST_CASE("Large Datalog fact files name the first line that is wrong") {
  const scratch folder;
  const std::string wrong = GENERATE("seven\tx", "7", "7\tx\ty", "7\t\xFF", "");
  const std::string lines = many_lines();
  const auto before = static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  folder.write("a.facts", lines + wrong + "\n" + lines + "\n");
  fixture f;
  const std::string place = folder.path() + "/a.facts:" + std::to_string(before + 1) + ": ";
  const auto message = [&](int threads) {
    return with_threads(threads, [&] { return message_of([&] { f.read(folder.path()); }); });
  };
  CHECK(message(1).starts_with("Error loading a data: " + place));
  CHECK(message(1) == message(3));
}

TEST_CASE("A Datalog fact file for all cores may have a line of many blocks, but no endless one") {
  const scratch folder;
  fixture f;
  const std::string long_one(std::size_t{20} << 20, 'z');
  folder.write("a.facts", many_lines() + "1\t" + long_one + "\n2\tshort\n");
  const auto rows = with_threads(2, [&] { return f.read(folder.path()); });
  REQUIRE(rows.size() > 2);
  CHECK((rows[rows.size() - 2] == "1 " + long_one));
  CHECK(rows.back() == "2 short");
  folder.write("b.facts", "1\tx\n2\t" + std::string(std::size_t{100} << 20, 'y') + "\n");
  const std::string message = with_threads(
      2, [&] { return message_of([&] { f.read(folder.path(), {{"filename", "b.facts"}}); }); });
  CHECK(message ==
        "Error loading a data: " + folder.path() + "/b.facts:2: line is longer than 64 MiB");
}

namespace {

/// The rows of one relation as they are written, in the order of outputs.
std::vector<std::vector<core::word>> in_order(const std::vector<value_kind>& kinds, int bits,
                                              const std::vector<std::vector<core::word>>& rows,
                                              const std::vector<std::string>& symbols = {}) {
  core::program program;
  program.bits = bits;
  program.relations.emplace_back();
  for (const value_kind kind : kinds) {
    program.relations[0].columns.emplace_back();
    program.relations[0].columns.back().kind = kind;
  }
  domain values(program);
  for (const std::string& symbol : symbols)
    values.symbols.number(symbol);
  const value_text text(program, values);
  std::vector<std::vector<core::word>> found;
  sorted_rows(text, program.relations[0],
              {rows.size(),
               [&](const std::function<void(row)>& take) {
                 for (const auto& each : rows)
                   take(each);
               }})
      .each([&](row each) { found.emplace_back(each.begin(), each.end()); });
  return found;
}

} // namespace

TEST_CASE("Datalog rows are sorted by values, on any number of threads") {
  // Keys that fit one word, and keys that do not.
  const bool wide = GENERATE(false, true);
  const int bits = wide ? 64 : 32;
  std::vector<std::string> symbols;
  for (int i = 0; i < 3000; ++i)
    symbols.push_back("/a/common/path/" + std::to_string(i * 7 % 3000) + std::string(1, '\0'));
  std::vector<std::vector<core::word>> rows;
  const value_format format(bits);
  std::uint64_t state = 1;
  for (int i = 0; i < 100'000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto number = static_cast<std::int64_t>(state) >> (wide ? 2 : 40);
    rows.push_back({format.from_number(number), (state >> 20) % 3000, (state >> 8) % 3000});
  }
  const std::vector<value_kind> kinds{value_kind::number, value_kind::symbol, value_kind::symbol};
  auto expected = rows;
  std::sort(expected.begin(), expected.end(), [&](const auto& a, const auto& b) {
    if (a[0] != b[0])
      return format.number(a[0]) < format.number(b[0]);
    return a[1] != b[1] ? symbols[a[1]] < symbols[b[1]] : symbols[a[2]] < symbols[b[2]];
  });
  for (const int threads : {1, 2, 3, 7})
    CHECK(
        (with_threads(threads, [&] { return in_order(kinds, bits, rows, symbols); }) == expected));
}

TEST_CASE("Datalog symbols are sorted by their bytes, however alike they begin") {
  // Beginnings of each other, with zeros where others end, and names of few beginnings.
  std::vector<std::string> symbols;
  for (std::size_t i = 0; i < 2000; ++i) {
    symbols.push_back(std::string(i, 'a'));
    symbols.push_back("z" + std::string(i % 40, '\0') + std::string(i / 40, '\xFF'));
  }
  for (int i = 0; i < 60'000; ++i)
    symbols.push_back("<Class" + std::to_string(i % 7) + ": method>/local" + std::to_string(i));
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  std::vector<std::vector<core::word>> expected, rows;
  for (std::size_t i = 0; i < symbols.size(); ++i)
    expected.push_back({i});
  const std::size_t step = 7919; // has no factor in common with their number
  REQUIRE(symbols.size() % step != 0);
  for (std::size_t i = 0; i < symbols.size(); ++i)
    rows.push_back({i * step % symbols.size()});
  for (const int threads : {1, 2, 5})
    CHECK((with_threads(threads, [&] {
             return in_order({value_kind::symbol}, 32, rows, symbols);
           }) == expected));
}

TEST_CASE("Datalog floats are written by size, NaNs at the ends") {
  const value_format format(32);
  std::vector<std::vector<core::word>> rows;
  for (int i = 0; i < 40; ++i)
    for (const double x : {i + 0.5, -i - 0.5})
      rows.push_back({format.from_real(x)});
  rows.push_back({0x7FC00000});
  rows.push_back({0xFFC00000});
  const auto sorted = in_order({value_kind::real}, 32, rows);
  REQUIRE(sorted.size() == 82);
  CHECK(sorted.front()[0] == 0xFFC00000);
  CHECK(sorted.back()[0] == 0x7FC00000);
  bool ascending = true;
  for (std::size_t i = 2; i + 1 < sorted.size(); ++i)
    ascending = ascending && format.real(sorted[i - 1][0]) < format.real(sorted[i][0]);
  CHECK(ascending);
}

TEST_CASE("Datalog outputs are the same on any number of threads") {
  const scratch folder;
  fixture f;
  std::vector<std::vector<core::word>> facts;
  const bool sorted = GENERATE(false, true); // then rows have numbers
  for (core::word i = 0; i < 100'000; ++i)
    facts.push_back(
        {sorted ? 99'999 - i : i,
         f.values.symbols.number("a, \"" + std::to_string((sorted ? 99'999 - i : i) % 1000))});
  const row_source rows{facts.size(), [&](const std::function<void(row)>& take) {
                          for (const auto& fact : facts)
                            take(fact);
                        }};
  const auto written = [&](int threads) {
    return with_threads(threads, [&] {
      output_files files(folder.path());
      std::ostringstream terminal;
      write_relation(f.text, fixture::output({{"rfc4180", "true"}}),
                     sorted ? sorted_rows(f.text, f.program.relations[0], rows) : rows, files,
                     terminal);
      files.commit();
      return folder.read("a.csv");
    });
  };
  const std::string one = written(1);
  CHECK(one.starts_with("0,\"a, \"\"0\"\n1,"));
  CHECK(std::count(one.begin(), one.end(), '\n') == 100'000);
  CHECK((written(4) == one));
}

TEST_CASE("A Datalog output of a symbol that is none is an error") {
  const scratch folder;
  fixture f;
  const std::string message = message_of([&] {
    output_files files(folder.path());
    std::ostringstream terminal;
    const row_source rows{
        1, [](const std::function<void(row)>& take) { take(std::vector<core::word>{1, 99}); }};
    write_relation(f.text, fixture::output(), rows, files, terminal);
  });
  CHECK(message == "Error writing a data: there is no symbol with the number 99");
  CHECK(folder.names().empty());
}
