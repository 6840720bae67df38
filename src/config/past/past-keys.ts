import { hasBehaviour, isWithin, parseRelease, type Release, releaseText } from '../../model/release.ts'
import { parseEndpoint } from '../../rpc/address.ts'
import type { KeyRow } from '../keys/key.ts'
import type { ConfigProblem } from '../problem.ts'
import type { ConfigDocument } from '../sources/document.ts'
import { keysStillRead } from './removed.ts'

/** Settings that only earlier releases have. */
export interface PastSettings {
  /** Only for releases with `metric-names-single` and without `old-metric-names-gone`. */
  readonly deprecatedMetricNames?: boolean
  /** `ports.rpc` and `addresses.rpc` of releases without `cli-rpc-gone`. */
  readonly cliRpcPort?: number
  readonly cliRpcAddress?: string
}

/** A document as an earlier release reads it, expressed in the keys of today. */
interface PastReading {
  readonly document: ConfigDocument
  readonly past: PastSettings
  readonly warnings: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

type Path = readonly PropertyKey[]

/** The present meaning of an option with an old name, or why it has no effect. */
type Meaning =
  | { readonly says: (value: unknown) => readonly (readonly [key: string, value: unknown])[] }
  | { readonly nothing: string }

const as = (key: string): Meaning => ({ says: (value) => [[key, value]] })
const ofCloud = (provider: string): Meaning => ({ says: (value) => [['retry_join', [providerText(provider, value)]]] })
const noCliRpc: Meaning = { nothing: 'commands talk HTTP to it, whatever its release' }
const noUpdateService: Meaning = { nothing: 'the service it belonged to is gone' }

const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['reap', { nothing: 'it reaps the programs that it runs, and no others' }],
  ['addresses.rpc', noCliRpc],
  ['ports.rpc', noCliRpc],
  ['retry_join_ec2', ofCloud('aws')],
  ['retry_join_gce', ofCloud('gce')],
  ['retry_join_azure', ofCloud('azure')],
  [
    'advertise_addrs',
    {
      says: (value) =>
        (
          [
            ['advertise_addr', 'serf_lan'],
            ['advertise_addr_wan', 'serf_wan'],
          ] as const
        ).flatMap(([key, of]) => {
          const host = hostOf(value, of)
          return host === undefined ? [] : [[key, host] as const]
        }),
    },
  ],
  ['http_api_response_headers', as('http_config.response_headers')],
  ['recursor', { says: (value) => [['recursors', [value]]] }],
  ['statsd_addr', as('telemetry.statsd_address')],
  ['statsite_addr', as('telemetry.statsite_address')],
  ['statsite_prefix', as('telemetry.metrics_prefix')],
  ['statsd_prefix', as('telemetry.metrics_prefix')],
  ['dogstatsd_prefix', as('telemetry.metrics_prefix')],
  ['dogstatsd_addr', as('telemetry.dogstatsd_addr')],
  ['dogstatsd_tags', as('telemetry.dogstatsd_tags')],
  ['telemetry.statsite_prefix', as('telemetry.metrics_prefix')],
  ['telemetry.statsd_prefix', as('telemetry.metrics_prefix')],
  ['telemetry.dogstatsd_prefix', as('telemetry.metrics_prefix')],
  ['atlas_infrastructure', noUpdateService],
  ['atlas_token', noUpdateService],
  ['atlas_acl_token', noUpdateService],
  ['atlas_join', noUpdateService],
  ['atlas_endpoint', noUpdateService],
])

const deprecatedNames = 'telemetry.enable_deprecated_names'

/**
 * Reads a document as an agent of an earlier release does. Options that were removed since then keep the meaning that
 * they had; keys that came later, or never existed, are ignored or refused. `keys` are all known keys. `written` has
 * every known key in its own case.
 */
export function readAsPast(written: ConfigDocument, keys: readonly KeyRow[], release: Release): PastReading {
  const reading = new Reading(written, release)
  reading.laterKeys(keys)
  for (const name of keysStillRead(release)) reading.removedKey(name)
  return reading.done()
}

class Reading {
  readonly #written: ConfigDocument
  readonly #release: Release
  readonly #warnings: string[] = []
  readonly #problems: ConfigProblem[] = []
  /** The places of values that were given under an old name. */
  readonly #moved = new Map<string, Path>()
  #value: unknown
  #past: PastSettings = {}

  constructor(written: ConfigDocument, release: Release) {
    this.#written = written
    this.#release = release
    this.#value = written.value
  }

