import { describe, expect } from 'vitest'
import type { Fault, FaultKind } from '../../../sim/secrets-manager/faults.ts'
import { externalKind } from '../../../src/features/connect/provider/external/external-kind.ts'
import { readCertificates } from '../../../src/pki/certificate.ts'
import { managerOptions, mesh, must } from '../../contract/connect/provider-world.ts'
import { failureOf, reviewed, scene, signCall, signed } from './external-scene.ts'

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
