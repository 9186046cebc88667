/** The words for each setting of a preset: its name, and its meaning or unit. */
const FIELDS: Record<string, { name: string; says: string }> = {
  model_id: { name: "Model", says: "" },
  temperature: { name: "Temperature", says: "0 is the most predictable" },
  topP: { name: "Top P", says: "share of likely words that are considered" },
  topK: { name: "Top K", says: "number of likely words that are considered" },
  maxOutputTokens: { name: "Longest answer", says: "tokens" },
  thinkingLevel: { name: "Thinking level", says: "" },
  thinkingBudget: { name: "Thinking budget", says: "tokens" },
  generate_content_api: { name: "API", says: "" },
};

export function PresetTable({ payload }: { payload: Record<string, unknown> }) {
  const known = Object.keys(FIELDS);
  const placeOf = (key: string) => (known.includes(key) ? known.indexOf(key) : known.length);
  const { extra, source_format: _, source_text: __, ...own } = payload;
  // Settings that FIELDS does not list, such as those of another tool, come last, with the name of their key.
  const rows = [...Object.entries(own), ...Object.entries(Object(extra) as Record<string, unknown>)]
    .filter(([, value]) => value !== null && value !== undefined)
    .sort(([a], [b]) => placeOf(a) - placeOf(b));
  return (
    <table class="preset">
      <caption class="hidden">Settings</caption>
      <tbody>
        {rows.map(([key, value]) => (
          <tr key={key}>
            <th scope="row">{FIELDS[key]?.name ?? key}</th>
            <td>
              <code>{typeof value === "string" ? value : JSON.stringify(value)}</code>
            </td>
            <td class="quiet">{FIELDS[key]?.says}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
