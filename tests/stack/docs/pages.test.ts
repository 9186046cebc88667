import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startStack } from "../../../packages/local/src/index.ts";
import { copyDataFolder } from "../../support/data-folder.ts";
import { type Block, blocksOf, pages, readPage } from "../../support/docs/pages.ts";
import { EXCERPTS, NOT_RUN, SHOWN } from "./not-run.ts";
import { type PageRun, PageState } from "./page-run.ts";

let pageRun: PageRun;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-pages-"));
  await chmod(folder, 0o755);
  const dataDir = join(folder, "data");
  await copyDataFolder(dataDir);
  const stack = await startStack({ dataDir });
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  pageRun = { stack, sql, folder };
});
afterAll(async () => {
  await pageRun?.sql.end();
  await pageRun?.stack.stop();
  if (pageRun) await rm(pageRun.folder, { recursive: true, force: true });
});

const listed = ({ text }: Block) => NOT_RUN.some(([start]) => start.test(text));
const withBlocks = pages.filter((page) => blocksOf(page).length > 0);

/** Runs one code block, and compares its result with the answer that follows it. Returns false when nothing says how to run the block. */
async function runBlock(
  state: PageState,
  block: Block,
  next: Block | undefined,
  prelude: string,
): Promise<boolean> {
  const shown = next?.language === "json" ? next : undefined;
  if (block.language === "sql") {
    const rows = await state.sql(block);
    if (shown) await state.expectAnswer(block, shown, rows);
    return true;
  }
  if (block.language === "sh") {
    const stdout = await state.sh(block);
    if (shown) await state.expectAnswer(block, shown, JSON.parse(stdout));
    // A call whose answer is not shown must not have been refused: a refusal has a `status`.
    else if (stdout.startsWith("{")) expect(JSON.parse(stdout), block.text).not.toHaveProperty("status");
    return true;
  }
  if (block.language === "js" && shown) {
    await state.expectAnswer(block, shown, JSON.parse(await state.js(prelude, block)));
    return true;
  }
  return false;
}

test.each(withBlocks)("every block of %s works as it is written, in its order", async (page) => {
  const blocks = blocksOf(page);
  expect(readPage(page).match(/^ *```/gm), "fences in pairs, none indented").toHaveLength(2 * blocks.length);
  const state = new PageState(pageRun);
  const first = blocks.find(({ language }) => language === "js");
  const followed = (block: Block) => blocks[blocks.indexOf(block) + 1]?.language === "json";
  const prelude = first && !followed(first) ? first : undefined;
  for (const [index, block] of blocks.entries()) {
    const answer =
      block.language === "json" &&
      index > 0 &&
      ["sh", "sql", "js"].includes(blocks[index - 1]?.language ?? "");
    if (answer || block === prelude || listed(block) || SHOWN[block.language] || EXCERPTS[page]) continue;
    const ran = await runBlock(state, block, blocks[index + 1], prelude?.text ?? "");
    expect(ran, `${page}, line ${block.line}: neither run nor listed in not-run.ts`).toBe(true);
  }
});

test("each line of the list of what is not run stands for a block of a page", () => {
  const blocks = withBlocks.flatMap(blocksOf);
  expect(NOT_RUN.filter(([start]) => !blocks.some(({ text }) => start.test(text)))).toEqual([]);
});
