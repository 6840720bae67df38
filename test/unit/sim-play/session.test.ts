import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { playPage } from '../../../sim/play/play-page.ts'
import { Session } from '../../../sim/play/session.ts'
import { type LoadedScenario, loadScenario } from '../../../sim/scenario/language/load.ts'
import type { Told } from '../../../sim/scenario/played/acts.ts'
import { ScenarioRun } from '../../../sim/scenario/run.ts'
import { base64 } from '../../../src/base/bytes.ts'
import { encodeQuestion } from '../../../src/dns-wire/question.ts'

const build = 'a test'

const twoDatacenters = `scenario: Two datacenters
cluster:
  dc1: { servers: { count: 1 }, config: { performance: { raft_multiplier: 1 } } }
  dc2: { servers: { count: 1 } }
workload:
  clerks: { clients: 1, operations: [kv.get, kv.put], keys: 2, rate: 5/s, consistency: [default] }
lasts: 1s
`
const never = (): boolean => false

function sessionOf(loaded: LoadedScenario, seed = 7, more: object = {}): Session {
  return new Session({ loaded, seed, build, createPlatform, ...more })
}

/** Lets this much time pass, whatever is answered meanwhile. */
async function pass(session: Session, ms: number): Promise<void> {
  const untilUs = session.world.nowUs + ms * 1000
  while (session.world.nowUs < untilUs && session.failure() === undefined)
    await session.pass((untilUs - session.world.nowUs) / 1000, never)
}

function done(session: Session, given: Record<string, unknown>, hear?: (told: Told) => void): void {
  const act = session.act(given, hear)
  expect(act, JSON.stringify(given)).toMatchObject({ ok: true })
}

/** Faults, a request, a question, a command and other settings, some of them within one moment. */
async function played(session: Session): Promise<Told[]> {
  const told: Told[] = []
  const hear = (what: Told): void => void told.push(what)
  await session.begin()
  await pass(session, 8_000)
  done(session, { svc: { at: 's1', args: ['kv', 'put', 'color', 'blue'] } }, hear)
  done(session, { http: { at: 's2', request: 'PUT /v1/kv/size', body: 'large' } }, hear)
  const packet = encodeQuestion({ id: 77, name: 's1.node.svc.', type: 'A' })
  done(session, { dns: { at: 's3', packet: base64(packet), asks: 's1.node.svc A' } }, hear)
  await pass(session, 200)
  await session.pass(10_000, () => session.events % 5 === 0)
  done(session, { do: { partition: { groups: [['s1'], ['s2', 's3', 'c1']] } } })
  done(session, { do: { 'step clock': { nodes: 's2', by: '5m' } } })
  await pass(session, 2_000.123)
  done(session, { do: { crash: 's2', for: '1s..3s' } })
  await pass(session, 1_500)
  done(session, { do: { heal: { among: ['s1', 's3'] } } })
  done(session, { configure: { node: 'c1', config: { log_level: 'debug' } } })
  done(session, { upgrade: { node: 's3', to: '1.0.1' } })
  await pass(session, 3_000)
  done(session, { mend: true })
  done(session, { svc: { at: 's1', args: ['members'] } }, hear)
  await pass(session, 1_500)
  return told
}

async function runOf(text: string, seed: number) {
  const loaded = loadScenario('saved.yaml', text)
  if (!loaded.ok) throw new Error(loaded.error.map(({ message }) => message).join('\n'))
  const platform = createPlatform()
  const notes: string[] = []
  try {
    const run = new ScenarioRun({ loaded: loaded.value, seed, platform, onLine: ({ text }) => notes.push(text) })
    const result = await run.run()
    return { result, notes, loaded: loaded.value }
  } finally {
    platform.close()
  }
}

