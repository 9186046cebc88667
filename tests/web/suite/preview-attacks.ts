import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, CDPSession, Page, Route } from "playwright-core";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser } from "../../support/browser.ts";
import { makeAsset } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { stack } from "../fixture.ts";
import { ATTACKER, LOCAL, NAVIGATION, NETWORK, ROGUE } from "../preview/attacks.ts";
import { openTrap } from "../preview/trap.ts";

let sql: postgres.Sql;
let browser: Browser;
let context: BrowserContext;
beforeAll(async () => {
  sql = postgres(stack.databaseUrl, { max: 2, onnotice: () => {} });
  await component("attacker", ATTACKER);
  await component("rogue", ROGUE);
  // The browser keeps a page from loopback addresses if its response was replaced by the test, because that response has no IP address. So
  // this check is off. A process gets little memory, so that a component that uses up memory fails soon.
  browser = await launchBrowser([
    "--disable-features=LocalNetworkAccessChecks",
    "--js-flags=--max-old-space-size=256",
  ]);
  context = await browser.newContext({ baseURL: stack.url });
});
afterAll(async () => {
  await browser?.close();
  await sql?.end();
});

const component = (slug: string, source: string) =>
  makeAsset(sql, { type: "component", slug, title: slug, payload: { name: slug, source, props_schema: {} } });

/** Replacements for parts that the site serves. Each removes a guard. */
interface Without {
  /** The policy of the asset's page. */
  hostPolicy?: (policy: string) => string;
  /** The policy of the preview page. */
  policy?: (policy: string) => string;
  /** The headers that are removed from the preview page. */
  headers?: string[];
  /** The script of the preview page. Its hash in the policy is changed with it. */
  bootstrap?: (code: string) => string;
  /** The host's script that makes the frame. */
  host?: (code: string) => string;
}

/** Returns a function that replaces a text, and throws if it is not there. Otherwise a guard that was renamed would not be removed. */
const swap = (find: string | RegExp, by: string) => (text: string) => {
  const changed = text.replace(find, by);
  if (changed === text) throw new Error(`not found: ${find}`);
  return changed;
};

const CSP = "content-security-policy";
const script = (html: string) => /<script>(.*)<\/script>/s.exec(html)?.[1] ?? "";
const hashOf = (code: string) => createHash("sha256").update(code).digest("base64");

async function weaken(page: Page, without: Without): Promise<void> {
  const answer = async (
    route: Route,
    change: (body: string, headers: Record<string, string>) => string,
  ): Promise<void> => {
    const response = await route.fetch();
    const headers = { ...response.headers() };
    await route.fulfill({ status: response.status(), body: change(await response.text(), headers), headers });
  };
  if (without.hostPolicy)
    await page.route(/\/hub\/components\/[\w-]+$/, (route) =>
      answer(route, (body, headers) => {
        headers[CSP] = without.hostPolicy?.(headers[CSP] ?? "") ?? "";
        return body;
      }),
    );
  if (without.host)
    await page.route("**/assets/preview-frame*.js", (route) =>
      answer(route, (body) => without.host?.(body) ?? body),
    );
  if (without.policy || without.headers || without.bootstrap)
    await page.route("**/preview.html", (route) =>
      answer(route, (body, headers) => {
        const before = script(body);
        const code = without.bootstrap?.(before) ?? before;
        const policy = (headers[CSP] ?? "").replace(hashOf(before), hashOf(code));
        headers[CSP] = without.policy?.(policy) ?? policy;
        for (const name of without.headers ?? []) delete headers[name];
        return body.replace(before, () => code);
      }),
    );
}

/** Removes the host's limit for a silent frame, because many attacks at once are slow on a busy machine. */
const patient = swap(/(?<=[>=])12\b/, "1e9");

/** Opens the page of a component. */
async function open(
  slug: string,
  without: Without = {},
  watch: (page: Page) => void = () => {},
): Promise<Page> {
  const page = await context.newPage();
  watch(page);
  await weaken(page, without);
  await page.goto(`/hub/components/${slug}`);
  return page;
}

/** Runs the preview in a new frame, which replaces the one before, and types these props into the field for props. */
async function run(page: Page, props: object): Promise<void> {
  await page.getByRole("button", { name: "Run preview" }).click();
  // The button is disabled until the new frame and its form have replaced those before.
  await page.locator("[data-preview-run]:enabled").waitFor();
  await page.frameLocator("iframe").locator("output, p").first().waitFor();
  await page.getByLabel("Props (JSON)").fill(JSON.stringify(props));
}

interface Outcome {
  /** Returns the names of the attacks that escaped: those that arrived at the servers, and those that the frame reports. */
  out(): Promise<string[]>;
  close(): Promise<void>;
}

