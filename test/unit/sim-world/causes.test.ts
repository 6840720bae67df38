import { describe, expect, it } from 'vitest'
import { type TraceRecord, traceRecordSchema } from '../../../sim/report/trace-record.ts'
import type { Simulation, SimulationOptions } from '../../../sim/simulation/simulation.ts'
import { busyWorld } from './busy-world.ts'
import { inSimulation, rest, value } from './in-simulation.ts'

const [hostA, hostB] = ['10.0.0.1', '10.0.0.2'] as const

function recorded(): { readonly records: TraceRecord[]; readonly trace: SimulationOptions['trace'] } {
  const records: TraceRecord[] = []
  return { records, trace: { onRecord: (record) => void records.push(record) } }
}

type OfKind<Kind extends TraceRecord['kind']> = Extract<TraceRecord, { kind: Kind }>

function ofKind<Kind extends TraceRecord['kind']>(records: readonly TraceRecord[], kind: Kind): OfKind<Kind>[] {
  return records.filter((record) => record.kind === kind) as OfKind<Kind>[]
}

/** The records that one is caused by. */
function causesOf(records: readonly TraceRecord[], record: TraceRecord | undefined): readonly TraceRecord[] {
  return (record?.causes ?? []).map((n) => records[n - 1] as TraceRecord)
}

/** A world of two machines, with all its events. */
async function told(
  play: (simulation: Simulation, records: readonly TraceRecord[]) => Promise<void>,
): Promise<readonly TraceRecord[]> {
  const { records, trace } = recorded()
  await inSimulation({ trace, link: { latencyMs: 1 } }, async (simulation) => {
    for (const [name, host] of [
      ['a', hostA],
      ['b', hostB],
    ] as const) {
      simulation.addNode({ name, host, directories: ['/data'] })
    }
    await play(simulation, records)
  })
  return records
}

describe('causes in a world where everything happens', () => {
  it('come before what they lead to, and the hash does not know of them', async () => {
    for (const seed of ['1']) {
      const { records, trace } = recorded()
      const heard = await busyWorld(seed, { trace })
      expect(heard.hash).toBe((await busyWorld(seed)).hash)
      expect(records.length).toBeGreaterThan(5_000)
      for (const [at, record] of records.entries()) {
        expect(record.n).toBe(at + 1)
        for (const cause of record.causes) expect(cause).toBeLessThan(record.n)
        expect(new Set(record.causes).size).toBe(record.causes.length)
      }
      for (const record of records.filter((_, at) => at % 50 === 0)) traceRecordSchema.parse(record)
      // The world begins with what nothing led to: clocks, first boots, and what the driver does.
      const roots = records.filter(({ causes }) => causes.length === 0)
      expect(new Set(roots.map(({ kind }) => kind))).toEqual(new Set(['clock', 'boot', 'action']))
      expect(roots.length).toBeLessThan(20)
    }
  })

  it('are of a message its sending, of an end of a disk operation its request, of a life its boot', async () => {
    const { records, trace } = recorded()
    await busyWorld('3', { trace })
    let seen = 0
    for (const record of records) {
      const [first] = causesOf(records, record)
      if (record.kind === 'datagram' && record.fate !== 'no room') {
        expect(first).toMatchObject({ kind: 'datagramSent', node: record.from, to: record.node })
        seen++
      }
      if (record.kind === 'segment') {
        expect(first).toMatchObject({ kind: 'segmentSent', node: record.from, to: record.node, stream: record.stream })
        seen++
      }
      if (record.kind === 'diskDone') {
        expect(['disk', 'diskFile']).toContain(first?.kind)
        expect(first).toMatchObject({ node: record.node, operation: record.operation })
        seen++
      }
      if (record.kind === 'lost' && record.how === 'under way') expect(first?.kind).toBe('segmentSent')
    }
    expect(seen).toBeGreaterThan(1_000)
    for (const boot of ofKind(records, 'boot')) {
      const start = records.find(({ kind, causes }) => kind === 'action' && causes.includes(boot.n))
      expect(start).toMatchObject({ node: boot.node, text: 'start' })
    }
  })
})

