import { describe, expect, it } from 'vitest'
import { Introductions } from '../../../src/agent/servers/introductions.ts'
import { ServerDirectory } from '../../../src/agent/servers/server-directory.ts'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Failure } from '../../../src/model/failure.ts'
import type { Raft } from '../../../src/raft/raft.ts'
import type { Hello } from '../../../src/rpc/frame.ts'
import type { Rpc } from '../../../src/rpc/rpc.ts'
import { HandClock, settled } from '../features/hand-clock.ts'
import { FakePool, serverMember } from './fake-pool.ts'

const at = '10.0.0.2:8300'
const peer = { address: at, nodeName: 's2' }

/** The introductions of s1 to an s2 that answers what a test says. */
function introductions(answer: Result<unknown, Failure> = ok('no record')) {
  const clock = new HandClock()
  const { env } = clock
  const asked: string[] = []
  const lines: string[] = []
  const write = (level: string, _topic: string, text: string, fields: object): void => {
    lines.push(`${level} ${text} ${JSON.stringify(fields)}`)
  }
  const made = new Introductions({
    env: { ...env, log: { ...env.log, write } } as Env,
    config: defaultAgentConfig('s1', '10.0.0.1'),
    rpc: {
      request: async (address: string) => {
        asked.push(address)
        return answer
      },
    } as unknown as Rpc,
    raft: {
      status: () => ({ lastIndex: 0, lastTerm: 0, configuration: { servers: [] } }),
      hasState: () => true,
    } as unknown as Raft,
    directory: new ServerDirectory('id-s1', 'dc1', () => new Set(['id-s2'])),
    nodeId: 'id-s1',
    pool: new FakePool([serverMember(2)]).pool,
  })
  return { made, lines, asked, clock }
}

const cannot = 'error a server cannot be in one cluster with this one'

describe('the record of a server', () => {
  it('names the known servers that wait for a number of them, and no server that joins an existing cluster', () => {
    const { made } = introductions()
    const other = { ...made.ownRecord(), id: 'id-s2', address: at }
    made.serve({ ...other, expect: 0 }, peer)
    expect(made.ownRecord().known).toEqual(['id-s1'])
    made.serve({ ...other, expect: 3 }, peer)
    expect(made.ownRecord().known).toEqual(['id-s1', 'id-s2'])
  })
})

describe('a server whose record is malformed', () => {
  it('is told so, and its address and the place are logged once', () => {
    const { made, lines } = introductions()
    const record = { ...made.ownRecord(), id: 'id-s2', known: 3 }
    for (let times = 0; times < 3; times++) {
      const answer = made.serve(record, peer)
      expect(answer.ok ? undefined : answer.error).toMatchObject({ kind: 'bad-request' })
    }
    expect(lines).toEqual([
      expect.stringContaining(`${cannot} {"address":"${at}","why":"its server record is malformed at known:`),
    ])
  })

  it('is named where it has no address of its own', () => {
    const { made, lines } = introductions()
    made.serve('no record', { address: '', nodeName: 's2' })
    expect(lines).toEqual([
      expect.stringContaining(`${cannot} {"address":"s2","why":"its server record is malformed: `),
    ])
  })

  it('is logged as well where the record is its answer', async () => {
    const { made, lines } = introductions()
    expect(await made.introduceTo(at)).toBeUndefined()
    expect(lines).toEqual([
      expect.stringContaining(`${cannot} {"address":"${at}","why":"its server record is malformed`),
    ])
  })

  it('is logged at the other side, too, which is told', async () => {
    const message = 'its server record is malformed at id'
    const { made, lines } = introductions(err({ kind: 'bad-request', message }))
    expect(await made.introduceTo(at)).toBeUndefined()
    expect(lines).toEqual([expect.stringContaining(message)])
  })

  it('and one that is of another datacenter, has no address or is known already is not asked', async () => {
    const { made, asked } = introductions()
    const hello = { address: at, nodeId: 'id-s2', nodeName: 's2', datacenter: 'dc1' } as Hello
    for (const known of [{ datacenter: 'dc2' }, { address: '' }, { nodeId: 'id-s1' }]) made.met({ ...hello, ...known })
    expect(asked).toEqual([])
    made.met(hello)
    expect(asked).toEqual([at])
    made.serve({ ...made.ownRecord(), id: 'id-s2' }, peer)
    asked.length = 0
    made.met(hello)
    expect(asked).toEqual([])
  })

  it('and one that is known is asked at the longer interval', async () => {
    const { made, asked, clock } = introductions(ok({ ...introductions().made.ownRecord(), id: 'id-s2', address: at }))
    made.start()
    await settled()
    await clock.advance(29_000)
    expect(asked).toHaveLength(2)
    await clock.advance(2_000)
    expect(asked).toHaveLength(3)
  })

  it('and one that does not answer is not logged: the pool reports members that are gone', async () => {
    const { made, lines } = introductions(err({ kind: 'no-servers' }))
    expect(await made.introduceTo(at)).toBeUndefined()
    expect(lines).toEqual([])
  })
})
