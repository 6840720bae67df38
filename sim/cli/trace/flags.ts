import { lacksUnit, parseDuration } from '../../../src/base/duration.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { TraceHeader } from '../../report/trace-record.ts'
import { aboutNames, kindNames, type TraceSelection } from '../../report/trace-selection.ts'

/** As the command line has them; lists may be repeated, and their items parted by commas. */
export interface TraceFlags {
  readonly from?: string
  readonly to?: string
  readonly node?: readonly string[]
  readonly kind?: readonly string[]
  readonly about?: readonly string[]
  readonly causesOf?: number
  readonly steps?: number
  /** Causes of one event that are shown with words, at most. */
  readonly arrows?: number
  readonly json?: boolean
}

/** Machines are known when the header has been read. */
export interface Asked {
  readonly selection: TraceSelection
  readonly nodes: readonly string[] | undefined
}

/** What is asked for, or what is wrong with it, in one line. */
export function askedOf(flags: TraceFlags): Result<Asked, string> {
  const fromUs = flags.from === undefined ? ok(0) : timeUs('--from', flags.from)
  if (!fromUs.ok) return fromUs
  const toUs = flags.to === undefined ? ok(Number.POSITIVE_INFINITY) : timeUs('--to', flags.to)
  if (!toUs.ok) return toUs
  if (toUs.value < fromUs.value) return err(`--to ${flags.to} is before --from ${flags.from}`)
  const kinds = items(flags.kind)
  const unknown = kinds?.find((kind) => !kindNames.includes(kind))
  if (unknown !== undefined) return err(`--kind ${unknown}: there is no such kind or layer: ${kindNames.join(', ')}`)
  const about = aboutOf(flags.about ?? [])
  if (!about.ok) return about
  const nodes = items(flags.node)
  const selection = {
    fromUs: fromUs.value,
    toUs: toUs.value,
    nodes: nodes === undefined ? undefined : new Set(nodes),
    kinds: kinds === undefined ? undefined : new Set(kinds),
    about: about.value,
  }
  return ok({ selection, nodes })
}

/** Undefined: this trace has all machines that were asked for. */
export function unknownNode({ nodes }: Asked, header: TraceHeader): string | undefined {
  const known = [...header.nodes, 'world']
  const unknown = nodes?.find((node) => !known.includes(node))
  return unknown === undefined ? undefined : `--node ${unknown}: this trace has no such machine: ${known.join(', ')}`
}

function items(given: readonly string[] | undefined): readonly string[] | undefined {
  return given?.flatMap((each) => each.split(',')).filter((each) => each !== '')
}

function timeUs(flag: string, text: string): Result<number, string> {
  const time = parseDuration(text)
  if (time.ok && time.value >= 0) return ok(time.value * 1_000)
  const why = time.ok ? 'no run has a time before 0' : lacksUnit(text) ? `write a unit behind it: ${text}s` : time.error
  return err(`${flag} ${text}: ${why}`)
}

/** Those that are numbers, everywhere in the schema. */
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
