import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/base/bytes.ts'
import type { Pair } from '../../../src/cli/files/certificate-files.ts'
import { makeAuthority, makeLeaf } from '../../../src/cli/files/certificates.ts'
import { runCli } from '../../../src/cli/program.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { readCertificate } from '../../../src/pki/certificate.ts'
import {
  bits,
  depthMax,
  encoded,
  integer,
  objectId,
  octets,
  readDer,
  sequence,
  time,
  valuesMax,
} from '../../../src/pki/der.ts'
import { certificateIn, certificatePem } from '../../../src/pki/pem.ts'
import { opensslIsThere } from '../../contract/host/tls-material.ts'
import { FakeTerminal } from '../cli/fake-terminal.ts'

const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
const server = {
  role: 'server',
  days: 30,
  datacenter: 'dc1',
  domain: 'svc',
  dnsNames: ['s1.example', '*.apps.example'],
  addresses: ['10.0.0.1', '2001:db8::1'],
} as const

function authority(permittedDomains?: readonly string[]): Pair {
  const made = makeAuthority(env, { title: 'Svc', days: 30, domain: 'svc', permittedDomains })
  if (!made.ok) throw new Error(made.error)
  return made.value
}

function leaf(wishes: Parameters<typeof makeLeaf>[1], by: Pair): X509Certificate {
  const made = makeLeaf(env, wishes, by)
  if (!made.ok) throw new Error(made.error)
  const certificate = new X509Certificate(made.value.certificate)
  expect(
    env.tcp.tlsProblem({ certificateChainPem: made.value.certificate, privateKeyPem: made.value.key, trustedPems: [] }),
  ).toBeUndefined()
  return certificate
}

describe('DER', () => {
  it('writes lengths in as few bytes as they need', () => {
    expect(hex(encoded(octets(new Uint8Array(0))))).toBe('0400')
    expect(hex(encoded(octets(new Uint8Array(127))).subarray(0, 3))).toBe('047f00')
    expect(hex(encoded(octets(new Uint8Array(128))).subarray(0, 4))).toBe('04818000')
    expect(hex(encoded(octets(new Uint8Array(256))).subarray(0, 5))).toBe('0482010000')
  })

  it('writes numbers without needless zeros, and never as negative ones', () => {
    expect(hex(encoded(integer(Uint8Array.of(0, 0, 5))))).toBe('020105')
    expect(hex(encoded(integer(Uint8Array.of(0x80))))).toBe('02020080')
    expect(hex(encoded(integer(Uint8Array.of(0))))).toBe('020100')
    expect(hex(encoded(bits(Uint8Array.of(0x86), 1)))).toBe('03020186')
    expect(hex(encoded(objectId('1.2.840.10045.4.3.2')))).toBe('06082a8648ce3d040302')
  })

  it('writes years with two digits until 2049 and with four from 2050', () => {
    expect(new TextDecoder().decode(encoded(time('2049-12-31T23:59:59Z')).subarray(2))).toBe('491231235959Z')
    expect(new TextDecoder().decode(encoded(time('2050-01-01T00:00:00Z')).subarray(2))).toBe('20500101000000Z')
    expect([time('2049-12-31T23:59:59Z').tag, time('2050-01-01T00:00:00Z').tag]).toEqual([0x17, 0x18])
  })

  it('is read back value by value, and not beyond its end', () => {
    const bytes = encoded(sequence(integer(Uint8Array.of(5)), octets(new Uint8Array(200))))
    const whole = readDer(bytes, 1_000)
    if (!whole.ok) throw new Error(whole.error)
    expect(whole.value.tag).toBe(0x30)
    expect(whole.value.parts.map(({ tag }) => tag)).toEqual([0x02, 0x04])
    expect(encoded(whole.value)).toEqual(bytes)
    for (let length = 0; length < bytes.length; length += 7)
      expect(readDer(bytes.subarray(0, length), 1_000).ok).toBe(false)
    for (const [wrong, what] of [
      [[0x1f, 0], 'a tag beyond 30'],
      [[0x30, 0x80, 0, 0], 'no length'],
      [[0x30, 0x85, 1, 1, 1, 1, 1], 'a length of five bytes'],
      [[0x04, 0x81, 1, 0], 'a length that is longer than it need be'],
      [[0x02, 2, 0, 1], 'a number that is longer than it need be'],
      [[0x05, 0, 0], 'something behind its end'],
      [[0x24, 3, 0x04, 1, 0, 0], 'a length beyond its end'],
    ] as const) {
      expect(readDer(Uint8Array.from(wrong), 1_000).ok, what).toBe(false)
    }
    expect(readDer(bytes, bytes.length - 1)).toEqual({
      ok: false,
      error: `it is longer than ${bytes.length - 1} bytes`,
    })
  })

  it('is not read deeper, or with more values, than a certificate can have', () => {
    const nested = (depth: number): Uint8Array => {
      let value = sequence()
      for (let at = 1; at < depth; at++) value = sequence(value)
      return encoded(value)
    }
    expect(readDer(nested(depthMax), 1_000).ok).toBe(true)
    expect(readDer(nested(depthMax + 1), 1_000).ok).toBe(false)
    const many = (count: number) => encoded(sequence(...Array.from({ length: count }, () => octets(new Uint8Array(0)))))
    expect(readDer(many(valuesMax - 1), 100_000).ok).toBe(true)
    expect(readDer(many(valuesMax), 100_000)).toEqual({ ok: false, error: `it has more than ${valuesMax} values` })
  })
})

