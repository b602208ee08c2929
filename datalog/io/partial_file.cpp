// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a handler may look at is a list that only grows: its nodes are never freed nor changed,
// except for a flag. So it is kept only in programs that ask for the handlers.
#include "datalog/io/partial_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

namespace ikra::datalog::io {
namespace {

namespace fs = std::filesystem;

struct known_file {
  std::string path;
  known_file* next = nullptr;
  std::atomic<bool> is_there{true};
};

// A handler has no other way to know anything. All of it is lock-free.
struct handler_state {
  std::atomic<bool> handled{false};        ///< there are handlers
  std::atomic<known_file*> files{nullptr}; ///< the latest first
  std::atomic<int> deferred{0};            ///< deferred_signals that exist
  std::atomic<int> waiting{0};             ///< the signal that came meanwhile
};
constinit handler_state state; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

constexpr std::array ending{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

extern "C" void ikra_datalog_remove_partial_files(int signal) {
  if (state.deferred.load() > 0) {
    state.waiting.store(signal);
    return;
  }
  for (const known_file* file = state.files.load(); file != nullptr; file = file->next)
    if (file->is_there.load())
      ::unlink(file->path.c_str());
  // It is blocked while this runs: the process ends on return, by this very signal.
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

known_file* remember(const std::string& path) {
  if (!state.handled.load())
    return nullptr;
  auto* const made = new known_file; // never freed: see above
  made->path = path;
  made->next = state.files.load();
  while (!state.files.compare_exchange_weak(made->next, made)) {
  }
  return made;
}

void forget(void* known) {
  if (known != nullptr)
    static_cast<known_file*>(known)->is_there.store(false);
}

} // namespace

deferred_signals::deferred_signals() noexcept { ++state.deferred; }

deferred_signals::~deferred_signals() {
  if (--state.deferred > 0)
    return;
  if (const int signal = state.waiting.exchange(0); signal != 0)
    std::raise(signal);
}

partial_file::partial_file(fs::path target) : target_(std::move(target)) {
  const fs::path folder = target_.parent_path();
  const deferred_signals together;
  int opened = -1;
  // A short name: the target's may be as long as names can be.
  for (int number = 0; opened < 0; ++number) {
    path_ = (folder / (".ikra-datalog-" + std::to_string(::getpid()) + "-" +
                       std::to_string(number) + ".partial"))
                .string();
    opened = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (opened < 0 && errno != EEXIST)
      throw fs::filesystem_error("cannot be made", path_,
                                 std::error_code(errno, std::generic_category()));
  }
  struct stat before{};
  if (::stat(target_.c_str(), &before) == 0) {
    // Only root may give files away; others keep theirs.
    [[maybe_unused]] const int given = ::fchown(opened, before.st_uid, before.st_gid);
    [[maybe_unused]] const int same = ::fchmod(opened, before.st_mode & 07777);
  }
  ::close(opened);
  known_ = remember(path_);
}

partial_file::~partial_file() {
  if (path_.empty())
    return;
  std::error_code ignored;
  fs::remove(path_, ignored);
  forget(known_);
}

void partial_file::commit() {
  const deferred_signals together;
  fs::rename(path_, target_);
  forget(known_);
  path_.clear();
}

void remove_partial_files_on_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  state.handled.store(true);
  struct sigaction action{};
  action.sa_handler = ikra_datalog_remove_partial_files;
  sigfillset(&action.sa_mask);
  for (const int signal : ending) {
    struct sigaction before{};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
}

} // namespace ikra::datalog::io
