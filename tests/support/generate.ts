/** `npm run generate`: writes every generated file again. */
import { relative } from "node:path";
import { repository } from "./cli.ts";
import { pages, types, write } from "./generated.ts";

for (const generated of [...pages, types]) {
  await write(generated);
  console.log(`wrote ${relative(repository, generated.file)}`);
}
