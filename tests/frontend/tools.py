"""What the front ends' tests run on, at pinned versions, kept in one folder.

The folder is .gonterp/frontend of the checkout; it can be deleted at any time.
"""
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / ".gonterp/frontend"

PYTHON = [
    "jupyterlab==4.6.6",
    "notebook==7.6.5",
    "jupyter-console==6.6.3",
    "nbconvert==7.17.2",
    "papermill==2.7.0",
]
NODE = ["playwright-core==1.65.1"]


class Missing(Exception):
    """Something that is not on this machine and could not be brought."""


def executable(name, package):
    """A program's path. The message of what is missing says what to type."""
    path = shutil.which(name)
    if not path:
        raise Missing(f"{name} is not installed: apt-get install {package}")
    return path


def bring(folder, wanted, commands, what):
    """Runs the commands that fill a folder, unless it holds exactly what is wanted."""
    stamp = folder / "installed.txt"
    if stamp.exists() and stamp.read_text().split() == wanted:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for command in commands:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Missing(f"{what} could not be installed: {' '.join(map(str, command))}\n{done.stdout[-2000:]}")
    stamp.write_text("\n".join(wanted) + "\n")
    return folder


@functools.cache
def jupyter():
    """The folder of the programs of a virtual environment with every Jupyter front end,
    where the kernel is known."""
    venv = WORK / "venv"
    python = venv / "bin/python"
    bring(venv, PYTHON, [
        [sys.executable, "-m", "venv", venv],
        [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PYTHON],
    ], "Jupyter's front ends")
    known = subprocess.run([venv / "bin/jupyter", "kernelspec", "list", "--json"], stdout=subprocess.PIPE, check=True).stdout
    if "gonterp" not in json.loads(known)["kernelspecs"]:
        sys.exit("Jupyter knows no kernel gonterp: gonterp kernel install")
    return venv / "bin"


def playwright():
    """The folder of node modules that drives a browser."""
    npm = executable("npm", "npm")
    packages = [p.replace("==", "@") for p in NODE]
    return bring(WORK / "node", NODE, [
        [npm, "install", "--no-audit", "--no-fund", "--silent", "--prefix", WORK / "node", *packages],
    ], "playwright-core") / "node_modules"


def environment(folder):
    """The environment of a front end: the kernels that are installed, and nothing that
    a person has configured."""
    env = dict(os.environ, GOMP_SPINCOUNT="0", PYTHONWARNINGS="ignore")
    for name in ("config", "runtime", "settings", "workspaces", "ipython"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    env.update(
        JUPYTER_CONFIG_DIR=str(folder / "config"),
        JUPYTER_RUNTIME_DIR=str(folder / "runtime"),
        JUPYTERLAB_SETTINGS_DIR=str(folder / "settings"),
        JUPYTERLAB_WORKSPACES_DIR=str(folder / "workspaces"),
        IPYTHONDIR=str(folder / "ipython"),
        JUPYTER_PLATFORM_DIRS="1",
    )
    return env
