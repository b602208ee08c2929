// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fact files, block by block. The lines of a block are divided among threads. Each numbers the
// symbols of its part as it meets them; these get their numbers of the program part by part. So
// symbols have the numbers that they would have if lines were read one after the other.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "datalog/frontend/functions.hpp"
#include "datalog/io/parallel.hpp"
#include "datalog/io/symbol_numbers.hpp"
#include "datalog/io/text_lines.hpp"

namespace ikra::datalog::io {
namespace {

constexpr std::size_t small_block = std::size_t{1} << 18;
constexpr std::size_t part_bytes = std::size_t{1} << 20;
constexpr std::size_t smallest_for_threads = 4 * part_bytes;

/// Symbols of a part, in the order in which they are met. Texts stay in the block.
class local_symbols {
public:
  /// \param once a symbol that comes again has the number that it had. Worth it where one thread
  /// numbers the symbols of several
  explicit local_symbols(bool once) : once_(once) {}

  void clear() {
    met_.texts.clear();
    met_.hashes.clear();
    std::fill(places_.begin(), places_.end(), 0U);
  }

  std::uint32_t number(std::string_view text) {
    const std::size_t hash = std::hash<std::string_view>{}(text);
    if (!once_)
      return add(text, hash);
    if (2 * met_.texts.size() >= places_.size())
      grow();
    for (std::size_t i = hash & (places_.size() - 1);; i = (i + 1) & (places_.size() - 1)) {
      if (places_[i] == 0) {
        const std::uint32_t made = add(text, hash);
        places_[i] = made + 1;
        return made;
      }
      if (const std::uint32_t known = places_[i] - 1;
          met_.hashes[known] == hash && met_.texts[known] == text)
        return known;
    }
  }

  met_symbols& met() { return met_; }

private:
  std::uint32_t add(std::string_view text, std::size_t hash) {
    met_.texts.push_back(text);
    met_.hashes.push_back(hash);
    return static_cast<std::uint32_t>(met_.texts.size() - 1);
  }

  void grow() {
    places_.assign(std::max<std::size_t>(1024, 2 * places_.size()), 0);
    for (std::size_t known = 0; known < met_.texts.size(); ++known) {
      std::size_t i = met_.hashes[known] & (places_.size() - 1);
      while (places_[i] != 0)
        i = (i + 1) & (places_.size() - 1);
      places_[i] = static_cast<std::uint32_t>(known + 1);
    }
  }

  bool once_;
  met_symbols met_;
  std::vector<std::uint32_t>
      places_; ///< a number and 1; 0: free. A power of two, half of them free
};

/// One thread's lines.
class part {
public:
  /// \param alone the only one of its block
  part(const value_text& text, const line_form& form, bool alone)
      : text_(text), form_(form), symbols_(!alone) {}

  /// \param skip the first line
  void read(std::string_view lines, bool skip) {
    values_.clear();
    symbols_.clear();
    problem_.clear();
    for (lines_ = 0; !lines.empty() && problem_.empty();) {
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      std::string_view line = lines.substr(0, end);
      lines.remove_prefix(std::min(end + 1, lines.size()));
      if (line.ends_with('\r'))
        line.remove_suffix(1);
      ++lines_;
      if (line.size() > max_line)
        problem_ = line_too_long;
      else if (!std::exchange(skip, false))
        read_line(line);
    }
  }

  std::uint64_t lines() const { return lines_; }
  /// With the last of its lines; empty if there is none.
  const std::string& problem() const { return problem_; }

  met_symbols& symbols() { return symbols_.met(); }
  /// The program's numbers in place of the part's.
  void put_symbols() {
    const std::vector<core::word>& numbers = symbols_.met().numbers;
    const std::size_t width = form_.columns.size();
    for (std::size_t column = 0; column < width; ++column)
      if (form_.columns[column].kind == value_kind::symbol)
        for (std::size_t i = column; i < values_.size(); i += width)
          values_[i] = numbers[static_cast<std::size_t>(values_[i])];
  }
  void add_to(const add_rows& add) const {
    if (!values_.empty())
      add(values_, values_.size() / form_.columns.size());
  }

private:
  void read_line(std::string_view line) {
    found_.clear();
    for (std::size_t end = 0; end != std::string_view::npos;) {
      end =
          form_.delimiter.size() == 1 ? line.find(form_.delimiter[0]) : line.find(form_.delimiter);
      found_.push_back(line.substr(0, end));
      line.remove_prefix(end == std::string_view::npos ? line.size()
                                                       : end + form_.delimiter.size());
    }
    if (!form_.is_complete(found_.size())) {
      problem_ = form_.incomplete(found_.size());
      return;
    }
    for (std::size_t column = 0; column < form_.columns.size(); ++column) {
      const std::string_view value = found_[form_.places[column]];
      try {
        if (form_.columns[column].kind == value_kind::symbol) {
          value_text::check_symbol(value);
          values_.push_back(symbols_.number(value));
        } else {
          values_.push_back(text_.read_number(value, form_.columns[column].kind));
        }
      } catch (const undefined_value& problem) {
        problem_ = form_.wrong_value(column, problem.what());
        return;
      }
    }
  }