/** Runs each group of attacks in a frame of its own. The frame starts all attacks of its group, then stays open for `stayMs`. */
async function attack(groups: string[][], without: Without = {}, stayMs = 0): Promise<Outcome> {
  const trap = await openTrap();
  const said: string[] = [];
  const note = (what: string) => said.push(what);
  const host = (code: string) => patient(without.host?.(code) ?? code);
  const served = script(await (await fetch(`${stack.url}/preview.html`)).text());
  const hash = hashOf(without.bootstrap?.(served) ?? served);
  const page = await open("attacker", { ...without, host }, (page) => {
    page.on("popup", (other) => {
      note("a page");
      void other.close();
    });
    page.on("download", () => note("a download"));
    page.on("dialog", (dialog) => {
      note("a dialog");
      void dialog.accept("yes");
    });
  });
  const output = page.frameLocator("iframe").locator("output");
  /** Attacks that the frames before the last one report. */
  const reported: string[] = [];
  const report = async (names: string[]): Promise<string[]> => {
    if (names.some((name) => name in NAVIGATION)) return [];
    // Without a guard the frame may have left its page by now.
    const read = (timeout: number) => output.textContent({ timeout });
    return JSON.parse((await (trap.caught.size > 0 ? read(1_000).catch(() => null) : read(10_000))) ?? "[]");
  };
  for (const names of groups) {
    await run(page, { run: names, base: trap.base, tcp: trap.tcp, udp: trap.udp, hash });
    if (!names.some((name) => name in NAVIGATION || name.startsWith("top-"))) {
      await page.frameLocator("iframe").locator("output[data-done=true]").waitFor();
    }
    await sleep(stayMs);
    if (names !== groups.at(-1)) reported.push(...(await report(names)));
  }
  return {
    out: async () => {
      const got = [...reported, ...(await report(groups.at(-1) ?? []))];
      const moved = page.url() === `${stack.url}/hub/components/attacker` ? [] : ["the page"];
      const owned = (await page.locator("body[data-owned]").count()) > 0 ? ["parent-document"] : [];
      return [...new Set([...trap.caught, ...got, ...said, ...moved, ...owned])].sort();
    },
    close: async () => {
      trap.stop();
      await page.close();
    },
  };
}

/** The time to wait for attacks that escape: without a guard each of these arrives sooner, as the tests below show. */
const ARRIVAL_MS = 600;

const eachNavigation = Object.keys(NAVIGATION).map((name) => [name]);

describe("no attack gets out of the frame", () => {
  const names = Object.keys(NETWORK);
  test(`of ${names.length} on the network`, async () => {
    const outcome = await attack([names.slice(0, 36), names.slice(36)], {}, ARRIVAL_MS);
    expect(await outcome.out()).toEqual([]);
    await outcome.close();
  });

  test(`of ${Object.keys(LOCAL).length} on what the browser keeps and the page around`, async () => {
    const outcome = await attack([Object.keys(LOCAL)]);
    expect(await outcome.out()).toEqual([]);
    await outcome.close();
  });

  test(`of ${Object.keys(NAVIGATION).length} that lead the frame elsewhere`, async () => {
    const outcome = await attack(eachNavigation, {}, ARRIVAL_MS);
    expect(await outcome.out()).toEqual([]);
    await outcome.close();
  });
});

const noSandbox: Without = {
  policy: swap("sandbox allow-scripts; ", ""),
  host: swap(/\(.sandbox.,.allow-scripts.\)/, "(`class`,``)"),
};

/** A guard, the page without it, and the attacks that then escape. If two guards do the same, both are removed. */
const GUARDS: [string, Without, string[]][] = [
  [
    "default-src 'none'",
    { policy: swap("default-src 'none'; ", "") },
    [
      "fetch",
      "xhr",
      "beacon",
      "websocket",
      "eventsource",
      "prefetch",
      "video",
      "object",
      "embed",
      "child-frame",
    ],
  ],
  [
    "img-src",
    { policy: swap("img-src data: blob:", "img-src *") },
    ["image", "svg-image", "css-background", "preload-image"],
  ],
  ["font-src", { policy: swap("font-src data:", "font-src *") }, ["css-font", "font-face"]],
  ["style-src", { policy: swap("style-src", "style-src *") }, ["stylesheet", "css-import"]],
  [
    "the script's hash, and the second policy",
    { policy: swap(/script-src .*?;(.*), script-src.*/, "script-src * 'unsafe-inline' 'unsafe-eval';$1") },
    ["script", "import()", "modulepreload", "preload-script"],
  ],
  [
    "the second policy, which knows no address",
    { policy: swap(/, script-src.*/, "") },
    ["script-with-hash", "module-with-hash", "preload-with-hash"],
  ],
  [
    "both sandboxes",
    noSandbox,
    [
      "cookie",
      "local-storage",
      "indexed-db",
      "an-origin",
      "parent-document",
      "parent-address",
      "frame-element",
      "confirm",
    ],
  ],
  ["both sandboxes, of the page around", noSandbox, ["top-navigation"]],
  [
    "both sandboxes, and form-action",
    { ...noSandbox, policy: (text) => swap("form-action 'none'; ", "")(noSandbox.policy?.(text) ?? "") },
    ["form-blank"],
  ],
  [
    "the script's hash, of a child's script",
    { policy: swap(/'sha256-[^']+'/, "'unsafe-inline'") },
    ["peer-connection-of-a-child"],
  ],
  [
    "the bootstrap's removal of peer connections",
    { bootstrap: swap(/delete globalThis\[\w+\]/, "0") },
    ["peer-connection"],
  ],
  ["the host's frame-src", { hostPolicy: swap(/frame-src [^;]+/, "frame-src *") }, ["location", "refresh"]],
  [
    "the list of features, and allow",
    {
      headers: ["permissions-policy"],
      host: swap(/(.allow.),..\)/, "$1,`clipboard-write *; fullscreen *`)"),
    },
    ["features"],
  ],
];

