import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { firstValueBytes, pack, unpack } from '../../src/base/msgpack.ts'
import { freePort } from '../tools/own-ports.ts'
import { freePorts, leads, makeWorkplace, RealAgent, writeConfig } from './real-agent.ts'
import { serfIsThere, whySkipped } from './serf-agent.ts'

/** What comes back until the connection is over, and how it ends. */
function asked(port: number, values: readonly unknown[]): Promise<{ readonly said: unknown[]; readonly end: string }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let bytes = new Uint8Array()
    let end = 'ended'
    socket.on('data', (more) => {
      bytes = Uint8Array.from([...bytes, ...more])
    })
    socket.on('error', (error) => {
      end = error.message
    })
    socket.on('close', () => {
      const said: unknown[] = []
      for (let length = firstValueBytes(bytes); length !== undefined; length = firstValueBytes(bytes)) {
        const value = unpack(bytes.slice(0, length))
        said.push(value.ok ? value.value : value.error)
        bytes = bytes.slice(length)
      }
      resolve({ said, end })
    })
    for (const value of values) socket.write(pack(value))
  })
}

/** An agent of before 0.8.0, once it leads itself, and where its command port is. */
async function withOldAgent(use: (agent: RealAgent, rpc: number, gossip: number) => Promise<void>): Promise<void> {
  const workplace = makeWorkplace()
  const [ports, rpc] = [await freePorts(), await freePort()]
  const file = writeConfig(workplace.path, 'old.json', {
    node_name: 'old',
    bind_addr: '127.0.0.1',
    ports: { ...ports, rpc },
  })
  const agent = new RealAgent(`127.0.0.1:${ports.http}`, ['-release=0.7.4', '-dev', `-config-file=${file}`])
  try {
    await leads(agent)
    await use(agent, rpc, ports.serf_lan)
  } finally {
    await agent.stop('SIGKILL')
    workplace.remove()
  }
}

it('[UPG-054] a real agent as 0.7.4 leaves when its command port is told to, and says so first', () =>
  withOldAgent(async (agent, rpc, gossip) => {
    const { said, end } = await asked(rpc, [
      ...[{ Command: 'handshake', Seq: 0 }, { Version: 1 }],
      ...[
        { Command: 'members-lan', Seq: 1 },
        { Command: 'leave', Seq: 2 },
      ],
    ])
    expect(end).toBe('ended')
    expect(said).toEqual([
      { Seq: 0, Error: '' },
      { Seq: 1, Error: '' },
      { Members: [expect.objectContaining({ Name: 'old', Status: 'alive', Port: gossip })] },
      { Seq: 2, Error: '' },
    ])
    expect((await agent.exited).code).toBe(0)
  }))

it("[UPG-054] the command line of the field's own gossip agent is understood on that port", async (context) => {
  if (!serfIsThere) context.skip(whySkipped)
  await withOldAgent(async (agent, rpc) => {
    const serf = (command: string, ...more: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync('serf', [command, `-rpc-addr=127.0.0.1:${rpc}`, ...more])
      return { status, said: `${stdout}${stderr}` }
    }
    expect(serf('info')).toEqual({ status: 0, said: expect.stringMatching(/^\s+version = 0\.7\.4$/m) })
    expect(serf('join', '127.0.0.1:1')).toEqual({ status: 1, said: expect.stringContaining('127.0.0.1:1: refused') })
    expect(serf('force-leave', 'nobody')).toEqual({ status: 0, said: '' })
    // It names lists of members otherwise than that port did: what is unknown ends the connection, and nothing else.
    expect(serf('members')).toEqual({ status: 1, said: expect.stringContaining('Error retrieving members') })
    expect(serf('leave')).toEqual({ status: 0, said: expect.stringContaining('Graceful leave complete') })
    expect((await agent.exited).code).toBe(0)
  })
})
