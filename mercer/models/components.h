// How many components: a count, a share of the variance, all, or a number that a rule finds.
#pragma once

#include "mercer/core/types.h"

#include <string>
#include <string_view>

namespace mercer {

class Components {
 public:
  /// The default: two, or fewer where the data have fewer.
  Components() = default;
  Components(Index count);
  Components(int count) : Components(Index{count}) {}
  /// The smallest count that explains this share of the variance, strictly between 0 and 1.
  static Components share(double share);
  static Components all();
  /// As many as a rule of the method finds in the data; empty: the method's first rule.
  static Components automatic(std::string rule = {});
  /// "8", "0.95", "all", "auto", "auto:RULE"; throws M102.
  static Components parse(std::string_view text);

  Index count() const { return count_; }
  double share() const { return share_; }
  bool is_all() const { return all_; }
  bool is_automatic() const { return automatic_; }
  const std::string& rule() const { return rule_; }
  /// Whether the user asked for exactly this count.
  bool asked() const { return asked_; }
  /// How many of these values, the largest first, that is: as many as make up its share of `whole`,
  /// and never more than there are.
  Index kept_of(const Vector& falling, double whole) const;
  std::string text() const;
  /// Throws M102 for a rule, which methods without one cannot follow.
  void refuse_automatic(std::string_view method) const;

 private:
  Index count_ = 2;
  double share_ = 0;
  bool all_ = false;
  bool asked_ = false;
  bool automatic_ = false;
  std::string rule_;
};

}  // namespace mercer
