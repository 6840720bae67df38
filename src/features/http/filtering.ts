import type { Json } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { ObjectType } from '../../filter/fields.ts'
import { Filter } from '../../filter/filter.ts'
import type { Failure } from '../../model/failure.ts'
import type { QueryParameters } from '../contract/route.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { nextTurn } from '../contract/turns.ts'

/** Work between two turns of the event loop, in units of a filter's meter: some 2 ms. */
const turnWork = 40_000

/** Most work of one answer: about a second. A list of 10,000 entries leaves 2,000 units for each. */
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
 * The entries that a filter keeps, in their order; without one, all. It applies after the caller's rights and where
 * nothing is cut off or counted yet. Long lists are judged in turns of the event loop.
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
    if (filter.keeps(shown, meter)) keeping.push([entry, shown])
    if (meter.work > answerWorkMax) return badRequest('The filter takes too much work on so many entries')
    if (meter.work < turnEnds) continue
    await nextTurn(env)
    turnEnds = meter.work + turnWork
  }
  return ok(keeping)
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
