/**
 * Builds the pages into a folder, packages/web/dist by default. Its folder client/ has the files that browsers load. Its folder server/ has
 * the handler, into which the names of those files are written, and an entry for each host.
 *
 *     node packages/web/build.ts [folder]
 */
import { createHash } from "node:crypto";
import { cp, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "vite";

const root = import.meta.dirname;
const out = process.argv[2] ?? join(root, "dist");
const quiet = { logLevel: "warn" } as const;

await build({ ...quiet, configFile: join(root, "vite.config.ts"), build: { outDir: join(out, "client") } });
const manifest = JSON.parse(await readFile(join(out, "client", ".vite", "manifest.json"), "utf8"));
const file = (entry: string) => `/${manifest[`src/browser/${entry}.ts`].file}`;
const assets = {
  style: `/${manifest["src/browser/style.ts"].css[0]}`,
  script: file("main"),
  theme: file("theme"),
};
const bootstrap = await build({
  ...quiet,
  configFile: false,
  publicDir: false,
  root,
  define: { "process.env.NODE_ENV": '"production"' },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    write: false,
    target: "es2022",
    lib: { entry: "src/preview/bootstrap.tsx", formats: ["iife"], name: "preview" },
  },
});
const [bundle] = Array.isArray(bootstrap) ? bootstrap : [];
const chunk = bundle?.output[0];
if (chunk?.type !== "chunk") throw new Error("the preview has no script");
// `</script` ends an inline script even inside a string, and `<!--` can make a browser overlook the closing tag. So both are escaped.
const code = chunk.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const preview = { code, hash: createHash("sha256").update(code).digest("base64") };
await build({
  ...quiet,
  configFile: false,
  publicDir: false,
  root,
  define: { __ASSETS__: JSON.stringify(assets), __PREVIEW__: JSON.stringify(preview) },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  ssr: { noExternal: true, target: "webworker" },
  build: {
    outDir: join(out, "server"),
    emptyOutDir: true,
    ssr: true,
    target: "es2022",
    rolldownOptions: {
      input: {
        server: "src/index.ts",
        worker: "src/entries/worker.ts",
        netlify: "src/entries/netlify.ts",
        deno: "src/entries/deno.ts",
      },
      // Imports of .wasm and .bin files are not bundled: Cloudflare reads such files from the folder of the script.
      external: (id) => /\.(wasm|bin)$/.test(id),
      makeAbsoluteExternalsRelative: false,
      output: { entryFileNames: "[name].js" },
    },
  },
});

// The WebAssembly module that draws the pictures of links (`og:image`), and its fonts. The entries for Deno and Cloudflare read these files
// from server/. The entry for Netlify fetches them from the published folder client/pictures/.
const { resolve } = createRequire(import.meta.url);
const DRAWING = {
  "resvg.wasm": "@resvg/resvg-wasm/index_bg.wasm",
  "inter-400.bin": "@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf",
  "inter-700.bin": "@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf",
};
for (const [name, source] of Object.entries(DRAWING))
  for (const folder of ["server", join("client", "pictures")])
    await cp(resolve(source), join(out, folder, name));
