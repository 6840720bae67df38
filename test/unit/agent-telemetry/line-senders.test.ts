import { describe, expect, it } from 'vitest'
import { tcpLines, udpLines } from '../../../src/agent/telemetry/line-senders.ts'
import { textOf } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import type { TcpListener, TcpStream } from '../../../src/env/net.ts'
import { inSimulation, rest, value } from '../sim-world/in-simulation.ts'

const to = { host: '10.0.0.2', port: 8125 }

/** Two machines: one that sends, one where a test listens. */
async function between(
  use: (sender: Env, listener: Env, lines: string[], names: Map<string, readonly string[]>) => Promise<void>,
): Promise<void> {
  await inSimulation({ link: { latencyMs: 1 } }, async (simulation) => {
    const listener = simulation.addNode({ name: 'b', host: '10.0.0.2' })
    const sender = simulation.addNode({ name: 'a', host: '10.0.0.1' })
    listener.boot(() => undefined)
    await simulation.play(sender, (env) => use(env, listener.env, [], simulation.network.names), 3_600_000)
    if (simulation.failure !== undefined) throw simulation.failure.error ?? new Error(simulation.failure.message)
  })
}

async function hearing(env: Env, heard: string[]): Promise<TcpListener> {
  return value(
    env.tcp.listen(to, (stream) => {
      stream.onData((bytes) => heard.push(textOf(bytes)))
      stream.onEnd(() => stream.close())
      stream.onClose(() => undefined)
    }),
  )
}

describe('lines over TCP', () => {
  it('wait, within a bound, while no server listens, and are sent once one does', async () => {
    await between(async (sender, listener, heard) => {
      const lines = tcpLines(sender, to)
      lines.send('first\n')
      for (let at = 0; at < 20_000; at++) lines.send(`${'x'.repeat(99)}\n`)
      await rest(sender, 12_000)
      await hearing(listener, heard)
      await rest(sender, 6_000)
      const text = heard.join('')
      expect(text.startsWith('first\nxxx')).toBe(true)
      expect(text.length).toBeGreaterThan(1_000_000)
      expect(text.length).toBeLessThanOrEqual(1 << 20)
      lines.send('more\n')
      await rest(sender, 200)
      expect(heard.join('').endsWith('\nmore\n')).toBe(true)
      lines.close()
      lines.send('after\n')
      await rest(sender, 10_000)
      expect(heard.join('')).not.toContain('after')
    })
  })
})

describe('lines over TCP to a receiver that does not read for a while', () => {
  it('are lost beyond the bounds, and later ones are sent again once it reads', async () => {
    await between(async (sender, listener, heard) => {
      let reader: TcpStream | undefined
      await value(
        listener.tcp.listen(to, (stream) => {
          reader = stream
          stream.onData((bytes) => heard.push(textOf(bytes)))
          stream.onClose(() => undefined)
          stream.pause()
        }),
      )
      const lines = tcpLines(sender, to)
      await rest(sender, 1_000)
      const line = `${'x'.repeat(1_023)}\n`
      for (let at = 0; at < 8_000; at++) {
        lines.send(line)
        if (at % 100 === 0) await rest(sender, 200)
      }
      reader?.resume()
      await rest(sender, 5_000)
      for (let at = 0; at < 3; at++) {
        lines.send(line)
        await rest(sender, 5_000)
      }
      lines.send('later\n')
      await rest(sender, 1_000)
      expect(heard.join('').endsWith('later\n')).toBe(true)
      lines.close()
    })
  })
})

describe('lines over UDP', () => {
  it('leave after a moment, and none after the end', async () => {
    await between(async (sender, listener, heard) => {
      await value(listener.udp.bind(to, (_from, bytes) => heard.push(textOf(bytes))))
      const lines = udpLines(sender, to)
      lines.send('a\n')
      lines.send('b\n')
      await rest(sender, 300)
      expect(heard).toEqual(['a\nb\n'])
      lines.send('c\n')
      lines.close()
      lines.send('d\n')
      await rest(sender, 1_000)
      expect(heard).toEqual(['a\nb\n'])
    })
  })
})

describe('lines over UDP from a machine that gives no socket', () => {
  it('wait until there is one, and the operator is told once', async () => {
    await between(async (sender, listener, heard) => {
      await value(listener.udp.bind(to, (_from, bytes) => heard.push(textOf(bytes))))
      let refuses = true
      const logged: string[] = []
      const bind: Env['udp']['bind'] = (at, use) =>
        refuses
          ? Promise.resolve({ ok: false, error: { kind: 'io', at, message: 'EMFILE: too many open files' } })
          : sender.udp.bind(at, use)
      const write: Env['log']['write'] = (_level, _topic, text, fields) => logged.push(`${text}: ${fields?.['reason']}`)
      const lines = udpLines({ ...sender, udp: { bind }, log: { ...sender.log, write } }, to)
      lines.send('a\n')
      await rest(sender, 60_000)
      expect(logged).toEqual(['metrics are not sent: no socket can be opened for them: EMFILE: too many open files'])
      refuses = false
      await rest(sender, 6_000)
      expect(heard).toEqual(['a\n'])
      lines.close()
    })
  })
})

