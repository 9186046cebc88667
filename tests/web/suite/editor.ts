import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { violations, visit } from "../fixture.ts";
import { finish, member } from "../people.ts";

async function make(page: Page, type: string): Promise<void> {
  await page.goto("/workspace");
  await page.getByRole("button", { name: `New ${type}` }).click();
  await page.getByLabel("Name", { exact: true }).waitFor();
}

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").last().waitFor();
  await page.reload();
  await page.getByLabel("Name", { exact: true }).waitFor();
}

/** Checks that a field shows its fault and has the focus, and that nothing was stored. */
async function refuses(page: Page, label: string, message: string): Promise<void> {
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText(message, { exact: true }).waitFor();
  const field = page.getByLabel(label, { exact: true });
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
  expect(
    await field.evaluate(
      (one) => document.getElementById(one.getAttribute("aria-describedby") ?? "")?.textContent,
    ),
  ).toBe(message);
  expect(await page.getByText("Saved.").count()).toBe(0);
}

test("the variables of a template follow its prompt, and keep what was said of them", async () => {
  const guest = await visit("/favicon.svg");
  const { page } = guest;
  await make(page, "template");
  const prompt = page.getByLabel(/^Prompt/);
  const names = () => page.getByRole("group", { name: "Variables" }).locator("code").allTextContents();
  expect(await names()).toEqual(["{{text}}"]);
  await prompt.fill("Explain {{topic}} to {{reader}}.");
  expect(await names()).toEqual(["{{topic}}", "{{reader}}"]);
  await page.getByLabel("{{topic}} description").fill("A word or two");
  // The first text breaks {{topic}}, as typing does for a moment. In the second text {{topic}} is a variable again.
  await prompt.fill("Explain {{top to {{reader}}.");
  await prompt.fill("Explain {{topic}} to {{reader}}, {{tone}}.");
  expect(await violations(page)).toEqual([]);
  await save(page);
  expect(await names()).toEqual(["{{topic}}", "{{reader}}", "{{tone}}"]);
  expect(await page.getByLabel("{{topic}} description").inputValue()).toBe("A word or two");
  await page.getByLabel(/^Prompt/).fill("Explain {{topic}}.");
  await save(page);
  expect(await names()).toEqual(["{{topic}}"]);
  await page.getByLabel(/^Prompt/).fill("Explain it.");
  await page.getByText("None yet. Write a name").waitFor();
  await save(page);
  await finish(guest);
});

test("JSON that cannot be read is said at its field with its place, and the drawing follows what can", async () => {
  const visitor = await member("/favicon.svg");
  const { page } = visitor;
  await make(page, "orchestration");
  const nodes = page.getByLabel("Nodes (JSON)");
  const drawn = () => page.locator("svg.pipeline").textContent();
  await nodes.fill('[{"id": "a", "data": {"label": "Read"}}]');
  expect(await drawn()).toBe("Read");
  await nodes.fill('[{"id": "a", "data": {"label": "Read"}}\n {"id": "b", "data": {"label": "Write"}}]');
  expect(await drawn()).toBe("Read");
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH") sent.push(request.url());
  });
  await refuses(page, "Nodes (JSON)", "Line 2, column 2: a comma or ] is missing here.");
  expect(await nodes.evaluate((one: HTMLTextAreaElement) => one.selectionStart)).toBe(41);
  expect(await violations(page)).toEqual([]);
  // The message disappears while the text is corrected.
  await nodes.fill('[{"id": "a", "data": {"label": "Read"}},\n {"id": "b", "data": {"label": "Write"}}]');
  await page.getByRole("alert").waitFor({ state: "detached" });
  expect(await drawn()).toBe("ReadWrite");
  await page.getByLabel("Edges (JSON)").fill('{"source": "a", "target": "b"}');
  await refuses(page, "Edges (JSON)", "It must be a list: [ … ].");
  expect(sent).toEqual([]);
  await page.getByLabel("Edges (JSON)").fill('[{"id": "e", "source": "a", "target": "b"}]');
  await save(page);
  expect(sent).toHaveLength(1);
  expect(await drawn()).toBe("ReadWrite");
  expect(await page.locator("svg.pipeline path[marker-end]").count()).toBe(1);

  await make(page, "component");
  await page.getByLabel("Props (JSON Schema)").fill("[]");
  await refuses(page, "Props (JSON Schema)", "It must be an object: { … }.");
  // An empty field means an empty object, which the table accepts.
  await page.getByLabel("Props (JSON Schema)").fill("");
  await save(page);
  await finish(visitor);
});

