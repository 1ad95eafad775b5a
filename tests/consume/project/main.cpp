// Fits, moves matrices across the library's border (allocated here, freed there and back), saves,
// loads.
#include <mercer/mercer.h>

#include <cstdio>

int main() {
  const mercer::Dataset data = mercer::generate("circles", {.n = 300, .noise = 0.05, .seed = 1});
  mercer::Block scores;
  for (int i = 0; i < 50; ++i) {
    const mercer::KernelPca model =
        mercer::KernelPca::fit(data, {.kernel = "gaussian:sigma=0.3", .components = 3});
    scores = model.transform(data.view().rows({0, 10}));
    if (i == 0) mercer::save_model("client.mercer", model);
  }
  const auto loaded = mercer::load_model("client.mercer");
  const auto& scorer = mercer::need<mercer::Transforms>(*loaded);
  const double difference =
      (scorer.transform(data.view().rows({0, 10})) - scores).cwiseAbs().maxCoeff();
  std::printf("difference %g\n", difference);
  return difference == 0 && scores.cols() == 3 ? 0 : 1;
}
