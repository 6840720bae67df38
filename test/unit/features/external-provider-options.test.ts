import { describe, expect, it } from 'vitest'
import { writeJson } from '../../../src/base/json.ts'
import type { ProviderOptions } from '../../../src/features/connect/model.ts'
import { externalKind } from '../../../src/features/connect/provider/external/external-kind.ts'
import { onMachine } from '../../conformance/secrets-manager/machine.ts'
import { hourMs, managerOptions, managerToken, mesh, must } from '../../contract/connect/provider-world.ts'
import { address, allMounts, dayMs, failureOf, reviewed, scene, signed } from './external-scene.ts'

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

  scene('is renewed although answers about it said nothing for a while', async ({ env, manager, open, pass }) => {
    const provider = open()
    manager.faults.add({ kind: 'hollow', times: 2, call: 'GET auth/token/lookup-self' })
    must(await provider.root(undefined, '1'))
    manager.faults.add({ kind: 'hollow', times: 3, call: 'PUT auth/token/renew-self' })
    await pass(4 * hourMs)
    must(await signed(provider, env))
    expect(manager.calls.filter((call) => call.endsWith('lookup-self'))).toHaveLength(3)
  })

  scene(
    'is renewed for as long as that helps, though its period was shortened',
    async ({ env, manager, open, pass }) => {
      const id = 's.periodic'
      const grant = { id, renewable: true, mounts: allMounts, sudo: true }
      manager.tokens.add({ ...grant, ttl: 86_400, period: 43_200 })
      const provider = open({ Token: id })
      const root = must(await provider.root(undefined, '1'))
      await pass(30 * hourMs)
      must(await signed(provider, env))
      expect(must(await reviewed(provider, root)).problem).toBeUndefined()
    },
  )

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

  scene('is trusted again when it was rejected for a while', async ({ manager, open, pass }) => {
    for (const [id, ttl] of [
      ['s.endless', 0],
      ['s.nonrenewable', 30 * 86_400],
    ] as const) {
      manager.tokens.add({ id, ttl, renewable: false, mounts: allMounts, sudo: true })
      manager.faults.add({ kind: 'denied', times: 1, call: 'GET auth/token/lookup-self' })
      const provider = open({ Token: id })
      const root = must(await provider.root(undefined, '1'))
      const problem = async () => must(await reviewed(provider, root)).problem
      expect(await problem()).toBe('the secrets manager rejects the token')
      await pass(2 * 60_000)
      expect(await problem()).toBeUndefined()
    }
  })

  scene('that is capped is spoken of when renewing it no longer helps', async ({ manager, open, pass }) => {
    const id = 's.capped'
    manager.tokens.add({ id, ttl: 3_600, renewable: true, explicitMaxTtl: 7_200, mounts: allMounts, sudo: true })
    const provider = open({ Token: id })
    const root = must(await provider.root(undefined, '1'))
    await pass(1.75 * hourMs)
    expect(must(await reviewed(provider, root)).problem).toContain('cannot be renewed')
  })

  scene(
    'that is rejected is spoken of once a second at most, however often a provider is opened with it',
    async ({ env, open, pass }) => {
      const lines: string[] = []
      env.log.follow('warn', (line) => lines.push(line))
      for (let nth = 0; nth < 20; nth++) {
        expect(failureOf(await open({ Token: 's.unknown' }).root(undefined, '1')).kind).toBe('refused')
        await pass(100)
      }
      const said = lines.filter((line) => line.includes('rejects the token')).length
      expect(said).toBeGreaterThan(0)
      expect(said).toBeLessThanOrEqual(3)
    },
  )

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

  it('that came into the state nevertheless end nothing: each call is refused with the reason', () =>
    onMachine(async (env) => {
      const provider = externalKind.open(env, { ...sound, RootPKIPath: '' }, mesh)
      expect(failureOf(await provider.root(undefined, '1')).kind).toBe('refused')
      expect(failureOf(await signed(provider, env)).message).toContain('root PKI backend')
      provider.close()
    }))
})
