// The types of the values that an import of these files gives on Cloudflare.
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
declare module "*.bin" {
  const bytes: ArrayBuffer;
  export default bytes;
}
