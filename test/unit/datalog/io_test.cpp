// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the folders in test/datalog/ cannot hold of input and output: huge and compressed files,
// folders that are not there, files that were there before.
#include <catch2/catch.hpp>

#include <unistd.h>

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
               [&](row fact) {
                 rows.push_back(std::to_string(fact[0]) + " " + values.symbols.text(fact[1]));
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
