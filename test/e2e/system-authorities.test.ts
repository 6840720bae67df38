import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeTlsMaterial, opensslIsThere } from '../contract/host/tls-material.ts'
import { type Finished, runSvc } from './real-agent.ts'

/** A server whose root no machine trusts, and the file that holds this root; returns what tells a command of it. */
async function strangeServer() {
  const { rootPem, server: own } = makeTlsMaterial()
  const folder = mkdtempSync(join(tmpdir(), 'svc-authorities-'))
  const root = join(folder, 'root.pem')
  writeFileSync(root, rootPem)
  const server = createServer({ cert: own.certificateChainPem, key: own.privateKeyPem }, (_, answer) => answer.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = (environment: Readonly<Record<string, string>>): Promise<Finished> =>
    runSvc(['reload', `-http-addr=${address}`], undefined, environment)
  return { root, ask }
}

describe.skipIf(!opensslIsThere())('the authorities that the machine trusts', () => {
  it.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])('are trusted where no others are given: %s', async (variable) => {
    const { root, ask } = await strangeServer()
    const usual = { SSL_CERT_FILE: '', NODE_EXTRA_CA_CERTS: '' }
    expect(await ask(usual)).toMatchObject({ code: 1, error: expect.stringContaining('unable to verify') })
    expect(await ask({ ...usual, [variable]: root })).toMatchObject({ code: 0 })
    expect(await ask({ ...usual, [variable]: `${root}.missing` })).toMatchObject({ code: 1 })
  })
})
