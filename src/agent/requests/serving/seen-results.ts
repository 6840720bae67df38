import { type Authorizer, unrestricted } from '../../../access/authorizer.ts'
import { invariant } from '../../../base/invariant.ts'
import type { Filters } from '../../../features/contract/access.ts'
import type { QueryEndpoint } from '../../../features/contract/endpoint.ts'
import type { Answer, ReadMeta, Standing } from '../../../features/contract/reading.ts'
import { visibleIndex } from '../../../features/contract/visible-index.ts'
import { firstChange, greater, type ModifyIndex, noChange } from '../../../model/log-position.ts'
import type { Store } from '../../../store/store.ts'
import type { Asker } from '../../access/askers.ts'
import type { Gate } from '../../access/gate.ts'
import type { KeptResult } from './kept-result.ts'
import type { ResultView, SeenPart } from './seen-part.ts'

/** A result for one caller. */
export interface Found {
  readonly result: KeptResult
  readonly asker: Asker
  /** What the caller sees of it, and the index at which that last changed (`features/contract/visible-index.ts`). */
  readonly view: ResultView
  readonly index: ModifyIndex
  /** Undefined: the caller may see everything of this kind, so that only visible changes exist. */
  readonly part: SeenPart | undefined
}

/** What callers see of results where access control is on, and whether that has changed for a waiting caller. */
export class SeenResults {
  readonly #store: Store
  /** Undefined: access control is off. */
  readonly #gate: Gate | undefined

  constructor(store: Store, gate: Gate | undefined) {
    this.#store = store
    this.#gate = gate
  }

  /** Must be called in the turn in which the result was read. */
  found(endpoint: QueryEndpoint, args: unknown, result: KeptResult, asker: Asker): Found {
    if (this.#gate === undefined) return { result, asker, view: result, index: result.index, part: undefined }
    const { access } = endpoint
    const since = this.#gate.since(endpoint, asker.token)
    if (access.kind !== 'filters' || asker.authorizer.unrestricted) {
      return { result, asker, view: result, index: greater(result.index, since), part: undefined }
    }
    const part = result.partFor(asker.authorizer, () =>
      partOf(access, asker.authorizer, result.value, args, this.#store),
    )
    const index = greater(indexOf(access, asker.authorizer, result.index, part.newest, args, this.#store), since)
    return { result, asker, view: part.view, index, part: seesAll(access, asker.authorizer) ? undefined : part }
  }

  /** Evaluates the same anew, without any cache. */
  anew(endpoint: QueryEndpoint, args: unknown, { authorizer, token }: Asker, evaluated: Evaluated): Evaluated {
    const { access } = endpoint
    const index = greater(evaluated.index, this.#store.floor, firstChange)
    const since = this.#gate?.since(endpoint, token) ?? noChange
    if (access.kind !== 'filters' || authorizer.unrestricted) {
      return { index: greater(index, since), value: evaluated.value }
    }
    const { value, newest } = partOf(access, authorizer, evaluated.value, args, this.#store)
    return { index: greater(indexOf(access, authorizer, index, newest, args, this.#store), since), value }
  }

  /**
   * Whether to answer a caller that waits for an index greater than `minIndex`. `before` is what it saw when it was
   * parked.
   */
  isNews(before: Found | undefined, found: Found, minIndex: ModifyIndex): boolean {
    if (before !== undefined && before.asker.authorizer !== found.asker.authorizer) return true
    if (found.index <= minIndex) return false
    return before?.part === undefined || found.part === undefined || !found.part.isSameAs(before.part)
  }
}

interface Evaluated {
  readonly index: ModifyIndex
  readonly value: unknown
}

type Filtering = Filters<unknown, unknown>

function seesAll({ sight }: Filtering, authorizer: Authorizer): boolean {
  return authorizer === unrestricted || (sight.kind === 'by-row' && sight.all(authorizer))
}

function partOf(access: Filtering, authorizer: Authorizer, whole: unknown, args: unknown, { live }: Store) {
  const { sight } = access
  const value = access.filter(authorizer, whole, args, live)
  const isByRow = sight.kind === 'by-row' && !seesAll(access, authorizer)
  return { value, newest: isByRow ? sight.newest(authorizer, live, args, value) : noChange }
}

function indexOf(
  access: Filtering,
  authorizer: Authorizer,
  whole: ModifyIndex,
  newest: ModifyIndex,
  args: unknown,
  store: Store,
) {
  const { sight } = access
  if (sight.kind === 'one-for-all' || seesAll(access, authorizer)) return whole
  return greater(visibleIndex(sight, newest, store.live, args), store.floor, firstChange)
}

/** `index` is the one in the answer. */
type StandingOf = (result: KeptResult, index: ModifyIndex) => Standing

/** An answer made on this agent. Its encoded forms stay here: other agents get plain data. */
export class Served implements Answer<unknown> {
  readonly meta: ReadMeta
  readonly forms: ResultView
  readonly #endpoint: QueryEndpoint
  readonly #result: KeptResult
  readonly #standingOf: StandingOf

  /** `view` is what the caller sees of the result. */
  constructor(endpoint: QueryEndpoint, view: ResultView, meta: ReadMeta, result: KeptResult, standingOf: StandingOf) {
    this.#endpoint = endpoint
    this.forms = view
    this.meta = meta
    this.#result = result
    this.#standingOf = standingOf
  }

  /**
   * The same as an answer of this endpoint. A result of this agent is not checked as a reply: the endpoint's own query
   * has made it, and the check would read every row once for each caller that shares the result.
   */
  of<Args, Reply>(endpoint: QueryEndpoint<Args, Reply>): Answer<Reply> {
    invariant(endpoint.method === this.#endpoint.method, 'an answer was stored for another endpoint')
    return this as Answer<Reply>
  }

  get value(): unknown {
    return this.forms.value
  }

  standing(): Standing {
    return this.#standingOf(this.#result, this.meta.index)
  }
}
