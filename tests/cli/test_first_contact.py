"""What people who know another tool trip over first."""

FOUR = "1,2,0\n2,1,1\n4,4,0\n0,3,1\n"


def test_an_option_before_the_command_is_explained(mercer):
    assert 'error[M101]: "--json" stands before the command' in mercer("--json", "list", status=2).err
    assert "mercer list --foo" in mercer("--foo", "list", status=2).err


def test_help_is_a_command_too(mercer):
    assert mercer("help").text == mercer("--help").text
    assert mercer("help", "fit").text == mercer("fit", "--help").text


def test_a_code_may_be_given_by_its_number(mercer):
    assert mercer("explain", "204").text == mercer("explain", "M204").text


def test_the_last_of_repeated_options_counts(mercer):
    mercer.write("d.csv", "a,b,c\n" + FOUR)
    assert mercer("fit", "d.csv", "--components", "1", "--components", "2", "--json").json["components"] == 2


def test_row_names_stand_in_the_scores(mercer):
    mercer.write("d.csv", "name,a,b,kind\nr1,1,2,x\nr2,2,1,y\nr3,4,4,x\nr4,0,3,y\n")
    lines = mercer("fit", "d.csv", "--scores", "-").text.splitlines()
    assert lines[0] == "name,PC1,PC2,kind" and [line.split(",")[0] for line in lines[1:]] == ["r1", "r2", "r3", "r4"]
    again = mercer("transform", "d.mercer", "d.csv").text.splitlines()
    assert [line.split(",")[0] for line in again] == ["name", "r1", "r2", "r3", "r4"]


def test_a_target_column_is_no_measurement(mercer):
    mercer.write("d.csv", "a,b,target\n" + FOUR)
    result = mercer("fit", "d.csv", "--json")
    assert result.json["dim"] == 2 and result.json["labels"] == 2 and "--label none" in result.err
    none = mercer("fit", "d.csv", "--json", "--label", "none")
    assert none.json["dim"] == 2 and none.json["labels"] == 0
    assert '"target" is called as numbers to predict are: set aside   --target target, or --columns' in none.err, none.err
    assert mercer("fit", "d.csv", "--json", "--columns", "a-target").json["dim"] == 3


def test_transform_knows_the_label_column_of_the_fit(mercer):
    mercer.write("d.csv", "a,b,group\n" + FOUR)
    mercer("fit", "d.csv", "--label", "group", "--scores", "s.csv")
    assert mercer("transform", "d.mercer", "d.csv").text.splitlines()[0] == "PC1,PC2,group"
    one = mercer("transform", "d.mercer", "-", stdin=b"a,b,group\n1,2,0\n").text.splitlines()
    assert one[0] == "PC1,PC2,group" and one[1].endswith(",0")


def test_new_rows_are_not_filled_in_from_their_own_table(mercer):
    mercer.write("d.csv", "a,b,c\n" + FOUR)
    mercer("fit", "d.csv")
    assert "error[M102]" in mercer("transform", "d.mercer", "d.csv", "--missing", "mean", status=2).err


def test_a_saturated_kernel_is_not_called_equal_rows(mercer):
    mercer.write("d.csv", "a,b,c\n101,102,100\n102,101,101\n104,104,100\n100,103,101\n")
    error = mercer("fit", "d.csv", "--kernel", "sigmoid", status=3).err
    assert "error[M244]: the kernel is constant" in error and "smaller scale" in error


def test_a_kernel_model_says_that_it_has_no_inverse(mercer):
    mercer.write("d.csv", "a,b,c\n" + FOUR)
    mercer("fit", "d.csv")
    assert "error[M714]" in mercer("inverse", "d.mercer", "d.csv", status=7).err


def test_the_memory_that_is_suggested_suffices(mercer):
    mercer("data", "circles", "-n", "900", "-o", "d.csv")
    error = mercer("fit", "d.csv", "--memory", "1M", status=5).err
    amount = error.split("--memory ")[1].split(",")[0]
    mercer("fit", "d.csv", "--memory", amount)


def test_ordinary_float32_data_are_not_warned_about(mercer):
    mercer("data", "blobs", "-n", "50", "-o", "d.csv")
    mercer("convert", "d.csv", "d.npy")
    assert "W216" not in mercer("fit", "d.npy").err


def test_the_index_of_a_shuffled_table_is_no_measurement(mercer):
    mercer.write("d.csv", ",a,b\n7,1,2\n3,2,1\n0,4,4\n3,0,3\n12,1,1\n")
    fit = mercer("fit", "d.csv", "--json", "--scores", "s.csv")
    assert fit.json["columns"] == ["a", "b"] and "holds whole numbers: used as row names" in fit.err, fit.err
    lines = mercer.read("s.csv").decode().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["7", "3", "0", "3", "12"], lines
    assert mercer("fit", "d.csv", "--json", "--columns", "1-3").json["dim"] == 3
    # A column with a name of its own, or with fractions, is one.
    mercer.write("d.csv", "x,a,b\n7,1,2\n3,2,1\n0,4,4\n3,0,3\n")
    assert mercer("fit", "d.csv", "--json").json["dim"] == 3
    mercer.write("d.csv", ",a,b\n7.5,1,2\n3,2,1\n0,4,4\n3,0,3\n")
    assert mercer("fit", "d.csv", "--json").json["dim"] == 3
