import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { type Decided, DecisionRecord, DecisionReplay, nameOf } from '../../../sim/report/decision-list.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'
import { ScenarioRun } from '../../../sim/scenario/run.ts'
import type { Book } from '../../../sim/world/decisions/book.ts'
import { fc } from '../../fast-check.ts'

/** Droppings that are tried: each is two runs of five seconds. */
const droppings = process.env['SVC_TEST_LONG'] === '1' ? 2_000 : 12

interface Story {
  readonly servers: number
  readonly clients: number
  readonly groups: readonly number[]
  readonly rules: readonly string[]
}

const rules = [
  '{ when: leader elected, chance: 60%, after: 0ms..800ms, do: [{ crash: it, for: 300ms..900ms }] }',
  '{ every: 400ms..900ms, one of: [{ pause: one of servers, for: 100ms..400ms }, { kill: one of followers, for: 200ms..500ms }] }',
  '{ when: vote given, chance: 20%, do: [{ slow network: { of: it, loss: 20% }, for: 500ms }] }',
  '{ at: 1s..3s, do: [{ partition: minority, for: 500ms..1s }] }',
]

const story: fc.Arbitrary<Story> = fc.record({
  servers: fc.constantFrom(3, 5),
  clients: fc.nat(1),
  groups: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 }),
  rules: fc.subarray(rules, { minLength: 1 }),
})

function page({ servers, clients, groups, rules: faults }: Story): string {
  const workload = groups.map(
    (count, at) => `  group ${at}: { clients: ${count}, operations: [kv.put, kv.get, kv.cas], keys: 3, rate: 20/s }`,
  )
  return [
    'scenario: Any',
    'cluster:',
    '  dc1:',
    `    servers: { count: ${servers} }`,
    ...(clients === 0 ? [] : [`    clients: { count: ${clients} }`]),
    'network: { latency: 1ms..9ms, loss: 1%, duplicate: 1%, reorder: 2% }',
    'workload:',
    ...workload,
    'faults:',
    ...faults.map((rule) => `  - ${rule}`),
    'lasts: 4s',
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

async function decidedIn(text: string, seed: number): Promise<ReadonlyMap<string, Decided>> {
  const record = new DecisionRecord()
  await run(text, seed, record)
  return byIdentity(record.decided)
}

function byIdentity(decided: readonly Decided[]): ReadonlyMap<string, Decided> {
  return new Map(decided.map((each) => [`${each.identity} ${each.n}`, each]))
}

/** Of what was decided in both runs, and from as many, what was not decided alike. `common`: how much was in both. */
function unlike(one: ReadonlyMap<string, Decided>, other: ReadonlyMap<string, Decided>) {
  const both = [...one].flatMap(([name, decided]) => {
    const there = other.get(name)
    return there === undefined ? [] : [{ decided, there }]
  })
  return {
    common: both.length,
    differing: both.filter(({ decided, there }) => decided.value !== there.value && decided.among === there.among),
  }
}

/** Makes one decision as nobody had made it, and all others as they come. */
class Dropping extends DecisionRecord {
  readonly #dropped: Pick<Decided, 'identity' | 'n'>

  constructor(dropped: Pick<Decided, 'identity' | 'n'>) {
    super()
    this.#dropped = dropped
  }

  override decide(...[kind, identity, n, value, usual, among]: Parameters<Book['decide']>): number {
    const decided = super.decide(kind, identity, n, value, usual, among)
    return nameOf(identity) === this.#dropped.identity && n === this.#dropped.n ? usual : decided
  }
}

describe('decisions of a run', () => {
  it('keep their values when one of them is dropped: a firing, an operation, a packet, a choice', async () => {
    await fc.assert(
      fc.asyncProperty(story, fc.integer({ min: 1, max: 1_000 }), fc.nat(), async (told, seed, which) => {
        const text = page(told)
        const whole = await decidedIn(text, seed)
        const dropped = [...whole.values()][which % whole.size] as Decided
        const rest = new Dropping(dropped)
        await run(text, seed, rest)
        expect(unlike(whole, byIdentity(rest.decided)).differing).toEqual([])
      }),
      { numRuns: droppings },
    )
  }, 3_600_000)

  it('keep their values when a rule, a group of clients or a node is added', async () => {
    const told: Story = { servers: 3, clients: 0, groups: [2], rules: rules.slice(0, 1) }
    for (const more of [
      { ...told, rules: rules.slice(0, 3) },
      { ...told, groups: [2, 1] },
      { ...told, groups: [3] },
      { ...told, clients: 1 },
      { ...told, servers: 5 },
    ]) {
      const { common, differing } = unlike(await decidedIn(page(told), 7), await decidedIn(page(more), 7))
      expect(differing).toEqual([])
      expect(common).toBeGreaterThan(20)
    }
  })

  it('as a list give the same run, and without them the story goes as nobody has decided', async () => {
    const text = page({ servers: 3, clients: 1, groups: [2], rules })
    const record = new DecisionRecord()
    const hash = await run(text, 11, record)
    expect(await run(text, 11, new DecisionReplay(record.decided))).toBe(hash)
    expect(await run(text, 11, new DecisionReplay([]))).not.toBe(hash)
  })
})
