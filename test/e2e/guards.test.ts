import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it } from 'vitest'
import { devAgent, type Finished, freePorts, type RealAgent, runSvc } from './real-agent.ts'
import { Stage } from './stage.ts'

const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))
const onTerminal = fileURLToPath(new URL('../tools/on-a-terminal.py', import.meta.url))
const hasPython = spawnSync('python3', ['--version']).status === 0

const stage = new Stage()
let agent: RealAgent
beforeEach(async () => {
  agent = await stage.led(devAgent(await freePorts()))
})

/** Runs a command on a terminal, where a person types `answer` when asked. */
function typed(answer: string, args: readonly string[]): Promise<Finished> {
  const argv = [onTerminal, 'Type yes to continue: ', answer, process.execPath, svc, ...args]
  const child = spawn('python3', argv, { env: { ...process.env, SVC_HTTP_ADDR: agent.address } })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, error: '' })))
}

it.skipIf(!hasPython)('a person on a real terminal is asked, and only yes does it (needs python3)', async () => {
  for (const key of ['app/a', 'app/b']) await agent.request('PUT', `/v1/kv/${key}`, '1')
  const argv = ['kv', 'delete', '-recurse', 'app/']
  const warning = 'Warning: the command deletes 2 keys with the prefix "app/".\r\nType yes to continue: '
  const refused = await typed('no', argv)
  expect([refused.code, refused.out]).toEqual([1, `${warning}no\r\nNothing was done.\r\n`])
  expect(await agent.json('/v1/kv/app/?keys')).toEqual(['app/a', 'app/b'])
  const done = await typed('yes', argv)
  expect([done.code, done.out]).toEqual([0, `${warning}yes\r\nSuccess! Deleted keys with prefix: app/\r\n`])
  expect(await agent.json('/v1/kv/app/?keys')).toBeUndefined()
})

it.skipIf(!hasPython)('a restore is asked about on a real terminal, too (needs python3)', async () => {
  const file = join(stage.path, 'state.snap')
  await runSvc(['snapshot', 'save', file], undefined, { SVC_HTTP_ADDR: agent.address })
  await agent.request('PUT', '/v1/kv/later', '1')
  const { code, out } = await typed('no', ['snapshot', 'restore', file])
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(
      /^Warning: the command sets the state back to index \d+: it removes 1 record .*\r\nType yes to continue: no\r\nNothing was done\.\r\n$/,
    ),
  ])
  expect(await agent.json('/v1/kv/later?keys')).toEqual(['later'])
})

it('a script is warned on standard error alone, and SVC_CONFIRM=always makes it demand -force', async () => {
  const environment = { SVC_HTTP_ADDR: agent.address }
  const leave = (...flags: readonly string[]) => runSvc(['leave', ...flags], undefined, environment)
  const always = await runSvc(['leave'], undefined, { ...environment, SVC_CONFIRM: 'always' })
  expect([always.code, always.out]).toEqual([1, ''])
  expect(always.error).toMatch(/ is the only voter: .*\nNothing was done, because SVC_CONFIRM is always: add -force/s)
  expect((await agent.request('GET', '/v1/agent/self')).status).toBe(200)
  const left = await leave()
  expect([left.code, left.out]).toEqual([0, 'Graceful leave complete\n'])
  expect(left.error).toMatch(/^Warning: .* is the only voter: without it .*\n$/)
  expect((await agent.exited).code).toBe(0)
})
