import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { forecastSchema } from '../../../src/cli/api/connect-answers.ts'
import { forecastText } from '../../../src/cli/authority-forecast.ts'
import { FakeApi } from './fake-api.ts'

const directory = mkdtempSync(join(tmpdir(), 'svc-authority-'))
afterAll(() => rmSync(directory, { recursive: true }))

const root = {
  ID: 'c9:7f:75:01:22:33',
  Name: 'Svc CA Root Cert',
  Provider: 'svc',
  Active: true,
  Expires: '2036-11-18T03:00:00Z',
  Leaves: [{ Datacenter: 'dc1', Expires: '2026-11-24T02:59:00Z' }],
  Goes: '',
}

const calm = {
  Now: '2026-11-21T03:00:00Z',
  State: 'ready',
  Problem: '',
  Provider: 'svc',
  TrustDomain: 'c3da1eb3.svc',
  LeafCertTTL: '72h',
  LeafExpires: '2026-11-24T02:59:00Z',
  Roots: [root],
  Crossings: [],
  Rotation: null,
  RotationNow: {
    Possible: true,
    Why: '',
    Begins: '',
    Roots: 2,
    CertificatesOfLeaf: 2,
    OldRootGoes: '2026-11-24T03:01:00Z',
    LeavesHoldUntil: '2036-11-18T03:00:00Z',
  },
}

const old = { ...root, ID: 'aa:bb:cc:dd:ee:ff', Active: false, Goes: '2026-11-23T03:00:00Z' }

let api: FakeApi
beforeEach(() => {
  api = new FakeApi()
})

