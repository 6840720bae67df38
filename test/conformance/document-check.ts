import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { parseJsonInput } from '../../src/base/json-input.ts'
import type { GoldenAnswer, GoldenRequest, GoldenTarget } from './golden/golden-target.ts'

interface Place {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: object
}
interface Reference {
  readonly $ref: string
}
interface Header {
  readonly required?: boolean
  readonly schema: object
}
interface Answered {
  readonly headers?: Readonly<Record<string, Reference>>
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}
interface Described {
  readonly operationId: string
  readonly parameters: readonly (Place | Reference)[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema?: object }>>
  }
  readonly responses: Readonly<Record<string, Answered | Reference>>
}
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Place>>
    readonly headers: Readonly<Record<string, Header>>
    readonly responses: Readonly<Record<string, Answered>>
    readonly schemas: Readonly<Record<string, object>>
  }
}

interface Found {
  readonly template: string
  readonly operations: Readonly<Record<string, Described>>
}

/** Headers that agents add where they are configured to, to any answer. */
const configured = new Set(['x-svc-translate-addresses'])
const told = /^(x-svc-.*|x-cache|age)$/

/**
 * Holds exchanges to an OpenAPI document: what a request that was taken says must be declared and fit, and so must all
 * of its answer. Schemas are read back by zod's own reader of JSON Schema.
 */
export class DocumentCheck {
  readonly #document: Document
  readonly #templates: readonly { readonly pattern: RegExp; readonly literal: number; readonly found: Found }[]
  readonly #validators = new Map<string, z.ZodType>()
  readonly #definitions: object

