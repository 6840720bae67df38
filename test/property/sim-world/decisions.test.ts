import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { type Decided, DecisionRecord, DecisionReplay, nameOf } from '../../../sim/report/decision-list.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'
import { ScenarioRun } from '../../../sim/scenario/run.ts'
import type { Book, DecisionKind } from '../../../sim/world/decisions/book.ts'
import type { Identity, Part } from '../../../sim/world/decisions/identity.ts'
import { fc } from '../../fast-check.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'
/** Droppings that are tried: each is two runs of three seconds. */
const droppings = isLong ? 2_000 : 7
const seeds = isLong ? 6 : 1

interface Story {
  readonly servers: number
  readonly clients: number
  /** How many clients each group has. */
  readonly groups: readonly number[]
  readonly rules: readonly string[]
  readonly steps: readonly string[]
}

const rules = [
  '{ when: leader elected, chance: 60%, after: 0ms..800ms, do: [{ crash: it, for: 300ms..900ms }] }',
  '{ every: 400ms..900ms, one of: [{ pause: one of servers, for: 100ms..400ms }, { kill: one of followers, for: 200ms..500ms }] }',
  '{ when: vote given, chance: 20%, do: [{ cut: { from: it, to: one of others }, for: 500ms }] }',
  '{ at: 1s..2s, do: [{ partition: minority, for: 500ms..1s }] }',
]

const steps = [
  '{ step: wait, wait: 500ms..900ms }',
  '{ step: power, crash: one of followers, for: 200ms..600ms }',
  '{ step: again, restart: one of servers }',
]

const story: fc.Arbitrary<Story> = fc.record({
  servers: fc.constantFrom(3, 5),
  clients: fc.nat(1),
  groups: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 }),
  rules: fc.subarray(rules, { minLength: 1 }),
  steps: fc.subarray(steps),
})

function page({ servers, clients, groups, rules: faults, steps: done }: Story): string {
  const workload = groups.map(
    (count, at) => `  group ${at}: { clients: ${count}, operations: [kv.put, kv.get, kv.cas], keys: 3, rate: 20/s }`,
  )
  const list = (name: string, items: readonly string[]): readonly string[] =>
    items.length === 0 ? [] : [`${name}:`, ...items.map((item) => `  - ${item}`)]
  return [
    'scenario: Any',
    'cluster:',
    '  dc1:',
    `    servers: { count: ${servers} }`,
    ...(clients === 0 ? [] : [`    clients: { count: ${clients} }`]),
    'network: { latency: 1ms..9ms, loss: 1%, duplicate: 1%, reorder: 2% }',
    ...(workload.length === 0 ? [] : ['workload:', ...workload]),
    ...list('faults', faults),
    ...list('steps', done),
    'lasts: 3s',
    '',
  ].join('\n')
}

async function run(text: string, seed: number, book: Book): Promise<string> {
  const loaded = loadScenario('any.yaml', text)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error))
  const platform = createPlatform()
  try {
    return (await new ScenarioRun({ loaded: loaded.value, seed, platform, book }).run()).trace.hash
  } finally {
    platform.close()
  }
}

interface Made {
  readonly kind: DecisionKind
  readonly name: string
  readonly value: number
  readonly among: number | undefined
  /** What it is about, and what that is within. */
  readonly what: string
}

/** Every decision of a run, default or not, in the order in which they are made. One of them may be made otherwise. */
class Everything implements Book {
  readonly made = new Map<string, Made>()
  readonly #texts = new Map<string, string>()
  readonly #otherwise: Made | undefined

  constructor(otherwise?: Made) {
    this.#otherwise = otherwise
  }

