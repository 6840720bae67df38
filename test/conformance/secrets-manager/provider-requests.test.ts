import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SecretsManager } from '../../../sim/secrets-manager/secrets-manager.ts'
import { jsonOrUndefined } from '../../../src/base/json.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientRequest } from '../../../src/env/http.ts'
import type { ProviderOptions } from '../../../src/features/connect/model.ts'
import { externalKind } from '../../../src/features/connect/provider/external/external-kind.ts'
import type { Provider } from '../../../src/features/connect/provider/provider.ts'
import { hourMs, leafWish, managerOptions, managerToken, mesh, must } from '../../contract/connect/provider-world.ts'
import { onMachine } from './machine.ts'
import { callForm, memberForms, recording } from './recordings.ts'

interface Sent {
  readonly call: string
  readonly members: readonly string[]
  readonly headers: readonly string[]
}

/** Members that no recorded request has in that call, and why they are sent nevertheless. */
const justified: Readonly<Record<string, string>> = {
  'PUT {mount}/roles/{role} key_usage:list': 'recorded as it is read: a list of these names',
  'PUT {mount}/roles/{role} not_before_duration:number': 'recorded as it is read: a number of seconds, 30 by default',
  'PUT {mount}/root/sign-intermediate ttl:number':
    'recorded as a text there, as a number of seconds when leaves are signed',
}

/** The Env, with every request that leaves by HTTP written down. */
function listenedTo(env: Env, sent: Sent[]): Env {
  const request = (to: Parameters<Env['http']['request']>[0], asked: HttpClientRequest) => {
    const body = asked.body === undefined ? undefined : jsonOrUndefined(asked.body)
    const headers = (asked.headers ?? []).map(([name]) => name)
    sent.push({ call: callForm(asked.method, asked.target), members: memberForms(body), headers })
    return env.http.request(to, asked)
  }
  return new Proxy(env, {
    get: (target, name) =>
      name === 'http' ? { serve: env.http.serve.bind(env.http), request } : Reflect.get(target, name, target),
  })
}

/** All that the provider ever asks, in whatever state it finds the secrets manager. */
async function everythingAsked(env: Env): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  const heard = listenedTo(env, sent)
  const manager = new SecretsManager(env)
  const mounts = [
    'mesh-root',
    'mesh-intermediate',
    'mesh-root-2',
    'mesh-intermediate-2',
    'mesh-root-3',
    'mesh-intermediate-3',
  ]
  manager.tokens.add({ id: managerToken, ttl: 3_600, renewable: true, mounts, sudo: true })
  must(await manager.serve({ host: '10.0.0.1', port: 8200 }))
  const open = (more: ProviderOptions): Provider =>
    externalKind.open(heard, managerOptions('http://10.0.0.1:8200', more), mesh)
  const first = open({})
  const root = must(await first.root(undefined, '1'))
  const { wish } = await leafWish(env)
  must(await first.signLeaf(wish))
  must(await first.signIntermediate(wish.requestPem, '2', wish.notAfterMs + 1000 * hourMs))
  const terms = { serial: '9', notBeforeMs: wish.notBeforeMs, notAfterMs: wish.notAfterMs }
  const second = { RootPKIPath: 'mesh-root-2', IntermediatePKIPath: 'mesh-intermediate-2' }
  const third = { RootPKIPath: 'mesh-root-3', IntermediatePKIPath: 'mesh-intermediate-3', PrivateKeyType: 'rsa' }
  for (const options of [second, third]) {
    await mounted(env, options.RootPKIPath)
    const next = open(options)
    const { certificate } = must(await next.root(undefined, '1'))
    must(await first.crossSign({ rootCertificate: certificate, ...terms }))
    next.close()
  }
  must(await open({}).root(root.state, '1'))
  must(await (first.review?.(root) ?? Promise.reject(new Error('no review'))))
  return sent
}

/** An operator has mounted it, and not said for how long. */
async function mounted(env: Env, path: string): Promise<void> {
  const headers = [['X-Vault-Token', managerToken]] as const
  const body = new TextEncoder().encode('{"type":"pki"}')
  const request = { method: 'POST', target: `/v1/sys/mounts/${path}`, headers, body, timeoutMs: 1_000 }
  expect(must(await env.http.request({ host: '10.0.0.1', port: 8200 }, request)).status).toBe(204)
}

function recordedForms(): ReadonlyMap<string, ReadonlySet<string>> {
  const forms = new Map<string, Set<string>>()
  for (const release of ['1.0.0', '1.4.0-beta1'] as const) {
    const folder = new URL(`../../golden/secrets-manager/${release}/`, import.meta.url)
    for (const file of readdirSync(folder)) {
      for (const { request, response } of recording(release, file.replace('.json', ''))) {
        if (response.status >= 400) continue
        const call = callForm(request.method, request.path)
        const known = forms.get(call) ?? new Set<string>()
        for (const member of memberForms(request.body)) known.add(member)
        forms.set(call, known)
      }
    }
  }
  return forms
}

describe('what the external provider asks', () => {
  it('occurs in the recordings, each call with each member of its body, or is justified', async () => {
    const recorded = recordedForms()
    let sent: readonly Sent[] = []
    await onMachine(async (env) => {
      sent = await everythingAsked(env)
    })
    const calls = new Set(sent.map(({ call }) => call))
    const unknown = new Set<string>()
    for (const { call, members } of sent) {
      const known = recorded.get(call)
      if (known === undefined) unknown.add(call)
      for (const member of members) {
        const named = `${call} ${member}`
        if (known?.has(member) !== true && !(named in justified)) unknown.add(named)
      }
    }
    expect([...unknown]).toEqual([])
    expect([...calls].toSorted()).toEqual([
      'GET auth/token/lookup-self',
      'GET sys/mounts/{mount}/tune',
      'GET {mount}/ca/pem',
      'PUT auth/token/renew-self',
      'PUT sys/mounts/{mount}',
      'PUT sys/mounts/{mount}/tune',
      'PUT {mount}/intermediate/generate/internal',
      'PUT {mount}/intermediate/set-signed',
      'PUT {mount}/roles/{role}',
      'PUT {mount}/root/generate/internal',
      'PUT {mount}/root/sign-intermediate',
      'PUT {mount}/root/sign-self-issued',
      'PUT {mount}/sign/{role}',
    ])
    for (const { headers } of sent) expect(headers).toContain('X-Vault-Token')
  })

  it('is justified only where it is not recorded, and still sent', async () => {
    const recorded = recordedForms()
    let sent: readonly Sent[] = []
    await onMachine(async (env) => {
      sent = await everythingAsked(env)
    })
    const named = new Set(sent.flatMap(({ call, members }) => members.map((member) => `${call} ${member}`)))
    for (const each of Object.keys(justified)) {
      const at = each.lastIndexOf(' ')
      expect(named, each).toContain(each)
      expect(recorded.get(each.slice(0, at))?.has(each.slice(at + 1)), each).toBe(false)
    }
  })
})
