// Works with a notebook as a person does, in headless Chromium, and keeps screenshots:
//
//	NODE_PATH=folder/of/playwright-core CHROMIUM=/usr/bin/chromium node browser.mjs lab|notebook URL FOLDER
//
// It opens the notebook, runs all cells, looks at the pictures, completes with Tab, inspects with Shift-Tab, answers
// a cell that asks for input, makes an error, interrupts a loop, saves, loads the page again, restarts and runs all
// again. Commands are given by menu, button and key; whether the kernel is idle is asked of the application's model.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const { chromium } = createRequire(path.join(process.env.NODE_PATH, "x.js"))("playwright-core");
const [front, url, shots] = process.argv.slice(2);
mkdirSync(shots, { recursive: true });

// On a busy machine a page takes its time; what waits for the kernel has limits of its own.
const patience = 60;

let failed = false;
function check(what, ok, detail = "") {
  console.log(ok ? "ok  " : "FAIL", `${front}: ${what}`, detail);
  failed ||= !ok;
}

// until polls a condition and gives its last value.
async function until(condition, seconds = patience) {
  for (const end = Date.now() + seconds * 1000; ;) {
    const v = await condition().catch(() => undefined);
    if (v || Date.now() > end) return v;
    await new Promise((r) => setTimeout(r, 100));
  }
}

// notebookState runs in the page: cells out of sight are in the model and not in the page.
function notebookState() {
  const panel = globalThis.jupyterapp?.shell.currentWidget;
  if (!panel?.content?.model) return null;
  return {
    kernel: panel.sessionContext.session?.kernel?.status,
    dirty: panel.context.model.dirty,
    cells: [...panel.content.model.cells].filter((c) => c.type === "code").map((c) => ({
      count: c.executionCount, outputs: c.outputs.toJSON(),
    })),
  };
}

class Notebook {
  constructor(page) { this.page = page; }

  state() { return this.page.evaluate(notebookState); }
  active() { return this.page.locator(".jp-Notebook .jp-Cell.jp-mod-active"); }
  editor() { return this.active().locator(".cm-content"); }
  shot(what) { return this.page.screenshot({ path: path.join(shots, `${front}-${what}.png`) }); }

  async menu(name, item) {
    await this.page.locator(".lm-MenuBar-itemLabel", { hasText: new RegExp(`^${name}$`) }).click();
    await this.page.locator(".lm-Menu-itemLabel", { hasText: item }).first().click();
  }

  // opened waits until the notebook is there and its kernel answers.
  async opened() {
    return until(async () => { const s = await this.state(); return s?.kernel === "idle" && s.cells.length > 0 && s; });
  }

  // ran waits until every cell has a number and gives the errors, or nothing if that takes too long.
  async ran() {
    const s = await until(async () => {
      const s = await this.state();
      return s?.kernel === "idle" && s.cells.every((c) => c.count) && s;
    });
    return s && s.cells.flatMap((c) => c.outputs).filter((o) => o.output_type === "error");
  }

  // fresh makes a cell below all others and types into it.
  async fresh(text) {
    const bottom = () => this.page.evaluate(() => {
      const content = globalThis.jupyterapp.shell.currentWidget.content;
      content.deselectAll();
      return content.activeCellIndex = content.model.cells.length - 1;
    });
    const last = await bottom();
    await this.page.locator('[data-command="notebook:insert-cell-below"]').first().click();
    if (!await until(async () => await bottom() === last + 1)) throw new Error("a click on + makes no cell");
    await this.editor().click();
    await this.page.keyboard.type(text);
  }

  discard() { return this.menu("Edit", /^Delete Cells?$/); }

  // last is what the undermost cell put out, as text.
  async last() {
    return (await this.state()).cells.at(-1).outputs
      .map((o) => [o.text, o.ename, o.evalue, o.data?.["text/plain"]].flat().filter(Boolean).join("")).join("\n");
  }
}

