import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { builtSite, type Stack, withDatabase } from "../../packages/local/src/index.ts";
import type { Member } from "./accounts.ts";
import { SHELF } from "./organization.ts";

export interface Scene {
  stack: Stack;
  members: Record<Member, Awaited<ReturnType<BrowserContext["storageState"]>>>;
  /** The token of an invitation to the member's organization. */
  invitation: string;
}

export interface Picture {
  name: string;
  /** The viewer; a guest when absent. */
  as?: Member;
  open(page: Page, scene: Scene): Promise<unknown>;
}

const at =
  (path: string): Picture["open"] =>
  (page) =>
    page.goto(path);

async function openAt(page: Page, path: string, text: string): Promise<void> {
  await page.goto(path);
  await page.getByText(text).first().waitFor();
}

async function openItem(page: Page, name: string): Promise<void> {
  await page.goto("/workspace");
  await page.getByRole("link", { name }).first().click();
  await page.getByLabel("Name", { exact: true }).waitFor();
}

export const PAGES: Picture[] = [
  { name: "hub", open: at("/hub") },
  { name: "search", open: at("/hub?q=minutes") },
  { name: "nothing-found", open: at("/hub?q=nothing-is-called-so") },
  { name: "orchestrations", open: at("/hub/orchestrations") },
  { name: "templates", open: at("/hub/templates") },
  { name: "components", open: at("/hub/components") },
  { name: "ai-presets", open: at("/hub/ai-presets") },
  { name: "orchestration", open: at("/hub/orchestrations/research-brief-in-three-steps") },
  { name: "template", open: at("/hub/templates/clear-meeting-minutes") },
  { name: "remix", open: at("/hub/templates/protokoll-fuer-dailies") },
  {
    name: "component",
    open: async (page) => {
      await page.goto("/hub/components/pipeline-progress-bar");
      await page.getByRole("button", { name: "Run preview" }).click();
      await page.frameLocator("iframe").locator("li").first().waitFor();
    },
  },
  { name: "ai-preset", open: at("/hub/ai-presets/careful-analyst") },
  { name: "paid", open: at("/hub/templates/answers-to-complaints") },
  { name: "versions", open: at("/hub/templates/clear-meeting-minutes/versions") },
  { name: "creators", open: at("/hub/creators") },
  { name: "creator", open: at("/hub/creators/ada-lindqvist") },
  { name: "embed", open: at("/hub/embed/clear-meeting-minutes") },
  { name: "login", open: at("/login?returnTo=/hub") },
  {
    name: "forgot",
    open: async (page) => {
      await page.goto("/login");
      await page.getByRole("button", { name: "Forgot your password?" }).click();
    },
  },
  {
    name: "lite",
    open: async (page) => {
      await page.goto("/hub/templates/clear-meeting-minutes");
      await page.getByRole("link", { name: "Use this", exact: true }).click();
      await page.getByRole("link", { name: "Open", exact: true }).click();
      await page.getByLabel("Name", { exact: true }).waitFor();
      await page.goto("/workspace");
      await page.getByRole("link", { name: "Clear meeting minutes" }).waitFor();
    },
  },
  {
    name: "workspace",
    as: "member",
    open: async (page) => {
      await page.goto("/workspace");
      await page.getByRole("link", { name: "SQL from a question" }).waitFor();
    },
  },
  { name: "kit", as: "member", open: (page) => openAt(page, "/workspace/kit", "Your items") },
  { name: "following", as: "member", open: (page) => openAt(page, "/workspace/following", "Following") },
  { name: "purchases", as: "member", open: (page) => openAt(page, "/workspace/purchases", "Purchases") },
  { name: "revenue", as: "member", open: (page) => openAt(page, "/workspace/revenue", "To sell, set up") },
  { name: "keys", as: "member", open: (page) => openAt(page, "/workspace/keys", "My keys") },
  { name: "editor", as: "member", open: (page) => openItem(page, "Research brief") },
  {
    name: "share",
    as: "member",
    open: async (page) => {
      await openItem(page, "SQL from a question");
      await page.getByRole("button", { name: "Share" }).click();
      await page.locator("dialog[open]").waitFor();
      await page.getByRole("button", { name: "#qa" }).waitFor();
    },
  },
  {
    name: "share-preview",
    as: "member",
    open: async (page) => {
      await openItem(page, "JSON tree");
      await page.getByRole("button", { name: "Share" }).click();
      await page.getByLabel(/^Description/).fill("Shows an answer in JSON as a tree that opens and closes.");
      await page.getByRole("button", { name: /^Look at what/ }).click();
      await page
        .locator("dialog[open]")
        .getByRole("button", { name: /^(Publish|Share)$/ })
        .waitFor();
    },
  },
  {
    name: "listings",
    as: "member",
    open: async (page) => {
      await page.goto("/workspace/listings");
      await page.getByRole("article").first().waitFor();
    },
  },
  {
    name: "stars",
    as: "member",
    open: async (page) => {
      await page.goto("/workspace/stars");
      await page
        .getByRole("button", { name: /^Unstar/ })
        .first()
        .waitFor();
    },
  },
  {
    name: "organizations",
    as: "member",
    open: (page) => openAt(page, "/workspace/organizations", "Northwind"),
  },
  { name: "shelf", as: "member", open: (page) => openAt(page, SHELF, "Use this") },
  {
    name: "shelf-empty",
    as: "member",
    open: (page) => openAt(page, `${SHELF}?q=nothing-is-called-so`, "Nothing found"),
  },
  { name: "members", as: "member", open: (page) => openAt(page, `${SHELF}/members`, "joined") },
  { name: "reported", as: "member", open: (page) => openAt(page, `${SHELF}/reported`, "names a client") },
  {
    name: "shared-listing",
    as: "member",
    open: async (page) => {
      await openAt(page, SHELF, "Use this");
      await page.getByRole("link", { name: "SQL from a question" }).click();
      await page.getByText("Take it off the shelf").waitFor();
      await page.getByRole("button", { name: "Keyhub file" }).waitFor();
    },
  },
  { name: "shelf-of-others", open: (page) => openAt(page, SHELF, "nothing here that you can see") },
  {
    name: "join",
    open: (page, { invitation }) => openAt(page, `/workspace/join#${invitation}`, "Sign in to join"),
  },
  {
    name: "share-members",
    as: "member",
    open: async (page) => {
      await openItem(page, "SQL from a question");
      await page.getByRole("button", { name: "Share" }).click();
      await page.getByText("Who can see it").waitFor();
    },
  },
  {
    name: "profile",
    as: "member",
    open: async (page) => {
      await page.goto("/workspace/profile");
      await page.getByLabel("User name").fill("no spaces");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("It must be 3 to 30 letters").waitFor();
    },
  },
  {
    name: "offline",
    open: async (page) => {
      await page.goto("/hub/templates/clear-meeting-minutes");
      await page.context().setOffline(true);
      await page.getByText("You are offline").waitFor();
    },
  },
  {
    name: "admin",
    as: "admin",
    open: async (page) => {
      await page.goto("/admin");
      await page.getByRole("article").first().waitFor();
    },
  },
  { name: "not-found", open: at("/hub/templates/there-is-no-such-listing") },
  {
    name: "not-available",
    open: async (page, { stack }) => {
      const { createSite } = await import(join(await builtSite(), "server", "server.js"));
      const site: (request: Request) => Promise<Response> = createSite({
        supabaseUrl: stack.url,
        publishableKey: stack.env.SUPABASE_PUBLISHABLE_KEY,
        fetch: () => Promise.reject(new Error("the API is down")),
      });
      const answer = await site(new Request(`${stack.url}/hub`));
      const [status, body] = [answer.status, await answer.text()];
      const headers = Object.fromEntries(answer.headers);
      await page.route(/\/hub$/, (route) => route.fulfill({ status, headers, body }));
      await page.goto("/hub");
    },
  },
];

export const EMPTY_HUB: Picture = {
  name: "empty-hub",
  open: async (page, { stack }) => {
    await withDatabase(stack.databaseUrl, async (sql) => {
      // The triggers that keep the logs from being emptied are switched off.
      await sql.unsafe("set session_replication_role = replica; truncate public.hub_assets cascade");
    });
    await page.goto("/hub");
  },
};
