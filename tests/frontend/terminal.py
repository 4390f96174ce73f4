"""jupyter console, in a terminal that tmux keeps."""
import re
import shlex
import subprocess
import time

import tools


class Terminal:
    """A screen of 100 by 40 characters with one program."""

    def __init__(self, tmux, folder, command, env):
        self.tmux = [tmux, "-S", str(folder / "tmux"), "-f", "/dev/null"]
        words = ["env", "-i", *(f"{k}={v}" for k, v in env.items()), *command]
        self.run("new-session", "-d", "-x", "100", "-y", "40", shlex.join(map(str, words)))

    def run(self, *args):
        return subprocess.run([*self.tmux, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def type(self, text):
        self.run("send-keys", "-l", text)

    def press(self, key):
        self.run("send-keys", key)

    def screen(self):
        return self.run("capture-pane", "-p").stdout

    def shows(self, pattern, seconds=60):
        """Waits until the pattern is on the screen."""
        end = time.time() + seconds
        while time.time() < end:
            if re.search(pattern, self.screen(), re.M):
                return True
            time.sleep(0.2)
        return False

    def over(self, seconds=30):
        """Waits until the program has ended."""
        end = time.time() + seconds
        while time.time() < end:
            if self.run("has-session").returncode:
                return True
            time.sleep(0.2)
        return False

    def close(self):
        self.run("kill-server")


def console(folder):
    tmux = tools.executable("tmux", "tmux")
    env = tools.environment(folder)
    env["TERM"] = "screen-256color"
    term = Terminal(tmux, folder, [tools.jupyter() / "jupyter", "console", "--kernel", "gonterp"], env)
    ok = True

    def step(what, typed, wanted, key="Enter", seconds=60):
        nonlocal ok
        if typed:
            term.type(typed)
        if key:
            term.press(key)
        seen = term.shows(wanted, seconds)
        print("ok  " if seen else "FAIL", f"console: {what}", flush=True)
        if not seen:
            print(term.screen())
        ok = ok and seen

    try:
        step("starts and asks", "", r"^In \[1\]:", key=None)
        step("a value", "6*7", r"^Out\[1\]: 42$")
        step("a model", 'model := gonterp.Load("mini")', r"^In \[3\]:")
        step("an unfinished block goes on", "with model.Trace(\"When Mary and John\") {", r"^ +\.\.\.:")
        step("Enter goes on inside it", "logits := model.Logits.Save()", r"^ +\.\.\.:     logits := model\.Logits\.Save\(\)\s*\n +\.\.\.:")
        step("a finished block runs", "}", r"^In \[4\]:")
        step("its variable is there after it", "logits.Shape()", r"^Out\[4\]: \S*[\[{]1, 5, 710[\]}]")
        term.type("model.NumLay")
        step("Tab completes", "", r"model\.NumLayers", key="Tab")
        step("and it is right", "", r"^Out\[5\]: 4$")
        step("an error", "undefinedName", r"undefined: undefinedName")
        step("a cell asks", 'var name string; fmt.Print("name? "); fmt.Scanln(&name); fmt.Println("hello,", name)', r"^name\?")
        step("and is answered", "Mary", r"hello, Mary$")
        term.type("for {}")
        term.press("Enter")
        time.sleep(2)
        step("Ctrl-C interrupts", "", r"interrupted", key="C-c", seconds=10)
        step("the model is still there", "model.NumLayers + 38", r"^Out\[9\]: 42$")
        term.type("exit")
        term.press("Enter")
        ended = term.over()
        print("ok  " if ended else "FAIL", "console: exit leaves", flush=True)
        return ok and ended
    finally:
        term.close()
