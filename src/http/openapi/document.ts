import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import type { Env } from '../../env/env.ts'
import type {
  JsonSchema,
  OperationAccess,
  PathRest,
  QueryParameter,
  RequestBody,
  RequestHeader,
} from '../../features/contract/operation.ts'
import {
  declared,
  type HttpMethod,
  type Operation,
  type Operations,
  type Route,
} from '../../features/contract/route.ts'
import type { WithEnv } from '../../features/contract/surroundings.ts'
import { jsonAnswer } from '../../features/http/declared.ts'
import { type Naming, svcNaming } from '../../model/naming/naming.ts'
import { toldDocument } from '../../model/naming/told.ts'
import { pause } from '../../model/pause.ts'
import { headerNames } from '../header-names.ts'
import { prettyParameter } from '../route-call.ts'
import { DocumentSchemas, headerComponents, responseComponents, responses } from './answers.ts'

/** An operation and its path. */
export interface PlacedOperation {
  /** `/v1/kv/{key}` */
  readonly path: string
  readonly rest: PathRest | undefined
  readonly method: HttpMethod
  readonly operation: Operation
}

/** Every operation of a table, in its order. */
export function placedOperations(routes: readonly Route[]): readonly PlacedOperation[] {
  return routes.flatMap(({ path, rest, below, operations, endings = {} }) => {
    const whole = `${path}${rest === undefined ? '' : `{${rest.name}}`}${below === undefined ? '' : `/${below}`}`
    const placed = (at: string, those: Operations): PlacedOperation[] => {
      return Object.entries(those).map(([method, operation]) => {
        return { path: at, rest, method: method as HttpMethod, operation }
      })
    }
    const ended = Object.entries(endings).flatMap(([ending, those]) => placed(whole + ending, those))
    return [...placed(whole, operations), ...ended]
  })
}

type OpenApiDocument = { readonly [key: string]: Json }

/**
 * The description of the API in OpenAPI 3.1, made from the table of routes. It is generated one operation at a time:
 * all of them at once would block the agent's other work for too long.
 */
export function* openApiDocument(routes: readonly Route[], version: string): Generator<void, OpenApiDocument> {
  const schemas = new DocumentSchemas()
  const operations = placedOperations(routes)
  const parameters = new SharedParameters(operations, schemas)
  const paths = new Map<string, Record<string, Json>>()
  for (const placed of operations) {
    const item = paths.get(placed.path) ?? {}
    item[lowerAscii(placed.method)] = operationJson(placed, parameters, schemas)
    paths.set(placed.path, item)
    yield
  }
  return {
    openapi: '3.1.0',
    info: { title: 'svc HTTP API', version, description: introduction },
    servers: [{ url: '/' }],
    security: [{}, { token: [] }],
    paths: Object.fromEntries(paths),
    components: {
      parameters: parameters.components,
      headers: headerComponents(),
      responses: responseComponents(),
      schemas: schemas.components,
      securitySchemes: { token: { type: 'apiKey', in: 'header', name: tokenHeader, description: aboutToken } },
    },
  }
}

const tokenHeader = headerNames(svcNaming, []).token[0].replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())
const aboutToken =
  'The secret of a token. Requests without one use the default token of the agent. It counts only while access control is on: each operation says which rights it requires.'
const introduction = [
  'A method that is not listed gets 405 with `Allow`; every path answers OPTIONS with `Allow`.',
  'Bodies are read in the form that the operation takes, whatever their content type; members may be null, names of members',
  'match without regard to case, and unknown members are ignored. Headers of the product are also sent under the',
  'names of the configured aliases.',
].join(' ')

function operationJson(
  { path, rest, method, operation }: PlacedOperation,
  parameters: SharedParameters,
  schemas: DocumentSchemas,
): Json {
  const { summary, access, body, answers } = operation
  return {
    operationId: `${lowerAscii(method)}${path.replace(/^\/v1/, '').replace(/[{}]/g, '').replaceAll('/', '-')}`,
    summary,
    ...securityJson(access),
    tags: [path.split('/')[2] ?? ''],
    parameters: [...(rest === undefined ? [] : [pathParameter(rest)]), ...parameters.of(operation)],
    ...(body === undefined ? {} : { requestBody: bodyJson(body, schemas) }),
    responses: responses(answers, body !== undefined, schemas),
  }
}

