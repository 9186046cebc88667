/** The parts of the command that other tools of the repository use. */
export { readEnvironment, type ToolEnvironment, type Variables } from "./environment.ts";
export { CommandFailure, describe } from "./failure.ts";
export { type NamedKey, parseKeyLines, readPipe } from "./input/key-lines.ts";
export { readTerminal } from "./input/terminal.ts";
export { NOBODY, readSealer, type Sealer } from "./seal-key.ts";
