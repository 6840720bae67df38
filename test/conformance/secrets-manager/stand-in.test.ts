import { describe, expect, it } from 'vitest'
import type { SecretsManager } from '../../../sim/secrets-manager/secrets-manager.ts'
import type { Env } from '../../../src/env/env.ts'
import { onMachine } from './machine.ts'
import { type Exchange, type Recorded, recording } from './recordings.ts'
import { type Answered, ask, differences, Substitutes, standIn } from './replay.ts'

/** What the stand-in is not there for: the provider never asks it. */
const beyond = [
  /^\S+ \/v1\/sys\/(policies|capabilities|seal-status|leader|init|seal|unseal|step-down)/,
  /^\S+ \/v1\/auth\/token\/create/,
  /^\S+ \/v1\/[^/]+\/(issue|sign-verbatim|revoke|crl|config|certs|cert\/(?!ca$)|ca$|root\/generate\/(exported|elsewhere))/,
  // It has no engines beside PKI mounts, and does not look at what verbs it does not have.
  /^GET \/v1\/sys\/mounts$/,
  /^(HEAD|OPTIONS|PATCH|LIST) /,
]

/** Exchanges of which it differs, each with the reason. */
const otherwise: Readonly<Record<string, string>> = {
  'sign-intermediate-ttl-beyond-mount': 'its warning is there unless both ends fall into one second',
  'sign-der': 'no other format than PEM is asked for',
  'csr-wrong-type-object': 'only texts are sent',
  'ttl-negative': 'it is refused in other words',
  'body-too-large': 'its length is not that of the recording',
  'body-large': 'its length is not that of the recording',
  'verb-delete-ca-pem': 'it says 404 where a verb is wrong',
  'verb-put-ca-pem': 'it says 404 where a verb is wrong',
  'double-slash-path': 'paths are sent clean',
  'sign-strict-key-type': 'its roles do not look at keys',
  'sign-strict-name-not-allowed': 'its roles allow any common name',
}

const mount = (path: string, hours: number) => ({ path, hours })

/** Files begin with these in place. */
async function prepare(
  manager: SecretsManager,
  key: { readonly key_type: string; readonly key_bits: number },
  roots: number,
) {
  const uri_sans = 'spiffe://11111111-2222-3333-4444-555555555555.svc'
  for (const { path, hours } of [mount('connect-root', 87_600), mount('connect-root-2', 87_600)].slice(0, roots)) {
    const config = { max_lease_ttl: `${hours}h` }
    await ask(manager, 'POST', `/v1/sys/mounts/${path}`, { type: 'pki', config })
    const common_name = path === 'connect-root' ? 'Svc Mesh Root' : 'Svc Mesh Root 2'
    await ask(manager, 'POST', `/v1/${path}/root/generate/internal`, { common_name, uri_sans, ...key, ttl: '87600h' })
  }
}

async function prepareIntermediate(
  manager: SecretsManager,
  key: { readonly key_type: string; readonly key_bits: number },
) {
  const at = '/v1/connect-intermediate'
  const uri_sans = 'spiffe://11111111-2222-3333-4444-555555555555.svc'
  await ask(manager, 'POST', '/v1/sys/mounts/connect-intermediate', { type: 'pki', config: { max_lease_ttl: '8760h' } })
  const named = { common_name: 'Svc Mesh Intermediate', uri_sans }
  const csr = memberOf(await ask(manager, 'POST', `${at}/intermediate/generate/internal`, { ...named, ...key }), 'csr')
  const signed = await ask(manager, 'PUT', '/v1/connect-root/root/sign-intermediate', {
    csr,
    use_csr_values: true,
    ttl: '8760h',
  })
  await ask(manager, 'PUT', `${at}/intermediate/set-signed`, { certificate: memberOf(signed, 'certificate') })
  const role = { allow_any_name: true, allowed_uri_sans: 'spiffe://*', key_type: 'any', max_ttl: '72h', no_store: true }
  await ask(manager, 'PUT', `${at}/roles/leaf-cert`, { ...role, require_cn: false })
}

function memberOf({ body }: { readonly body: unknown }, name: string): string {
  return (body as { readonly data: Readonly<Record<string, string>> }).data[name] ?? ''
}

const ec = { key_type: 'ec', key_bits: 256 }
const rsa = { key_type: 'rsa', key_bits: 2048 }

interface Replay {
  readonly release: Recorded
  readonly file: string
  readonly prepared?: (manager: SecretsManager) => Promise<void>
  /** Of the exchanges so many are played at least: a table that passes everything over is no test. */
  readonly played: number
}