async function work(nb) {
  const { page } = nb;
  await page.goto(url);
  const opened = await nb.opened();
  check("the notebook opens", opened, `${opened?.cells?.length} code cells`);
  const before = opened.cells.length;
  await highlighted(nb);

  await nb.menu("Run", /^Run All Cells$/);
  const errors = await nb.ran();
  check("run all", errors?.length === 0, errors?.map((e) => `${e.ename}: ${e.evalue}`).join("; ") ?? "does not end");
  await pictures(nb);

  await nb.fresh("strings.ToUpp");
  await page.keyboard.press("Tab");
  const offers = page.locator(".jp-Completer-list");
  await until(() => offers.isVisible(), 10);
  await page.keyboard.press("Enter");
  check("Tab completes a function", await until(async () => (await nb.editor().innerText()) === "strings.ToUpper"));
  await nb.discard();

  await nb.fresh("model.");
  await page.keyboard.press("Tab");
  check("Tab offers what a model has", await until(async () => /Layers[\s\S]*Trace/.test(await offers.innerText({ timeout: 500 }))));
  await nb.shot("tab");
  await page.keyboard.press("Escape");
  await nb.discard();

  await nb.fresh("model.Trace");
  await page.keyboard.press("Shift+Tab");
  const tooltip = page.locator(".jp-Tooltip");
  check("Shift-Tab inspects", await until(async () => /func.*Trace\(/.test(await tooltip.innerText({ timeout: 500 }))));
  await nb.shot("shift-tab");
  await page.keyboard.press("Escape");
  await nb.discard();

  await nb.fresh('var name string; fmt.Print("name? "); fmt.Scanln(&name); fmt.Println("hello,", name)');
  await page.keyboard.press("Control+Enter");
  const answer = page.locator(".jp-Stdin-input");
  if (await until(() => answer.isVisible(), 10)) {
    await answer.fill("Mary");
    await answer.press("Enter");
  }
  check("a cell asks and is answered", await until(async () => (await nb.last()).includes("hello, Mary")));
  await nb.discard();

  await nb.fresh("undefinedName + 1");
  await page.keyboard.press("Control+Enter");
  check("an error names what is undefined", await until(async () => /undefinedName/.test(await nb.last())));
  await nb.shot("error");
  await nb.discard();

  await nb.fresh("for {}");
  await page.keyboard.press("Control+Enter");
  await until(async () => (await nb.state()).kernel === "busy", 10);
  const began = Date.now();
  await nb.menu("Kernel", /^Interrupt Kernel/);
  check("an endless loop is interrupted", await until(async () =>
    (await nb.state()).kernel === "idle" && /interrupt/i.test(await nb.last()), 10), `${Date.now() - began} ms`);
  await nb.shot("interrupt");
  await nb.discard();

  await page.keyboard.press("Control+s");
  check("it is saved", await until(async () => !(await nb.state()).dirty));

  await page.reload();
  await nb.opened();
  await nb.fresh("model.NumLayers");
  await page.keyboard.press("Control+Enter");
  check("the model is still there when the page is loaded again", await until(async () => (await nb.last()) === "4"));
  await nb.discard();

  await nb.menu("Kernel", /^Restart Kernel and Run All Cells/);
  await page.locator(".jp-Dialog .jp-mod-accept").click({ timeout: patience * 1000 });
  await until(async () => (await nb.state()).cells[0].count !== 1 || (await nb.state()).kernel !== "idle", 10);
  const again = await nb.ran();
  const after = await nb.state();
  check("restart and run all again", again?.length === 0 && after.cells.length === before, again ? `${after.cells.length} of ${before} cells` : "does not end");
  check("cells count anew", after.cells[0].count === 1, after.cells.map((c) => c.count).join(" "));
  await nb.shot("restarted");
}

// highlighted looks at the words that the editor has coloured.
async function highlighted(nb) {
  const words = await nb.page.locator(".jp-CodeCell .cm-line span").evaluateAll((spans) => {
    const plain = getComputedStyle(document.querySelector(".jp-CodeCell .cm-line")).color;
    return spans.filter((s) => getComputedStyle(s).color !== plain).map((s) => s.textContent);
  });
  for (const word of ["for", "with", '"mini"']) check(`${word} is coloured`, words.includes(word));
}

async function pictures(nb) {
  const made = (await nb.state()).cells.flatMap((c) => c.outputs).filter((o) => o.data?.["image/png"] || o.data?.["image/svg+xml"]);
  const images = nb.page.locator(".jp-OutputArea-output img, .jp-OutputArea-output svg");
  let seen = 0;
  for (let i = 0; i < await images.count(); i++) {
    const image = images.nth(i);
    await image.scrollIntoViewIfNeeded({ timeout: 5000 }).catch(() => {});
    const box = await image.boundingBox();
    if (box?.width > 100 && box.height > 100) seen++;
    await nb.shot(`picture-${i + 1}`);
  }
  check("pictures are seen", made.length > 0 && seen >= made.length, `${seen} of ${made.length}`);
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = await browser.newPage({ viewport: { width: 1440, height: 1000 } });
const nb = new Notebook(page);
try {
  await work(nb);
} catch (e) {
  check(e.message.split("\n")[0], false);
  await nb.shot("failed");
}
await browser.close();
process.exit(failed ? 1 : 0);
