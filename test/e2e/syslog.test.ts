import { spawnSync } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually, freePorts, leads, makeWorkplace, portFlags, RealAgent } from './real-agent.ts'

/** `--socket-errors` is of util-linux; other programs of the name do not know it. */
const loggerIsThere = String(spawnSync('logger', ['--version'], { encoding: 'utf8' }).stdout).includes('util-linux')
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function started(flags: readonly string[]): Promise<RealAgent> {
  const workplace = makeWorkplace()
  const ports = await freePorts()
  const place = [`-data-dir=${workplace.path}/data`, '-bind=127.0.0.1', '-node=n1', '-server', '-bootstrap']
  const agent = new RealAgent(`127.0.0.1:${ports.http}`, [...place, ...portFlags(ports), ...flags])
  closing.push(async () => {
    await agent.stop('SIGKILL')
    workplace.remove()
  })
  await leads(agent)
  return agent
}

async function listening(): Promise<{ readonly port: number; readonly heard: string[] }> {
  const socket: Socket = createSocket('udp4')
  const heard: string[] = []
  socket.on('message', (bytes) => heard.push(bytes.toString()))
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  closing.push(() => socket.close())
  return { port: socket.address().port, heard }
}

describe('an agent whose log goes to syslog', () => {
  it('sends each line as a datagram, from its first to its exit code', async () => {
    const { port, heard } = await listening()
    const agent = await started(['-syslog', `-syslog-address=127.0.0.1:${port}`])
    const { code, out } = await agent.stop('SIGTERM')
    expect(code).toBe(1)
    await eventually('the last line', async () => heard.find((line) => line.endsWith(' svc: agent: Exit code: 1')))
    const shown = out
      .split('\n')
      .flatMap((line) => /^ {4}\S+ \S+ \[(?:INFO|WARN|ERR)\] (.*)$/.exec(line)?.slice(1) ?? [])
    const own = hostname().split('.')[0]
    const form = new RegExp(`^<13[1-5]>\\w{3} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d ${own} svc: (.*)$`)
    // Not one of the same text as the terminal shows is missing, and none besides.
    expect(heard.map((line) => form.exec(line)?.[1] ?? line)).toEqual(shown)
    expect(shown.length).toBeGreaterThan(5)
  })

  it('gives its lines to logger, which brings them to a socket of this machine', async (context) => {
    if (!loggerIsThere) context.skip('the logger command of util-linux (Debian: bsdutils) is not there')
    const workplace = makeWorkplace()
    const path = join(workplace.path, 'log')
    let heard = ''
    const server = createServer((stream) => {
      stream.setEncoding('utf8').on('data', (text: string) => {
        heard += text
      })
    })
    await new Promise<void>((resolve) => server.listen(path, resolve))
    closing.push(() => {
      server.close()
      workplace.remove()
    })
    const agent = await started(['-syslog', `-syslog-address=${path}`])
    await agent.stop('SIGTERM')
    await eventually('the last line', async () => (heard.includes(' svc: agent: Exit code: 1') ? true : undefined))
    expect(heard).toMatch(/<133>\w{3} [ \d]\d [\d:]{8} (\S+ )?svc: raft: /)
  })

  it('starts and serves where there is no such socket, and says so once', async () => {
    const workplace = makeWorkplace()
    closing.push(() => workplace.remove())
    const agent = await started(['-syslog', `-syslog-address=${workplace.path}/none`])
    await eventually('the warning', async () => (agent.output.includes('do not reach syslog') ? true : undefined))
    expect((await agent.request('PUT', '/v1/kv/a', 'b')).status).toBe(200)
    const { out } = await agent.stop('SIGTERM')
    expect(out.match(/do not reach syslog/g)).toHaveLength(1)
  })
})
