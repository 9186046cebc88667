import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type postgres from "postgres";
import { expect, vi } from "vitest";
import type { Stack } from "../../../packages/local/src/index.ts";
import { compileCache, repository } from "../../support/cli.ts";
import { mismatch, parseShown } from "../../support/docs/answers.ts";
import type { Block } from "../../support/docs/pages.ts";
import { passTime } from "../../support/keys.ts";
import { MAY_FIND_NOTHING } from "./not-run.ts";

const run = promisify(execFile);

export interface PageRun {
  stack: Stack;
  sql: postgres.Sql;
  /** A folder for the files of a run. */
  folder: string;
}

/** The values that the code blocks of one page share, as if a reader ran all of them in one terminal. */
export class PageState {
  readonly #run: PageRun;
  /** The values that replace `<name>` in a code block, from earlier answers, rows and tools. */
  readonly #values: Record<string, string> = {};
  #variables: Record<string, string> = {};

  constructor(pageRun: PageRun) {
    this.#run = pageRun;
  }

  /** Runs a statement and returns its rows; keeps columns that end in `_id`. */
  async sql(block: Block): Promise<unknown> {
    const rows = await this.#run.sql.unsafe(this.#filled(block));
    if (!MAY_FIND_NOTHING.test(block.text))
      expect(rows.count, `${block.text}\nfinds no row`).toBeGreaterThan(0);
    this.#remember(rows[0] ?? {});
    return JSON.parse(JSON.stringify(rows));
  }

  async sh(block: Block): Promise<string> {
    const { stack, folder } = this.#run;
    const kept = join(folder, "variables");
    const keep = `env -0 > '${kept}'`;
    const { stdout } = await run("sh", ["-e", "-c", `set -a\n${this.#filled(block)}\n${keep}`], {
      cwd: repository,
      env: {
        ...process.env,
        ...compileCache,
        ...stack.env,
        KEYHUB_ENV_FILE: "/dev/null",
        PROVIDER_KEY: "sk-from-the-page",
        NEW_PROVIDER_KEY: "sk-new-from-the-page",
        ...this.#variables,
      },
    });
    const settings = (await readFile(kept, "utf8")).split("\0").filter((setting) => setting !== "");
    this.#variables = Object.fromEntries(
      settings.map((setting) => [
        setting.slice(0, setting.indexOf("=")),
        setting.slice(setting.indexOf("=") + 1),
      ]),
    );
    expect(stdout).not.toContain("from-the-page");
    const sealed = /hpke\.v1\.\S+/.exec(stdout)?.[0];
    if (sealed !== undefined) this.#values.sealed = sealed;
    return stdout;
  }

  /** Runs a block of JavaScript after the page's first block, which signs in; returns its output. */
  async js(prelude: string, block: Block): Promise<string> {
    // The file is beside the packages, as in a user's project, and runs in this process, because loading supabase-js again takes a second.
    const file = join(repository, "node_modules", `.page-${process.pid}-${block.line}-${Date.now()}.mjs`);
    await writeFile(file, `${prelude}\n${block.text}`);
    for (const [name, value] of Object.entries(this.#run.stack.env)) vi.stubEnv(name, value);
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    try {
      await import(/* @vite-ignore */ pathToFileURL(file).href);
      return log.mock.calls.map((words) => words.join(" ")).join("\n");
    } finally {
      log.mockRestore();
      vi.unstubAllEnvs();
      await rm(file);
    }
  }

  /** Compares an answer with the one on the page. */
  async expectAnswer(block: Block, shown: Block, answer: unknown): Promise<void> {
    expect(mismatch(parseShown(shown.text), answer), `${block.text}\nat line ${shown.line}`).toBeUndefined();
    this.#remember(answer);
    const { effect, key_id } = answer as { effect?: string; key_id?: string };
    // Make the key's cooldown an hour longer than the page's half minute, so that later code blocks of the page still find the key cooling.
    if (effect === "cooled" && key_id !== undefined) await passTime(this.#run.sql, key_id, -3600);
  }

  #remember(found: unknown): void {
    for (const [name, value] of Object.entries(found ?? {})) {
      if (/_(id|token)$/.test(name) && typeof value === "string") this.#values[name] = value;
    }
  }

  #filled({ text, line }: Block): string {
    return text.replace(/<(\w+)>/g, (whole, name: string) => {
      const value = this.#values[name];
      if (value === undefined) throw new Error(`line ${line}: nothing on the page gives ${whole}`);
      return value;
    });
  }
}
