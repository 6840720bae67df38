import { describe, expect, it } from 'vitest'
import type { Fault, FaultKind } from '../../../sim/secrets-manager/faults.ts'
import { SecretsManager } from '../../../sim/secrets-manager/secrets-manager.ts'
import { writeJson } from '../../../src/base/json.ts'
import type { Env } from '../../../src/env/env.ts'
import type { ProviderOptions } from '../../../src/features/connect/model.ts'
import { externalKind } from '../../../src/features/connect/provider/external/external-kind.ts'
import type {
  Provided,
  ProvidedRoot,
  Provider,
  ProviderFailure,
  ProviderReview,
} from '../../../src/features/connect/provider/provider.ts'
import { readCertificates } from '../../../src/pki/certificate.ts'
import { onMachine } from '../../conformance/secrets-manager/machine.ts'
import { hourMs, leafWish, managerOptions, managerToken, mesh, must } from '../../contract/connect/provider-world.ts'

const address = 'http://10.0.0.1:8200'
const allMounts = ['mesh-root', 'mesh-intermediate', 'mesh-root-2', 'mesh-intermediate-2']
const dayMs = 24 * hourMs

interface Scene {
  readonly env: Env
  readonly manager: SecretsManager
  open(more?: ProviderOptions): Provider
  pass(ms: number): Promise<void>
}

/** A stand-in and providers on one machine; virtual time. */
function scene(title: string, play: (scene: Scene) => Promise<void>): void {
  it(title, () =>
    onMachine(async (env) => {
      const manager = new SecretsManager(env)
      manager.tokens.add({ id: managerToken, ttl: 3_600, renewable: true, mounts: allMounts, sudo: true })
      must(await manager.serve({ host: '10.0.0.1', port: 8200 }))
      const opened: Provider[] = []
      await play({
        env,
        manager,
        open: (more = {}) => {
          const provider = externalKind.open(env, managerOptions(address, more), mesh)
          opened.push(provider)
          return provider
        },
        pass: async (ms) => {
          const passed = env.deferred<undefined>()
          env.timers.after(ms, () => passed.resolve(undefined))
          await passed.promise
        },
      })
      for (const provider of opened) provider.close()
    }),
  )
}

type Answer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: ProviderFailure }

function failureOf(answer: Answer): ProviderFailure {
  if (answer.ok) throw new Error('it was done')
  expect(answer.error.message).not.toContain(managerToken)
  return answer.error
}

async function signed(provider: Provider, env: Env, lifeMs = 72 * hourMs): Promise<Answer> {
  return provider.signLeaf((await leafWish(env, 'web', lifeMs)).wish)
}

async function reviewed(provider: Provider, root: ProvidedRoot): Provided<ProviderReview> {
  if (provider.review === undefined) throw new Error('it reviews nothing')
  return provider.review(root)
}

const signCall = 'PUT mesh-intermediate/sign/'

