// The program. Everything runs in a second thread, so that Ctrl-C ends within two seconds even
// inside a library call that cannot be interrupted: temporary files are removed and the process
// leaves without waiting for it. The thread also has a stack of its own size, whatever the limit of
// the first one. Whatever is thrown becomes an error with a code; nothing leaves main() as an
// exception.
#include "apps/cli/command.h"
#include "apps/cli/restart.h"
#include "apps/cli/terminal.h"
#include "mercer/io/atomic_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace mercer::cli {

#define MERCER_ENTRY(name, Type) void add_##name(Program& program);
#include "mercer/cli/catalog.def"
#undef MERCER_ENTRY

namespace {

constexpr std::array kStopSignals = {SIGINT, SIGTERM, SIGHUP};

extern "C" void on_signal(int number) {
  if (interrupt_signal.exchange(number) == 0) return;
  // A second Ctrl-C does not wait for anything.
  end_unfinished_files();
  _exit(130);
}

// A signal that is ignored when the program starts stays ignored: that is how nohup and trap ''
// work.
void install_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  for (const int number : kStopSignals) {
    struct sigaction before = {};
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);
  }
  // A file that outgrows its limit and a pipe that nobody reads become errors of write(2), and do
  // not kill the process: what is lost may be a message only, not the result.
  for (const int number : {SIGXFSZ, SIGPIPE}) std::signal(number, SIG_IGN);
}

// Threads get a stack that suffices for every library, also where the limit of the first is small.
void size_stacks() {
  constexpr std::size_t kLeast = std::size_t{2} << 20;  // a smaller one is replaced
  constexpr std::size_t kStack = std::size_t{8} << 20;  // what Linux gives where nobody says
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  std::size_t size = 0;
  if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < kLeast &&
      pthread_attr_setstacksize(&attributes, kStack) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

// Held while a thread is started, so that the stop signals come to the first thread alone: the
// handler may wait for a file that another thread is creating.
class StopSignalsBlocked {
 public:
  StopSignalsBlocked() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : kStopSignals) sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~StopSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  StopSignalsBlocked(const StopSignalsBlocked&) = delete;
  StopSignalsBlocked& operator=(const StopSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// A stream that is closed at the start would give its number to the first file that is opened, and
// words would end up in a model. The number is taken in the wrong direction, so that using the
// stream still fails.
void occupy_closed_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number, which is this one, since those below are open by now.
    static_cast<void>(open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

// A thread that the system refuses is a lack of memory as well.
bool lacks_memory(const std::error_code& code) {
  return code == std::errc::not_enough_memory || code == std::errc::resource_unavailable_try_again;
}

template <class Work>
int guarded(Terminal& terminal, const Work& work) noexcept try {
  try {
    return work();
  } catch (const Error& error) {
    return terminal.fail(error);
  } catch (const std::bad_alloc&) {
    return terminal.fail_for_memory();
  } catch (const std::system_error& error) {
    if (lacks_memory(error.code())) return terminal.fail_for_memory();
    throw;
  }
} catch (const std::exception& error) {
  try {
    return terminal.fail(
        Error(ErrorCode::internal, error.what(), "please report this with the command you ran"));
  } catch (const std::bad_alloc&) {
    return terminal.fail_for_memory();
  }
}

// What the command's thread leaves for the one that waits.
struct Outcome {
  std::mutex mutex;
  std::condition_variable changed;
  bool finished = false;
  int status = 0;
};

// Watches for signals until the command has finished.
void watch(Terminal& terminal, Outcome& outcome) {
  std::unique_lock lock(outcome.mutex);
  const auto finished = [&] { return outcome.finished; };
  using namespace std::chrono_literals;
  while (!outcome.changed.wait_for(lock, 50ms, finished)) {
    if (interrupt_signal == 0) continue;
    if (outcome.changed.wait_for(lock, 1700ms, finished)) break;
    end_unfinished_files();
    guarded(terminal, []() -> int { throw Error(ErrorCode::cancelled, "cancelled"); });
    std::fflush(nullptr);
    _exit(130);
  }
}

template <class Action>
int run_watched(Terminal& terminal, const Action& action) {
  Outcome outcome;
  const auto work = [&] {
    const int result = guarded(terminal, action);
    const std::lock_guard lock(outcome.mutex);
    outcome.status = result;
    outcome.finished = true;
    outcome.changed.notify_all();
  };
  std::thread worker;
  try {
    const StopSignalsBlocked blocked;
    worker = std::thread(work);
  } catch (const std::exception&) {
    work();  // without a second thread Ctrl-C waits for the next chance to stop
    return outcome.status;
  }
  watch(terminal, outcome);
  worker.join();
  return outcome.status;
}

// Where the address space is limited, a thread of OpenBLAS may ask for its buffer for ever, and
// OpenBLAS waits for that thread when the process ends. So the process ends without it.
int leave(int status) {
  if (status == kReaderGone) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return status;
  std::fflush(nullptr);
  _exit(status);
}

int run(int argc, const char* const* argv, Terminal& terminal) {
  Program program;
#define MERCER_ENTRY(name, Type) add_##name(program);
#include "mercer/cli/catalog.def"
#undef MERCER_ENTRY
  const Program::Invocation invocation = program.parse(argc, argv, terminal);
  check_wish_about_kernels();
  if (!invocation.print) {
    const int status = invocation.action(terminal);
    terminal.end_progress();
    return status;
  }
  if (invocation.status == 0)
    terminal.data(*invocation.print);
  else
    terminal.words(*invocation.print);
  return invocation.status;
}

}  // namespace
}  // namespace mercer::cli

int main(int argc, char** argv) {
  using namespace mercer::cli;
  restart_with_better_kernels(argv);  // before this process has changed anything of its own
  occupy_closed_streams();
  install_handlers();
  size_stacks();
  Terminal terminal;
  return leave(run_watched(terminal, [&] { return run(argc, argv, terminal); }));
}