describe('svc connect ca forecast', () => {
  const path = 'GET /v1/connect/ca/forecast'

  it('says when what expires, and what a rotation now would do', async () => {
    api.on(path, [200, calm])
    expect(await api.run(['connect', 'ca', 'forecast'])).toEqual({
      code: 0,
      error: '',
      out: [
        'State              ready',
        'Provider           svc',
        'Trust domain       c3da1eb3.svc',
        'A leaf lives       72h',
        'Signed now, until  2026-11-24T02:59:00Z',
        '',
        'Roots, the oldest first:',
        'ID           Name              State   Expires               Last leaf expires           Goes',
        'c9:7f:75:01  Svc CA Root Cert  active  2036-11-18T03:00:00Z  2026-11-24T02:59:00Z (dc1)  stays',
        '',
        'A rotation now:',
        '  - lists 2 roots, of which the new one signs from then on',
        '  - sends 2 certificates with each leaf, itself among them',
        '  - keeps the root that is active now until 2026-11-24T03:01:00Z, when each of its leaves has expired by any clock',
        '  - signs leaves that hold until 2036-11-18T03:00:00Z at most',
        '',
      ].join('\n'),
    })
  })

  it('says during a rotation its progress, and which earlier roots remain', async () => {
    const crossing = { RootID: root.ID, SignedByRootID: old.ID, Expires: '2026-11-28T03:00:00Z' }
    const rotation = { ID: 3, Step: 'requested', Provider: 'vault', Started: '2026-11-21T02:59:50Z' }
    api.on(path, [
      200,
      {
        ...calm,
        State: 'rotating',
        Roots: [old, { ...root, Leaves: [] }],
        Crossings: [crossing],
        Rotation: rotation,
        RotationNow: { ...calm.RotationNow, Possible: false, Why: 'a rotation is under way' },
      },
    ])
    const { code, out } = await api.run(['connect', 'ca', 'forecast'])
    expect(code).toBe(0)
    expect(out).toContain('aa:bb:cc:dd  Svc CA Root Cert  old     2036-11-18T03:00:00Z')
    expect(out).toContain('2026-11-23T03:00:00Z\nc9:7f:75:01')
    expect(out).toContain('none signed                 stays\n')
    expect(out).toContain(
      'From newer roots to older ones:\nRoot         Signed by    Expires\nc9:7f:75:01  aa:bb:cc:dd  2026-11-28T',
    )
    expect(out).toContain('A rotation is under way:\n  - number 3, to vault, since 2026-11-21T02:59:50Z: requested\n')
    expect(out).toContain('A rotation now:\n  - is not possible: a rotation is under way\n')
  })

  it('says when a rotation begins for whose root there is no room yet', async () => {
    const Begins = '2026-11-24T03:01:00Z'
    const rotation = { ID: 3, Step: 'begun', Provider: 'svc', Started: '2026-11-21T02:59:50Z', Begins }
    const rotationNow = { ...calm.RotationNow, Begins }
    api.on(path, [200, { ...calm, State: 'rotating', Rotation: rotation, RotationNow: rotationNow }])
    const { out } = await api.run(['connect', 'ca', 'forecast'])
    expect(out).toContain(`begun\n  - begins ${Begins}, when a root has expired`)
    expect(out).toContain(`A rotation now:\n  - is accepted, and begins ${Begins}, when a root has expired`)
  })

  it('ends with 2 where the authority does not do its work, and says why', async () => {
    api.on(path, [200, { ...calm, State: 'degraded', Problem: 'the provider cannot be reached' }])
    const degraded = await api.run(['connect', 'ca', 'forecast'])
    expect([degraded.code, degraded.out.split('Needs attention:\n')[1]]).toEqual([
      2,
      '  - the provider cannot be reached\n',
    ])
    api.on(path, [200, { ...calm, LeafExpires: '' }])
    const exhausted = await api.run(['connect', 'ca', 'forecast'])
    expect(exhausted.code).toBe(2)
    expect(exhausted.out).toContain('  - no leaf can be signed: a certificate that goes with it')
  })

  it('tells of leaves that are cut short and of a root that ends soon, and of nothing else', () => {
    const seen = (changes: object): string | undefined =>
      forecastText(forecastSchema.parse({ ...calm, ...changes })).split('Needs attention:\n')[1]
    expect(seen({})).toBeUndefined()
    expect(seen({ LeafExpires: '2026-11-22T03:00:00Z' })).toBe(
      '  - leaves are cut short to 2026-11-22T03:00:00Z, when a certificate that goes with them expires\n',
    )
    expect(seen({ Roots: [{ ...root, Expires: '2027-01-19T03:00:00Z' }] })).toBe(
      '  - the active root expires at 2027-01-19T03:00:00Z: rotate at least the lifetime of a leaf before\n',
    )
    expect(seen({ Roots: [{ ...root, Expires: '2027-01-21T03:00:00Z' }] })).toBeUndefined()
    const none = { State: 'not-begun', LeafExpires: '', Roots: [], TrustDomain: '', Provider: '', LeafCertTTL: '0s' }
    expect(seen(none)).toBe('  - the authority does not exist yet: a leader with the mesh enabled creates it\n')
  })

  it('is JSON for programs', async () => {
    api.on(path, [200, calm])
    const { code, out } = await api.run(['connect', 'ca', 'forecast', '-format=json'])
    expect([code, JSON.parse(out)]).toEqual([0, calm])
  })

  it.each([
    [['-format=xml'], 'There is no format "xml": write text or json'],
    [['more'], 'Too many arguments'],
    [['-none'], 'flag provided but not defined: -none'],
  ])('refuses %j, and asks nobody', async (argv, line) => {
    const { code, error } = await api.run(['connect', 'ca', 'forecast', ...argv])
    expect(code).toBe(1)
    expect(error).toContain(line)
    expect(api.asked).toEqual([])
  })

  it('says so where the mesh is off, and where the answer is none', async () => {
    api.on(path, [500, 'Connect must be enabled in order to use this endpoint'])
    expect((await api.run(['connect', 'ca', 'forecast'])).error).toBe(
      'Error reading the forecast: Unexpected response code: 500 (Connect must be enabled in order to use this endpoint)\n',
    )
    api.on(path, [200, { State: 'ready' }])
    expect((await api.run(['connect', 'ca', 'forecast'])).error).toContain('cannot be read')
  })
})

describe('svc connect ca set-config -cas', () => {
  const path = 'PUT /v1/connect/ca/configuration?cas=7'
  const file = join(directory, 'ca.json')
  writeFileSync(file, '{"Provider":"svc","Config":{}}')
  const run = (...argv: string[]) => api.run(['connect', 'ca', 'set-config', '-force', `-config-file=${file}`, ...argv])

  it('changes the configuration only where it has not changed since', async () => {
    api.on(path, [200, true])
    expect(await run('-cas=7')).toEqual({ code: 0, out: 'Configuration updated!\n', error: '' })
    api.on(path, [200, false])
    expect(await run('-cas=7')).toEqual({
      code: 1,
      out: '',
      error: 'Error setting CA configuration: it has changed since: read it again\n',
    })
  })

  it('is an index', async () => {
    expect((await run('-cas=x')).error).toContain(
      '-cas "x" is not an index: write the ModifyIndex that get-config shows',
    )
    expect(api.asked).toEqual([])
  })
})
