import type { Context } from "../context.ts";

const TITLES = {
  login: "Sign in",
  "login/new-password": "New password",
  workspace: "Workspace",
  orgs: "Organization",
  admin: "Review queue",
} as const;
export type AppPage = keyof typeof TITLES;

export function isAppPage(name: string): name is AppPage {
  return Object.hasOwn(TITLES, name);
}

/** Returns the frame of a page that depends on the viewer. The browser renders the content. */
export function appPage({ page }: Context, name: AppPage): Response {
  return page(
    {
      title: `${TITLES[name]} · Keyhub`,
      description: "Your own items, and the way to share them.",
      noindex: true,
    },
    <div id="app">
      <div class="skeleton">
        <span />
        <span />
        <span />
      </div>
      <noscript>
        <p>This page needs JavaScript. Searching and reading the hub does not.</p>
      </noscript>
    </div>,
  );
}
