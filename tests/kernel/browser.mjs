// Works in JupyterLab and Notebook 7 as a person does, in headless Chromium, and
// keeps screenshots.
//
//	JUPYTER=path/to/jupyter NODE_PATH=folder/of/playwright-core \
//	    node browser.mjs NOTEBOOK [FOLDER FOR SCREENSHOTS]
//
// It opens the notebook, runs all cells, looks for pictures and errors, completes
// with Tab, inspects with Shift-Tab, interrupts a loop, restarts, and runs all again.
// FRONT=lab or FRONT=notebook takes one of the two. CHROMIUM names another browser.
// JupyterLab's own test attributes and commands are used where there are some.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const { chromium } = createRequire(path.join(process.env.NODE_PATH ?? process.cwd(), "x.js"))("playwright-core");
const notebook = path.resolve(process.argv[2]);
const shots = path.resolve(process.argv[3] ?? "screenshots");
const jupyter = process.env.JUPYTER ?? "jupyter";
mkdirSync(shots, { recursive: true });

const port = await new Promise((resolve) => {
  const s = createServer().listen(0, "127.0.0.1", () => { const p = s.address().port; s.close(() => resolve(p)); });
});
const folder = mkdtempSync(path.join(tmpdir(), "gonterp-browser-"));
const name = path.basename(notebook);
cpSync(notebook, path.join(folder, name));

const server = spawn(jupyter, ["lab", "--no-browser", "--allow-root", `--port=${port}`, "--ServerApp.port_retries=0",
  "--IdentityProvider.token=", "--ServerApp.password=", "--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True", `--ServerApp.root_dir=${folder}`],
  { stdio: ["ignore", "ignore", "pipe"] });
let log = "";
server.stderr.on("data", (b) => { log = (log + b).slice(-20000); });

const failures = [];
function check(what, ok, detail = "") {
  console.log(ok ? "ok  " : "FAIL", what, detail);
  if (!ok) failures.push(what);
}

// until polls a condition and gives its last value.
async function until(f, seconds = 30) {
  for (const end = Date.now() + seconds * 1000; ;) {
    const v = await f().catch(() => undefined);
    if (v || Date.now() > end) return v;
    await new Promise((r) => setTimeout(r, 100));
  }
}

// notebookState reads the notebook from the front end's own model: cells out of
// sight are not in the page.
function notebookState() {
  const panel = globalThis.jupyterapp?.shell.currentWidget;
  if (!panel?.content?.model) return null;
  return {
    kernel: panel.sessionContext.session?.kernel?.status,
    cells: [...panel.content.model.cells].filter((c) => c.type === "code").map((c) => ({
      count: c.executionCount, outputs: c.outputs.toJSON(),
    })),
  };
}

async function work(page, front, url) {
  const shot = (what) => page.screenshot({ path: path.join(shots, `${front}-${what}.png`) });
  const state = () => page.evaluate(notebookState);
  const command = (id) => page.evaluate((id) => { globalThis.jupyterapp.commands.execute(id); }, id);
  const active = () => page.locator(".jp-Notebook .jp-Cell.jp-mod-active");

  await page.goto(url);
  const opened = await until(async () => { const s = await state(); return s?.kernel === "idle" && s.cells.length > 0 && s; });
  check(`${front}: the notebook opens`, opened, `${opened?.cells?.length} code cells`);
  // All cells have a number, the kernel is idle, and nothing failed.
  const ran = async () => {
    const s = await until(async () => {
      const s = await state();
      return s?.kernel === "idle" && s.cells.every((c) => c.count) && s;
    }, 60);
    if (!s) return false;
    const bad = s.cells.flatMap((c) => c.outputs).filter((o) => o.output_type === "error");
    bad.forEach((o) => console.log(o.ename, o.evalue));
    return bad.length === 0;
  };
  await command("notebook:run-all-cells");
  check(`${front}: run all`, await ran());
  const pictures = (await state()).cells.flatMap((c) => c.outputs).filter((o) => o.data?.["image/png"] || o.data?.["image/svg+xml"]);
  check(`${front}: pictures`, pictures.length > 0, `${pictures.length}`);
  const shown = page.locator(".jp-OutputArea-output img, .jp-OutputArea-output svg").first();
  check(`${front}: a picture is shown`, await until(() => shown.isVisible(), 10));
  await shown.scrollIntoViewIfNeeded().catch(() => {});
  await shot("run-all");

  // fresh makes a cell below all others, selected for editing.
  const fresh = async (text) => {
    await page.evaluate(() => {
      const panel = globalThis.jupyterapp.shell.currentWidget;
      panel.content.activeCellIndex = panel.content.model.cells.length - 1;
      panel.content.deselectAll();
    });
    await command("notebook:insert-cell-below");
    await command("notebook:enter-edit-mode");
    await active().locator(".cm-content").click();
    await page.keyboard.type(text);
  };
  const discard = async () => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await command("notebook:delete-cell");
  };
  await fresh("strings.ToUpp");
  await page.keyboard.press("Tab");
  const completer = page.locator(".jp-Completer");
  check(`${front}: Tab completes`, await until(async () =>
    (await completer.isVisible() && (await completer.innerText()).includes("ToUpper")) ||
    (await active().locator(".cm-content").innerText()).includes("ToUpper"), 10));
  await shot("tab");
  await discard();
  await fresh("strings.ToUpper");
  await page.keyboard.press("Shift+Tab");
  const tooltip = page.locator(".jp-Tooltip");
  check(`${front}: Shift-Tab inspects`, await until(async () => (await tooltip.innerText({ timeout: 1000 })).includes("func"), 10));
  await shot("shift-tab");
  await discard();

  await fresh("for {}");
  await command("notebook:run-cell");
  await until(async () => (await state()).kernel === "busy", 10);
  await command("notebook:interrupt-kernel");
  check(`${front}: interrupt`, await until(async () => {
    const s = await state();
    return s.kernel === "idle" && s.cells.at(-1).outputs.some((o) => o.ename === "interrupted");
  }, 10));
  await shot("interrupt");
  await discard();

  await command("notebook:restart-run-all");
  const accept = page.locator(".jp-Dialog .jp-mod-accept");
  if (await until(() => accept.isVisible(), 10)) await accept.click();
  await new Promise((r) => setTimeout(r, 2000));
  check(`${front}: restart and run all again`, await ran());
  check(`${front}: cells count anew`, (await state()).cells[0].count === 1);
  await shot("restarted");
}

let browser;
try {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  const base = `http://127.0.0.1:${port}`;
  await until(() => fetch(base + "/api").then((r) => r.ok), 60);
  const fronts = process.env.FRONT ? [process.env.FRONT] : ["lab", "notebook"];
  for (const [front, url] of [["lab", `${base}/lab/tree/${name}?reset`], ["notebook", `${base}/notebooks/${name}`]].filter(([f]) => fronts.includes(f))) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } });
    try {
      await work(page, front, url);
    } catch (e) {
      check(`${front}: ${e.message.split("\n")[0]}`, false);
      await page.screenshot({ path: path.join(shots, `${front}-failed.png`) });
    }
    await page.close();
  }
} finally {
  await browser?.close();
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
if (failures.length) {
  console.log(log.split("\n").slice(-30).join("\n"));
  process.exit(1);
}
process.exit(0);