describe('lines to a receiver that has a name', () => {
  const named = { host: 'metrics.internal', port: to.port }

  it('follow its address over UDP, with one lookup a minute, and stay where a lookup fails', async () => {
    await between(async (sender, listener, heard, names) => {
      await value(listener.udp.bind(to, (_from, bytes) => heard.push(textOf(bytes))))
      names.set('metrics.internal', ['10.0.0.3'])
      let lookups = 0
      const lookup: Env['names']['lookup'] = (...asked) => {
        lookups++
        return sender.names.lookup(...asked)
      }
      const lines = udpLines({ ...sender, names: { ...sender.names, lookup } }, named)
      const sendFor = async (seconds: number) => {
        for (let at = 0; at < seconds; at++) {
          lines.send(`${at}\n`)
          await rest(sender, 1_000)
        }
      }
      await sendFor(30)
      names.set('metrics.internal', ['10.0.0.2'])
      await sendFor(20)
      expect([heard.length, lookups]).toEqual([0, 1])
      await sendFor(70)
      expect(heard.length).toBeGreaterThan(50)
      const before = heard.length
      names.delete('metrics.internal')
      await sendFor(180)
      expect(heard.length).toBeGreaterThan(before + 170)
      expect(lookups).toBeGreaterThan(3)
      expect(lookups).toBeLessThanOrEqual(6)
      lines.close()
    })
  })

  it('go by another socket where the new address is of the other family, and by the old one where there is none', async () => {
    await between(async (sender, _listener, _heard, names) => {
      names.set('metrics.internal', ['10.0.0.2'])
      const bound: string[] = []
      const sent: string[] = []
      let refuses = true
      const udp: Env['udp'] = {
        bind: async (at) => {
          bound.push(at.host)
          if (at.host === '::' && refuses) return { ok: false, error: { kind: 'io', at, message: '' } }
          const close = () => bound.push(`${at.host} closed`)
          return { ok: true, value: { local: at, send: (where) => sent.push(`${at.host} ${where.host}`), close } }
        },
      }
      const lines = udpLines({ ...sender, udp }, named)
      const sendOnce = async () => {
        sent.length = 0
        lines.send('a\n')
        await rest(sender, 61_000)
        return sent.join()
      }
      await rest(sender, 61_000)
      names.set('metrics.internal', ['fd00::2'])
      expect(await sendOnce()).toBe('0.0.0.0 10.0.0.2')
      refuses = false
      expect([await sendOnce(), await sendOnce()]).toEqual(['0.0.0.0 10.0.0.2', ':: fd00::2'])
      expect(bound).toEqual(['0.0.0.0', '::', '::', '0.0.0.0 closed'])
      lines.close()
      expect(bound.at(-1)).toBe(':: closed')
    })
  })

  it('need no lookup where it has an address, and none while nothing is sent', async () => {
    await between(async (sender, _listener, _heard, names) => {
      names.set('metrics.internal', ['10.0.0.2'])
      let lookups = 0
      const lookup: Env['names']['lookup'] = (...asked) => {
        lookups++
        return sender.names.lookup(...asked)
      }
      const env = { ...sender, names: { ...sender.names, lookup } }
      const [plain, idle] = [udpLines(env, to), udpLines(env, named)]
      for (let at = 0; at < 300; at++) {
        plain.send('a\n')
        await rest(sender, 1_000)
      }
      expect(lookups).toBe(1)
      plain.close()
      idle.close()
    })
  })

  it('wait while the name does not resolve, and are sent to its address then', async () => {
    await between(async (sender, listener, heard, names) => {
      await value(listener.udp.bind(to, (_from, bytes) => heard.push(textOf(bytes))))
      await hearing(listener, heard)
      const senders = [udpLines(sender, named), tcpLines(sender, named)]
      for (const [at, lines] of senders.entries()) lines.send(`${at}\n`)
      await rest(sender, 4_000)
      expect(heard).toEqual([])
      names.set('metrics.internal', ['10.0.0.2'])
      await rest(sender, 2_000)
      expect([...heard].sort((a, b) => (a < b ? -1 : 1))).toEqual(['0\n', '1\n'])
      for (const lines of senders) lines.close()
    })
  })
})
