import { describe, expect, it } from 'vitest'
import type { SimNode } from '../../../sim/simulation/node.ts'
import type { Env } from '../../../src/env/env.ts'
import { inSimulation, rest, value } from './in-simulation.ts'

describe('a process that would exit now', () => {
  const ended = { files: [], sockets: [], connections: [], timers: [] }

  it('leaves its timers and connections behind, but not those of its environment, nor any that it has closed', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      let streamPort = 0
      node.boot(async (env) => {
        const at = (port: number) => ({ host: '10.0.0.1', port })
        await value(env.tcp.listen(at(1), () => undefined))
        const stream = await value(env.tcp.dial(at(1), { timeoutMs: 100 }))
        streamPort = stream.local.port
        await value(env.http.serve(at(3), () => env.deferred<never>().promise))
        env.detach(env.http.request(at(3), { method: 'GET', target: '/', timeoutMs: 60_000 }))
        env.log.write('info', 'agent', 'seen', {}, 'sampled')
        env.timers.after(5_000, () => undefined, 'an answer')
        const closed = env.timers.after(6_000, () => undefined)
        closed.close()
      })
      await simulation.run({ untilMs: 1000 })
      const { timers, connections } = node.leftBehind()
      expect(timers.map(({ waitsFor, dueInMs }) => [waitsFor, Math.round(dueInMs)])).toEqual([['an answer', 4_000]])
      expect(connections.toSorted()).toEqual(['10.0.0.1:1', `10.0.0.1:${streamPort}`])
      node.crash()
      expect(node.leftBehind()).toEqual(ended)
    })
  })
})

