import { describe, expect, it } from 'vitest'
import { inSimulation, rest, value } from './in-simulation.ts'

describe('a turn', () => {
  it('is over only when everything that it awakened has run', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      const told: string[] = []
      node.boot((env) => {
        const deep = async (depth: number): Promise<void> => {
          if (depth > 0) await deep(depth - 1)
        }
        env.timers.after(1, () => {
          env.detach(deep(200).then(() => told.push('deep')))
          told.push('first')
        })
        env.timers.after(1, () => told.push('second'))
      })
      await simulation.run({ untilMs: 10 })
      expect(told).toEqual(['first', 'deep', 'second'])
    })
  })

  it('that starts an async function which waits for nothing of its Env is drained nevertheless', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      const told: string[] = []
      node.boot((env) => {
        const floating = async (): Promise<void> => {
          await null
          told.push('floating')
        }
        env.timers.after(1, () => void floating())
        env.timers.after(1, () => told.push('next'))
      })
      await simulation.run({ untilMs: 10 })
      expect(told).toEqual(['floating', 'next'])
    })
  })

  it('whose waiters wait for a promise made by hand long before is drained too', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      const told: string[] = []
      node.boot((env) => {
        let go: () => void = () => undefined
        void new Promise<void>((resolve) => {
          go = resolve
        }).then(() => told.push('awakened'))
        env.timers.after(1, () => go())
        env.timers.after(1, () => told.push('next'))
      })
      await simulation.run({ untilMs: 10 })
      expect(told).toEqual(['awakened', 'next'])
    })
  })

  it('from which work leaks by other means than promises fails the run', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'leaky', host: '10.0.0.1' })
      node.boot((env) => {
        const tick = (): void => {
          process.nextTick(() => env.clock.monoMs())
          env.timers.after(1, tick)
        }
        tick()
      })
      const end = await simulation.run({ untilMs: 1000 })
      expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'async-leak', node: 'leaky' } })
    })
  })

  it('of a node in which something is thrown, or a promise rejected without a handler, fails the run', async () => {
    for (const [how, message] of [
      ['thrown', 'n: TypeError: a bug'],
      ['detached', 'n: TypeError: a bug'],
      ['floating', 'n: TypeError: a bug'],
      ['started', 'n: TypeError: a bug'],
    ] as const) {
      await inSimulation({}, async (simulation) => {
        const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
        const bug = async (): Promise<void> => {
          throw new TypeError('a bug')
        }
        node.boot(async (env) => {
          await rest(env, 5)
          if (how === 'started') throw new TypeError('a bug')
          env.timers.after(1, () => {
            if (how === 'thrown') throw new TypeError('a bug')
            if (how === 'detached') env.detach(bug())
            if (how === 'floating') void bug()
          })
        })
        const end = await simulation.run({ untilMs: 100 })
        expect(end).toMatchObject({ kind: 'failed', message, failure: { kind: 'node-error', node: 'n' } })
        expect(simulation.nowMs).toBeLessThan(7)
      })
    }
  })

  it('may end a process of its error instead, as the error of a real process would', async () => {
    await inSimulation({ onNodeError: () => 'crash' }, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      node.boot((env) => {
        env.timers.after(1, () => {
          throw new Error('a bug')
        })
        env.timers.after(2, () => void node.crash())
      })
      expect((await simulation.run({ untilMs: 100 })).kind).toBe('time')
      expect(node.running).toBe(false)
    })
  })

  it('is checked after it, by every watcher; an error of a checker ends the run', async () => {
    const seen: (string | undefined)[] = []
    const afterTurn = (node: { readonly name: string } | undefined): void => {
      seen.push(node?.name)
      if (seen.length === 4) throw new Error('it does not hold')
    }
    await inSimulation({ afterTurn }, async (simulation) => {
      simulation.addNode({ name: 'n', host: '10.0.0.1' }).boot((env) => {
        for (let i = 1; i < 9; i++) env.timers.after(i, () => undefined)
      })
      simulation.at(1.5, () => undefined)
      const end = await simulation.run({ untilMs: 100 })
      expect(end).toMatchObject({
        kind: 'failed',
        failure: { kind: 'checker-error', message: 'Error: it does not hold' },
      })
      expect(seen).toEqual(['n', 'n', undefined, 'n'])
    })
  })
})

