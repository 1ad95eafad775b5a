// Preloaded into the program: makes one chosen call of the system fail, so that a test can try every one in turn.
//
//   MERCER_FAULT=KIND:N[:on][:ERRNO]   the N-th call of this kind fails; with `on`, all later ones too
//   MERCER_FAULT_REPORT=FILE           64 bytes: calls of the kind, calls that failed, those of standard error, and
//                                      allocations left alone
//
// Kinds: alloc (malloc and its relatives, so operator new too), map (anonymous mmap), thread (pthread_create), open,
// read, write, print (stdio), sync, rename, close, truncate, stat; short: every read and write moves at most N bytes.
//
// Calls count from the moment main() is entered: what the dynamic linker and the constructors of libraries do before
// is not the program's to handle. The moment is exact, since the shim stands between the C start-up code and main().
// The report is a mapped file: the counts survive whatever end the process takes. Calls that libc makes inside itself
// (a stack for a thread, the pages of malloc) do not pass here; the limits of tests/fault/surroundings.py reach them.
//
// Allocations that OpenBLAS makes are left alone, and told in the report: its kernels for small matrices (0.3.21, with
// AVX-512) use what malloc returns unseen, so that a failure there is a crash that no caller can prevent.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kReportBytes = 64 };

struct Report {
  _Atomic long calls, failed, failed_stderr, left_alone;
};

static struct Report nowhere;
static struct Report* report = &nowhere;
static char kind[16];
static long first, most_bytes;
static bool stays, in_main;
static int chosen_errno;

#define REAL(type, name, ...) static type (*real_##name)(__VA_ARGS__)
REAL(void*, malloc, size_t);
REAL(void*, calloc, size_t, size_t);
REAL(void*, realloc, void*, size_t);
REAL(int, posix_memalign, void**, size_t, size_t);
REAL(void*, aligned_alloc, size_t, size_t);
REAL(void*, memalign, size_t, size_t);
REAL(void*, mmap, void*, size_t, int, int, int, off_t);
REAL(int, pthread_create, pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
REAL(int, open, const char*, int, ...);
REAL(int, openat, int, const char*, int, ...);
REAL(FILE*, fopen, const char*, const char*);
REAL(ssize_t, read, int, void*, size_t);
REAL(ssize_t, pread, int, void*, size_t, off_t);
REAL(ssize_t, pwrite, int, const void*, size_t, off_t);
REAL(ssize_t, write, int, const void*, size_t);
REAL(ssize_t, writev, int, const struct iovec*, int);
REAL(size_t, fwrite, const void*, size_t, size_t, FILE*);
REAL(int, fflush, FILE*);
REAL(int, fsync, int);
REAL(int, fdatasync, int);
REAL(int, rename, const char*, const char*);
REAL(int, close, int);
REAL(int, ftruncate, int, off_t);
REAL(int, stat, const char*, struct stat*);
REAL(int, fstat, int, struct stat*);
REAL(int, lstat, const char*, struct stat*);

#define LOOK_UP(name) real_##name = dlsym(RTLD_NEXT, #name)
static void look_up(void) {
  LOOK_UP(malloc), LOOK_UP(calloc), LOOK_UP(realloc), LOOK_UP(posix_memalign), LOOK_UP(aligned_alloc);
  LOOK_UP(memalign), LOOK_UP(mmap), LOOK_UP(pthread_create), LOOK_UP(open), LOOK_UP(openat), LOOK_UP(fopen);
  LOOK_UP(read), LOOK_UP(pread), LOOK_UP(pwrite), LOOK_UP(write), LOOK_UP(writev), LOOK_UP(fwrite), LOOK_UP(fflush), LOOK_UP(fsync);
  LOOK_UP(fdatasync), LOOK_UP(rename), LOOK_UP(close), LOOK_UP(ftruncate), LOOK_UP(stat), LOOK_UP(fstat);
  LOOK_UP(lstat);
}

// The first call, of whatever kind, finds the real ones: constructors of libraries come before any of ours. There is
// one thread then. Memory that dlsym itself might ask for meanwhile is refused, which it can bear.
static bool ready(void) {
  static enum { kUnknown, kLooking, kKnown } state;
  if (state == kKnown) return true;
  if (state == kLooking) return false;
  state = kLooking;
  look_up();
  state = kKnown;
  return true;
}

// MERCER_FAULT=KIND:N[:on][:ERRNO]
static void read_request(void) {
  const char* text = getenv("MERCER_FAULT");
  if (text == NULL) return;
  char copy[64] = {0};
  strncpy(copy, text, sizeof copy - 1);
  char* rest = copy;
  strncpy(kind, strsep(&rest, ":"), sizeof kind - 1);
  if (rest) first = atol(strsep(&rest, ":"));
  while (rest) {
    const char* part = strsep(&rest, ":");
    if (strcmp(part, "on") == 0) stays = true;
    else chosen_errno = atoi(part);
  }
  if (strcmp(kind, "short") == 0) most_bytes = first;
}

static void map_report(void) {
  const char* path = getenv("MERCER_FAULT_REPORT");
  if (path == NULL) return;
  const int file = real_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return;
  void* memory = real_ftruncate(file, kReportBytes) == 0
                     ? real_mmap(NULL, kReportBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (memory != MAP_FAILED) report = memory;
  real_close(file);
}

// Where OpenBLAS lies in memory.
static uintptr_t blas_begin, blas_end;
static int find_blas(struct dl_phdr_info* library, size_t size, void* unused) {
  (void)size, (void)unused;
  if (strstr(library->dlpi_name, "openblas") == NULL) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &library->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    blas_begin = library->dlpi_addr + part->p_vaddr;
    blas_end = blas_begin + part->p_memsz;
  }
  return 1;
}

static int (*real_main)(int, char**, char**);
static int counted_main(int argc, char** argv, char** environment) {
  read_request();
  map_report();
  dl_iterate_phdr(find_blas, NULL);
  in_main = true;
  return real_main(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*end)(void), void* stack) {
  int (*start)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*) =
      dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = main;
  return start(counted_main, argc, argv, init, fini, end, stack);
}

