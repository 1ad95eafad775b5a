// The parameters of a family as a list: what describe(field) says, for whoever reads, prints or
// resolves them.
#pragma once

#include "mercer/core/describe.h"

#include <vector>

namespace mercer {

struct Parameter {
  const char* name;
  double* value;
  const char* help;
  Limit limit;
  const char* rule = "";                 // word for "found from the data", "" where there is none
  const char* other = "";                // second spelling
  double (*to_other)(double) = nullptr;  // null: the same number under another name
  double (*from_other)(double) = nullptr;
};

class ParameterList {
 public:
  class Handle {
   public:
    Handle(std::vector<Parameter>& items, std::size_t index) : items_(items), index_(index) {}
    Handle& or_found(const char* rule) {
      items_[index_].rule = rule;
      return *this;
    }
    Handle& or_spelt(const char* other, double (*to)(double) = nullptr,
                     double (*from)(double) = nullptr) {
      items_[index_].other = other;
      items_[index_].to_other = to;
      items_[index_].from_other = from;
      return *this;
    }

   private:
    std::vector<Parameter>& items_;
    std::size_t index_;
  };

  Handle operator()(const char* name, double& value, const char* help, Limit limit) {
    items_.push_back({.name = name, .value = &value, .help = help, .limit = limit});
    return {items_, items_.size() - 1};
  }
  std::vector<Parameter> take() { return std::move(items_); }

 private:
  std::vector<Parameter> items_;
};

/// The parameters of a family; the pointers are into it.
template <class Family>
std::vector<Parameter> parameters_of(Family& family) {
  ParameterList list;
  family.describe(list);
  return list.take();
}

}  // namespace mercer
