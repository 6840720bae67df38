import { afterEach, describe, expect, it, vi } from 'vitest'
import { SeenPart } from '../../../src/agent/requests/serving/seen-part.ts'
import type { Filters } from '../../../src/features/contract/access.ts'
import type { EndpointDefinition } from '../../../src/features/contract/endpoint.ts'
import { oneForAll, type Sight } from '../../../src/features/contract/visible-index.ts'
import { noChange } from '../../../src/model/log-position.ts'
import { fc } from '../../fast-check.ts'
import { settled } from '../../unit/features/hand-clock.ts'
import {
  allEndpoints,
  asItIs,
  checkedNode,
  intentionFor,
  ofAll,
  ofCatalog,
  ofKeys,
  otherHidden,
  questions,
  sessionOf,
  type Told,
  World,
} from './visible-world.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 200 : 4

/** A read that waits; `told` once it has been answered. */
interface Waiting {
  told: Told | undefined
}

/** What the reader knows of each question, and what it waits for. */
class Reader {
  readonly #world: World
  readonly #questions: typeof questions
  #known: readonly Told[] = []
  #waiting: Waiting[] = []

  constructor(world: World, asked: typeof questions) {
    this.#world = world
    this.#questions = asked
  }

  /** Asks everything, and then waits for another answer to everything of which an answer has come. */
  async look(): Promise<{ readonly told: readonly Told[]; readonly woken: readonly boolean[] }> {
    const before = this.#known
    const told = await Promise.all(this.#questions.map(([method, args]) => this.#world.ask(method, args)))
    const woken = told.map((_, at) => this.#waiting[at]?.told !== undefined)
    this.#questions.forEach(([method], at) => {
      const [was, now] = [before[at], told[at]]
      if (was === undefined || now === undefined || was.index === 0 || now.index === 0) return
      const what = `${method} ${JSON.stringify(this.#questions[at]?.[1])}`
      expect(now.index, `${what}: index, after ${was.index}`).toBeGreaterThanOrEqual(was.index)
      if (lasting(now.value) === lasting(was.value)) return
      expect(now.index, `${what}: index of another answer`).toBe(this.#world.index)
      expect(woken[at], `${what}: woken by another answer`).toBe(true)
    })
    this.#known = told
    this.#waiting = this.#questions.map(([method, args], at) => {
      const waits = this.#waiting[at]
      if (waits !== undefined && waits.told === undefined) return waits
      const waiting: Waiting = { told: undefined }
      void this.#world.ask(method, args, told[at]?.index).then((answer) => {
        waiting.told = answer
      })
      return waiting
    })
    await settled()
    return { told, woken }
  }
}

/** Whatever the order, in which things are that have come nearer. */
function lasting(value: string): string {
  const parsed: unknown = JSON.parse(value.startsWith('{') || value.startsWith('[') || value === 'null' ? value : '0')
  return Array.isArray(parsed) ? JSON.stringify(parsed.map((each) => JSON.stringify(each)).sort()) : value
}

/** Two worlds in which all hidden things have other names: nothing that the reader is told, nor when, is another. */
async function tellsNothing(
  written: readonly Parameters<World['carryOut']>[0][],
  endpoints: readonly EndpointDefinition[],
  asked: typeof questions,
) {
  const worlds = [new World(asItIs, endpoints), new World(otherHidden, endpoints)] as const
  const readers = worlds.map((world) => new Reader(world, asked))
  for (const world of worlds) await world.begin()
  for (const reader of readers) await reader.look()
  for (const operation of written) {
    for (const world of worlds) await world.carryOut(operation)
    const [one, other] = await Promise.all(readers.map((reader) => reader.look()))
    asked.forEach(([method, args], at) => {
      const what = `${method} ${JSON.stringify(args)}`
      expect(one?.told[at], what).toEqual(other?.told[at])
      expect(one?.woken[at], `${what}: woken`).toBe(other?.woken[at])
    })
  }
}

const property = (endpoints: readonly EndpointDefinition[], operations = ofAll, asked = questions) =>
  fc.asyncProperty(operations, (written) => tellsNothing(written, endpoints, asked))

/** The program with another sight, or another filter, at some of its reads. */
function planted(method: string, bug: (access: Filters<never, never>) => Partial<Filters<never, never>>) {
  return allEndpoints.map((endpoint) => {
    if (endpoint.method !== method || endpoint.access.kind !== 'filters') return endpoint
    const access = endpoint.access as unknown as Filters<never, never>
    return { ...endpoint, access: { ...access, ...bug(access) } } as unknown as EndpointDefinition
  })
}

