// Lanes<T>: one vector register of float or double, with arithmetic. Its width belongs to the CPU
// level the including file is compiled for: 16 bytes baseline, 32 bytes v3 (AVX2, FMA), 64 bytes v4
// (AVX-512).
//
// A file compiled once per level defines MERCER_LEVEL as baseline, v3 or v4. Everything here lives
// in the inline namespace of that name, so that no symbol is shared between levels: the linker
// keeps one copy of an inline function, and might keep the AVX-512 one for everybody. Only C
// headers are included, for the same reason. The level decides, not the compiler's flags: baseline
// is 16 bytes under -march=native too.
#pragma once

#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#ifdef __CUDACC__
#define MERCER_HD __host__ __device__
#else
#define MERCER_HD
#endif
#define MERCER_INLINE [[gnu::always_inline]] inline

#ifndef MERCER_LEVEL
#define MERCER_LEVEL baseline
#endif
#define MERCER_JOIN_TOKENS(a, b) a##b
#define MERCER_JOIN(a, b) MERCER_JOIN_TOKENS(a, b)
#define MERCER_LANE_BYTES_baseline 16
#define MERCER_LANE_BYTES_v3 32
#define MERCER_LANE_BYTES_v4 64
#define MERCER_LANE_BYTES MERCER_JOIN(MERCER_LANE_BYTES_, MERCER_LEVEL)

// A CUDA thread works on scalars; its compiler need not understand vector types.
#ifndef __CUDACC__