  constructor(document: Document) {
    this.#document = document
    this.#definitions = readable(document.components.schemas)
    this.#templates = Object.entries(document.paths)
      .map(([template, operations]) => {
        const parts = template.split(/\{\w+\}/)
        const pattern = new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('([^]*)')}$`)
        return { pattern, literal: parts.join('').length, found: { template, operations } }
      })
      .sort((a, b) => b.literal - a.literal)
  }

  /** A target whose exchanges are held to the document; what does not fit goes to `faults`. */
  watch(target: GoldenTarget, faults: string[]): GoldenTarget {
    return {
      ports: target.ports,
      beginDns: (question) => target.beginDns(question),
      until: (promise) => target.until(promise),
      pause: (ms) => target.pause(ms),
      nowMs: () => target.nowMs(),
      begin: async (request) => {
        const answer = await target.begin(request)
        if (!request.stream) for (const fault of this.faults(request, answer)) faults.push(fault)
        return answer
      },
    }
  }

  /** What of an exchange does not fit the document. */
  faults(request: GoldenRequest, answer: GoldenAnswer): readonly string[] {
    if (answer.kind === 'error') return []
    const [path = '', query = ''] = request.target.split(/\?(.*)/s)
    const found = this.#find(path)
    if (found === undefined) return []
    const operation = found.operations[request.method.toLowerCase()]
    const at = (fault: string): string =>
      `${request.method} ${request.target.slice(0, 200)} -> ${answer.status}: ${fault}`
    if (operation === undefined) {
      const fits =
        answer.status === 405 || request.method === 'OPTIONS' || answer.status === 301 || answer.status === 400
      return fits ? [] : [at(`${found.template} has no such method, and it was not refused`)]
    }
    const taken = answer.status < 400 ? this.#requestFaults(operation, query, request.body) : []
    return [...taken, ...this.#answerFaults(operation, answer)].map(at)
  }

  #find(path: string): Found | undefined {
    let decoded: string
    try {
      decoded = decodeURIComponent(path)
    } catch {
      return undefined
    }
    if (/\/(\/|\.\.?(\/|$))/.test(decoded)) return undefined
    return this.#templates.find(({ pattern }) => pattern.test(decoded))?.found
  }

  #requestFaults(operation: Described, query: string, body: Uint8Array | undefined): readonly string[] {
    const faults: string[] = []
    const given = new URLSearchParams(query.replaceAll(';', '&'))
    for (const listed of operation.parameters) {
      const { name, in: where, required = false, schema } = this.#resolved(listed, 'parameters')
      if (where !== 'query') continue
      const values = given.getAll(name)
      if (required && values.length === 0) faults.push(`${name} is missing`)
      if (values.length === 0) continue
      const value = 'type' in schema && schema.type === 'array' ? values : values[0]
      faults.push(...this.#misfits(schema, value).map((fault) => `${name}: ${fault}`))
    }
    return [...faults, ...this.#bodyFaults(operation, body)]
  }

  #bodyFaults({ requestBody }: Described, body: Uint8Array | undefined): readonly string[] {
    if (requestBody === undefined) return []
    if (body === undefined || body.length === 0) return requestBody.required ? ['the body is missing'] : []
    const schema = requestBody.content['application/json']?.schema
    if (schema === undefined) return []
    const json = parsed(body)
    // What follows the first value of a body is not looked at.
    if (json === undefined) return parseJsonInput(body).ok ? [] : ['the body is no JSON']
    return this.#misfits(schema, json.value).map((fault) => `body: ${fault}`)
  }

  #answerFaults({ responses }: Described, answer: GoldenAnswer & { kind: 'answer' }): readonly string[] {
    const listed = responses[answer.status]
    if (listed === undefined) return answer.status === 301 ? [] : ['no such status is declared']
    const { headers = {}, content = {} } = this.#resolved(listed, 'responses')
    const sent = new Map(answer.headers.map(([name, value]) => [name.toLowerCase(), value]))
    const faults: string[] = []
    const declared = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
    for (const name of sent.keys()) {
      if (told.test(name) && !declared.has(name) && !configured.has(name)) faults.push(`header ${name} is not declared`)
    }
    for (const [name, reference] of Object.entries(headers)) {
      const { required = false, schema } = this.#resolved<Header>(reference, 'headers')
      const value = sent.get(name.toLowerCase())
      if (value === undefined && required) faults.push(`header ${name} is missing`)
      if (value !== undefined) faults.push(...this.#misfits(schema, plain(value)).map((fault) => `${name}: ${fault}`))
    }
    const body = sent.get('content-encoding') === 'gzip' ? gunzipSync(answer.body) : answer.body
    return [...faults, ...this.#contentFaults(content, sent.get('content-type'), body)]
  }

  #contentFaults(
    content: NonNullable<Answered['content']>,
    type: string | undefined,
    body: Uint8Array,
  ): readonly string[] {
    if (type === undefined) return body.length === 0 ? [] : ['a body without a type']
    const declared = content[type] ?? content['*/*']
    if (declared === undefined) return [`content type ${type} is not declared`]
    if (type !== 'application/json') return []
    const json = parsed(body)
    return json === undefined ? ['no JSON'] : this.#misfits(declared.schema, json.value)
  }

  #misfits(schema: object, value: unknown): readonly string[] {
    const key = JSON.stringify(schema)
    const known = this.#validators.get(key)
    const validator = known ?? z.fromJSONSchema({ ...(readable(schema) as object), $defs: this.#definitions } as never)
    if (known === undefined) this.#validators.set(key, validator)
    const read = validator.safeParse(value)
    return read.success ? [] : read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
  }

  #resolved<T extends object>(listed: T | Reference, kind: 'parameters' | 'headers' | 'responses'): T {
    if (!('$ref' in listed)) return listed
    const prefix = `#/components/${kind}/`
    const found = listed.$ref.startsWith(prefix)
      ? (this.#document.components[kind] as Readonly<Record<string, object>>)[listed.$ref.slice(prefix.length)]
      : undefined
    if (found === undefined) throw new Error(`${listed.$ref} refers to nothing`)
    return found as T
  }
}

/** For a reader that looks for definitions elsewhere, and whose integers are those that a double holds. */
function readable(schema: object): object {
  const text = JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/')
  return JSON.parse(text, (_key, value: unknown) => {
    const isWide = typeof value === 'object' && value !== null && 'format' in value && value.format === 'uint64'
    return isWide
      ? { ...value, type: Array.isArray((value as { type?: unknown }).type) ? ['number', 'null'] : 'number' }
      : value
  }) as object
}

function parsed(body: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(Buffer.from(body).toString('utf8')) as unknown }
  } catch {
    return undefined
  }
}

/** What a header says, as the schema of its value sees it. */
function plain(value: string): unknown {
  if (/^\d+$/.test(value)) return Number(value)
  return value === 'true' || value === 'false' ? value === 'true' : value
}
