// What is put into a page as a text stays a text, and numbers are read as they were written.
#include "mercer/page/detail/html.h"

#include <gtest/gtest.h>

#include <string>

namespace mercer::page::detail {
namespace html_test {

const std::string kEvil = "</td></script><script>alert(\"1\")</script>'&";

void expect_harmless(const std::string& markup) {
  EXPECT_EQ(markup.find("<script"), markup.npos) << markup;
  EXPECT_EQ(markup.find("</script"), markup.npos) << markup;
  EXPECT_EQ(markup.find("\"1\""), markup.npos) << markup;
  EXPECT_NE(markup.find("alert("), markup.npos) << "the text is not there: " << markup;
}

TEST(Html, EscapesWhateverIsPutIn) {
  const auto made = [](auto&& put) {
    Html html;
    put(html);
    return html.text();
  };
  expect_harmless(made([](Html& html) { html.open_section("id", kEvil); }));
  expect_harmless(made([](Html& html) { html.subheading(kEvil); }));
  expect_harmless(made([](Html& html) { html.paragraph(kEvil); }));
  expect_harmless(made([](Html& html) { html.remark(kEvil); }));
  expect_harmless(made([](Html& html) { html.code({kEvil, kEvil}); }));
  expect_harmless(made([](Html& html) { html.fact(kEvil, kEvil, kEvil); }));
  expect_harmless(made([](Html& html) {
    html.table(kEvil, {{kEvil}, {kEvil, true}}, {{kEvil, kEvil}});
  }));
  expect_harmless(made([](Html& html) { html.open_details(kEvil); }));
}

TEST(Html, WritesJsonThatNoPageTakesForMarkup) {
  EXPECT_EQ(json_text("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json_text("<b>&'"), R"("\u003cb\u003e\u0026\u0027")");
  EXPECT_EQ(json_text("Zürich"), "\"Zürich\"");
  EXPECT_EQ(json_text(std::string("a\nb\0c", 5)).find_first_of(std::string("\n\0", 2)),
            std::string::npos);
  expect_harmless(json_text(kEvil));
}

TEST(Html, PutsNumbersAtTheRightAndNamesRows) {
  Html html;
  html.table("t", {{"name"}, {"value", true}}, {{"a", "1"}});
  EXPECT_NE(html.text().find("<th scope=\"col\" class=\"number\">value</th>"), std::string::npos);
  EXPECT_NE(html.text().find("<th scope=\"row\">a</th><td class=\"number\">1</td>"),
            std::string::npos);
}

}  // namespace html_test
}  // namespace mercer::page::detail
