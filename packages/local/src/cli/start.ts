// This file imports nothing at the top, so that it can report missing dependencies (npm ci).
try {
  const { main } = await import("./main.ts");
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`Keyhub: ${explain(error)}\n`);
  process.exit(1);
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? error.code : undefined;
  if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") {
    const missing = /'([^']+)'/.exec(error.message)?.[1] ?? "a module";
    return `${missing} is not installed; run npm ci.`;
  }
  return error.message;
}
