"""Compiles one program and compares what the compiler says with the program's first line. usage: check.py PROGRAM COMPILER FLAGS..."""

import re
import subprocess
import sys


def main(program, *command):
    with open(program, encoding="utf-8") as file:
        wanted = file.readline().strip()
        second = file.readline().strip()
    flags = second.removeprefix("// flags: ").split() if second.startswith("// flags: ") else []
    result = subprocess.run(
        [*command, *flags, "-fsyntax-only", "-fdiagnostics-color=never", program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line for line in result.stderr.splitlines() if re.search(r"\berror: ", line)]
    if wanted == "// compiles":
        if result.returncode == 0:
            return 0
        print(f"{program} does not compile:\n{result.stderr}")
        return 1
    if not wanted.startswith("// says: "):
        print(f"{program}: the first line must be '// says: TEXT' or '// compiles'")
        return 1
    text = wanted.removeprefix("// says: ")
    if result.returncode == 0:
        print(f"{program} compiles; it should have been refused with: {text}")
        return 1
    if not any(text in line for line in errors):
        print(f"{program} is refused, but not with: {text}\n" + "\n".join(errors))
        return 1
    # The reader should not have to search for it.
    before = next(i for i, line in enumerate(errors) if text in line)
    errors_before_max = 1
    if before > errors_before_max:
        print(f"{program}: {before} errors come before the one that explains: {text}\n" + "\n".join(errors))
        return 1
    # Nor among what follows from it.
    errors_max = 5
    if len(errors) > errors_max:
        print(f"{program}: there are {len(errors)} errors beside the one that explains: {text}\n" + "\n".join(errors))
        return 1
    # All of it is to fit on a screen.
    lines_max = 45
    lines = result.stderr.count("\n")
    if lines > lines_max:
        print(f"{program}: the compiler says {lines} lines, not {lines_max} at most:\n{result.stderr}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
