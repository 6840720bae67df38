import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SecretsManager } from '../../../sim/secrets-manager/secrets-manager.ts'
import type { Env } from '../../../src/env/env.ts'
import { builtInKindOf } from '../../../src/features/connect/provider/built-in.ts'
import { externalKind } from '../../../src/features/connect/provider/external/external-kind.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { onMachine } from '../../conformance/secrets-manager/machine.ts'
import { opensslIsThere } from '../host/tls-material.ts'
import { type Law, type ProviderPlace, providerLaws } from './provider-laws.ts'
import { managerToken, must } from './provider-world.ts'

const builtInKind = builtInKindOf(svcNaming)

const numbers = [1, 2, 3, 4, 5, 6, 7, 8]
const paths = (prefix: string, number: number) => ({
  RootPKIPath: `${prefix}root-${number}`,
  IntermediatePKIPath: `${prefix}intermediate-${number}`,
})

/** A stand-in that listens at this host, for so many roots. */
async function standInAt(env: Env, host: string): Promise<string> {
  const manager = new SecretsManager(env)
  const mounts = numbers.flatMap((number) => Object.values(paths('', number)))
  manager.tokens.add({ id: managerToken, ttl: 3_600, renewable: true, mounts, sudo: true })
  const { local } = must(await manager.serve({ host, port: 0 }))
  return `http://${host}:${local.port}`
}

const external =
  (Address: string, Token: string, prefix = ''): ProviderPlace['options'] =>
  (number, PrivateKeyType) => ({ Address, Token, PrivateKeyType, ...paths(prefix, number) })

/** The built-in one is told its keys, a different one for each root. */
async function builtIn(env: Env, keyTypes: ProviderPlace['keyTypes']): Promise<ProviderPlace['options']> {
  const keys = new Map<string, string>()
  for (const number of numbers) {
    for (const type of keyTypes) {
      const kind = type === 'ec' ? 'ec-256' : 'rsa-2048'
      keys.set(`${number} ${type}`, (await env.crypto.generateKey(kind)).privateKeyPem)
    }
  }
  return (number, type) => ({ PrivateKey: keys.get(`${number} ${type}`) ?? '' })
}

describe('a provider of certificates: the built-in one, in the simulator', () => {
  const law: Law = (title, use) => {
    it(title, () =>
      onMachine(async (env) => {
        const keyTypes = ['ec', 'rsa'] as const
        await use({ env, kind: builtInKind, options: await builtIn(env, keyTypes), keyTypes })
      }),
    )
  }
  providerLaws(law)
})

describe('a provider of certificates: the built-in one, with keys of the machine', () => {
  const law: Law = (title, use) => {
    it(title, () =>
      onSockets(async (env) => {
        const keyTypes = ['ec'] as const
        await use({ env, kind: builtInKind, options: await builtIn(env, keyTypes), keyTypes, ...judged })
      }),
    )
  }
  providerLaws(law)
})

describe('a provider of certificates: the external one, before a server that stands in for it, in the simulator', () => {
  const law: Law = (title, use) => {
    it(title, () =>
      onMachine(async (env) => {
        const address = await standInAt(env, '10.0.0.1')
        const options = external(address, managerToken)
        await use({ env, kind: externalKind, options, keyTypes: ['ec', 'rsa'] })
      }),
    )
  }
  providerLaws(law)
})

/** OpenSSL, as strict as it can be. */
function opensslJudge(leaf: string, behind: readonly string[], root: string): void {
  const directory = mkdtempSync(join(tmpdir(), 'svc-provider-'))
  try {
    const [leafFile, behindFile, rootFile] = ['leaf.pem', 'behind.pem', 'root.pem'].map((name) => join(directory, name))
    writeFileSync(leafFile ?? '', leaf)
    writeFileSync(behindFile ?? '', behind.map((pem) => `${pem.trimEnd()}\n`).join(''))
    writeFileSync(rootFile ?? '', root)
    const untrusted = behind.length === 0 ? [] : ['-untrusted', behindFile ?? '']
    execFileSync('openssl', ['verify', '-x509_strict', '-CAfile', rootFile ?? '', ...untrusted, leafFile ?? ''], {
      stdio: 'pipe',
    })
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const judged = opensslIsThere() ? { judge: opensslJudge } : {}

async function onSockets(use: (env: Env) => Promise<void>): Promise<void> {
  const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
  try {
    await use(env)
  } finally {
    env.close()
  }
}

describe('a provider of certificates: the external one, before the same server on real sockets, OpenSSL as a second judge', () => {
  const law: Law = (title, use) => {
    it(title, () =>
      onSockets(async (env) => {
        const options = external(await standInAt(env, '127.0.0.1'), managerToken)
        await use({ env, kind: externalKind, options, keyTypes: ['ec'], ...judged })
      }),
    )
  }
  providerLaws(law)
})

describe('the first contact with the external one', () => {
  const mesh = { clusterId: 'c', trustDomain: 'c.svc', datacenter: 'dc1', title: 'Svc', skewMs: 60_000 }
  const worlds = { 'in the simulator': [onMachine, '10.0.0.1'], 'on real sockets': [onSockets, '127.0.0.1'] } as const
  it.each(Object.entries(worlds))('creates nothing, and says when no server answers: %s', (_, [within, host]) =>
    within(async (env) => {
      const address = await standInAt(env, host)
      const there = externalKind.open(env, external(address, managerToken)(1, 'ec'), mesh)
      expect(await there.contact?.()).toEqual({ ok: true, value: undefined })
      expect(await there.contact?.()).toEqual({ ok: true, value: undefined })
      there.close()
      const nobody = externalKind.open(env, external(`http://${host}:1`, managerToken)(1, 'ec'), mesh)
      expect(await nobody.contact?.()).toMatchObject({ ok: false, error: { kind: 'unavailable' } })
      nobody.close()
    }),
  )
})

const live = process.env['SVC_TEST_SECRETS_MANAGER'] ?? ''
const liveToken = process.env['SVC_TEST_SECRETS_MANAGER_TOKEN'] ?? ''

/** Mounts are made below a path of this run's own, and taken out at its end: the token needs rights on `svc-test-*`. */
describe.skipIf(live === '')('a provider of certificates: the external one, before a real secrets manager', () => {
  let laws = 0
  const law: Law = (title, use) => {
    const prefix = `svc-test-${process.pid}-${++laws}/`
    it(title, () =>
      onSockets(async (env) => {
        const options = external(live, liveToken, prefix)
        try {
          await use({ env, kind: externalKind, options, keyTypes: ['ec', 'rsa'], ...judged })
        } finally {
          for (const path of numbers.flatMap((number) => Object.values(paths(prefix, number)))) await unmounted(path)
        }
      }),
    )
  }
  providerLaws(law)
})

async function unmounted(path: string): Promise<void> {
  await fetch(`${live}/v1/sys/mounts/${path}`, { method: 'DELETE', headers: { 'X-Vault-Token': liveToken } })
}
