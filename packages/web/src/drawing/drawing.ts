import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { NotDrawn, oneAtATime } from "./one-at-a-time.ts";

export { NotDrawn };

/** The parts that a host provides: the WebAssembly module that draws, or its bytes, and the fonts. Without a font, texts are not drawn. */
export interface DrawingParts {
  wasm: WebAssembly.Module | BufferSource;
  fonts: Uint8Array[];
}

export type LoadDrawing = () => Promise<DrawingParts>;

/** Loads the parts that the build writes, each by its name. */
export async function loadDrawingBy(
  read: (name: string) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<DrawingParts> {
  const [wasm, ...fonts] = await Promise.all(["resvg.wasm", "inter-400.bin", "inter-700.bin"].map(read));
  return { wasm: wasm ?? new Uint8Array(), fonts };
}

/** One queue for the process, because some hosts make a new handler for each request. Drawing blocks other requests, so few may wait. */
const inTurn = oneAtATime({ keptBytes: 8 * 1024 * 1024, mostWaiting: 3 });
/** The fonts. Loading them also initializes the WebAssembly module, which is possible only once, so all calls share one promise. */
let fonts: Promise<Uint8Array[]> | undefined;

/** Draws an SVG as a PNG, and caches the PNG under `name`, which must identify the content of the SVG. */
export async function draw(
  name: string,
  svg: string,
  load: LoadDrawing | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  if (load === undefined) throw new NotDrawn();
  return inTurn(name, () => render(svg, load));
}

async function render(svg: string, load: LoadDrawing): Promise<Uint8Array<ArrayBuffer>> {
  fonts ??= start(load);
  const fontBuffers = await fonts.catch((error: unknown) => {
    // Forget the failed load, so that the next caller loads the fonts again.
    fonts = undefined;
    throw error;
  });
  const resvg = new Resvg(svg, { font: { fontBuffers, defaultFontFamily: "Inter" } });
  try {
    const image = resvg.render();
    try {
      return Uint8Array.from(image.asPng());
    } finally {
      image.free();
    }
  } finally {
    resvg.free();
  }
}

async function start(load: LoadDrawing): Promise<Uint8Array[]> {
  const parts = await load();
  await initWasm(parts.wasm);
  return parts.fonts;
}