describe('a crash', () => {
  it('[H3] ends timers, waits, sockets, children and promises of the process: nothing of it ever happens again', async () => {
    await inSimulation({ link: { latencyMs: 5 } }, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1', disk: { writeMs: 5 } })
      const other = simulation.addNode({ name: 'o', host: '10.0.0.2' })
      node.programs.set('slow', () => ({ afterMs: 5, exit: 0 }))
      const happened: string[] = []
      let deadEnv: Env | undefined
      other.boot(async (env) => {
        await value(
          env.tcp.listen({ host: '10.0.0.2', port: 1 }, (stream) => stream.onData((bytes) => stream.write(bytes))),
        )
        const socket = await value(
          env.udp.bind({ host: '10.0.0.2', port: 2 }, (from, bytes) => socket.send(from, bytes)),
        )
        await value(env.http.serve({ host: '10.0.0.2', port: 3 }, async () => ({ status: 200, headers: [], body: '' })))
      })
      await simulation.run({ untilMs: 1 })
      node.boot(async (env) => {
        deadEnv = env
        const file = await value(env.disk.open('/f', 'create'))
        const stream = await value(env.tcp.dial({ host: '10.0.0.2', port: 1 }, { timeoutMs: 1000 }))
        const socket = await value(env.udp.bind({ host: '10.0.0.1', port: 2 }, () => happened.push('datagram')))
        stream.onData(() => happened.push('stream'))
        stream.onClose(() => happened.push('close'))
        await rest(env, 20 - simulation.nowMs)
        const note = (what: string) => (): void => void happened.push(what)
        env.timers.after(5, note('timer'))
        env.detach(rest(env, 5).then(note('deferred')))
        env.detach(file.write(0, new Uint8Array(1)).then(note('disk')))
        env.detach(env.processes.run(['slow'], { timeoutMs: 100, outputBytesMax: 1 }).then(note('child')))
        env.detach(env.tcp.dial({ host: '10.0.0.2', port: 1 }, { timeoutMs: 100 }).then(note('dial')))
        env.detach(env.tcp.dial({ host: '10.0.0.9', port: 1 }, { timeoutMs: 4 }).then(note('dial timeout')))
        const request = { method: 'GET', target: '/', timeoutMs: 100 }
        env.detach(env.http.request({ host: '10.0.0.2', port: 3 }, request).then(note('http')))
        stream.write(new Uint8Array(1))
        socket.send({ host: '10.0.0.2', port: 2 }, new Uint8Array(1))
        env.timers.after(0, note('before'))
      })
      simulation.at(22, () => node.crash())
      await simulation.run({ untilMs: 22 })
      expect(happened).toEqual(['before'])
      await simulation.run({ untilMs: 5000 })
      expect(happened).toEqual(['before'])
      expect(simulation.pending).toBe(0)
      expect(node.running).toBe(false)
      expect(deadEnv).toBeDefined()
    })
  })

  it('may lose what a killed process had not synced if the power fails only afterwards, and never anything else', async () => {
    const left = new Set<string>()
    for (let seed = 0; seed < 20; seed++) {
      await inSimulation({ seed: String(seed) }, async (simulation) => {
        const node = simulation.addNode({ name: 'n', host: '10.0.0.1', directories: ['/data'] })
        node.crash()
        await simulation.play(
          node,
          async (env) => {
            const file = await value(env.disk.open('/data/a', 'create'))
            await value(file.writeSynced(0, new Uint8Array([1])))
            await value(env.disk.syncDirectory('/data'))
            await value(file.write(1, new Uint8Array([2])))
          },
          1000,
        )
        node.crash({ disk: 'kept' })
        node.crash({ disk: 'kept' })
        expect([...(node.disk.files().get('/data/a') ?? [])]).toEqual([1, 2])
        node.crash()
        left.add([...(node.disk.files().get('/data/a') ?? [])].join())
        const before = simulation.finish().hash
        node.crash()
        expect(simulation.finish().hash).toBe(before)
      })
    }
    expect([...left].sort()).toEqual(['1', '1,2'])
  })

  it('makes any later sign of life of the process a failure of the run', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      let dead: Env | undefined
      node.boot((env) => {
        dead = env
      })
      simulation.at(1, () => node.crash())
      simulation.at(2, () => void dead?.clock.monoMs())
      const end = await simulation.run({ untilMs: 10 })
      expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'dead-process', node: 'n' } })
    })
  })

  it('in the middle of a turn of the process itself leaves the rest of the turn without effect', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      const other = simulation.addNode({ name: 'o', host: '10.0.0.2' })
      const heard: number[] = []
      other.boot(
        async (env) => void (await env.udp.bind({ host: '10.0.0.2', port: 1 }, (_, bytes) => heard.push(bytes.length))),
      )
      node.boot(async (env) => {
        const socket = await value(env.udp.bind({ host: '10.0.0.1', port: 1 }, () => undefined))
        await rest(env, 10)
        const at = { host: '10.0.0.2', port: 1 }
        socket.send(at, new Uint8Array(1))
        node.crash()
        socket.send(at, new Uint8Array(2))
        env.timers.after(0, () => heard.push(99))
        env.detach(env.disk.makeDirectory('/made'))
        env.log.write('error', 'test', 'from the grave')
        const never = env.deferred<void>()
        never.resolve()
        await never.promise
        heard.push(98)
      })
      expect((await simulation.run({ untilMs: 100 })).kind).toBe('time')
      expect(heard).toEqual([1])
    })
  })

  it('gives the ports back, and the next boot is another process on the same disk', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      for (let boot = 1; boot <= 3; boot++) {
        const count = await simulation.play(
          node,
          async (env) => {
            await value(env.tcp.listen({ host: '10.0.0.1', port: 1 }, () => undefined))
            await value(env.udp.bind({ host: '10.0.0.1', port: 1 }, () => undefined))
            const file = await value(env.disk.open('/boots', 'create'))
            const size = await value(file.size())
            await value(file.write(size, new Uint8Array(1)))
            return size
          },
          1000,
        )
        expect(count).toBe(boot - 1)
        expect(node.boots).toBe(boot)
        node.crash({ disk: 'kept' })
      }
    })
  })
})

