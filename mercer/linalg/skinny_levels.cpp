// The loops of the skinny product, compiled once per CPU level under the rules of tile_levels.cpp:
//   dots     y_i += sum_j K_ij x_j   registers along j hold partial sums, added up at the end
//   spread   y_j += sum_i K_ij x_i   registers along j hold the sums themselves
// Both hold kRows registers of K against C columns of x: kRows + C loads for kRows C
// multiplications. A tile is worked through in blocks of kSkinnyRows x kChunk, which both find in
// the cache, while the next block is on its way from memory. Sums over one block are kept in T and
// then join y in double.
#include "mercer/core/lanes.h"
#include "mercer/linalg/skinny_loops.h"

namespace mercer {
inline namespace MERCER_LEVEL {
namespace {

// Registers of K that meet C columns of x at once.
constexpr int kRows = 4;
// 4 C sums, C or 4 operands and one more must fit into the registers: 32 or 16 of them.
#if MERCER_LANE_BYTES == 64 || defined(__aarch64__)
constexpr int kColumns = 6;
#elif MERCER_LANE_BYTES == 32
constexpr int kColumns = 3;
#else
constexpr int kColumns = 2;
#endif
template <class T>
constexpr ptrdiff_t kChunk = 2048 / sizeof(T);  // six columns of x then take 12 KB
constexpr ptrdiff_t kLine = 64;                 // bytes of a cache line

template <class T, int N>
struct Short {
  typedef T Vector __attribute__((vector_size(N * sizeof(T))));
};

using Doubles = Lanes<double>;

// A register of doubles from as many T.
template <class V>
MERCER_INLINE Doubles widened(V v) {
#if MERCER_LANE_BYTES == 64
  if constexpr (sizeof(V) == 32) return Doubles(_mm512_maskz_cvtps_pd(0xff, v));
#endif
  return Doubles(__builtin_convertvector(v, Doubles::Vector));
}

// Lanes 0 ... N/2 - 1 of N for which = 0, the others for which = 1.
template <int N, int which, class V>
MERCER_INLINE auto half(V v) {
  constexpr int o = which * N / 2;
  if constexpr (N == 16)
    return __builtin_shufflevector(v, v, o, o + 1, o + 2, o + 3, o + 4, o + 5, o + 6, o + 7);
  else if constexpr (N == 8)
    return __builtin_shufflevector(v, v, o, o + 1, o + 2, o + 3);
  else
    return __builtin_shufflevector(v, v, o, o + 1);
}

// to[0 ... N-1] += v, in double.
template <int N, class V>
MERCER_INLINE void add_to(double* to, V v) {
  if constexpr (N > Doubles::width) {
    add_to<N / 2>(to, half<N, 0>(v));
    add_to<N / 2>(to + N / 2, half<N, 1>(v));
  } else if constexpr (N == Doubles::width) {
    (Doubles::load(to) + widened(v)).store(to);
  } else {
    using Wide = typename Short<double, N>::Vector;
    Wide sum;
    __builtin_memcpy(&sum, to, sizeof(sum));
    sum += __builtin_convertvector(v, Wide);
    __builtin_memcpy(to, &sum, sizeof(sum));
  }
}

// to[l] += lane l of `a` for the first `count` lanes.
template <class T>
MERCER_INLINE void add_first(Lanes<T> a, double* to, ptrdiff_t count) {
  constexpr int width = Lanes<T>::width;
  if (count >= width) return add_to<width>(to, a.v);
  T lane[width];
  a.store(lane);
  for (ptrdiff_t l = 0; l < count; ++l) to[l] += static_cast<double>(lane[l]);
}

// Half is added to half until four lanes are left, or two where the register has no more.
template <int N, class V>
MERCER_INLINE auto folded(V v) {
  if constexpr (N <= 4)
    return v;
  else
    return folded<N / 2>(half<N, 0>(v) + half<N, 1>(v));
}

// to[r] += the sum over the lanes of sums[r], for the first `count` r.
template <class T>
MERCER_INLINE void add_sums(const Lanes<T> (&sums)[kRows], double* to, ptrdiff_t count) {
  constexpr int width = Lanes<T>::width;
  T total[kRows];
  if constexpr (width == 2) {
    for (int r = 0; r < kRows; ++r) total[r] = sums[r].v[0] + sums[r].v[1];
  } else {
    const auto a = folded<width>(sums[0].v), b = folded<width>(sums[1].v);
    const auto c = folded<width>(sums[2].v), d = folded<width>(sums[3].v);
    const auto ab =
        __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
    const auto cd =
        __builtin_shufflevector(c, d, 0, 1, 4, 5) + __builtin_shufflevector(c, d, 2, 3, 6, 7);
    const auto abcd =
        __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
    if (count == kRows) return add_to<kRows>(to, abcd);
    __builtin_memcpy(total, &abcd, sizeof(total));
  }
  for (ptrdiff_t r = 0; r < count; ++r) to[r] += static_cast<double>(total[r]);
}

// Rows that will be wanted next. They are asked from memory line by line during the arithmetic,
// which for few columns takes about as long as the memory does. Nothing is read, so that any
// address is allowed.
struct Ahead {
  const char* at;
  ptrdiff_t stride, rows;

  MERCER_INLINE const char* take() {
    const char* row = at;
    if (rows > 0) {
      --rows;
      at += stride;
    }
    return row;
  }
  MERCER_INLINE static void fetch(const char* line) { __builtin_prefetch(line, 0, 2); }
};

// A block of a tile, and x and y beside it. Its last columns, where they do not fill a register,
// are copied to `edge`, with zeros behind.
template <class T>
struct Part {
  const SkinnyTile<T>& job;
  const T* tile;
  ptrdiff_t rows, full, rest;  // full: columns in whole registers; rest: the others
  const T *x_cols, *x_rows;
  double *y_rows, *y_cols;
};

// The value stays in a register: compilers like to load it again for every use, and loads are what
// these loops are short of.
template <class T>
MERCER_INLINE Lanes<T> held(Lanes<T> a) {
#ifdef __x86_64__
  asm("" : "+v"(a.v));
#endif
  return a;
}

// sums[c][u] += k(u) x(c). The fewer operands are held, the others come one by one.
template <int C, int J, class T, class K, class X>
MERCER_INLINE void multiply_add(Lanes<T> (&sums)[C][J], const K& k, const X& x) {
  Lanes<T> kept[C < J ? C : J];
  if constexpr (C < J) {
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) kept[c] = held(x(c));
#pragma GCC unroll 8
    for (int u = 0; u < J; ++u) {
      const Lanes<T> one = held(k(u));
#pragma GCC unroll 8
      for (int c = 0; c < C; ++c) sums[c][u] = fma(one, kept[c], sums[c][u]);
    }
  } else {
#pragma GCC unroll 8
    for (int u = 0; u < J; ++u) kept[u] = held(k(u));
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) {
      const Lanes<T> one = held(x(c));
#pragma GCC unroll 8
      for (int u = 0; u < J; ++u) sums[c][u] = fma(kept[u], one, sums[c][u]);
    }
  }
}

// Rows i ... i + kRows - 1 of K against columns c0 ... c0 + C - 1 of x.
template <int C, class T>
[[gnu::noinline]] void dots(const Part<T>& part, Ahead& ahead, ptrdiff_t i, ptrdiff_t c0) {
  using L = Lanes<T>;
  const SkinnyTile<T>& job = part.job;
  const T* x = part.x_cols + c0 * job.ldc;
  const T *row[kRows], *edge[kRows];
  for (int r = 0; r < kRows; ++r) {
    // Beyond the last row the last one stands in; its sums are not used.
    const ptrdiff_t at = i + r < part.rows ? i + r : part.rows - 1;
    row[r] = part.tile + at * job.ld;
    edge[r] = job.edge + at * L::width;
  }
  // With a single group of columns there are few calls, and each has to fetch more.
  const char* next[3];
  next[0] = ahead.take();
  for (int r = 1; r < 3; ++r) next[r] = job.width > kColumns ? next[0] : ahead.take();
  L sums[C][kRows];
  for (int c = 0; c < C; ++c)
    for (int r = 0; r < kRows; ++r) sums[c][r] = L(0.0);
  const auto step = [&](const T* const(&k)[kRows], ptrdiff_t from, ptrdiff_t j) {
    multiply_add(
        sums, [&](int r) { return L::load(k[r] + from); },
        [&](int c) { return L::load(x + c * job.ldc + j); });
  };
  for (ptrdiff_t j = 0; j < part.full; j += L::width) {
    for (int r = 0; r < 3; ++r) Ahead::fetch(next[r] + j * ptrdiff_t(sizeof(T)));
    step(row, j, j);
  }
  if (part.rest > 0) step(edge, 0, part.full);
  const ptrdiff_t count = part.rows - i < kRows ? part.rows - i : kRows;
#pragma GCC unroll 8
  for (int c = 0; c < C; ++c) add_sums<T>(sums[c], part.y_rows + (c0 + c) * job.ldy + i, count);
}

// J registers of columns of K against C columns of x; the first `count` sums are wanted.
template <int J, int C, class T>
[[gnu::noinline]] void spread(const SkinnyTile<T>& job, Ahead& ahead, const T* tile, ptrdiff_t ld,
                              ptrdiff_t rows, const T* x, double* y, ptrdiff_t count) {
  using L = Lanes<T>;
  const char *first = ahead.take(), *second = ahead.take();
  L sums[C][J];
  for (int c = 0; c < C; ++c)
    for (int u = 0; u < J; ++u) sums[c][u] = L(0.0);
  for (ptrdiff_t i = 0; i < rows; ++i) {
    Ahead::fetch((i % 2 == 0 ? first : second) + i / 2 * kLine);
    multiply_add(
        sums, [&](int u) { return L::load(tile + i * ld + u * L::width); },
        [&](int c) { return L(x[i * job.ldr + c]); });
  }
#pragma GCC unroll 8
  for (int c = 0; c < C; ++c)
#pragma GCC unroll 4
    for (int u = 0; u < J; ++u)
      add_first<T>(sums[c][u], y + c * job.ldy + u * L::width, count - u * L::width);
}

// All columns of the block against columns c0 ... c0 + C - 1 of x.
template <int C, class T>
void spreads(const Part<T>& part, Ahead& ahead, ptrdiff_t c0) {
  constexpr ptrdiff_t width = Lanes<T>::width;
  const SkinnyTile<T>& job = part.job;
  const T* x = part.x_rows + c0;
  double* y = part.y_cols + c0 * job.ldy;
  ptrdiff_t j = 0;
  for (; j + kRows * width <= part.full; j += kRows * width)
    spread<kRows, C>(job, ahead, part.tile + j, job.ld, part.rows, x, y + j, kRows * width);
  for (; j < part.full; j += width)
    spread<1, C>(job, ahead, part.tile + j, job.ld, part.rows, x, y + j, width);
  if (part.rest > 0) spread<1, C>(job, ahead, job.edge, width, part.rows, x, y + j, part.rest);
}

// Calls work(Count<C>) for C = columns, which thereby becomes a constant.
template <int C>
struct Count {
  static constexpr int value = C;
};
template <int C = kColumns, class Work>
MERCER_INLINE void with_count(ptrdiff_t columns, const Work& work) {
  if (columns == C) return work(Count<C>());
  if constexpr (C > 1) with_count<C - 1>(columns, work);
}

template <class T>
void add_part(const Part<T>& part, Ahead ahead) {
  // Groups of nearly equal size: 7 columns are better cut into 3 and 4 than into 6 and 1.
  const ptrdiff_t groups = (part.job.width + kColumns - 1) / kColumns;
  const auto begin = [&](ptrdiff_t group) { return group * part.job.width / groups; };
  for (ptrdiff_t i = 0; i < part.rows; i += kRows)
    for (ptrdiff_t g = 0; g < groups; ++g)
      with_count(begin(g + 1) - begin(g),
                 [&](auto count) { dots<decltype(count)::value>(part, ahead, i, begin(g)); });
  if (!part.x_rows) return;
  for (ptrdiff_t g = 0; g < groups; ++g)
    with_count(begin(g + 1) - begin(g),
               [&](auto count) { spreads<decltype(count)::value>(part, ahead, begin(g)); });
}

// What comes below the block that begins at row `top`: the rest of the tile, or the next tile.
template <class T>
Ahead below(const SkinnyTile<T>& job, ptrdiff_t top, ptrdiff_t left) {
  const ptrdiff_t row = top + kSkinnyRows, more = job.rows - row;
  const T* from = more > 0 ? job.tile + row * job.ld : job.next;
  if (!from) return {reinterpret_cast<const char*>(job.tile), 0, 0};
  return {reinterpret_cast<const char*>(from + left), job.ld * ptrdiff_t(sizeof(T)),
          more > 0 && more < kSkinnyRows ? more : kSkinnyRows};
}

template <class T>
void add(const SkinnyTile<T>& job) {
  constexpr ptrdiff_t width = Lanes<T>::width;
  for (ptrdiff_t top = 0; top < job.rows; top += kSkinnyRows) {
    const ptrdiff_t rows = job.rows - top < kSkinnyRows ? job.rows - top : kSkinnyRows;
    for (ptrdiff_t left = 0; left < job.cols; left += kChunk<T>) {
      const ptrdiff_t cols = job.cols - left < kChunk<T> ? job.cols - left : kChunk<T>;
      const ptrdiff_t rest = cols % width;
      const T* tile = job.tile + top * job.ld + left;
      for (ptrdiff_t i = 0; rest > 0 && i < rows; ++i)
        Lanes<T>::load_first(tile + i * job.ld + cols - rest, rest).store(job.edge + i * width);
      const Part<T> part = {job,
                            tile,
                            rows,
                            cols - rest,
                            rest,
                            job.x_cols + left,
                            job.x_rows ? job.x_rows + top * job.ldr : nullptr,
                            job.y_rows + top,
                            job.y_cols ? job.y_cols + left : nullptr};
      add_part(part, below(job, top, left));
    }
  }
}

template <class T>
double squares(const T* tile, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t ld) {
  constexpr int kUnroll = 4;  // sums at once: additions need not wait for each other
  constexpr ptrdiff_t width = Doubles::width;
  Doubles sums[kUnroll];
  for (int u = 0; u < kUnroll; ++u) sums[u] = Doubles(0.0);
  double rest = 0;
  for (ptrdiff_t i = 0; i < rows; ++i) {
    const T* row = tile + i * ld;
    ptrdiff_t j = 0;
    for (; j + kUnroll * width <= cols; j += kUnroll * width) {
#pragma GCC unroll 4
      for (int u = 0; u < kUnroll; ++u) {
        typename Short<T, width>::Vector values;
        __builtin_memcpy(&values, row + j + u * width, sizeof(values));
        const Doubles value = widened(values);
        sums[u] = fma(value, value, sums[u]);
      }
    }
    for (; j < cols; ++j) rest += static_cast<double>(row[j]) * static_cast<double>(row[j]);
  }
  return rest + sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

}  // namespace

LevelSkinny skinny_loops() {
  return {&add<float>, &add<double>, &squares<float>, &squares<double>};
}

}  // namespace MERCER_LEVEL
}  // namespace mercer