const rootAnd = (key: typeof ec) => async (manager: SecretsManager) => {
  await prepare(manager, key, 1)
  await prepareIntermediate(manager, key)
}

const replays: readonly Replay[] = [
  { release: '1.0.0', file: 'bootstrap-ec', played: 25 },
  { release: '1.0.0', file: 'bootstrap-rsa', played: 25 },
  { release: '1.0.0', file: 'rotate-ec-to-ec', prepared: rootAnd(ec), played: 20 },
  { release: '1.0.0', file: 'rotate-rsa-to-ec', prepared: rootAnd(rsa), played: 20 },
  { release: '1.0.0', file: 'rotate-rsa-to-rsa', prepared: rootAnd(rsa), played: 20 },
  { release: '1.0.0', file: 'chain', prepared: (manager) => prepare(manager, ec, 2), played: 35 },
  { release: '1.0.0', file: 'cross-sign', prepared: (manager) => prepare(manager, ec, 1), played: 25 },
  { release: '1.0.0', file: 'token', played: 12 },
  { release: '1.0.0', file: 'mounts', played: 20 },
  { release: '1.0.0', file: 'root-ec', played: 15 },
  { release: '1.0.0', file: 'errors', prepared: rootAnd(ec), played: 50 },
  { release: '1.0.0', file: 'sign', prepared: rootAnd(ec), played: 30 },
]

async function replayed(
  env: Env,
  { prepared }: Replay,
  exchanges: readonly Exchange[],
): Promise<{ readonly count: number; readonly found: readonly string[] }> {
  const manager = standIn(env)
  if (prepared !== undefined) {
    await prepared(manager)
    await aMoment(env)
  }
  const substitutes = new Substitutes()
  const found: string[] = []
  let count = 0
  for (const exchange of exchanges) {
    const { method, path, body, headers } = exchange.request
    if (beyond.some((each) => each.test(`${method} ${path}`))) continue
    const own = await ask(manager, method, path, substitutes.of(body), headers)
    substitutes.learn(exchange.response.body, own.body)
    if (exchange.name in otherwise) continue
    count++
    found.push(...differencesIn(env, exchange, own))
  }
  return { count, found }
}

describe('the server that stands in for a secrets manager', () => {
  it.each(replays)('answers as release $release was recorded: $file', async (replay) => {
    const exchanges = recording(replay.release, replay.file)
    await onMachine(async (env) => {
      const { count, found } = await replayed(env, replay, exchanges)
      expect(found).toEqual([])
      expect(count).toBeGreaterThanOrEqual(replay.played)
    })
  })

  it('says as recorded that it is sealed, and has lost nothing when it is not any more', async () => {
    const health = recording('1.0.0', 'health')
    const whileSealed = /^(health-)?sealed(-ca-pem|-sign|-lookup-self|-mount)?(-no-token)?$/
    await onMachine(async (env) => {
      const manager = standIn(env)
      await rootAnd(ec)(manager)
      manager.state = 'sealed'
      const sealed = health.filter(({ name }) => whileSealed.test(name))
      expect(await differencesOf(env, manager, sealed)).toEqual([])
      expect(sealed.length).toBeGreaterThanOrEqual(5)
      manager.state = 'active'
      const after = health.filter(({ name }) => name === 'sign-after-unseal')
      expect(await differencesOf(env, manager, after)).toEqual([])
    })
  })

  it('says as recorded that it was never initialised', async () => {
    const names = ['health', 'lookup-self', 'ca-pem', 'ca-pem-no-token']
    const asked = recording('1.0.0', 'uninitialised').filter(({ name }) => names.includes(name))
    await onMachine(async (env) => {
      const manager = standIn(env)
      manager.state = 'uninitialised'
      expect(asked).toHaveLength(names.length)
      expect(await differencesOf(env, manager, asked)).toEqual([])
    })
  })
})

/** What was prepared is some seconds old in the recordings, too. */
async function aMoment(env: Env): Promise<void> {
  const passed = env.deferred<undefined>()
  env.timers.after(2_000, () => passed.resolve(undefined))
  await passed.promise
}

async function differencesOf(
  env: Env,
  manager: SecretsManager,
  exchanges: readonly Exchange[],
): Promise<readonly string[]> {
  const found: string[] = []
  for (const exchange of exchanges) {
    const { method, path, body, headers } = exchange.request
    found.push(...differencesIn(env, exchange, await ask(manager, method, path, body, headers)))
  }
  return found
}

function differencesIn(env: Env, exchange: Exchange, own: Answered): readonly string[] {
  const found = differences(exchange, Date.parse(exchange.at), env.clock.wallMs(), own)
  return found.map((each) => `${exchange.name}: ${each}`)
}
