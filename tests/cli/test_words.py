"""What the program says about itself, and how much of it."""

import json
import time

from program import needs, says


def test_help_answers(mercer):
    start = time.monotonic()
    text = mercer("--help").text
    print(f"mercer --help takes {1000 * (time.monotonic() - start):.0f} ms")
    for command in ("fit", "transform", "inverse", "info", "plan", "convert", "data", "list", "explain"):
        assert command in text, f"no {command} in the help"
        assert "--json" in mercer(command, "--help").text, command
    assert mercer("--version").text.startswith("mercer ")


def test_list_shows_the_catalogues(mercer):
    value = mercer("list", "--json").json
    needs(value, "schema", "kernels", "methods", "operators", "solvers", "formats", "data")
    assert {"linear", "polynomial", "gaussian", "sigmoid"} <= {entry["name"] for entry in value["kernels"]}
    assert {"kernel_pca", "pca"} <= {entry["name"] for entry in value["methods"]}
    assert {"csv", "npy"} <= {entry["name"] for entry in value["formats"]}
    text = mercer("list").text
    for catalogue in ("kernels", "methods", "operators", "solvers", "formats", "data"):
        assert catalogue in text
        one = mercer("list", catalogue, "--json").json
        assert set(one) == {"schema", catalogue} and one[catalogue] == value[catalogue]
        assert all(entry["name"] in text for entry in one[catalogue])
    assert "exp(-|x-y|^2/(2*sigma^2))" in mercer("list", "kernels").text


def test_explain_knows_every_code(mercer):
    codes = mercer("explain", "--json").json["codes"]
    assert len(codes) > 60
    for entry in codes:
        needs(entry, "code", "name", "summary", "text")
    assert mercer("explain", "m204").text.startswith("M204: text in a numeric column\n")
    value = mercer("explain", "M204", "--json").json
    assert value["exit_status"] == 3 and value["schema"] == 1
    assert "exit_status" not in mercer("explain", "W233", "--json").json
    statuses = {entry["code"]: entry.get("exit_status") for entry in codes}
    wanted = {"M000": 1, "M001": 130, "M101": 2, "M212": 3, "M401": 4, "M301": 5, "M600": 6, "M701": 7}
    assert {code: statuses[code] for code in wanted} == wanted, statuses


def test_quiet_says_nothing_but_warnings(mercer):
    mercer.write("t.csv", "1,2\n2,4\n3,6\n5,10\n")
    result = mercer("fit", "t.csv", "--quiet")
    assert result.out == b"" and result.err == "", result.err
    result = mercer("fit", "t.csv", "--quiet", "--method", "pca", "--components", "2")
    assert result.err.startswith("warning[W233]") and result.err.count("\n") == 1, result.err
    assert mercer("transform", "t.mercer", "t.csv", "--quiet").err == ""
    assert mercer("fit", "no.csv", "--quiet", status=4).err.startswith("error[M401]")


def test_progress_as_json_lines(mercer):
    mercer("data", "blobs", "-n", "30000", "-o", "b.csv")
    result = mercer("fit", "b.csv", "--quiet", "--progress", "json", "--operator", "blocked_gram")
    lines = [json.loads(line) for line in result.err.split("\n") if line]
    assert lines, "no progress"
    for line in lines:
        needs(line, "phase", "done", "seconds")
        assert 0 <= line["done"] <= 1, line
    passes = [line for line in lines if line["phase"] == "pass"]
    assert passes, "no pass"
    for line in passes:
        needs(line, "pass", "wanted", "converged")
        assert line["pass"] >= 1 and 0 <= line["converged"] <= line["wanted"] == 2, line
    assert mercer("fit", "b.csv", "--quiet", "--progress", "none").err == ""


def test_warnings_stand_in_text_json_and_model(mercer):
    mercer.write("t.csv", "x,x\n1,2\n2,4\n3,6\n5,10\n")
    result = mercer("fit", "t.csv", "--json", "--method", "pca", "--components", "2")
    says(result, "warning[W210]", "warning[W233]")
    assert {warning["code"] for warning in result.json["warnings"]} == {"W210", "W233"}
    assert all(set(warning) == {"code", "message"} for warning in result.json["warnings"])
    assert [warning["code"] for warning in mercer("info", "t.mercer", "--json").json["warnings"]] == ["W233"]


