import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { eventually, freePorts, leads, makeWorkplace, portFlags, RealAgent } from './real-agent.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function contentEnd(bytes: Uint8Array): number {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return end
}

it('a server whose log was cut refuses to start, and says which file and what to do; the only voter may go on without what is lost', async () => {
  const { path, remove } = makeWorkplace()
  closing.push(remove)
  const ports = await freePorts()
  const data = join(path, 'data')
  const place = [`-data-dir=${data}`, '-bind=127.0.0.1', '-node=n1', '-server', '-bootstrap', ...portFlags(ports)]
  const start = (...flags: readonly string[]): RealAgent => {
    const agent = new RealAgent(`127.0.0.1:${ports.http}`, [...place, ...flags])
    closing.push(() => agent.stop('SIGKILL'))
    return agent
  }

  const first = start()
  await leads(first)
  for (let key = 0; key < 60; key++) expect((await first.request('PUT', `/v1/kv/k${key}`, `${key}`)).status).toBe(200)
  const writtenMs = Date.now()
  const logs = join(data, 'raft/log')
  // How far the log is durable is written beside it when it falls idle: from then on it is known what a cut one lacks.
  const isMarked = (): true | undefined => (statSync(join(logs, 'watermark')).mtimeMs >= writtenMs ? true : undefined)
  await eventually('the watermark', async () => isMarked())
  await first.stop('SIGKILL')

  const name = readdirSync(logs).findLast((file) => file.endsWith('.log')) ?? ''
  const segment = join(logs, name)
  const before = readFileSync(segment)
  truncateSync(segment, Math.floor(contentEnd(before) / 2))
  const cut = readFileSync(segment)

  const refused = await start().exited
  expect(refused.code).toBe(1)
  const said = refused.out + refused.error
  expect(said).toContain(segment)
  expect(said).toMatch(/ is damaged at offset \d+: .*; entries \d+ to \d+ are known to be lost/)
  expect(said).toContain('join again as a new server')
  expect(said).toContain('-accept-lost-log')
  expect(readFileSync(segment)).toEqual(cut)

  const accepted = start('-accept-lost-log')
  await leads(accepted)
  await eventually('the warning', async () =>
    accepted.output.includes('the log continues without') ? true : undefined,
  )
  expect(await accepted.text('/v1/kv/k0?raw')).toBe('0')
  expect((await accepted.request('GET', '/v1/kv/k59')).status).toBe(404)
  expect((await accepted.request('PUT', '/v1/kv/next', 'x')).status).toBe(200)
  expect(readFileSync(join(`${logs}.lost-1`, name))).toEqual(cut)
  await accepted.stop('SIGKILL')

  const again = start()
  await leads(again)
  expect(await again.text('/v1/kv/next?raw')).toBe('x')
}, 120_000)