describe('the external provider, when something goes wrong', () => {
  const passing: readonly FaultKind[] = ['silent', 'broken', 'no-active-node', 'half']
  for (const kind of passing) {
    scene(`is unavailable, and well the next time: ${kind}`, async ({ env, manager, open }) => {
      const provider = open()
      must(await provider.root(undefined, '1'))
      manager.faults.add({ kind, times: 1, call: signCall })
      const startMs = env.clock.monoMs()
      expect(failureOf(await signed(provider, env)).kind).toBe('unavailable')
      expect(env.clock.monoMs() - startMs).toBeLessThanOrEqual(15_000)
      must(await signed(provider, env))
    })
  }

  scene('is refused where a policy says no', async ({ env, manager, open }) => {
    const provider = open()
    must(await provider.root(undefined, '1'))
    manager.faults.add({ kind: 'denied', times: 1, call: signCall })
    expect(failureOf(await signed(provider, env))).toEqual({
      kind: 'refused',
      message: 'PUT mesh-intermediate/sign/leaf-cert: permission denied (403)',
      status: 403,
      complaint: undefined,
    })
  })

  scene('finishes leaves that were begun when another configuration took its place, and for a while', async (given) => {
    const { env, manager, open, pass } = given
    const provider = open()
    must(await provider.root(undefined, '1'))
    manager.faults.add({ kind: 'slow', times: 1, call: signCall, delayMs: 2_000 })
    const underWay = signed(provider, env)
    await pass(500)
    provider.close()
    must(await underWay)
    // The next group of those that were recorded together.
    must(await signed(provider, env))
    await pass(30_000)
    expect(failureOf(await signed(provider, env)).message).toContain('the provider is closed')
  })

  scene('begins nothing else after its end', async ({ env, open }) => {
    const provider = open()
    const root = must(await provider.root(undefined, '1'))
    provider.close()
    expect(failureOf(await reviewed(provider, root)).message).toContain('the provider is closed')
    expect(failureOf(await provider.root(root.state, '1')).message).toContain('the provider is closed')
    must(await signed(provider, env))
  })

  scene('gives out no leaf whose chain leads elsewhere', async ({ env, manager, open }) => {
    const provider = open()
    must(await provider.root(undefined, '1'))
    manager.faults.add({ kind: 'wrong-chain', times: 1, call: signCall })
    const { kind, message } = failureOf(await signed(provider, env))
    expect(kind).toBe('refused')
    expect(message).toContain('does not lead to its root')
  })

  for (const state of ['sealed', 'uninitialised'] as const) {
    scene(`is unavailable while the secrets manager is ${state}, and has lost nothing afterwards`, async (at) => {
      const { env, manager, open } = at
      const provider = open()
      const root = must(await provider.root(undefined, '1'))
      manager.state = state
      expect(failureOf(await signed(provider, env)).kind).toBe('unavailable')
      expect(failureOf(await open().root(root.state, '1')).kind).toBe('unavailable')
      expect(failureOf(await reviewed(provider, root)).kind).toBe('unavailable')
      manager.state = 'active'
      must(await signed(provider, env))
      expect(must(await open().root(root.state, '1')).certificate).toBe(root.certificate)
    })
  }

  scene(
    'is unavailable where nobody listens, and within its time where nobody answers',
    async ({ env, manager, open }) => {
      const nobody = externalKind.open(env, managerOptions('http://10.0.0.1:8201'), mesh)
      expect(failureOf(await nobody.root(undefined, '1')).kind).toBe('unavailable')
      nobody.close()
      manager.faults.add({ kind: 'silent', times: 99, call: '' })
      const startMs = env.clock.monoMs()
      expect(failureOf(await open().root(undefined, '1')).kind).toBe('unavailable')
      expect(env.clock.monoMs() - startMs).toBeLessThanOrEqual(60_000)
    },
  )

  scene('goes on where a call of the making of a root fails, whichever it is', async ({ env, manager, open }) => {
    const calls = [
      'GET mesh-root/ca/pem',
      'POST sys/mounts/mesh-root',
      'POST mesh-root/root/generate',
      'POST sys/mounts/mesh-intermediate',
      'PUT mesh-intermediate/roles',
      'POST mesh-intermediate/intermediate/generate',
      'PUT mesh-root/root/sign-intermediate',
      'PUT mesh-intermediate/intermediate/set-signed',
    ]
    for (const kind of ['broken', 'silent', 'half'] as const) {
      for (const call of calls) {
        manager.unmount('mesh-root')
        manager.unmount('mesh-intermediate')
        const fault: Fault = { kind, times: 1, call }
        manager.faults.add(fault)
        // An answer without a body cannot be cut in half, nor one whose text ends a certificate sooner.
        await open().root(undefined, '1')
        manager.faults.clear()
        const provider = open()
        const root = must(await provider.root(undefined, '1'))
        expect(must(readCertificates(root.certificate))).toHaveLength(1)
        must(await signed(provider, env))
      }
    }
  })
})

