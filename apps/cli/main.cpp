// The program. The command runs in a second thread, so that Ctrl-C ends within two seconds even
// inside a library call that cannot be interrupted: temporary files are removed and the process
// leaves without waiting for it.
#include "apps/cli/command.h"
#include "apps/cli/terminal.h"
#include "mercer/io/atomic_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <new>
#include <thread>

namespace mercer::cli {

#define MERCER_ENTRY(name, Type) void add_##name(Program& program);
#include "mercer/cli/catalog.def"
#undef MERCER_ENTRY

namespace {

extern "C" void on_signal(int number) {
  // A second Ctrl-C does not wait for anything.
  if (interrupt_signal.exchange(number) != 0) _exit(130);
}

void install_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
  // A file that outgrows its limit is an error to report, not a death.
  std::signal(SIGXFSZ, SIG_IGN);
}

int guarded(Terminal& terminal, const std::function<int()>& work) {
  try {
    return work();
  } catch (const Error& error) {
    return terminal.fail(error);
  } catch (const std::bad_alloc&) {
    return terminal.fail(Error(ErrorCode::out_of_memory, "the system has no memory left",
                               "lower --memory, or close other programs"));
  } catch (const std::exception& error) {
    return terminal.fail(
        Error(ErrorCode::internal, error.what(), "please report this with the command you ran"));
  }
}

// Runs the action in a thread and watches for signals.
int run_watched(Terminal& terminal, const std::function<int(Terminal&)>& action) {
  std::mutex mutex;
  std::condition_variable changed;
  bool finished = false;
  int status = 0;
  std::thread worker([&] {
    const int result = guarded(terminal, [&] { return action(terminal); });
    const std::lock_guard lock(mutex);
    status = result;
    finished = true;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  using namespace std::chrono_literals;
  while (!changed.wait_for(lock, 50ms, [&] { return finished; })) {
    if (interrupt_signal == 0) continue;
    if (changed.wait_for(lock, 1700ms, [&] { return finished; })) break;
    remove_unfinished_files();
    terminal.fail(Error(ErrorCode::cancelled, "cancelled"));
    std::fflush(nullptr);
    _exit(130);
  }
  lock.unlock();
  worker.join();
  return status;
}

int run(int argc, const char* const* argv) {
  Terminal terminal;
  Program program;
#define MERCER_ENTRY(name, Type) add_##name(program);
#include "mercer/cli/catalog.def"
#undef MERCER_ENTRY
  install_handlers();
  Program::Invocation invocation;
  const int status = guarded(terminal, [&] {
    invocation = program.parse(argc, argv, terminal);
    return 0;
  });
  if (status != 0) return status;
  if (invocation.print && invocation.status != 0) {
    fmt::print(stderr, "{}", *invocation.print);
    return invocation.status;
  }
  if (invocation.print)
    return guarded(terminal, [&] {
      terminal.data(*invocation.print);
      return 0;
    });
  return run_watched(terminal, invocation.action);
}

}  // namespace
}  // namespace mercer::cli

int main(int argc, char** argv) { return mercer::cli::run(argc, argv); }
