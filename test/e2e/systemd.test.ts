import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually, freePorts, makeWorkplace, portFlags, RealAgent } from './real-agent.ts'

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0
const isThere = has('systemd-notify') && has('python3')
const why = isThere ? '' : ' (skipped without systemd-notify and python3)'

/** What systemd does with its socket: it prints each datagram. Node has no datagrams over unix sockets. */
const listener = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('bound', flush=True)
while True: print(s.recv(4096).decode(), flush=True)
`

async function listenAt(socket: string): Promise<() => readonly string[]> {
  const child = spawn('python3', ['-c', listener, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  let heard = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    heard += text
  })
  onTestFinished(() => void child.kill())
  await eventually('the socket', async () => (heard.startsWith('bound\n') ? true : undefined))
  return () => heard.split('\n').slice(1, -1)
}

describe('an agent that systemd runs', () => {
  it.skipIf(!isThere)(`tells it that it is ready, lives, reloads and stops${why}`, async () => {
    const workplace = makeWorkplace()
    onTestFinished(() => workplace.remove())
    const socket = join(workplace.path, 'notify')
    const words = await listenAt(socket)
    const ports = await freePorts()
    const environment = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '2000000' }
    const agent = new RealAgent(`127.0.0.1:${ports.http}`, ['-dev', ...portFlags(ports)], environment)
    onTestFinished(() => void agent.stop('SIGKILL'))
    const heard = (word: string, times = 1) =>
      eventually(word, async () => (words().filter((each) => each === word).length >= times ? true : undefined))
    await heard('READY=1')
    // The HTTP API is open by then: whatever is started after this unit may use it.
    expect((await agent.request('GET', '/v1/agent/self')).status).toBe(200)
    await heard('WATCHDOG=1', 2)
    agent.signal('SIGHUP')
    await heard('READY=1', 2)
    // With the barrier systemd-notify waits until its word has been read.
    const others = words().filter((word) => !['WATCHDOG=1', 'BARRIER=1'].includes(word))
    expect(others).toEqual(['READY=1', 'RELOADING=1', 'READY=1'])
    const stopped = agent.stop('SIGTERM')
    await heard('STOPPING=1')
    await stopped
  })
})
