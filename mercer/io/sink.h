// Sink: where bytes go that are made piece by piece, so that nobody holds a whole file as text.
#pragma once

#include <string>
#include <string_view>

namespace mercer {

class Sink {
 public:
  Sink() = default;
  virtual ~Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  /// Takes the next bytes; throws M410 where they cannot be written.
  virtual void write(std::string_view part) = 0;
};

/// Collects what is written.
class TextSink final : public Sink {
 public:
  void write(std::string_view part) override { text += part; }
  std::string text;
};

/// Text that is put together here and handed on when it is long.
class BufferedSink {
 public:
  explicit BufferedSink(Sink& to) : to_(to) {}

  void flush_if_long() {
    constexpr std::size_t kLong = std::size_t{1} << 16;  // so that calls are few
    if (text.size() >= kLong) flush();
  }
  /// At the end.
  void flush() {
    to_.write(text);
    text.clear();
  }
  std::string text;

 private:
  Sink& to_;
};

/// Standard output, which has no name to be given at the end.
class StandardOutput final : public Sink {
 public:
  void write(std::string_view part) override;
  /// Hands on what is buffered.
  void flush();
};

}  // namespace mercer