describe('the causes of the end of a disk operation', () => {
  it('are the writes that it makes durable, beside its request', async () => {
    const records = await told(async (simulation) => {
      await simulation.play(
        simulation.node('a'),
        async (env) => {
          const file = await value(env.disk.open('/data/a', 'create'))
          await value(file.write(0, new Uint8Array(3)))
          await value(file.write(3, new Uint8Array(4)))
          await value(file.sync())
          await value(file.writeSynced(7, new Uint8Array(5)))
          await value(file.sync())
        },
        1_000,
      )
    })
    const sizesBehind = (operation: string): unknown[] =>
      ofKind(records, 'diskDone')
        .filter((record) => record.operation === operation)
        .map((record) =>
          causesOf(records, record).map((cause) => (cause.kind === 'diskWrite' ? cause.size : cause.kind)),
        )
    expect(sizesBehind('write')).toEqual([
      ['diskFile', 3],
      ['diskFile', 4],
    ])
    expect(sizesBehind('sync')).toEqual([['diskFile', 4, 3], ['diskFile']])
    expect(sizesBehind('writeSynced')).toEqual([['diskFile', 5]])
  })
})

describe('causes where several led to one event', () => {
  it('are of a segment each write that it carries, and the loss behind which they waited', async () => {
    const records = await told(async (simulation) => {
      const [a, b] = [simulation.node('a'), simulation.node('b')]
      await simulation.play(
        b,
        async (env) => value(env.tcp.listen({ host: hostB, port: 8 }, (stream) => stream.onData(() => {}))),
        100,
      )
      await simulation.play(
        a,
        async (env) => {
          const stream = await value(env.tcp.dial({ host: hostB, port: 8 }, { timeoutMs: 100 }))
          await rest(env, 10)
          simulation.network.cut('a', 'b')
          for (const text of ['one', 'two', 'three']) {
            env.log.write('info', 'test', text)
            stream.write(new TextEncoder().encode(text))
            await rest(env, 10)
          }
          simulation.network.heal()
          await rest(env, 1_000)
        },
        5_000,
      )
    })
    const cut = ofKind(records, 'link').find(({ text, node }) => text === 'cut' && node === 'a')
    const [lost] = ofKind(records, 'segmentLost')
    expect(lost?.causes).toContain(cut?.n)
    const waking = ofKind(records, 'log').map((log) => log.causes[0])
    const behind = ofKind(records, 'segmentSent').find(({ size }) => size === 'twothree'.length)
    expect(behind?.causes).toEqual(expect.arrayContaining([waking[1], waking[2]]))
    expect(behind?.causes).not.toContain(waking[0])
    const again = ofKind(records, 'segmentSent').find(({ size }) => size === 'one'.length)
    expect(again?.causes).toContain(waking[0])
    const [retry] = causesOf(records, again)
    expect(causesOf(records, retry).map(({ kind }) => kind)).toEqual(['segmentLost'])
    // What waits behind a loss is told when it is written: it is not reported.
    expect(ofKind(records, 'lost').map(({ how, size }) => [how, size])).toEqual([
      ['held back', 3],
      ['held back', 5],
    ])
  })

  it('are of what goes on after a wait both what woke it and the turn in which it began to wait', async () => {
    const records = await told(async (simulation) => {
      const a = simulation.node('a')
      await simulation.play(
        a,
        async (env) => {
          const { promise, resolve } = env.deferred<void>()
          const wait = async (name: string): Promise<void> => {
            env.log.write('info', 'test', `${name} waits`)
            await promise
            env.log.write('info', 'test', `${name} goes on`)
          }
          env.timers.after(5, () => env.detach(wait('one')))
          env.timers.after(6, () => env.detach(wait('two')))
          await rest(env, 20)
          resolve()
          await rest(env, 1)
        },
        100,
      )
    })
    const said = (text: string) => ofKind(records, 'log').find((log) => log.text.endsWith(text))
    for (const name of ['one', 'two']) {
      const began = said(`${name} waits`)?.causes[0] as number
      const goesOn = said(`${name} goes on`)?.causes
      expect(goesOn).toContain(began)
      expect(records[(goesOn?.[0] ?? 0) - 1]).toMatchObject({ kind: 'timer' })
    }
    expect(said('one goes on')?.causes).not.toContain(said('two waits')?.causes[0])
  })

  it('are of a batch each of its parts', async () => {
    const records = await told(async (simulation) => {
      await simulation.play(
        simulation.node('a'),
        async (env) => {
          const parts: object[] = []
          for (const [at, text] of ['one', 'two'].entries()) {
            env.timers.after(5 + at, () => {
              const part = { text }
              parts.push(part)
              env.log.write('info', 'test', text)
              env.batches?.waits(part)
            })
          }
          env.timers.after(9, () => {
            env.batches?.together(parts)
            env.log.write('info', 'test', 'together')
          })
          await rest(env, 20)
        },
        100,
      )
    })
    const [one, two, together] = ofKind(records, 'log')
    expect(together?.causes).toEqual([expect.any(Number), one?.causes[0], two?.causes[0]])
  })

  it('are of work that goes on once for several wakes each of these, however many turns it takes', async () => {
    const work = {}
    const records = await told(async (simulation) => {
      await simulation.play(
        simulation.node('a'),
        async (env) => {
          for (const [afterMs, text] of [
            [5, 'one'],
            [6, 'two'],
          ] as const) {
            env.timers.after(afterMs, () => {
              env.log.write('info', 'test', text)
              env.batches?.woken(work)
            })
          }
          await rest(env, 9)
          env.batches?.goesOn(work)
          env.log.write('info', 'test', 'begins')
          await rest(env, 2)
          env.log.write('info', 'test', 'ends')
          // Nothing has woken it since.
          env.batches?.goesOn(work)
        },
        100,
      )
    })
    const [one, two, begins, ends] = ofKind(records, 'log')
    const [goesOn, ...more] = ofKind(records, 'note')
    expect(goesOn).toMatchObject({ node: 'a', text: 'goes on for all that woke it' })
    expect(goesOn?.causes).toEqual(expect.arrayContaining([one?.causes[0], two?.causes[0]]))
    for (const said of [begins, ends]) expect(said?.causes).toContain(goesOn?.n)
    expect(more).toEqual([])
  })
})

