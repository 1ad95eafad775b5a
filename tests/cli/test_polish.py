"""Messages that send a first user the right way: each was once silent, wrong or of no help."""

import shlex

from program import says


def codes(value):
    return [warning["code"] for warning in value["warnings"]]


def unit_rows(count):
    """Rows of the identity matrix: all eigenvalues are equal, which takes more memory than allowed to prove."""
    return "".join(",".join("1" if i == j else "0" for j in range(count)) + "\n" for i in range(count))


def flat_model(mercer):
    mercer.write("flat.csv", unit_rows(300))
    mercer("fit", "flat.csv", "--method", "pca", "--components", "3", "--memory", "3M", status=6)
    return "flat.mercer"


def test_results_of_an_unproven_model_repeat_its_warning(mercer):
    model = flat_model(mercer)
    result = mercer("transform", model, "flat.csv", "-o", "scores.csv", "--quiet")
    assert result.err.startswith("warning[W601]: when the model was fitted: "), result.err
    assert result.err.count("\n") == 1, result.err
    assert codes(mercer("transform", model, "flat.csv", "--json").json) == ["W601"]
    says(mercer("inverse", model, "scores.csv", "-o", "back.csv"), "warning[W601]: when the model was fitted: ")
    value = mercer("inverse", model, "scores.csv", "--json").json
    assert codes(value) == ["W601"] and set(value["warnings"][0]) == {"code", "message"}, value["warnings"]


def test_results_of_an_inexact_model_repeat_its_warning(mercer):
    mercer("data", "blobs", "-n", "600", "--dim", "550", "--classes", "1", "--noise", "1", "-o", "b.csv")
    fit = mercer("fit", "b.csv", "--method", "pca", "--components", "20", "--solver", "block_krylov", "--tolerance",
                 "1e-14", "--json", status=6).json
    assert "W600" in codes(fit), codes(fit)
    result = mercer("transform", "b.mercer", "b.csv", "--json")
    assert "W600" in codes(result.json), result.json["warnings"]
    says(result, "warning[W600]: when the model was fitted: residuals reach")


def test_results_of_a_good_model_have_no_warning(mercer):
    mercer.write("t.csv", "x,y\n1,2\n2,4\n3,6\n5,10\n")
    says(mercer("fit", "t.csv", "--method", "pca", "--components", "2"), "warning[W233]")
    result = mercer("transform", "t.mercer", "t.csv", "--json", "--quiet")
    assert result.json["warnings"] == [] and result.err == "", result.err


def test_warnings_of_reading_stand_in_the_json_of_transform(mercer):
    mercer.write("t.csv", "x,x\n1,2\n2,4\n3,6\n5,11\n")
    mercer("fit", "t.csv", "--method", "pca")
    assert codes(mercer("transform", "t.mercer", "t.csv", "--json").json) == ["W210"]


def test_memory_help_tells_what_comes_on_top(mercer):
    for command in ("fit", "plan", "transform"):
        words = " ".join(mercer(command, "--help").text.split())
        assert "the program itself, about 12 MB, comes on top" in words, command


SCENARIO = 'data = "swiss_roll"\nn = 200\neigenvalue_error = 1e-6\n'


def bench(mercer, *args):
    mercer.write("s.toml", SCENARIO)
    return mercer("bench", "s.toml", "--quiet", *args)


def test_bench_claims_only_what_it_checked(mercer):
    text = bench(mercer, "--runs", "2", "--no-check").text
    assert text.rstrip().endswith("tolerance kept, eigenvalues not checked"), text
    assert bench(mercer, "--runs", "2").text.rstrip().endswith(" kept")
    unchecked, checked = (bench(mercer, "--json", *args).json[0] for args in (["--no-check"], []))
    assert unchecked["checked"] is False and unchecked["eigenvalue_error"] is None, unchecked
    assert checked["checked"] is True and checked["kept"] and checked["eigenvalue_error"] <= 1e-6, checked
    mercer.write("s.toml", SCENARIO.replace("eigenvalue_error = 1e-6\n", ""))  # --no-check leaves nothing out here
    assert mercer("bench", "s.toml", "--no-check", "--json").json[0]["checked"] is True


def test_one_run_has_no_spread(mercer):
    assert "%" not in bench(mercer, "--runs", "1").text
    assert "%" in bench(mercer, "--runs", "3").text


