import { describe, expect, it } from 'vitest'
import {
  type AskedQuery,
  type HeldInstance,
  queryFault,
  type ToldExecution,
} from '../../../sim/checkers/query-truth.ts'

const plain: AskedQuery = {
  name: 'find',
  service: 'web',
  onlyPassing: false,
  ignoredChecks: [],
  tags: [],
  nodeMeta: {},
  nearestN: 0,
  datacenters: [],
}

function instance(name: string, status: string, more: Partial<HeldInstance> = {}): HeldInstance {
  return { name, tags: [], nodeMeta: {}, checks: [{ id: 'w', status }], ...more }
}

/** Whether this answer is right, where dc2 is nearer than dc3, and a datacenter that is not there does not answer. */
function isRight(
  query: Partial<AskedQuery>,
  told: ToldExecution,
  held: Readonly<Record<string, readonly HeldInstance[]>>,
): boolean {
  const world = { own: 'dc1', others: ['dc2', 'dc3'], held: (datacenter: string) => held[datacenter] }
  return queryFault({ ...plain, ...query }, told, world) === undefined
}

const here = (...found: string[]): ToldExecution => ({ datacenter: 'dc1', failovers: 0, found })

describe('Q1: what a query finds where it is', () => {
  const held = {
    dc1: [
      instance('a/web', 'passing', { tags: ['Blue'], nodeMeta: { rack: '1' } }),
      instance('b/web', 'warning', { tags: ['blue', 'old'] }),
      instance('c/web', 'critical'),
    ],
  }

  it('is everything that is not critical, in any order', () => {
    expect(isRight({}, here('b/web', 'a/web'), held)).toBe(true)
    expect(isRight({}, here('a/web'), held)).toBe(false)
    expect(isRight({}, here('a/web', 'b/web', 'c/web'), held)).toBe(false)
  })

  it('is what passes, if it wants that, but for checks that it ignores', () => {
    expect(isRight({ onlyPassing: true }, here('a/web'), held)).toBe(true)
    expect(isRight({ onlyPassing: true }, here('a/web', 'b/web'), held)).toBe(false)
    expect(isRight({ ignoredChecks: ['w'] }, here('a/web', 'b/web', 'c/web'), held)).toBe(true)
  })

  it('has its tags and none that it refuses, and the metadata of its node', () => {
    expect(isRight({ tags: ['blue', '!OLD'] }, here('a/web'), held)).toBe(true)
    expect(isRight({ tags: ['blue', '!OLD'] }, here('a/web', 'b/web'), held)).toBe(false)
    expect(isRight({ nodeMeta: { rack: '1' } }, here('a/web'), held)).toBe(true)
    expect(isRight({ nodeMeta: { rack: '1' } }, here('b/web'), held)).toBe(false)
  })

  it('is looked for nowhere else as long as there is any', () => {
    const elsewhere = { datacenter: 'dc2', failovers: 1, found: ['d/web'] }
    expect(isRight({ nearestN: 1 }, elsewhere, { ...held, dc2: [instance('d/web', 'passing')] })).toBe(false)
  })
})

describe('Q1: what a query finds elsewhere', () => {
  const held = { dc1: [], dc2: [instance('d/web', 'critical')], dc3: [instance('e/web', 'passing')] }

  it('is of the first datacenter that has any, the nearest before those it names, each tried once', () => {
    const third = { datacenter: 'dc3', failovers: 2, found: ['e/web'] }
    expect(isRight({ nearestN: 2 }, third, held)).toBe(true)
    expect(isRight({ nearestN: 1, datacenters: ['dc2', 'dc9', 'dc3'] }, third, held)).toBe(true)
    expect(isRight({ nearestN: 1, datacenters: ['dc3'] }, { ...third, failovers: 1 }, held)).toBe(false)
    expect(isRight({ datacenters: ['dc3', 'dc2'] }, { ...third, failovers: 1 }, held)).toBe(true)
  })

  it('is nothing, of the last that was tried, where no datacenter has any', () => {
    expect(isRight({ datacenters: ['dc2'] }, { datacenter: 'dc2', failovers: 1, found: [] }, held)).toBe(true)
    expect(isRight({}, here(), held)).toBe(true)
  })

  it('passes over a datacenter that does not answer, and counts it', () => {
    const { dc3 } = held
    expect(isRight({ nearestN: 2 }, { datacenter: 'dc3', failovers: 2, found: ['e/web'] }, { dc1: [], dc3 })).toBe(true)
    expect(isRight({ nearestN: 1 }, { datacenter: 'dc1', failovers: 1, found: [] }, { dc1: [], dc3 })).toBe(true)
  })
})
