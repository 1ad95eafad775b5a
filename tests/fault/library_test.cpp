// Lack of memory inside the library: the n-th operator new of a call throws, for n = 1, 2, 3, ...
// until a call meets none. The call throws std::bad_alloc or M302, or manages without that memory;
// the next call in the same process gives the same bytes as if nothing had happened. Eigen's own
// memory comes from malloc and is made to fail by the preloaded shim of this folder.
#include "mercer/core/parallel.h"
#include "mercer/mercer.h"
#include "tests/support/fitted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace {

std::atomic<long> calls_left{-1};  // below 0: none fails
std::atomic<bool> met{false};

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (calls_left.load() >= 0 && calls_left.fetch_sub(1) == 0) {
    met = true;
    throw std::bad_alloc();
  }
  const std::size_t size =
      std::max<std::size_t>(1, (bytes + alignment - 1) / alignment * alignment);
  void* memory = alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, size)
                                                       : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Not inlined: GCC would take free() for the wrong partner of new.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return allocate(bytes, 1); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace mercer {
namespace {

// Every position at first, then fewer: the later ones differ little from each other.
long after(long n) { return n < 120 ? n + 1 : n + n / 25; }

// Calls `work` with the n-th allocation failing, and `check` after each.
void fail_each(const std::function<void()>& work, const std::function<void()>& check) {
  long injected = 0;
  for (long n = 0;; n = after(n)) {
    met = false;
    calls_left = n;
    try {
      work();
      calls_left = -1;
    } catch (const std::bad_alloc&) {
      calls_left = -1;
    } catch (const Error& error) {
      calls_left = -1;
      EXPECT_EQ(error.code(), ErrorCode::out_of_memory) << error.what();
    }
    if (!met) break;
    ++injected;
    if (n < 20 || injected % 16 == 0) check();  // the check costs a whole call
  }
  check();
  EXPECT_GT(injected, 20);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// By stdio, whose memory is not counted here.
void put(const std::string& path, const std::string& content) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  std::fputs(content.c_str(), file);
  std::fclose(file);
}

class LibraryWithoutMemory : public testing::TestWithParam<Index> {
 protected:
  LibraryWithoutMemory() {
    std::string name = (std::filesystem::temp_directory_path() / "mercer-fault-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
    context_.budget.threads = GetParam();
    context_.budget.operator_name = "blocked_gram";
    context_.budget.solver_name = "block_krylov";
    context_.budget.tile = 16;  // several tiles for several threads
    options_.components = Components::parse("3");
  }
  ~LibraryWithoutMemory() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ + "/" + name; }
  std::unique_ptr<KernelPca> fit() const {
    return test::fitted<KernelPca>(data_, options_, context_);
  }
  std::string saved(const Model& model) const {
    save_model(path("check.mercer"), model);
    return content_of(path("check.mercer"));
  }
  Index files() const { return std::distance(std::filesystem::directory_iterator(folder_), {}); }

  std::string folder_;
  Dataset data_ = generate("blobs", {.n = 60});
  KernelPcaOptions options_;
  Context context_;
};

TEST_P(LibraryWithoutMemory, FitThrowsAndTheNextFitIsTheSame) {
  Context alone = context_;  // so that the threads of the pool are made while memory lacks
  alone.budget.threads = 1;
  const std::string expected = saved(*test::fitted<KernelPca>(data_, options_, alone));
  fail_each([&] { fit(); }, [&] { ASSERT_EQ(saved(*fit()), expected); });
}

TEST_P(LibraryWithoutMemory, TransformThrowsAndTheNextOneIsTheSame) {
  const auto model = fit();
  const Block expected = model->transform(data_, context_);
  fail_each([&] { model->transform(data_, context_); },
            [&] { ASSERT_EQ(model->transform(data_, context_), expected); });
}

TEST_P(LibraryWithoutMemory, SaveLeavesTheOldFileOrTheNewOne) {
  const auto model = fit();
  const std::string file = path("model.mercer"), expected = saved(*model), old = "old";
  const Index files_before = files();
  fail_each(
      [&] {
        put(file, old);
        save_model(file, *model);
      },
      [&] {
        const std::string now = content_of(file);
        ASSERT_TRUE(now == old || now == expected) << now.size();
        ASSERT_EQ(files(), files_before + 1) << "a temporary file is left";
        ASSERT_EQ(saved(*model), expected);
      });
}

TEST_P(LibraryWithoutMemory, LoadThrowsAndTheNextLoadIsTheSame) {
  const std::string expected = saved(*fit()), file = path("check.mercer");
  fail_each([&] { load_model(file); }, [&] { ASSERT_EQ(saved(*load_model(file)), expected); });
}

// The queue of the pool asks for memory now and then, after some helpers have been called already.
// They must not be left with a job whose caller has gone: the call goes on with those it has.
TEST(ParallelWithoutMemory, TheCallEndsWithAllTasksDoneOnce) {
  Context context;
  context.budget.threads = 4;
  std::atomic<long> done{0};
  const std::function<void(Index)> task = [&](Index) { ++done; };
  parallel_for(context, 64, task);  // makes what all calls share
  done = 0;
  bool any = false;
  for (long call = 1; call <= 400; ++call) {
    met = false;
    calls_left = 1;  // the first is the job itself
    EXPECT_NO_THROW(parallel_for(context, 64, task));
    calls_left = -1;
    any = any || met;
    ASSERT_EQ(done, 64 * call);
  }
  EXPECT_TRUE(any);
}

// With 4, three helpers are called: memory may lack after the first of them.
INSTANTIATE_TEST_SUITE_P(Threads, LibraryWithoutMemory, testing::Values(1, 3, 4));

}  // namespace
}  // namespace mercer