/** Shows that the tests above can fail. */
function withoutGuards(): void {
  const arrives = (name: string) => (name.startsWith("peer-connection") ? "stun" : name);
  test.each(GUARDS)("%s", async (_guard, without, names) => {
    // Attacks that lead the frame elsewhere run one after another, as above: an attack that escapes must not hide the next one.
    const groups = names.some((name) => name in NAVIGATION) ? eachNavigation : [names];
    const outcome = await attack(groups, without, ARRIVAL_MS);
    const missing = async () => {
      const out = await outcome.out();
      return names.filter((name) => !out.includes(arrives(name)));
    };
    await expect.poll(missing, { timeout: 4_000 }).toEqual([]);
    await outcome.close();
  });
}
if (LONG_TESTS) describe("without a guard the attack gets out", withoutGuards);

describe("a component that misbehaves", () => {
  const place = (page: Page) => page.locator("[data-preview-place]");
  let watching: Page;
  let waiting: Page;
  beforeAll(async () => {
    watching = await open("rogue");
    waiting = await open("rogue", { host: patient });
  });
  afterAll(() => Promise.all([watching, waiting].map((page) => page?.close())));

  test("is taken away when it eats memory: it answers while it eats, until the browser ends its process", async () => {
    // Playwright treats the whole page as crashed when a frame's process ends, so the debugger asks the page itself.
    let session: Promise<CDPSession> | undefined;
    const hungry = await open("rogue", {}, (page) => {
      session = context.newCDPSession(page);
    });
    await run(hungry, { mode: "eat memory" });
    const ask = async (expression: string): Promise<unknown> =>
      (await (await session)?.send("Runtime.evaluate", { expression }))?.result.value;
    const text = () => ask('document.querySelector("[data-preview-place]").textContent');
    await expect.poll(text, { timeout: 20_000 }).toContain("stopped answering");
    expect(await ask('document.querySelectorAll("iframe").length')).toBe(0);
    // The page still works: the next run reports its height.
    await ask('document.querySelector("[data-preview-run]").click()');
    const height = () => ask('Number(document.querySelector("iframe")?.getAttribute("height") ?? 0)');
    await expect.poll(height, { timeout: 20_000 }).toBeGreaterThan(0);
    await hungry.close();
  });

  test("is taken away when it hangs, while the page goes on", async () => {
    await run(watching, { mode: "hang" });
    await place(watching).getByText("stopped answering").waitFor();
    expect(await watching.locator("iframe").count()).toBe(0);
    await watching.getByRole("button", { name: "Run preview" }).click();
    await watching.frameLocator("iframe").getByText("waits").waitFor();
  });

  // Shows that the test above can fail.
  if (LONG_TESTS)
    test("stays without the host's watch when it hangs", async () => {
      const unwatched = await open("rogue", { host: patient });
      await run(unwatched, { mode: "hang" });
      await sleep(4_000);
      expect(await unwatched.locator("iframe").count()).toBe(1);
      await unwatched.close();
    });

  test.each(["flood", "flood of the window"])("is taken away: %s", async (mode) => {
    await run(watching, { mode });
    await place(watching).getByText("sent too much").waitFor();
    expect(await watching.locator("iframe").count()).toBe(0);
  });

  test.each(["throw", "tall", "pollute", "lies"])("does nothing to the page: %s", async (mode) => {
    const page = waiting;
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await run(page, { mode });
    if (mode === "throw") await place(page).getByText("<img src=x onerror=alert(1)>").waitFor();
    if (mode === "pollute") await page.frameLocator("iframe").getByText("still drawn").waitFor();
    if (mode === "lies") await place(page).getByText("<b id=owned>lie</b>").waitFor();
    if (mode === "tall") await expect.poll(() => page.locator("iframe").getAttribute("height")).toBe("900");
    expect(await page.locator("#owned, img[src=x]").count()).toBe(0);
    expect(Number((await page.locator("iframe").getAttribute("height")) ?? 0)).toBeLessThanOrEqual(900);
    expect(await page.evaluate(() => Object.keys(Object.prototype))).toEqual([]);
    expect(dialogs).toEqual([]);
  });
});
