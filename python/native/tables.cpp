// Tables from files, in every format of the library, and toy data.
#include "mercer/data/generator.h"
#include "mercer/io/read_words.h"
#include "mercer/io/table.h"

#include "python/native/model.h"
#include "python/native/rows.h"
#include "python/native/values.h"
#include "python/native/work.h"
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <vector>

namespace mercer::python {
namespace {

// Takes words of a dict by the names of the options; what is absent or None stays as it is.
struct ReadingTaker {
  const py::dict& given;

  template <class T>
  void operator()(const char* name, T& word, const char* /*help*/,
                  const char* /*stands*/ = "") const {
    std::string key = name;
    std::ranges::replace(key, '-', '_');
    if (!given.contains(key.c_str())) return;
    const py::object value = given[key.c_str()];
    if (!value.is_none()) word = cast_named<T>(name, value);
  }
};

ReadOptions options_of(const py::dict& given) {
  ReadWords words;
  const ReadingTaker take{given};
  words.describe(take);
  words.columns.describe_targets(take);
  ReadOptions options = words.options();
  take("member", options.member, "");
  take("pairs", options.pairs, "");
  return options;
}

py::object classes_of_rows(const Labels& labels) {
  if (labels.empty()) return py::none();
  py::list texts;
  for (const Index own : labels.of_row)
    texts.append(text_of(labels.classes[static_cast<std::size_t>(own)]));
  return texts;
}

py::list texts(const std::vector<std::string>& all) {
  py::list list;
  for (const std::string& one : all) list.append(text_of(one));
  return list;
}

py::dict dict_of(const Dataset& data) {
  py::dict table;
  table["data"] = array_of(data);
  table["columns"] = texts(data.column_names);
  table["labels"] = classes_of_rows(data.labels);
  table["label_name"] = text_of(data.labels.name);
  table["ids"] = texts(data.ids);
  return table;
}

py::dict read(const std::string& path, const py::dict& given, const py::dict& budget,
              const py::object& progress) {
  const ReadOptions options = options_of(given);
  Work work(budget, progress, 0);
  const Table table = work.run([&] { return read_table(path, options, work.context()); });
  py::dict result = dict_of(table.data);
  result["format"] = table.format;
  result["targets"] = table.targets.dim() > 0 ? array_of(table.targets) : py::object(py::none());
  result["target_names"] = texts(table.targets.column_names);
  py::list notes;
  for (const Note& note : table.notes)
    notes.append(py::make_tuple(text_of(note.text), text_of(note.flag)));
  result["notes"] = notes;
  result["warnings"] = list_of(table.warnings);
  result["image_shape"] = py::tuple(py::cast(table.image_shape));
  return result;
}

py::dict generated(const std::string& name, Index n, double noise, std::uint64_t seed, Index dim,
                   Index classes) {
  GeneratorOptions options;
  options.n = n;
  options.noise = noise;
  options.seed = seed;
  options.dim = dim;
  options.classes = classes;
  return dict_of(generate(name, options));
}

py::list generator_list() {
  py::list all;
  for (const Generator* generator : generators()) {
    py::dict entry;
    entry["name"] = text_of(generator->name);
    entry["summary"] = text_of(generator->summary);
    all.append(entry);
  }
  return all;
}

}  // namespace

void add_tables(py::module_& module) {
  module.def("read", &read, py::arg("path"), py::arg("options"), py::arg("budget"),
             py::arg("progress"));
  module.def("generate", &generated, py::arg("name"), py::arg("n"), py::arg("noise"),
             py::arg("seed"), py::arg("dim"), py::arg("classes"));
  module.def("generators", &generator_list);
}

}  // namespace mercer::python
