/** Writes dist: client/, what browsers load, and server.js, the handler with the names of those files inside. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "vite";

const root = import.meta.dirname;
const quiet = { logLevel: "warn" } as const;

await build({ ...quiet, configFile: join(root, "vite.config.ts") });
const manifest = JSON.parse(await readFile(join(root, "dist", "client", ".vite", "manifest.json"), "utf8"));
const file = (entry: string) => `/${manifest[`src/browser/${entry}.ts`].file}`;
const assets = {
  style: `/${manifest["src/browser/style.ts"].css[0]}`,
  script: file("main"),
  theme: file("theme"),
};
await build({
  ...quiet,
  configFile: false,
  root,
  define: { __ASSETS__: JSON.stringify(assets) },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  ssr: { noExternal: true, target: "webworker" },
  build: {
    outDir: "dist/server",
    emptyOutDir: true,
    ssr: "src/index.ts",
    target: "es2022",
    rolldownOptions: { output: { entryFileNames: "server.js" } },
  },
});