  done(): PastReading {
    const { file } = this.#written
    const placeOf = (path: Path): string => {
      const above = path.map((_, at) => this.#moved.get(path.slice(0, at + 1).join('.')))
      return this.#written.placeOf(above.findLast((old) => old !== undefined) ?? path)
    }
    const document = { file, value: this.#value, placeOf }
    return { document, past: this.#past, warnings: this.#warnings, problems: this.#problems }
  }

  /**
   * Refuses keys that this release does not know yet, or ignores them with a warning. Keys within the items of a list
   * are not looked at.
   */
  laterKeys(keys: readonly KeyRow[]): void {
    for (const { name, since: text } of keys) {
      const since = text === undefined ? undefined : parseRelease(text)
      if (since === undefined || name.includes('[]') || isWithin(this.#release, { since })) continue
      const path = spelledAt(this.#value, name.split('.'))
      if (path === undefined) continue
      const place = this.#written.placeOf(path)
      const message = `invalid config key ${name}`
      if (hasBehaviour(this.#release, 'unknown-keys-refused')) {
        this.#problems.push({ place, message, remedy: `it was introduced in ${releaseText(since)}` })
      } else {
        this.#warnings.push(`${place}: ${message}: it was introduced in ${releaseText(since)}, and is ignored`)
        this.#value = without(this.#value, path)
      }
    }
  }

  /** An option that was removed later. */
  removedKey(name: string): void {
    const path = spelledAt(this.#value, name.split('.'))
    if (path === undefined) return
    const value = valueAt(this.#value, path)
    const place = this.#written.placeOf(path)
    if (name === deprecatedNames) {
      // Before there were two kinds of names, there was no choice between them.
      if (!hasBehaviour(this.#release, 'metric-names-single')) return
      this.#past = { ...this.#past, deprecatedMetricNames: value === true }
      this.#warnings.push(`${place}: '${name}' is read as it was before 1.1.0`)
      this.#value = without(this.#value, path)
      return
    }
    if (this.#cliRpc(name, value, path)) return
    const meaning = meanings.get(name)
    if (meaning === undefined) return
    this.#value = without(this.#value, path)
    if ('nothing' in meaning) {
      this.#warnings.push(`${place}: '${name}' has no effect: ${meaning.nothing}`)
      return
    }
    const said = meaning.says(value)
    for (const [key, new_] of said) this.#say(key.split('.'), new_, path)
    const now = said.map(([key]) => `'${key}'`).join(' and ')
    this.#warnings.push(`${place}: '${name}' is read as ${now === '' ? 'nothing' : now}: later releases refuse it`)
  }

  /**
   * Reads an option about the port of the command line, for a release that has one. Returns whether it is such an
   * option.
   */
  #cliRpc(name: string, value: unknown, path: Path): boolean {
    const isPort = name === 'ports.rpc'
    if (hasBehaviour(this.#release, 'cli-rpc-gone') || !(isPort || name === 'addresses.rpc')) return false
    this.#value = without(this.#value, path)
    if (isPort && typeof value === 'number' && Number.isInteger(value) && value <= 65_535)
      this.#past = { ...this.#past, cliRpcPort: value }
    else if (!isPort && typeof value === 'string') this.#past = { ...this.#past, cliRpcAddress: value }
    else {
      const remedy = isPort ? 'write a port from 1 to 65535, or -1 for none' : 'write an address'
      this.#problems.push({ place: this.#written.placeOf(path), message: `'${name}' is not valid`, remedy })
    }
    return true
  }

  /**
   * Sets a value under its present name. An existing value under that name wins; lists are merged. A value of the wrong
   * type stays, so that it is refused: a text or number in place of a block, or a value that is not a list.
   */
  #say(path: readonly string[], value: unknown, from: Path): void {
    const blocks = path.slice(0, -1).map((_, at) => valueAt(this.#value, path.slice(0, at + 1)))
    if (blocks.some((block) => block !== undefined && !isObject(block))) return
    const there = valueAt(this.#value, path)
    if (there !== undefined && !Array.isArray(there)) return
    const isAdded = Array.isArray(there) && Array.isArray(value)
    if (!isAdded) this.#moved.set(path.join('.'), from)
    this.#value = withAt(this.#value, path, isAdded ? [...there, ...value] : value)
  }
}

/** The same path with each key as it is spelled there; undefined if there is no value at the path. */
function spelledAt(value: unknown, path: readonly string[]): Path | undefined {
  const spelled: string[] = []
  let at = value
  for (const part of path) {
    if (!isObject(at)) return undefined
    const key = Object.keys(at).find((each) => each.toLowerCase() === part)
    if (key === undefined) return undefined
    spelled.push(key)
    at = at[key]
  }
  return spelled
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, part) => (isObject(at) ? at[String(part)] : undefined), value)
}

/** The same value without the part at the path. */
function without(value: unknown, [head, ...rest]: Path): unknown {
  if (head === undefined || !isObject(value)) return value
  const members = Object.entries(value)
  if (rest.length === 0) return Object.fromEntries(members.filter(([key]) => key !== head))
  return Object.fromEntries(members.map(([key, member]) => [key, key === head ? without(member, rest) : member]))
}

function withAt(value: unknown, [head, ...rest]: Path, new_: unknown): unknown {
  if (head === undefined) return new_
  const members = isObject(value) ? value : {}
  return { ...members, [head]: withAt(members[String(head)], rest, new_) }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The text `provider=aws region=…` that corresponds to a block of settings for that cloud. */
export function providerText(provider: string, value: unknown): string {
  const said = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const pairs = said.filter(([, each]) => typeof each === 'string' && each !== '')
  return [`provider=${provider}`, ...pairs.map(([key, each]) => `${key}=${quoted(String(each))}`)].join(' ')
}

/** Quotes a value as the grammar of discovery requires. Reference: configuration.md#discovery-strings. */
function quoted(text: string): string {
  return /[\s\\"]/.test(text) ? `"${text.replace(/[\\"]/g, '\\$&')}"` : text
}

/** The host of `host:port` under this key of a block. */
function hostOf(value: unknown, key: string): string | undefined {
  const text =
    typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined
  return typeof text === 'string' ? parseEndpoint(text, 0)?.host : undefined
}