describe('certificates', () => {
  it('are for the names and addresses of their role, and signed by the authority', () => {
    const by = authority()
    const root = new X509Certificate(by.certificate)
    expect([root.ca, root.verify(root.publicKey)]).toEqual([true, true])
    const made = leaf(server, by)
    expect([made.ca, made.verify(root.publicKey), made.checkIssued(root)]).toEqual([false, true, true])
    for (const name of ['server.dc1.svc', 'localhost', 's1.example', 'any.apps.example']) {
      expect(made.checkHost(name), name).toBeDefined()
    }
    for (const address of ['127.0.0.1', '10.0.0.1', '2001:db8::1']) expect(made.checkIP(address), address).toBe(address)
    expect(made.checkHost('server.dc2.svc')).toBeUndefined()
    const client = leaf({ ...server, role: 'client', datacenter: 'DC2', dnsNames: [] }, by)
    expect(client.subjectAltName).toMatch(/^DNS:client\.dc2\.svc, DNS:localhost, /)
    expect(client.serialNumber).not.toBe(made.serialNumber)
  })

  it('hold for the days that are asked for, from a minute ago', () => {
    const made = leaf(server, authority())
    const [from, to] = [Date.parse(made.validFrom), Date.parse(made.validTo)]
    expect(to - from).toBe(30 * 86_400_000 + 60_000)
    expect(from).toBeLessThan(Date.now())
  })

  it.each([
    ['days', { days: 0 }, '-days must be from 1 to 36500'],
    ['more days', { days: 36_501 }, '-days must be from 1 to 36500'],
    ['half a day', { days: 0.5 }, '-days must be from 1 to 36500'],
    ['a datacenter', { datacenter: 'a b' }, '-dc "a b" is not the name of a datacenter'],
    ['a domain', { domain: 'a..b' }, '"a..b" is not a DNS name'],
    ['a name', { dnsNames: ['a\n'] }, '"a\n" is not a DNS name'],
    ['an address', { addresses: ['10.0.0'] }, '-additional-ipaddress "10.0.0" is not an IP address'],
  ])('are refused with a wrong %s', (_, wrong, line) => {
    expect(makeLeaf(env, { ...server, ...wrong }, authority())).toEqual({ ok: false, error: line })
  })

  it('are not made with what is no authority', () => {
    const [by, other] = [authority(), authority()]
    const refused = (pair: Pair) => makeLeaf(env, server, pair)
    expect(refused({ ...by, key: other.key })).toMatchObject({
      error: expect.stringContaining('do not belong together'),
    })
    expect(refused({ ...by, key: 'none' })).toMatchObject({
      error: expect.stringContaining('not an unencrypted ECDSA or RSA private key'),
    })
    expect(refused({ ...by, certificate: 'none' })).toMatchObject({
      error: expect.stringContaining('the CA certificate is not in PEM form'),
    })
    const own = makeLeaf(env, server, by)
    if (!own.ok) throw new Error(own.error)
    expect(refused(own.value)).toMatchObject({ error: expect.stringContaining('not that of a CA') })
    expect(readCertificate(Uint8Array.of(0x30, 1, 0)).ok).toBe(false)
    expect(certificateIn(certificatePem(Uint8Array.of(1, 2, 3)))).toEqual(Uint8Array.of(1, 2, 3))
  })

  it.skipIf(!opensslIsThere())(
    'are verified by openssl, within the names that an authority may sign, and under one made elsewhere',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'svc-pki-'))
      const openssl = (...words: readonly string[]) =>
        execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }).toString()
      const verified = (ca: string, made: X509Certificate): boolean => {
        writeFileSync(join(folder, 'ca.pem'), ca)
        writeFileSync(join(folder, 'leaf.pem'), made.toString())
        try {
          return openssl('verify', '-x509_strict', '-CAfile', 'ca.pem', 'leaf.pem') === 'leaf.pem: OK\n'
        } catch {
          return false
        }
      }
      try {
        const narrow = authority(['svc', 'localhost'])
        expect(verified(narrow.certificate, leaf({ ...server, dnsNames: [] }, narrow))).toBe(true)
        expect(verified(narrow.certificate, leaf(server, narrow))).toBe(false)
        expect(verified(authority().certificate, leaf(server, narrow))).toBe(false)
        const made = [
          'req',
          '-x509',
          '-nodes',
          '-keyout',
          'rsa.key',
          '-out',
          'rsa.pem',
          '-days',
          '2',
          '-subj',
          '/O=Else/CN=A',
        ]
        openssl(...made, '-newkey', 'rsa:2048', '-addext', 'keyUsage=critical,keyCertSign')
        const pair = {
          certificate: readFileSync(join(folder, 'rsa.pem'), 'utf8'),
          key: readFileSync(join(folder, 'rsa.key'), 'utf8'),
        }
        expect(verified(pair.certificate, leaf(server, pair))).toBe(true)
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  )
})

describe('svc tls', () => {
  it.each([
    [['cert', 'create'], 'Please provide either -server, -client, or -cli'],
    [['cert', 'create', '-server', '-client'], 'Please provide either -server, -client, or -cli'],
    [['cert', 'create', '-cli', '-ca=/nowhere/ca.pem'], 'Error reading CA: open /nowhere/ca.pem: no such file'],
    [['ca', 'create', '-days=0'], '-days must be from 1 to 36500'],
    [['ca', 'create', '-domain=a b'], '"a b" is not a DNS name'],
    [['ca', 'create', '-additional-name-constraint=a'], '-additional-name-constraint goes with -name-constraint'],
    [['ca', 'create', 'more'], 'Too many arguments (expected 0, got 1)'],
  ])('%j is refused in one line', async (words, line) => {
    const terminal = new FakeTerminal()
    expect(await runCli(['tls', ...words], env, terminal)).toBe(1)
    expect(terminal.complained).toContain(line)
    expect(terminal.written).toBe('')
  })
})
