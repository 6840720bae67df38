import { describe, expect, it } from 'vitest'
import { enforcementOf } from '../../src/access/enforcement.ts'
import { firstValueBytes, pack, unpack } from '../../src/base/msgpack.ts'
import { normalize } from '../../src/config/normalize.ts'
import type { Env } from '../../src/env/env.ts'
import { parseRelease, type Release } from '../../src/model/release.ts'
import { startSimulatedAgent } from './simulated-agent.ts'

const retryMs = 50
const handshake = [{ Command: 'handshake', Seq: 0 }, { Version: 1 }]

function releaseOf(text: string): Release {
  const release = parseRelease(text)
  if (release === undefined) throw new Error(`${text} is no release`)
  return release
}

interface Said {
  /** Why no member could be dialled. */
  refused: string | undefined
  readonly bytes: number[]
  over: string | undefined
}

/** What an agent of this release says to these bytes on that port, when it leads. */
async function said(sent: Uint8Array, release = '0.7.4', endsAtOnce = false) {
  const told: Said = { refused: undefined, bytes: [], over: undefined }
  const beside = async (given: Env): Promise<void> => {
    const dial = async (): Promise<void> => {
      const dialled = await given.tcp.dial({ host: '127.0.0.1', port: 8400 }, { timeoutMs: 1_000 })
      if (!dialled.ok) {
        told.refused = dialled.error.kind
        return
      }
      const stream = dialled.value
      stream.onData((bytes) => told.bytes.push(...bytes))
      stream.onEnd(() => stream.end())
      stream.onClose((why) => {
        told.over = why
      })
      stream.write(sent)
      if (endsAtOnce) stream.end()
    }
    given.timers.after(10_000, () => given.detach(dial()))
  }
  const { target, stop } = await startSimulatedAgent('default', { release: releaseOf(release), beside })
  try {
    while (
      told.refused === undefined &&
      told.bytes.length === 0 &&
      told.over === undefined &&
      target.nowMs() < 60_000
    ) {
      await target.pause(retryMs)
    }
    await target.pause(1_000)
  } finally {
    await stop()
  }
  return { ...told, values: valuesIn(new Uint8Array(told.bytes)) }
}

function valuesIn(bytes: Uint8Array): readonly unknown[] {
  const length = firstValueBytes(bytes)
  if (length === undefined) return []
  const value = unpack(bytes.subarray(0, length))
  if (!value.ok) throw new Error(value.error)
  return [value.value, ...valuesIn(bytes.slice(length))]
}

function bytesOf(...values: readonly unknown[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [...pack(value)]))
}

