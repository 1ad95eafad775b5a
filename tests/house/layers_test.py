"""The layer check must notice a breach: a copy of the project with one forbidden include is refused."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BREACHES = {
    "mercer/core/random.h": '#include "mercer/linalg/blas.h"\n',
    "mercer/solvers/signs.cpp": '#include "mercer/operators/recipe.h"\n',
    "mercer/operators/recipe.cpp": '#include "mercer/solvers/recipe.h"\n',
    "mercer/data/scale.cpp": '#include "mercer/io/json.h"\n',
    "mercer/io/table.cpp": '#include "mercer/models/kind/pca.h"\n',
    "apps/cli/main.cpp": '#include "mercer/models/detail/gram/fit.h"\n',
    "mercer/io/checkpoint.h": '#include "mercer/io/detail/descriptor.h"\n',
    "mercer/models/model.cpp": "#include <nlohmann/json.hpp>\n",
    "apps/cli/command/info.cpp": 'const bool special = method == "pca";\n',
}


def main():
    project = Path(sys.argv[1])
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for part in ("mercer", "apps"):
            shutil.copytree(project / part, copy / part)
        for name, line in BREACHES.items():
            path = copy / name
            before = path.read_text()
            path.write_text(line + before)
            result = subprocess.run([sys.executable, project / "tools/check_layers.py", copy], capture_output=True,
                                    text=True)
            path.write_text(before)
            noticed = result.returncode == 1 and name in result.stdout
            passed, failed = passed + noticed, failed + (not noticed)
            if not noticed:
                print(f"not noticed: {line.strip()} in {name}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
