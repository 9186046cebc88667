import { defineConfig } from "vite";

/** What browsers load. The server is built by build.ts, after this: it knows the names of these files. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: "public",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    emptyOutDir: true,
    manifest: true,
    target: "es2022",
    modulePreload: false,
    rolldownOptions: {
      input: { main: "src/browser/main.ts", theme: "src/browser/theme.ts", style: "src/browser/style.ts" },
    },
  },
});
