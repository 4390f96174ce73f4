// Colours "with" as a keyword in Go cells, as their blocks have it.
//
// JupyterLab and Notebook 7 load this file at their start, as it is: there is nothing to build. The editor's own Go
// is kept, and one word of it looked at again.
(() => {
  let shared;
  const module = async (name) => (await Object.values(shared[name])[0].get())();

  // In a block's head a value follows. A variable that is named with stays one.
  const head = /^[ \t]+[\p{L}_]/u;

  function withBlocks(support) {
    const { language } = support;
    const go = language.streamParser;
    if (!go) return support; // a later editor, with a grammar in place of a tokenizer
    const token = (stream, state) => {
      const style = go.token(stream, state);
      return stream.current() === "with" && stream.match(head, false) ? "keyword" : style;
    };
    return new support.constructor(language.constructor.define({ ...go, token }), support.support);
  }

  (window._JUPYTERLAB ??= {}).gonterp = {
    init(scope) { shared = scope; },
    async get() {
      const { IEditorLanguageRegistry } = await module("@jupyterlab/codemirror");
      const plugin = {
        id: "gonterp:with",
        description: "Colours with in Go cells.",
        autoStart: true,
        requires: [IEditorLanguageRegistry],
        activate(app, languages) {
          const go = languages.findByName("Go");
          if (!go) return;
          const load = go.load.bind(go);
          go.load = async () => withBlocks(await load());
        },
      };
      return () => ({ __esModule: true, default: plugin });
    },
  };
})();