describe('the settings of a link', () => {
  it('are told with their end, which the hash does not include', async () => {
    const records = await told(async (simulation) => {
      const { network } = simulation
      network.clearLink('a', 'b')
      network.setLink('a', 'b', { loss: 1 }, { oneWay: true })
      network.clearLink('a', 'b')
      network.clearLink('a', 'b')
      await simulation.play(simulation.node('a'), async () => undefined, 1)
    })
    expect(ofKind(records, 'link').map(({ node, to, text }) => [node, to, text])).toEqual([
      ['a', 'b', '{"loss":1}'],
      ['a', 'b', 'as usual'],
    ])
  })
})

describe('the causes of a timeout', () => {
  it('are the turn that set the timer and the lost question, or the lost answer', async () => {
    for (const lossy of ['a', 'b'] as const) {
      const records = await told(async (simulation) => {
        simulation.network.setLink(lossy, lossy === 'a' ? 'b' : 'a', { loss: 1 }, { oneWay: true })
        await simulation.play(
          simulation.node('b'),
          async (env) => {
            const socket = await value(
              env.udp.bind({ host: hostB, port: 7 }, (from, bytes) => socket.send(from, bytes)),
            )
          },
          100,
        )
        await simulation.play(
          simulation.node('a'),
          async (env) => {
            const socket = await value(env.udp.bind({ host: hostA, port: 7 }, () => {}))
            // Lost as well, but nothing waits for it.
            socket.send({ host: hostB, port: 7 }, new Uint8Array(3))
            await rest(env, 10)
            socket.send({ host: hostB, port: 7 }, new Uint8Array(5))
            env.timers.after(50, () => {}, 'gossip.probe')
            env.timers.after(50, () => {}, 'gossip.reap')
            await rest(env, 60)
          },
          1_000,
        )
      })
      const lost = ofKind(records, 'datagramSent').find(({ fate, size }) => fate === 'lost' && size === 5)
      expect(lost?.node).toBe(lossy)
      const setting = ofKind(records, 'link').find(({ node }) => node === lossy)
      expect(lost?.causes).toContain(setting?.n)
      const [probe, reap] = ofKind(records, 'timer').filter(({ waits }) => waits !== undefined)
      expect(probe?.causes.slice(1)).toEqual([lost?.n])
      expect(probe?.waits).toBe('gossip.probe')
      expect(reap?.causes).toHaveLength(1)
    }
  })
})

describe('a reader of events that is slower than the run', () => {
  it('is waited for between turns, and the run is the same', async () => {
    let [held, most, settled] = [0, 0, 0]
    const sink = {
      get isFull() {
        return held >= 100
      },
      settle: async () => {
        settled++
        await new Promise((resolve) => setTimeout(resolve, 1))
        held = 0
      },
    }
    const onRecord = (): void => {
      held++
      most = Math.max(most, held)
    }
    const { hash } = await busyWorld('4', { trace: { onRecord, sink } })
    expect(hash).toBe((await busyWorld('4')).hash)
    expect(settled).toBeGreaterThan(50)
    // What one turn makes may come on top.
    expect(most).toBeLessThan(400)
  })
})
