import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type GuardedVerb, guardedVerbs, putAuthorityFile } from '../unit/cli/guarded-verbs.ts'

const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))
const onTerminal = fileURLToPath(new URL('../tools/on-a-terminal.py', import.meta.url))
const hasPython = spawnSync('python3', ['--version']).status === 0
const folder = mkdtempSync(join(tmpdir(), 'svc-guarded-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** An agent that answers what the guard reads, and notes what is done to it. */
class StandIn {
  readonly changes: string[] = []
  reads: GuardedVerb['reads'] = {}
  readonly #server: Server

  constructor() {
    this.#server = createServer(({ method, url }, response) => {
      const what = `${method} ${url}`
      if (method !== 'GET') this.changes.push(what)
      const [status, body] = this.reads[what] ?? (method === 'GET' ? [404, ''] : [200, 'true'])
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

let agent: StandIn
let address: string
beforeEach(async () => {
  agent = new StandIn()
  address = await agent.listen()
})
afterEach(() => agent.close())

/** What a person sees that types `answer` when asked, and the exit code. */
function typed(answer: string, argv: readonly string[]): Promise<readonly [code: number | null, shown: string]> {
  const words = [onTerminal, 'Type yes to continue: ', answer, process.execPath, svc, ...argv]
  const child = spawn('python3', words, { env: { ...process.env, SVC_HTTP_ADDR: address, SVC_HTTP_TOKEN: '' } })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  return new Promise((resolve) => child.on('close', (code) => resolve([code, shown])))
}

const told = ({ warnings }: GuardedVerb): string => warnings.map((line) => `Warning: ${line}\r\n`).join('')

describe.skipIf(!hasPython)('on a terminal of its own (needs python3)', () => {
  it.each(guardedVerbs(putAuthorityFile(folder)))('%s says what would be lost, and a no leaves it', async (_, verb) => {
    agent.reads = verb.reads
    const [code, shown] = await typed('no', verb.argv)
    expect([code, shown]).toEqual([1, `${told(verb)}Type yes to continue: no\r\nNothing was done.\r\n`])
    expect(agent.changes).toEqual([])
  })
})
