import type { ReportReason } from "@keyhub/hub/source";
import { failureText } from "../app/failure-text.ts";
import type { Hub } from "../data/hub.ts";
import { say } from "./message.ts";

const REASONS: Record<ReportReason, string> = {
  spam: "Spam",
  inappropriate: "Inappropriate content",
  copyright: "Copyright violation",
  malicious_code: "Malicious code",
  other: "Something else",
};

/** Opens a dialog that asks for the reason, and sends the report. */
export function openReport(hub: Hub, assetId: string): void {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog";
  dialog.setAttribute("aria-labelledby", "report-title");
  // This markup holds no text that a user wrote, so it needs no escaping.
  dialog.innerHTML = `<form class="stack">
    <h2 id="report-title">Report this listing</h2>
    <label class="field"><span>Reason</span><select name="reason" required><option value="">Choose one</option>${Object.entries(
      REASONS,
    )
      .map(([value, name]) => `<option value="${value}">${name}</option>`)
      .join("")}</select></label>
    <label class="field"><span>Details (required for something else)</span><textarea name="details" rows="3" maxlength="1000"></textarea></label>
    <fieldset class="stack" data-work hidden disabled>
      <legend>The work that it copies</legend>
      <label class="field"><span>Address (https)</span><input name="work_url" type="url" maxlength="2048" placeholder="https://"></label>
      <label class="field"><span>Who holds the rights</span><input name="work_holder" maxlength="200"></label>
    </fieldset>
    <p class="problem" role="alert" hidden></p>
    <p class="row"><button class="primary" type="submit">Report</button><button type="button" data-close>Cancel</button></p>
  </form>`;
  const form = dialog.querySelector("form");
  const problem = dialog.querySelector<HTMLElement>(".problem");
  const work = dialog.querySelector<HTMLFieldSetElement>("[data-work]");
  form?.querySelector("select")?.addEventListener("change", ({ currentTarget }) => {
    if (work) work.hidden = work.disabled = (currentTarget as HTMLSelectElement).value !== "copyright";
  });
  dialog.querySelector("[data-close]")?.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const data = new FormData(form);
    const details = String(data.get("details")).trim();
    try {
      const text = (name: string) => String(data.get(name) ?? "").trim() || undefined;
      const named = { url: text("work_url"), holder: text("work_holder") };
      await hub.report(assetId, data.get("reason") as "copyright", details || undefined, named);
      dialog.close();
      say("Thank you. An admin will look at it.");
    } catch (error) {
      if (!problem) return;
      problem.textContent = await failureText(error);
      problem.hidden = false;
    }
  });
  document.body.append(dialog);
  dialog.showModal();
}
