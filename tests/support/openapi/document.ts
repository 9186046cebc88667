import * as z from "zod/mini";
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiRequestBodyObject,
  type ZodOpenApiResponsesObject,
} from "zod-openapi";
import { PROBLEM_TYPE, type ProblemCode, problems } from "../../../packages/core/src/problem.ts";
import { fault, problemContract } from "../../../packages/core/src/problem-contract.ts";
import { type Caller, COMMON_CODES, type Operation, TAGS } from "./operation.ts";
import { operations, rules, schemas } from "./operations.ts";

/** Returns the OpenAPI document of the functions, made from core's present contracts. */
export function makeDocument(): string {
  const document = createDocument(describeAll());
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    if (!CLOSED.test(name)) open(schema);
  }
  for (const [name, rule] of Object.entries(rules))
    Object.assign(document.components?.schemas?.[name] ?? {}, rule);
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Matches the schemas of requests and of files, which are refused when they have unknown members. */
const CLOSED = /Request$|^Archive/;

/** Allows unknown members in the schema of an answer, because a later version may add members that clients must not refuse. */
function open(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  const { additionalProperties } = schema as { additionalProperties?: unknown };
  if (additionalProperties === false)
    delete (schema as { additionalProperties?: unknown }).additionalProperties;
  for (const child of Object.values(schema)) open(child);
}

const uuid = { type: "string", format: "uuid" } as const;

function describeAll(): ZodOpenApiObject {
  const used = new Set(operations.flatMap(codesOf));
  return {
    openapi: "3.1.0",
    info: {
      title: "Keyhub functions",
      version: "0.1.0",
      summary: "Key rotation for agents, and a hub of assets",
      description:
        "Every 4xx and 5xx is a problem document (RFC 9457) with a stable `code`; programs decide by it. Tables and RPCs of the project are PostgREST's and not part of this document.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [
      {
        url: "{supabaseUrl}/functions/v1",
        description: "A Supabase project, or the local stack",
        variables: { supabaseUrl: { default: "http://127.0.0.1:54321", description: "SUPABASE_URL" } },
      },
    ],
    tags: TAGS.map((tag) => ({ ...tag })),
    paths: Object.fromEntries(
      [...Map.groupBy(operations, ({ path }) => path)].map(([path, those]) => [
        path,
        Object.assign({}, ...those.map(pathOf)),
      ]),
    ),
    components: {
      schemas: {
        ...schemas,
        Fault: fault,
        ...Object.fromEntries([...used].sort().map((code) => [nameOf(code), contractOf(code)])),
      },
      securitySchemes: {
        agentToken: {
          type: "http",
          scheme: "bearer",
          description: "An agent token, `kh_agent_` and 64 hexadecimal digits. It reaches one user's pool.",
        },
        accessToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "The access token of a signed-in user, from Supabase Auth.",
        },
        secretKey: {
          type: "apiKey",
          in: "header",
          name: "apikey",
          description: "A secret key of the project. It never leaves the operator's servers.",
        },
      },
      headers: {
        RequestId: {
          description: "Also in the function's log, and in a problem as `request_id`.",
          required: true,
          schema: uuid,
        },
        Attempts: {
          description: "How many keys were tried. Only an answer of the provider has it.",
          required: true,
          schema: { type: "integer", minimum: 1 },
        },
        RetryAfter: {
          description: "Seconds until a retry can succeed; `retry_after` in the body has the same value.",
          schema: { type: "integer", minimum: 1 },
        },
        Challenge: { description: "How to authenticate.", required: true, schema: { const: "Bearer" } },
        Allow: { description: "The methods that are allowed.", required: true, schema: { type: "string" } },
      },
      parameters: {
        IdempotencyKey: {
          name: "Idempotency-Key",
          in: "header",
          description:
            "Identifies the request: a retry with the same key gets the first answer for 24 hours. It is ignored without an account.",
          schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
        },
      },
    },
  };
}

