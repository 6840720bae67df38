import { err, ok, type Result } from '../../src/base/result.ts'
import { type About, type Meaning, meaningFields, subjects } from './meaning.ts'
import { recordFields, type TraceRecord } from './trace-record.ts'

/** The subjects by which events can be selected, with descriptions. */
export const aboutNames: Readonly<Record<string, string>> = {
  entry: 'an index of the log: messages that carry, acknowledge or cut it, and writes of it',
  term: 'a term of consensus',
  member: 'a member of a pool, in whichever message it is named',
  stream: 'the number of a connection',
  ...Object.fromEntries(subjects.map((subject) => [subject, `the ${subject} that a request or a command names`])),
}

const kindsOfEvents: ReadonlySet<string> = new Set(Object.keys(recordFields))
const layers: ReadonlySet<string> = new Set(Object.keys(meaningFields))

/**
 * Kinds of events, and layers. A layer selects events with a message of it, log lines about it, and timers of it.
 * Writes to the Raft log also belong to the layer `raft`.
 */
export const kindNames: readonly string[] = [...new Set([...kindsOfEvents, ...layers])]

/** The requested kinds and layers. */
export interface KindChoice {
  readonly kinds: ReadonlySet<string>
  readonly layers: ReadonlySet<string>
}

/**
 * The choice for some names, or the first name that is neither a kind nor a layer. A name may say which of the two it
 * is.
 */
export function kindChoice(names: readonly string[]): Result<KindChoice, string> {
  const chosen = { kinds: new Set<string>(), layers: new Set<string>() }
  for (const given of names) {
    const [, only, name = given] = /^(kind|layer):(.*)$/.exec(given) ?? []
    const isKind = only !== 'layer' && kindsOfEvents.has(name)
    const isLayer = only !== 'kind' && layers.has(name)
    if (!isKind && !isLayer) return err(given)
    if (isKind) chosen.kinds.add(name)
    if (isLayer) chosen.layers.add(name)
  }
  return ok(chosen)
}

/** Which events to show. An absent part selects all of them. */
export interface TraceSelection {
  readonly fromUs: number
  readonly toUs: number
  /** Numbers of events, both inclusive. */
  readonly fromEvent: number
  readonly toEvent: number
  readonly nodes: ReadonlySet<string> | undefined
  readonly kinds: KindChoice | undefined
  /** Values by name; an event must match one value of each name. */
  readonly about: ReadonlyMap<string, readonly string[]>
  /** Besides events about the subject, also show violations, faults, and process lives of the machines. */
  readonly faults: boolean
}

/** Whether an event belongs to the requested machines, kinds and subjects. Its time and number are judged before. */
export function isSelected(record: TraceRecord, { nodes, kinds, about }: TraceSelection): boolean {
  if (nodes !== undefined && !nodes.has(record.node)) return false
  if (kinds !== undefined && !isOfKind(record, kinds)) return false
  for (const [name, values] of about) if (!values.some((value) => isAbout(record, name, value))) return false
  return true
}

/** Whether an event is shown although it is not about the subject, because it may explain events that are. */
export function isShownBeside(record: TraceRecord, { nodes, kinds, about, faults }: TraceSelection): boolean {
  if (!faults || about.size === 0 || kinds !== undefined) return false
  switch (record.kind) {
    case 'violation':
    case 'error':
      return true
    case 'driver':
      return record.story === 'fault' || record.story === 'failure'
    case 'boot':
    case 'crash':
    case 'pause':
    case 'resume':
    case 'diskFault':
      return nodes?.has(record.node) !== false
    default:
      return false
  }
}

/** Topics of log lines and timers, with their layer. */
const layerOfTopic: Readonly<Record<string, string>> = {
  raft: 'raft',
  serf: 'gossip',
  memberlist: 'gossip',
  gossip: 'gossip',
  rpc: 'rpc',
  http: 'http',
  dns: 'dns',
}

function isOfKind(record: TraceRecord, { kinds, layers }: KindChoice): boolean {
  if (kinds.has(record.kind)) return true
  if (meansOf(record).some(({ layer }) => layers.has(layer) || (layer === 'log' && layers.has('raft')))) return true
  const topic = topicOf(record)
  const layer = topic === undefined || !Object.hasOwn(layerOfTopic, topic) ? undefined : layerOfTopic[topic]
  return layer !== undefined && layers.has(layer)
}

/** `raft` in `[INFO] raft: …`, and of a timer named `raft.election`. */
function topicOf(record: TraceRecord): string | undefined {
  if (record.kind === 'log') return /^\[[A-Z]+\] ([a-z]+):/.exec(record.text)?.[1]
  if (record.kind === 'timer') return record.waits?.split('.', 1)[0]
  return undefined
}

function meansOf(record: TraceRecord): readonly Meaning[] {
  return 'means' in record && record.means !== undefined ? record.means : []
}

function isAbout(record: TraceRecord, name: string, value: string): boolean {
  if (name === 'stream') return 'stream' in record && String(record.stream) === value
  if (meansOf(record).some((meaning) => says(meaning, name, value))) return true
  return record.kind === 'log' && logSays(record.text, name, value)
}

/** Fields of log lines are `name=value`; a member has several names there. */
function logSays(text: string, name: string, value: string): boolean {
  const fields =
    name === 'member' ? ['name', 'member', 'node', 'from', 'server'] : name === 'entry' ? ['index'] : [name]
  return text.split(' ').some((word) => fields.some((field) => word === `${field}=${value}`))
}

function says(meaning: Meaning, name: string, value: string): boolean {
  switch (name) {
    case 'entry':
      return saysEntry(meaning, Number(value))
    case 'term':
      return 'term' in meaning && meaning.term === Number(value)
    case 'member':
      return saysMember(meaning, value)
    default:
      return aboutsOf(meaning).some((about) => names(about, name, value))
  }
}

function saysEntry(meaning: Meaning, index: number): boolean {
  if (meaning.layer === 'raft') {
    if (meaning.name === 'append-request') return index > meaning.prev && index <= meaning.prev + meaning.count
    return 'index' in meaning && meaning.index === index
  }
  if (meaning.layer !== 'log') return 'index' in meaning && meaning.index === index
  if (meaning.name === 'truncate') return meaning.from <= index
  return 'index' in meaning && meaning.index === index
}

function saysMember(meaning: Meaning, member: string): boolean {
  if (meaning.layer !== 'gossip') return aboutsOf(meaning).some((about) => names(about, 'node', member))
  if ('member' in meaning && meaning.member === member) return true
  if ('from' in meaning && meaning.from === member) return true
  return meaning.name === 'push-pull' && meaning.members.some((each) => each.member === member)
}

function aboutsOf(meaning: Meaning): readonly About[] {
  const own = 'about' in meaning && meaning.about !== undefined ? [meaning.about] : []
  if (meaning.layer !== 'raft' || meaning.name !== 'append-request') return own
  return meaning.entries.flatMap(({ about }) => (about === undefined ? [] : [about]))
}

/** A prefix of a key also refers to the key. */
function names(about: About, name: string, value: string): boolean {
  const given = (about as Readonly<Record<string, About[keyof About]>>)[name]
  if (given === value || (Array.isArray(given) && given.includes(value))) return true
  const { prefix } = about
  return name === 'key' && typeof prefix === 'string' && value.startsWith(prefix)
}
