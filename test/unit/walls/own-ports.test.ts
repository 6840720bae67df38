import { createServer, type Server } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'

/**
 * As another worker has it: a module of its own, with state of its own. That of this worker may have handed out any
 * number of ports to the files of tests before this one.
 */
async function anotherWorker(): Promise<typeof import('../../tools/own-ports.ts')> {
  vi.resetModules()
  return import('../../tools/own-ports.ts')
}

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Undefined: it listens. */
function listening(port: number, host: string): Promise<string | undefined> {
  const server = createServer()
  servers.push(server)
  return new Promise((resolve) => {
    server.once('error', (cause: NodeJS.ErrnoException) => resolve(cause.code))
    server.listen(port, host, () => resolve(undefined))
  })
}

describe('ports of tests', () => {
  it('are given to one worker each, and one after the other', async () => {
    const workers = [await anotherWorker(), await anotherWorker(), await anotherWorker()]
    const given = await Promise.all(
      workers.map(async ({ freePort }) => {
        const ports: number[] = []
        for (let times = 0; times < 40; times++) ports.push(await freePort())
        return ports
      }),
    )
    expect(new Set(given.flat()).size).toBe(120)
    for (const ports of given) {
      expect(ports.toSorted((a, b) => a - b)).toEqual(ports)
      expect(Math.max(...ports) - Math.min(...ports)).toBeLessThan(128)
    }
  })

  it('are free, and one that another program has taken meanwhile is passed over', async () => {
    const { freePort } = await anotherWorker()
    const first = await freePort()
    expect(await listening(first + 1, '127.0.0.1')).toBeUndefined()
    const next = await freePort()
    expect(next).toBeGreaterThan(first + 1)
    expect(await listening(next, '0.0.0.0')).toBeUndefined()
  })

  it('of which a machine has one are held by one worker at a time', async () => {
    const { freePort, heldAlone } = await anotherWorker()
    const port = await freePort()
    const one = await heldAlone(port)
    let isOver = false
    const waiting = (await anotherWorker()).heldAlone(port).then((held) => {
      expect(isOver).toBe(true)
      return held
    })
    isOver = true
    await one.close()
    await (await waiting).close()
  })

  it.skipIf(process.platform !== 'linux')(
    'lie on an address of the loopback that is another for each worker',
    async () => {
      const hosts = [(await anotherWorker()).ownLoopback, (await anotherWorker()).ownLoopback]
      expect(new Set(hosts).size).toBe(2)
      for (const host of hosts) expect(await listening(0, host)).toBeUndefined()
    },
  )
})
