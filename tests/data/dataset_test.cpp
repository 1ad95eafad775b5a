// What a data set takes is counted for as long as its numbers live; labels are made one by one.
#include "mercer/data/dataset.h"

#include <gtest/gtest.h>

namespace mercer {
namespace dataset_test {

Dataset some_data() {
  Dataset data(Points(Points::Ones(10, 4)));
  data.column_names = {"a", "b", "c", "a name that does not fit into the object itself"};
  data.labels = Labels::from_texts("class", std::vector<std::string>(10, "one"));
  return data;
}

TEST(Dataset, CountsItsNumbersAndNamesUntilTheLastCopyIsGone) {
  Context context;
  context.budget.memory = 100'000;
  context.account = MemoryAccount(context.budget.memory);
  {
    Dataset copy;
    {
      Dataset data = some_data();
      EXPECT_EQ(data.held_bytes(), 0u);
      data.hold(context);
      EXPECT_GE(data.held_bytes(), 10 * 4 * 8 + 4 * sizeof(std::string) + 40 + 10 * sizeof(Index));
      EXPECT_LT(data.held_bytes(), 1000u);
      EXPECT_EQ(context.account->held(), data.held_bytes());
      data.hold(context);  // does not count twice
      EXPECT_EQ(context.account->held(), data.held_bytes());
      copy = data;
    }
    EXPECT_EQ(context.account->held(), copy.held_bytes());
    EXPECT_EQ(copy.rows({0}).held_bytes(), 0u);
  }
  EXPECT_EQ(context.account->held(), 0u);
}

TEST(Dataset, RefusesToBeCountedWhereThereIsNoRoom) {
  Context context;
  context.budget.memory = 300;
  Dataset data = some_data();
  EXPECT_THROW(data.hold(context), Error);
  EXPECT_EQ(data.held_bytes(), 0u);
}

TEST(LabelMaker, NumbersClassesInOrderOfAppearance) {
  LabelMaker maker("class");
  for (const char* text : {"b", "a", "b", "", "a"}) maker.add(text);
  EXPECT_GT(maker.bytes(), 3 * sizeof(std::string));
  const Labels labels = maker.take();
  EXPECT_EQ(labels.name, "class");
  EXPECT_EQ(labels.classes, (std::vector<std::string>{"b", "a", ""}));
  EXPECT_EQ(labels.of_row, (std::vector<Index>{0, 1, 0, 2, 1}));
}

}  // namespace dataset_test
}  // namespace mercer
