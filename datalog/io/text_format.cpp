// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of values with a delimiter, plain or compressed. Lines are read in pieces of bounded size,
// so that a file that is one endless line costs no more memory than the longest line allowed.
// Values are read where they lie in such a piece.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "datalog/frontend/functions.hpp"
#include "datalog/io/formats.hpp"
#include "datalog/io/parallel.hpp"
#include "datalog/io/text_lines.hpp"

namespace ikra::datalog::io {
namespace {

// Lines of a file, which may be compressed, or of the standard input.
class line_reader {
public:
  explicit line_reader(const std::string& path) : path_(path) {
    if (path.empty())
      return;
    errno = 0;
    file_.reset(gzopen(path.c_str(), "rb"));
    if (file_ == nullptr)
      problem_ = errno != 0 ? std::strerror(errno) : "out of memory";
    else
      gzbuffer(file_.get(), 1U << 18);
  }

  const std::string& problem() const { return problem_; }
  std::uint64_t line_number() const { return number_; }

  // The next line without its end, until the next call; false at the end of the file, or with
  // problem() set.
  bool next(std::string_view& line) {
    line = {};
    if (!fill())
      return false;
    ++number_;
    for (bool is_part = false;; is_part = true) {
      const char* begin = buffer_.data() + at_;
      const auto* end = static_cast<const char*>(std::memchr(begin, '\n', size_ - at_));
      const std::size_t length =
          end != nullptr ? static_cast<std::size_t>(end - begin) : size_ - at_;
      if (line.size() + length > max_line) {
        fail_for_length();
        return false;
      }
      at_ += length + (end != nullptr ? 1 : 0);
      if (!is_part && end != nullptr) {
        line = {begin, length};
      } else { // reading on overwrites the piece
        if (!is_part)
          parts_.clear();
        line = parts_.append(begin, length);
      }
      if (end == nullptr && fill())
        continue;
      if (number_ == 1 && line.starts_with(byte_order_mark))
        line.remove_prefix(byte_order_mark.size());
      end_ = line.ends_with('\r') ? "\r\n" : "\n";
      if (line.ends_with('\r'))
        line.remove_suffix(1);
      return problem_.empty();
    }
  }

  // Goes on with a line whose last value has its end in one of the next. \returns whether there is
  // a next line.
  bool append_next(std::string& line) {
    line += end_;
    std::string_view more;
    if (!next(more))
      return false;
    if (line.size() + more.size() > max_line) {
      fail_for_length();
      return false;
    }
    line += more;
    return true;
  }

private:
  void fail_for_length() { problem_ = line_too_long; }

  struct close {
    void operator()(gzFile file) const { gzclose(file); }
  };

  bool fill() {
    if (at_ < size_)
      return true;
    at_ = size_ = 0;
    if (file_ == nullptr) {
      std::cin.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
      size_ = static_cast<std::size_t>(std::cin.gcount());
    } else {
      const int got = gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
      int code = Z_OK;
      const char* text = gzerror(file_.get(), &code);
      if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
        // zlib puts the file's name in front.
        const std::string_view said = code == Z_ERRNO ? std::strerror(errno) : text;
        problem_ =
            said.substr(said.starts_with(path_) ? std::min(path_.size() + 2, said.size()) : 0);
        return false;
      }
      size_ = static_cast<std::size_t>(got);
    }
    return size_ > 0;
  }

  std::string path_;
  std::unique_ptr<gzFile_s, close> file_;
  std::vector<char> buffer_ = std::vector<char>(1U << 18);
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  std::uint64_t number_ = 0;
  std::string parts_; // a line that does not end in the piece where it begins
  const char* end_ = "";
  std::string problem_;
};

// Whether a quote is open where a line ends, so that the value goes on in the next one.
class quote_scanner {
public:
  explicit quote_scanner(std::string_view delimiter) : delimiter_(delimiter) {}

  // \param line the next one, or how the first goes on.
  bool is_open_after(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (is_open_) {
        if (line[i] != '"')
          continue;
        if (i + 1 < line.size() && line[i + 1] == '"')
          ++i;
        else
          is_open_ = false;
      } else if (std::exchange(begins_, false) && line[i] == '"') {
        is_open_ = true;
      } else if (line.substr(i).starts_with(delimiter_)) {
        begins_ = true;
        i += delimiter_.size() - 1;
      }
    }
    return is_open_;
  }

private:
  std::string_view delimiter_;
  bool begins_ = true; // a value
  bool is_open_ = false;
};

// The values of one line.
class splitter {
public:
  splitter(std::string_view delimiter, bool quoted) : delimiter_(delimiter), quoted_(quoted) {}

