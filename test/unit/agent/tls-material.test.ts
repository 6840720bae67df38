import { describe, expect, it } from 'vitest'
import { loadTls, reloadTls } from '../../../src/agent/boot/tls-material.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { CrashDisk } from '../raft-log/crash-disk.ts'

const certificate = '-----BEGIN CERTIFICATE-----\nplanned\n-----END CERTIFICATE-----\n'

async function loaded(key: string) {
  const disk = new CrashDisk()
  await disk.makeDirectory('/etc')
  disk.plant('/etc/cert.pem', utf8(certificate))
  disk.plant('/etc/key.pem', utf8(key))
  const env = { disk, tcp: { tlsProblem: () => undefined } } as unknown as Env
  const none = { authorities: undefined, authoritiesPath: undefined }
  const settings = { certificate: '/etc/cert.pem', privateKey: '/etc/key.pem', ...none }
  return loadTls(env, settings as Parameters<typeof loadTls>[1])
}

describe('the key_file', () => {
  it.each(['PRIVATE KEY', 'EC PRIVATE KEY', 'RSA PRIVATE KEY', 'ENCRYPTED PRIVATE KEY'])(
    'may hold a key with the line BEGIN %s',
    async (name) => {
      const key = `-----BEGIN ${name}-----\nplanned\n`
      expect(await loaded(key)).toMatchObject({ ok: true, value: { identity: { privateKeyPem: key } } })
    },
  )

  it.each(['rubbish', '', certificate])('that holds none is named, with what to do: %j', async (key) => {
    expect(await loaded(key)).toMatchObject({
      ok: false,
      error: {
        message: 'key_file /etc/key.pem holds no private key',
        remedy: 'name a PEM file with a BEGIN PRIVATE KEY line',
      },
    })
  })
})

describe('the ca_path', () => {
  async function authorities(count: number) {
    const disk = new CrashDisk()
    await disk.makeDirectory('/certs')
    // As in the directory of a system, where each certificate has a second name, by its hash.
    for (let at = 0; at < count; at++) disk.plant(`/certs/${at}`, utf8(`${certificate}${at >> 1}`))
    const env = { disk, tcp: { tlsProblem: () => undefined } } as unknown as Env
    const none = { certificate: undefined, privateKey: undefined, authorities: undefined }
    return loadTls(env, { ...none, authoritiesPath: '/certs' } as Parameters<typeof loadTls>[1])
  }

  it('may be the directory of the system, and holds each authority once', async () => {
    const loaded = await authorities(600)
    expect(loaded.ok && loaded.value.trustedPems.length).toBe(300)
  })

  it('with more files than any system has is refused', async () => {
    const message = 'ca_path /certs holds 1025 files'
    expect(await authorities(1_025)).toMatchObject({ ok: false, error: { message } })
  })
})

describe('a reload', () => {
  const files = { certificate: undefined, privateKey: undefined, authorities: undefined, authoritiesPath: undefined }

  it('takes a renewed certificate and renewed authorities, and refuses to go on without either', async () => {
    const disk = new CrashDisk()
    await disk.makeDirectory('/etc')
    const key = '-----BEGIN PRIVATE KEY-----\nplanned\n'
    for (const [name, text] of Object.entries({ cert: certificate, key, ca: certificate, renewed: `${certificate}2` }))
      disk.plant(`/etc/${name}.pem`, utf8(text))
    const env = { disk, tcp: { tlsProblem: () => undefined } } as unknown as Env
    const own = { certificate: '/etc/cert.pem', privateKey: '/etc/key.pem' }
    const all = { ...files, ...own, authorities: '/etc/ca.pem' }
    const before = await loadTls(env, all as Parameters<typeof loadTls>[1])
    if (!before.ok) throw new Error(before.error.message)
    const reloaded = (changed: Partial<Record<keyof typeof all, string | undefined>>) =>
      reloadTls(env, before.value, { ...all, ...changed })
    const renewed = await reloaded({ certificate: '/etc/renewed.pem', authorities: '/etc/renewed.pem' })
    expect(renewed).toMatchObject({
      ok: true,
      value: { identity: { certificateChainPem: `${certificate}2` }, trustedPems: [`${certificate}2`] },
    })
    const remedy = 'put it back, or restart the agent without it'
    for (const [without, message] of [
      [{ certificate: undefined, privateKey: undefined }, 'cert_file was removed from the configuration'],
      [{ authorities: undefined }, 'ca_file was removed from the configuration'],
    ] as const)
      expect(await reloaded(without)).toMatchObject({ ok: false, error: { message, remedy } })
  })
})

describe('tls_cipher_suites', () => {
  const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
  const files = { certificate: undefined, privateKey: undefined, authorities: undefined, authoritiesPath: undefined }
  const load = (cipherSuites: readonly string[]) => {
    const settings = { ...files, minVersion: 'tls12', cipherSuites } as unknown as Parameters<typeof loadTls>[1]
    return loadTls(host, settings)
  }

  it('that are unknown are refused at the start, by their key', async () => {
    expect(await load(['ECDHE-RSA-AES128-GCM-SHA256'])).toMatchObject({ ok: true })
    expect(await load(['NO-SUCH-SUITE'])).toMatchObject({
      ok: false,
      error: { kind: 'configuration', remedy: expect.stringMatching(/^correct tls_cipher_suites: /) },
    })
  })
})