describe('a run', () => {
  it('ends at its time, when the predicate holds, when it is stopped, or at a limit that it names', async () => {
    await inSimulation({ limits: { turns: 1000, pending: 50 } }, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      let ticks = 0
      node.boot((env) => {
        const tick = (): void => {
          ticks++
          env.timers.after(10, tick)
        }
        tick()
      })
      expect(await simulation.run({ untilMs: 95 })).toEqual({ kind: 'time', message: 'the time is over at 0.095 s' })
      expect([simulation.nowMs, ticks]).toEqual([95, 10])
      expect((await simulation.runUntil(() => ticks === 20, 1000)).kind).toBe('predicate')
      expect(simulation.nowMs).toBe(190)
      expect((await simulation.runUntil(() => ticks === 20, 1000)).kind).toBe('predicate')
      expect((await simulation.runUntil(() => false, 10)).kind).toBe('time')
      simulation.at(245, () => simulation.stop('enough'))
      expect(await simulation.run({ untilMs: 1000 })).toEqual({ kind: 'stopped', message: 'enough' })
      expect(simulation.nowMs).toBe(245)
      simulation.at(300, () => simulation.fail({ kind: 'violation', message: 'R1: two leaders' }))
      expect(await simulation.run({ untilMs: 1000 })).toMatchObject({ kind: 'failed', message: 'R1: two leaders' })
      expect(await simulation.run({ untilMs: 1000 })).toMatchObject({ kind: 'failed', message: 'R1: two leaders' })
    })
    await inSimulation({ limits: { turns: 1000 } }, async (simulation) => {
      simulation.addNode({ name: 'n', host: '10.0.0.1' }).boot((env) => {
        const spin = (): void => void env.timers.after(0, spin)
        spin()
      })
      expect(await simulation.run({ untilMs: 10 })).toEqual({
        kind: 'limit',
        message: '1000 events, the most of a run',
      })
    })
    await inSimulation({ limits: { turnsAtOneInstant: 1000 } }, async (simulation) => {
      simulation.addNode({ name: 'n', host: '10.0.0.1' }).boot((env) => {
        let left = 5_000
        const hurry = (): void => void env.timers.after(--left > 0 ? 1 : 0, hurry)
        hurry()
      })
      // As many events as one likes, as long as time goes on between them.
      expect(await simulation.run({ untilMs: 4_998 })).toMatchObject({ kind: 'time' })
      expect(await simulation.run({ untilMs: 6_000 })).toEqual({
        kind: 'limit',
        message: '1000 events at 4.999 s, and time does not go on; the last was of n',
      })
    })
    await inSimulation({ limits: { pending: 50 } }, async (simulation) => {
      simulation.addNode({ name: 'n', host: '10.0.0.1' }).boot((env) => {
        for (let i = 0; i < 60; i++) env.timers.after(5, () => undefined)
      })
      expect(await simulation.run({ untilMs: 10 })).toMatchObject({
        kind: 'limit',
        message: expect.stringContaining('60 events wait'),
      })
    })
  })

  it('passes time even when nothing happens', async () => {
    await inSimulation({}, async (simulation) => {
      expect((await simulation.run({ untilMs: 86_400_000 })).kind).toBe('time')
      expect(simulation.nowMs).toBe(86_400_000)
    })
  })

  it('gives the driver its own events: in order, closable, at once where their time is past', async () => {
    await inSimulation({}, async (simulation) => {
      const told: string[] = []
      simulation.at(5, () => told.push('b'))
      simulation.at(1, () => told.push('a'))
      simulation.after(5, () => told.push('closed')).close()
      await simulation.run({ untilMs: 10 })
      simulation.at(1, () => told.push(`late at ${simulation.nowMs}`))
      await simulation.run({ untilMs: 20 })
      expect(told).toEqual(['a', 'b', 'late at 10'])
    })
  })

  it('plays a program to its result or its error, and says when it did not end', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      expect(await simulation.play(node, async () => 'result', 100)).toBe('result')
      const failing = simulation.play(node, () => Promise.reject(new Error('its own')), 100)
      await expect(failing).rejects.toThrow('its own')
      const endless = simulation.play(node, (env) => env.deferred<void>().promise, 100)
      await expect(endless).rejects.toThrow('the program on n did not end: the time is over')
    })
  })

  it('gives what scripts say for child processes, and nothing for programs that are not there', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1', cpuCount: 7 })
      node.programs.set('check', ({ argv }) => ({ afterMs: 25, exit: 2, output: argv.slice(1).join('+') }))
      const options = { timeoutMs: 100, outputBytesMax: 3 }
      const run = await simulation.play(node, (env) => value(env.processes.run(['check', 'ab', 'cd'], options)), 1000)
      expect([run.exit, Buffer.from(run.output).toString(), simulation.nowMs]).toEqual([2, '+cd', 25])
      expect(node.env.machine.cpuCount).toBe(7)
    })
  })
})