// Whether this call is one to fail.
static bool fails(const char* this_kind, int usual_errno, bool to_stderr) {
  if (!ready()) return true;
  if (!in_main || strcmp(kind, this_kind) != 0) return false;
  const long number = atomic_fetch_add(&report->calls, 1) + 1;
  if (number < first || (number > first && !stays)) return false;
  atomic_fetch_add(&report->failed, 1);
  if (to_stderr) atomic_fetch_add(&report->failed_stderr, 1);
  errno = chosen_errno ? chosen_errno : usual_errno;
  return true;
}

static size_t shortened(size_t bytes) {
  return in_main && most_bytes > 0 && bytes > (size_t)most_bytes ? (size_t)most_bytes : bytes;
}

#define CALL(type, name, failed, parameters, fault, call) \
  type name parameters { return fault ? failed : call; }
static bool memory_fails(const void* caller) {
  if (!in_main || (uintptr_t)caller < blas_begin || (uintptr_t)caller >= blas_end)
    return fails("alloc", ENOMEM, false);
  atomic_fetch_add(&report->left_alone, 1);
  return !ready();
}

#define MEMORY_FAILS memory_fails(__builtin_return_address(0))
CALL(void*, malloc, NULL, (size_t bytes), MEMORY_FAILS, real_malloc(bytes))
CALL(void*, calloc, NULL, (size_t count, size_t bytes), MEMORY_FAILS, real_calloc(count, bytes))
CALL(void*, realloc, NULL, (void* old, size_t bytes), MEMORY_FAILS, real_realloc(old, bytes))
CALL(void*, aligned_alloc, NULL, (size_t alignment, size_t bytes), MEMORY_FAILS, real_aligned_alloc(alignment, bytes))
CALL(void*, memalign, NULL, (size_t alignment, size_t bytes), MEMORY_FAILS, real_memalign(alignment, bytes))
CALL(int, posix_memalign, ENOMEM, (void** out, size_t alignment, size_t bytes), MEMORY_FAILS,
     real_posix_memalign(out, alignment, bytes))
