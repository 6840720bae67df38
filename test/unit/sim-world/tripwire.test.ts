import { spawn, spawnSync } from 'node:child_process'
import * as crypto from 'node:crypto'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns'
import * as fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer as createHttpServer, request } from 'node:http'
import { connect, createServer, Socket } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { inSimulation, rest } from './in-simulation.ts'

const at = { host: '127.0.0.1', port: 9 }

const violations: Readonly<Record<string, () => unknown>> = {
  'new Date()': () => new Date(),
  'Date()': () => Date(),
  'Date.now()': () => Date.now(),
  'a Date by its constructor': () => new (new Date(0).constructor as typeof Date)(),
  'Math.random()': () => Math.random(),
  'setTimeout()': () => setTimeout(() => undefined, 1),
  'setInterval()': () => setInterval(() => undefined, 1),
  'setImmediate()': () => setImmediate(() => undefined),
  'queueMicrotask()': () => queueMicrotask(() => undefined),
  'performance.now()': () => performance.now(),
  'process.hrtime()': () => process.hrtime(),
  'process.hrtime.bigint()': () => process.hrtime.bigint(),
  'process.uptime()': () => process.uptime(),
  'crypto.randomBytes()': () => crypto.randomBytes(1),
  'crypto.randomUUID()': () => crypto.randomUUID(),
  'crypto.randomInt()': () => crypto.randomInt(5),
  'crypto.generateKeyPairSync()': () => crypto.generateKeyPairSync('ed25519'),
  'getRandomValues() of the web': () => globalThis.crypto.getRandomValues(new Uint8Array(1)),
  'randomUUID() of the web': () => globalThis.crypto.randomUUID(),
  'fetch()': () => fetch('http://127.0.0.1:9/'),
  'net.connect()': () => connect(at),
  'net.createServer()': () => createServer(),
  'Socket.connect()': () => new Socket().connect(at),
  'dgram.createSocket()': () => createSocket('udp4'),
  'dns.lookup()': () => lookup('localhost', () => undefined),
  'http.request()': () => request(at),
  'http.createServer()': () => createHttpServer(),
  'fs.readFileSync()': () => fs.readFileSync('/etc/hostname'),
  'fs.writeFile()': () => fs.writeFile('/dev/null', '', () => undefined),
  'fs.promises.readFile()': () => fs.promises.readFile('/etc/hostname'),
  'readFile() of fs/promises': () => readFile('/etc/hostname'),
  'child_process.spawn()': () => spawn('true'),
  'child_process.spawnSync()': () => spawnSync('true'),
}

describe('the tripwire', () => {
  it.each(Object.entries(violations))(
    '[H2] refuses %s in a turn, and names the node and what to use instead',
    async (_, violate) => {
      await inSimulation({}, async (simulation) => {
        simulation.addNode({ name: 's1', host: '10.0.0.1' }).boot((env) => {
          env.timers.after(1, () => void violate())
        })
        const end = await simulation.run({ untilMs: 10 })
        expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'node-error', node: 's1' } })
        expect(end.message).toMatch(/AmbientAccess: .+ in the turn of s1: use .+/)
      })
    },
  )

  it('[H2] refuses them in what a turn awakens too', async () => {
    await inSimulation({}, async (simulation) => {
      simulation.addNode({ name: 's1', host: '10.0.0.1' }).boot(async (env) => {
        await rest(env, 1)
        await null
        Math.random()
      })
      expect((await simulation.run({ untilMs: 10 })).message).toMatch(/Math\.random in the turn of s1/)
    })
  })

  it('lets dates be made from given times, and recognised', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 's1', host: '10.0.0.1' })
      const outside = new Date(5)
      const seen = await simulation.play(
        node,
        async () => {
          const date = new Date(1_767_225_600_000)
          return [
            date.toISOString(),
            date instanceof Date,
            outside instanceof Date,
            Date.UTC(2026, 0),
            Date.parse('2026-01-01'),
          ]
        },
        100,
      )
      expect(seen).toEqual(['2026-01-01T00:00:00.000Z', true, true, 1_767_225_600_000, 1_767_225_600_000])
    })
  })

  it('does nothing between turns, nor to the driver of a test', async () => {
    await inSimulation({ afterTurn: () => void Date.now() }, async (simulation) => {
      simulation.addNode({ name: 's1', host: '10.0.0.1' }).boot((env) => void env.timers.after(1, () => undefined))
      expect((await simulation.run({ untilMs: 10 })).kind).toBe('time')
      expect(Date.now()).toBeGreaterThan(1_700_000_000_000)
      expect(fs.existsSync('/')).toBe(true)
      expect(await promisify(setTimeout)(1, 'slept')).toBe('slept')
      expect(new Date()).toBeInstanceOf(Date)
      expect(await promisify(fs.exists)('/')).toBe(true)
    })
  })

  it('stands while any of several simulations is open, whichever is closed first', () => {
    const before = [Math.random, Date]
    const [first, second] = [createPlatform(), createPlatform()]
    first.close()
    second.turn.holder = 's2'
    expect(() => Math.random()).toThrow('Math.random in the turn of s2')
    second.turn.holder = undefined
    second.close()
    second.close()
    expect([Math.random, Date]).toEqual(before)
  })

  it('is gone without a trace once the run is closed', () => {
    const before = [Date, Math.random, setTimeout, performance.now, fs.readFileSync, crypto.randomBytes, fetch]
    const platform = createPlatform()
    expect(Date).not.toBe(before[0])
    platform.close()
    expect([Date, Math.random, setTimeout, performance.now, fs.readFileSync, crypto.randomBytes, fetch]).toEqual(before)
    expect(new Date(0).constructor).toBe(Date)
  })
})