  // Nothing if a quote is not closed. \param into parts of the line, or of texts that are kept
  // until the next one.
  bool split(std::string_view line, const std::vector<const core::field*>& types,
             std::vector<std::string_view>& into) {
    into.clear();
    unquoted_.clear();
    while (true) {
      const bool structure = into.size() < types.size() && types[into.size()] != nullptr &&
                             types[into.size()]->structure >= 0;
      if (quoted_ && line.starts_with('"')) {
        if (!take_quoted(line, unquoted_.emplace_back()))
          return false;
        into.emplace_back(unquoted_.back());
      } else {
        const std::size_t end = structure                ? end_of_structure(line)
                                : delimiter_.size() == 1 ? line.find(delimiter_[0])
                                                         : line.find(delimiter_);
        into.emplace_back(line.substr(0, end));
        line.remove_prefix(std::min(end, line.size()));
      }
      if (line.empty())
        return true;
      if (!line.starts_with(delimiter_))
        return false;
      line.remove_prefix(delimiter_.size());
    }
  }

private:
  // A delimiter within brackets belongs to the value. So does all that is in quotes, where a field
  // begins with them.
  std::size_t end_of_structure(std::string_view line) const {
    int depth = 0;
    bool begins = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (begins && line[i] == '"') {
        for (++i; i < line.size() && line[i] != '"'; ++i)
          if (line[i] == '\\')
            ++i;
      }
      if (i >= line.size())
        break;
      begins = line[i] == '[' || line[i] == '(' || line[i] == ',' || (begins && line[i] == ' ');
      if (line[i] == '[' || line[i] == '(')
        ++depth;
      else if (line[i] == ']' || line[i] == ')')
        --depth;
      else if (depth == 0 && line.substr(i).starts_with(delimiter_))
        return i;
    }
    return line.size();
  }

  static bool take_quoted(std::string_view& line, std::string& into) {
    line.remove_prefix(1);
    while (!line.empty()) {
      if (line[0] != '"') {
        into += line[0];
      } else if (line.size() > 1 && line[1] == '"') {
        into += '"';
        line.remove_prefix(1);
      } else {
        line.remove_prefix(1);
        return true;
      }
      line.remove_prefix(1);
    }
    return false;
  }

  std::string_view delimiter_;
  bool quoted_;
  std::deque<std::string> unquoted_; // leaves what it holds in place
};

// What takes finished text: a file, a compressed file, or the terminal.
class text_sink {
public:
  text_sink(const parameters& how, const output_file& file, std::ostream& terminal)
      : how_(how), file_(file), terminal_(terminal) {
    if (file.path.empty())
      return;
    errno = 0;
    if (how.flag("compress"))
      compressed_ = gzopen(file.path.c_str(), file.place.is_stream ? "ab" : "wb");
    else
      plain_.open(file.path,
                  std::ios::binary | (file.place.is_stream ? std::ios::app : std::ios::trunc));
    if (how.flag("compress") ? compressed_ == nullptr : !plain_)
      fail();
  }
  text_sink(const text_sink&) = delete;
  text_sink& operator=(const text_sink&) = delete;
  ~text_sink() {
    if (compressed_ != nullptr)
      gzclose(compressed_);
  }

  void write(std::string_view text) {
    errno = 0;
    if (file_.path.empty())
      terminal_ << text;
    else if (compressed_ != nullptr ? !compress(text) : !(plain_ << text))
      fail();
  }

  // What is only found out when the last byte is written, too.
  void finish() {
    errno = 0;
    if (compressed_ != nullptr) {
      if (gzclose(std::exchange(compressed_, nullptr)) != Z_OK)
        fail();
    } else if (!file_.path.empty()) {
      plain_.close();
      if (!plain_)
        fail();
    }
  }

private:
  // zlib counts bytes in an unsigned.
  bool compress(std::string_view text) {
    for (constexpr std::size_t most = 1U << 30; !text.empty();) {
      const std::size_t part = std::min(text.size(), most);
      if (gzwrite(compressed_, text.data(), static_cast<unsigned>(part)) == 0)
        return false;
      text.remove_prefix(part);
    }
    return true;
  }

  [[noreturn]] void fail() const {
    fail_writing(how_, file_, errno != 0 ? std::strerror(errno) : "cannot be written");
  }

  const parameters& how_;
  const output_file& file_;
  std::ostream& terminal_;
  std::ofstream plain_;
  gzFile compressed_ = nullptr;
};

void append_quoted(std::string_view value, std::string_view delimiter, std::string& out) {
  if (value.find(delimiter) == std::string_view::npos &&
      value.find_first_of("\"\r\n") == std::string_view::npos) {
    out += value;
    return;
  }
  out += '"';
  for (const char c : value) {
    out += c;
    if (c == '"')
      out += '"';
  }
  out += '"';
}

// A part of the rows is made text by each thread. Rows without numbers are gathered for that.
class line_writer {
public:
  line_writer(const value_text& text, const core::relation& relation, std::string_view delimiter,
              bool quoted, text_sink& sink)
      : text_(text), relation_(relation), delimiter_(delimiter), quoted_(quoted), sink_(sink) {}