def test_options_have_hyphens_and_may_be_written_with_underscores(mercer):
    for method in ("kernel_pca", "pls", "pcr", "mds", "metric_mds", "ppca", "factor_analysis", "ica", "pca"):
        text = mercer("fit", "--method", method, "--help").text
        options = [word.rstrip(",") for word in text.split() if word.startswith("--")]
        assert not [option for option in options if "_" in option], (method, options)
    assert "--fold-type" in mercer("fit", "--method", "pls", "--help").text
    mercer.write("t.csv", "a,b,y\n1,2,3\n2,1,5\n4,4,1\n3,7,2\n5,5,9\n")
    fit = ["fit", "t.csv", "--method", "pls", "--target", "y", "--components", "1", "--folds", "2", "--json"]
    known = mercer(*fit, "--fold-type", "consecutive").json
    for spelt in (["--fold_type", "consecutive"], ["--fold_type=consecutive"]):
        assert mercer(*fit, *spelt).json["options"] == known["options"]
    assert known["options"]["fold-type"] == "consecutive"
    assert mercer(*fit, "--scale_targets").json["options"]["scale-targets"] is True
    says(mercer(*fit, "--fold_kind", "x", status=2), "error[M101]", '"--fold_kind"')


def test_wrong_components_tell_what_the_method_takes(mercer):
    mercer.write("t.csv", "a,b,y\n1,2,3\n2,1,5\n4,4,1\n")
    for method, told in (("pls", "auto: by cross-validation"), ("ppca", "auto:RULE"), ("pca", "auto:RULE"),
                         ("factor_analysis", "auto:RULE with parallel"), ("metric_mds", "takes a count")):
        result = mercer("fit", "t.csv", "--method", method, "--components", "many", status=2)
        says(result, "error[M102]", "components = many: not a number", "--components takes", told)
    refused = mercer("fit", "t.csv", "--method", "kernel_pca", "--components", "many", status=2)
    assert "auto" not in refused.err


def test_a_start_that_nothing_begins_from_is_refused(mercer):
    mercer.write("t.csv", "a,b,y\n1,2,3\n2,1,5\n4,4,1\n3,7,2\n5,5,9\n")
    mercer("fit", "t.csv", "--method", "pca", "--components", "1", "-o", "m.mercer")
    for method in ("pls", "pcr", "factor_analysis"):
        says(mercer("fit", "t.csv", "--method", method, "--start", "m.mercer", status=2), "error[M102]",
             f"method {method} has no use for a start", "kernel_pca", "metric_mds", "pca")
    says(mercer("fit", "t.csv", "--method", "ppca", "--components", "1", "--algorithm", "em", "--start", "m.mercer", status=2),
         "error[M102]", "EM makes its own")
    mercer("fit", "t.csv", "--method", "pca", "--components", "1", "--start", "m.mercer", "-o", "n.mercer")


def test_values_that_cannot_be_are_named_with_what_can(mercer):
    mercer("data", "blobs", "-n", "40", "-o", "b.csv")
    for words, *expected in (("--memory=0", "M108", "too little", "64M"), ("--device=npu", "M102", "write auto or cpu"),
                             ("--draw=PC2", "M102", "--draw takes no value", "write --draw alone"),
                             ("--memory=", "M110", "--memory has no value"), ("--time=", "M110", "--time has no value"),
                             ("--scores=s", "M412", "end the name in one of .csv"),
                             ("--components=1.0", "M102", "one component, or the whole variance?", "or all"),
                             ("--kernel=gaussian:sigma=wide", "M105", "sigma=0.5*median")):
        status = 4 if expected[0] == "M412" else 2
        says(mercer("fit", "b.csv", words, status=status), *expected)
    assert "did you mean" not in mercer("fit", "b.csv", "--memory", "0", status=2).err
    assert "format the" not in mercer("fit", "b.csv", "--scores", "s", status=4).err  # there is no such option
    for device in ("gpu", "cuda"):
        says(mercer("fit", "b.csv", "--device", device, status=8), "error[M801]", f"--device {device}: this build has no code",
             "computes on the CPU")
    says(mercer("fit", "b.csv", "--draw=PC2,PC3", status=2), "error[M102]: --draw takes no value", "fix: write --draw alone")


def test_empty_values_are_errors_that_name_the_option(mercer):
    mercer("data", "blobs", "-n", "40", "-o", "b.csv")
    mercer("fit", "b.csv", "-o", "m.mercer")
    before = mercer.files()
    for command in (["fit", "b.csv"], ["plan", "b.csv"]):
        for option in ("--memory", "--time", "-o", "--scores", "--start", "--label", "--operator", "--kernel", "--columns",
                       "--checkpoint", "--method", "--components"):
            for words in ([option, ""], [option + "="]) if option.startswith("--") else ([option, ""],):
                said = mercer(*command, *words, status=2).err
                name = "--output" if option == "-o" else option
                assert f"error[M110]: {name} has no value" in said, said
    says(mercer("transform", "m.mercer", "b.csv", "-o", "", status=2), "error[M110]: --output has no value")
    says(mercer("fit", "", status=2), "error[M110]: TABLE has no value", "variable of the shell")
    says(mercer("data", "", status=2), "error[M110]: NAME has no value")
    assert mercer.files() == before, "something was written"


