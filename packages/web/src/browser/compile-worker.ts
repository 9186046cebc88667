import { transform } from "sucrase";

addEventListener("message", ({ data }: MessageEvent<string>) => {
  try {
    const { code } = transform(data, {
      transforms: ["jsx", "typescript", "imports"],
      jsxRuntime: "automatic",
      production: true,
    });
    postMessage({ code });
  } catch (error) {
    postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
});
