import { invariant } from '../../base/invariant.ts'
import type { Json } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { ObjectType } from '../../filter/fields.ts'
import { Filter } from '../../filter/filter.ts'
import type { Failure } from '../../model/failure.ts'
import type { Answer, Consistency, Positions } from '../contract/reading.ts'
import { answered, type CacheUse, failed, type QueryParameters, type RouteResponse } from '../contract/route.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { nextTurn } from '../contract/turns.ts'

/** Work between two turns of the event loop, in units of a filter's meter: some 2 ms. */
const turnWork = 40_000

/** Maximum work of one answer: usually about a second. A list of 10,000 entries leaves 2,000 units for each. */
const answerWorkMax = 20_000_000

/** Units of work that the JSON of one entry takes. */
const entryWork = 60

/** The filter that a request asks for; undefined: it has none. */
export function filterOf(query: QueryParameters<'filter'>, entry: ObjectType): Result<Filter | undefined, Failure> {
  const text = query.get('filter') ?? ''
  if (text === '') return ok(undefined)
  const filter = Filter.from(text, entry)
  return filter.ok ? filter : badRequest(filter.error)
}

/** An entry of an answer, and its JSON. */
export type Shown<Entry> = readonly [entry: Entry, json: Json]

/**
 * The entries that a filter keeps, in their order; without a filter, all of them. The filter applies after the caller's
 * rights, and before anything is cut off or counted. Long lists are judged in turns of the event loop.
 */
export async function kept<Entry>(
  { env }: WithEnv,
  filter: Filter | undefined,
  entries: Iterable<Entry>,
  json: (entry: Entry) => Json,
): Promise<Result<readonly Shown<Entry>[], Failure>> {
  if (filter === undefined) return ok(Array.from(entries, (entry) => [entry, json(entry)] as const))
  const keeping: Shown<Entry>[] = []
  const meter = { work: 0 }
  let turnEnds = turnWork
  for (const entry of entries) {
    const shown = json(entry)
    meter.work += entryWork
    const isKept = filter.keeps(shown, meter)
    if (isKept === 'too-much-work') return badRequest('The filter takes too much work on one of the entries')
    if (isKept) keeping.push([entry, shown])
    if (meter.work > answerWorkMax) return badRequest('The filter takes too much work on so many entries')
    if (meter.work < turnEnds) continue
    await nextTurn(env)
    turnEnds = meter.work + turnWork
  }
  return ok(keeping)
}

/** What an answer shows of a reply: entries, of which a caller may want only some. */
export interface Entries<Reply, Entry> {
  /** Names everything besides the reply that determines the JSON. */
  readonly form: string
  entries(reply: Reply): readonly Entry[]
  entryJson(entry: Entry): Json
  /** The answer with these entries; absent: it is their list. */
  whole?(reply: Reply, entries: readonly Shown<Entry>[]): Json
}

/** How the answer came about. */
interface Said {
  readonly consistency?: Consistency
  readonly cache?: CacheUse
}

/** The answer with the entries that a filter keeps; without one, with all. */
export async function answeredEntries<Reply, Entry>(
  context: WithEnv,
  answer: Answer<Reply>,
  filter: Filter | undefined,
  read: Entries<Reply, Entry>,
  said: Said = {},
): Promise<RouteResponse> {
  if (filter !== undefined) return answeredSome(context, answer, filter, read, said)
  const all = (reply: Reply): Json =>
    jsonOf(
      read,
      reply,
      read.entries(reply).map((each) => [each, read.entryJson(each)]),
    )
  return answered(answer, read.form, all, said)
}

/** Callers on one agent that get the same value and have the same filter share the work: judged and encoded once. */
async function answeredSome<Reply, Entry>(
  context: WithEnv,
  { value, meta, forms }: Answer<Reply>,
  filter: Filter,
  read: Entries<Reply, Entry>,
  said: Said,
): Promise<RouteResponse> {
  const judge = () => kept(context, filter, read.entries(value).entries(), ([, entry]) => read.entryJson(entry))
  if (forms === undefined) {
    const some = await judge()
    return some.ok
      ? { kind: 'json', value: jsonOf(read, value, some.value.map(entryOf)), meta, ...said }
      : failed(some.error)
  }
  // The caller that judges has the JSON of the entries already.
  let judged: readonly Shown<Entry>[] | undefined
  const part = await forms.selected(`${read.form} ${filter.text}`, async () => {
    const some = await judge()
    if (!some.ok) return some
    judged = some.value.map(entryOf)
    return ok(Uint32Array.from(some.value, ([[position]]) => position))
  })
  if (!part.ok) return failed(part.error)
  const json = (): Json => jsonOf(read, value, judged ?? shownAt(part.value.positions, value, read))
  return { kind: 'shared-json', forms: part.value, form: read.form, json, meta, ...said }
}

function entryOf<Entry>([[, entry], json]: Shown<readonly [position: number, entry: Entry]>): Shown<Entry> {
  return [entry, json]
}

function shownAt<Reply, Entry>(
  positions: Positions,
  reply: Reply,
  { entries, entryJson }: Entries<Reply, Entry>,
): readonly Shown<Entry>[] {
  const all = entries(reply)
  return Array.from(positions, (position) => {
    const entry = all[position]
    invariant(entry !== undefined, 'a selection is of another list')
    return [entry, entryJson(entry)]
  })
}

function jsonOf<Reply, Entry>({ whole }: Entries<Reply, Entry>, reply: Reply, entries: readonly Shown<Entry>[]): Json {
  return whole === undefined ? entries.map(([, json]) => json) : whole(reply, entries)
}

/** The JSON of all entries, or of those that a filter keeps. */
export async function shownOf<Entry>(
  context: WithEnv,
  filter: Filter | undefined,
  entries: readonly Entry[],
  json: (entry: Entry) => Json,
): Promise<Result<readonly Json[], Failure>> {
  const some = await kept(context, filter, entries, json)
  return some.ok ? ok(some.value.map(([, shown]) => shown)) : some
}

function badRequest(message: string): Result<never, Failure> {
  return err({ kind: 'bad-request', message })
}