def test_one_is_not_many(mercer):
    mercer.write("one.csv", "a,kind\n1,x\n2,x\n4,x\n")
    says(mercer("fit", "one.csv"), "3 × 1 (csv), 1 class in")
    assert "1 class in" in mercer("info", "one.mercer").text and "3 rows × 1 column, from" in mercer("info", "one.mercer").text
    mercer.write("wide.csv", "1,2\n3,4\n")
    says(mercer("transform", "one.mercer", "wide.csv", "--header", "no", status=7), "expects 1 column, got 2")


def test_shares_say_what_they_are_of(mercer):
    mercer("data", "blobs", "-n", "60", "-o", "b.csv")
    plate = ["fit", "b.csv", "--kernel", "thin_plate_spline", "--nullspace", "constant", "--components", "3"]
    mercer(*plate)
    told, value = mercer("info", "b.mercer").text, mercer("info", "b.mercer", "--json").json
    assert value["negative_share"] > 0.01 and value["total"] > value["trace"] + 1e-3
    line = [line for line in told.split("\n") if line.startswith("Variance")][0]
    assert f"of {value['total'] / 60:.6g}, the sum of all |eigenvalues| / n (trace / n: {value['trace'] / 60:.6g})" in line, line
    mercer(*plate, "--indefinite", "shift")
    assert "the sum of all eigenvalues, raised, / n" in mercer("info", "b.mercer").text
    mercer("fit", "b.csv")
    value = mercer("info", "b.mercer", "--json").json
    assert f" of {value['trace'] / 60:.6g}   " in mercer("info", "b.mercer").text


def test_fewer_components_for_an_expansion_are_no_rank(mercer):
    mercer("data", "blobs", "-n", "60", "-o", "b.csv")
    fit = ["fit", "b.csv", "--kernel", "gaussian:sigma=20", "--components", "20"]
    rough, exact = (mercer(*fit, "--operator", name, "--json") for name in ("fast_gauss", "blocked_gram"))
    few = rough.json["components"]
    assert few < exact.json["components"], "the expansion is as good as the matrix here"
    said = [warning["message"] for warning in rough.json["warnings"] if warning["code"] == "W233"][0]
    assert "rank" not in said and f"those after {few} are smaller than what fast_gauss is exact to" in said, said
    assert "--operator blocked_gram or a smaller --tolerance" in said, said
    assert mercer(*fit, "--operator", "fast_gauss", "--tolerance", "1e-9", "--json").json["components"] > few
    mercer.write("low.csv", "1,2\n2,4\n3,6\n5,10\n")
    said = mercer("fit", "low.csv", "--method", "pca", "--components", "2", "--json").json["warnings"]
    assert "the numerical rank is 1: 1 kept" in said[-1]["message"], said


def test_a_file_that_is_no_model_is_not_replaced_by_one(mercer):
    mercer("data", "blobs", "-n", "40", "-o", "b.csv")
    mercer("data", "blobs", "-n", "40", "-o", "precious.csv")
    before = mercer.read("precious.csv")
    says(mercer("fit", "b.csv", "-o", "precious.csv", status=4), "error[M409]", "precious.csv", "--force")
    assert mercer.read("precious.csv") == before
    mercer("fit", "b.csv", "-o", "precious.csv", "--force")
    mercer("fit", "b.csv", "-o", "precious.csv")  # a model now


def test_widths_are_written_as_people_think_of_them(mercer):
    mercer("data", "blobs", "-n", "60", "-o", "b.csv")
    widths = {}
    for rule in ("median", "0.5*median", "median/2", "nearest", "2*nearest"):
        done = mercer("fit", "b.csv", "--kernel", f"gaussian:sigma={rule}", "--force")
        widths[rule] = json.loads(mercer("info", "b.mercer", "--json").out)["kernel"]["parameters"]["sigma"]
        says(done, "sigma = ", "nearest rows" if "nearest" in rule else "median distance")
    assert widths["0.5*median"] == widths["median/2"] == widths["median"] / 2
    assert widths["2*nearest"] == 2 * widths["nearest"] < widths["median"]


def test_all_components_of_too_many_rows_say_what_they_would_take(mercer):
    mercer("data", "blobs", "-n", "46000", "-o", "b.npy")
    told = mercer("fit", "b.npy", "--components", "all", "--kernel", "exponential", status=5)
    says(told, "error[M301]: all eigenvalues are needed for that, by a matrix of 15.8 GiB", "45 000 rows", "--components 50")
    assert len(told.err) < 600, told.err


def test_a_share_without_room_names_the_share_that_a_count_has(mercer):
    mercer("data", "digits", "-o", "d.csv")
    told = mercer("fit", "d.csv", "--components", "0.99", "--memory", "24M", status=5)
    says(told, "error[M301]: the leading 32 components have 82.3 % of the variance", "for a share of 0.99", "--memory", "--components 32")