CALL(void*, mmap, MAP_FAILED, (void* at, size_t bytes, int protection, int flags, int file, off_t offset),
     (flags & MAP_ANONYMOUS ? fails("map", ENOMEM, false) : !ready()), real_mmap(at, bytes, protection, flags, file, offset))
CALL(int, pthread_create, EAGAIN, (pthread_t* thread, const pthread_attr_t* how, void* (*start)(void*), void* argument),
     fails("thread", EAGAIN, false), real_pthread_create(thread, how, start, argument))

// One that takes a mode after its flags, and its twin for large files.
#define OPENER(name, parameters, ...)                                  \
  int name parameters {                                                \
    va_list rest;                                                      \
    va_start(rest, flags);                                             \
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;    \
    va_end(rest);                                                      \
    return fails("open", EMFILE, false) ? -1 : real_##__VA_ARGS__;     \
  }
OPENER(open, (const char* path, int flags, ...), open(path, flags, mode))
OPENER(open64, (const char* path, int flags, ...), open(path, flags, mode))
OPENER(openat, (int folder, const char* path, int flags, ...), openat(folder, path, flags, mode))
OPENER(openat64, (int folder, const char* path, int flags, ...), openat(folder, path, flags, mode))

CALL(FILE*, fopen, NULL, (const char* path, const char* mode), fails("open", EMFILE, false), real_fopen(path, mode))
CALL(FILE*, fopen64, NULL, (const char* path, const char* mode), fails("open", EMFILE, false), real_fopen(path, mode))
CALL(ssize_t, read, -1, (int file, void* out, size_t bytes), fails("read", EIO, false),
     real_read(file, out, shortened(bytes)))
CALL(ssize_t, pread, -1, (int file, void* out, size_t bytes, off_t at), fails("read", EIO, false),
     real_pread(file, out, shortened(bytes), at))
CALL(ssize_t, pread64, -1, (int file, void* out, size_t bytes, off_t at), fails("read", EIO, false),
     real_pread(file, out, shortened(bytes), at))
CALL(ssize_t, write, -1, (int file, const void* data, size_t bytes), fails("write", ENOSPC, file == STDERR_FILENO),
     real_write(file, data, shortened(bytes)))
CALL(ssize_t, pwrite, -1, (int file, const void* data, size_t bytes, off_t at), fails("write", ENOSPC, false),
     real_pwrite(file, data, shortened(bytes), at))
CALL(ssize_t, pwrite64, -1, (int file, const void* data, size_t bytes, off_t at), fails("write", ENOSPC, false),
     real_pwrite(file, data, shortened(bytes), at))
CALL(ssize_t, writev, -1, (int file, const struct iovec* parts, int count),
     fails("write", ENOSPC, file == STDERR_FILENO), real_writev(file, parts, count))
CALL(size_t, fwrite, 0, (const void* data, size_t size, size_t count, FILE* file),
     fails("print", ENOSPC, file == stderr), real_fwrite(data, size, count, file))
CALL(int, fflush, EOF, (FILE * file), fails("print", ENOSPC, file == stderr), real_fflush(file))
CALL(int, fsync, -1, (int file), fails("sync", EIO, false), real_fsync(file))
CALL(int, fdatasync, -1, (int file), fails("sync", EIO, false), real_fdatasync(file))
CALL(int, rename, -1, (const char* from, const char* to), fails("rename", EIO, false), real_rename(from, to))
CALL(int, ftruncate, -1, (int file, off_t size), fails("truncate", ENOSPC, false), real_ftruncate(file, size))
CALL(int, ftruncate64, -1, (int file, off_t size), fails("truncate", ENOSPC, false), real_ftruncate(file, size))
CALL(int, stat, -1, (const char* path, struct stat* out), fails("stat", EIO, false), real_stat(path, out))
CALL(int, fstat, -1, (int file, struct stat* out), fails("stat", EIO, false), real_fstat(file, out))
CALL(int, lstat, -1, (const char* path, struct stat* out), fails("stat", EIO, false), real_lstat(path, out))

// A failing close has closed the file all the same, as Linux does it.
int close(int file) {
  if (!ready()) return -1;
  const int result = real_close(file);
  return fails("close", EIO, false) ? -1 : result;
}
