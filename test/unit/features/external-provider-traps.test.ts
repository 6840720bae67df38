import { describe, expect } from 'vitest'
import type { Env } from '../../../src/env/env.ts'
import { externalKind } from '../../../src/features/connect/provider/external/external-kind.ts'
import { readCertificates } from '../../../src/pki/certificate.ts'
import { usesOfAuthority } from '../../../src/pki/extensions.ts'
import { signingUri } from '../../../src/pki/spiffe.ts'
import { hourMs, leafWish, managerOptions, managerToken, mesh, must } from '../../contract/connect/provider-world.ts'
import { address, allMounts, dayMs, failureOf, reviewed, scene, signed } from './external-scene.ts'

const second = { RootPKIPath: 'mesh-root-2', IntermediatePKIPath: 'mesh-intermediate-2' }

async function mountedPlain(env: Env, path: string): Promise<void> {
  const headers = [['X-Vault-Token', managerToken]] as const
  const body = new TextEncoder().encode('{"type":"pki"}')
  const request = { method: 'POST', target: `/v1/sys/mounts/${path}`, headers, body, timeoutMs: 1_000 }
  expect(must(await env.http.request({ host: '10.0.0.1', port: 8200 }, request)).status).toBe(204)
}

/** What an operator reads of the two mounts. */
async function descriptions(env: Env): Promise<readonly string[]> {
  const headers = [['X-Vault-Token', managerToken]] as const
  const request = { method: 'GET', target: '/v1/sys/mounts', headers, timeoutMs: 1_000 }
  const answer = must(await env.http.request({ host: '10.0.0.1', port: 8200 }, request))
  const mounts = JSON.parse(new TextDecoder().decode(answer.body)) as Record<string, { description?: string }>
  return ['mesh-root/', 'mesh-intermediate/'].map((path) => mounts[path]?.description ?? '')
}

