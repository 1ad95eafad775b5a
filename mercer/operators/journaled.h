// An operator whose products are kept in a journal: those of an interrupted run are read back
// instead of computed.
#pragma once

#include "mercer/core/journal.h"
#include "mercer/linalg/operator.h"

#include <memory>

namespace mercer {

class Journaled final : public SymmetricOperator {
 public:
  Journaled(std::unique_ptr<SymmetricOperator> inner, Journal& journal)
      : inner_(std::move(inner)), journal_(journal) {}

  Index size() const override { return inner_->size(); }
  Vector diagonal(const Context& context) const override { return inner_->diagonal(context); }
  double unit() const override { return inner_->unit(); }
  double error() const override { return inner_->error(); }
  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override;
  void form(BlockRef out, const Context& context) const override { inner_->form(out, context); }
  bool columns(std::span<const Index> which, BlockRef out, const Context& context) const override {
    return inner_->columns(which, out, context);
  }
  bool entries(std::span<const Index> which, BlockRef out, const Context& context) const override {
    return inner_->entries(which, out, context);
  }

 private:
  std::unique_ptr<SymmetricOperator> inner_;
  Journal& journal_;
};

}  // namespace mercer