  decide(...[kind, identity, n, value, usual, among]: Parameters<Book['decide']>): number {
    const name = `${nameOf(identity)} ${n}`
    const made = name !== this.#otherwise?.name ? value : kind === 'chance' ? 1 - value : usual
    this.made.set(name, { kind, name, value: made, among, what: this.#texts.get(nameOf(identity)) ?? '' })
    return made
  }

  describe(identity: Identity, within: Identity | undefined, parts: readonly Part[]): void {
    const above = within === undefined ? undefined : this.#texts.get(nameOf(within))
    const about = parts.map((part) => (part instanceof Uint8Array ? `${part.length} B` : part)).join(' ')
    this.#texts.set(nameOf(identity), above === undefined ? about : `${above} ${about}`)
  }
}

async function madeIn(text: string, seed: number, otherwise?: Made): Promise<ReadonlyMap<string, Made>> {
  const book = new Everything(otherwise)
  await run(text, seed, book)
  return book.made
}

/** Of what was decided in both runs, and from as many, what was not decided alike. `common`: how much was in both. */
function unlike(one: ReadonlyMap<string, Made>, other: ReadonlyMap<string, Made>) {
  const both = [...one.values()].flatMap((made) => {
    const there = other.get(made.name)
    return there === undefined ? [] : [{ made, there }]
  })
  return {
    common: both.length,
    differing: both.filter(({ made, there }) => made.value !== there.value && made.among === there.among),
  }
}

/**
 * Decisions that are made otherwise: a packet's fate that is lost now, or not lost; all others as if they had not been
 * made.
 */
const single: Readonly<Record<string, (made: Made) => boolean>> = {
  firing: ({ kind, what }) => kind === 'event' && what.startsWith('fault'),
  operation: ({ kind, what }) => kind === 'event' && what.startsWith('workload'),
  packet: ({ kind, what, name }) => kind === 'chance' && what.startsWith('link') && name.endsWith(' 0'),
  any: () => true,
}

/** What is taken out of the page. */
const whole: Readonly<Record<string, (told: Story, which: number) => Story>> = {
  rule: (told, which) => ({ ...told, rules: told.rules.toSpliced(which % told.rules.length, 1) }),
  step: (told, which) => ({
    ...told,
    steps: told.steps.length === 0 ? told.steps : told.steps.toSpliced(which % told.steps.length, 1),
  }),
  client: (told, which) => ({
    ...told,
    groups: told.groups.map((count, at) => (at === which % told.groups.length ? count - 1 : count)).filter(Boolean),
  }),
}

describe('decisions of a run', () => {
  it('keep their values when one is dropped: a rule, a firing, a step, a client, an operation, a packet', async () => {
    const kinds = [...Object.keys(single), ...Object.keys(whole)]
    const tried = new Map<string, number>()
    // The first of them are of each kind.
    let nth = 0
    await fc.assert(
      fc.asyncProperty(story, fc.integer({ min: 1, max: 1_000 }), fc.nat(), async (told, seed, which) => {
        const text = page(told)
        const before = await madeIn(text, seed)
        const kind = kinds[nth++ % kinds.length] as string
        const candidates = [...before.values()].filter((made) => single[kind]?.(made) === true)
        const dropped = candidates[which % candidates.length]
        const less = whole[kind]?.(told, which) ?? told
        if (dropped === undefined && less === told) return
        tried.set(kind, (tried.get(kind) ?? 0) + 1)
        const after = await madeIn(page(less), seed, dropped)
        const { differing, common } = unlike(before, after)
        expect({ kind, dropped, differing: differing.filter(({ made }) => made.name !== dropped?.name) }).toEqual({
          kind,
          dropped,
          differing: [],
        })
        expect(common).toBeGreaterThan(20)
        // Until then the one run is the other.
        if (dropped === undefined) return
        const [one, other] = [[...before.keys()], [...after.keys()]]
        const until = one.indexOf(dropped.name)
        expect(other.slice(0, until + 1)).toEqual(one.slice(0, until + 1))
      }),
      { numRuns: droppings },
    )
    expect([...tried.keys()].sort()).toEqual([...kinds].sort())
  }, 7_200_000)

  it('keep their names: with a packet or a request less most later packets are the same ones', async () => {
    const told: Story = { servers: 3, clients: 1, groups: [2], rules: [], steps: [] }
    for (const kind of ['packet', 'operation']) {
      const shares: number[] = []
      for (let seed = 1; seed <= seeds; seed++) {
        const before = [...(await madeIn(page(told), seed)).values()]
        const candidates = before.filter((made) => single[kind]?.(made) === true)
        const dropped = candidates[Math.floor(candidates.length / 3)] as Made
        const after = await madeIn(page(told), seed, dropped)
        const later = before.slice(before.indexOf(dropped) + 1).filter((made) => single['packet']?.(made) === true)
        shares.push(later.filter(({ name }) => after.has(name)).length / later.length)
      }
      expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThan(0.85)
    }
  })

  it('keep their values when a rule, a group of clients or a node is added', async () => {
    const told: Story = { servers: 3, clients: 0, groups: [2], rules: rules.slice(0, 1), steps }
    const before = await madeIn(page(told), 7)
    for (const more of [
      { ...told, rules: rules.slice(0, 3) },
      { ...told, groups: [2, 1] },
      { ...told, groups: [3] },
      { ...told, clients: 1 },
      { ...told, servers: 5 },
    ]) {
      const { common, differing } = unlike(before, await madeIn(page(more), 7))
      expect(differing).toEqual([])
      expect(common).toBeGreaterThan(200)
    }
  })

  it('as a list give the same run, and without them the run is as without decisions', async () => {
    const text = page({ servers: 3, clients: 1, groups: [2], rules, steps })
    const decided: Decided[] = []
    const hash = await run(text, 11, new DecisionRecord((each) => void decided.push(each)))
    const replay = new DecisionReplay(decided)
    expect(await run(text, 11, replay)).toBe(hash)
    expect(replay.made).toBe(replay.listed)
    expect(await run(text, 11, new DecisionReplay([]))).not.toBe(hash)
  })
})