  void write(const row_source& rows) {
    const std::size_t width = relation_.columns.size();
    if (!rows.at) {
      std::vector<core::word> values; // row after row
      std::size_t count = 0;
      const auto write_gathered = [&] {
        write_some(std::exchange(count, 0), [&](std::size_t i, std::span<core::word> found) {
          std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                      found.begin());
        });
        values.clear();
      };
      rows.each([&](row found) {
        values.insert(values.end(), found.begin(), found.end());
        if (++count == most_)
          write_gathered();
      });
      return write_gathered();
    }
    for (std::uint64_t first = 0; first < rows.rows; first += most_)
      write_some(std::min<std::size_t>(most_, rows.rows - first),
                 [&](std::size_t i, std::span<core::word> found) { rows.at(first + i, found); });
  }

private:
  static constexpr std::size_t fewest = 1U << 13; // for a thread

  // at(i, memory): the row i, for several threads at once.
  template <class At> void write_some(std::size_t count, const At& at) {
    const std::size_t parts = threads_for(count, fewest);
    lines_.resize(std::max(lines_.size(), parts));
    for_ranges(count, parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
      std::vector<core::word> found(relation_.columns.size());
      std::string value; // before quotes are added
      for (std::size_t i = begin; i < end; ++i) {
        at(i, found);
        append(found, value, lines_[part]);
      }
    });
    for (std::string& lines : lines_) {
      sink_.write(lines);
      lines.clear();
    }
  }

  void append(row found, std::string& value, std::string& out) const {
    if (found.empty())
      out += "()";
    for (std::size_t column = 0; column < found.size(); ++column) {
      if (column > 0)
        out += delimiter_;
      if (!quoted_) {
        text_.write(found[column], relation_.columns[column], out);
        continue;
      }
      value.clear();
      text_.write(found[column], relation_.columns[column], value, true);
      append_quoted(value, delimiter_, out);
    }
    out += '\n';
  }

  const value_text& text_;
  const core::relation& relation_;
  std::string_view delimiter_;
  bool quoted_;
  text_sink& sink_;
  std::size_t most_ = fewest * static_cast<std::size_t>(omp_get_max_threads());
  std::vector<std::string> lines_; // of each thread
};

} // namespace

void read_text(value_text& text, const parameters& how, const std::string& path,
               const add_rows& add) {
  const std::string shown = path.empty() ? "<stdin>" : path;
  std::error_code ignored;
  if (!path.empty() && std::filesystem::is_directory(path, ignored))
    fail_loading(how, shown, "Cannot open fact file: it is a folder");
  const line_form form(how);
  if (!path.empty() && read_in_blocks(text, how, form, path, add))
    return;
  line_reader lines(path);
  if (!lines.problem().empty())
    fail_loading(how, shown, "Cannot open fact file: " + lines.problem());
  const auto& [delimiter, quoted, headers, by_place, places, types, columns] = form;
  splitter values(delimiter, quoted);
  std::string_view line;
  std::string joined;
  std::vector<std::string_view> found;
  std::vector<core::word> fact(columns.size());
  bool skip = headers;
  while (lines.next(line)) {
    const std::uint64_t number = lines.line_number();
    const auto fail = [&](const std::string& problem) {
      fail_loading(how, shown + ":" + std::to_string(number), problem);
    };
    if (quote_scanner quotes(delimiter); quoted && quotes.is_open_after(line)) {
      joined = line;
      for (std::size_t scanned = joined.size();; scanned = joined.size()) {
        const bool more = lines.append_next(joined);
        if (!more && lines.problem().empty())
          fail("malformed quotes");
        if (!more || !quotes.is_open_after(std::string_view(joined).substr(scanned)))
          break;
      }
      if (!lines.problem().empty())
        break;
      line = joined;
    }
    if (std::exchange(skip, false))
      continue;
    if (columns.empty()) {
      if (line != "()" && !line.empty())
        fail("expected () or nothing, as the relation has no columns");
      add(fact, 1);
      continue;
    }
    if (!values.split(line, types, found))
      fail("malformed quotes");
    if (!form.is_complete(found.size()))
      fail(form.incomplete(found.size()));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      try {
        fact[i] = text.read(found[places[i]], columns[i]);
      } catch (const undefined_value& problem) {
        fail(form.wrong_value(i, problem.what()));
      }
    }
    add(fact, 1);
  }
  if (!lines.problem().empty() && lines.line_number() == 0)
    fail_loading(how, shown, lines.problem());
  if (!lines.problem().empty())
    fail_loading(how, shown + ":" + std::to_string(lines.line_number()), lines.problem());
}

void write_text(value_text& text, const parameters& how, const row_source& rows,
                const output_file& file, std::ostream& terminal) {
  const core::relation& relation = how.relation();
  const std::string delimiter = delimiter_of(how);
  const bool quoted = how.flag("rfc4180");
  text_sink sink(how, file, terminal);
  std::string out;
  std::string header;
  if (how.flag("headers")) {
    for (const core::column& column : relation.columns)
      header += (header.empty() ? "" : delimiter) + column.name;
    header += '\n';
  }
  if (file.path.empty())
    out += "---------------\n" + relation.name + "\n" + header + "===============\n";
  else
    out += header;
  sink.write(out);
  line_writer(text, relation, delimiter, quoted, sink).write(rows);
  out.clear();
  if (file.path.empty())
    out += "===============\n";
  sink.write(out);
  sink.finish();
}

} // namespace ikra::datalog::io