describe('the external provider and the traps of the secrets manager', () => {
  scene('tells the end of a leaf as it came, where the time was cut without a word', async ({ env, open }) => {
    const provider = open({ LeafCertTTL: '2h' })
    must(await provider.root(undefined, '1'))
    const { wish } = await leafWish(env, 'web', 10 * hourMs)
    const leaf = must(await provider.signLeaf(wish))
    expect(wish.notAfterMs - leaf.notAfterMs).toBe(8 * hourMs)
  })

  scene('mends a mount that signs nothing since a request for a certificate was made in it', async (at) => {
    const { env, manager, open } = at
    const provider = open()
    const root = must(await provider.root(undefined, '1'))
    await manager.mountAt('mesh-intermediate')?.own.generateRequest({ common_name: 'x', key_type: 'ec', key_bits: 256 })
    const leaf = must(await provider.signLeaf((await leafWish(env)).wish))
    expect(leaf.behind).not.toEqual(root.intermediates)
    const review = must(await reviewed(provider, root))
    expect(review).toEqual({ intermediates: leaf.behind, problem: undefined })
  })

  scene('asks for one intermediate, however many leaves find the mount out of use', async ({ env, manager, open }) => {
    const provider = open()
    must(await provider.root(undefined, '1'))
    manager.unmount('mesh-intermediate')
    manager.calls.length = 0
    const answers = await Promise.all([1, 2, 3, 4].map(() => signed(provider, env)))
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true, true])
    const made = manager.calls.filter((call) => call.endsWith('intermediate/generate/internal'))
    expect(made).toHaveLength(1)
  })

  scene('leaves the authority of another root alone', async ({ open }) => {
    must(await open().root(undefined, '1'))
    const { kind, message } = failureOf(await open({ RootPKIPath: 'mesh-root-2' }).root(undefined, '1'))
    expect(kind).toBe('refused')
    expect(message).toContain('name another IntermediatePKIPath')
  })

  scene('notices another root in the place of its own, and neither trusts nor replaces it', async (at) => {
    const { env, manager, open } = at
    const provider = open()
    const root = must(await provider.root(undefined, '1'))
    manager.unmount('mesh-root')
    must(await open({ IntermediatePKIPath: 'mesh-intermediate-2' }).root(undefined, '1'))
    const { problem } = must(await reviewed(provider, root))
    expect(problem).toContain('the root in mesh-root is not the one that the mesh trusts')
    expect(failureOf(await open().root(root.state, '1')).kind).toBe('refused')
    // The intermediate of the root that is trusted is there as before, and signs.
    must(await signed(provider, env))
  })

  scene('does not make a root anew where the one that the mesh trusts is gone', async ({ manager, open }) => {
    const root = must(await open().root(undefined, '1'))
    manager.unmount('mesh-root')
    const { kind, message } = failureOf(await open().root(root.state, '1'))
    expect([kind, message]).toEqual(['refused', 'mesh-root has no root: it is not mounted'])
  })

  scene('tunes a mount that an operator made, so that its root lives for years', async ({ env, manager, open }) => {
    await mountedPlain(env, 'mesh-root')
    const [root] = must(readCertificates(must(await open().root(undefined, '1')).certificate))
    expect((root?.notAfterMs ?? 0) - env.clock.wallMs()).toBeGreaterThan(9 * 8_760 * hourMs)
    expect(manager.calls).toContain('POST sys/mounts/mesh-root/tune')
  })

  scene('makes no root of a month where it may not tune the mount', async ({ env, manager, open }) => {
    await mountedPlain(env, 'mesh-root')
    manager.faults.add({ kind: 'denied', times: 1, call: 'POST sys/mounts/mesh-root/tune' })
    const { kind, message } = failureOf(await open().root(undefined, '1'))
    expect(kind).toBe('refused')
    expect(message).toContain('tune the mount mesh-root to a max lease of 87600h')
  })

  scene('crosses by a bridge where the token may not have the root sign another', async (at) => {
    const { env, manager, open } = at
    const id = 's.without-sudo'
    manager.tokens.add({ id, ttl: 0, renewable: false, mounts: allMounts, sudo: false })
    const old = open({ Token: id })
    must(await old.root(undefined, '1'))
    const next = must(await open(second).root(undefined, '2'))
    const nowMs = env.clock.wallMs()
    const terms = { serial: '9', notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + dayMs }
    const crossing = must(await old.crossSign({ rootCertificate: next.certificate, ...terms }))
    expect(crossing.behind).toHaveLength(1)
    expect(crossing.serial).toBe('9')
  })

  scene('renews its intermediate when a third of its life is left', async ({ env, manager, open, pass }) => {
    const id = 's.without-end'
    manager.tokens.add({ id, ttl: 0, renewable: false, mounts: allMounts, sudo: true })
    const provider = open({ Token: id })
    const root = must(await provider.root(undefined, '1'))
    const ask = async (): Promise<readonly string[]> => must(await reviewed(provider, root)).intermediates
    await pass(240 * dayMs)
    expect(await ask()).toEqual(root.intermediates)
    await pass(5 * dayMs)
    const [renewed] = await ask()
    expect(renewed).not.toBe(root.intermediates[0])
    const leaf = must(await provider.signLeaf((await leafWish(env)).wish))
    expect(leaf.behind).toEqual([renewed])
  })

  scene('follows a standby to the active node', async ({ env, open }) => {
    must(await open().root(undefined, '1'))
    const headers = (target: string) => [['Location', `${address}${target}`]] as const
    const redirect = async ({ target }: { readonly target: string }) => ({
      status: 307,
      headers: headers(target),
      body: '',
    })
    must(await env.http.serve({ host: '10.0.0.1', port: 8202 }, redirect))
    const standby = externalKind.open(env, managerOptions('http://10.0.0.1:8202'), mesh)
    must(await standby.root(undefined, '1'))
    must(await signed(standby, env))
    standby.close()
  })
})

