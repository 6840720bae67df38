import { describe, expect, it } from 'vitest'
import type { RegistrationChange } from '../../../sim/checkers/registrations/registration-facts.ts'
import { Registrants, type RegistrationOperation } from '../../../sim/workload/registrants.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const http = { host: '10.0.0.1', port: 8500 }
const all: readonly RegistrationOperation[] = ['change', 'check', 'maintenance', 'node maintenance', 'remove']

/** What two services did in a minute at an agent that answered everything like this. */
function changesAt(status: number, body: string, { silent = 0.1, operations = all, sidecars = false } = {}) {
  return inSimulation({}, async (simulation) => {
    const [began, ended]: RegistrationChange[][] = [[], []]
    const asked: string[] = []
    simulation.addNode({ name: 'c1', host: http.host }).boot((env) =>
      env.http
        .serve(http, async ({ target }: HttpRequest) => {
          asked.push(target)
          return { status, headers: [], body }
        })
        .then(() => undefined),
    )
    const plan = {
      name: 'my shops',
      service: 'my-shops',
      services: 2,
      operations,
      everyMs: { min: 200, max: 900 },
      ttlMs: 3_000,
      silent,
      mesh: true,
      anyAddress: true,
      sidecars,
    }
    simulation.addNode({ name: 'registrants', host: '10.0.0.9' }).boot((env) => {
      const world = {
        nowUs: () => simulation.nowMs * 1_000,
        decisions: simulation.decisions,
        endpointOf: () => http,
        tell: (name: string, { change }: { readonly change: RegistrationChange }) =>
          void (name === 'registration began' ? began : ended)?.push(change),
      }
      const typed = world as unknown as ConstructorParameters<typeof Registrants>[2]
      new Registrants(env, { ...plan, timeoutMs: 1_000 }, typed, ['c1']).start()
    })
    await simulation.run({ untilMs: 60_000 })
    return { began: began ?? [], ended: ended ?? [], asked }
  })
}

const sidecar = 'service my-shops-1-sidecar-proxy'

const kindOf = (target: string): string =>
  target.replace(/^\/v1\/agent\//, '').split(/\/(?:service:)?my-shops|\?/)[0] ?? ''

describe('registrants', () => {
  it('register, change, report, maintain and remove services, each with words of its own', async () => {
    const { ended, asked } = await changesAt(200, '')
    expect(new Set(asked.map(kindOf))).toEqual(
      new Set([
        'service/register',
        'service/deregister',
        'service/maintenance',
        'maintenance',
        'check/register',
        'check/deregister',
        'check/pass',
        'check/warn',
        'check/fail',
      ]),
    )
    const texts = ended.flatMap(({ items }) => items.get('service my-shops-1') ?? [])
    expect(new Set(texts).size).toBe(texts.length)
    expect(texts.length).toBeGreaterThan(5)
    expect(new Set(ended.map(({ outcome }) => outcome))).toEqual(new Set(['done']))
    expect(ended.every(({ calledUs, endedUs }) => calledUs < endedUs)).toBe(true)
  })

  it('report thrice in a time to live, and are silent for longer than that now and then', async () => {
    const { ended } = await changesAt(200, '')
    const reports = ended.filter(({ what }) => /(pass|warn|fail)\/service:my-shops-2/.test(what))
    const gaps = reports.slice(1).map(({ calledUs }, at) => (calledUs - (reports[at]?.calledUs ?? 0)) / 1e6)
    expect(Math.max(...gaps)).toBeGreaterThan(4.5)
    expect(gaps.filter((gap) => gap < 1.1).length).toBeGreaterThan(10)
  })

  it('add and remove aliases of services and nodes of the group, if they are told to', async () => {
    const { ended } = await changesAt(200, '', { operations: ['alias'] })
    const targets = ended.filter(({ what }) => what.includes('check/')).flatMap(({ aliases }) => aliases)
    const texts = targets.map(({ target }) => (target === undefined ? 'gone' : `${target.service} of ${target.node}`))
    expect(new Set(texts)).toEqual(
      new Set(['gone', 'my-shops-1 of ', 'my-shops-2 of ', 'my-shops-1 of c1', 'my-shops-2 of c1', ' of c1']),
    )
    expect(ended.flatMap(({ items }) => [...items.keys()])).toContain('check my-shops-1-alias')
  })

  it('come and go with their sidecars, if they have any', async () => {
    const { ended } = await changesAt(200, '', { operations: ['remove'], sidecars: true })
    const about = ended.map(({ items, aliases }) => ({ item: items.get(sidecar), has: items.has(sidecar), aliases }))
    const [first] = about.filter(({ has }) => has)
    expect(first?.item).toMatch(/^my-shops-sidecar-proxy at \S* before my-shops-1:\d+ tags {2}meta {2}weights 1\/1$/)
    expect(first?.aliases).toEqual([
      { checkId: 'service:my-shops-1-sidecar-proxy:2', target: { node: '', service: 'my-shops-1' } },
    ])
    expect(about.filter(({ has, item }) => has && item === undefined).length).toBeGreaterThan(3)
  })

  it.each([
    [500, 'CheckID "x" does not have associated TTL', 'not held'],
    [500, 'no leader', 'unknown'],
    [404, 'nothing here', 'unknown'],
  ])('take %i %s for %s, and go on to register until it is done', async (status, body, outcome) => {
    const { began, ended, asked } = await changesAt(status, body)
    expect(new Set(ended.map((change) => change.outcome))).toEqual(new Set([outcome]))
    expect(new Set(asked.map(kindOf))).toEqual(new Set(['service/register']))
    expect(began.length - ended.length).toBeLessThanOrEqual(2)
  })
})
