import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCli } from '../../../src/cli/program.ts'
import type { TlsOptions } from '../../../src/env/net.ts'
import { FakeTerminal } from '../../unit/cli/fake-terminal.ts'
import { quietEnv } from './quiet-env.ts'
import { makeTlsMaterial, opensslIsThere } from './tls-material.ts'

/** What a command says that asks over HTTP or HTTPS, of an agent that answers 200 if it is asked. */
async function said(
  served: Partial<TlsOptions> | undefined,
  scheme: string,
  flags: readonly string[],
): Promise<string> {
  const env = quietEnv()
  const tls = served === undefined ? undefined : { trustedPems: [], ...served }
  const answer = async () => ({ status: 200, headers: [], body: '["dc1"]' })
  const listener = await env.http.serve({ host: '127.0.0.1', port: 0 }, answer, tls)
  if (!listener.ok) throw new Error(JSON.stringify(listener.error))
  const terminal = new FakeTerminal()
  const address = `${scheme}://127.0.0.1:${listener.value.local.port}`
  await runCli(['catalog', 'datacenters', `-http-addr=${address}`, ...flags], env, terminal)
  listener.value.close()
  return `${terminal.written}${terminal.complained}`.replaceAll(address, 'URL')
}

describe.skipIf(!opensslIsThere())('a command that asks over HTTPS', () => {
  it('says in plain words what is wrong and what to do', async () => {
    const { server, client, stranger, rootPem } = makeTlsMaterial()
    const folder = mkdtempSync(join(tmpdir(), 'svc-https-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = (name: string, pem: string): string => {
      writeFileSync(join(folder, name), pem)
      return join(folder, name)
    }
    const trusting = `-ca-file=${file('ca.pem', rootPem)}`
    const shown = (name: string, { certificateChainPem, privateKeyPem }: typeof client): readonly string[] => [
      `-client-cert=${file(`${name}.pem`, certificateChainPem)}`,
      `-client-key=${file(`${name}.key`, privateKeyPem)}`,
    ]
    const strict = { ...server, trustedPems: [rootPem], requirePeerCertificate: true }
    expect(await said(server, 'https', [trusting])).toBe('dc1\n')
    expect(await said(strict, 'https', [trusting, ...shown('client', client)])).toBe('dc1\n')
    const cases = [
      [undefined, 'https', [trusting], /: the agent does not speak TLS there: use http:\/\/ instead of https:\/\/, or/],
      [
        server,
        'http',
        [],
        /: Unexpected response code: 400 \(Client sent an HTTP request to an HTTPS server\.\n?\)\n$/,
      ],
      [
        server,
        'https',
        [],
        /: (unable to|self.signed).*: name the certificate authority of the agent with -ca-file\n$/,
      ],
      [
        server,
        'https',
        [trusting, '-tls-server-name=other.x'],
        /: give the name in the agent's certificate with -tls-/,
      ],
      [strict, 'https', [trusting], /: the agent requires a client certificate: give -client-cert and -client-key\n$/],
      [{ ...server, minVersion: 'tls12', cipherSuites: ['ECDHE-RSA-AES128-SHA'] }, 'https', [trusting], /./],
    ] as const
    for (const [served, scheme, flags, line] of cases) {
      const line1 = await said(served, scheme, flags)
      expect(line1).toMatch(line)
      expect(line1).not.toMatch(/error:[0-9A-F]{8}/)
    }
    // The server drops a client that it does not trust after the handshake, without saying why.
    expect(await said(strict, 'https', [trusting, ...shown('stranger', stranger)])).toMatch(/^Error .*URL/)
  })
})