describe('the port of the command line', () => {
  it('[UPG-054] is open before 0.8.0, where rules of version 8 are not asked for and remote commands are run', async () => {
    const { values, over } = await said(
      bytesOf(
        ...handshake,
        { Command: 'members-lan', Seq: 1 },
        { Command: 'stats', Seq: 2 },
        { Command: 'members-wan', Seq: 3 },
      ),
    )
    expect(over).toBeUndefined()
    const [greeting, lanHeader, lan, statsHeader, stats, wanHeader, wan, ...rest] = values
    expect([greeting, lanHeader, statsHeader, wanHeader]).toEqual([0, 1, 2, 3].map((Seq) => ({ Seq, Error: '' })))
    const member = { Addr: new Uint8Array([127, 0, 0, 1]), Status: 'alive', Tags: { role: expect.any(String) } }
    expect(lan).toMatchObject({ Members: [{ Port: 8301, ProtocolCur: 2, DelegateMax: expect.any(Number), ...member }] })
    expect(wan).toMatchObject({ Members: [{ Port: 8302, Status: 'alive' }] })
    expect(stats).toMatchObject({ agent: expect.any(Object), raft: { state: 'Leader' } })
    expect(rest).toEqual([])
    const configOf = (release: string) => {
      const machine = {
        hostName: 'm',
        architecture: 'x64',
        operatingSystem: 'linux',
        cpuCount: 1,
        interfaces: () => [],
      }
      const file = { data_dir: '/data', bind_addr: '10.0.0.1' }
      const config = normalize(file, false, machine, undefined, releaseOf(release))
      if (!config.ok) throw new Error('no configuration')
      const { cliRpc, remoteExec, access } = config.value.config
      return [cliRpc, remoteExec, access.enforceVersion8]
    }
    expect(configOf('0.7.4')).toEqual([{ port: 8400, addresses: ['127.0.0.1'] }, true, false])
    expect(configOf('0.8.0')).toEqual([{ port: -1, addresses: [] }, false, true])
    expect(enforcementOf(releaseOf('0.7.4'), false)('session', 'write')).toBe(false)
    expect(enforcementOf(releaseOf('0.8.0'))('session', 'write')).toBe(true)
    expect(await said(bytesOf(...handshake), '0.8.0')).toMatchObject({ refused: 'refused', values: [] })
  })

  it('joins, leaves and reloads, and says what went wrong', async () => {
    const { values } = await said(
      bytesOf(
        ...handshake,
        ...[
          { Command: 'join', Seq: 1 },
          { Existing: ['127.0.0.1:8301'], WAN: false },
        ],
        ...[
          { Command: 'join', Seq: 2 },
          { Existing: ['no address!'], WAN: false },
        ],
        ...[{ Command: 'force-leave', Seq: 3 }, { Node: 'nobody' }],
        ...[
          { Command: 'reload', Seq: 4 },
          { Command: 'leave', Seq: 5 },
        ],
      ),
    )
    expect(values).toEqual([
      { Seq: 0, Error: '' },
      { Seq: 1, Error: '' },
      { Num: 1 },
      { Seq: 2, Error: 'Invalid address to join "no address!"' },
      { Num: 0 },
      { Seq: 3, Error: '' },
      { Seq: 4, Error: '' },
      { Seq: 5, Error: '' },
    ])
  })

  it('answers all that was asked when no more will be', async () => {
    const asked = [
      { Command: 'join', Seq: 1 },
      { Existing: ['127.0.0.1:8301'], WAN: false },
    ]
    const { values, over } = await said(bytesOf(...handshake, ...asked, { Command: 'reload', Seq: 2 }), '0.7.4', true)
    expect(values).toEqual([{ Seq: 0, Error: '' }, { Seq: 1, Error: '' }, { Num: 1 }, { Seq: 2, Error: '' }])
    expect(over).toBe('ended')
  })

  it.each<readonly [string, Uint8Array, readonly unknown[]]>([
    [
      'a command before the handshake',
      bytesOf({ Command: 'stats', Seq: 7 }),
      [{ Seq: 7, Error: 'Handshake required' }],
    ],
    [
      'a command that it does not have',
      bytesOf(...handshake, { Command: 'monitor', Seq: 1 }, { LogLevel: 'INFO' }),
      [
        { Seq: 0, Error: '' },
        { Seq: 1, Error: 'Unsupported command' },
      ],
    ],
    ['what is no header', bytesOf('hello'), []],
    ['what is no MessagePack', new Uint8Array([0xc1]), []],
    ['a value that never ends', new Uint8Array(20_000).fill(0x91), []],
    ['a body of another form', bytesOf({ Command: 'handshake', Seq: 0 }, { Version: 'one' }), []],
  ])('ends a connection at %s', async (_, sent, values) => {
    const told = await said(sent)
    expect(told.values).toEqual(values)
    expect(told.over).toBeDefined()
  })

  it.each<readonly [string, readonly unknown[]]>([
    ['Unsupported IPC version', [{ Command: 'handshake', Seq: 0 }, { Version: 2 }]],
    ['Handshake already performed', [...handshake, ...handshake]],
  ])('goes on after %s', async (error, sent) => {
    const { values, over } = await said(bytesOf(...sent))
    expect(values.at(-1)).toEqual({ Seq: 0, Error: error })
    expect(over).toBeUndefined()
  })
})
