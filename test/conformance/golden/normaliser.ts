import { canonical, type Exact, type ExactObject, isObject, sortedKeys } from './exact-json.ts'

const uuidPattern = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g
const timePattern = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g
const pemPattern = /-----BEGIN ([A-Z ]+)-----[\s\S]*?-----END \1-----\n?/g
const fingerprintPattern = /\b[0-9a-f]{2}(?::[0-9a-f]{2}){7,}\b/g
const durationPattern = /(?<![\w.])(?:\d+\.\d+(?:ns|\u00b5s|ms|s)|\d+(?:ns|\u00b5s))(?!\w)/g
const authorityNumberPattern = /(CN ?= ?Svc CA )\d+/g
const indexTextPattern = /((?:modify|reset) index:? )\d+/g
/** UUIDs that a configuration or a sequence chose are compared as they are. */
const chosenUuid = /^(?:00000000-0000-0000-0000-00000000000\d|11111111-2222-3333-4444-555555555555|[abcd]{8}-)/
const zeroTime = '0001-01-01T00:00:00Z'

const indexKeys = new Set(['CreateIndex', 'ModifyIndex', 'Index', 'JobModifyIndex'])
const hashKeys = new Set(['ContentHash', 'Hash', 'SerialNumber'])
const comparedHeaders = new Set([
  'Content-Type',
  'Allow',
  'Location',
  'X-Cache',
  'Age',
  'Content-Encoding',
  'Vary',
  'Access-Control-Allow-Origin',
])
/** Headers of which only the form is compared. */
const volatileHeaders = new Set(['x-svc-index', 'x-svc-lastcontact', 'age', 'x-svc-contenthash'])

/** The name under which unmodified clients know the product: an alias's headers count as the product's own. */
function withoutAlias(text: string): string {
  return text.replaceAll('consul', 'svc').replaceAll('Consul', 'Svc').replaceAll('CONSUL', 'SVC')
}

/**
 * Turns answers into what two servers, or two runs, can be compared by. One for each sequence: UUIDs are numbered by
 * first appearance, so that identity across steps is compared too.
 */
export class Normaliser {
  readonly #uuids: Map<string, string>
  readonly #portNames: ReadonlyMap<number, string>
  readonly #portPattern: RegExp | undefined

  constructor(ports: Readonly<Record<string, number>>, uuids = new Map<string, string>()) {
    this.#uuids = uuids
    this.#portNames = new Map(Object.entries(ports).map(([name, port]) => [port, name]))
    const numbers = [...this.#portNames.keys()].join('|')
    this.#portPattern = numbers === '' ? undefined : new RegExp(`(?<!\\d)(?:${numbers})(?!\\d)`, 'g')
  }

  text(text: string): string {
    const out = withoutAlias(text)
      .replace(pemPattern, '<pem:$1>')
      .replace(timePattern, (time) => (time === zeroTime ? time : '<time>'))
      .replace(uuidPattern, (uuid) => this.#uuid(uuid))
      .replace(fingerprintPattern, '<hex>')
      .replace(durationPattern, '<dur>')
      .replace(authorityNumberPattern, '$1<n>')
      .replace(indexTextPattern, '$1<index>')
    return this.#portPattern === undefined
      ? out
      : out.replace(this.#portPattern, (port) => `<port:${this.#portNames.get(Number(port))}>`)
  }

  value(value: Exact, key?: string): Exact {
    if (isObject(value)) return this.#object(value)
    if (Array.isArray(value)) return value.map((item) => this.value(item))
    if (typeof value === 'string')
      return key !== undefined && hashKeys.has(key) && value !== '' ? '<hash>' : this.text(value)
    if (typeof value === 'boolean' || value === null) return value
    if (key !== undefined && indexKeys.has(key) && value !== 0) return '<index>'
    if (key === 'SerialNumber') return '<int>'
    const port = typeof value === 'number' ? this.#portNames.get(value) : undefined
    return port === undefined ? value : `<port:${port}>`
  }

  headers(pairs: readonly (readonly [string, string])[]): Record<string, string> {
    const out = new Map<string, string>()
    for (const [sentName, sentValue] of pairs) {
      const name = withoutAlias(sentName)
      if (!comparedHeaders.has(name) && !name.toLowerCase().startsWith('x-svc-')) continue
      const volatile = volatileHeaders.has(name.toLowerCase()) && /^[0-9a-f]+$/.test(sentValue)
      const value = volatile ? '<n>' : this.text(sentValue)
      const before = out.get(name)
      if (before === undefined) out.set(name, value)
      else if (!before.split(', ').includes(value)) out.set(name, `${before}, ${value}`)
    }
    return Object.fromEntries(out)
  }

  /** A key to sort by for lists whose order means nothing: UUIDs are not numbered yet. */
  sortKey(value: Exact): string {
    const ports = Object.fromEntries([...this.#portNames].map(([port, name]) => [name, port]))
    return canonical(new Normaliser(ports).value(value)).replace(/<uuid:\d+>/g, '<uuid>')
  }

  #object(value: ExactObject): Exact {
    const out: ExactObject = {}
    for (const key of sortedKeys(value)) out[this.text(key)] = this.value(value[key] as Exact, key)
    const { CreateIndex: created, ModifyIndex: modified } = value
    // The agent's own node record is touched again after joining: a race even in the system that was recorded.
    const ownNode = 'TaggedAddresses' in value && !('ServiceID' in value)
    if (created && modified && created === modified && !ownNode) out['ModifyIndex'] = '<index = CreateIndex>'
    return out
  }

  #uuid(uuid: string): string {
    if (chosenUuid.test(uuid)) return uuid
    const known = this.#uuids.get(uuid)
    if (known !== undefined) return known
    const numbered = `<uuid:${this.#uuids.size + 1}>`
    this.#uuids.set(uuid, numbered)
    return numbered
  }
}
