/** What the tools of the repository share with the command. */
export { readEnvironment, type ToolEnvironment, type Variables } from "./environment.ts";
export { CommandFailure, describe } from "./failure.ts";
export { type NamedKey, parseKeyLines, readPipe } from "./input/key-lines.ts";
export { readTerminal } from "./input/terminal.ts";
export { NOBODY, readSealer, type Sealer } from "./seal-key.ts";
