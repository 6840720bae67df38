import { describe, expect, it } from 'vitest'
import { hasBehaviour, releaseText } from '../../src/model/release.ts'
import {
  adjacentPairs,
  everyRelease,
  type Order,
  orders,
  pairText,
  type ReleasePair,
  rollingUpgrade,
  stopsIn,
  upgradeOfHeld,
} from './release-matrix.ts'
import { oneJob, scenarioFile, svcSim } from './svc-sim.ts'

/** All orders and twenty seeds; or a sample, every eighteenth pair, each in an order of its own, in one process. */
const isLong = process.env['SVC_TEST_LONG'] === '1'
const seeds = isLong ? 20 : 1
const longMs = isLong ? 3 * 3_600_000 : 300_000

const pairs = adjacentPairs()

/**
 * The notes of 0.8.0 announce that its leaders make servers of earlier releases stop; 0.8.1 has mended it
 * (REL-0.8.0-1).
 */
function isAnnounced({ from, to }: ReleasePair): boolean {
  return hasBehaviour(to, 'autopilot') && !hasBehaviour(from, 'autopilot') && !hasBehaviour(to, 'commands-wait')
}

interface Told {
  readonly seed: number
  readonly trace: string
  readonly passed: boolean
}

/** Runs each file with every seed; results come in order of files, then of seeds. */
async function runAll(files: readonly string[]): Promise<readonly Told[]> {
  const { out, err, exit } = await svcSim(['run', ...files, '--seeds', `1..${seeds}`, '--json', ...oneJob])
  expect(exit, `${out}${err}`).toBe(0)
  const lines = out.trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Told)
}

function upgradeFile(pair: ReleasePair, order: Order): string {
  return scenarioFile(rollingUpgrade(pair, order, true))
}

const quiet = pairs.filter((pair) => !isAnnounced(pair))
const groups = isLong
  ? quiet.map((pair) => [pairText(pair), orders.map((order) => ({ pair, order }))] as const)
  : [
      [
        'one to another, in a sample,',
        quiet
          .map((pair, at) => ({ pair, order: orders[at % orders.length] as Order }))
          .filter((_, at) => at % 18 === 1),
      ] as const,
    ]

/** Of every pair; in the sample the one by which servers get other names, and the one by which tokens get accessors. */
const heldGroups = isLong
  ? pairs.map((pair) => [pairText(pair), held(pair, isAnnounced(pair) ? ['leader last'] : orders)] as const)
  : [
      [
        'one to another, in a sample,',
        pairs
          .filter(({ to }) => ['1.0.0', '1.4.0'].includes(releaseText(to)))
          .flatMap((pair) => held(pair, ['leader last'])),
      ] as const,
    ]

function held(pair: ReleasePair, all: readonly (Order | 'leader last')[]) {
  return all.map((order) => ({ pair, order }))
}

describe('a rolling upgrade of three servers and a client', () => {
  it('is tried between all neighbours of the table, from the oldest release to the newest', () => {
    expect(pairs.length).toBeGreaterThan(14)
    expect(pairs.filter(isAnnounced).map(({ to }) => releaseText(to))).toEqual(['0.8.0'])
  })

  it(
    '[UPG-001] every release of the table is one that a simulated server can run as',
    async () => {
      const { out, err, exit } = await svcSim(['run', scenarioFile(everyRelease()), '--quiet'])
      expect(exit, `${out}${err}`).toBe(0)
      expect(out).toContain('passed: Every release')
    },
    longMs,
  )

  it.each(groups)(
    '[AGT-039] [UPG-062] from %s loses nothing, nobody stops, and it is the same when it is done again',
    async (_, group) => {
      const [first] = group
      if (first === undefined) throw new Error('nothing to upgrade')
      const other = orders.find((order) => order !== first.order) as Order
      const files = group.map(({ pair, order }) => upgradeFile(pair, order))
      const told = await runAll([...files, upgradeFile(first.pair, other), upgradeFile(first.pair, first.order)])
      expect(told).toHaveLength((files.length + 2) * seeds)
      const traces = told.map(({ trace }) => trace)
      // Equal seeds and orders give equal runs; another order another one, as lawful.
      expect(traces.slice(-seeds)).toEqual(traces.slice(0, seeds))
      expect(traces.slice(-2 * seeds, -seeds)).not.toEqual(traces.slice(0, seeds))
    },
    longMs,
  )

  it.each(heldGroups)(
    '[UPG-049] from %s keeps catalog, keys, sessions, tokens and roots on every server, row by row',
    async (_, group) => {
      const files = group.map(({ pair, order }) => scenarioFile(upgradeOfHeld(pair, order)))
      const told = await runAll(files)
      expect(told).toHaveLength(files.length * seeds)
      expect(told.every(({ passed }) => passed)).toBe(true)
    },
    longMs,
  )

  it.each(pairs.filter(isAnnounced).map((pair) => [pairText(pair), pair] as const))(
    'from %s stops servers exactly when one of the later release leads others of the earlier, and loses nothing',
    async (_, pair) => {
      for (const order of isLong ? orders : orders.slice(3, 4)) {
        const file = scenarioFile(rollingUpgrade(pair, order, false))
        for (let seed = isLong ? 1 : 2; seed <= Math.max(2, seeds); seed++) {
          const { out, err, exit } = await svcSim(['run', file, '--seed', String(seed)])
          const { isDue, stopped, wrong } = stopsIn(out, pair.to)
          const which = `${order}, seed ${seed}\n${out}${err}`
          expect(exit, which).toBe(0)
          expect(wrong, which).toEqual([])
          expect(stopped.length > 0, which).toBe(isDue)
        }
      }
    },
    longMs,
  )
})
