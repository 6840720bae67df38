import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually, freePorts, portFlags, RealAgent, runSvc } from './real-agent.ts'
import { Stage } from './stage.ts'

const stage = new Stage()

/** A server alone, with a data directory of that name. */
async function server(name: string): Promise<RealAgent> {
  const ports = await freePorts()
  const flags = [
    '-hcl=performance { raft_multiplier = 1 }',
    '-server',
    '-bootstrap',
    '-bind=127.0.0.1',
    `-node=${name}`,
    `-data-dir=${join(stage.path, name)}`,
  ]
  return stage.led(new RealAgent(`127.0.0.1:${ports.http}`, [...flags, ...portFlags(ports)]))
}

function svc(agent: RealAgent, ...words: readonly string[]) {
  const at = words.findIndex((word) => word.startsWith('-') || word.includes('/'))
  const split = at < 0 ? words.length : at
  return runSvc([...words.slice(0, split), `-http-addr=${agent.address}`, ...words.slice(split)])
}

it('a snapshot of one cluster is put into another, whose servers stay what they are', async () => {
  const [old, other] = await Promise.all([server('old'), server('new')])
  const file = join(stage.path, 'state.snap')
  for (const [key, value] of [
    ['a', '1'],
    ['b', '2'],
  ]) {
    expect((await old.request('PUT', `/v1/kv/${key}`, value ?? '')).status).toBe(200)
  }
  for (let n = 0; n < 40; n++) await old.request('PUT', '/v1/kv/often', String(n))
  await old.request('PUT', '/v1/catalog/register', '{"Node":"db","Address":"10.9.9.9","Service":{"Service":"mysql"}}')

  const saved = await svc(old, 'snapshot', 'save', file)
  const index = Number(/^Saved and verified snapshot to index (\d+)\n$/.exec(saved.out)?.[1])
  expect([saved.error, index]).toEqual(['', expect.any(Number)])
  const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).split('\n')
  expect(names).toEqual(['meta.json', 'state.bin', 'SHA256SUMS', ''])
  execFileSync('tar', ['-xzf', file, '-C', stage.path])
  for (const line of (await readFile(join(stage.path, 'SHA256SUMS'), 'utf8')).trimEnd().split('\n')) {
    const [sum, name = ''] = line.split('  ')
    const content = await readFile(join(stage.path, name))
    expect(createHash('sha256').update(content).digest('hex')).toBe(sum)
  }

  await other.request('PUT', '/v1/kv/own', 'x')
  const waiting = other.text(
    `/v1/kv/own?index=${(await other.request('GET', '/v1/kv/own')).headers.get('x-svc-index')}`,
  )
  const dry = await svc(other, 'snapshot', 'restore', '-dry-run', file)
  expect(dry.out).toMatch(/^kv +3 +1 +0$/m)
  expect(await svc(other, 'snapshot', 'restore', file)).toMatchObject({
    code: 0,
    out: 'Restored snapshot\n',
    error: expect.stringMatching(/^Warning: the command sets the state back to index \d+: it removes \d+ records/),
  })

  expect(await waiting).toBe('')
  expect(await other.text('/v1/kv/a?raw')).toBe('1')
  const catalog = await other.text('/v1/catalog/nodes')
  for (const node of ['db', 'old']) expect(catalog).toContain(`"${node}"`)
  const answer = await other.request('GET', '/v1/kv/often')
  expect(Number(answer.headers.get('x-svc-index'))).toBeGreaterThan(index)
  const peers = await svc(other, 'operator', 'raft', 'list-peers')
  expect(peers.out).toContain('new')
  expect(peers.out).not.toContain('old')

  // The server itself is in the catalog again, and a start finds all of it, and continues with later indexes.
  await eventually('the own node', async () =>
    (await other.text('/v1/catalog/nodes')).includes('"new"') ? true : undefined,
  )
  await other.stop('SIGKILL')
  const again = await stage.led(new RealAgent(other.address, other.args))
  expect(await again.text('/v1/kv/b?raw')).toBe('2')
  await again.request('PUT', '/v1/kv/b', '3')
  const written = (await again.json<readonly { readonly ModifyIndex: number }[]>('/v1/kv/b')) ?? []
  expect(written[0]?.ModifyIndex).toBeGreaterThan(index)
})

it('a watch runs a program for each change, until the program fails', async () => {
  const agent = await server('one')
  const file = join(stage.path, 'told')
  const told = () => readFile(file, 'utf8').catch(() => '')
  const watch = svc(agent, 'watch', '-type=key', '-key=color', `cat >> ${file}; ! grep -q Ymx1ZQ== ${file}`)
  await eventually('the first word', async () => ((await told()) === 'null\n' ? true : undefined))
  await agent.request('PUT', '/v1/kv/color', 'blue')
  expect(await watch).toEqual({ code: 1, out: '', error: 'Error executing handler: exit status 1\n' })
  expect((await told()).split('\n')).toEqual(['null', expect.stringContaining('"Key":"color"'), ''])
})
