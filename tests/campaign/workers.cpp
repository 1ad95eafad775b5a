#include "tests/campaign/workers.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace mercer::campaign {
namespace {

// Of silence, after which a case is ended. Far above what a fit of a few hundred rows takes, also
// under a sanitizer on a busy machine: run_case cancels a fit long before.
constexpr int kSilence = 240'000;  // milliseconds

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\t') c = ' ';
  return text.substr(0, 600);
}

void write_all(int to, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(to, text.data() + done, text.size() - done);
    if (wrote < 0 && errno != EINTR) _exit(3);
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
}

// One line per case: outcome, the line that ran, then kind and detail of every violation.
[[noreturn]] void work(int to, Index first, Index count,
                       const std::function<Numbered(Index)>& make) {
  for (Index i = first; i < count; ++i) {
    const Verdict verdict = run_case(make(i).asked);
    std::string line = one_line(verdict.outcome) + "\t" + one_line(text_of(verdict.ran));
    for (const Violation& violation : verdict.violations)
      line += "\t" + one_line(violation.kind) + "\t" + one_line(violation.detail);
    write_all(to, line + "\n");
  }
  _exit(0);
}

Verdict verdict_of(const std::string& line) {
  std::vector<std::string> parts(1);
  for (const char c : line) {
    if (c == '\t')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  Verdict verdict{parse_configuration(parts.at(1)), parts.at(0), {}};
  for (std::size_t i = 2; i + 1 < parts.size(); i += 2)
    verdict.violations.push_back({parts[i], parts[i + 1]});
  return verdict;
}

// Lines of one worker.
class Lines {
 public:
  explicit Lines(int from) : from_(from) {}
  enum class Got { line, end, silence };
  Got next(std::string& line) {
    for (;;) {
      if (const std::size_t end = held_.find('\n'); end != held_.npos) {
        line = held_.substr(0, end);
        held_.erase(0, end + 1);
        return Got::line;
      }
      pollfd waiting{from_, POLLIN, 0};
      const int ready = poll(&waiting, 1, kSilence);
      if (ready == 0) return Got::silence;
      char room[4096];
      const ssize_t count = ready < 0 ? -1 : read(from_, room, sizeof room);
      if (count == 0) return Got::end;
      if (count > 0) held_.append(room, static_cast<std::size_t>(count));
    }
  }

 private:
  int from_;
  std::string held_;
};

// Runs cases from `first` on until all are done or one ends its process; gives how many were done.
Index run_some(Index first, Index count, const std::function<Numbered(Index)>& make,
               const std::function<void(const Numbered&, const Verdict&)>& take) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    close(ends[0]);
    work(ends[1], first, count, make);
  }
  close(ends[1]);
  Lines lines(ends[0]);
  std::string line;
  Index at = first;
  Lines::Got got = Lines::Got::end;
  while (at < count && (got = lines.next(line)) == Lines::Got::line) {
    take(make(at), verdict_of(line));
    ++at;
  }
  if (got == Lines::Got::silence) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  close(ends[0]);
  if (at == count) return count;
  const Numbered lost = make(at);
  const std::string how = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                              : fmt::format("exit status {}", WEXITSTATUS(status));
  take(lost, {lost.asked, "lost", {{got == Lines::Got::silence ? "does not end" : "crash", how}}});
  return at + 1;
}

}  // namespace

void run_all(Index count, const std::function<Numbered(Index)>& make,
             const std::function<void(const Numbered&, const Verdict&)>& take) {
  for (Index at = 0; at < count;) at = run_some(at, count, make, take);
}

}  // namespace mercer::campaign
