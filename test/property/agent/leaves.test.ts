import { describe, expect, it } from 'vitest'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { fc } from '../../fast-check.ts'
import { anyAge, LeafMesh, noWait } from '../../unit/agent/leaf-mesh.ts'
import { settled } from '../../unit/features/hand-clock.ts'

type Step =
  | { readonly what: 'ask'; readonly service: string; readonly token: string }
  | { readonly what: 'wait'; readonly service: string; readonly token: string; readonly forS: number }
  | { readonly what: 'pass'; readonly minutes: number }
  | { readonly what: 'rotate' }
  | { readonly what: 'prune' }
  | { readonly what: 'servers'; readonly sign: boolean; readonly tell: boolean }
  | { readonly what: 'draw'; readonly value: number }

const service = fc.constantFrom('web', 'db')
const token = fc.constantFrom('a', 'b')

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ what: fc.constant('ask' as const), service, token }),
  fc.record({ what: fc.constant('wait' as const), service, token, forS: fc.integer({ min: 1, max: 600 }) }),
  fc.record({ what: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 3_000 }) }),
  fc.constant({ what: 'rotate' as const }),
  fc.constant({ what: 'prune' as const }),
  fc.record({ what: fc.constant('servers' as const), sign: fc.boolean(), tell: fc.boolean() }),
  fc.record({ what: fc.constant('draw' as const), value: fc.double({ min: 0, max: 0.999, noNaN: true }) }),
)

/** What an agent has given out so far. */
class Given {
  readonly mesh = new LeafMesh()
  readonly #byIndex = new Map<number, string>()
  #last = new Map<string, number>()
  #roots = 1

  async take(step: Step): Promise<void> {
    const { mesh } = this
    switch (step.what) {
      case 'ask':
        return this.ask(step.service, step.token)
      case 'wait':
        return this.#wait(step)
      case 'pass':
        return mesh.clock.advance(step.minutes * 60_000)
      case 'rotate':
        this.#roots += 1
        mesh.roots = [...mesh.roots, `r${this.#roots}`]
        mesh.index += 10
        if (mesh.rootsFailing === undefined) await mesh.tell()
        return
      case 'prune':
        mesh.roots = mesh.roots.slice(-2)
        return
      case 'servers':
        mesh.failing = step.sign ? undefined : { kind: 'no-leader' }
        mesh.rootsFailing = step.tell ? undefined : { kind: 'no-servers' }
        return
      case 'draw':
        mesh.drawn = step.value
        return
    }
  }

  async ask(name: string, secret: string, minIndex = 0): Promise<void> {
    const answer = await this.mesh.leaves.leaf(name, { ...noWait, minIndex: modifyIndexOf(minIndex) }, anyAge, {
      token: secret,
    })
    if (answer.ok) this.#check(`${name} ${secret}`, answer.value)
    // Refusals are only possible while nothing can be signed: the servers sign, so there must be a leaf.
    else expect([this.mesh.failing ?? this.mesh.rootsFailing]).not.toEqual([undefined])
  }

  async #wait({ service: name, token: secret, forS }: Extract<Step, { what: 'wait' }>): Promise<void> {
    const minIndex = this.#last.get(`${name} ${secret}`) ?? 1
    const wait = { minIndex: modifyIndexOf(minIndex), waitMs: forS * 1000 }
    let ended = false
    const waiting = this.mesh.leaves.leaf(name, wait, anyAge, { token: secret }).then((answer) => {
      ended = true
      if (answer.ok) this.#check(`${name} ${secret}`, answer.value)
    })
    await settled()
    await this.mesh.clock.advance(forS * 1000)
    await settled()
    expect(ended).toBe(true)
    await waiting
  }

  #check(
    who: string,
    { held, index }: { held: { leaf: { serialNumber: string; notAfterMs: number } }; index: number },
  ) {
    const { serialNumber, notAfterMs } = held.leaf
    // Good at the moment at which it is given out.
    expect(notAfterMs).toBeGreaterThan(this.mesh.clock.env.clock.wallMs())
    // One leaf for each index, which never falls for a repeated request.
    expect(this.#byIndex.get(index) ?? serialNumber).toBe(serialNumber)
    this.#byIndex.set(index, serialNumber)
    expect(index).toBeGreaterThanOrEqual(this.#last.get(who) ?? 0)
    this.#last.set(who, index)
  }
}

describe('the leaves of an agent, whatever happens', () => {
  it('are good, each of an index of its own, never asked for in a rush, and of the active root once all is well', async () => {
    const runs = process.env['SVC_TEST_LONG'] === '1' ? 3_000 : 30
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const given = new Given()
        const { mesh } = given
        for (const each of steps) await given.take(each)
        const asked = steps.filter(({ what }) => what === 'ask' || what === 'wait').length
        const hours = mesh.clock.env.clock.monoMs() / 3_600_000
        // Four leaves, each tried once a minute at the most while the servers refuse, but for the first few attempts.
        expect(mesh.signed.length).toBeLessThanOrEqual(asked + 4 * (60 * hours + 12) + 12 * steps.length)
        await given.take({ what: 'servers', sign: true, tell: true })
        await mesh.clock.advance(2 * 60_000)
        await mesh.tell()
        await mesh.clock.advance(2 * 60_000)
        const [kept, before] = [mesh.leaves.size, mesh.signed.length]
        for (const name of ['web', 'db']) for (const secret of ['a', 'b']) await given.ask(name, secret)
        // Those that were kept had been replaced already: a request for an old one has it signed anew.
        expect(mesh.signed.length - before).toBe(4 - kept)
        mesh.leaves.stop()
        expect(mesh.clock.timers).toBe(0)
      }),
      { numRuns: runs },
    )
  })
})
