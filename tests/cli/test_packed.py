"""Tables as other programs pack them: sparse matrices of SciPy, xz and bzip2."""

import bz2
import io
import lzma
import struct
import zipfile

from program import close, numbers, says


def array(values, descr, code, shape=None):
    """An NPY file of the values; a single one without extents where the shape is ()."""
    shape = (len(values),) if shape is None else shape
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    body = values if isinstance(values, bytes) else struct.pack(f"<{len(values)}{code}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + body


def archive(**members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for name, member in members.items():
            file.writestr(name + ".npy", member)
    return content.getvalue()


def saved(form, shape, data, **places):
    """As scipy.sparse.save_npz writes it; SciPy spells the format in bytes."""
    return archive(**{name: array(values, "<i4", "i") for name, values in places.items()},
                   format=array(form.encode(), f"|S{len(form)}", "s", ()), shape=array(shape, "<i8", "q"),
                   data=array(data, "<f8", "d"))


ROWS = [[0, 1.5, 0, 2], [0, 0, 0, 0], [3, 0, -1, 0]]
CSR = {"indices": [1, 3, 0, 2], "indptr": [0, 2, 2, 4]}


def test_sparse_matrices_of_scipy_stay_sparse(mercer):
    mercer.write("r.npz", saved("csr", [3, 4], [1.5, 2, 3, -1], **CSR))
    mercer.write("c.npz", saved("csc", [3, 4], [3, 1.5, -1, 2], indices=[2, 0, 2, 0], indptr=[0, 1, 2, 3, 4]))
    mercer.write("o.npz", saved("coo", [3, 4], [2, 1, 3, -1, 0.5], row=[0, 0, 2, 2, 0], col=[3, 1, 0, 2, 1]))
    for name in ("r", "c", "o"):
        told = mercer("convert", name + ".npz", name + ".csv")
        says(told, "a sparse matrix of SciPy", "sparse: 4 non-zeros")
        close(numbers(mercer.read(name + ".csv").decode(), header=False), ROWS, 0)
    says(mercer("convert", "o.npz", "--sniff"), "1 entries of places that occur before were added up")
    mercer("fit", "r.npz", "--kernel", "linear", "--components", "1", "-o", "m.mercer")
    mercer.write("dense.csv", "".join(",".join(str(x) for x in row) + "\n" for row in ROWS))
    close(numbers(mercer("transform", "m.mercer", "r.npz").text),
          numbers(mercer("transform", "m.mercer", "dense.csv", "--header", "no").text), 1e-12)


def test_broken_sparse_matrices_are_refused(mercer):
    good = {"form": "csr", "shape": [3, 4], "data": [1.5, 2, 3, -1], **CSR}
    for change, *words in (
            ({"indices": [1, 4, 0, 2]}, "indices", "below 4"), ({"indices": [1, -1, 0, 2]}, "-1"),
            ({"indptr": [0, 2, 4]}, "indptr"), ({"indptr": [0, 3, 2, 4]}, "indptr"), ({"indptr": [1, 2, 2, 4]}, "indptr"),
            ({"indptr": [0, 2, 2, 5]}, "indptr"), ({"data": [1, 2]}, "places"), ({"shape": [3]}, "shape"),
            ({"form": "bsr"}, "bsr", "csr"), ({"shape": [-3, 4]}, "shape")):
        parts = {**good, **change}
        mercer.write("b.npz", saved(parts["form"], parts["shape"], parts["data"], indices=parts["indices"],
                                    indptr=parts["indptr"]))
        says(mercer("convert", "b.npz", "--sniff", status=4), "M427", *words)
    mercer.write("b.npz", archive(format=array(b"csr", "|S3", "s", ()), shape=array([3, 4], "<i8", "q"),
                                  data=array([1.0], "<f8", "d")))
    says(mercer("convert", "b.npz", "--sniff", status=4), "M427", "lacks array indices")
    mercer.write("b.npz", saved("csr", [0, 4], [], indices=[], indptr=[0]))
    says(mercer("convert", "b.npz", "--sniff", status=3), "M202")
    mercer.write("b.npz", saved("coo", [1 << 40, 4], [1], row=[0], col=[0]))
    says(mercer("convert", "b.npz", "--sniff", "--memory", "100M", status=5), "M301")


def test_xz_and_bzip2_are_read(mercer):
    mercer("data", "digits", "-n", "200", "-o", "d.csv")
    plain = mercer.read("d.csv")
    half = plain.index(b"\n", len(plain) // 2) + 1
    for ending, pack in (("xz", lzma.compress), ("bz2", bz2.compress)):
        mercer.write("d.csv." + ending, pack(plain))
        assert mercer("convert", "d.csv." + ending, "-").out == plain
        assert mercer("convert", "-", "-", stdin=pack(plain)).out == plain, "from standard input"
        mercer.write("parts", pack(plain[:half]) + pack(plain[half:]))
        assert mercer("convert", "parts", "-").out == plain, "streams one after the other"
        mercer("fit", "d.csv." + ending, "--quiet", "--force")
        assert "d.mercer" in mercer.files()
        for name, content in (("short", pack(plain)[:-100]), ("bad", pack(plain)[:300] + b"?" + pack(plain)[301:])):
            mercer.write(name, content)
            says(mercer("convert", name, "-", status=4), "M407")
        mercer.write("bomb", pack(b"1,2\n" * 5_000_000))
        says(mercer("convert", "bomb", "--sniff", status=4), "M408")
        says(mercer("convert", "d.csv", "e.csv." + ending, status=4), "M412", ".gz or .zst")


def test_a_large_dictionary_is_counted(mercer):
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 96 << 20}]
    mercer.write("d.csv.xz", lzma.compress(b"a,b\n1,2\n3,4\n", format=lzma.FORMAT_XZ, filters=filters))
    says(mercer("convert", "d.csv.xz", "-", "--memory", "100M", status=5), "M301", "xz -6")
    assert mercer("convert", "d.csv.xz", "-", "--memory", "400M").text == "a,b\n1,2\n3,4\n"