/** The document states once that a token may be sent; operations that ignore it say so. */
function securityJson(access: OperationAccess): JsonSchema {
  if ('asks' in access) return { description: `Requires ${access.asks}.` }
  return { description: `Requires no token: ${access.open}.`, security: [] }
}

function pathParameter({ name, about }: PathRest): Json {
  return { name, in: 'path', required: true, description: about, schema: { type: 'string' } }
}

function bodyJson({ about, required, json }: RequestBody, schemas: DocumentSchemas): Json {
  const content = json === undefined ? { '*/*': {} } : { 'application/json': { schema: schemas.of(json, 'input') } }
  return { description: about, required, content }
}

/** Parameters that more than one operation declares are among the components; others are with the operation. */
class SharedParameters {
  readonly #schemas: DocumentSchemas
  readonly #shared = new Map<string, QueryParameter | RequestHeader>()

  constructor(operations: readonly PlacedOperation[], schemas: DocumentSchemas) {
    this.#schemas = schemas
    const seen = new Set<QueryParameter | RequestHeader>()
    for (const { operation } of operations) {
      for (const parameter of declaredIn(operation)) {
        if (seen.has(parameter) && !this.#shared.has(parameter.name)) this.#shared.set(parameter.name, parameter)
        seen.add(parameter)
      }
    }
  }

  get components(): JsonSchema {
    return Object.fromEntries([...this.#shared].map(([name, parameter]) => [name, this.#json(parameter)]))
  }

  of(operation: Operation): readonly Json[] {
    return declaredIn(operation).map((parameter) => {
      const isShared = this.#shared.get(parameter.name) === parameter
      return isShared ? { $ref: `#/components/parameters/${parameter.name}` } : this.#json(parameter)
    })
  }

  #json(parameter: QueryParameter | RequestHeader): Json {
    const { name, about } = parameter
    if (!('value' in parameter)) return { name, in: 'header', description: about, schema: { type: 'string' } }
    const { value, required = false } = parameter
    const head = { name, in: 'query', description: about, ...(required ? { required } : {}) }
    if (value === 'presence') return { ...head, allowEmptyValue: true, schema: { type: 'string' } }
    if (value === 'texts') return { ...head, schema: { type: 'array', items: { type: 'string' } } }
    return { ...head, schema: this.#schemas.of(value, 'input') }
  }
}

/** Parts of a request that its handler or the HTTP interface itself reads. */
function declaredIn({ query, headers = [], answers }: Operation): readonly (QueryParameter | RequestHeader)[] {
  const isJson = answers.some(({ content = {} }) => Object.hasOwn(content, 'application/json'))
  return [...query, ...(isJson ? [prettyParameter] : []), ...headers]
}

/** A route table with one more route, which describes them all. The document is made when it is first requested. */
export function withDocument<Context extends WithEnv>(
  routes: readonly Route<Context>[],
  version: string,
  naming: Naming = svcNaming,
): readonly Route<Context>[] {
  let document: Promise<OpenApiDocument> | undefined
  const own: Route<WithEnv> = {
    path: '/v1/openapi.json',
    operations: {
      GET: declared({
        summary: 'This document',
        access: { open: 'the description of the API is no secret' },
        answers: [jsonAnswer('OpenAPI 3.1.', z.looseObject({ openapi: z.string() }))],
        handle: async ({ env }) => {
          document ??= inSteps(env, openApiDocument(all, version))
          return { kind: 'json', value: toldDocument(naming, await document) }
        },
      }),
    },
  }
  const all: readonly Route<Context>[] = [...routes, own]
  return all
}

/** Yields to other work between two steps. */
async function inSteps<T>(env: Env, steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await pause(env, 0)
  }
}
