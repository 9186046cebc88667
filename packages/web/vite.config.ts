import { defineConfig } from "vite";

/** Builds the files that browsers load. build.ts builds the server after this, because the server needs the names of these files. */
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
