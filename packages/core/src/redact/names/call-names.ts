import { KEY_QUALIFIERS, PROVIDERS, words } from "../names/lexicon.ts";

/** What the literals among the arguments of a call mean: a key as the first one, or a password after a name. */
export type CallKind = "key" | "password" | "second" | null;

/** Methods that are given a key or token. Without underscores, lower-case. */
const SETTERS = words(`
  setkey setapikey settoken setaccesstoken setauthtoken setbearertoken setsecret setsecretkey setclientsecret setlicensekey setauth setcredentials
  usetoken usekey useapikey withtoken withkey withapikey withaccesstoken withsecret loginwithtoken logintoken
  authenticate auth authorize login signin configure loginwithcustomtoken
`);
/** Calls that are given a name and then its password. */
const LOGINS = words(`
  login signin logon authenticate auth authorize signinwithemailandpassword createuserwithemailandpassword signinwithpassword loginwithpassword connect mysqliconnect
  mysqlconnect mysqlpconnect pgconnect pdo ftplogin setcredentials withcredentials setbasicauth basicauth httpbasicauth passwordauthentication pscredential
  minio ftp ftptls networkcredential getconnection usernamepasswordcredentials plainauth sshconnect
`);
/** Calls that are given an address or a name first and a key second. */
const SECONDS = words(
  "createclient createserverclient createbrowserclient initializeclient searchclient algoliasearch",
);
/** Names of constructors of further SDKs. */
const SERVICES = words(`
  octokit telegrambot telebot telegraf sendgrid mailgun mailersend plaid shopify intercom segment mixpanel amplitude rollbar bugsnag honeybadger
  pushover pushbullet pusher ably postmark sparkpost mandrill vonage plivo telnyx messagebird clickup monday todoist jira confluence linear
  notion airtable contentful sanity storyblok strapi ghost dropbox cloudinary imgix uploadcare filestack github gitlab bitbucket circleci
  travis heroku netlify vercel cloudflare digitalocean linode vultr hetzner datadog newrelic grafana honeycomb logtail axiom langchain llamaindex
  unstructured apify browserless browserbase scrapingbee zenrows steel e2b daytona modal baseten lepton anyscale octoai aimlapi chatopenai openaiembeddings
  chatanthropic azureopenai asyncopenai asyncanthropic generativemodel googlegenerativeai googlegenai mistralclient cohereclient groqclient slackclient
  webclient discordclient twilioclient zep mem0 chroma marqo vespa turbopuffer hume cartesia playht speechmatics gladia revai rev
`);
/** Words of `KEY_QUALIFIERS`, without those that are both names of services and ordinary words. */
const ORDINARY = words(`
  api apis secret private access auth authentication authorization encryption encrypt decryption decrypt signing sign signature master admin
  service account subscription client consumer app application bot deploy deployment host function functions shared hmac aes rsa
  ssh gpg pgp pem tls ssl jwt webhook write ingest ingestion instrumentation developer merchant security cipher crypto psk presharedkey
  role rest sdk token system sas bearer agent license licence recovery vault unseal seal server restapi together weather brave segment linear exa
  preshared wifi wallet activation product turnstile anon user fcm storageaccount apiaccess apiauth gateway replicate stability
`);

/** What each of them means, with the endings of names of clients. */
const KINDS = new Map<string, Exclude<CallKind, null>>();
for (const service of [...PROVIDERS, ...SERVICES, ...KEY_QUALIFIERS]) {
  if (ORDINARY.has(service)) continue;
  for (const end of ["", "client", "api", "sdk", "ai", "llm"]) {
    KINDS.set(service + end, "key");
    KINDS.set(`new${service}${end}`, "key");
  }
}
for (const name of SECONDS) KINDS.set(name, "second");
for (const name of SETTERS) KINDS.set(name, "key");
for (const name of LOGINS) KINDS.set(name, "password");

/** Names that do not say which service the object is for. */
const GENERAL = words("new client create init");

const FAR = 56;
const NO_NAME = { kind: null, lone: false };

/** What the arguments of a call mean, whose bracket is at `at`; with `lone`, a single argument is a key. */
export function callKind(text: string, at: number): { kind: CallKind; lone: boolean } {
  if (!isWord(text.charCodeAt(at - 1))) return NO_NAME;
  const floor = Math.max(0, at - FAR);
  let start = at;
  while (start > floor && isWord(text.charCodeAt(start - 1))) start--;
  let last = simple(text.slice(start, at));
  // `Groq::new("…")`, `cohere.Client("…")`, `Mistral::Client.new("…")`: the word before it.
  for (let step = 0; step < 2 && GENERAL.has(last); step++) {
    let end = start;
    while (end > floor && isJoint(text.charCodeAt(end - 1))) end--;
    let owner = end;
    while (owner > floor && isWord(text.charCodeAt(owner - 1))) owner--;
    if (end === start || owner === end) break;
    last = simple(text.slice(owner, end));
    start = owner;
  }
  return { kind: KINDS.get(last) ?? null, lone: SETTERS.has(last) };
}

function simple(name: string): string {
  const lower = name.toLowerCase();
  return lower.includes("_") ? lower.replaceAll("_", "") : lower;
}

function isWord(c: number): boolean {
  return (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95;
}

/** `.`, `::`, `->`. */
function isJoint(c: number): boolean {
  return c === 46 || c === 58 || c === 62 || c === 45;
}