test("lines of JSON have numbers that go with them, also many, and a fault is scrolled to", async () => {
  const guest = await visit("/favicon.svg");
  const { page } = guest;
  await make(page, "orchestration");
  const nodes = page.getByLabel("Nodes (JSON)");
  const numbers = page.locator(".numbered", { has: nodes }).locator("pre");
  const lastNumber = async () =>
    Number((await numbers.locator("span").last().textContent())?.split("\n").at(-1));
  const lines = async () => (await nodes.inputValue()).split("\n").length;
  expect(await lastNumber()).toBe(await lines());
  expect(await numbers.getAttribute("aria-hidden")).toBe("true");
  await page.getByRole("button", { name: "Add a stage" }).click();
  await page.getByText("Stage 3").first().waitFor();
  expect(await lastNumber()).toBe(await lines());
  // A line that is longer than the box stays one line.
  await nodes.fill(`[\n  {"id": "${"long ".repeat(200)}"}\n]`);
  expect(await lastNumber()).toBe(3);
  expect(await nodes.evaluate((one) => one.scrollHeight === one.clientHeight)).toBe(true);

  // Each node makes seven lines. The field numbers the lines in blocks of 500, so even the short form has three blocks.
  const count = LONG_TESTS ? 1_700 : 200;
  const many = Array.from({ length: count }, (_, i) => ({ id: `n${i}`, data: { label: `${i}`, a: 1 } }));
  const json = JSON.stringify(many, null, 2);
  // Typing such a text with `fill` takes the browser a minute.
  const set = (text: string) =>
    nodes.evaluate((one: HTMLTextAreaElement, value) => {
      one.value = value;
      one.dispatchEvent(new Event("input", { bubbles: true }));
    }, text);
  await set(json);
  await expect.poll(lastNumber).toBe(json.split("\n").length);
  expect(await lastNumber()).toBeGreaterThan(count * 7);
  // There must not be an element for each line, or for each pair of stages.
  expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(count * 8 + 1_000);
  expect(await numbers.evaluate((one) => one.querySelectorAll("*").length)).toBeLessThan(count / 17);
  const places = () =>
    nodes.evaluate((one) => {
      const beside = one.previousElementSibling as Element;
      const all = document.createRange();
      all.selectNodeContents(beside);
      const [first, box] = [all.getBoundingClientRect(), one.getBoundingClientRect()];
      const { paddingTop } = getComputedStyle(one);
      return {
        scrolled: one.scrollTop,
        // `apart`: pixels from the first line to the first number. `higher`: the height of all numbers minus that of all lines.
        apart: first.top - (box.top + one.clientTop + Number.parseFloat(paddingTop) - one.scrollTop),
        higher: first.height - (one.scrollHeight - 2 * Number.parseFloat(paddingTop)),
      };
    });
  await nodes.evaluate((one) => one.scrollTo(0, one.scrollHeight));
  await expect.poll(async () => Math.abs((await places()).apart)).toBeLessThanOrEqual(1);
  const end = await places();
  expect(Math.abs(end.higher)).toBeLessThanOrEqual(1);
  const middle = `n${count / 2}`;
  await set(json.replace(`"${middle}"`, middle));
  const line = json.slice(0, json.indexOf(`"${middle}"`)).split("\n").length;
  await refuses(
    page,
    "Nodes (JSON)",
    `Line ${line}, column 11: this is not a value; a text needs double quotes.`,
  );
  // The fault is in the middle of the text, so the box has scrolled to its middle.
  const { scrolled } = await places();
  expect(scrolled / end.scrolled).toBeGreaterThan(0.49);
  expect(scrolled / end.scrolled).toBeLessThan(0.51);
  await finish(guest);
});

