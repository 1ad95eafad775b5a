// Pictures of models: figures of the plot layer, drawn when and how somebody wants to see them.
#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/data/sparse.h"
#include "mercer/io/atomic_file.h"
#include "mercer/plot/kind.h"
#include "mercer/plot/picture.h"

#include "python/native/model.h"
#include "python/native/rows.h"
#include "python/native/values.h"
#include "python/native/work.h"
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer::python {
namespace {

// A figure, and all that is needed to draw it: nothing of the model or its rows.
struct Picture {
  plot::Figure figure;
  plot::Theme theme;
  plot::PictureSize size;
  double dpi = plot::kScenePixelsPerInch;
  std::string kind;
  std::vector<std::string> kinds;  // those that fit the model

  std::string file(plot::PictureFormat format, double wanted_dpi) const {
    return plot::picture_file(figure, format, size, wanted_dpi > 0 ? wanted_dpi : dpi, theme);
  }
};

// Takes the members of a dict by name; what is absent or None keeps its default.
struct Given {
  const py::dict& members;

  template <class T>
  bool take(const char* name, T& value) const {
    if (!members.contains(name)) return false;
    const py::object object = members[name];
    if (object.is_none()) return false;
    value = cast_named<T>(name, object);
    return true;
  }
};

double dpi_of(double dpi) {
  if (dpi >= 10 && dpi <= 2400) return dpi;
  throw Error(ErrorCode::bad_option_value, fmt::format("--dpi {}: not a resolution", dpi),
              "give a number from 10 to 2400");
}

plot::PlotOptions options_of(const py::dict& words) {
  plot::PlotOptions options;
  const Given given{words};
  given.take("title", options.title);
  given.take("x", options.x);
  given.take("y", options.y);
  given.take("z", options.z);
  given.take("color", options.colour);
  given.take("names", options.names);
  given.take("titles", options.titles);
  given.take("count", options.count);
  given.take("image_shape", options.image_shape);
  std::string theme = "light";
  given.take("theme", theme);
  options.theme = plot::theme_named(theme);
  return options;
}

// Classes of rows: their texts, and the number of each row's.
std::optional<Labels> labels_of(const py::dict& members) {
  Labels labels;
  const Given given{members};
  if (!given.take("classes", labels.classes)) return {};
  given.take("class_of_row", labels.of_row);
  given.take("label_name", labels.name);
  for (const Index own : labels.of_row)
    if (own < 0 || own >= static_cast<Index>(labels.classes.size()))
      throw py::value_error("a row's class is not among the classes");
  return labels;
}

plot::RowMarks marks_of(const py::dict& members) {
  plot::RowMarks marks{.labels = labels_of(members)};
  const Given given{members};
  given.take("names", marks.names);
  given.take("numbers", marks.numbers);
  given.take("numbers_name", marks.numbers_name);
  given.take("image_shape", marks.image_shape);
  return marks;
}

Dataset dataset_of(const Rows& rows) {
  const DataView view = rows.view();
  return view.sparse() ? Dataset(sparse_copy(view), view.dim()) : rows.shared();
}

std::optional<plot::PlotTable> table_of(const py::dict& members) {
  if (!members.contains("rows")) return {};
  plot::PlotTable table{.rows = dataset_of(Rows(members["rows"]))};
  if (members.contains("targets")) table.targets = dataset_of(Rows(members["targets"]));
  return table;
}

// Of a model, and of rows and what belongs to them, as far as they are given.
std::shared_ptr<Picture> picture_of(const std::shared_ptr<Model>& model, const py::dict& rows,
                                    const py::dict& words, const py::dict& budget) {
  std::optional<plot::PlotTable> table = table_of(rows);
  plot::RowMarks marks = marks_of(rows);
  const plot::PlotOptions options = options_of(words);
  auto picture = std::make_shared<Picture>();
  picture->theme = options.theme;
  const Given given{words};
  std::array<double, 2> size{0, 0};
  if (given.take("size", size))
    picture->size = plot::PictureSize::parse(fmt::format("{}x{}", size[0], size[1]));
  given.take("dpi", picture->dpi);
  picture->dpi = dpi_of(picture->dpi);
  std::string kind;
  given.take("kind", kind);
  Work work(budget, py::none(), table ? table->rows.bytes() : 0);
  work.run([&] {
    const plot::PlotSource source(*model, std::move(table), work.context(), std::move(marks));
    const plot::PlotKind& chosen = plot::plot_kind(kind, source);
    plot::check_plot_options(chosen, options);
    picture->kind = chosen.name;
    picture->kinds = plot::fitting_kinds(source);
    picture->figure = plot::figure_of(chosen, source, options);
    if (!(picture->size.width > 0)) picture->size = plot::usual_size(picture->figure);
    return true;
  });
  return picture;
}

using Shared = std::shared_ptr<Picture>;

std::string drawn(const Shared& picture, plot::PictureFormat format, double dpi) {
  const double checked = dpi > 0 ? dpi_of(dpi) : 0;
  const py::gil_scoped_release released;
  return picture->file(format, checked);
}

void save(const Shared& picture, const std::string& path, double dpi, bool force) {
  const plot::PictureFormat format = plot::picture_format(path);
  if (!force) plot::check_picture_output(path);
  const std::string file = drawn(picture, format, dpi);
  const py::gil_scoped_release released;
  const std::array<std::string_view, 1> parts = {file};
  write_file_atomically(path, parts);
}

std::string characters(const Shared& picture, Index columns, bool colours) {
  constexpr Index kMostRows = 50;
  const py::gil_scoped_release released;
  return plot::picture_characters(
      picture->figure, columns, kMostRows,
      colours ? plot::TerminalColours::all : plot::TerminalColours::none, picture->theme);
}

py::list plot_kind_list() {
  py::list all;
  for (const plot::PlotKind* kind : plot::plot_kinds()) {
    py::dict entry;
    entry["name"] = text_of(kind->name);
    entry["summary"] = text_of(kind->summary);
    all.append(entry);
  }
  return all;
}

}  // namespace

void add_plot(py::module_& module) {
  py::class_<Picture, Shared>(module, "Picture", "A figure of a model that can be drawn.")
      .def_readonly("kind", &Picture::kind)
      .def_readonly("kinds", &Picture::kinds)
      .def_property_readonly("size",
                             [](const Shared& picture) {
                               return py::make_tuple(picture->size.width, picture->size.height);
                             })
      .def("svg",
           [](const Shared& picture) {
             return text_of(drawn(picture, plot::PictureFormat::svg, 0));
           })
      .def(
          "png",
          [](const Shared& picture, double dpi) {
            return py::bytes(drawn(picture, plot::PictureFormat::png, dpi));
          },
          py::arg("dpi"))
      .def("pdf",
           [](const Shared& picture) {
             return py::bytes(drawn(picture, plot::PictureFormat::pdf, 0));
           })
      .def(
          "characters",
          [](const Shared& picture, Index columns, bool colours) {
            return text_of(characters(picture, columns, colours));
          },
          py::arg("columns"), py::arg("colours"))
      .def("save", &save, py::arg("path"), py::arg("dpi"), py::arg("force"));
  module.def("picture", &picture_of, py::arg("model"), py::arg("rows"), py::arg("options"),
             py::arg("budget"));
  module.def("plot_kinds", &plot_kind_list);
}

}  // namespace mercer::python
