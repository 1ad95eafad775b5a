"""Pictures of rows that are hard to draw: with gaps, counts, very many."""

import os

from test_plot import OF_IMAGES, kinds_of, whole_svg


def test_gaps_leave_no_number_that_is_none(mercer):
    """Rows with gaps are drawn where they have a place, and left out elsewhere; an image shows its gap."""
    mercer.write("gaps.csv", "a,b,c,d\n" + "".join(
        ",".join("" if (i + j) % 7 == 0 else str(round((i * 7 + j * j * 3) % 11 + 0.1 * i, 2)) for j in range(4)) + "\n"
        for i in range(30)))
    mercer("fit", "gaps.csv", "--method", "ppca", "--missing", "model")
    for kind in kinds_of(mercer, "gaps.mercer", "gaps.csv"):
        for name in ("a.svg", "a.png"):
            shape = ("--image-size", "2x2") if kind in OF_IMAGES else ()
            mercer("plot", "gaps.mercer", "gaps.csv", "--kind", kind, *shape, "-o", name, "--quiet")
        whole_svg(mercer.read("a.svg").decode())
    text = mercer("plot", "gaps.mercer", "gaps.csv", "--kind", "scatter", "--colour", "a", "-o", "-", "--quiet").text
    whole_svg(text)


def test_maps_of_kernels_without_negative_values_end_with_the_rows(mercer):
    mercer.write("counts.csv", "a,b,c\n" + "".join(f"{i % 5},{i * i % 7},{0 if i % 3 else 2}\n" for i in range(40)))
    for kernel in ("chi_squared", "additive_chi_squared", "chi_squared_similarity"):
        mercer("fit", "counts.csv", "--kernel", kernel, "-o", "counts.mercer")
        whole_svg(mercer("plot", "counts.mercer", "counts.csv", "--kind", "contour", "-o", "-", "--quiet").text)
    mercer("fit", "counts.csv", "-o", "counts.mercer")  # others go on beyond them
    text = mercer("plot", "counts.mercer", "counts.csv", "--kind", "contour", "--x", "c", "-o", "-", "--quiet").text
    assert ">0</text>" in text


def test_many_rows_are_an_image(mercer):
    mercer("data", "blobs", "-n", "200000", "-o", "many.npy")
    mercer("data", "blobs", "-n", "100", "-o", "few.csv")
    mercer("fit", "few.csv", "--method", "pca")
    for name, most in (("many.svg", 2_000_000), ("many.png", 2_000_000), ("many.pdf", 5_000_000)):
        mercer("plot", "few.mercer", "many.npy", "--kind", "scatter", "-o", name)
        assert os.path.getsize(mercer.path(name)) < most, name
