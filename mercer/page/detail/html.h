// HTML, piece by piece: whatever is put in as a text is escaped, so that only this layer's own
// words are markup.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mercer::page::detail {

/// Columns of a table; a number stands at the right.
struct Column {
  std::string_view heading;
  bool number = false;
};

class Html {
 public:
  struct Section {
    std::string id, heading;
  };

  /// A part of the page with a heading; `id` names it for links within the page.
  void open_section(std::string_view id, std::string_view heading);
  void close_section();
  void subheading(std::string_view text);
  void paragraph(std::string_view text);
  /// A paragraph of the muted kind: how to read what stands above.
  void remark(std::string_view text);
  /// Lines in letters of one width: formulas, commands.
  void code(const std::vector<std::string>& lines);
  /// Pairs of a name and what it is.
  void open_facts() { out_ += "<dl class=\"facts\">\n"; }
  void fact(std::string_view name, std::string_view value, std::string_view remark = {});
  void close_facts() { out_ += "</dl>\n"; }
  /// The first column names its row.
  void table(std::string_view caption, const std::vector<Column>& columns,
             const std::vector<std::vector<std::string>>& rows);
  void open_details(std::string_view summary);
  void close_details() { out_ += "</details>\n"; }
  /// Markup as it is.
  void raw(std::string_view markup) { out_ += markup; }

  const std::string& text() const { return out_; }
  const std::vector<Section>& sections() const { return sections_; }

 private:
  std::string out_;
  std::vector<Section> sections_;
};

/// The text as JSON within a page: no character of it can end a script or begin markup.
std::string json_text(std::string_view text);

}  // namespace mercer::page::detail
