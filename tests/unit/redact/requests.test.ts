import { describe, expect, test } from "vitest";
import { redact } from "../../../packages/core/src/redact/index.ts";
import { generate, randomFrom } from "../../fixtures/redact/generate.ts";

/* Cases that were reported from real workflows, tools and components. */
const random = randomFrom(43);
const make = (format: string) => generate(format, random);
const [hex, key, uuid] = [make("{x:32}"), make("{a:20}7{a:19}"), make("{uuid}")];

describe("what only its container or its address shows to be a key", () => {
  test.each<[string, unknown, string]>([
    ["a parameter in lines", { params: `city:x\nkey:${hex}` }, hex],
    ["a row of a query", { queryParameters: { parameters: [{ name: "appid", value: hex }] } }, hex],
    ["a member of a query", { query: { key: hex, page: "2" } }, hex],
    ["a header", `x-key: ${uuid}`, uuid],
    ["a header of a command", ["--header", `X-Key: ${uuid}`], uuid],
    ["a row of headers", { headerParameters: { parameters: [{ name: "Key", value: key }] } }, key],
    ["a variable", `X_KEY=${key}`, key],
    ["an MCP server", `https://mcp.pipedream.net/${uuid}/gmail`, uuid],
    ["another one", `https://mcp.composio.dev/composio/server/${uuid}/mcp`, uuid],
    ["one of n8n", { url: `https://n8n.acme.io/mcp/${uuid}/sse` }, uuid],
    ["a list under a heading", `## API Keys\n- ElevenLabs: ${hex}\n- Mistral: ${key}`, key],
    ["its first entry", `API keys:\n* OpenWeather - ${hex}\n* Amap - ${key}`, hex],
    ["a column beside services", `| Service | Key |\n| --- | --- |\n| Mistral | ${key} |`, key],
    ["a sentence", `Use endpoint https://api.acme.io/v1 and key ${key} to call it.`, key],
    ["a line", `Key: ${hex}`, hex],
    ["a provider behind the name", `API key ElevenLabs: ${hex}`, hex],
  ])("%s", (_, value, secret) => {
    const clean = redact(value).value;
    expect(JSON.stringify(clean)).not.toContain(secret);
    expect(redact(clean)).toEqual({ value: clean, redactions: [] });
  });

  test.each<unknown>([
    { query: { key: "name", sort: "asc" } },
    { queryParameters: { parameters: [{ name: "key", value: "customer_id" }] } },
    { key: hex },
    `cache key: ${hex}`,
    "https://docs.acme.io/mcp/getting-started",
    "### pypdf - Basic Operations",
    "Visual Basic Operations",
    { ChangeToken: uuid },
    `"ChangeToken": "${uuid}"`,
    { connectionString: "ignored" },
    "| Key | Action |\n| --- | --- |\n| Ctrl+K | Search |",
    "trusted-public-keys = cache.nixos.org-1:6NCHdD59X431o0gWypbMrAURkbJ16ZPMQFGspcDShjY=",
  ])("leaves %j", (value) => {
    expect(redact(value)).toEqual({ value, redactions: [] });
  });
});

describe("code as formatters write it", () => {
  test.each([
    `API_KEY: str = Field(\n    default="${key}",\n    description="x",\n)`,
    `api_key: SecretStr = SecretStr(\n    "${key}"\n)`,
    `parser.add_argument(\n    "--api-key",\n    type=str,\n    default="${key}",\n)`,
    `new OpenAI(\n  "${key}",\n);`,
    `const apiKey = getKey(\n  "${key}",\n);`,
    `const s = z.object({ apiKey: z.string().default("${key}") });`,
    `<Chat\n  apiKey={\n    "${key}"\n  }\n/>`,
    `const [apiKey, setApiKey] = useState(() => "${key}");`,
    `const token = useMemo(() => "${key}", []);`,
    `function getApiKey() {\n  return "${key}";\n}`,
    `api_key: Annotated[str, Field(description="x")] = "${key}"`,
    `const apiKey =\n  import.meta.env.VITE_KEY ??\n  "${key}";`,
  ])("%j", (text) => {
    expect(redact(text).value).toBe(text.replace(key, "[redacted]"));
  });

  test.each([
    'parser.add_argument("--api-key", required=True)',
    'p.add_argument("--api-key", help="Your API key")',
    'p.add_argument("--api-key", default=os.environ.get("API_KEY"))',
    '@click.option("--api-key", envvar="OPENAI_API_KEY", required=True)',
    'parser.add_argument("--password", default="")',
    'api_key: str = typer.Option(None, "--api-key", help="The key")',
    '.option("--api-key <key>", "Your API key")',
    'cmd.Flags().StringP("password", "p", "", "Password for the registry")',
    'const [apiKey, setApiKey] = useState("");',
    "  --api-key <key>      API key to use",
    "usage: x [-h] [--api-key API_KEY] [--token TOKEN]",
  ])("leaves %j", (text) => {
    expect(redact(text)).toEqual({ value: text, redactions: [] });
  });
});