/** What the property, asked of this method alone, says first of a bug at it. */
async function found(bug: Parameters<typeof planted>[1] | undefined, method: string, operations: typeof ofAll) {
  const endpoints = bug === undefined ? allEndpoints : planted(method, bug)
  const asked = questions.filter(([name]) => name === method)
  const { errorInstance } = await fc.check(property(endpoints, operations, asked), { numRuns: 200, endOnFailure: true })
  return errorInstance instanceof Error ? errorInstance.message : 'nothing'
}

describe('what a caller that may not see everything learns from an answer, index and time', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('tells nothing of what is hidden, never falls, and misses no change', async () => {
    await fc.assert(property(allEndpoints), { numRuns: runs })
  }, 600_000)

  it('leaves the index of all checks as it is when a hidden one changes its status', async () => {
    const world = new World(asItIs, allEndpoints)
    await world.begin()
    const indexOf = async (state: string) => (await world.ask('Health.ChecksInState', { state })).index
    for (const name of ['vis1', 'hid1']) await world.carryOut(checkedNode(name, 'passing'))
    const before = await indexOf('any')
    await world.carryOut(checkedNode('hid1', 'critical'))
    expect([await indexOf('any'), await indexOf('critical')]).toEqual([before, world.index])
    await world.carryOut(checkedNode('vis1', 'critical'))
    expect(await indexOf('any')).toBe(world.index)
  })

  it('leaves the index of a session as it is when a hidden one begins', async () => {
    const world = new World(asItIs, allEndpoints)
    await world.begin()
    const [, ask] = questions.find(([method]) => method === 'Session.Get') ?? []
    for (const name of ['vis1', 'hid1']) await world.carryOut(checkedNode(name, 'passing'))
    await world.carryOut(sessionOf('vis1', 0))
    const before = await world.ask('Session.Get', ask)
    expect([before.index, before.value]).toEqual([world.index, expect.stringContaining('"node":"vis1"')])
    await world.carryOut(sessionOf('hid1', 0))
    expect(await world.ask('Session.Get', ask)).toEqual(before)
  })

  it('leaves the index of an intention as it is when a hidden one comes', async () => {
    const world = new World(asItIs, allEndpoints)
    await world.begin()
    await world.carryOut(intentionFor('web', 0, 'create'))
    const [, ask] = questions.find(([method]) => method === 'Intention.Get') ?? []
    const before = await world.ask('Intention.Get', ask)
    expect([before.index, before.value]).toEqual([world.index, expect.stringContaining('"name":"web"')])
    await world.carryOut(intentionFor('hid1', 1, 'create'))
    expect(await world.ask('Intention.Get', ask)).toEqual(before)
  })

  it('gives the list of intentions another index when one of two is moved out of sight', async () => {
    const world = new World(asItIs, allEndpoints)
    await world.begin()
    for (const at of [0, 1]) await world.carryOut(intentionFor('web', at, 'create'))
    expect((await world.ask('Intention.List', {})).index).toBe(world.index)
    await world.carryOut(intentionFor('hid1', 1, 'update'))
    const { index, value } = await world.ask('Intention.List', {})
    expect([index, value.match(/"id"/g)?.length]).toEqual([world.index, 1])
  })

  it('finds an index that was computed before filtering', async () => {
    const whole = () => ({ sight: oneForAll('a bug') })
    expect(await found(whole, 'KV.Keys', ofKeys)).toMatch(/^KV\.Keys .*index/s)
    expect(await found(whole, 'Health.ServiceNodes', ofCatalog)).toMatch(/^Health\.ServiceNodes .*index/s)
  }, 600_000)

  it('finds an index that forgets what went', async () => {
    const forgetting = ({ sight }: Filters<never, never>) => ({
      sight: { ...(sight as Sight<never, never>), floor: () => noChange },
    })
    expect(await found(forgetting, 'Catalog.ListNodes', ofCatalog)).toMatch(/^Catalog\.ListNodes .*index/s)
    expect(await found(forgetting, 'KV.List', ofKeys)).toMatch(/^KV\.List .*index/s)
  }, 600_000)

  it('finds a separator that spells out hidden keys', async () => {
    const byCutAlone = () => ({
      filter: ((authorizer: { allows(r: string, n: string, how: string): boolean }, keys: readonly string[]) => {
        const seen = keys.filter((key) => authorizer.allows('key', key, 'read'))
        return seen.length === keys.length ? keys : seen
      }) as never,
    })
    expect(await found(byCutAlone, 'KV.Keys', ofKeys)).toMatch(/^KV\.Keys/)
  }, 600_000)

  it('finds a read that is answered though nothing in sight has changed', async () => {
    vi.spyOn(SeenPart.prototype, 'isSameAs').mockReturnValue(false)
    expect(await found(undefined, 'KV.List', ofKeys)).toMatch(/woken/)
  }, 600_000)
})