def test_times_have_the_units_people_write(mercer):
    mercer("data", "moons", "-n", "50", "-o", "m.csv")
    for time in ("90000ms", "90s", "90 s", "2min", "2m", "1h", "1d", "90"):
        mercer("fit", "m.csv", "--time", time)
    says(mercer("fit", "m.csv", "--time", "5 moments", status=2), "error[M102]", "ms, s, min, h or d")
    mercer("data", "blobs", "-n", "9000", "--dim", "30", "-o", "b.csv")
    says(mercer("fit", "b.csv", "--time", "1ms", status=5), "error[M303]")


def test_a_plan_is_judged_by_the_time_allowed_not_stopped_by_it(mercer):
    mercer("data", "blobs", "-n", "9000", "--dim", "30", "-o", "b.csv")
    assert "may not finish in 1.0 ms" in mercer("plan", "b.csv", "--time", "1ms").text
    value = mercer("plan", "b.csv", "--time", "1ms", "--json").json
    assert [one["verdict"] for one in value["plan"]["candidates"] if one["chosen"]][0].endswith("1.0 ms"), value


def test_empty_names_are_not_the_planners_choice(mercer):
    mercer("data", "moons", "-n", "50", "-o", "m.csv")
    for command in ("fit", "plan"):
        for option in ("--solver", "--operator"):
            says(mercer(command, "m.csv", option, "", status=2), f"error[M110]: {option} has no value: it is empty")
        mercer(command, "m.csv", "--solver", "auto", "--operator", "auto")


def test_other_names_of_kernel_pca_lead_there(mercer):
    mercer("data", "moons", "-n", "50", "-o", "m.csv")
    for command in ("fit", "plan"):
        for name in ("kpca", "KPCA", "k-pca", "kernel-pca", "kernelpca", "kernel_pcs", "kern-PCA", "Kernel PCA"):
            result = mercer(command, "m.csv", "--method", name, status=2)
            says(result, "error[M112]", f'unknown method "{name}"', 'did you mean "kernel_pca"?')
        says(mercer(command, "m.csv", "--method", "pac", status=2), 'did you mean "pca"?')
        says(mercer(command, "no.csv", "--method", "kpca", status=2), "error[M112]")  # before the table is read
    mercer.write("s.toml", SCENARIO + 'method = "kpca"\n')
    says(mercer("bench", "s.toml", status=2), 'did you mean "kernel_pca"?')


def test_kernel_values_that_are_no_numbers(mercer):
    mercer("data", "moons", "-n", "50", "-o", "m.csv")
    result = mercer("fit", "m.csv", "--kernel", "gaussian:sigma=abc", status=2)
    says(result, 'error[M105]: gaussian:sigma=abc: "abc" is not a number', "such as gaussian:sigma=1",
         "sigma=median")
    assert "must be" not in result.err, result.err
    result = mercer("fit", "m.csv", "--kernel", "polynomial:degree=two", status=2)
    says(result, '"two" is not a number', "such as polynomial:degree=1")
    assert "median" not in result.err, result.err
    says(mercer("fit", "m.csv", "--kernel", "gaussian:sigma=-1", status=2), "sigma must be > 0")


def test_a_misspelt_kind_of_tolerance(mercer):
    result = mercer("fit", "m.csv", "--tolerance", "eigenvalue:1e-6", status=2)
    says(result, "error[M102]", '"eigenvalue" is not known', "did you mean --tolerance eigenvalues:1e-6?")
    for text in ("eigenvalues:x", "eigenvalue:x", "abc", "1e-6:"):
        says(mercer("fit", "m.csv", "--tolerance", text, status=2), "error[M102]", "such as --tolerance 1e-6")


def test_a_misspelt_label(mercer):
    mercer.write("t.csv", "width,Species\n1,a\n2,b\n4,b\n")
    for name in ("species", "Specis", "spcies"):
        says(mercer("fit", "t.csv", "--label", name, status=3), "error[M216]", 'did you mean "Species"?')
    says(mercer("fit", "t.csv", "--label", "flower", status=3), "error[M216]", "columns: width, Species")


def test_data_sets_refuse_options_that_change_nothing(mercer):
    for name, option, value in (("moons", "--dim", "5"), ("circles", "--classes", "3"), ("digits", "--noise", "0.1"),
                                ("digits", "--seed", "1"), ("grid", "--seed", "1"), ("s_curve", "--dim", "3")):
        result = mercer("data", name, option, value, "-o", "t.csv", status=2)
        says(result, f"error[M102]: {option} {value}: the data set {name} does not take it", f"{name} takes --rows")
        assert mercer.files() == [], "something was written"
    says(mercer("data", "moons", "--dim", "5", status=2), "moons takes --rows, --noise, --seed\n")
    says(mercer("data", "moons", "-n", "few", status=2), "error[M102]", "such as --rows 5")
    mercer("data", "blobs", "-n", "20", "--dim", "4", "--classes", "2", "--noise", "0.1", "--seed", "3")