  const value_text& text_;
  const line_form& form_;
  local_symbols symbols_;
  std::vector<core::word> values_; ///< row after row; symbols have the part's numbers at first
  std::vector<std::string_view> found_;
  std::uint64_t lines_ = 0;
  std::string problem_;
};

/// A file of which each thread reads a part.
class parted_file {
public:
  explicit parted_file(const std::string& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  parted_file(const parted_file&) = delete;
  parted_file& operator=(const parted_file&) = delete;
  ~parted_file() {
    if (is_open())
      ::close(file_);
  }
  bool is_open() const { return file_ >= 0; }

  /// Reads on from where it was. \returns how many bytes; fewer at the end
  /// \param problem of a read that failed: errno
  std::size_t read(char* to, std::size_t bytes, int& problem) {
    const std::size_t parts = threads_for(bytes, part_bytes);
    std::vector<std::size_t> read(parts, 0);
    std::vector<int> problems(parts, 0);
    for_ranges(bytes, parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
      read[part] = read_part(to, begin, end, problems[part]);
    });
    std::size_t all = 0;
    for (std::size_t part = 0; part < parts && problem == 0; ++part) {
      problem = problems[part];
      all += read[part];
      if (all < part_begin(bytes, part + 1, parts))
        break;
    }
    at_ += all;
    return all;
  }

private:
  std::size_t read_part(char* to, std::size_t begin, std::size_t end, int& problem) const {
    std::size_t now = begin;
    while (now < end) {
      const ssize_t some = ::pread(file_, to + now, end - now, static_cast<off_t>(at_ + now));
      if (some == 0)
        break;
      if (some > 0) {
        now += static_cast<std::size_t>(some);
      } else if (errno != EINTR) {
        problem = errno;
        break;
      }
    }
    return now - begin;
  }

  int file_;
  std::size_t at_ = 0;
};

class block_reader {
public:
  block_reader(value_text& text, const parameters& how, const line_form& form, std::string path,
               std::size_t file_bytes)
      : text_(text), how_(how), path_(std::move(path)), skip_(form.headers),
        has_symbols_(
            std::any_of(form.columns.begin(), form.columns.end(),
                        [](const core::column& c) { return c.kind == value_kind::symbol; })),
        block_bytes_(std::min(file_bytes + 1, small_block)) {
    std::size_t threads = 1;
    if (file_bytes >= smallest_for_threads)
      threads = threads_for(file_bytes, part_bytes);
    if (threads > 1)
      block_bytes_ = threads * part_bytes;
    parts_.reserve(threads);
    while (parts_.size() < threads)
      parts_.emplace_back(text, form, threads == 1);
  }

  void read(parted_file& file, const add_rows& add) {
    std::vector<char> block(block_bytes_);
    std::size_t held = 0; // the beginning of a line
    for (bool more = true, first = true; more;) {
      if (held > max_line)
        fail(lines_ + 1, line_too_long);
      if (2 * held > block.size())
        block.resize(2 * block.size());
      int problem = 0;
      const std::size_t room = block.size() - held;
      const std::size_t found = file.read(block.data() + held, room, problem);
      if (problem != 0)
        fail(lines_ + 1, std::strerror(problem));
      const std::string_view text(block.data(), held + found);
      more = found == room;
      const std::size_t last = text.rfind('\n');
      const std::size_t whole = !more ? text.size() : last == std::string_view::npos ? 0 : last + 1;
      held = text.size() - whole;
      if (whole == 0)
        continue;
      std::string_view lines = text.substr(0, whole);
      if (std::exchange(first, false) && lines.starts_with(byte_order_mark))
        lines.remove_prefix(byte_order_mark.size());
      take(lines, add);
      std::memmove(block.data(), block.data() + whole, held);
    }
  }

private:
  [[noreturn]] void fail(std::uint64_t line, const std::string& problem) const {
    fail_loading(how_, path_ + ":" + std::to_string(line), problem);
  }

  /// \param text whole lines
  void take(std::string_view text, const add_rows& add) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      const std::size_t near =
          std::max(part_begin(text.size(), i, parts_.size()), ends.empty() ? 0 : ends.back());
      ends.push_back(near == 0 ? 0 : std::min(text.find('\n', near - 1), text.size() - 1) + 1);
    }
    ends.push_back(text.size());
    for_parts(parts_.size(), [&](std::size_t i) {
      const std::size_t begin = i == 0 ? 0 : ends[i - 1];
      parts_[i].read(text.substr(begin, ends[i] - begin), skip_ && i == 0);
    });
    skip_ = false;
    for (const part& read : parts_) {
      lines_ += read.lines();
      if (!read.problem().empty())
        fail(lines_, read.problem());
    }
    if (has_symbols_) {
      std::vector<met_symbols*> symbols;
      for (part& read : parts_)
        symbols.push_back(&read.symbols());
      number_in_order(text_.values().symbols, symbols);
      for_parts(parts_.size(), [&](std::size_t i) { parts_[i].put_symbols(); });
    }
    for (const part& read : parts_)
      read.add_to(add);
  }

  value_text& text_;
  const parameters& how_;
  std::string path_;
  bool skip_; ///< the next line
  bool has_symbols_;
  std::size_t block_bytes_;
  std::vector<part> parts_;
  std::uint64_t lines_ = 0;
};

bool is_compressed(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const bool first = file.get() == 0x1F, second = file.get() == 0x8B;
  return first && second;
}

} // namespace

bool read_in_blocks(value_text& text, const parameters& how, const line_form& form,
                    const std::string& path, const add_rows& add) {
  std::error_code problem;
  if (form.quoted || form.columns.empty() || !std::filesystem::is_regular_file(path, problem) ||
      std::any_of(form.columns.begin(), form.columns.end(),
                  [](const core::column& column) { return column.structure >= 0; }))
    return false;
  const std::uintmax_t bytes = std::filesystem::file_size(path, problem);
  parted_file file(path);
  if (problem || !file.is_open() || is_compressed(path))
    return false;
  block_reader(text, how, form, path, static_cast<std::size_t>(bytes)).read(file, add);
  return true;
}

} // namespace ikra::datalog::io