const second = { RootPKIPath: 'mesh-root-2', IntermediatePKIPath: 'mesh-intermediate-2' }

async function mountedPlain(env: Env, path: string): Promise<void> {
  const headers = [['X-Vault-Token', managerToken]] as const
  const body = new TextEncoder().encode('{"type":"pki"}')
  const request = { method: 'POST', target: `/v1/sys/mounts/${path}`, headers, body, timeoutMs: 1_000 }
  expect(must(await env.http.request({ host: '10.0.0.1', port: 8200 }, request)).status).toBe(204)
}

describe('the token of the external provider', () => {
  scene('is renewed before it ends, for as long as the provider is open', async ({ env, manager, open, pass }) => {
    const provider = open()
    must(await provider.root(undefined, '1'))
    await pass(20 * hourMs)
    must(await signed(provider, env))
    provider.close()
    await pass(2 * hourMs)
    expect(failureOf(await signed(open(), env)).message).toContain('permission denied')
    const renewals = manager.calls.filter((call) => call.endsWith('renew-self')).length
    expect(renewals).toBeGreaterThanOrEqual(20 * 2 - 2)
    expect(renewals).toBeLessThanOrEqual(20 * 2 + 2)
  })

  scene('is renewed after a while in which nobody could', async ({ env, manager, open, pass }) => {
    const provider = open()
    must(await provider.root(undefined, '1'))
    manager.faults.add({ kind: 'broken', times: 5, call: 'PUT auth/token/renew-self' })
    await pass(3 * hourMs)
    must(await signed(provider, env))
  })

  scene('that nobody can renew is spoken of before it ends', async ({ manager, open, pass }) => {
    const id = 's.nonrenewable'
    manager.tokens.add({ id, ttl: 3 * 86_400, renewable: false, mounts: allMounts, sudo: true })
    const provider = open({ Token: id })
    const root = must(await provider.root(undefined, '1'))
    const problem = async () => must(await reviewed(provider, root)).problem
    expect(await problem()).toBeUndefined()
    await pass(2.5 * dayMs)
    expect(await problem()).toContain('expires soon and cannot be renewed')
  })

  scene('that is capped is spoken of when renewing it no longer helps', async ({ manager, open, pass }) => {
    const id = 's.capped'
    manager.tokens.add({ id, ttl: 3_600, renewable: true, explicitMaxTtl: 7_200, mounts: allMounts, sudo: true })
    const provider = open({ Token: id })
    const root = must(await provider.root(undefined, '1'))
    await pass(1.75 * hourMs)
    expect(must(await reviewed(provider, root)).problem).toContain('cannot be renewed')
  })

  it('stands in no text, even where the other end echoes it', () =>
    onMachine(async (env) => {
      const lines: string[] = []
      env.log.follow('trace', (line) => lines.push(line))
      const echo = async ({ headers }: { readonly headers: ReadonlyMap<string, string> }) => {
        const body = writeJson({ errors: [`no such token: ${headers.get('x-vault-token')}`, '\u0007\n'] })
        return { status: 403, headers: [['Content-Type', 'application/json']] as const, body }
      }
      must(await env.http.serve({ host: '10.0.0.1', port: 8200 }, echo))
      const provider = externalKind.open(env, managerOptions(address), mesh)
      const { message } = failureOf(await provider.root(undefined, '1'))
      expect(message).toContain('no such token: hidden')
      expect(message).not.toMatch(/[^\x20-\x7e]/)
      const passed = env.deferred<undefined>()
      env.timers.after(120_000, () => passed.resolve(undefined))
      await passed.promise
      provider.close()
      expect(lines.some((line) => line.includes('rejects the token'))).toBe(true)
      expect(lines.join('\n')).not.toContain(managerToken)
    }))
})

