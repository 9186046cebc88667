import type { ComponentChildren } from "preact";
import { SECTIONS, TYPE_NAMES, TYPES_IN_ORDER } from "../data/addresses.ts";
import { Icon } from "./icon.tsx";

export interface Head {
  title: string;
  description: string;
  /** The absolute address of this page; undefined for a page without an address of its own. */
  canonical?: string;
  /** The absolute address of a picture for previews of links. */
  image?: string;
  type?: "website" | "article" | "profile";
  /** Structured data for search engines (schema.org). */
  data?: Record<string, unknown>;
  alternates?: { type: string; href: string; title?: string }[];
  /** Keeps search engines from listing the page. */
  noindex?: boolean;
}

/** Addresses of the built files. */
export interface Assets {
  style: string;
  script: string;
  theme: string;
}

/** The settings that the scripts of a page need. All of them are public. */
export interface SiteSettings {
  /** The address of the Supabase project. */
  api: string;
  publishableKey: string;
  preview: string;
  /** The public key that API keys are sealed with in the browser. */
  sealKey: string;
  /** Whether the browser loads the page again after a new build, for development. */
  reload?: boolean;
}

interface Props {
  head: Head;
  /** The contact address for right holders without an account. */
  contact: string | null;
  site: SiteSettings;
  assets: Assets;
  /** The text of the search field. */
  q?: string;
  section?: string;
  children: ComponentChildren;
}

/** Renders the whole HTML document of a page. */
export function Layout({ head, contact, site, assets, q = "", section, children }: Props) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <HeadTags head={head} />
        <meta name="keyhub-api" content={site.api} />
        <meta name="keyhub-key" content={site.publishableKey} />
        {site.sealKey && <meta name="keyhub-seal" content={site.sealKey} />}
        <meta name="keyhub-preview" content={site.preview} />
        {site.reload && <meta name="keyhub-reload" content="true" />}
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href={assets.style} />
        <script src={assets.theme} />
        <script type="module" src={assets.script} />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          <div class="wide bar">
            <a class="brand" href="/hub">
              <Icon name="brand" />
              <span>Keyhub</span>
            </a>
            <search class="find">
              <form action="/hub" method="get">
                <label class="hidden" for="q">
                  Search the hub
                </label>
                <Icon name="search" />
                <input id="q" name="q" type="search" value={q} placeholder="Search the hub" maxLength={500} />
              </form>
            </search>
            <nav class="account" aria-label="Account">
              <button class="icon" type="button" data-theme-toggle hidden aria-label="Change the colours">
                <Icon name="theme" />
              </button>
              <a href="/workspace">
                <Icon name="workspace" />
                <span>Workspace</span>
              </a>
              <a class="button" href="/login?returnTo=/hub" data-account>
                Sign in
              </a>
            </nav>
          </div>
          <nav class="wide sections" aria-label="Types of assets">
            <a href="/hub" aria-current={section === "hub" ? "page" : undefined}>
              All
            </a>
            {TYPES_IN_ORDER.map((type) => (
              <a
                key={type}
                href={`/hub/${SECTIONS[type]}`}
                aria-current={section === SECTIONS[type] ? "page" : undefined}
              >
                {TYPE_NAMES[type].many}
              </a>
            ))}
            <a href="/hub/creators" aria-current={section === "creators" ? "page" : undefined}>
              Creators
            </a>
          </nav>
        </header>
        <main id="main" class="wide" tabIndex={-1}>
          {children}
        </main>
        <footer class="wide foot">
          <p>
            Shared by its users. Imported components are other people's code: look at it before you run it.
          </p>
          <nav aria-label="For programs">
            <a href="/hub/feed.xml">Feed</a>
            <a href="/llms.txt">llms.txt</a>
            <a href="/hub/sitemap.xml">Sitemap</a>
          </nav>
          {contact && (
            <p>
              Is something here your work, or not right? <a href={contact}>Tell us</a>; you need no account.
            </p>
          )}
        </footer>
        <div id="messages" role="status" aria-live="polite" />
      </body>
    </html>
  );
}

function HeadTags({ head }: { head: Head }) {
  const { title, description, canonical, image, type = "website", data, alternates = [] } = head;
  return (
    <>
      <title>{title}</title>
      <meta name="description" content={description} />
      {canonical && <link rel="canonical" href={canonical} />}
      {head.noindex && <meta name="robots" content="noindex" />}
      <meta property="og:site_name" content="Keyhub" />
      <meta property="og:type" content={type} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      {canonical && <meta property="og:url" content={canonical} />}
      {image && <meta property="og:image" content={image} />}
      <meta name="twitter:card" content={image ? "summary_large_image" : "summary"} />
      {alternates.map((one) => (
        <link key={one.href} rel="alternate" type={one.type} href={one.href} title={one.title} />
      ))}
      {data && (
        <script
          type="application/ld+json"
          // Every `<` in the JSON is escaped, so that no text can end the script.
          dangerouslySetInnerHTML={{ __html: JSON.stringify(data).replace(/</g, "\\u003c") }}
        />
      )}
    </>
  );
}