describe('a paused process', () => {
  async function paused(seed: string): Promise<readonly string[]> {
    return await inSimulation({ seed, link: { latencyMs: 1 } }, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      const other = simulation.addNode({ name: 'o', host: '10.0.0.2' })
      const told: string[] = []
      node.boot(async (env) => {
        await value(env.udp.bind({ host: '10.0.0.1', port: 1 }, (_, [number]) => told.push(`u${number}`)))
        const listen = { host: '10.0.0.1', port: 2 }
        await value(
          env.tcp.listen(listen, (stream) => stream.onData((bytes) => told.push(...[...bytes].map((b) => `s${b}`)))),
        )
        for (let i = 0; i < 4; i++) env.timers.after(100 + i, () => told.push(`t${i}`))
        env.timers.after(50, () => {
          env.timers.after(70, () => told.push('never')).close()
        })
        const closed = env.timers.after(110, () => told.push('closed'))
        env.timers.after(109, () => closed.close())
      })
      other.boot(async (env) => {
        const socket = await value(env.udp.bind({ host: '10.0.0.2', port: 1 }, () => undefined))
        const stream = await value(env.tcp.dial({ host: '10.0.0.1', port: 2 }, { timeoutMs: 1000 }))
        for (let i = 0; i < 4; i++) {
          env.timers.after(90 + 3 * i, () => {
            socket.send({ host: '10.0.0.1', port: 1 }, new Uint8Array([i]))
            stream.write(new Uint8Array([i]))
          })
        }
      })
      simulation.at(80, () => node.pause())
      await simulation.run({ untilMs: 500 })
      expect(told).toEqual([])
      expect(node.paused).toBe(true)
      // What had reached the machine is not lost by a cut that comes later.
      simulation.network.cut('n', 'o')
      node.resume()
      await simulation.run({ untilMs: 510 })
      return told
    })
  }

  it('keeps what arrives and what falls due, and finds it in an order that is drawn, each source in its own', async () => {
    const orders = new Set<string>()
    for (let seed = 0; seed < 30; seed++) {
      const told = await paused(`pause-${seed}`)
      expect(told.filter((each) => each.startsWith('t'))).toEqual(['t0', 't1', 't2', 't3'])
      expect(told.filter((each) => each.startsWith('s'))).toEqual(['s0', 's1', 's2', 's3'])
      expect(told.filter((each) => each.startsWith('u')).sort()).toEqual(['u0', 'u1', 'u2', 'u3'])
      expect(told).toHaveLength(12)
      orders.add(told.join())
    }
    expect(orders.size).toBeGreaterThan(20)
  })

  it('loses datagrams beyond what its machine keeps for it, and nothing of a stream', async () => {
    await inSimulation({ link: { latencyMs: 1 } }, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      const other = simulation.addNode({ name: 'o', host: '10.0.0.2' })
      let datagrams = 0
      let bytes = 0
      node.boot(async (env) => {
        await value(env.udp.bind({ host: '10.0.0.1', port: 1 }, () => datagrams++))
        await value(
          env.tcp.listen({ host: '10.0.0.1', port: 2 }, (stream) => stream.onData((more) => (bytes += more.length))),
        )
      })
      other.boot(async (env) => {
        const socket = await value(env.udp.bind({ host: '10.0.0.2', port: 1 }, () => undefined))
        const stream = await value(env.tcp.dial({ host: '10.0.0.1', port: 2 }, { timeoutMs: 1000 }))
        await rest(env, 10)
        node.pause()
        for (let i = 0; i < 100; i++) socket.send({ host: '10.0.0.1', port: 1 }, new Uint8Array(64_000))
        stream.write(new Uint8Array(5_000_000))
      })
      await simulation.run({ untilMs: 20_000 })
      node.resume()
      await simulation.run({ untilMs: 21_000 })
      expect(datagrams).toBe(Math.floor((2 << 20) / 64_000))
      expect(bytes).toBe(5_000_000)
    })
  })

  it('that crashes loses what waited', async () => {
    await inSimulation({}, async (simulation) => {
      const node: SimNode = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      let fired = 0
      node.boot((env) => void env.timers.after(5, () => fired++))
      simulation.at(1, () => node.pause())
      simulation.at(10, () => {
        node.crash()
        node.resume()
      })
      simulation.at(11, () => node.boot((env) => void env.timers.after(5, () => (fired += 10))))
      await simulation.run({ untilMs: 100 })
      expect(fired).toBe(10)
    })
  })
})