describe('options of the external provider', () => {
  const sound = managerOptions('https://vault.internal:8200')

  it('are told apart: what is wrong with which, and never a secret', () => {
    const wrong: readonly (readonly [ProviderOptions, RegExp])[] = [
      [{ Address: 'vault.internal' }, /^Address must be such as/],
      [{ Address: 'https://a.example:99999' }, /invalid port/],
      [{ Address: 'https://user:word@a.example' }, /^Address must be such as/],
      [{ Token: '' }, /^must provide a Vault token$/],
      [{ Token: 'two words' }, /character that no token has/],
      [{ RootPKIPath: '' }, /^must provide a valid path to a root PKI backend$/],
      [{ RootPKIPath: '../sys' }, /^must provide a valid path to a root PKI backend$/],
      [{ IntermediatePKIPath: 'a b' }, /^must provide a valid path for the intermediate PKI backend$/],
      [{ IntermediatePKIPath: 'mesh-root/below' }, /neither within the other/],
      [{ PrivateKeyType: 'dsa' }, /ec or rsa/],
      [{ PrivateKeyBits: 255 }, /one of 256, 384, 521/],
      [{ CertFile: '/x.pem' }, /belong together/],
      [{ Address: 'http://a.example', TLSSkipVerify: true }, /must begin with https/],
      [{ TLSSkipVerify: 'yes' }, /neither true nor false/],
      [{ Token: 7 }, /is not a string/],
    ]
    expect(externalKind.problem(sound)).toBeUndefined()
    for (const [more, text] of wrong) {
      const problem = externalKind.problem({ ...sound, ...more })
      expect(problem, JSON.stringify(more)).toMatch(text)
      expect(problem).not.toContain(managerToken)
    }
  })

  it('that came into the state all the same end nothing: each call is refused with the reason', () =>
    onMachine(async (env) => {
      const provider = externalKind.open(env, { ...sound, RootPKIPath: '' }, mesh)
      expect(failureOf(await provider.root(undefined, '1')).kind).toBe('refused')
      expect(failureOf(await signed(provider, env)).message).toContain('root PKI backend')
      provider.close()
    }))
})
