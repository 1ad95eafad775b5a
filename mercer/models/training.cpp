#include "mercer/models/training.h"

#include <utility>

namespace mercer {

Training::Training(const Dataset& data) : rows(data.view()), owner(&data) {
  input.column_names = data.column_names;
  input.labels = data.labels;
}

Training Training::taking(Dataset& data) {
  Training training(data.view());
  training.owner = &data;
  training.input.column_names = std::exchange(data.column_names, {});
  training.input.labels = std::exchange(data.labels, {});
  return training;
}

}  // namespace mercer