def test_a_plan_takes_the_options_of_its_fit(mercer):
    mercer("data", "moons", "-n", "50", "-o", "m.csv")
    before = mercer.files()
    plain = mercer("plan", "m.csv").text
    for words in (["--reproducible"], ["--checkpoint", "c"], ["--resume", "c"], ["-o", "x.mercer"], ["--output", "m.csv"],
                  ["--scores", "s.csv"], ["--force"], ["--draw"], ["--explain"]):
        assert mercer("plan", "m.csv", *words).text == plain, words
    assert mercer.files() == before, "a plan wrote something"
    listed = [{option["flags"][-1] for option in mercer(command, "--help", "--json").json["options"]}
              for command in ("fit", "plan")]
    assert listed[1] <= listed[0] and "--reproducible" in listed[1], "an option of a plan that is none of its fit"
    assert listed[0] - listed[1] == {"--output", "--scores", "--cross-validate", "--checkpoint", "--resume", "--explain",
                                     "--force", "--draw"}, "options that change no plan are not listed"


def test_refused_operators_lead_to_the_plan(mercer):
    mercer("data", "moons", "-n", "50", "-o", "my moons.csv")
    for command in ("fit", "plan"):
        error = mercer(command, "my moons.csv", "--components", "3", "--operator=covariance", "--reproducible",
                       status=2).err
        assert "error[M102]: covariance cannot be used here: the kernel is not linear" in error, error
        assert "fix: drop --operator covariance, or see" in error, error
        words = shlex.split(error.split("others: ")[1].split("\n")[0])
        assert words == ["mercer", "plan", "my moons.csv", "--components", "3", "--reproducible"], words
        assert "the kernel is not linear" in mercer(*words[1:]).text
    both = mercer("fit", "my moons.csv", "--operator", "linear_gram", "--solver", "dense", status=2).err
    assert "drop --operator linear_gram and --solver dense, or see" in both and both.endswith(" moons.csv'\n"), both
    other = mercer("fit", "my moons.csv", "--operator", "covariance", "--tolerance", "2", status=2).err
    assert "error[M102]" in other and "mercer plan" not in other, "the operator is not at fault: " + other
    words = " ".join(mercer("explain", "M102").text.split())
    for part in ("--operator", "--solver", "mercer plan", "refused"):
        assert part in words, words


def test_commands_to_go_on_with_are_words_of_the_shell(mercer):
    mercer("data", "moons", "-n", "50", "-o", "m.csv")
    for name in ("plain-1.mercer", "my model.mercer", "it's.mercer", "$HOME;&(1).mercer", "-x.mercer"):
        said = mercer("fit", "m.csv", "--output=" + name).err
        line = [line for line in said.split("\n") if line.startswith("Next ")][0]
        plot, report, transform = (shlex.split(part) for part in line[4:].strip().split("    "))
        assert [plot[:2], report[:2]] == [["mercer", "plot"], ["mercer", "report"]], line
        assert transform[1] == "transform" and len(transform) == 4, line
        assert transform[2] == plot[2] == report[2] and plot[2].removeprefix("./") == name, line
        mercer(*plot[1:])
        mercer(*report[1:])
    assert "mercer plot plain-1.mercer    " in mercer("fit", "m.csv", "-o", "plain-1.mercer").err
    mercer("data", "moons", "-n", "50", "-o", "two words.csv")
    mercer.write("two words.mercer", "something else")
    says(mercer("fit", "two words.csv", status=4), "error[M409]", "mercer fit 'two words.csv' --force")


def test_an_interrupted_run_may_leave_a_checkpoint(mercer):
    words = " ".join(mercer("explain", "M001").text.split())
    assert "Nothing was written" not in words, words
    for part in ("written whole or not at all", "--checkpoint FILE", "goes on from it", "mercer info FILE"):
        assert part in words, words


def test_explanations_send_nobody_in_circles(mercer):
    memory = mercer("explain", "M301").text
    assert "The message says how much is needed" in memory and "with that much --memory, `mercer plan`" in memory
    device = mercer("explain", "M801").text
    assert "mercer plan" not in device and "mercer fit --help" in device, device
    assert "--device auto|cpu where to compute" in " ".join(mercer("fit", "--help").text.split())
    assert "no more than 1e-10 of their size" in mercer("explain", "W238").text
