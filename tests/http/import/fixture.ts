import { randomUUID } from "node:crypto";
import type { Clone } from "../../support/database.ts";
import { type AssetType, makeUsers } from "../../support/hub.ts";
import { forgeToken, type Service } from "../../support/service.ts";
import { type Fixture, type Person, publishFixture, type Reply } from "../publish/fixture.ts";

export type { Person, Reply } from "../publish/fixture.ts";

export interface ImportFixture extends Fixture {
  /** Sends POST hub-import with a path, as a user or as a guest. */
  import(
    who: Pick<Person, "token"> | null,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply>;
  /** Makes a listing of a new user, or of the given one; returns the user and the registry row. */
  list(what?: Listing): Promise<{ creator: Person; ref: string; id: string; slug: string }>;
  /** Makes `count` users who can only import. They have no passwords, because hashing one is slow. */
  crowd(count: number): Promise<{ id: string; token: string }[]>;
  /** Makes an orchestration of two stages that are linked to a template, a component and a preset. */
  kit(creator: Person): Promise<{ ref: string; items: { asset_type: AssetType; ref_id: string }[] }>;
}

interface Listing {
  creator?: Person;
  type?: AssetType;
  columns?: Record<string, unknown>;
  body?: Record<string, unknown>;
}

export function importFixture(start: (db: Clone) => Promise<Service>): ImportFixture {
  const fixture = publishFixture(start) as ImportFixture;
  fixture.import = async (who, path, body, headers = {}) => {
    const response = await fixture.service.fetch(`/functions/v1/hub-import${path}`, {
      method: "POST",
      headers: {
        ...(who && { Authorization: `Bearer ${who.token}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: JSON.parse(text), text };
  };
  fixture.list = async ({ creator, type = "template", columns = {}, body = {} } = {}) => {
    const person = creator ?? (await fixture.join());
    const given = type === "template" ? { content: "Say hello to {{name}}" } : {};
    const ref = await person.make(type, { ...given, ...columns });
    const title = `A listing ${randomUUID().slice(0, 8)}`;
    const {
      status,
      body: answer,
      text,
    } = await person.publish({ asset_type: type, ref_id: ref, title, ...body });
    if (status !== 201) throw new Error(`not published: ${text}`);
    return { creator: person, ref, id: answer.asset.id, slug: answer.asset.slug };
  };
  fixture.crowd = async (count) => {
    const exp = Math.floor(Date.now() / 1000) + 3600;
    const ids = await makeUsers(fixture.db.sql, count);
    return ids.map((id) => ({
      id,
      token: forgeToken({ sub: id, role: "authenticated", aud: "authenticated", exp }),
    }));
  };
  fixture.kit = async (creator) => {
    const template = await creator.make("template", { name: "Greeting", content: "Hello" });
    const component = await creator.make("component", { name: "Card", source: "export const a = 1;" });
    const profile = await creator.make("ai_preset", {
      name: "Careful",
      model_id: "gemini-pro",
      temperature: 0.5,
    });
    const ref = await creator.make("orchestration", {
      name: "Welcome",
      nodes: [{ id: "n1", type: "stage", position: { x: 0, y: 0 }, data: {} }],
      stage_configs: [
        {
          id: "s1",
          node_id: "n1",
          name: "One",
          prompt_template_id: template,
          component_id: component,
          settings: {},
        },
        { id: "s2", node_id: "n1", name: "Two", ai_model_setting_id: profile, settings: {} },
      ],
    });
    return {
      ref,
      items: [
        { asset_type: "component", ref_id: component },
        { asset_type: "ai_preset", ref_id: profile },
        { asset_type: "template", ref_id: template },
      ],
    };
  };
  return fixture;
}

/** Publishes a kit; returns it with the document that a guest gets. */
export async function kitDocument(fixture: ImportFixture) {
  const creator = await fixture.join();
  const { ref, items } = await fixture.kit(creator);
  const { body } = await creator.publish({
    ...{ asset_type: "orchestration", ref_id: ref, title: "A kit", license: "cc-by", tags: ["kit"] },
    items,
  });
  const { body: answer } = await fixture.import(null, `/${body.asset.slug}`);
  return { creator, asset: body.asset, document: answer.document };
}
