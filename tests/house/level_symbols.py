"""Runs check_level_symbols.py over the objects that were compiled once per CPU level."""
import subprocess
import sys
from pathlib import Path


def main():
    check, build = sys.argv[1], Path(sys.argv[2])
    failed = found = 0
    for level in ("baseline", "v3", "v4"):
        objects = sorted(build.rglob(f"*_levels_{level}.cpp.o"))
        for path in objects:
            found += 1
            failed += subprocess.run([sys.executable, check, level, str(path)], check=False).returncode != 0
    if found == 0:
        print("no objects found")
        return 1
    print(f"{found - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
