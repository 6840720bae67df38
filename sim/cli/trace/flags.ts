import { err, ok, type Result } from '../../../src/base/result.ts'
import type { TraceHeader } from '../../report/trace-record.ts'
import {
  aboutNames,
  type KindChoice,
  kindChoice,
  kindNames,
  type TraceSelection,
} from '../../report/trace-selection.ts'
import { virtualTimeUs } from '../flag-values.ts'
import { clean, machinesText } from './printing.ts'

/** As on the command line; lists may be repeated, and their items separated by commas. */
export interface TraceFlags {
  readonly from?: string
  readonly to?: string
  /** Numbers of events: `17..40`, `17..`, `..40` or `17`. */
  readonly events?: string
  readonly node?: readonly string[]
  readonly kind?: readonly string[]
  readonly about?: readonly string[]
  /** False: `about` does not show violations, faults and process lives as well. */
  readonly faults?: boolean
  readonly causesOf?: number
  readonly steps?: number
  /** Maximum number of causes of one event that are shown as text. */
  readonly arrows?: number
  readonly json?: boolean
}

/** What is requested; machines are known once the header has been read. */
export interface Asked {
  readonly selection: TraceSelection
  readonly nodes: readonly string[] | undefined
}

/** What is requested, or what is wrong with it, in one line. */
export function askedOf(flags: TraceFlags): Result<Asked, string> {
  const fromUs = flags.from === undefined ? ok(0) : virtualTimeUs('--from', flags.from)
  if (!fromUs.ok) return fromUs
  const toUs = flags.to === undefined ? ok(Number.POSITIVE_INFINITY) : virtualTimeUs('--to', flags.to)
  if (!toUs.ok) return toUs
  if (toUs.value < fromUs.value) return err(`--to ${flags.to} is before --from ${flags.from}`)
  const events = eventsOf(flags.events ?? '..')
  if (!events.ok) return events
  const kinds = kindsOf(flags.kind)
  if (!kinds.ok) return kinds
  const about = aboutOf(flags.about ?? [])
  if (!about.ok) return about
  const named = items('--node', 'a machine, such as s3', flags.node)
  if (!named.ok) return named
  const nodes = named.value
  const selection = {
    fromUs: fromUs.value,
    toUs: toUs.value,
    nodes: nodes === undefined ? undefined : new Set(nodes),
    kinds: kinds.value,
    about: about.value,
    faults: flags.faults !== false,
    ...events.value,
  }
  return ok({ selection, nodes })
}

/** What is wrong with the requested machines; undefined: this trace has all of them. */
export function unknownNode({ nodes }: Asked, header: TraceHeader): string | undefined {
  const known = [...header.nodes, 'world']
  const names = new Set(known)
  const unknown = nodes?.find((node) => !names.has(node))
  return unknown === undefined
    ? undefined
    : `--node ${clean(unknown)}: this trace has no such machine: ${machinesText(known)}`
}

/** The items of a repeated list; undefined: the option is not given. */
function items(
  flag: string,
  wanted: string,
  given: readonly string[] | undefined,
): Result<readonly string[] | undefined, string> {
  const all = given?.flatMap((each) => each.split(','))
  return all?.includes('') === true ? err(`${flag} '${given?.join(',')}': write the name of ${wanted}`) : ok(all)
}

function eventsOf(text: string): Result<{ readonly fromEvent: number; readonly toEvent: number }, string> {
  const [match, from = '', dots, to = ''] = /^(\d{0,15})(\.\.)?(\d{0,15})$/.exec(text) ?? []
  if (match === undefined || match === '')
    return err(`--events ${text}: write numbers of events: 17..40, 17.., ..40 or 17`)
  if (Number(from || 1) === 0 || Number(to || 1) === 0) return err(`--events ${text}: the first event is number 1`)
  const fromEvent = from === '' ? 1 : Number(from)
  const last = to === '' ? Number.POSITIVE_INFINITY : Number(to)
  const toEvent = dots === undefined ? fromEvent : last
  return toEvent < fromEvent ? err(`--events ${text}: ${toEvent} is before ${fromEvent}`) : ok({ fromEvent, toEvent })
}

function kindsOf(given: readonly string[] | undefined): Result<KindChoice | undefined, string> {
  const named = items('--kind', 'a kind or a layer, such as raft', given)
  if (!named.ok) return named
  const names = named.value
  if (names === undefined) return ok(undefined)
  const choice = kindChoice(names)
  if (choice.ok) return choice
  const known = `${kindNames.join(', ')}; kind:log is lines of the log alone, layer:log records of the Raft log`
  return err(`--kind ${choice.error}: there is no such kind or layer: ${known}`)
}

/** Members whose values are numbers everywhere in the schema. */
const numbered: ReadonlySet<string> = new Set(['entry', 'term', 'stream'])

function aboutOf(given: readonly string[]): Result<ReadonlyMap<string, readonly string[]>, string> {
  const about = new Map<string, readonly string[]>()
  for (const text of given) {
    const equals = text.indexOf('=')
    const name = text.slice(0, equals)
    const value = text.slice(equals + 1)
    if (equals < 1 || value === '') return err(`--about ${text}: write name=value, such as term=4 or key=a/b`)
    if (!Object.hasOwn(aboutNames, name)) {
      return err(`--about ${text}: events can be about ${Object.keys(aboutNames).join(', ')}`)
    }
    if (numbered.has(name) && !/^\d+$/.test(value)) return err(`--about ${text}: write a whole number`)
    about.set(name, [...(about.get(name) ?? []), value])
  }
  return ok(about)
}
