"""Uses the installed kernel in the front ends that people use.

    python3 run.py [lab] [notebook] [console] [nbconvert] [papermill]

Without an argument all of them. The kernel must be known to Jupyter (gonterp kernel
install). Screenshots are left in .gonterp/frontend/shots. What cannot be run is
skipped with the reason; with CI=true that is a failure.
"""
import os
import pathlib
import shutil
import sys
import tempfile
import time

import batch
import browser
import terminal
import tools

STEPS = {
    "lab": browser.lab,
    "notebook": browser.notebook,
    "console": terminal.console,
    "nbconvert": batch.nbconvert,
    "papermill": batch.papermill,
}


def main(names):
    for name in names:
        if name not in STEPS:
            sys.exit(f"{name}: no such front end; there are {', '.join(STEPS)}")
    bad = skipped = 0
    for name in names or STEPS:
        began = time.time()
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"gonterp-{name}-"))
        try:
            ok = STEPS[name](folder)
            bad += not ok
            print("ok  " if ok else "FAIL", f"{name} ({time.time() - began:.0f} s)", flush=True)
        except tools.Missing as e:
            skipped += 1
            print("skip", f"{name}: {e}", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return bad or (skipped and os.environ.get("CI") == "true")


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