describe('a session', () => {
  it('is saved as a page whose run has the same trace, with every kind of act, and can go on from it', async () => {
    const session = sessionOf(playPage({}))
    const told = await played(session)
    expect(session.failure()).toBeUndefined()
    expect(told.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['http', 'dns', 'svc']))
    const commands = told.flatMap((each) => (each.kind === 'svc' ? [each.answer] : []))
    expect(commands[0]).toMatchObject({ code: 0, out: expect.stringMatching(/color/) })
    expect(commands.map(({ out }) => out).join()).toMatch(/s1 .*alive/)
    const [hash, text, count] = [session.world.hash, session.saved(), session.acts.length]
    const { result, notes, loaded } = await runOf(text, 7)
    expect(notes).toContain('the trace is that of the session')
    expect(result.failures).toEqual([])
    expect(result.trace.hash).toBe(hash)
    expect(await session.end()).toBeUndefined()
    const next = sessionOf(loaded)
    await next.begin()
    expect(next.world.hash).toBe(hash)
    expect(next.acts).toHaveLength(count)
    next.world.drop()
    const other = await runOf(text.replace('by: 5m', 'by: 6m'), 7)
    expect(other.notes.join()).toMatch(/differs from that of the session/)
  })

  it('goes back to before an act and to a time, and makes the same world again', async () => {
    const session = sessionOf(playPage({}))
    await played(session)
    const atUs = session.world.nowUs
    const given = session.acts.map((act) => act.given)
    const back = session.before({ act: 3 })
    if (!back.ok) throw new Error(back.error)
    await session.goBack(back.value)
    expect(session.acts.map((act) => act.given)).toEqual(given.slice(0, 2))
    expect(session.number).toBe(2)
    expect(session.world.nowUs).toBeLessThan(atUs)
    const early = session.before({ toUs: 3_000_000 })
    if (!early.ok) throw new Error(early.error)
    await session.goBack(early.value)
    expect(session.acts).toEqual([])
    expect(session.world.nowUs).toBe(3_000_000)
    session.world.drop()
  })

  it('has the workload and the datacenters of its page, keeps tokens that came in, and repeats all of it', async () => {
    const loaded = loadScenario('two.yaml', twoDatacenters)
    if (!loaded.ok) throw new Error('the page is valid')
    const session = sessionOf(loaded.value)
    await session.begin()
    await pass(session, 4_000)
    expect(session.saved()).not.toContain('Keep it secret')
    const headers = { 'x-svc-token': 'a-secret-of-mine' }
    done(session, { http: { at: 's2', request: 'GET /v1/catalog/datacenters', headers } })
    done(session, { svc: { at: 's1', args: ['members', '-token=another-secret'] } })
    await pass(session, 1_000)
    done(session, { do: { partition: { groups: [['s1'], ['s2']] } } })
    await pass(session, 2_000)
    const text = session.saved()
    expect(text.split('\n')[1]).toBe('# Keep it secret: 2 acts in it hold a token.')
    expect(session.actsWithTokens).toBe(2)
    const { result, notes } = await runOf(text, 7)
    expect(notes).toContain('the trace is that of the session')
    expect(result.trace.hash).toBe(session.world.hash)
    session.world.drop()
  })

  it('throws when a world that is built again is another one', async () => {
    const session = sessionOf(playPage({ clients: 0 }))
    await session.begin()
    await pass(session, 1_000)
    done(session, { do: { crash: 's1' } })
    await pass(session, 1_000)
    done(session, { do: { restart: 's1' } })
    const acts = session.acts as unknown as { hashBefore: string }[]
    const [, second] = acts
    if (second !== undefined) second.hashBefore = 'another'
    const back = session.before({ last: true })
    if (!back.ok) throw new Error(back.error)
    await expect(session.goBack(back.value)).rejects.toThrow(/built again is the same/)
    session.world.drop()
  })

  it('says what is wrong with an act, and changes nothing', async () => {
    const session = sessionOf(playPage({}), 7, { eventsMax: 4_000 })
    await session.begin()
    const before = session.world.hash
    for (const [given, why] of [
      [{ do: { crash: 's9' } }, /there is no agent 's9'/],
      [{ do: { crash: 'it' } }, /pages alone/],
      [{ do: { explode: 's1' } }, /explode/],
      [{ do: { crash: 's1' }, mend: true }, /one thing/],
      [{}, /one thing/],
      [{ http: { at: 's1', request: 'no request' } }, /method and target/],
      [{ svc: { at: 's1', args: [] } }, /args/],
      [{ upgrade: { node: 's1', to: 'newest' } }, /newest/],
      [{ configure: { node: 's1', config: { log_levl: 'debug' } } }, /log_levl/],
    ] as const) {
      expect(session.act(given), JSON.stringify(given)).toMatchObject({ ok: false, error: expect.stringMatching(why) })
    }
    expect(session.world.hash).toBe(before)
    expect(session.acts).toEqual([])
    expect(session.before({ last: true })).toMatchObject({ ok: false })
    expect(session.before({ toUs: 1e12 })).toMatchObject({ ok: false })
    await pass(session, 3_600_000)
    expect(session.failure()?.text).toMatch(/at most 4000 events/)
    expect(session.act({ do: { crash: 's1' } })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/stands still/),
    })
    session.world.drop()
  })

  it('makes the same world with pictures as without', async () => {
    const plain = sessionOf(playPage({}))
    await played(plain)
    const hash = plain.world.hash
    plain.world.drop()
    const filmed = sessionOf(playPage({}), 7, { gzip: gzipSync })
    await played(filmed)
    expect(filmed.world.hash).toBe(hash)
    const overview = filmed.world.film?.overview()
    const again = filmed.world.film?.overview()
    expect(again).toEqual(overview)
    expect(overview?.faults.some(({ kind }) => kind === 'cut')).toBe(true)
    expect(overview?.pieces.length).toBeGreaterThan(1)
    const last = (overview?.pieces.length ?? 0) - 1
    expect(filmed.world.film?.piece(0)).toEqual(expect.any(String))
    expect(filmed.world.film?.piece(last)).toMatchObject({ events: expect.any(Array) })
    expect(filmed.world.film?.piece(last + 1)).toBeUndefined()
    filmed.world.drop()
  })
})