describe('the external provider and the traps of the secrets manager', () => {
  scene('describes its mounts by the name of the cluster', async ({ env, manager, open }) => {
    must(await open().root(undefined, '1'))
    expect(await descriptions(env)).toEqual(['svc mesh CA', 'svc mesh CA'])
    for (const path of ['mesh-root', 'mesh-intermediate']) manager.unmount(path)
    const ofField = externalKind.open(env, managerOptions(address), { ...mesh, title: 'Consul' })
    must(await ofField.root(undefined, '1'))
    ofField.close()
    expect(await descriptions(env)).toEqual(['consul mesh CA', 'consul mesh CA'])
  })

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

  scene('makes nothing below the root of another mesh', async ({ env, manager, open }) => {
    must(await open().root(undefined, '1'))
    const stranger = { ...mesh, trustDomain: '99999999-2222-3333-4444-555555555555.svc' }
    const other = externalKind.open(
      env,
      managerOptions(address, { IntermediatePKIPath: 'mesh-intermediate-2' }),
      stranger,
    )
    expect(failureOf(await other.root(undefined, '1'))).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('the root in mesh-root belongs to another trust domain'),
      foreign: mesh.trustDomain,
    })
    other.close()
    expect(manager.mountAt('mesh-intermediate-2')).toBeUndefined()
  })

  scene('notices another root in the place of its own, and neither trusts nor replaces it', async (at) => {
    const { env, manager, open } = at
    const provider = open()
    const root = must(await provider.root(undefined, '1'))
    manager.unmount('mesh-root')
    must(await open({ IntermediatePKIPath: 'mesh-intermediate-2' }).root(undefined, '1'))
    const { problem } = must(await reviewed(provider, root))
    expect(problem).toContain('the root in mesh-root is not the one that the mesh trusts')
    expect(failureOf(await open().root(root.state, '1'))).toMatchObject({ kind: 'refused', isGone: true })
    // The intermediate of the root that is trusted is there as before, and signs.
    must(await signed(provider, env))
  })

  scene('does not make a root anew where the one that the mesh trusts is gone', async ({ manager, open }) => {
    const root = must(await open().root(undefined, '1'))
    manager.unmount('mesh-root')
    const { kind, message, isGone } = failureOf(await open().root(root.state, '1'))
    expect([kind, message, isGone]).toEqual(['refused', 'mesh-root has no root: it is not mounted', true])
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
    expect(crossing.serial).toBe('9')
    const [bridge, ...more] = must(readCertificates((crossing.behind ?? []).join('\n')))
    expect(more).toEqual([])
    // It is what was requested: an authority of this mesh that ends with the crossing, rounded up to a second.
    expect(bridge).toMatchObject({ authority: true, keyUsages: usesOfAuthority, uris: [signingUri(mesh.trustDomain)] })
    expect((bridge?.notAfterMs ?? 0) - terms.notAfterMs).toBeLessThanOrEqual(1_000)
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

  scene('keeps an intermediate that it may not renew for as long as that lasts, and says so', async (at) => {
    const { env, manager, open, pass } = at
    const id = 's.endless'
    manager.tokens.add({ id, ttl: 0, renewable: false, mounts: allMounts, sudo: true })
    const provider = open({ Token: id })
    const root = must(await provider.root(undefined, '1'))
    await pass(250 * dayMs)
    manager.faults.add({ kind: 'denied', times: 2, call: 'PUT mesh-root/root/sign-intermediate' })
    const review = must(await reviewed(provider, root))
    expect(review.intermediates).toEqual(root.intermediates)
    expect(review.problem).toMatch(/^the intermediate certificate ends 2027-11-2\dT.*Z, and is not renewed: .*denied/)
    must(await signed(provider, env))
    const next = open({ Token: id })
    expect(must(await next.root(root.state, '1')).intermediates).toEqual(root.intermediates)
    must(await signed(next, env))
    const later = must(await reviewed(provider, root))
    expect(later.problem).toBeUndefined()
    expect(later.intermediates).not.toEqual(root.intermediates)
    must(await signed(provider, env))
  })

  scene('takes an answer that no secrets manager gives for a passing failure', async ({ env, manager, open }) => {
    const root = must(await open().root(undefined, '1'))
    for (const mount of ['mesh-root', 'mesh-intermediate']) {
      manager.faults.add({ kind: 'half', times: 1, call: `GET ${mount}/ca/pem` })
      expect(failureOf(await open().root(undefined, '1')).kind, mount).toBe('unavailable')
    }
    expect(must(await open().root(undefined, '1')).certificate).toBe(root.certificate)
    for (const [status, body] of [
      [404, 'default backend - 404'],
      [403, '<html>Forbidden</html>'],
      [302, ''],
      [200, '<html>Down for maintenance</html>'],
      [200, '{"status":"ok"}'],
    ] as const) {
      const gateway = must(
        await env.http.serve({ host: '10.0.0.1', port: 8203 }, async () => ({ status, headers: [], body })),
      )
      const behind = externalKind.open(env, managerOptions('http://10.0.0.1:8203'), mesh)
      const failure = failureOf(await behind.root(undefined, '1'))
      expect(failure, body).toMatchObject({ kind: 'unavailable' })
      expect(failureOf(await behind.root(root.state, '1')).isGone, body).toBeUndefined()
      behind.close()
      gateway.close()
    }
  })

  const follows = [
    ['an address without a port, which is that of the scheme', 'http://10.0.0.1'],
    ['the active node', address],
  ] as const
  for (const [where, to] of follows) {
    scene(`follows a standby to ${where}`, async ({ env, manager, open }) => {
      must(await open().root(undefined, '1'))
      if (to !== address) must(await manager.serve({ host: '10.0.0.1', port: 80 }))
      const redirect = async ({ target }: { readonly target: string }) => ({
        status: 307,
        headers: [['Location', `${to}${target}`]] as const,
        body: '',
      })
      must(await env.http.serve({ host: '10.0.0.1', port: 8202 }, redirect))
      const standby = externalKind.open(env, managerOptions('http://10.0.0.1:8202'), mesh)
      must(await standby.root(undefined, '1'))
      must(await signed(standby, env))
      standby.close()
    })
  }
})
