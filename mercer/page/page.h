// A model as one HTML page that needs nothing else: what it was made of, what it found, how good
// that is, with pictures. Whoever gets the page needs no Mercer and no network. What a page shows
// depends on what a model can do and what its report holds, never on the name of its method.
#pragma once

#include "mercer/core/types.h"
#include "mercer/plot/source.h"

#include <string>
#include <string_view>
#include <vector>

namespace mercer::page {

struct PageOptions {
  std::string title = {};  // empty: the method and the table
  /// Commands that make the model and the page again, as they are typed.
  std::vector<std::string> commands = {};
};

/// A picture that suits the model and is not on the page.
struct LeftOut {
  std::string kind, reason;
};

struct Page {
  std::string html;
  std::vector<std::string> figures = {};  // kinds of plots that are in it
  std::vector<LeftOut> left_out = {};
};

/// The same bytes for the same model, table and options on one machine. No text of the model or the
/// table is ever markup, style or script of the page.
Page page_of(const plot::PlotSource& source, const PageOptions& options);

/// How every page begins, whoever made it and when.
constexpr std::string_view kBeginning =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"generator\" content=\"Mercer ";

}  // namespace mercer::page
