import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "../../support/cli.ts";
import { pages, readPage } from "../../support/docs/pages.ts";

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "");

/** Returns the anchors that GitHub makes from headings. */
function anchorsOf(page: string): Set<string> {
  const headings = readPage(page)
    .replace(/^```[\s\S]*?^```$/gm, "")
    .matchAll(/^#+ (.+)$/gm);
  const plain = (heading: string) => heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return new Set(
    [...headings].map(([, heading = ""]) =>
      plain(heading)
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/\s/g, "-"),
    ),
  );
}

describe.each(pages)("%s", (page) => {
  const links = [...withoutCode(readPage(page)).matchAll(/\]\(([^)\s]+)\)|(?:href|src(?:set)?)="([^"]+)"/g)]
    .map((match) => match[1] ?? match[2] ?? "")
    .filter((link) => !/^(https?|mailto):/.test(link));

  test("each link leads to a file, and its anchor to a heading", () => {
    const broken = links.filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(repository, target))) return true;
      return anchor !== undefined && !(target.endsWith(".md") && anchorsOf(target).has(anchor));
    });
    expect(broken).toEqual([]);
  });
});

test("README has 180 lines at most, and each page of docs can be reached from it", () => {
  expect(readPage("README.md").split("\n").length - 1).toBeLessThanOrEqual(180);
  const linked = new Set(
    [...readPage("README.md").matchAll(/\]\((docs\/[^)#\s]+\.md)/g)].map(([, path]) => path),
  );
  expect(pages.filter((page) => page.startsWith("docs/") && !linked.has(page))).toEqual([]);
});

const codeWords = (page: string) =>
  [...readPage(page).matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) => code.split(/\s+/));

/** Matches a path from the root. Other names in code marks are not checked, because they may be relative to another folder. */
const PATH = /^(?:packages|supabase|tests|docs|\.ci)\/[\w./-]*$/;

test.each(pages)("each path that %s names in code marks is there", (page) => {
  const paths = codeWords(page).filter((word) => PATH.test(word));
  expect(paths.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});

test.each(["CONTRIBUTING.md", "AGENTS.md"])("%s names paths, and npm scripts that are there", (page) => {
  expect(codeWords(page).filter((word) => PATH.test(word)).length).toBeGreaterThan(5);
  const { scripts } = JSON.parse(readPage("package.json")) as { scripts: Record<string, string> };
  const named = [...readPage(page).matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, script = ""]) => script);
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((script) => !(script in scripts))).toEqual([]);
});
