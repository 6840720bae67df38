import { describe, expect, it } from 'vitest'
import { catalogFaults, type HeldNode, type ListedNode } from '../../../sim/checkers/pool/catalog-truth.ts'
import { poolFaults } from '../../../sim/checkers/pool/pool-views.ts'

function view(observer: string, members: Readonly<Record<string, string>>) {
  return { observer, members: new Map(Object.entries(members)) }
}

describe('agents at rest agree on the members (M1, M2)', () => {
  const agreed = { s1: 'alive', c1: 'alive', c2: 'left' }

  it('when each sees the others alive and departed ones as left', () => {
    expect(poolFaults([view('s1', agreed), view('c1', agreed)], ['s1', 'c1'], ['c2'])).toEqual([])
  })

  it('when a late one never heard of a departed member', () => {
    expect(poolFaults([view('s1', { s1: 'alive' })], ['s1'], ['c2'])).toEqual([])
  })

  it.each([
    [{ s1: 'alive' }, 'M1', 's1 does not know c1', false],
    [{ s1: 'alive', c1: 'failed' }, 'M2', 's1 sees c1 as failed, which runs and is connected', false],
    [{ s1: 'alive', c1: 'alive', c2: 'alive' }, 'M1', 's1 sees c2 as alive, which left', false],
    [{ s1: 'alive', c1: 'alive', c2: 'failed' }, 'M1', 's1 sees c2 as failed, which left', true],
  ])('not when one sees %j', (members, code, message, isOfLeave) => {
    const faults = poolFaults([view('s1', members), view('c1', agreed)], ['s1', 'c1'], ['c2'])
    expect(faults).toEqual([{ code, message, isOfLeave }])
  })

  it('when no agent heard the leave, and the member has failed for all', () => {
    const failed = { ...agreed, c2: 'failed' }
    expect(poolFaults([view('s1', failed), view('c1', failed)], ['s1', 'c1'], ['c2'])).toEqual([])
  })
})

describe('the catalog at rest says what the agent holds (E1)', () => {
  const web = { id: 'web', service: 'web', tags: ['blue'], port: 80, enableTagOverride: false }
  const svc = { id: 'svc', service: 'svc', tags: [], port: 8300, enableTagOverride: false }
  const held: HeldNode = {
    node: 'c1',
    server: false,
    services: [web],
    checks: new Map([['service:web', 'passing']]),
  }
  const listed = {
    services: [web],
    checks: new Map([
      ['serfHealth', 'passing'],
      ['service:web', 'passing'],
    ]),
  }

  it('when both are the same', () => {
    expect(catalogFaults(held, listed)).toEqual([])
  })

  it("with a server's own service, which its agent does not have", () => {
    expect(catalogFaults({ ...held, server: true }, { ...listed, services: [svc, web] })).toEqual([])
    expect(catalogFaults(held, { ...listed, services: [svc, web] })).toHaveLength(1)
  })

  it('with other tags only where those of the catalog count', () => {
    const tagged = { ...listed, services: [{ ...web, tags: ['green'] }] }
    expect(catalogFaults(held, tagged)).toHaveLength(1)
    const open = { ...web, enableTagOverride: true }
    expect(catalogFaults({ ...held, services: [open] }, { ...listed, services: [{ ...open, tags: ['x'] }] })).toEqual(
      [],
    )
  })

  const wrong: readonly (readonly [string, ListedNode])[] = [
    ['the catalog has no node c1', undefined],
    ['the catalog lacks service web of c1', { ...listed, services: [] }],
    ['service web of c1 is', { ...listed, services: [{ ...web, port: 81 }] }],
    ['the catalog has service db on c1', { ...listed, services: [web, { ...web, id: 'db' }] }],
    ['the membership check of c1 is missing', { ...listed, checks: new Map([['service:web', 'passing']]) }],
    [
      'the membership check of c1 is critical',
      { ...listed, checks: new Map([...listed.checks, ['serfHealth', 'critical']]) },
    ],
    ['check service:web of c1 is missing', { ...listed, checks: new Map([['serfHealth', 'passing']]) }],
    [
      'check service:web of c1 is critical',
      { ...listed, checks: new Map([...listed.checks, ['service:web', 'critical']]) },
    ],
    ['the catalog has check ghost on c1', { ...listed, checks: new Map([...listed.checks, ['ghost', 'passing']]) }],
  ]
  it.each(wrong)('not when %s', (message, seen) => {
    const faults = catalogFaults(held, seen)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(message)
  })
})
