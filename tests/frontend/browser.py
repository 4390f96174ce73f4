"""JupyterLab and Notebook 7, in headless Chromium."""
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request

import tools

TUTORIAL = tools.ROOT / "notebooks/first_light.ipynb"
SHOTS = tools.WORK / "shots"


def lab(folder):
    return work("lab", folder, "lab/tree/{}?reset")


def notebook(folder):
    return work("notebook", folder, "notebooks/{}")


def work(front, folder, page):
    node = tools.executable("node", "nodejs")
    chromium = tools.executable("chromium", "chromium")
    modules, jupyter = tools.playwright(), tools.jupyter()
    documents = folder / "documents"
    documents.mkdir()
    shutil.copy(TUTORIAL, documents)
    quiet(folder / "settings")
    with open(folder / "server.log", "w") as log:
        port, server = serve(jupyter, folder, log)
        try:
            done = subprocess.run(
                [node, tools.ROOT / "tests/frontend/browser.mjs", front, f"http://127.0.0.1:{port}/" + page.format(TUTORIAL.name), SHOTS],
                env=dict(os.environ, NODE_PATH=str(modules), CHROMIUM=chromium),
            )
        finally:
            server.terminate()
            server.wait(30)
    ok = done.returncode == 0 and saved(documents / TUTORIAL.name)
    if not ok:
        print((folder / "server.log").read_text()[-4000:])
    return ok


def quiet(settings):
    """No questions about news, which would lie over the page."""
    path = settings / "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))


def serve(jupyter, folder, log):
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    server = subprocess.Popen(
        [jupyter / "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0",
         "--IdentityProvider.token=", "--expose-app-in-browser", "--JupyterNotebookApp.expose_app_in_browser=True",
         f"--ServerApp.root_dir={folder / 'documents'}"],
        env=tools.environment(folder), stdout=log, stderr=log,
    )
    end = time.time() + 90
    while time.time() < end and server.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=5)
            return port, server
        except OSError:
            time.sleep(0.2)
    server.kill()
    raise RuntimeError(f"jupyter lab does not start:\n{(folder / 'server.log').read_text()[-4000:]}")


def saved(path):
    """The file on disk has what was seen."""
    cells = json.loads(path.read_text())["cells"]
    pictures = sum("image/png" in o.get("data", {}) for c in cells for o in c.get("outputs", []))
    print("ok  " if pictures else "FAIL", f"the saved notebook has its pictures: {pictures}")
    return pictures > 0
