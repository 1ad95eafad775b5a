// Model files: decoded, encoded again, loaded and used on two rows. The mutator works on the parts
// of a model and puts right checksums on them, so that the checks behind those are reached.
#include "mercer/io/json.h"
#include "mercer/io/model_file.h"
#include "mercer/models/kind.h"
#include "tests/fuzz/target.h"

namespace mercer::fuzz {
namespace {

void check_same(const State& a, const State& b) {
  // As JSON, which has null for what is not finite.
  expect(a.kind == b.kind && to_json(a.values) == to_json(b.values),
         "kind and values written and read are the same");
  expect(a.arrays.size() == b.arrays.size(), "as many arrays");
  for (const Array& array : a.arrays) {
    const Array& other = b.array(array.name);
    expect(array.type == other.type && array.shape == other.shape && array.bytes == other.bytes,
           "arrays written and read are the same");
  }
}

void use(const Model& model) {
  to_json(model.summary());
  const Index dim = model.report.dim;
  expect(dim > 0, "a model has columns");
  if (dim > 100'000) return;
  const Points rows = Points::Constant(2, dim, 0.5);
  if (const auto* predicts = ability<Predicts>(model)) predicts->predict(rows, small_context());
  const auto* transforms = ability<Transforms>(model);
  if (transforms == nullptr) return;
  const Block scores = transforms->transform(rows, small_context());
  expect(scores.rows() == 2 && scores.cols() == transforms->score_columns(),
         "a score table's size");
  const auto* inverts = ability<Inverts>(model);
  if (inverts == nullptr) return;
  static_cast<void>(inverts->extrapolated(scores));
  inverts->inverse(scores, small_context());
}

}  // namespace
}  // namespace mercer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mercer;
  using namespace mercer::fuzz;
  State state;
  try {
    state = decode_model(Input(data, size).rest());
  } catch (const Error&) {
    return 0;
  }
  check_same(state, decode_model(encode_model(state)));
  std::unique_ptr<Model> model;
  try {
    model = model_from(state);
  } catch (const Error& error) {
    expect(exit_status(error.code()) == 7, "what is wrong with a model is an error of models");
    return 0;
  }
  try {
    check_same(model->state(), decode_model(encode_model(model->state())));
    use(*model);
  } catch (const Error&) {
  }
  return 0;
}
