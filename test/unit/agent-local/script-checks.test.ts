import { describe, expect, it } from 'vitest'
import type { SimNode } from '../../../sim/simulation/node.ts'
import { defaultAccess } from '../../../src/agent/settings/access-settings.ts'
import { firstSaid, script, scriptsOn } from './check-runs.ts'
import { checkOf, configOf, offer, withLocalServices } from './local-world.ts'

describe('a script check', () => {
  const programs = (node: SimNode): void => {
    node.programs.set('sh', ({ argv }) => ({ afterMs: 10, exit: Number(argv[1]), output: `said ${argv[1]}\n` }))
    node.programs.set('slow', () => ({ afterMs: 60_000, exit: 0 }))
    node.programs.set('far', () => ({ afterMs: 1, exit: 0, output: `${'ü'.repeat(2_048)}!` }))
    node.programs.set('loud', () => ({ afterMs: 1, exit: 0, output: `${'a'.repeat(10)}${'b'.repeat(4_096)}` }))
  }

  it.each([
    ['0', 'passing'],
    ['1', 'warning'],
    ['2', 'critical'],
  ])('with exit code %s is %s', async (code, status) => {
    await withLocalServices(
      scriptsOn,
      async (world) => {
        expect(await firstSaid(world, script('sh', code))).toEqual([status, `said ${code}\n`])
      },
      programs,
    )
  })

  it('is ended after its limit, is cut to the last 4096 bytes, and says when there is no such program', async () => {
    await withLocalServices(
      scriptsOn,
      async (world) => {
        expect(await firstSaid(world, script('slow'))).toEqual(['critical', 'Timed out (2s) running check'])
        await world.local.deregisterCheck('c')
        expect(await firstSaid(world, script('loud'))).toEqual(['passing', 'b'.repeat(4_096)])
        await world.local.deregisterCheck('c')
        expect(await firstSaid(world, script('far'))).toEqual(['passing', `${'ü'.repeat(2_047)}!`])
        await world.local.deregisterCheck('c')
        expect((await firstSaid(world, script('nobody')))[1]).toMatch(/^exec: "nobody": /)
      },
      programs,
    )
  })

  it('that came over the API does not run while a reload forbids scripts, and runs again when the next allows them', async () => {
    let runs = 0
    await withLocalServices(
      scriptsOn,
      async ({ local, catalog, rest, lines }) => {
        await local.registerService(offer('web', {}, [checkOf('c', script('counted'), { serviceId: 'web' })]))
        await local.registerCheck(checkOf('gone', script('counted')))
        await rest(25_000)
        await local.reload(configOf())
        await rest(5_000)
        expect(local.checks()).toEqual([])
        expect(catalog.checks.size).toBe(0)
        expect(lines.filter((line) => line.includes('is left out'))).toHaveLength(2)
        await local.deregisterCheck('gone')
        const before = runs
        await rest(60_000)
        expect(runs).toBe(before)
        await local.reload(scriptsOn)
        await rest(25_000)
        expect(runs).toBeGreaterThan(before)
        expect(local.checks()).toMatchObject([{ checkId: 'c', status: 'passing', serviceId: 'web' }])
        expect([...catalog.checks.keys()]).toEqual(['c'])
      },
      (node) => {
        node.programs.set('counted', () => {
          runs++
          return { afterMs: 10, exit: 0 }
        })
      },
    )
  })

  it('[HLT-014] [HLT-015] is refused over the API unless scripts are enabled for it, and not for files alone', async () => {
    const forFiles = configOf({ checksConfig: { ...configOf().checksConfig, localScripts: true } })
    for (const config of [configOf(), forFiles]) {
      await withLocalServices(config, async ({ local }) => {
        const error = {
          kind: 'refused',
          message:
            "Scripts are disabled on this agent from remote calls; to enable, configure 'enable_script_checks' to true",
        }
        const check = checkOf('c', script('sh', '0'))
        expect(await local.registerCheck(check)).toEqual({ ok: false, error })
        expect(await local.registerService(offer('web', {}, [check]))).toEqual({ ok: false, error })
        expect(local.services()).toEqual([])
        expect(local.checks()).toEqual([])
      })
    }
    await withLocalServices(scriptsOn, async ({ local }) => {
      expect(await local.registerCheck(checkOf('c', script('sh', '0')))).toMatchObject({ ok: true })
      expect(local.stats()).toEqual({ check_monitors: '1', check_ttls: '0', checks: '1', services: '0' })
    })
  })
})

describe('scripts over the API', () => {
  const guarded = { ...defaultAccess, enabled: true, defaultPolicy: 'deny' } as const
  const warned = [expect.stringMatching(/^warn enable_script_checks without ACLs .* enable ACLs/)]

  it.each([
    ['there are no ACLs', defaultAccess],
    ['ACLs allow by default', { ...guarded, defaultPolicy: 'allow' }],
    ['ACLs only report', { ...guarded, reportOnly: true }],
    ['rules for services are not enforced', { ...guarded, enforceVersion8: false }],
  ] as const)('[HLT-016] are warned of when the agent starts and %s', async (_when, access) => {
    await withLocalServices({ ...scriptsOn, access }, async ({ lines }) => expect(lines).toEqual(warned))
  })

  it('[HLT-016] are not warned of where ACLs deny by default, nor scripts of files', async () => {
    await withLocalServices({ ...scriptsOn, access: guarded }, async ({ lines }) => expect(lines).toEqual([]))
    await withLocalServices(configOf(), async ({ lines }) => expect(lines).toEqual([]))
  })
})