function pathOf(operation: Operation): NonNullable<ZodOpenApiObject["paths"]>[string] {
  const {
    operationId,
    tag,
    summary,
    description,
    callers,
    parameters = {},
    idempotent,
    passesOn,
    described: onGet,
    method = "post",
  } = operation;
  const inPath = Object.entries(parameters).map(([name, parameter]) => ({
    name,
    in: "path" as const,
    required: true,
    ...parameter,
  }));
  const described = (by?: string): ZodOpenApiOperationObject => ({
    operationId: by === undefined ? operationId : `${operationId}By${by}`,
    tags: [tag],
    summary,
    description,
    security: callers.map(securityOf),
    ...(idempotent && { parameters: [{ $ref: "#/components/parameters/IdempotencyKey" }] }),
    ...(hasBody(operation, by) && { requestBody: requestBodyOf(operation) }),
    responses: {
      ...answersOf(operation),
      ...problemsOf(codesOf(operation), passesOn),
      ...(passesOn && { default: PASSED_ON }),
    },
  });
  return {
    ...(inPath.length > 0 && { parameters: inPath }),
    ...(onGet && { get: descriptionOf(tag, onGet) }),
    [method]: described(),
    ...(passesOn && {
      get: described("Get"),
      head: described("Head"),
      put: described("Put"),
      patch: described("Patch"),
      delete: described("Delete"),
    }),
  };
}

function descriptionOf(
  tag: Operation["tag"],
  { operationId, summary, contract }: NonNullable<Operation["described"]>,
): ZodOpenApiOperationObject {
  return {
    ...{ operationId, tags: [tag], summary, security: [securityOf("guest")] },
    responses: {
      200: {
        description: summary,
        headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
        content: { "application/json": { schema: contract } },
      },
      ...problemsOf(["not_found", "internal_error"], false),
    },
  };
}

/** Returns whether a request has a body. `by` is the method if the operation accepts any method. */
function hasBody({ method }: Operation, by = ""): boolean {
  return method !== "get" && method !== "delete" && by !== "Get" && by !== "Head";
}

/** The content of the provider's answer, which may have any type. */
const ANY = { "*/*": {} };
const PASSED_ON = {
  description:
    "The provider's own answer, streaming. Asterisks replace the key wherever the answer repeats it.",
  headers: { "X-Keyhub-Attempts": { $ref: "#/components/headers/Attempts" } },
  content: ANY,
};

function requestBodyOf({ body, passesOn, media }: Operation): ZodOpenApiRequestBodyObject {
  if (media) return { required: true, content: contentOf(media) };
  return {
    required: body.required,
    content: { "application/json": { schema: body.contract, example: body.example }, ...(passesOn && ANY) },
  };
}

function securityOf(caller: Caller): Record<string, string[]> {
  return caller === "guest" ? {} : { [caller]: [] };
}

/** Returns the codes that an operation can answer. */
export function codesOf({ codes, passesOn, signed, method }: Operation): ProblemCode[] {
  if (passesOn || signed || method) return [...codes];
  return [...new Set([...COMMON_CODES, ...codes])];
}

function answersOf({ answers }: Operation): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, contract, media = [] }]) => [
      status,
      {
        description,
        ...(contract && { headers: headersOf(Number(status)) }),
        content: contract ? { "application/json": { schema: contract } } : contentOf(media),
      },
    ]),
  );
}

function contentOf(media: readonly string[]): Record<string, Record<never, never>> {
  return Object.fromEntries(media.map((type) => [type, {}]));
}

function problemsOf(codes: readonly ProblemCode[], passesOn = false): ZodOpenApiResponsesObject {
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, those]) => [
      status,
      {
        description: [
          ...those.map((code) => `\`${code}\`: ${problems[code].title}.`),
          ...(passesOn ? ["Or the provider's own answer of this status, see `default`."] : []),
        ].join("\n\n"),
        headers: headersOf(status),
        content: { [PROBLEM_TYPE]: { schema: oneOf(those) } },
      },
    ]),
  );
}

function oneOf(codes: readonly ProblemCode[]): z.ZodMiniType {
  const [first, ...others] = codes.map(contractOf);
  if (first === undefined) throw new Error("a status without a code");
  return others.length === 0 ? first : z.discriminatedUnion("code", [first, ...others]);
}

const contracts = new Map<ProblemCode, ReturnType<typeof problemContract>>();
function contractOf(code: ProblemCode): ReturnType<typeof problemContract> {
  const contract = contracts.get(code) ?? problemContract(code);
  contracts.set(code, contract);
  return contract;
}

/** Returns the name of a code's schema: `keys_cooling_down` becomes KeysCoolingDown. */
function nameOf(code: ProblemCode): string {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function headersOf(status: number): Record<string, { $ref: string }> {
  const ref = (name: string) => ({ $ref: `#/components/headers/${name}` });
  return {
    "X-Request-Id": ref("RequestId"),
    ...(status === 401 && { "WWW-Authenticate": ref("Challenge") }),
    ...(status === 405 && { Allow: ref("Allow") }),
    ...((status === 429 || status === 503) && { "Retry-After": ref("RetryAfter") }),
  };
}
