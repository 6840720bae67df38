import { describe, expect, it } from 'vitest'
import { type ClusterOptions, libraryPage } from '../../../sim/library/library-page.ts'
import { seedsToRun } from '../../../sim/library/seeds-to-run.ts'

const asked = (text: Partial<Parameters<typeof seedsToRun>[0]>) =>
  seedsToRun({ seed: 1, seeds: 1, one: undefined, range: undefined, ...text })

describe('the seeds of describeCluster', () => {
  it('are those of the options, of SVC_SIM_SEED alone, or of the range SVC_SIM_SEEDS', () => {
    expect(asked({ seed: 5, seeds: 3 })).toEqual([5, 6, 7])
    expect(asked({ one: '0', range: '1..3' })).toEqual([0])
    expect(asked({ range: '4..6', seeds: 99 })).toEqual([4, 5, 6])
    expect(asked({ range: '4' })).toEqual([4])
    expect(asked({ range: '1..10000' })).toHaveLength(10_000)
  })

  it.each([
    ['5..1', /'5\.\.1' ends before it begins: write 1\.\.5/],
    ['1..2..3', /'1\.\.2\.\.3' is no range of seeds/],
    ['1..', /'' is no seed/],
    ['', /'' is no seed/],
    ['-3..4', /'-3' is no seed/],
    ['1..10001', /more than 10000 seeds/],
    ['0..9007199254740991', /more than 10000 seeds/],
    ['1..99999999999999999999', /is no seed/],
  ])('are never none and never without bound: SVC_SIM_SEEDS=%s is refused', (range, message) => {
    expect(() => asked({ range })).toThrow(message)
  })

  it.each([0, -1, 1.5, Number.NaN, 10_001, 1e300])('are refused where options want %s of them', (seeds) => {
    expect(() => asked({ seeds })).toThrow(/^seeds: .* from 1 to 10000$/)
  })

  it.each([-1, 1.5, 2 ** 53])('are refused where they begin at %s', (seed) => {
    expect(() => asked({ seed })).toThrow(/^seed: .* is no seed/)
  })
})

describe('the options of createCluster', () => {
  it.each<[object, string]>([
    [{ server: 5 }, "there is no option 'server': there are seed, servers, clients, release, config, acl, world"],
    [{ seed: -1 }, "'seed' is -1: write a whole number from 0 on"],
    [{ seed: 1.5 }, "'seed' is 1.5: write a whole number from 0 on"],
    [{ seed: '7' }, "'seed' is 7: write a whole number from 0 on"],
    [{ clients: -1 }, "'clients' is -1: write a whole number from 0 on"],
    [{ acl: 'on' }, "'acl' is 'on': write allow or deny"],
    [{ config: [] }, "'config' must be an object"],
    [{ acl: 'deny', config: { acl: 5 } }, "'config.acl' must be an object"],
    [
      { acl: 'deny', config: { acl: { default_policy: 'allow' } } },
      "'acl' is 'deny', but 'config.acl' has another policy, or is not enabled: say it once",
    ],
    [{ world: { steps: [] } }, "'world' takes no 'steps': options and calls of the cluster say it"],
  ])('are refused with what is wrong: %j', (options, message) => {
    expect(libraryPage(options as ClusterOptions)).toEqual({ ok: false, error: `createCluster: ${message}` })
  })

  it.each([null, 5, 'three', []])('are an object, and not %j', (options) => {
    const read = libraryPage(options as unknown as ClusterOptions)
    expect(read).toEqual({ ok: false, error: 'createCluster: its options are an object, such as { servers: 3 }' })
  })

  it('are all said at once, and what the page itself refuses keeps its own words', () => {
    const many = libraryPage({ seed: -1, worlds: 3 } as ClusterOptions)
    expect(many.ok ? '' : many.error).toMatch(/no option 'worlds'.*; 'seed' is -1/)
    const world = libraryPage({ world: { netwrok: {} } })
    expect(world.ok ? '' : world.error).toMatch(/netwrok/)
    const page = libraryPage({ servers: 99 })
    expect(page.ok ? '' : page.error).toMatch(/'count' is too large: at most 15/)
  })
})
