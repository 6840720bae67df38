import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { features } from '../../../src/agent/assembly/features.ts'
import { writeJson } from '../../../src/base/json.ts'
import { declared } from '../../../src/features/contract/route.ts'
import { digits, parameter } from '../../../src/features/http/declared.ts'
import { failureStatus } from '../../../src/http/failure-status.ts'
import { commonStatuses } from '../../../src/http/openapi/answers.ts'
import { openApiDocument, placedOperations, withDocument } from '../../../src/http/openapi/document.ts'

const routes = withDocument(
  features.flatMap((feature) => feature.routes ?? []),
  '1.4.0',
)
const document = JSON.parse(writeJson(made())) as z.infer<typeof openApi>

function made() {
  const steps = openApiDocument(routes, '1.4.0')
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

const keywords = [
  ...['$ref', 'type', 'enum', 'const', 'format', 'pattern', 'description', 'contentEncoding', 'minimum', 'maximum'],
  ...['items', 'prefixItems', 'properties', 'required', 'additionalProperties', 'propertyNames', 'anyOf'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems'],
] as const
const keyword = z.enum(keywords)
/** JSON Schema 2020-12, as far as the document uses it. */
const schema: z.ZodType = z.lazy(() =>
  z.partialRecord(keyword, z.unknown()).and(
    z.looseObject({
      $ref: z
        .string()
        .regex(/^#\/components\/schemas\/[\w.-]+$/)
        .optional(),
      items: schema.optional(),
      prefixItems: z.array(schema).optional(),
      anyOf: z.array(schema).min(1).optional(),
      properties: z.record(z.string(), schema).optional(),
      additionalProperties: z.union([z.boolean(), schema]).optional(),
      required: z.array(z.string()).optional(),
    }),
  ),
)
const reference = (kind: string) =>
  z.strictObject({ $ref: z.string().regex(new RegExp(`^#/components/${kind}/[\\w.-]+$`)) })
const mediaType = z.strictObject({ schema: schema.optional() })
const content = z.record(z.string().regex(/^[\w*.-]+\/[\w*.-]+(; [\w-]+=[\w.-]+)*$/), mediaType)
const parameterObject = z.strictObject({
  name: z.string().min(1),
  in: z.enum(['query', 'header', 'path', 'cookie']),
  description: z.string().optional(),
  required: z.boolean().optional(),
  allowEmptyValue: z.boolean().optional(),
  schema,
})
const header = z.strictObject({ description: z.string().optional(), required: z.boolean().optional(), schema })
const response = z.strictObject({
  description: z.string().min(1),
  headers: z.record(z.string(), z.union([header, reference('headers')])).optional(),
  content: content.optional(),
})
const operation = z.strictObject({
  operationId: z.string(),
  summary: z.string().min(1),
  description: z.string().regex(/^Requires (no token: )?.+[^.]\.$/),
  security: z.tuple([]).optional(),
  tags: z.array(z.string().min(1)),
  parameters: z.array(z.union([parameterObject, reference('parameters')])),
  requestBody: z.strictObject({ description: z.string().min(1), required: z.boolean(), content }).optional(),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), z.union([response, reference('responses')])),
})
const named = <Value extends z.ZodType>(value: Value) => z.record(z.string().regex(/^[\w.-]+$/), value)
/** Objects and members of OpenAPI 3.1.0, section 4.8, as far as the document uses them. */
const openApi = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.strictObject({ url: z.string() })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  paths: z.record(
    z.string().regex(/^\/(v1|debug)\//),
    z.strictObject({ get: operation, put: operation, post: operation, delete: operation }).partial(),
  ),
  components: z.strictObject({
    parameters: named(parameterObject),
    headers: named(header),
    responses: named(response),
    schemas: named(schema),
    securitySchemes: named(
      z.strictObject({ type: z.literal('apiKey'), in: z.literal('header'), name: z.string(), description: z.string() }),
    ),
  }),
})

function references(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member] : references(member),
  )
}

const all = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, described]) => (described === undefined ? [] : [{ path, method, described }])),
)

describe('the OpenAPI document', () => {
  it('has the structure of OpenAPI 3.1', () => {
    expect(openApi.safeParse(document).error?.issues ?? []).toEqual([])
  })

  it('refers only to what is there, and has nothing without a reference to it', () => {
    const used = new Set(references(document))
    const there = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, members]) => Object.keys(members).map((name) => `#/components/${kind}/${name}`))
    expect([...used].filter((each) => !there.includes(each))).toEqual([])
    const spare = there.filter((each) => !used.has(each) && !each.startsWith('#/components/headers/'))
    expect(spare).toEqual([])
  })

  it('has an operation for each method of each route, and no others', () => {
    const placed = placedOperations(routes).map(({ path, method }) => `${method} ${path}`)
    expect(all.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort()).toEqual([...placed].sort())
    expect(new Set(placed).size).toBe(placed.length)
    const served = routes.flatMap(({ operations, endings = {} }) => {
      return [operations, ...Object.values(endings)].flatMap((each) => Object.keys(each))
    })
    expect(placed).toHaveLength(served.length)
  })

  it('names each operation once, and each of its parameters', () => {
    const ids = all.map(({ described }) => described.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, described } of all) {
      const parameters = described.parameters.map((each) => {
        return '$ref' in each ? document.components.parameters[String(each.$ref).split('/').at(-1) ?? ''] : each
      })
      const names = parameters.map((each) => `${each?.in} ${each?.name}`)
      expect(new Set(names).size, path).toBe(names.length)
      const inPath = parameters.filter((each) => each?.in === 'path').map((each) => `{${each?.name}}`)
      expect(inPath, path).toEqual([...path.matchAll(/\{\w+\}/g)].map(([part]) => part))
    }
  })

  it('tells with every failed answer how fresh it may say that its data are', () => {
    const failures = Object.keys(commonStatuses)
    const silent = all.flatMap(({ path, method, described }) =>
      failures
        .filter((status) => {
          const told = described.responses[status]
          return told === undefined || ('headers' in told && !Object.hasOwn(told.headers ?? {}, 'X-Svc-Index'))
        })
        .map((status) => `${method} ${path}: ${status}`),
    )
    expect(silent).toEqual([])
  })

  it('tells of every status that a failure has', () => {
    const told = new Set([...Object.keys(commonStatuses).map(Number), 401, 404, 413])
    expect(Object.values(failureStatus).filter((status) => !told.has(status))).toEqual([])
  })
})

describe('a declared operation', () => {
  it('does not compile with a handler that reads what it does not declare', () => {
    const index = parameter('index', digits, 'planned')
    const operationOf = (read: () => void) => read
    const wrong = operationOf(() =>
      declared({
        summary: 'planned',
        access: { open: 'a test' },
        query: [index],
        answers: [],
        // @ts-expect-error `wait` is not declared.
        handle: async (_agent, { query }) => ({ kind: 'text', status: 200, text: query.get('wait') ?? '' }),
      }),
    )
    const right = declared({
      summary: 'planned',
      access: { open: 'a test' },
      query: [index],
      answers: [],
      handle: async (_agent, { query }) => ({ kind: 'text', status: 200, text: query.get('index') ?? '' }),
    })
    expect([typeof wrong, right.query]).toEqual(['function', [index]])
  })
})