namespace mercer {
inline namespace MERCER_LEVEL {

/// The compiler's vector types for T, and the operations that need an instruction of their own.
/// min and max return b where either is NaN.
template <class T>
struct Register;

#define MERCER_REGISTER_TYPES(T, Unsigned, Signed)                                     \
  typedef T Vector __attribute__((vector_size(MERCER_LANE_BYTES)));                    \
  typedef Unsigned Bits __attribute__((vector_size(MERCER_LANE_BYTES)));               \
  typedef Signed Truth __attribute__((vector_size(MERCER_LANE_BYTES)));                \
  typedef T Unaligned                                                                  \
      __attribute__((vector_size(MERCER_LANE_BYTES), may_alias, aligned(alignof(T)))); \
  using Word = Unsigned;

#define MERCER_REGISTER(T, Unsigned, Signed, FMA, MIN, MAX, SQRT)                 \
  template <>                                                                     \
  struct Register<T> {                                                            \
    MERCER_REGISTER_TYPES(T, Unsigned, Signed)                                    \
    MERCER_INLINE static Vector fma(Vector a, Vector b, Vector c) { return FMA; } \
    MERCER_INLINE static Vector min(Vector a, Vector b) { return MIN; }           \
    MERCER_INLINE static Vector max(Vector a, Vector b) { return MAX; }           \
    MERCER_INLINE static Vector sqrt(Vector a) { return SQRT; }                   \
  };

#if MERCER_LANE_BYTES == 64
// Zeroing forms with a full mask: GCC 12 falsely warns of uninitialised values in the plain ones.
MERCER_REGISTER(float, uint32_t, int32_t, _mm512_fmadd_ps(a, b, c),
                _mm512_maskz_min_ps(0xffff, a, b), _mm512_maskz_max_ps(0xffff, a, b),
                _mm512_maskz_sqrt_ps(0xffff, a))
MERCER_REGISTER(double, uint64_t, int64_t, _mm512_fmadd_pd(a, b, c),
                _mm512_maskz_min_pd(0xff, a, b), _mm512_maskz_max_pd(0xff, a, b),
                _mm512_maskz_sqrt_pd(0xff, a))
#elif MERCER_LANE_BYTES == 32
MERCER_REGISTER(float, uint32_t, int32_t, _mm256_fmadd_ps(a, b, c), _mm256_min_ps(a, b),
                _mm256_max_ps(a, b), _mm256_sqrt_ps(a))
MERCER_REGISTER(double, uint64_t, int64_t, _mm256_fmadd_pd(a, b, c), _mm256_min_pd(a, b),
                _mm256_max_pd(a, b), _mm256_sqrt_pd(a))
#elif defined(__x86_64__)
MERCER_REGISTER(float, uint32_t, int32_t, a* b + c, _mm_min_ps(a, b), _mm_max_ps(a, b),
                _mm_sqrt_ps(a))
MERCER_REGISTER(double, uint64_t, int64_t, a* b + c, _mm_min_pd(a, b), _mm_max_pd(a, b),
                _mm_sqrt_pd(a))
#elif defined(__aarch64__)
MERCER_REGISTER(float, uint32_t, int32_t, vfmaq_f32(c, a, b), a<b ? a : b, a> b ? a : b,
                vsqrtq_f32(a))
MERCER_REGISTER(double, uint64_t, int64_t, vfmaq_f64(c, a, b), a<b ? a : b, a> b ? a : b,
                vsqrtq_f64(a))
#else
#error "Lanes are written for x86-64 and arm64"
#endif
#undef MERCER_REGISTER
#undef MERCER_REGISTER_TYPES

template <class T>
struct Lanes {
  using Scalar = T;
  using Vector = typename Register<T>::Vector;
  using Bits = typename Register<T>::Bits;
  using Word = typename Register<T>::Word;
  using Unaligned = typename Register<T>::Unaligned;
  static constexpr ptrdiff_t width = MERCER_LANE_BYTES / sizeof(T);

  /// Which lanes a comparison holds for: all bits of a lane are one, or none.
  struct Mask {
    typename Register<T>::Truth v;
    MERCER_INLINE friend Mask operator&(Mask a, Mask b) { return {a.v & b.v}; }
    MERCER_INLINE friend Mask operator|(Mask a, Mask b) { return {a.v | b.v}; }
    MERCER_INLINE friend Mask operator~(Mask a) { return {~a.v}; }
  };

  Vector v;

  Lanes() = default;
  /// Every lane is the value rounded to T. Subtracting +0 keeps the sign of -0; adding it would
  /// not.
  MERCER_INLINE explicit Lanes(double value) : v(static_cast<T>(value) - Vector{}) {}
  MERCER_INLINE explicit Lanes(Vector value) : v(value) {}

  /// Any address a T may stand at.
  MERCER_INLINE static Lanes load(const T* from) {
    return Lanes(static_cast<Vector>(*reinterpret_cast<const Unaligned*>(from)));
  }
  /// The address is a multiple of the register's bytes.
  MERCER_INLINE static Lanes load_aligned(const T* from) {
    return load(static_cast<const T*>(__builtin_assume_aligned(from, MERCER_LANE_BYTES)));
  }
  /// The first `count` <= width values; the other lanes are 0, and memory beyond is not touched.
  MERCER_INLINE static Lanes load_first(const T* from, ptrdiff_t count) {
    alignas(MERCER_LANE_BYTES) T lane[width] = {};
    for (ptrdiff_t i = 0; i < count; ++i) lane[i] = from[i];
    return load_aligned(lane);
  }
  MERCER_INLINE void store(T* to) const { *reinterpret_cast<Unaligned*>(to) = v; }
  MERCER_INLINE void store_aligned(T* to) const {
    store(static_cast<T*>(__builtin_assume_aligned(to, MERCER_LANE_BYTES)));
  }
  MERCER_INLINE void store_first(T* to, ptrdiff_t count) const {
    alignas(MERCER_LANE_BYTES) T lane[width];
    store_aligned(lane);
    for (ptrdiff_t i = 0; i < count; ++i) to[i] = lane[i];
  }

  /// The lanes as words of the same size, and back.
  MERCER_INLINE Bits bits() const { return reinterpret_cast<Bits>(v); }
  MERCER_INLINE static Lanes of_bits(Bits bits) { return Lanes(reinterpret_cast<Vector>(bits)); }

  MERCER_INLINE friend Lanes operator+(Lanes a, Lanes b) { return Lanes(a.v + b.v); }
  MERCER_INLINE friend Lanes operator-(Lanes a, Lanes b) { return Lanes(a.v - b.v); }
  MERCER_INLINE friend Lanes operator*(Lanes a, Lanes b) { return Lanes(a.v * b.v); }
  MERCER_INLINE friend Lanes operator/(Lanes a, Lanes b) { return Lanes(a.v / b.v); }
  MERCER_INLINE friend Lanes operator-(Lanes a) { return Lanes(-a.v); }
  MERCER_INLINE Lanes& operator+=(Lanes b) { return *this = *this + b; }
  MERCER_INLINE Lanes& operator-=(Lanes b) { return *this = *this - b; }
  MERCER_INLINE Lanes& operator*=(Lanes b) { return *this = *this * b; }
  MERCER_INLINE Lanes& operator/=(Lanes b) { return *this = *this / b; }

  MERCER_INLINE friend Mask operator<(Lanes a, Lanes b) { return {a.v < b.v}; }
  MERCER_INLINE friend Mask operator<=(Lanes a, Lanes b) { return {a.v <= b.v}; }
  MERCER_INLINE friend Mask operator>(Lanes a, Lanes b) { return {a.v > b.v}; }
  MERCER_INLINE friend Mask operator>=(Lanes a, Lanes b) { return {a.v >= b.v}; }
  MERCER_INLINE friend Mask operator==(Lanes a, Lanes b) { return {a.v == b.v}; }
  MERCER_INLINE friend Mask operator!=(Lanes a, Lanes b) { return {a.v != b.v}; }
};

/// a where the mask holds, b elsewhere.
template <class T>
MERCER_INLINE Lanes<T> select(typename Lanes<T>::Mask mask, Lanes<T> a, Lanes<T> b) {
  return Lanes<T>(mask.v ? a.v : b.v);
}
/// The smaller one; b where either is NaN.
template <class T>
MERCER_INLINE Lanes<T> min(Lanes<T> a, Lanes<T> b) {
  return Lanes<T>(Register<T>::min(a.v, b.v));
}
/// The larger one; b where either is NaN.
template <class T>
MERCER_INLINE Lanes<T> max(Lanes<T> a, Lanes<T> b) {
  return Lanes<T>(Register<T>::max(a.v, b.v));
}
/// a b + c, rounded once where the level has such an instruction (v3, v4, arm64), else twice.
template <class T>
MERCER_INLINE Lanes<T> fma(Lanes<T> a, Lanes<T> b, Lanes<T> c) {
  return Lanes<T>(Register<T>::fma(a.v, b.v, c.v));
}
template <class T>
MERCER_INLINE Lanes<T> sqrt(Lanes<T> a) {
  return Lanes<T>(Register<T>::sqrt(a.v));
}
template <class T>
MERCER_INLINE Lanes<T> abs(Lanes<T> a) {
  return Lanes<T>::of_bits(a.bits() & ~Lanes<T>(-0.0).bits());
}
/// The magnitude of a with the sign of b.
template <class T>
MERCER_INLINE Lanes<T> copysign(Lanes<T> a, Lanes<T> b) {
  const auto sign = Lanes<T>(-0.0).bits();
  return Lanes<T>::of_bits((a.bits() & ~sign) | (b.bits() & sign));
}
#if MERCER_LANE_BYTES == 64
/// a 2^k for whole k, with overflow to infinity.
MERCER_INLINE Lanes<float> times_power_of_two(Lanes<float> a, Lanes<float> k) {
  return Lanes<float>(_mm512_maskz_scalef_ps(0xffff, a.v, k.v));
}
MERCER_INLINE Lanes<double> times_power_of_two(Lanes<double> a, Lanes<double> k) {
  return Lanes<double>(_mm512_maskz_scalef_pd(0xff, a.v, k.v));
}
#endif
/// Sum of all lanes, by halves: the order is fixed for a level.
template <class T>
MERCER_INLINE T sum(Lanes<T> a) {
  alignas(MERCER_LANE_BYTES) T lane[Lanes<T>::width];
  a.store_aligned(lane);
  for (ptrdiff_t half = Lanes<T>::width / 2; half > 0; half /= 2) {
    for (ptrdiff_t i = 0; i < half; ++i) lane[i] += lane[i + half];
  }
  return lane[0];
}

}  // namespace MERCER_LEVEL
}  // namespace mercer
#endif  // __CUDACC__