test("a preset takes no number that no provider takes, and an item no empty name", async () => {
  const guest = await visit("/favicon.svg");
  const { page } = guest;
  await make(page, "AI preset");
  await page.getByLabel("Name", { exact: true }).fill(" ");
  await refuses(page, "Name", "Write a name.");
  await page.getByLabel("Name", { exact: true }).fill("Warm");
  // tests/unit/web/fields.test.ts has the limits of every number.
  const temperature = page.getByLabel("Temperature", { exact: true });
  await temperature.fill("99");
  await refuses(page, "Temperature", "It must be a number from 0 to 2.");
  expect(await violations(page)).toEqual([]);
  // An item that is not valid is not shared either.
  await page.getByRole("button", { name: "Share" }).click();
  expect(new URL(page.url()).pathname).toMatch(/^\/workspace\/ai_preset\//);
  await temperature.fill("1.25");
  const level = page.getByLabel("Thinking level");
  expect(
    await level.evaluate((one: HTMLInputElement) => [...(one.list?.options ?? [])].length),
  ).toBeGreaterThan(3);
  await level.fill("high");
  await save(page);
  expect(await page.getByLabel("Temperature").inputValue()).toBe("1.25");
  expect(await page.getByLabel("Thinking level").inputValue()).toBe("high");
  await finish(guest);
});

test("a source that does not compile is saved, with a word about it; a message that comes again is shown once", async () => {
  const guest = await visit("/favicon.svg");
  const { page } = guest;
  await make(page, "component");
  const messages = page.locator("#messages");
  const source = page.getByLabel("Source (TSX)");
  await source.fill("export default () => <p>Half</p");
  await page.getByRole("button", { name: "Save" }).click();
  await messages.getByText(/^This source does not compile: .*\(1:\d+\)/).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.reload();
  expect(await source.inputValue()).toBe("export default () => <p>Half</p");
  await source.fill("export default () => <p>Whole</p>;");
  const saved = messages.getByText("Saved.");
  for (let time = 0; time < 2; time += 1) {
    await page.getByRole("button", { name: "Save" }).click();
    await messages.locator("p:not([data-earlier])", { hasText: "Saved." }).waitFor();
    expect(await saved.count()).toBe(1);
    await saved.evaluate((one) => one.setAttribute("data-earlier", ""));
  }
  expect(await messages.getByText("does not compile").count()).toBe(0);
  await finish(guest);
});

test("the stages of a pipeline are edited in forms, and the drawing and the JSON follow", async () => {
  const visitor = await member("/favicon.svg");
  const { page } = visitor;
  await visitor.hub.workspace("template").create({ name: "New template", content: "{{text}}" });
  await make(page, "orchestration");
  const drawing = page.getByRole("img", { name: /^Pipeline of/ });
  await page.getByRole("button", { name: "Add a stage" }).click();
  await page.locator("summary", { hasText: "Stage 3" }).click();
  const stage = page.locator("details.item", { has: page.locator("summary", { hasText: "Stage 3" }) });
  await stage.getByLabel("Template").selectOption({ label: "New template" });
  await stage.getByRole("checkbox", { name: "Draft" }).check();
  const name = page.getByLabel("Name of the stage");
  await name.fill("");
  expect(await name.inputValue()).toBe("");
  await name.pressSequentially("Polish");
  await drawing.getByText("Polish").waitFor();
  expect(await violations(page)).toEqual([]);
  await page
    .getByRole("button", { name: "Remove Review" })
    .or(page.locator("summary", { hasText: "Review" }))
    .first()
    .click();
  await page.getByRole("button", { name: "Remove Review" }).click();
  await save(page);
  await drawing.getByText("Polish").waitFor();
  const json = async (label: string) => JSON.parse(await page.getByLabel(label).inputValue());
  expect((await json("Nodes (JSON)")).map(({ data }: { data: { label: string } }) => data.label)).toEqual([
    "Draft",
    "Polish",
  ]);
  expect(await json("Edges (JSON)")).toMatchObject([{ source: "stage-3", target: "draft" }]);
  expect(await json("Stages (JSON)")).toMatchObject([
    { name: "Draft" },
    { name: "Polish", prompt_template_id: expect.any(String) },
  ]);
  await finish(visitor);
});
