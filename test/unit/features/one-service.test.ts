import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { unrestricted } from '../../../src/access/authorizer.ts'
import { ok } from '../../../src/base/result.ts'
import { readOneService } from '../../../src/features/agent/service-routes.ts'
import type { RouteContext } from '../../../src/features/contract/route-context.ts'
import { HandClock, settled } from './hand-clock.ts'

const ofId = (services: () => readonly { readonly id: string }[]) => (id: string) => {
  return services().find((service) => service.id === id.toLowerCase())
}

it("a change of a service of the agent is sent to a waiting caller, also when it comes while the caller's rights are looked up", async () => {
  const clock = new HandClock()
  const facts = { id: 'web', service: 'web', tags: [], meta: [], address: '', weights: { passing: 1, warning: 1 } }
  let services = [{ ...facts, port: 80 }]
  let whileAsked = (): void => undefined
  const agent = {
    env: { ...clock.env, crypto: { sha256: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest() } },
    local: { service: ofId(() => services), onServicesChange: () => ({ close: () => undefined }) },
    authorizer: async () => {
      whileAsked()
      return ok(unrestricted)
    },
  } as unknown as RouteContext
  const read = (query: readonly (readonly [string, string])[], rest = 'web') => {
    const request = { query: new Map(query), rest, call: {} }
    return readOneService(agent, request as unknown as Parameters<typeof readOneService>[1])
  }
  const first = await read([])
  const { contentHash = '' } = first as { readonly contentHash?: string }
  expect(contentHash).not.toBe('')
  expect(await read([], 'WEB'), 'IDs are one whatever the case of their letters').toEqual(first)
  expect(await read([], 'we')).not.toEqual(first)
  whileAsked = () => {
    services = [{ ...facts, port: 81 }]
  }
  let second: unknown
  void read([['hash', contentHash]]).then((answer) => {
    second = answer
  })
  await settled()
  expect(second).toMatchObject({ value: { Port: 81 } })
})

it('a caller that waits is told once that it has gone, however many other changes come meanwhile', async () => {
  const clock = new HandClock()
  const web = { id: 'web', service: 'web', tags: [], meta: [], address: '', weights: { passing: 1, warning: 1 } }
  const watchers = new Set<() => void>()
  const aborts: (() => void)[] = []
  const agent = {
    env: { ...clock.env, crypto: { sha256: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest() } },
    local: {
      service: () => web,
      onServicesChange: (use: () => void) => {
        watchers.add(use)
        return { close: () => watchers.delete(use) }
      },
    },
    authorizer: async () => ok(unrestricted),
  } as unknown as RouteContext
  const read = (query: readonly (readonly [string, string])[]) => {
    const call = { onAbort: (use: () => void) => aborts.push(use) }
    const request = { query: new Map(query), rest: 'web', call }
    return readOneService(agent, request as unknown as Parameters<typeof readOneService>[1])
  }
  const { contentHash = '' } = (await read([])) as { readonly contentHash?: string }
  let answer: unknown
  void read([['hash', contentHash]]).then((said) => {
    answer = said
  })
  for (let change = 0; change < 5; change++) {
    await settled()
    expect([watchers.size, clock.timers]).toEqual([1, 1])
    for (const use of [...watchers]) use()
  }
  await settled()
  expect([aborts.length, answer]).toEqual([1, undefined])
  for (const use of aborts) use()
  await settled()
  expect(answer).toMatchObject({ kind: 'failure', failure: { kind: 'cancelled' } })
  expect([watchers.size, clock.timers]).toEqual([0, 0])
})

it('shows weights of 0 where its definition has none', async () => {
  const facts = { id: 'web', service: 'web', tags: [], meta: [], address: '', weights: { passing: 1, warning: 1 } }
  const shown = async (service: object): Promise<unknown> => {
    const clock = new HandClock()
    const crypto = { sha256: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest() }
    const local = { service: () => service, onServicesChange: () => ({ close: () => undefined }) }
    const agent = { env: { ...clock.env, crypto }, local, authorizer: async () => ok(unrestricted) }
    const request = { query: new Map(), rest: 'web', call: {} }
    return readOneService(agent as unknown as RouteContext, request as unknown as Parameters<typeof readOneService>[1])
  }
  expect(await shown({ ...facts, weightless: true })).toMatchObject({ value: { Weights: { Passing: 0, Warning: 0 } } })
  expect(await shown(facts)).toMatchObject({ value: { Weights: { Passing: 1, Warning: 1 } } })
})
